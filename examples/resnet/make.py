#!/usr/bin/env python3
"""make.py: writes weights, images and expected results of a small residual network, with torchvision; config.json is written by hand.

    python3 make.py

Needs torch, torchvision and safetensors. torchvision's networks begin with 64 channels; this one has as many as config.json
says, and is made of torchvision's blocks all the same. Weights are random, from a seed, means and variances too.
"""
import json
import os

import numpy
import torch
from safetensors.torch import save_file
from torchvision.models.resnet import BasicBlock, Bottleneck, ResNet

HERE = os.path.dirname(os.path.abspath(__file__))


class Small(ResNet):
    def __init__(self, width, block, layers, **more):
        super().__init__(block, layers, **more)
        self.inplanes, self.dilation = width, 1
        self.conv1 = torch.nn.Conv2d(3, width, kernel_size=7, stride=2, padding=3, bias=False)
        self.bn1 = torch.nn.BatchNorm2d(width)
        for at, count in enumerate(layers):
            setattr(self, f"layer{at + 1}", self._make_layer(block, width * 2**at, count, stride=1 if at == 0 else 2))
        self.fc = torch.nn.Linear(8 * width * block.expansion, more["num_classes"])


def main():
    torch.manual_seed(7)
    with open(os.path.join(HERE, "config.json"), encoding="utf-8") as file:
        config = json.load(file)
    block = {"basic": BasicBlock, "bottleneck": Bottleneck}[config["block"]]
    model = Small(config["width"], block, config["layers"], num_classes=config["num_classes"]).eval()
    with torch.no_grad():
        for name, tensor in model.state_dict().items():
            if name.endswith("running_var"):
                tensor.copy_(0.5 + torch.rand_like(tensor))
            elif tensor.dtype == torch.float32:
                tensor.add_(0.05 * torch.randn_like(tensor))
    save_file({name: tensor for name, tensor in model.state_dict().items() if tensor.dtype == torch.float32}, os.path.join(HERE, "model.safetensors"))
    images = torch.randn(2, 3, config["image_size"], config["image_size"])
    with torch.no_grad():
        logits = model(images)
    numpy.save(os.path.join(HERE, "x.npy"), images.numpy())
    numpy.save(os.path.join(HERE, "logits.npy"), logits.numpy())


main()
