# shellcheck shell=bash disable=SC2154 # root: the repository
# Sourced by tests/side_by_side.sh: the bundled configs, with small made data in place of those that are downloaded, and
# configs with a mistake.

made_datasets() {
  local kind i
  mkdir datasets/mnist datasets/fashion-mnist datasets/kjv datasets/weather
  {
    printf '\0\0\10\3\0\0\1\0\0\0\0\34\0\0\0\34'
    head -c $((256 * 28 * 28)) datasets/digits/digits.csv
  } > datasets/mnist/train-images-idx3-ubyte
  {
    printf '\0\0\10\1\0\0\1\0'
    for ((i = 0; i < 256; i++)); do printf '%b' "\\x0$((i * 7 % 10))"; done
  } > datasets/mnist/train-labels-idx1-ubyte
  for kind in images-idx3 labels-idx1; do
    cp "datasets/mnist/train-$kind-ubyte" "datasets/mnist/t10k-$kind-ubyte"
    gzip -nc "datasets/mnist/train-$kind-ubyte" | tee "datasets/fashion-mnist/train-$kind-ubyte.gz" > "datasets/fashion-mnist/t10k-$kind-ubyte.gz"
  done
  head -c 60000 datasets/tales/tales.txt > datasets/kjv/kjv.txt
  awk 'BEGIN {
    split("31 28 31 30 31 30 31 31 30 31 30 31", days)
    print "date,precipitation,temp_max,temp_min,wind,weather"
    for (m = 1; m <= 12; m++) for (d = 1; d <= days[m]; d++) {
      i++
      printf "2015-%02d-%02d,%.1f,%.1f,%.1f,%.1f,%s\n", m, d, i * 7 % 11 / 2, 12 - 9 * cos(i / 58) + i * 5 % 7 / 3,
        5 - 8 * cos(i / 58) + i * 3 % 5 / 4, 2 + i * 13 % 17 / 4, i % 3 ? "rain" : "sun"
    }
  }' > datasets/weather/weather.csv
}

check_config() {
  gtrain check "configs/$1.yaml"
  gtrain check "configs/$1.yaml" --graph
  gtrain check "configs/$1.yaml" --json
}
for file in "$root"/configs/*.yaml; do
  file=${file##*/}
  cases check_config "${file%.yaml}"
done

# train_config NAME: one epoch, or ten steps, of the bundled config, and an evaluation of its model.
train_config() {
  local short=(--set train.epochs=1)
  ! grep -qE '^ *(train: *\{)? *steps:' "configs/$1.yaml" || short=(--set train.steps=10 --set train.eval_every=10)
  ! grep -q phases: "configs/$1.yaml" || short=(--set 'train.phases=[{steps: 4}, {steps: 4}]' --set train.eval_every=8)
  gtrain train "configs/$1.yaml" --run-dir run "${short[@]}"
  gtrain eval run --json
  gtrain inspect run/model.bin
}
cases train_config xor digits skip residual digits_squeeze digits_lstm digits_logic_conv images csv_regression wide_and_deep \
  titanic_like house_prices house_types fraud segmentation series_generated sentences function_regression hellokan kan_bessel \
  kan_product kan_poisson mlp_burgers function_lbfgs mnist_mlp weather digits_logic

check_mistake() { gtrain check "tests/cli/mistakes/$1.yaml"; }
for file in "$root"/tests/cli/mistakes/*.yaml; do
  file=${file##*/}
  cases check_mistake "${file%.yaml}"
done
