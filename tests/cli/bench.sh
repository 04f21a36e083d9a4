#!/usr/bin/env bash
# gtrain bench: its table as text and as JSON, its comparison with an earlier result, and the profile of a step.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"
tmp=$TEST_TMP

bench=("$GTRAIN" bench --device "$DEVICE" --row-ms 40)
exits 0 "the table as JSON" "${bench[@]}" --json --quiet
printf '%s\n' "$out" > "$tmp/now.json"
check "one object" grep -q '^{"version":"[0-9.]*","devices":{.*},"rows":\[.*\]}$' "$tmp/now.json"
check "the CPU is among the devices" grep -q '"cpu":"' "$tmp/now.json"
sed 's/.*"rows"://' "$tmp/now.json" | tr '{' '\n' | grep '"name"' > "$tmp/rows"
for row in "product 512, fp32" "product 8192, fp32" "copy, " "2x + 1, " "gelu, " "dispatch, " "dispatch and barrier, " \
  "submit " "MLP 784-512-256-10 step, batch 128\"" "MLP 784-512-256-10 step, batch 8192\""; do
  check "a row of '$row'" grep -qF "\"name\":\"$row" "$tmp/rows"
done
check "each has figures, or a word why not" \
  test "$(grep -cvE '"unit":"[^"]+",("skipped":"[^"]+"|"median":[-0-9.e+]+,"min":[-0-9.e+]+,"max":[-0-9.e+]+)' "$tmp/rows")" = 0

# An earlier result in which one row is a thousand times faster and another row is missing.
figures='"median":[^,]*,"min":[^,]*,"max":[^}]*'
sed -E "s/(product 512, fp32\",\"unit\":\"GFLOP.s\",)$figures/\1\"median\":1e9,\"min\":1e9,\"max\":1e9/
  s/(\"copy, [^\"]*\",\"unit\":\"GB.s\",)$figures/\1\"skipped\":\"too large\"/g" "$tmp/now.json" > "$tmp/before.json"
exits 0 "a comparison" "${bench[@]}" --quiet --compare "$tmp/before.json"
says "the version" "gtrain "
says "Markdown" "|--"
says "its ratios" "speedup"
says "what it is compared with" "Compared with $tmp/before.json: gtrain "
check "a loss beyond the spread is marked" grep -q '^| product 512.* 0\.000 \*' <<< "$out"
check "no ratio without figures" test "$(grep '^| copy' <<< "$out" | grep -c '[0-9] [ *] |$')" = 0
exits 0 "a comparison as JSON" "${bench[@]}" --quiet --json --compare "$tmp/before.json"
says "its ratio" '"outside":true'
exits 2 "no time at all" "$GTRAIN" bench --row-ms 0
exits 74 "a file that is not there" "$GTRAIN" bench --compare "$tmp/none.json"
echo '{"rows": 3}' > "$tmp/other.json"
exits 65 "a file of something else" "$GTRAIN" bench --compare "$tmp/other.json"
echo '{"rows": [' > "$tmp/cut.json"
exits 65 "a file that is cut off" "$GTRAIN" bench --compare "$tmp/cut.json"
exits 2 "a comparison of something else" "$GTRAIN" bench gemm --compare "$tmp/before.json"
exits 2 "an unknown kind" "$GTRAIN" bench trian configs/xor.yaml
says "the nearest kind" "did you mean 'train'"

exits 0 "an evaluation of an optimizer that searches" \
  "$GTRAIN" bench train configs/function_lbfgs.yaml --device "$DEVICE" --steps 2
exits 0 "a profile" "$GTRAIN" bench train configs/xor.yaml --device "$DEVICE" --steps 5 --profile
says "shares of a floor" "bound by"
says "its ceilings" "ceilings        products "
exits 0 "a profile as JSON" "$GTRAIN" bench train configs/xor.yaml --device "$DEVICE" --steps 5 --profile --json
for key in floor_us floor_by ceilings gflops_per_s gb_per_s launch_us making longest; do
  says "its $key" "\"$key\":"
done
finish
