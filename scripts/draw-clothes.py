#!/usr/bin/env python3
"""scripts/draw-clothes.py [FOLDER]: draw datasets/clothes, a folder of pictures for each class, from Fashion-MNIST.

The first pictures of five classes, of the training files 40 each and of the test files 15, as grey PNG files. FOLDER
holds the four files of Fashion-MNIST (default: datasets/fashion-mnist, which scripts/fetch-fashion-mnist.sh brings).
The same files give the same bytes.
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


def draw(source, split, prefix, most):
    labels = gzip.open(source / f"{prefix}-labels-idx1-ubyte.gz").read()[8:]
    images = gzip.open(source / f"{prefix}-images-idx3-ubyte.gz").read()[16:]
    drawn = dict.fromkeys(CLASSES, 0)
    for i, label in enumerate(labels):
        if drawn.get(label, most) == most:
            continue
        folder = pathlib.Path("datasets/clothes") / split / CLASSES[label]
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{drawn[label]:02}.png").write_bytes(png(images[i * SIDE * SIDE : (i + 1) * SIDE * SIDE]))
        drawn[label] += 1


def main():
    source = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "datasets/fashion-mnist")
    for split, (prefix, most) in SPLITS.items():
        draw(source, split, prefix, most)


main()
