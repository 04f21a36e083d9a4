#!/usr/bin/env bash
# scripts/dist.sh BINARY OUTDIR VERSION: make OUTDIR/gtrain-VERSION-linux-ARCH and its .tar.gz, which run from any
# folder of another Linux of that architecture with nothing installed: the binary finds lib/ beside itself
# (DT_RPATH $ORIGIN/lib). Only glibc, which cannot be bundled with sense, and the Vulkan loader are the host's.
set -euo pipefail
cd "$(dirname "$0")/.."
binary=$1
outdir=$2
name=gtrain-$3-linux-$(uname -m)
folder=$outdir/$name
owners=()
glibc='^(linux-vdso|ld-linux.*|libc|libm|libdl|libpthread|librt|libresolv|libutil)\.so'

rm -rf "$folder" "$folder.tar.gz"
mkdir -p "$folder/lib" "$folder/licenses"
install -m 755 "$binary" "$folder/gtrain"
strip "$folder/gtrain"

# "libyaml-0.so.2 => /lib/…/libyaml-0.so.2 (0x…)": the closure, with the libraries' own libraries.
while read -r library _ path _; do
  [[ $library =~ $glibc || $library == /* ]] && continue
  if [[ $path != /* ]]; then
    echo "dist: $library is not found; mend: ./scripts/install-deps.sh" >&2
    exit 1
  fi
  install -m 644 "$path" "$folder/lib/$library" # follows links: the folder holds plain files only
  real=$(realpath "$path")
  # dpkg knows a library by its real path or, on merged-/usr systems, by the same path without /usr.
  owner=$({ dpkg -S "$real" || dpkg -S "${real#/usr}"; } 2> /dev/null | sed -n '1s/:.*//p') || true
  owners+=("${owner:-$library}")
done < <(ldd "$binary")

# The licences of what is bundled, or linked in (the last two), ask to travel along.
for owner in "${owners[@]}" libopenblas-pthread-dev libvulkan-volk-dev; do
  cp -L "/usr/share/doc/$owner/copyright" "$folder/licenses/$owner" 2> /dev/null ||
    echo "dist: warning: no licence found for $owner" >&2
done

for item in configs README.md LICENSE; do
  [[ -e $item ]] && cp -R "$item" "$folder/"
done
# Only the bundled datasets: a download may lie beside them.
while read -r file; do
  install -D -m 644 "$file" "$folder/$file"
done < <(find datasets/README.md datasets/{digits,penguins,ca,clothes} -type f)

# Prove it: moved elsewhere, with an empty environment, every bundled library is taken from the folder.
moved=$(mktemp -d "$outdir/moved.XXXXXX")
trap 'rm -rf "$moved"' EXIT
cp -R "$folder" "$moved/"
while read -r library _ path _; do
  [[ $library =~ $glibc || $library == /* ]] && continue
  if [[ $(realpath "$path" 2> /dev/null) != "$(realpath "$moved")"/* ]]; then
    echo "dist: $library resolves to '$path', outside the folder; mend: link without RUNPATH (Makefile, LD_FLAGS)" >&2
    exit 1
  fi
done < <(env -i ldd "$moved/$name/gtrain")
moved=$(realpath "$moved")
sample=configs/xor.yaml
(
  # Chained: under a "||" the shell does not stop at the first failure by itself.
  cd / && env -i "$moved/$name/gtrain" --help > /dev/null && cd "$moved/$name" &&
    if [[ -f $sample ]]; then
      env -i ./gtrain train "$sample" --device cpu --quiet --run-dir "$moved/run" > /dev/null
    fi
) || {
  echo "dist: the binary does not run from a moved folder" >&2
  exit 1
}

kib=$(du -sk "$folder" | cut -f1)
if ((kib > 40 * 1024)); then
  echo "dist: $folder has $kib KiB, more than 40 MiB; mend: see what grew with du -a" >&2
  exit 1
fi
tar -C "$outdir" --owner=0 --group=0 --sort=name -czf "$folder.tar.gz" "$name"
echo "$folder.tar.gz ($((kib / 1024)) MiB unpacked)"
