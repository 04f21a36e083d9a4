#!/usr/bin/env bash
# scripts/dist.sh BINARY OUTDIR VERSION: make OUTDIR/gtrain-VERSION-linux-ARCH and its .tar.gz. The program runs from
# any folder, on any Linux of BINARY's architecture, with nothing installed: the binary finds lib/ in its own directory
# (DT_RPATH $ORIGIN/lib). Only glibc, which cannot sensibly be bundled, and the Vulkan loader come from the host.
#
# BINARY may be for a foreign architecture: CC and STRIP are then the cross compiler and its strip, and the result is
# tested under qemu-ARCH-static if that is installed.
set -euo pipefail
umask 022
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh
binary=$1
outdir=$2
cc=${CC:-gcc}
glibc='^(linux-vdso|ld-linux.*|libc|libm|libdl|libpthread|librt|libresolv|libutil)\.so'

case $(LC_ALL=C readelf -h "$binary" | sed -n 's/^ *Machine: *//p') in
  *X86-64) arch=x86_64 ;;
  AArch64) arch=aarch64 ;;
  *) arch=$(uname -m) ;;
esac
name=gtrain-$3-linux-$arch
folder=$outdir/$name
runner=()
if [[ $arch != "$(uname -m)" ]]; then
  runner=("$(command -v "qemu-$arch-static" || true)")
fi

dynamic_section=$(LC_ALL=C readelf -d "$binary")
[[ ! $dynamic_section =~ lib(a|t|ub)san ]] || die "$binary is built with SANITIZE; build it without"
rm -rf "$folder" "$folder.tar.gz"
mkdir -p "$folder/lib" "$folder/licenses"
install -m 755 "$binary" "$folder/gtrain"
"${STRIP:-strip}" "$folder/gtrain"

# Prints the libraries that a file needs, from lines such as "0x… (NEEDED)  Shared library: [libyaml-0.so.2]".
needed() { LC_ALL=C readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]$/\1/p'; }

# The transitive closure of the libraries that the binary needs, from the search path of the compiler.
owners=()
mapfile -t queue < <(needed "$binary")
for ((i = 0; i < ${#queue[@]}; i++)); do
  library=${queue[i]}
  [[ $library =~ $glibc || -e $folder/lib/$library ]] && continue
  path=$("$cc" -print-file-name="$library")
  [[ $path == /* ]] || die "$library not found; run ./scripts/install-deps.sh"
  install -m 644 "$path" "$folder/lib/$library" # follows links: the folder holds plain files only
  mapfile -t -O "${#queue[@]}" queue < <(needed "$path")
  real=$(realpath "$path")
  # dpkg knows a library by its real path or, on merged-/usr systems, by the same path without /usr.
  owner=$({ dpkg -S "$real" || dpkg -S "${real#/usr}"; } 2> /dev/null | sed -n '1s/:.*//p') || true
  owners+=("${owner:-$library}")
done

# The licenses of libraries that are bundled, or linked in (the last two), must be distributed with them.
for owner in "${owners[@]}" libopenblas-pthread-dev libvulkan-volk-dev; do
  cp -L "/usr/share/doc/$owner/copyright" "$folder/licenses/$owner" 2> /dev/null ||
    say "warning: no license found for $owner"
done

# All documents, because they link to each other.
while read -r file; do
  install -D -m 644 "$file" "$folder/$file"
done < <(git ls-files README.md LICENSE docs 2> /dev/null || find README.md LICENSE docs -type f)
scripts/share.sh "$folder"
# Man page and completions, written by `make dist`.
share=${SHARE:-$(dirname "$binary")/share}
[[ -d $share ]] || die "no man page and completions in $share; run: make dist"
cp -R "$share" "$folder/share"
cat > "$folder/INSTALL" << END
tar xf $name.tar.gz && cd $name
./gtrain train configs/digits.yaml
END

# Checks that the binary, moved elsewhere and with an empty environment, loads every bundled library from its folder and
# trains.
moved=$(realpath "$(mktemp -d "$outdir/moved.XXXXXX")")
trap 'rm -rf "$moved"' EXIT
cp -R "$folder" "$moved/"
if [[ ${runner[*]-none} == '' ]]; then
  say "warning: $name was not run: qemu-$arch-static is missing; run ./scripts/install-deps.sh --cross"
else
  while read -r library _ path; do
    path=${path% (0x*)}
    [[ $library =~ $glibc || $library == /* ]] && continue
    [[ $path == "$moved"/* ]] ||
      die "$library resolves to '$path', outside the folder; link without RUNPATH (Makefile, LD_FLAGS)"
  done < <(env -i LD_TRACE_LOADED_OBJECTS=1 "${runner[@]}" "$moved/$name/gtrain")
  (
    # Chained with &&, because `set -e` has no effect on the left of "||".
    cd / && env -i "${runner[@]}" "$moved/$name/gtrain" --help > /dev/null && cd "$moved" &&
      env -i "${runner[@]}" "$name/gtrain" train "$name/configs/xor.yaml" --device cpu --quiet --run-dir run > /dev/null
  ) || die "the binary does not run from a moved folder"
fi

# Reproducible: one commit always gives the same bytes.
date=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2> /dev/null || date +%s)}
tar -C "$outdir" --owner=0 --group=0 --numeric-owner --sort=name --mtime="@$date" -c "$name" | gzip -9n > "$folder.tar.gz"
kib=$(du -sk "$folder" | cut -f1)
packed=$(du -k "$folder.tar.gz" | cut -f1)
((kib <= 20 * 1024 && packed <= 8 * 1024)) ||
  die "$folder has $kib KiB, compressed $packed KiB; the limits are 20 and 8 MiB; see what grew with: du -a $folder"
awk -v file="$folder.tar.gz" -v packed="$packed" -v kib="$kib" -v glibc="$(oldest_glibc "$folder/gtrain" "$folder"/lib/*)" \
  'BEGIN { printf "%s (%.1f MiB, %.0f unpacked; needs glibc %s)\n", file, packed / 1024, kib / 1024, glibc }'
