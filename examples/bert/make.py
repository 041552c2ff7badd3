#!/usr/bin/env python3
"""make.py: writes config.json, weights, inputs and expected results of a small BERT, with Hugging Face's transformers.

    python3 make.py

Needs torch and transformers. Weights are random, from a seed; the second of the two sequences is shorter than the first.
"""
import os

import numpy
import torch
from transformers import BertConfig, BertModel

HERE = os.path.dirname(os.path.abspath(__file__))


def main():
    torch.manual_seed(3)
    config = BertConfig(vocab_size=200, hidden_size=48, num_hidden_layers=2, num_attention_heads=4, intermediate_size=96, max_position_embeddings=32)
    model = BertModel(config).eval()
    with torch.no_grad():
        for param in model.parameters():
            param.add_(0.1 * torch.randn_like(param))
    model.save_pretrained(HERE)
    given = {
        "input_ids": torch.randint(0, config.vocab_size, (2, 11)),
        "attention_mask": (torch.arange(11) < torch.tensor([[11], [7]])).long(),
        "token_type_ids": (torch.arange(11) >= torch.tensor([[6], [3]])).long(),
    }
    with torch.no_grad():
        made = model(**given)
    for name, tensor in {**given, "last_hidden_state": made.last_hidden_state, "pooler_output": made.pooler_output}.items():
        numpy.save(os.path.join(HERE, f"{name}.npy"), tensor.numpy())


main()
