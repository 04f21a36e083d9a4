#!/usr/bin/env bash
# What gtrain says about a config or a command line with one word that is another program's, or in the wrong place. Each
# row of tests/cli/hints/rows.txt has the wrong line, a text of the error and, if the advice is to write something, the
# line that follows it, which must be accepted. A suggestion that the row does not name is harmful.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"
rows=$PWD/tests/cli/hints/rows.txt
cd "$TEST_TMP" || exit 1

printf '%s\n' age,city,price,label 20,Rome,1.5,yes 30,Oslo,2.5,no 40,Rome,3.5,yes 50,Oslo,4.25,no \
  60,Rome,1.25,no 70,Oslo,2.75,yes 80,Rome,8.5,no 90,Oslo,9.5,yes > t.csv
printf 'text,label\n' > words.csv
for word in day food trip car; do printf 'good %s,yes\nbad %s,no\n' $word $word; done >> words.csv
printf 'price,label\n\x8020,yes\n30,no\n' > w1252.csv
printf 'city,label\nK\x81ln,yes\nUlm,no\n' > dos.csv
printf 'PAR1' > t.parquet
cat > table.yaml << 'YAML'
data: {train: t.csv, target: label, test_fraction: 0.25}
model: [{linear: 8}, relu, {linear: 2}]
train: {epochs: 2}
YAML
cat > price.yaml << 'YAML'
data: {train: t.csv, target: price, test_fraction: 0.25}
model: [{linear: 8}, relu, {linear: 1}]
train: {epochs: 2}
YAML
cat > pixels.yaml << 'YAML'
data: {inputs: [[0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1], [0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1]], targets: [0, 1], shape: [4, 4, 1]}
model: [{conv2d: {out_channels: 2, kernel_size: 3}}, relu, flatten, {linear: 2}]
train: {epochs: 2}
YAML
cat > words.yaml << 'YAML'
data: {format: text, train: words.csv, text: {column: text, length: 8}, target: label}
model: [{embedding: {num_embeddings: 64, embedding_dim: 4}}, {sequence_pool: mean}, {linear: 2}]
train: {epochs: 1}
YAML
cat > equation.yaml << 'YAML'
data: {format: function, formula: x0, range: [[-1, 1]], samples: 20, test_samples: 10}
model: [{linear: 8}, tanh, {linear: 1}]
loss: {type: pde, residual: "u_xx + 1", conditions: [{at: {x: 0}, residual: u}]}
train: {epochs: 1}
YAML
exits 0 "a model of a table" "$GTRAIN" train table.yaml --device cpu --quiet --run-dir run
exits 0 "a model of prices" "$GTRAIN" train price.yaml --device cpu --quiet --run-dir price
exits 0 "a model of texts" "$GTRAIN" train words.yaml --device cpu --quiet --run-dir words

# apply LINE: runs gtrain with the command line, or on the base config with this line. The output is in $out.
apply() {
  local line=$1 key
  if [[ $line == '$ '* ]]; then
    read -ra words <<< "${line:2}"
    out=$("$GTRAIN" "${words[@]}" 2>&1 < /dev/null)
    return
  fi
  if [[ $line == [a-z]*' + '* ]]; then
    key=${line%% + *}
    sed "/^$key: /{s/}\$//;s|\$|, |}" "$base.yaml" | awk -v key="$key:" -v added="${line#* + }}" \
      '{ print index($0, key) == 1 ? $0 added : $0 }' > x.yaml
  else
    key=${line%%:*}
    { grep -v "^$key:" "$base.yaml"; echo "$line"; } > x.yaml
  fi
  out=$("$GTRAIN" check x.yaml 2>&1)
}

count=0 harmful=0
while IFS= read -r row; do
  [[ $row == '['* ]] && base=${row:1:-1}
  [[ $row == *' => '* && $row != '#'* ]] || continue
  wrong=${row%% => *} rest=${row#* => }
  text=${rest%% => *} right=
  [[ $rest == *' => '* ]] && right=${rest#* => }
  count=$((count + 1))
  problem=
  code=0
  apply "$wrong" || code=$?
  ((code == 2 || code == 65 || code == 66 || code == 74 || code == 78)) || problem="exit code $code"
  [[ $out == *"$text"* ]] || problem="no '$text' in: $out"
  while IFS= read -r suggestion; do
    [[ "$text $right" == *"$suggestion"* ]] || problem="suggests '$suggestion'"
  done < <(grep -oP "did you mean '\K.*(?='\?)" <<< "$out")
  [[ -z $problem ]] || harmful=$((harmful + 1))
  if [[ -z $problem && -n $right ]]; then
    apply "$right" || problem="the advice is refused: $right: $out"
  fi
  if [[ -z $problem ]]; then pass "$base: $wrong"; else fail "$base: $wrong: $problem"; fi
done < "$rows"
base=table
apply "data + split: random, series: {window: 2}" || true
check "one error for a split that a series cannot have" test "$(grep -c "error:" <<< "$out")" = 1
base=equation
apply "model: [{linear: 8}, tanh, {linear: 2}]" || true
check "the outputs of an equation are no classes" test "$(grep -c "expected 1 value" <<< "$out"):$(grep -c classif <<< "$out")" = 1:0
check "$count rows" test "$count" -ge 200
check "$harmful without the right hint" test $((harmful * 100)) -le "$count"
finish
