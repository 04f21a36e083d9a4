# shellcheck shell=bash disable=SC2154 # root: the repository
# Sourced by tests/side_by_side.sh: tables with errors, tests/data/broken/NN.csv, each as training, test and predict file
# of the config NN.yaml. The config's comments name a good table with the same columns and give further settings to
# check; ` | ` separates settings that belong together.

broken_table() {
  local good settings set sets=()
  good=$(sed -n 's/^# good: //p' "tests/data/broken/$1.yaml")
  cp "tests/data/broken/$1.yaml" c.yaml
  cp "tests/data/broken/$1.csv" table.csv
  cp "tests/data/broken/$good" good.csv
  gtrain check c.yaml
  gtrain train c.yaml --run-dir run
  gtrain init csv table.csv -o init.yaml
  while read -r settings; do
    sets=()
    while read -r set; do sets+=(--set "$set"); done <<< "${settings// | /$'\n'}"
    gtrain check c.yaml "${sets[@]}" < /dev/null
  done < <(sed -n 's/^# set: //p' c.yaml)
  gtrain train c.yaml --run-dir good --quiet --set data.train=good.csv
  gtrain check c.yaml --set data.train=good.csv --set data.test=table.csv
  gtrain eval good --data table.csv
  gtrain predict good table.csv
  gtrain predict good table.csv -o p.csv
  cut -d, -f2- table.csv > fewer.csv
  gtrain predict good fewer.csv --json
}
for file in "$root"/tests/data/broken/[0-9]*.yaml; do
  file=${file##*/}
  cases broken_table "${file%.yaml}"
done
