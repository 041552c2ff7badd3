#!/usr/bin/env python3
"""make.py: writes config.json, weights, images and expected results of a small vision transformer, with Hugging Face's transformers.

    python3 make.py

Needs torch and transformers. Weights are random, from a seed.
"""
import os

import numpy
import torch
from transformers import ViTConfig, ViTForImageClassification

HERE = os.path.dirname(os.path.abspath(__file__))


def main():
    torch.manual_seed(5)
    config = ViTConfig(hidden_size=48, num_hidden_layers=2, num_attention_heads=4, intermediate_size=96, image_size=24, patch_size=6, num_labels=10)
    model = ViTForImageClassification(config).eval()
    with torch.no_grad():
        for param in model.parameters():
            param.add_(0.1 * torch.randn_like(param))
    model.save_pretrained(HERE)
    images = torch.randn(2, 3, 24, 24)
    with torch.no_grad():
        logits = model(pixel_values=images).logits
    numpy.save(os.path.join(HERE, "pixel_values.npy"), images.numpy())
    numpy.save(os.path.join(HERE, "logits.npy"), logits.numpy())


main()
