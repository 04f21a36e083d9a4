#!/usr/bin/env bash
# Time series from training to forecasts: streamed and resident data give the same bytes, a resumed run ends with the
# same bytes, skill and naive errors equal those of an independent calculation, and forecasts have the errors that eval
# reports.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"
command -v python3 > /dev/null || { echo "needs python3"; exit 77; }

# Two series, a and b, of 150 alternating rows each, with a category, and a gap of 5 time steps in b before its row 60.
awk 'BEGIN {
  print "t,place,kind,x,y"
  for (i = 0; i < 150; i++) for (g = 0; g < 2; g++)
    printf "%d,%s,%s,%.3f,%.3f\n", i + (g && i >= 60 ? 5 : 0), g ? "b" : "a", substr("pqr", 1 + (i * 7 + g) % 3, 1),
      sin(i / 3 + g), 10 + 5 * sin((i - 1) / 3 + g) + (i * 37 + g * 11) % 10 / 10
}' > "$TEST_TMP/rows.csv"
cat > "$TEST_TMP/series.yaml" << YAML
seed: 2
data:
  train: $TEST_TMP/rows.csv
  series: {window: 8, horizon: 3, time: t, group: place, season: 6}
  inputs: [kind, x, y]
  future: [kind]
  target: [y]
  columns: {x: {missing: error}}
  validation: 0.2
  test_fraction: 0.2
model:
  - flatten: {from: past, name: a}
  - flatten: {from: future, name: b}
  - concatenate: {from: [a, b]}
  - linear: 16
  - silu
  - dropout: 0.1
  - linear: 3
loss: mse
optimizer: {type: adam, lr: 5e-3}
train: {steps: 60, batch_size: 8, eval_batch_size: 8, eval_every: 20, checkpoint: {every: 1, keep_last: 3}}
YAML
train() { "$GTRAIN" train "$TEST_TMP/series.yaml" --device "$DEVICE" --run-dir "$TEST_TMP/$1" "${@:2}"; }
same() { cmp "$TEST_TMP/$1/model.bin" "$TEST_TMP/$2/model.bin" && cmp "$TEST_TMP/$1/metrics.jsonl" "$TEST_TMP/$2/metrics.jsonl"; }

exits 0 "a series trains" train whole
says "… its windows are counted" "2 series; windows of 8 rows, then 3 to predict: 150 training, 40 validation, 40 test"
says "… the gap is named, with its line" "1 gap in time, the first before line 123; windows never span a gap"
says "… and the windows that it costs" "these gaps remove 10 of 2"
check "… lines of progress have no values of single steps" test -z "$(grep 'mae\.y' <<< "$out")"
says "… the naive forecasts come before the first step" "naive forecasts: mae "
limit=$(train small --memory-limit 1K 2>&1 | sed -n 's/.*but at least \([0-9.]*\) KiB.*/\1/p')
exits 0 "with the least memory" train streamed --memory-limit "${limit}K"
says "… it streams" ") streams through"
check "… to the same bytes" same whole streamed
goes_on whole metrics.jsonl

exits 0 "the columns are ranked" "$GTRAIN" explain "$TEST_TMP/whole" --device "$DEVICE" --quiet
says "… on as many samples as eval has" "test samples 40 loss"

# Skill and naive errors, calculated from the file in Python.
exits 0 "eval" "$GTRAIN" eval "$TEST_TMP/whole" --device "$DEVICE" --json --quiet
check "skill and the naive errors are right" python3 - "$TEST_TMP/rows.csv" "$out" << 'PY'
import csv, json, sys
result, series = json.loads(sys.argv[2]), {}
for row in csv.DictReader(open(sys.argv[1])):
    series.setdefault(row["place"], []).append(float(row["y"]))
last, season = [], []
for y in series.values():
    y = y[-30:]
    for i in range(8, len(y) - 2):
        last += [abs(y[i + k] - y[i - 1]) for k in range(3)]
        season += [abs(y[i + k] - y[i + k - 6]) for k in range(3)]
naive = min(sum(last), sum(season)) / len(last)
assert result["samples"] == len(last) / 3 == 40, result
assert abs(result["baseline"]["value"] - naive) < 1e-5, (result["baseline"], naive)
assert result["baseline"]["guess"] == ("the last value" if sum(last) < sum(season) else "the value 6 rows before")
assert abs(result["skill"] - (1 - result["mae"] / naive)) < 1e-5, result
PY

# Metrics for two columns, 3 steps ahead. The model always predicts 0, so that its errors are the values in the file.
awk 'BEGIN { print "t,a,b"; for (i = 0; i < 90; i++) printf "%d,%.3f,%.3f\n", i, 3 + (i * 29) % 17 / 5, 20 + (i * 13) % 11 }' \
  > "$TEST_TMP/two.csv"
cat > "$TEST_TMP/zero.yaml" << YAML
data: {train: $TEST_TMP/two.csv, series: {window: 2, horizon: 3, time: t}, target: [a, b], test_fraction: 0.4, normalize_targets: none}
model: [flatten, {linear: {units: 6, init: zeros, bias: false}}]
optimizer: {type: sgd, lr: 1.0e-30}
metrics: [mae, rmse, r2, median_error]
train: {steps: 1}
YAML
"$GTRAIN" train "$TEST_TMP/zero.yaml" --device "$DEVICE" --run-dir "$TEST_TMP/zero" > "$TEST_TMP/log" 2>&1 || cat "$TEST_TMP/log"
exits 0 "eval of two columns" "$GTRAIN" eval "$TEST_TMP/zero" --device "$DEVICE" --json --quiet
check "a metric of a column is over all its steps, the total is the mean of the columns" python3 - "$TEST_TMP/two.csv" "$out" << 'PY'
import csv, json, statistics, sys
result, rows = json.loads(sys.argv[2]), list(csv.DictReader(open(sys.argv[1])))[-36:]
total = {name: 0 for name in ("mae", "rmse", "r2", "median_error", "skill")}
for column in "ab":
    y = [float(row[column]) for row in rows]
    starts = range(2, len(y) - 2)
    all_steps = [y[i + k] for i in starts for k in range(3)]
    mean, naive = statistics.mean(all_steps), statistics.mean(abs(y[i + k] - y[i - 1]) for i in starts for k in range(3))
    square = statistics.mean(v * v for v in all_steps)
    mae = statistics.mean(map(abs, all_steps))
    expected = {"mae": mae, "rmse": square ** 0.5, "r2": 1 - square / statistics.mean((v - mean) ** 2 for v in all_steps),
                "median_error": statistics.median(map(abs, all_steps)), "skill": 1 - mae / naive}
    for name, value in expected.items():
        got = result[f"{name}.{column}"]
        assert abs(got - value) < 1e-5 * max(1, abs(value)), (name, column, got, value)
        total[name] += value / 2
    step = statistics.mean(y[i + 1] ** 2 for i in starts) ** 0.5
    assert abs(result[f"rmse.{column}+2"] - step) < 1e-4, (column, step, result)
for name, value in total.items():
    assert abs(result[name] - value) < 1e-5 * max(1, abs(value)), (name, result[name], value)
PY

exits 0 "… as text" "$GTRAIN" eval "$TEST_TMP/zero" --device "$DEVICE" --quiet
check "… without a mean of errors in different units" test -z "$(grep -oE ' (mae|rmse|median_error) [0-9]' <<< "$out")"
says "… but with those of the columns" " mae.a "
check "naive errors are those of the columns, too" grep -qE 'naive forecasts: mae.a [0-9.]+, mae.b [0-9.]+ with the last value' "$TEST_TMP/log"
exits 0 "gates on a column and on a step" "$GTRAIN" eval "$TEST_TMP/zero" --device "$DEVICE" --fail-if 'mae.b<1' --fail-if 'rmse.a+2>99'
exits 1 "… that fail" "$GTRAIN" eval "$TEST_TMP/zero" --device "$DEVICE" --fail-if 'rmse.a+2 > 0.1'
says "…" "rmse.a+2 is "
exits 2 "… of no column" "$GTRAIN" eval "$TEST_TMP/zero" --device "$DEVICE" --fail-if 'mae.c<1'
says "…" "'mae.c' names no column of the targets; there are a, b, a+1, b+1, a+2, b+2, a+3, b+3"

watches() {
  "$GTRAIN" train "$TEST_TMP/zero.yaml" --device "$DEVICE" --run-dir "$TEST_TMP/watches-$1" --set data.validation=0.2 \
    --set "train.early_stopping={metric: $1, patience: 1}"
}
for metric in mae.b rmse.a+2; do
  exits 0 "early stopping watches $metric" watches $metric
  says "…" " validation $metric "
done
exits 78 "… no column" watches mae.c
says "…" "metric 'mae.c' is not available: it names no column of the targets; there are a, b, a+1"
exits 78 "… no metric" watches mea.b
says "…" "'metric' in 'train.early_stopping' cannot be 'mea.b'"

# Columns of arrays are named by numbers, in eval as in forecasts.
python3 - "$TEST_TMP/xy.npy" "$TEST_TMP/short.npy" << 'PY'
import struct, sys
for path, rows in ((sys.argv[1], 60), (sys.argv[2], 3)):
    head = b"{'descr': '<f4', 'fortran_order': False, 'shape': (%d, 2), }" % rows
    head += b" " * (117 - len(head)) + b"\n"
    values = struct.pack("<%df" % (2 * rows), *(i % 7 / 5 for i in range(2 * rows)))
    open(path, "wb").write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + values)
PY
exits 0 "a series of arrays" "$GTRAIN" train "$TEST_TMP/zero.yaml" --device "$DEVICE" --run-dir "$TEST_TMP/arrays" --quiet \
  --set "data={train: {inputs: $TEST_TMP/xy.npy, targets: $TEST_TMP/xy.npy}, series: {window: 2, horizon: 3}, test_fraction: 0.4}"
exits 0 "… is measured" "$GTRAIN" eval "$TEST_TMP/arrays" --device "$DEVICE"  --fail-if 'mae.target1+2<0'
says "… by column" " mae.target0 "
says "… and by step" " mae.target0+1 "
both="{inputs: {past: $TEST_TMP/xy.npy, future: $TEST_TMP/xy.npy}, targets: $TEST_TMP/xy.npy}"
exits 0 "arrays with rows ahead" "$GTRAIN" train "$TEST_TMP/zero.yaml" --device "$DEVICE" --run-dir "$TEST_TMP/ahead" --quiet \
  --set "data={train: $both, series: {window: 2, horizon: 3}}" --set 'model=[{flatten: {from: past}}, {linear: 6}]' --set 'quiet=[unused]'
exits 0 "… are forecast from files of the same rows" "$GTRAIN" predict "$TEST_TMP/ahead" --device "$DEVICE" \
  --input "past=$TEST_TMP/xy.npy" --input "future=$TEST_TMP/xy.npy"
exits 65 "… not of other rows" "$GTRAIN" predict "$TEST_TMP/ahead" --device "$DEVICE" \
  --input "past=$TEST_TMP/xy.npy" --input "future=$TEST_TMP/short.npy"
says "…" "the files need the same number of rows, and end with the rows ahead"

# A forecast for the last rows has the error that eval reports for them.
{ head -n 1 "$TEST_TMP/rows.csv"; grep ,a, "$TEST_TMP/rows.csv" | tail -n 11; } > "$TEST_TMP/end.csv"
exits 0 "eval of 11 other rows" "$GTRAIN" eval "$TEST_TMP/whole" --data "$TEST_TMP/end.csv" --device "$DEVICE" --json --quiet
mae=$(sed 's/.*"mae":\([^,]*\).*/\1/' <<< "$out")
{ head -n 9 "$TEST_TMP/end.csv"; tail -n 3 "$TEST_TMP/end.csv" | sed 's/[^,]*,[^,]*$/,/'; } > "$TEST_TMP/now.csv"
exits 0 "a forecast, with empty cells in the rows ahead" "$GTRAIN" predict "$TEST_TMP/whole" "$TEST_TMP/now.csv" \
  --device "$DEVICE" --quiet --output "$TEST_TMP/forecast.csv"
check "… names group, time and step" diff <(cut -d, -f1-3 "$TEST_TMP/forecast.csv") \
  <(printf 'place,t,step\na,147,1\na,148,2\na,149,3\n')
check "… and errs as eval says, $mae" awk -F, -v mae="$mae" 'NR == FNR { if (FNR > 9) y[FNR - 9] = $5; next }
  FNR > 1 { d = $4 - y[FNR - 1]; sum += d < 0 ? -d : d } END { d = sum / 3 - mae; exit !(d < 1e-4 && d > -1e-4) }' \
  "$TEST_TMP/end.csv" "$TEST_TMP/forecast.csv"
exits 0 "as JSON" "$GTRAIN" predict "$TEST_TMP/whole" "$TEST_TMP/now.csv" --device "$DEVICE" --quiet --json
says "… an object for each group" '{"group":"a","forecast":[{"time":"147","step":1,"y":'
exits 0 "a forecast of rows with empty targets" "$GTRAIN" predict "$TEST_TMP/whole" "$TEST_TMP/now.csv" --device "$DEVICE"
check "… needs no comment" test "${out/already have values/}" = "$out"
exits 0 "a forecast of known rows, in two groups" "$GTRAIN" predict "$TEST_TMP/whole" "$TEST_TMP/rows.csv" --device "$DEVICE"
says "… is told once" "rows.csv: the rows to be forecast, the last 3 of each group, already have values of 'y'; append rows with the columns of 'future' to forecast beyond the end"
check "…" test "$(grep -c 'already have values' <<< "$out")" = 1
sed '$s/[^,]*$//' "$TEST_TMP/end.csv" > "$TEST_TMP/part.csv"
exits 0 "a forecast of some known rows" "$GTRAIN" predict "$TEST_TMP/whole" "$TEST_TMP/part.csv" --device "$DEVICE"
says "… is told, too" "some rows to be forecast, the last 3 of each group, already have values of 'y'"
{ cat "$TEST_TMP/now.csv"; sed '1d; s/,a,/,b,/' "$TEST_TMP/end.csv"; } > "$TEST_TMP/both.csv"
exits 0 "a forecast of known rows in one of two groups" "$GTRAIN" predict "$TEST_TMP/whole" "$TEST_TMP/both.csv" --device "$DEVICE"
says "… names it" "already have values of 'y' (first in 'b')"

# refuses TEXT FILE: a forecast from FILE is an error with this text.
refuses() {
  exits 65 "no forecast: $1" "$GTRAIN" predict "$TEST_TMP/whole" "$2" --device "$DEVICE"
  says "…" "$1"
}
sed '5d' "$TEST_TMP/now.csv" > "$TEST_TMP/gap.csv"
refuses "expected at least 11 rows, a window of 8 and 3 ahead with the columns of 'future', but found 10" "$TEST_TMP/gap.csv"
{ head -n 1 "$TEST_TMP/end.csv"; echo '138,a,p,1,1'; sed '1d; 5d' "$TEST_TMP/now.csv"; } > "$TEST_TMP/gap.csv"
refuses "gap.csv:6:1: cannot forecast: there is a gap in time before this line, inside the last window" "$TEST_TMP/gap.csv"
# If only some groups have no forecast, those of the others are written, and the exit code says that some are missing.
{ cat "$TEST_TMP/now.csv"; sed '1d; 5d; s/,a,/,b,/' "$TEST_TMP/now.csv"; } > "$TEST_TMP/some.csv"
exits 65 "one of two groups without a forecast" "$GTRAIN" predict "$TEST_TMP/whole" "$TEST_TMP/some.csv" --device "$DEVICE" \
  --output "$TEST_TMP/some-out.csv"
says "… is named" "cannot forecast 'b': expected at least 11 rows"
says "… and counted" "error: 1 of 2 groups has no forecast"
check "… while the other one is forecast" cmp "$TEST_TMP/forecast.csv" "$TEST_TMP/some-out.csv"
exits 65 "… as JSON, too" "$GTRAIN" predict "$TEST_TMP/whole" "$TEST_TMP/some.csv" --device "$DEVICE" --json
says "… with the other one" '{"group":"a","forecast":[{"time":"147","step":1,"y":'
sed '4s/[^,]*$//' "$TEST_TMP/now.csv" > "$TEST_TMP/lacks.csv"
sed '4s/,[^,]*,\([^,]*\)$/,,\1/' "$TEST_TMP/now.csv" > "$TEST_TMP/refused.csv"
refuses "refused.csv:4:1: cannot forecast: 'x' is missing in this line, inside the last window" "$TEST_TMP/refused.csv"
exits 0 "a gap in the window is filled" "$GTRAIN" predict "$TEST_TMP/whole" "$TEST_TMP/lacks.csv" --device "$DEVICE"
says "… which is said; the rows ahead have no gaps" "a column that had none in training are filled with the median or the most frequent value of the training rows: 'y' in 1 of"
sed '11s/,[pqr],/,,/' "$TEST_TMP/now.csv" > "$TEST_TMP/lacks.csv"
exits 0 "a gap ahead is filled" "$GTRAIN" predict "$TEST_TMP/whole" "$TEST_TMP/lacks.csv" --device "$DEVICE"
says "… which is said, too" "'kind' in 1 of"
# With `missing: drop`, no training window contains a row without a value, so a forecast must not read such a row
# either.
sed '31s/[^,]*$//; 32s/[^,]*$//' "$TEST_TMP/rows.csv" > "$TEST_TMP/holes.csv"
sed '4s/[^,]*$//' "$TEST_TMP/now.csv" > "$TEST_TMP/lacks.csv"
exits 0 "missing: drop" train drop --set "data.train=$TEST_TMP/holes.csv" --set 'data.columns={y: {missing: drop}}' --quiet
exits 65 "… without a forecast from such a row" "$GTRAIN" predict "$TEST_TMP/drop" "$TEST_TMP/lacks.csv" --device "$DEVICE"
says "…" "lacks.csv:4:1: cannot forecast: 'y' is missing in this line, inside the last window"
exits 0 "… while the rows ahead may lack it" "$GTRAIN" predict "$TEST_TMP/drop" "$TEST_TMP/now.csv" --device "$DEVICE"
cut -d, -f2- "$TEST_TMP/now.csv" > "$TEST_TMP/timeless.csv"
refuses "there is no column 't', the time of the series" "$TEST_TMP/timeless.csv"
exits 2 "--id needs rows" "$GTRAIN" predict "$TEST_TMP/whole" "$TEST_TMP/now.csv" --id t

# A boolean target is forecast as a word.
awk -F, 'NR == 1 { print $0 ",high" } NR > 1 { print $0 "," (NR == 7 ? "unknown" : $5 > 11 ? "yes" : "no") }' "$TEST_TMP/rows.csv" > "$TEST_TMP/high.csv"
high() {
  "$GTRAIN" train "$TEST_TMP/series.yaml" --device "$DEVICE" --run-dir "$TEST_TMP/high" --set loss=bce --set data.target=high \
    --set "data.train=$TEST_TMP/high.csv" --set 'data.missing_values=[unknown]' --set eval.threshold=auto "$@"
}
exits 65 "a missing boolean" high
says "… is an error at its place" "high.csv:7:"
exits 0 "… or left out" high --set 'data.columns={high: {missing: drop}}'
says "each step has a threshold" " of 'high+2' (largest "
exits 0 "forecasts words" "$GTRAIN" predict "$TEST_TMP/high" "$TEST_TMP/now.csv" --device "$DEVICE" -o "$TEST_TMP/words.csv"
check "… and their probabilities" test "$(head -n 1 "$TEST_TMP/words.csv")" = "place,t,step,high,high=yes"
exits 0 "… as eval knows the thresholds" "$GTRAIN" eval "$TEST_TMP/high" --device "$DEVICE" --json --quiet
limits=$(sed 's/.*"threshold":\[\([^]]*\)\].*/\1/' <<< "$out")
check "… decided by them" awk -F, -v limits="$limits" 'BEGIN { split(limits, limit, ",") }
  NR > 1 { n++; if ($4 != ($5 > limit[$3] ? "yes" : "no")) bad = 1 } END { exit bad || n != 3 }' "$TEST_TMP/words.csv"
exits 0 "… as JSON" "$GTRAIN" predict "$TEST_TMP/high" "$TEST_TMP/now.csv" --device "$DEVICE" --json
check "… with the word and its probability" grep -qE '"step":1,"high":"(yes|no)","high=yes":0\.' <<< "$out"

# Forecasts of classes have the same rows as forecasts of numbers.
cat > "$TEST_TMP/kinds.yaml" << YAML
data: {train: $TEST_TMP/rows.csv, series: {window: 8, horizon: 2, time: t, group: place}, inputs: [x, kind], target: kind}
model: [flatten, {linear: 6}, {reshape: [2, 3]}]
loss: cross_entropy
train: {epochs: 2}
YAML
# kinds NAME OPTION…: trains a model and writes its forecast.
kinds() {
  "$GTRAIN" train "$TEST_TMP/kinds.yaml" --device "$DEVICE" --run-dir "$TEST_TMP/$1" --quiet "${@:2}" &&
    "$GTRAIN" predict "$TEST_TMP/$1" "$TEST_TMP/rows.csv" --device "$DEVICE" -o "$TEST_TMP/kinds.csv"
}
# decides: true if each row's class is the most probable one.
decides() {
  awk -F, 'NR > 1 { best = $5 >= $6 && $5 >= $7 ? "p" : $6 >= $7 ? "q" : "r"; sum = $5 + $6 + $7
    if ($4 != best || sum < 0.9999 || sum > 1.0001) bad = 1 } END { exit bad }' "$TEST_TMP/kinds.csv"
}
exits 0 "classes are forecast" kinds kinds
check "… with group, time and step" diff <(cut -d, -f1-3 "$TEST_TMP/kinds.csv") \
  <(printf 'place,t,step\na,150,1\na,151,2\nb,155,1\nb,156,2\n')
check "… the class and the probability of each" test "$(head -n 1 "$TEST_TMP/kinds.csv" | cut -d, -f4-)" = "kind,kind=p,kind=q,kind=r"
check "… which decide" decides
exits 0 "… as JSON" "$GTRAIN" predict "$TEST_TMP/kinds" "$TEST_TMP/rows.csv" --device "$DEVICE" --json
check "…" grep -qE '^\{"group":"b","forecast":\[\{"time":"155","step":1,"kind":"[pqr]","kind=p":0\.[^}]*\},\{"time":"156","step":2,"kind":' <<< "$out"
exits 0 "… as text" "$GTRAIN" predict "$TEST_TMP/kinds" "$TEST_TMP/rows.csv" --device "$DEVICE"
check "…" grep -qE '^b 156 \+2 [pqr] 0\.[0-9]{4}$' <<< "$out"
# The naive forecasts of classes, calculated from the file: the last label, and the label one season before.
exits 0 "… with their naive forecasts" "$GTRAIN" check "$TEST_TMP/kinds.yaml" --set data.series.season=3
check "… whose accuracy is right" python3 - "$TEST_TMP/rows.csv" "$out" << 'PY'
import csv, re, sys
stretches, before = [], None
for r in sorted(csv.DictReader(open(sys.argv[1])), key=lambda r: (r["place"], float(r["t"]))):
    if before is None or r["place"] != before["place"] or float(r["t"]) != float(before["t"]) + 1:
        stretches.append([])
    stretches[-1].append(r["kind"])
    before = r
places = [(s, first, first + k) for s in stretches for first in range(8, len(s) - 1) for k in range(2)]
last = sum(s[at] == s[first - 1] for s, first, at in places) / len(places)
season = sum(s[at] == s[at - 3] for s, first, at in places) / len(places)
found = re.search(r"naive +accuracy ([0-9.]+) with the last value, ([0-9.]+) with the value 3 rows before", sys.argv[2])
assert abs(float(found[1]) - last) < 1e-4 and abs(float(found[2]) - season) < 1e-4, (found[0], last, season)
PY
exits 78 "… in one row" kinds flat --set 'model=[flatten, {linear: 6}]'
says "… which need an axis of steps" "expected [batch, 2, 3], scores of 3 classes at 2 steps: a last linear: 6, then reshape: [2, 3]"
exits 78 "a horizon unlike the last layer" train six --set data.series.horizon=6
says "…" "expected 6 values per sample: 6 steps (data.series.horizon) of 1 target"
exits 78 "a key of no name nearby" train key --set data.series.lead=6
says "… is answered with all" "expected one of: window, horizon, stride, time, group, season, gaps"
exits 78 "a layer of steps after flatten" train flat --set 'model=[{flatten: {from: past, name: a}}, {lstm: 4}, {linear: 3}]'
says "…" '`return: sequence` in a recurrent layer before it, no flatten of a sequence'
# If the time column, here of months, is also an input, its type is date; as another column, it needs `type: date`.
(echo month,y; for y in 20{01..15}; do for m in {01..12}; do echo "$y-$m,$((10#$m))"; done; done) > "$TEST_TMP/months.csv"
printf 'data: {train: %s, series: {window: 4, time: month}, inputs: [month, y], target: y}\nmodel: [flatten, {linear: 1}]\n' \
  "$TEST_TMP/months.csv" > "$TEST_TMP/months.yaml"
exits 0 "months as time and input" "$GTRAIN" check "$TEST_TMP/months.yaml"
check "… are dates" grep -qE '^  month +date ' <<< "$out"
exits 65 "months that are no time" "$GTRAIN" check "$TEST_TMP/months.yaml" --set data.series=4
says "… are free text that can be dates" "fix it with data: {columns: {month: date}}"
(echo day,y; for d in {01..28}; do [ $((10#$d % 7)) -gt 4 ] || echo "2024-02-$d,$d"; done) > "$TEST_TMP/days.csv"
exits 78 "trading days" "$GTRAIN" check "$TEST_TMP/months.yaml" --set "data.train=$TEST_TMP/days.csv" --set data.series.time=day --set data.inputs=y --set data.series.window=6
says "… whose gaps end a stretch" "the first of 4 before line 6; if rows beside them are neighbors, as for trading days: series: {gaps: ignore}"
exits 78 "a rule for a time that is no input" "$GTRAIN" check "$TEST_TMP/months.yaml" --set data.inputs=y --set data.columns.month=date
says "…" "column 'month' is the time of the series, and 'columns' describes inputs"
exits 0 "… of one step" kinds kind --set data.series.horizon=1 --set 'model=[flatten, {linear: 3}]'
check "… with group, time and step" diff <(cut -d, -f1-3 "$TEST_TMP/kinds.csv") <(printf 'place,t,step\na,150,1\nb,155,1\n')
check "… which decide" decides
awk -F, 'NR == 1 { print $0 ",high,low" } NR > 1 { print $0 "," ($5 > 11 ? "yes" : "no") "," ($5 < 8 ? "true" : "false") }' \
  "$TEST_TMP/rows.csv" > "$TEST_TMP/two.csv"
exits 0 "two booleans are forecast" kinds two --set "data.train=$TEST_TMP/two.csv" --set 'data.target=[high, low]' \
  --set 'model=[flatten, {linear: 4}]' --set loss=bce
check "… with a word and a probability each" diff <(sed -E 's/0\.[0-9]+|[0-9.]+e-[0-9]+/P/g; s/yes,|no,/W,/; s/true,|false,/W,/' "$TEST_TMP/kinds.csv" | tail -n 4) \
  <(printf '%s,W,W,P,P\n' a,150,1 a,151,2 b,155,1 b,156,2)
check "… by name" test "$(head -n 1 "$TEST_TMP/kinds.csv")" = "place,t,step,high,low,high=yes,low=true"

exits 65 "a class beside a number" kinds kinds_x --set 'data.target=[x, kind]' --set loss=mse
says "… learns that a series has classes of one column" "if its texts are classes, make it the only target: a series predicts classes of one column"

# In a series, whole numbers are quantities, not classes.
awk 'BEGIN { print "x,n"; for (i = 0; i < 40; i++) print i % 7 "," i % 3 }' > "$TEST_TMP/counts.csv"
echo "{data: {train: $TEST_TMP/counts.csv, series: {window: 4, horizon: 2}, target: n}, model: [flatten, {linear: 2}]}" > "$TEST_TMP/counts.yaml"
exits 0 "a series of counts" "$GTRAIN" check "$TEST_TMP/counts.yaml"
says "… is a forecast of numbers, which is said" "forecast of 'n', 2 rows ahead (inferred: whole numbers of a series are quantities, not classes; set data.task to change it)"
exits 0 "… also with a loss" "$GTRAIN" check "$TEST_TMP/counts.yaml" --set loss=mae
exits 78 "… a model for classes" "$GTRAIN" check "$TEST_TMP/counts.yaml" --set 'model=[flatten, {linear: 6}]'
says "… learns how" "help: data: {task: classification}, if the targets are classes"
exits 0 "… which works" "$GTRAIN" check "$TEST_TMP/counts.yaml" --set 'model=[flatten, {linear: 6}, {reshape: [2, 3]}]' --set data.task=classification

# Time steps of months are calendar steps, not a fixed number of days.
python3 - "$TEST_TMP" << 'PY'
import calendar, sys
def write(name, date):
    with open(f"{sys.argv[1]}/{name}.csv", "w") as f:
        f.write("t,y\n" + "".join(f"{date(i)},{i % 5}.5\n" for i in range(26)))
def month(i, each, end=False):
    year, m = 2014 + i * each // 12, 1 + i * each % 12
    return f"{year}-{m:02d}-{calendar.monthrange(year, m)[1] if end else 15:02d}"
write("months", lambda i: month(i, 1))
write("ends", lambda i: month(i, 1, True))
write("quarters", lambda i: month(i, 3, True))
write("years", lambda i: month(i, 12))
write("short", lambda i: month(i, 1)[:7])
write("noons", lambda i: month(i, 1) + " 12:00")
write("seconds", lambda i: f"2024-01-31 23:59:{30 + i:02d}")
write("unix", lambda i: f"{1732662208 + i // 10}.{i % 10}")
write("large", lambda i: f"{1732662208000 + 20 * i}")
write("tenths", lambda i: f"2024-01-31T23:59:{57 + i // 10:02d}.{i % 10}Z")
PY
echo "{data: {train: $TEST_TMP/months.csv, series: {window: 12, horizon: 3, time: t}, target: y}, model: [flatten, {linear: 3}], train: {steps: 1}}" \
  > "$TEST_TMP/months.yaml"
exits 0 "a monthly series" "$GTRAIN" train "$TEST_TMP/months.yaml" --device "$DEVICE" --run-dir "$TEST_TMP/months"
check "… has no gaps" test "${out/gap in time/}" = "$out"
# dated NAME TIMES: a forecast for the series NAME has these times.
dated() {
  "$GTRAIN" predict "$TEST_TMP/months" "$TEST_TMP/$1.csv" --device "$DEVICE" --quiet > "$TEST_TMP/dated" 2>&1
  check "the times of a forecast: $1" test "$(sed 's/ +[1-3] .*//' "$TEST_TMP/dated" | paste -sd,)" = "$2"
}
dated months 2016-03-15,2016-04-15,2016-05-15
dated ends 2016-03-31,2016-04-30,2016-05-31
dated quarters 2020-07-31,2020-10-31,2021-01-31
dated years 2040-01-15,2041-01-15,2042-01-15
dated short 2016-03,2016-04,2016-05
dated noons "2016-03-15 12:00,2016-04-15 12:00,2016-05-15 12:00"
dated seconds "2024-01-31 23:59:56,2024-01-31 23:59:57,2024-01-31 23:59:58"
dated unix 1732662210.6,1732662210.7,1732662210.8
dated large 1732662208520,1732662208540,1732662208560
dated tenths "2024-01-31 23:59:59.600,2024-01-31 23:59:59.700,2024-01-31 23:59:59.800"

# The columns of a forecast have different names.
awk 'BEGIN { print "step,time,x"; for (i = 0; i < 40; i++) print i "," i % 5 ".5," i % 3 ".5" }' > "$TEST_TMP/step.csv"
echo "{data: {train: $TEST_TMP/step.csv, series: {window: 4, time: step}, target: [time, x]}, model: [flatten, {linear: 2}], train: {steps: 1}}" \
  > "$TEST_TMP/step.yaml"
"$GTRAIN" train "$TEST_TMP/step.yaml" --device "$DEVICE" --run-dir "$TEST_TMP/step" --quiet > "$TEST_TMP/log" 2>&1 || cat "$TEST_TMP/log"
exits 0 "columns named step and time" "$GTRAIN" predict "$TEST_TMP/step" "$TEST_TMP/step.csv" --device "$DEVICE" --quiet -o "$TEST_TMP/step-out.csv"
check "… get numbers in a CSV" test "$(head -n 1 "$TEST_TMP/step-out.csv")" = "step,step.1,time.1,x"
exits 0 "… and in JSON" "$GTRAIN" predict "$TEST_TMP/step" "$TEST_TMP/step.csv" --device "$DEVICE" --quiet --json
says "…" '[{"time":"40","step":1,"time.1":'

exits 78 "another window" "$GTRAIN" eval "$TEST_TMP/whole" --device "$DEVICE" --set data.series.window=9
says "… is not the model's" "the model was trained on windows of 8 rows"
cat > "$TEST_TMP/image.yaml" << YAML
data: {train: $TEST_TMP/rows.csv, series: {window: 8, time: t, group: place}, inputs: [x, y], target: y}
augment: [random_horizontal_flip]
model: [flatten, {linear: 1}]
train: {steps: 2}
YAML
exits 78 "windows are no images" "$GTRAIN" check "$TEST_TMP/image.yaml"
says "… and not augmented" "only images can be augmented"
exits 78 "skill of a table" "$GTRAIN" check configs/csv_regression.yaml --set 'metrics=[skill]'
says "… needs a series" "metric 'skill' needs a time series (data.series) of numbers"
exits 0 "explain ranks the columns of windows" "$GTRAIN" explain "$TEST_TMP/whole" --device "$DEVICE" --quiet
says "…" "kind"
# --- more cases, found in manual tests ---
awk 'BEGIN { print "t,g,y"; for (t = 1; t <= 120; t++) { if (t != 60) print t ",b," t % 7 + 0.5; if (t != 30) print t ",a," t % 7 + 0.5 } }' > "$TEST_TMP/gap.csv"
printf '%s\n' "data: {train: $TEST_TMP/gap.csv, series: {window: 5, horizon: 2, time: t, group: g}, target: y, test_fraction: 0.2}" \
  'model: [flatten, {linear: 2}]' > "$TEST_TMP/gap.yaml"
exits 0 "gaps in two groups" "$GTRAIN" check "$TEST_TMP/gap.yaml"
says "… the first in the file is named" "2 gaps in time, the first before line 62"
exits 78 "a recurrent layer that gives all steps" "$GTRAIN" check "$TEST_TMP/gap.yaml" --set 'model=[{lstm: 8}, {linear: 2}]'
says "… and how it gives one" "return: last in the recurrent layer before it"

finish
