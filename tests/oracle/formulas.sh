#!/usr/bin/env bash
# Measures how often `gtrain explain` finds the formula that generated noisy samples. Trains as in configs/hellokan.yaml
# on tables with seeds M to M + N - 1, and prints a line for each formula and noise level.
#
#   tests/oracle/formulas.sh [--seeds N] [--first M] [--jobs N] [--noise 'LIST'] [--formula 'TEXT@LOW,HIGH']... [--models DIR]
#
# The noise is Gaussian, in percent of the standard deviation of y, in the training and the held-out samples. Found:
# --expression prints a formula with the true values, to 1e-6 of their standard deviation; the number after it counts
# those for which explain warns without reason. Doubted: another formula, and explain warns that it is doubtful. Wrong:
# another formula, without a warning; the number after it counts those that differ from the truth by less than a fifth
# of the noise. --models: a folder in which trained models are stored and reused.
set -euo pipefail
cd "$(dirname "$0")/../.."

gtrain=${GTRAIN:-build/gtrain} seeds=20 first=1 jobs=2 models= noises='0 0.2 1 5'
formulas=()
while [[ $# -gt 0 ]]; do
  case $1 in
    --seeds) seeds=$2 ;;
    --first) first=$2 ;;
    --jobs) jobs=$2 ;;
    --noise) noises=$2 ;;
    --formula) formulas+=("$2") ;;
    --models) models=$2 ;;
    *)
      sed -n '5p' "$0" >&2
      exit 2
      ;;
  esac
  shift 2
done
((${#formulas[@]})) ||
  formulas=('exp(sin(pi*x0) + x1^2)@-1,1' '2*pi*sqrt(x0/x1)@0.5,2' 'sqrt(x0^2 + x1^2 + x2^2)@0.5,2')
if [[ -z $models ]]; then
  models=$(mktemp -d)
  trap 'rm -rf "$models"' EXIT
fi

# Defines functions that awk does not have, for formulas converted to awk.
functions='function abs(u) { return u < 0 ? -u : u } function tan(u) { return sin(u)/cos(u) }
  function atan(u) { return atan2(u, 1) } function asin(u) { return atan2(u, sqrt(1 - u*u)) }
  function tanh(u) { return 1 - 2/(exp(2*u) + 1) } function sigmoid(u) { return 1/(1 + exp(-u)) }
  BEGIN { pi = atan2(0, -1); FS = "," }'
in_awk() { sed -E 's/x([0-9]+)/$(\1 + 1)/g' <<< "$1"; }

# write_table FOLDER FORMULA LOW HIGH NOISE SEED: writes 400 training rows and 200 held-out rows.
write_table() {
  local inputs
  inputs=$(grep -o 'x[0-9]' <<< "$2" | sort -u | wc -l)
  awk -v n=600 -v inputs="$inputs" -v low="$3" -v high="$4" -v seed="$6" 'BEGIN {
    srand(seed)
    for (k = 0; k < n; k++) {
      for (i = 0; i < inputs; i++) printf "%.8g,", low + (high - low)*rand()
      print sqrt(-2*log(1 - rand()))*cos(8*atan2(1, 1)*rand())
    }
  }' > "$1/points"
  awk -v noise="$5" -v inputs="$inputs" "$functions"'
    { y[NR] = '"$(in_awk "$2")"'; x[NR] = $0; z[NR] = $(inputs + 1); sum += y[NR]; square += y[NR]^2 }
    END {
      deviation = sqrt(square/NR - (sum/NR)^2)
      for (i = 0; i < inputs; i++) head = head "x" i ","
      print head "y"
      for (k = 1; k <= NR; k++) {
        sub(/[^,]*$/, "", x[k])
        printf "%s%.9g\n", x[k], y[k] + noise/100*deviation*z[k]
      }
    }' "$1/points" > "$1/table.csv"
}

# As in configs/hellokan.yaml, with fewer steps.
write_config() {
  sed -e '/^data:/,/^$/d' -e "s/^seed: .*/seed: $2/" -e 's/batch_size: .*/batch_size: 400/' \
    -e 's/steps: 200/steps: 100/; s/steps: 400/steps: 150/; s/grid: 10/grid: 6/g' \
    -e '/symbolic:/d' configs/hellokan.yaml
  printf 'data: {train: %s, test_fraction: 0.333333333, task: regression}\n' "$1/table.csv"
}

run_one() { # FORMULA NOISE SEED
  local text=${1%@*} range=${1#*@} folder result said
  folder=$models/$(tr -c 'a-z0-9\n' _ <<< "$text")-$2-$3
  if [[ ! -f $folder/run/model.bin ]]; then
    rm -rf "$folder"
    mkdir -p "$folder"
    write_table "$folder" "$text" "${range%,*}" "${range#*,}" "$2" "$3"
    write_config "$folder" "$3" > "$folder/config.yaml"
    "$gtrain" train "$folder/config.yaml" --device cpu --quiet --run-dir "$folder/run" > "$folder/log" 2>&1 ||
      { cat "$folder/log" >&2 && return 1; }
  fi
  said=$("$gtrain" explain "$folder/run/model.bin" 2>&1) || true
  result=$("$gtrain" explain "$folder/run/model.bin" --expression 2> /dev/null) || result=0
  awk "$functions"'
    { y = '"$(in_awk "$text")"'; off = '"$(in_awk "$result")"' - y; sum += y; square += y^2; error += off^2 }
    END {
      deviation = sqrt(square/NR - (sum/NR)^2)
      rms = sqrt(error/NR)/deviation
      print rms < 1e-6 ? (doubts ? "found_warned" : "found") : doubts ? "doubted" : rms < '"$2"'/100*0.2 ? "near" : "wrong", rms
    }' doubts="$(grep -c 'this formula is doubtful' <<< "$said" || true)" "$folder/points" > "$folder/verdict"
  printf '%s\n' "$said" > "$folder/said"
}
export -f run_one write_table write_config in_awk
export gtrain models functions

for formula in "${formulas[@]}"; do
  for noise in $noises; do
    for ((seed = first; seed < first + seeds; seed++)); do printf '%s\0%s\0%s\0' "$formula" "$noise" "$seed"; done
  done
done | xargs -0 -n 3 -P "$jobs" bash -c 'run_one "$@"' run_one

echo '| formula | noise | found, of these warned of | doubted | wrong, of these near |'
echo '|---|---|---|---|---|'
for formula in "${formulas[@]}"; do
  for noise in $noises; do
    folder=$models/$(tr -c 'a-z0-9\n' _ <<< "${formula%@*}")-$noise
    verdicts=$(for ((seed = first; seed < first + seeds; seed++)); do cat "$folder-$seed/verdict" || echo none; done)
    count() { grep -cE "^($1)" <<< "$verdicts" || true; }
    echo "| ${formula%@*} | $noise % | $(count found), $(count found_warned) | $(count doubted) | $(count 'near|wrong|none'), $(count near) |"
  done
done
