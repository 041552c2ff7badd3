#!/bin/bash
# Model templates: each example's config becomes a model whose values are PyTorch's and whose calls are few; and a config that
# cannot be is told, with the field.
. tests/check.sh

cp -R examples templates "$work"
cd "$work" || exit 1
export CFLAGS="-O0 -DOPGEN_NO_CLONES"

near() { # WHAT FILE EXPECTED: equal within 1e-5, and no NaN
    check "$1" /usr/bin/python3 -c '
import sys, numpy
got, wanted = (numpy.load(name).astype("f8") for name in sys.argv[1:])
sys.exit(not (got.shape == wanted.shape and bool((abs(got - wanted) <= 1e-5).all())))' "$2" "$3"
}

calls() { # MODEL: how many calls a run has
    /usr/bin/python3 -c '
import re, sys
with open(f"out/{sys.argv[1]}/{sys.argv[1]}.c", encoding="utf-8") as file:
    text = file.read()
print(sum(piece.count("seen(run, ") for piece in re.findall(r"static void run_\d+\(const OpgenRun \*run\) \{(.*?)\n\}", text, re.S)))' "$1"
}

example=examples/bert
run "$OPGEN" render models/bert.json.j2 $example/config.json -o out/bert.json
expect 0 ""
run "$OPGEN" run out/bert.json -o out --weights $example/model.safetensors --in input_ids=$example/input_ids.npy \
    --in attention_mask=$example/attention_mask.npy --in token_type_ids=$example/token_type_ids.npy \
    --out last_hidden_state=hidden.npy --out pooler_output=pooled.npy
expect 0 ""
near "the last hidden state of bert" hidden.npy $example/last_hidden_state.npy
near "what its pooler makes" pooled.npy $example/pooler_output.npy
# Positions of both kinds, embeddings with their norm, the mask; a layer is seven; the pooler.
is "calls of bert" "$(calls bert)" $((4 + 2 * 7 + 1))

example=examples/vit
run "$OPGEN" render models/vit.json.j2 $example/config.json -o out/vit.json
expect 0 ""
run "$OPGEN" run out/vit.json -o out --weights $example/model.safetensors --in pixel_values=$example/pixel_values.npy --out logits=logits.npy
expect 0 ""
near "the logits of vit" logits.npy $example/logits.npy
# Patches, class and places; a layer is seven; norm and classifier.
is "calls of vit" "$(calls vit)" $((2 + 2 * 7 + 2))

example=examples/resnet
run "$OPGEN" render models/resnet.json.j2 $example/config.json -o out/resnet.json
expect 0 ""
run "$OPGEN" run out/resnet.json -o out --weights $example/model.safetensors --in x=$example/x.npy --out logits=logits.npy
expect 0 ""
near "the logits of resnet" logits.npy $example/logits.npy
# A convolution takes its batch norm, relu and sum with it: the first and its pool, four blocks of four, the mean, the classifier.
is "calls of resnet" "$(calls resnet)" $((2 + 4 * 4 + 2))

# ---- what else templates make
bert='{"vocab_size": 50, "hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32, "max_position_embeddings": 8'
makes() { # TEMPLATE CONFIG TEXT [OPTION...]: the model is right, and has the text
    local template=$1 config=$2 text=$3
    shift 3
    printf '%s' "$config" >config.json
    run "$OPGEN" render "models/$template.json.j2" config.json -o made.json "$@"
    expect 0 ""
    like "$template of $config $*" "$(cat made.json)" "*$text*"
    run "$OPGEN" lint made.json
    expect 0 ""
}
makes bert "$bert}" '"outputs": ?"last_hidden_state", "pooler_output"?'
makes bert "$bert, \"architectures\": [\"BertForMaskedLM\"]}" '"key": "bert.encoder.layer.0.attention.self.query.weight"*"key": "cls.predictions.transform.dense.weight"*"outputs": ?"logits"?'
makes bert "$bert, \"architectures\": [\"BertForMaskedLM\"], \"tie_word_embeddings\": false}" '"key": "cls.predictions.decoder.weight"'
makes bert "$bert, \"architectures\": [\"BertForSequenceClassification\"], \"num_labels\": 5, \"dtype\": \"float16\"}" '"dtype": "f16", "shape": ?5, 16?, "key": "classifier.weight"'
makes bert "$bert, \"architectures\": null}" '"attention_mask": {"dtype": "bool"' --set attention_mask=bool --set ids=i32
unlike "and no types" "$(makes bert "$bert}" '"max": 4}' --set token_type_ids=none --set attention_mask=none --set length=4 --set name=tiny && cat made.json)" '*attention_mask*'
makes bert "$bert}" '"key": "bert.embeddings.LayerNorm.gamma"' --set norm=gamma --set prefix=bert.
vit='{"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32'
makes vit "$vit, \"image_size\": [17, 9], \"patch_size\": 4}" '"shape": ?"batch", 3, 17, 9?'
makes vit "$vit, \"image_size\": 8, \"patch_size\": [2, 4], \"architectures\": [\"ViTModel\"], \"qkv_bias\": false}" '"outputs": ?"last_hidden_state", "pooler_output"?'
makes vit "$vit, \"image_size\": 8, \"patch_size\": 4, \"architectures\": [\"ViTModel\"]}" '"outputs": ?"last_hidden_state"?' --set pooler=no
for arch in resnet18 resnet34 resnet50 resnet101 resnet152 resnext50_32x4d wide_resnet101_2; do
    makes resnet "{\"arch\": \"$arch\"}" '"key": "layer4.1.bn2.running_var"'
done
makes resnet '{"arch": "resnet50", "replace_stride_with_dilation": [false, true, true], "image_size": [96, 64]}' '"dilation": 4'

# ---- configs that cannot be
cannot() { # TEMPLATE CONFIG MESSAGE [OPTION...]
    local template=$1 config=$2 message=$3
    shift 3
    printf '%s' "$config" >config.json
    run "$OPGEN" render "models/$template.json.j2" config.json "$@"
    expect 2 "*$message*"
    is "nothing comes out" "$out" ""
}
cannot bert '{}' 'the config has no "vocab_size"'
cannot bert "${bert/\"hidden_size\": 16, /}}" 'the config has no "hidden_size"'
cannot bert "${bert/\"hidden_size\": 16/\"hidden_size\": \"wide\"}}" '"hidden_size" of the config is "wide", and has to be a whole number of at least 1'
cannot bert "${bert/\"hidden_size\": 16/\"hidden_size\": true}}" '"hidden_size" of the config is true, and has to be a whole number'
cannot bert "${bert/\"hidden_size\": 16/\"hidden_size\": 0}}" '"hidden_size" of the config is 0, and has to be a whole number of at least 1'
cannot bert "${bert/attention_heads\": 2/attention_heads\": 3}}" '"num_attention_heads" of the config is 3, which does not divide "hidden_size", 16'
cannot bert "$bert, \"hidden_act\": \"snake\"}" '"hidden_act" of the config is "snake", and can be: "gelu", *'
cannot bert "$bert, \"position_embedding_type\": \"relative_key\"}" '"position_embedding_type" of the config is "relative_key", and only "absolute" is supported'
cannot bert "$bert, \"is_decoder\": true}" '"is_decoder" of the config is true, and only false is supported'
cannot bert "$bert, \"architectures\": [\"BertForChess\"]}" '"architectures" of the config is "BertForChess", and can be: "BertModel", *'
cannot bert "$bert, \"dtype\": \"int8\"}" '"dtype" is "int8", and can be: float32, *'
cannot bert "$bert}" '"length" is 9, and there are 8 positions' --set length=9
cannot bert "$bert}" '"batch" is "many", and has to be a whole number' --set batch=many
cannot bert "$bert}" '"attention_mask" of the config is "f32", and can be:*' --set attention_mask=f32
cannot vit "$vit, \"patch_size\": 4}" 'the config has no "image_size"'
cannot vit "$vit, \"image_size\": [8], \"patch_size\": 4}" '"image_size" of the config is ?8?, and has to be a whole number of at least 1, or two'
cannot vit "$vit, \"image_size\": 8, \"patch_size\": 16}" '"patch_size" of the config, 16 x 16, is larger than "image_size", 8 x 8'
cannot resnet '{}' 'the config has neither "arch" nor "block"'
cannot resnet '{"arch": "vgg16"}' '"arch" of the config is "vgg16", and can be: "resnet18", *'
cannot resnet '{"block": "basic"}' 'the config has neither "arch" nor "layers"'
cannot resnet '{"block": "basic", "layers": [1, 2]}' '"layers" of the config is ?1, 2?, and has to be four numbers'
cannot resnet '{"block": "basic", "layers": [1, 1, 1, 0]}' '"layers" of the config is 0, and has to be a whole number of at least 1'
cannot resnet '{"arch": "resnet18", "groups": 2}' 'a "block" of "basic" has "groups" 1 and "width_per_group" 64'

# ---- names of templates
run "$OPGEN" render models/gpt.json.j2
expect 2 '*cannot read "models/gpt.json.j2"*'
mkdir -p own/models
printf 'mine' >own/models/bert.json.j2
run "$OPGEN" render -I own models/bert.json.j2
is "a folder of -I goes first" "$out" "mine"
printf '{%% import "models/lib.j2" as lib %%}{{ lib.pair("size", [2, 3]) }}{%% do raise_exception("no " ~ (1 + 1)) %%}' >own.j2
run "$OPGEN" render own.j2
expect 2 '*own.j2:1:*no 2*'
finish
