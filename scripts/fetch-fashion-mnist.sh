#!/usr/bin/env bash
# Get Fashion-MNIST (Zalando Research, MIT license) into datasets/fashion-mnist/ from the package
# dataset-fashion-mnist of Debian and Ubuntu: linked if it is installed, otherwise downloaded and unpacked without root.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

package=dataset-fashion-mnist
target=datasets/fashion-mnist
installed=/usr/share/datasets/fashion-mnist
files=(train-images-idx3-ubyte.gz train-labels-idx1-ubyte.gz t10k-images-idx3-ubyte.gz t10k-labels-idx1-ubyte.gz)

complete() {
  local file
  for file in "${files[@]}"; do
    gzip -t "$1/$file" 2> /dev/null || return 1
  done
}

complete "$target" && exit 0
mkdir -p "$target"

if complete "$installed"; then
  for file in "${files[@]}"; do
    ln -sfn "$installed/$file" "$target/$file"
  done
else
  command -v apt-get > /dev/null || die "no apt-get here; put the four files of Fashion-MNIST into $target/"
  say "downloading $package (30 MB)"
  temporary=$(mktemp -d)
  trap 'rm -rf "$temporary"' EXIT
  download_debs "$temporary" "$package"
  for file in "${files[@]}"; do
    rm -f "${target:?}/$file" # it may be a link into a removed package, and cp would write through the link
    cp "$temporary/unpacked$installed/$file" "$target/$file"
  done
fi

complete "$target" || die "the files in $target/ are damaged; remove that folder and run this again"
say "$target/ is complete"
