#!/usr/bin/env bash
# scripts/deb.sh FOLDER VERSION: make a Debian package next to FOLDER, which scripts/dist.sh made for its architecture.
# /usr/lib/gtrain has the binary and its bundled libraries, /usr/bin/gtrain is a link to it ($ORIGIN is the directory of
# the binary, not of the link), /usr/share/gtrain has configs, datasets and the scripts that download other datasets.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh
folder=$1
version=$2
command -v dpkg-deb > /dev/null || die "dpkg-deb not found; make the package on Debian or Ubuntu"
case $folder in
  *-x86_64) arch=amd64 ;;
  *-aarch64) arch=arm64 ;;
  *) die "$folder is for an unknown architecture; add Debian's name for it to scripts/deb.sh" ;;
esac
package=$(dirname "$folder")/gtrain_${version}_$arch.deb
root=$(mktemp -d "$(dirname "$folder")/deb.XXXXXX")
trap 'rm -rf "$root"' EXIT
doc=$root/usr/share/doc/gtrain

mkdir -p "$root"/{DEBIAN,usr/bin,usr/lib/gtrain,usr/share/gtrain} "$doc"
cp -R "$folder"/{gtrain,lib} "$root/usr/lib/gtrain/"
ln -s ../lib/gtrain/gtrain "$root/usr/bin/gtrain"
cp -R "$folder"/{configs,datasets,scripts} "$root/usr/share/gtrain/"
cp "$folder/README.md" "$doc/"
cp -R "$folder/docs" "$doc/"
cp -R "$folder"/share/* "$root/usr/share/"
mv "$root"/usr/share/zsh/{site-functions,vendor-completions} # the directory that Debian's zsh searches
gzip -9n "$root/usr/share/man/man1/gtrain.1"
{
  cat "$folder/LICENSE"
  for file in "$folder"/licenses/*; do
    printf '\n==== bundled or linked in: %s ====\n\n' "${file##*/}"
    cat "$file"
  done
} > "$doc/copyright"

glibc=$(oldest_glibc "$folder/gtrain" "$folder"/lib/*)
cat > "$root/DEBIAN/control" << END
Package: gtrain
Version: $version
Architecture: $arch
Maintainer: The gtrain authors
Section: science
Priority: optional
Installed-Size: $(du -sk "$root/usr" | cut -f1)
Depends: libc6 (>= $glibc)
Recommends: libvulkan1, mesa-vulkan-drivers
Description: train neural networks on Vulkan or CPU from a YAML file
 One program reads one YAML file and runs on any Vulkan GPU or, without a
 GPU, on the CPU, with the same results. Try:
 gtrain train @digits
END
(cd "$root" && find usr -type f -exec md5sum {} + | sort -k 2 > DEBIAN/md5sums)
chmod -R u=rwX,go=rX "$root"
# Reproducible: one commit always gives the same bytes.
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2> /dev/null || date +%s)}
dpkg-deb --root-owner-group -Zxz --build "$root" "$package" > /dev/null
echo "$package ($(du -k "$package" | awk '{ printf "%.1f", $1 / 1024 }') MiB; install: apt install ./$(realpath --relative-to=. "$package"))"
