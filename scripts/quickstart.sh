#!/usr/bin/env bash
# Install missing packages, build gtrain, train a classifier on Fashion-MNIST and evaluate it on the test images.
set -euo pipefail
cd "$(dirname "$0")/.."

./scripts/install-deps.sh
make -j"$(nproc)"
./scripts/fetch-fashion-mnist.sh

# A run directory is never overwritten: a second quickstart gets a number.
run=runs/fashion_mnist
number=2
while [[ -e $run ]]; do
  run=runs/fashion_mnist-$number
  number=$((number + 1))
done

build/gtrain train configs/fashion_mnist.yaml --run-dir "$run"
build/gtrain eval "$run/model.bin"
echo "The model is $run/model.bin; its config and its metrics are in the same folder." >&2
