#!/usr/bin/env python3
"""scripts/draw-clothes.py [FOLDER]: make datasets/clothes, a folder of images for each class, from Fashion-MNIST.

Writes the first 40 training images and the first 15 test images of five classes as gray PNG files. FOLDER contains
the four files of Fashion-MNIST (default: datasets/fashion-mnist, from scripts/fetch-fashion-mnist.sh). The output is
reproducible: the same files give the same bytes.
"""
import gzip
import pathlib
import struct
import sys
import zlib

SIDE = 28
CLASSES = {3: "dress", 1: "trouser", 5: "sandal", 8: "bag", 9: "boot"}
SPLITS = {"train": ("train", 40), "test": ("t10k", 15)}


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(pixels):
    header = struct.pack(">IIBBBBB", SIDE, SIDE, 8, 0, 0, 0, 0)
    rows = b"".join(b"\0" + pixels[y * SIDE : (y + 1) * SIDE] for y in range(SIDE))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")


def write_images(source, split, prefix, limit):
    labels = gzip.open(source / f"{prefix}-labels-idx1-ubyte.gz").read()[8:]
    images = gzip.open(source / f"{prefix}-images-idx3-ubyte.gz").read()[16:]
    written = dict.fromkeys(CLASSES, 0)
    for i, label in enumerate(labels):
        if written.get(label, limit) == limit:
            continue
        folder = pathlib.Path("datasets/clothes") / split / CLASSES[label]
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{written[label]:02}.png").write_bytes(png(images[i * SIDE * SIDE : (i + 1) * SIDE * SIDE]))
        written[label] += 1


def main():
    source = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "datasets/fashion-mnist")
    for split, (prefix, limit) in SPLITS.items():
        write_images(source, split, prefix, limit)


main()
