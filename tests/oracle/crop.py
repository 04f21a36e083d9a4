#!/usr/bin/env python3
"""torchvision's center_crop as oracle of `crop:`, for 0 to 9 excess pixels: by torchvision if it is installed, else by its
rule, int(round(excess / 2.0)). The cropped image is derived from the output of a linear layer, whose weights are in its
model.bin. Needs numpy.

    GTRAIN=build/gtrain tests/oracle/crop.py [--device DEVICE]

Ends with `N passed, N failed`."""

import argparse
import os
import sys

import numpy

import gtrain

HEIGHT, WIDTH, SAMPLES = 13, 16, 3

try:
    import torch
    from torchvision.transforms.functional import center_crop
except ImportError:
    center_crop = None


def middle(pictures, height, width):
    if center_crop:
        return center_crop(torch.tensor(pictures), [height, width]).numpy()
    top, left = int(round((HEIGHT - height) / 2.0)), int(round((WIDTH - width) / 2.0))
    return pictures[:, top : top + height, left : left + width]


def check(over, device):
    height, width = HEIGHT - over, WIDTH - (over + 3) % 10
    inputs, targets = (os.path.join(gtrain.FOLDER, f"crop-{what}.npy") for what in ("inputs", "targets"))
    out = os.path.join(gtrain.FOLDER, "crop-outputs.npy")
    pictures = numpy.random.default_rng(over).uniform(-1, 1, (SAMPLES, HEIGHT, WIDTH)).astype(numpy.float32)
    numpy.save(inputs, pictures)
    numpy.save(targets, numpy.zeros((SAMPLES, 2), numpy.float32))
    files = {"inputs": inputs, "targets": targets}
    config = {"seed": over, "data": {"train": files, "crop": [height, width]}, "model": ["flatten", {"linear": 2}],
              "loss": "mse", "optimizer": {"type": "sgd", "lr": 0.01}, "train": {"batch_size": SAMPLES}}
    folder = gtrain.train(f"crop-{over}", config, 1, device)
    gtrain.call("predict", os.path.join(folder, "model.bin"), "--input", inputs, "--output", out, "--device", device)
    tensors = gtrain.model(folder)
    seen = middle(pictures, height, width).reshape(SAMPLES, -1).astype(float)
    error = numpy.abs(numpy.load(out) - (seen @ tensors["linear1.weight"].T + tensors["linear1.bias"])).max()
    good = error < 1e-5
    print(f"{'ok' if good else 'not ok'} crop of {height} x {width} from {HEIGHT} x {WIDTH}: off by {error:.1e}")
    return good


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cpu")
    device = parser.parse_known_args()[0].device
    os.makedirs(gtrain.FOLDER, exist_ok=True)
    results = [check(over, device) for over in range(10)]
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    sys.exit(0 if all(results) else 1)


main()
