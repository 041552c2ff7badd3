#!/usr/bin/env python3
"""make.py: writes a small Llama with random weights, two prompts, and what transformers generates for them.

    python3 examples/llama/make.py

Needs transformers 5 and PyTorch, which nothing else here does: what it writes is stored. Each prompt is generated for by
itself, without padding; 64 tokens, each the likeliest, with the logits that decided it.
"""

import json
import os

import numpy
import torch
from safetensors.torch import save_file
from transformers import LlamaConfig, LlamaForCausalLM

HERE = os.path.dirname(os.path.abspath(__file__))
STEPS = 64
PROMPTS = [[5, 17, 93, 2, 44], [71, 8, 8, 120, 33, 64, 9, 101, 50]]

torch.manual_seed(7)
config = LlamaConfig(
    vocab_size=128, hidden_size=32, intermediate_size=56, num_hidden_layers=3, num_attention_heads=4, num_key_value_heads=2,
    max_position_embeddings=128, rms_norm_eps=1e-5, rope_parameters={"rope_type": "default", "rope_theta": 10000.0},
    initializer_range=0.25, tie_word_embeddings=False, bos_token_id=None, eos_token_id=None,
)
model = LlamaForCausalLM(config).eval()
with torch.no_grad():
    for name, value in model.named_parameters():
        if "norm" in name:
            value.copy_(1 + 0.2 * torch.randn_like(value))

fields = json.loads(config.to_json_string())
fields["architectures"] = ["LlamaForCausalLM"]
fields["dtype"] = "float32"
with open(os.path.join(HERE, "config.json"), "w", encoding="utf-8") as file:
    file.write(json.dumps(fields, indent=2) + "\n")
save_file({name: value.contiguous() for name, value in model.state_dict().items()}, os.path.join(HERE, "model.safetensors"))
os.chmod(os.path.join(HERE, "model.safetensors"), 0o644)

tokens, logits = [], []
with torch.no_grad():
    for prompt in PROMPTS:
        made = model.generate(torch.tensor([prompt]), max_new_tokens=STEPS, min_new_tokens=STEPS, do_sample=False, use_cache=True,
                              output_logits=True, return_dict_in_generate=True, pad_token_id=0)
        tokens.append(made.sequences[0, len(prompt):].numpy())
        logits.append(torch.stack(made.logits)[:, 0].numpy())

longest = max(map(len, PROMPTS))
padded = numpy.array([prompt + [-1] * (longest - len(prompt)) for prompt in PROMPTS], dtype="i8")
numpy.save(os.path.join(HERE, "prompts.npy"), padded)
numpy.save(os.path.join(HERE, "expected_tokens.npy"), numpy.array(tokens, dtype="i8"))
numpy.save(os.path.join(HERE, "expected_logits.npy"), numpy.array(logits, dtype="f4"))
print(numpy.array(tokens))
best = numpy.sort(numpy.array(logits), -1)
print("nearest second:", (best[..., -1] - best[..., -2]).min())
