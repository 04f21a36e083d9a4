#!/usr/bin/env bash
# Get the daily weather of Seattle, 2012 to 2015 (NOAA), into datasets/weather/weather.csv, from the npm package
# vega-datasets (BSD-3-Clause).
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

package=vega-datasets@2.11.0
target=datasets/weather
sums='0845078a290b48e3149ab8639966824110a251db4e06fc144c06ebb534af23be  weather.csv'

complete() { (cd "$1" 2> /dev/null && sha256sum --check --status <<< "$sums" 2> /dev/null); }

complete "$target" && exit 0

say "downloading $package (8 MB)"
temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT
download_npm "$package" "$temporary"
tar -C "$temporary" -xzf "$temporary"/vega-datasets-*.tgz package/data/seattle-weather.csv
mv "$temporary/package/data/seattle-weather.csv" "$temporary/package/data/weather.csv"
complete "$temporary/package/data" || die "$package does not contain the file that this script knows"
mkdir -p "$target"
cp "$temporary/package/data/weather.csv" "$target/"
chmod 644 "$target/weather.csv"
say "$target/ is complete"
