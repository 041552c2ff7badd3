#!/bin/bash
# The template of Llama: tokens as transformers generates them, what a config cannot be, and what comes out in how many calls.
. tests/check.sh

cp -R examples/llama "$work/llama"
cd "$work" || exit 1
export CFLAGS="-O1 -DOPGEN_NO_CLONES"
python() { /usr/bin/python3 -c "import json, sys
import numpy as np
$1" "${@:2}"; }
render() { "$OPGEN" render models/llama.json.j2 "$@"; }

run llama/demo.sh "$work/made"
expect 0 ""
like "64 tokens of each prompt are those of transformers" "$out" '*2 rows of 64 tokens: 0 are not those of transformers; logits differ by at most [1-9].*e-0[5-9]*'
check "the first prompt's are printed" python '
printed = [int(word) for word in sys.argv[1].splitlines()[-2].split()]
assert printed == np.load("llama/expected_tokens.npy")[0].tolist(), printed' "$out"

# ---- logits of every token: a prompt at once, and its second half behind its first
run render llama/config.json --set logits=all --set name=every --set batch=2 --set length=32 -o made/every.json
expect 0 ""
python '
tokens = np.concatenate([np.load("llama/prompts.npy")[1], np.load("llama/expected_tokens.npy")[1, :12]])[None]
caches = {n: np.full((1, 2, 30, 8), np.nan, "f4") for i in range(3) for n in (f"key_cache_{i}", f"value_cache_{i}")}
np.savez("all.npz", tokens=tokens, lengths=np.array([0]), **caches)
np.savez("first.npz", tokens=tokens[:, :13], lengths=np.array([0]), **caches)'
run "$OPGEN" run made/every.json -o made --in all.npz --out all_out.npz
expect 0 ""
run "$OPGEN" run made/every/libevery.so --in first.npz --out first_out.npz
expect 0 ""
python '
o = np.load("first_out.npz")
np.savez("second.npz", tokens=np.load("all.npz")["tokens"][:, 13:], lengths=np.array([13]), **{n: o[n] for n in o.files if "cache" in n})'
run "$OPGEN" run made/every/libevery.so --in second.npz --out second_out.npz
expect 0 ""
check "they are those of transformers, whichever way" python '
wanted, whole = np.load("llama/expected_logits.npy")[1, :13], np.load("all_out.npz")["logits"]
assert whole.shape == (1, 21, 128) and np.abs(whole[0, 8:] - wanted).max() < 1e-4
parts = np.concatenate([np.load("first_out.npz")["logits"], np.load("second_out.npz")["logits"]], 1)
assert np.abs(parts - whole).max() < 1e-4'
check "of a cache only what is given is written" python '
o = np.load("all_out.npz")
for name in o.files:
    if "cache" in name: assert np.isfinite(o[name][:, :, :21]).all() and np.isnan(o[name][:, :, 21:]).all(), name'
run "$OPGEN" verify made/llama.json -o made --dim batch=3 --dim length=4 --dim capacity=9
expect 0 ""

# ---- more layers are more calls of the same functions
for layers in 2 5; do
    sed "s/\"num_hidden_layers\": 3/\"num_hidden_layers\": $layers/" llama/config.json >layers.json
    render layers.json --set weights=none.safetensors --set name=l$layers | sed '/"weights"/d' >l$layers.json
    run "$OPGEN" generate l$layers.json -o made
    expect 0 ""
done
is "as many functions" "$(find made/l5 -name 'k_*.c' | wc -l)" "$(find made/l2 -name 'k_*.c' | wc -l)"
calls() { sed -n '/^static void run_0/,/^}/p' "made/$1/$1.c" | grep -c 'run->threads'; }
is "ten calls a layer" "$(($(calls l5) - $(calls l2)))" 30
is "nothing is copied" "$(grep -c 'copy(run, ' made/l5/l5.c)" 0

# ---- configs of other kinds
change() { python '
config = json.load(open("llama/config.json"))
config.update(json.loads(sys.argv[1]))
json.dump({k: v for k, v in config.items() if v != "gone"}, open("changed.json", "w"))' "$1"; }
takes() { # WHAT CHANGES PATTERN
    change "$2"
    run render changed.json
    expect 0 ""
    like "$1" "$out" "$3"
    printf '%s' "$out" | sed '/"weights"/d' >changed_model.json
    run "$OPGEN" lint changed_model.json
    expect 0 ""
}
takes "old fields for positions" '{"rope_parameters": "gone", "rope_theta": 500000.0}' '*"rope_tables"*"base": 500000.0*'
takes "Llama 3" '{"rope_parameters": "gone", "rope_theta": 500000.0, "rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}}' \
    '*"rope_tables"*"factor": 8.0, "high_freq_factor": 4.0, "low_freq_factor": 1.0, "original_max_position_embeddings": 8192*'
takes "linear scaling" '{"rope_parameters": {"rope_type": "linear", "rope_theta": 10000.0, "factor": 2.0}}' '*"factor": 2.0*'
takes "tied embeddings" '{"tie_word_embeddings": true}' '*"op": "linear", "in": \["normed", "model_embed_tokens_weight"\]*'
takes "biases" '{"attention_bias": true, "mlp_bias": true}' '*model.layers.2.self_attn.o_proj.bias*model.layers.2.mlp.down_proj.bias*'
takes "as many heads of keys" '{"num_key_value_heads": null, "head_dim": null}' '*"enable_gqa": false*'
takes "another dtype" '{"dtype": "bfloat16"}' '*"key_cache_0": {"dtype": "bf16"*'
refuses() { # CHANGES TEXT
    change "$1"
    run render changed.json
    expect 2 "*$2*"
    is "nothing is written" "$out" ""
}
for field in vocab_size hidden_size num_hidden_layers num_attention_heads intermediate_size max_position_embeddings rms_norm_eps; do
    refuses "{\"$field\": \"gone\"}" "the config has no \"$field\""
done
refuses '{"hidden_size": 32.5}' '"hidden_size" of the config is 32.5'
refuses '{"hidden_act": "gelu"}' '"hidden_act" of the config is "gelu", and can be: "silu", "swish"'
refuses '{"model_type": "mistral"}' '"model_type" of the config is "mistral", and only "llama" is supported'
refuses '{"num_key_value_heads": 3}' '"num_key_value_heads" of the config is 3, which does not divide "num_attention_heads", 4'
refuses '{"head_dim": 7}' 'the heads of the config have 7 elements'
refuses '{"pretraining_tp": 2}' '"pretraining_tp" of the config is 2'
refuses '{"sliding_window": 4096}' '"sliding_window" of the config is 4096'
refuses '{"quantization_config": {"bits": 4}}' '"quantization_config" of the config is'
refuses '{"rope_parameters": {"rope_type": "yarn", "factor": 4.0}}' '"rope_type" of the config is "yarn", and can be: "default", "linear", "llama3"'
refuses '{"rope_parameters": {"rope_type": "llama3", "factor": 4.0}}' '"low_freq_factor" of the config'
refuses '{"rope_parameters": {"rope_type": "default", "partial_rotary_factor": 0.5}}' '"partial_rotary_factor" of the config'
refuses '{"dtype": "int8"}' '"dtype" is "int8"'
finish
