#!/usr/bin/env bash
# Language models: training on windows of a text, resident and streamed; generated text; errors in texts, prompts and
# options.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"

head -c 6000 datasets/tales/tales.txt > "$TEST_TMP/part.txt"
cat > "$TEST_TMP/char.yaml" << 'YAML'
data: {train: datasets/tales/tales.txt, text: {window: 12}, validation: 0.1, test_fraction: 0.05}
model:
  - embedding: {embedding_dim: 12, name: tokens}
  - pad: {before: [5, 0], after: [0, 0]}
  - conv1d: {out_channels: 24, kernel_size: 6}
  - relu
  - linear: 12
  - linear: {weight: tokens}
optimizer: {type: adamw, lr: 1.0e-2, clip_norm: 1}
metrics: [perplexity, bits_per_character]
train: {steps: 40, batch_size: 32, eval_every: 20, log_every: 1, checkpoint: {every: 16, keep_last: 8}}
YAML
train() { "$GTRAIN" train "$TEST_TMP/char.yaml" --device "$DEVICE" --run-dir "$TEST_TMP/$1" "${@:2}"; }
same() { cmp "$TEST_TMP/$1/model.bin" "$TEST_TMP/$2/model.bin" && cmp "$TEST_TMP/$1/metrics.jsonl" "$TEST_TMP/$2/metrics.jsonl"; }
value() { sed -n "s/.*\"$1\":\([^,}]*\).*/\1/p" <<< "$out"; }
about() { awk -v a="$1" -v b="$2" 'BEGIN { d = a - b; exit !(a != "" && b != "" && d * d < 1e-8 * b * b) }'; }

exits 0 "a model of characters" train whole --quiet --json
exits 0 "its evaluation" "$GTRAIN" eval "$TEST_TMP/whole" --device "$DEVICE" --json --fail-if 'bits_per_character>4' --split validation
check "… counts each token once" test "$(value items)" = 7524
check "… its perplexity is e to the loss" about "$(value perplexity)" "$(awk -v l="$(value loss)" 'BEGIN { printf "%.9g", exp(l) }')"
check "… its bits are the loss / ln 2" about "$(value bits_per_character)" "$(awk -v l="$(value loss)" 'BEGIN { printf "%.9g", l / log(2) }')"
exits 0 "its saved config trains again" "$GTRAIN" train "$TEST_TMP/whole/config.yaml" --device "$DEVICE" --run-dir "$TEST_TMP/again" --quiet --strict
check "… to the same model" cmp "$TEST_TMP/whole/model.bin" "$TEST_TMP/again/model.bin"
exits 0 "some windows of the training text" "$GTRAIN" eval "$TEST_TMP/whole" --device "$DEVICE" --json --split train --set train.eval_samples=50
check "… are 50" test "$(value items)" = 600
exits 0 "another text" "$GTRAIN" eval "$TEST_TMP/whole" --device "$DEVICE" --json --data "$TEST_TMP/part.txt"
says "… has its windows" '"split":"test","samples":499,"items":5988,'
exits 0 "predictions" "$GTRAIN" predict "$TEST_TMP/whole" "$TEST_TMP/part.txt" --device "$DEVICE" --output "$TEST_TMP/p.npy"
says "… of its windows" "500 predictions"
goes_on whole metrics.jsonl

# Streamed and resident data give the same bytes.
cat datasets/tales/tales.txt{,,,,,,,} > "$TEST_TMP/long.txt"
long() { train "$@" --set data.train="$TEST_TMP/long.txt" --set train.steps=10 --set train.eval_samples=40; }
limit=$(long refused --memory-limit 1K 2>&1 | sed -n 's/.*but at least \([0-9.]*\) \([KM]\)iB.*/\1 \2/p' |
  awk '{ printf "%.0f", $1 * ($2 == "M" ? 1048576 : 1024) + 1 }')
exits 0 "a longer text" long long --quiet
for extra in 0 8000; do
  exits 0 "… with $extra bytes more than the least" long streamed-$extra --memory-limit $((limit + extra))
  says "… streams" "streams through"
  check "… to the same bytes" same long streamed-$extra
done

# Generated text.
generate() {
  local code=0
  "$GTRAIN" generate "$TEST_TMP/whole" --device "$DEVICE" "$@" 2> "$TEST_TMP/err" || code=$?
  grep -v '^using .* a software device' "$TEST_TMP/err" >&2
  return $code
}
exits 0 "text" generate --prompt 'TALE 1.' --tokens 60 --seed 4
first=$out
says "… begins with the prompt" "TALE 1."
exits 0 "the same seed" generate --prompt 'TALE 1.' --tokens 60 --seed 4
check "… the same text" test "$out" = "$first"
exits 0 "another seed" generate --prompt 'TALE 1.' --tokens 60 --seed 5
check "… another text" test "$out" != "$first"
printf 'TALE 1.' > "$TEST_TMP/prompt"
exits 0 "a prompt in a file" generate --prompt-file "$TEST_TMP/prompt" --tokens 60 --seed 4
check "… the same text" test "$out" = "$first"
exits 0 "more candidates than there are" generate --prompt 'TALE 1.' --tokens 60 --seed 4 --top-k 100000 --top-p 1
check "… the same text" test "$out" = "$first"
exits 0 "the most probable text" generate --prompt 'There was once ' --tokens 20 --temperature 0 --json
check "… whatever the seed" test "$out" = "$(generate --prompt 'There was once ' --tokens 20 --temperature 0 --json --seed 9)"
check "… which is one of one" test "$(value text)" = "$(out=$(generate --prompt 'There was once ' --tokens 20 --top-k 1 --json) && value text)"
exits 0 "two texts" generate --tokens 5 --samples 2 --json
check "… are two lines" test "$(grep -c '"tokens":5,' <<< "$out")" = 2
stop=${first:30:3} text=${first:7}
text=${text%%"$stop"*}
text=${text//\"/\\\"}
exits 0 "a stop text" generate --prompt 'TALE 1.' --tokens 60 --seed 4 --stop "$stop" --json
says "… stops" '"ended_by":"stop"'
says "… before it" "\"text\":\"${text//$'\n'/\\n}\""
exits 0 "a prompt longer than the window" generate --prompt "$(printf 'the fox and the crow %.0s' {1..20})" --tokens 5
exits 0 "no prompt" generate --tokens 5

exits 65 "an unknown character in the prompt" generate --prompt 'TALE é'
says "… with its place" "--prompt:1:6: the character 'é' (U+00E9) is not in the vocabulary"
check "… and nothing else" test "${out#error: }" != "$out"
exits 65 "a prompt that is no UTF-8" generate --prompt $'a\xc3('
says "… with its place" "--prompt:1:2: byte 0xc3"
exits 2 "a negative temperature" generate --temperature -1
exits 2 "no temperature" generate --temperature nan
exits 2 "no candidates" generate --top-k 0
exits 2 "no probability" generate --top-p 0
exits 2 "two prompts" generate --prompt a --prompt-file "$TEST_TMP/prompt"
exits 74 "no file" generate --prompt-file "$TEST_TMP/none"
exits 0 "no language model" "$GTRAIN" train configs/xor.yaml --device "$DEVICE" --run-dir "$TEST_TMP/xor" --quiet
exits 65 "… writes nothing" "$GTRAIN" generate "$TEST_TMP/xor" --device "$DEVICE"
says "… says why" "has no vocabulary: it was not trained on text"
exits 65 "… and reads no text" "$GTRAIN" predict "$TEST_TMP/xor" "$TEST_TMP/part.txt" --device "$DEVICE"
exits 65 "an unknown character in a text" "$GTRAIN" eval "$TEST_TMP/whole" --device "$DEVICE" --data <(printf 'TALE\n\nx€')
says "… with its place" ":3:2: the character '€' (U+20AC)"

# Other vocabularies, a window of one token, and models that do not match the data.
exits 0 "bytes" train bytes --quiet --set data.text.vocabulary=byte --set train.steps=8
exits 0 "… generate" "$GTRAIN" generate "$TEST_TMP/bytes" --prompt $'\xc3' --tokens 8 --device "$DEVICE"
exits 0 "… with a prompt that is no UTF-8, as JSON" "$GTRAIN" generate "$TEST_TMP/bytes" --prompt $'a\xc3(' --tokens 1 --device "$DEVICE" --json
says "… which shows it" '"prompt":"a�("'
exits 0 "words" train words --quiet --set 'data.text={vocabulary: word, window: 12, lower: true, size: 90}' --set 'metrics=[perplexity]' --set train.steps=8
exits 0 "… generate" "$GTRAIN" generate "$TEST_TMP/words" --prompt 'There was Zork' --tokens 8 --device "$DEVICE"
check "… no <unk>" test "${out/<unk>/}" = "$out"
exits 0 "a window of one" train one --quiet --set data.text.window=1 --set train.steps=8
exits 78 "bits per character of words" train none --set data.text.vocabulary=word
says "… there are none" "metric 'bits_per_character' needs a text of characters or bytes"
exits 78 "all predictions" train none --set 'metrics=[top_3, roc_auc]'
exits 78 "too wide a tied weight" train none --set model.tokens.embedding_dim=13
says "… says so" "cannot use the weight"
exits 78 "a tie to nothing" train none --set model.linear2.weight=token
says "… says so" "no earlier layer of this name has one"
exits 78 "windows that there are not" "$GTRAIN" check configs/xor.yaml --set train.eval_samples=3
says "… says so" "'eval_samples' selects windows of a text"
# A CSV of texts and labels.
awk 'BEGIN { srand(5); split("good fine great bad poor awful", word, " "); print "review,label"
  for (i = 0; i < 400; i++) { w = int(rand() * 6) + 1; text = "the"; n = int(rand() * 9)
    for (k = 0; k < n; k++) text = text " " substr("one two tri act", 4 * int(rand() * 4) + 1, 3)
    printf "\"A %s, %s film\",%s\n", text, word[w], w < 4 ? "yes" : "no" } }' > "$TEST_TMP/reviews.csv"
cat > "$TEST_TMP/reviews.yaml" << 'YAML'
data: {train: reviews.csv, text: {column: review, vocabulary: word, length: 14, lower: true}, target: label, validation: 0.2}
model: [{embedding: 8}, {linear: 8}, relu, global_avg_pool, {linear: 2}]
optimizer: {type: adam, lr: 2.0e-2}
train: {epochs: 6, batch_size: 32}
YAML
reviews() { "$GTRAIN" train "$TEST_TMP/reviews.yaml" --device "$DEVICE" --run-dir "$TEST_TMP/$1" "${@:2}"; }
exits 0 "sentences" reviews labels
says "… how many are cut" "0 of 400 samples are longer than 14 tokens"
exits 0 "… are classified" "$GTRAIN" eval "$TEST_TMP/labels" --device "$DEVICE" --fail-if 'accuracy<0.85'
printf 'review\nA poor film\nsomething great\n' > "$TEST_TMP/new.csv"
exits 0 "new sentences" "$GTRAIN" predict "$TEST_TMP/labels" "$TEST_TMP/new.csv" --device "$DEVICE" --quiet
check "… and their classes" test "$(grep -o '^no \|^yes ' <<< "$out" | tr -d '\n')" = 'no yes '
printf 'review\nfilm\nfilm film\nfilm film film film film film film film film film film film film film\n' > "$TEST_TMP/repeated.csv"
exits 0 "a word once, twice and to the end" "$GTRAIN" predict "$TEST_TMP/labels" "$TEST_TMP/repeated.csv" --device cpu --quiet
check "… have the same mean" test "$(awk '{ printf "%s %.5f\n", $1, $2 }' <<< "$out" | sort -u | wc -l)" = 1
reads() { reviews refused --quiet --set model="$1"; }
exits 78 "a pool over texts of different lengths" reads '[{embedding: 8}, {max_pool1d: 2}, flatten, {linear: 2}]'
says "… would count their padding" "layer 'max_pool1d1' would count the padding of 'embedding1' [32, 14, 8], whose samples have lengths of their own"
says "… what to use" 'expected `sequence_pool: max`'
exits 78 "steps behind the end of the lengths" reads '[{embedding: 8}, {reshape: [7, 16]}, {gru: 4}, {sequence_pool: mean}, {linear: 2}]'
says "… would be padding" "layer 'gru1' would read the padding of 'reshape1' [32, 7, 16]: its samples had lengths of their own, which end at layer 'reshape1'"
exits 0 "lengths through an unpadded convolution" "$GTRAIN" check "$TEST_TMP/reviews.yaml" --set \
  model='[{embedding: 8}, {pad: {before: [2, 0], after: [0, 0]}}, {conv1d: {out_channels: 8, kernel_size: 3}}, {gru: {hidden_size: 4, return: last}}, {linear: 2}]'
sed '1d; s/,\(yes\|no\)$//; s/^"//; s/"$//' "$TEST_TMP/reviews.csv" > "$TEST_TMP/texts"
sed '1d; s/.*,//' "$TEST_TMP/reviews.csv" | paste - "$TEST_TMP/texts" > "$TEST_TMP/reviews.txt"
lines() { reviews "$@" --set data.train=reviews.txt --set data.text.column= --set data.text.labels=true --set data.target=; }
exits 0 "the same as lines with labels" lines lines
check "… the same training" cmp "$TEST_TMP/labels/metrics.jsonl" "$TEST_TMP/lines/metrics.jsonl"
printf 'A poor film\r\nsomething great\n' > "$TEST_TMP/new.txt"
exits 0 "new lines" "$GTRAIN" predict "$TEST_TMP/lines" "$TEST_TMP/new.txt" --device "$DEVICE" --quiet
check "… and their classes" test "$(grep -o '^no \|^yes ' <<< "$out" | tr -d '\n')" = 'no yes '
exits 0 "lines with labels" "$GTRAIN" predict "$TEST_TMP/lines" "$TEST_TMP/reviews.txt" --device "$DEVICE"
says "… what is before the tab is not the text" "reviews.txt: treating the text before the tab as a label"
printf 'no\tA poor film\nxyzzy\n' > "$TEST_TMP/mixed.txt"
exits 0 "some lines with a tab" "$GTRAIN" predict "$TEST_TMP/lines" "$TEST_TMP/mixed.txt" --device "$DEVICE"
says "… are all text" "mixed.txt: 1 of 2 lines have a tab; treating the text before it as text, not as a label"
says "… a text of unknown words is named" "mixed.txt: no word of 1 of 2 texts is known to the model"
printf 'review\nA poor film\n""\nxyzzy\n' > "$TEST_TMP/empty.csv"
exits 0 "an empty text" "$GTRAIN" predict "$TEST_TMP/labels" "$TEST_TMP/empty.csv" --device "$DEVICE"
says "… has no known word either" "empty.csv: no word of 2 of 3 texts is known to the model"
short='[{embedding: 8}, {conv1d: {out_channels: 8, kernel_size: 3}}, {gru: {hidden_size: 4, return: last}}, {linear: 2}]'
exits 0 "a convolution over texts" reviews short --quiet --set model="$short" --set train.epochs=1
exits 0 "… some of which are shorter than its kernel" "$GTRAIN" predict "$TEST_TMP/short" "$TEST_TMP/new.csv" --device "$DEVICE"
says "… which is said" "leaves nothing of 1 of 2 texts, which are shorter than its kernel"
exits 0 "… with padding" reviews padded-short --quiet --set model="${short/kernel_size: 3/kernel_size: 3, padding: same}" --set train.epochs=1
exits 0 "… is not" "$GTRAIN" predict "$TEST_TMP/padded-short" "$TEST_TMP/new.csv" --device "$DEVICE"
check "… said" test "$(grep -c 'leaves nothing' <<< "$out")" = 0
exits 0 "a CSV for a model of lines" "$GTRAIN" predict "$TEST_TMP/lines" "$TEST_TMP/new.csv" --device "$DEVICE"
says "… is read as lines" "new.csv: each line, also the first, is read as a text without columns"
sed 1d "$TEST_TMP/new.csv" > "$TEST_TMP/bare.csv"
exits 65 "a CSV without its header" "$GTRAIN" predict "$TEST_TMP/labels" "$TEST_TMP/bare.csv" --device "$DEVICE"
says "…" "bare.csv:1:1: there is no column 'review': its first line is read as the header"
sed 's/\(.*\),\(.*\)/\2,\1/' "$TEST_TMP/reviews.csv" > "$TEST_TMP/swapped.csv"
exits 65 "a text in the last column, without a target" reviews swapped --set data.train=swapped.csv --set data.target=
says "…" "without 'target' the last column is the target: name it"
limit=$(reviews refused --memory-limit 1K 2>&1 | sed -n 's/.*but at least \([0-9.]*\) KiB.*/\1/p' | awk '{ printf "%.0f", $1 * 1024 + 1 }')
exits 0 "streamed sentences" reviews streamed-labels --memory-limit "${limit:-400K}"
check "… the same bytes" same labels streamed-labels

exits 0 "the script that made the tales" scripts/make-tales.py "$TEST_TMP/tales.txt"
check "… makes them again" cmp "$TEST_TMP/tales.txt" datasets/tales/tales.txt

# padding_idx is reported if it is the id of a real token.
padding() {
  "$GTRAIN" check <(printf '{data: {train: datasets/tales/tales.txt, text: {window: 16, %s}}, model: [{embedding: {embedding_dim: 4, padding_idx: %s}}, {linear: %s}]}\n' "$@")
}
exits 0 "padding_idx: 0 of characters" padding "vocabulary: char" 0 52
says "… is warned about" "warning: layer 'embedding1' keeps the vector of the character '\\x0a' at zero [padding_is_token]"
exits 0 "padding_idx: 0 of bytes" padding "vocabulary: byte" 0 256
says "…" "keeps the vector of the byte 0 at zero [padding_is_token]"
exits 0 "the last word" padding "vocabulary: word, size: 20" -1 20
says "…" "keeps the vector of the word '"
exits 0 "padding_idx: 0 of words" padding "vocabulary: word, size: 20" 0 20
check "… is padding" test "${out/padding_is_token/}" = "$out"

# A text file without `text:` in the config is read as something else.
cd "$TEST_TMP" || exit 1
head -c 5000 "$OLDPWD/datasets/tales/tales.txt" > notes.txt
cp notes.txt notes.md && mkdir -p letters/a && cp notes.txt letters/a/b.txt
printf 'It was the best of times,\nit was the worst of times, and, well, it was\n' > commas.txt
# taken CODE TRAIN TEXT: `data: {train: TRAIN}` without `text:` is an error that suggests TEXT.
taken() {
  exits "$1" "data: {train: $2}" "$GTRAIN" check <(printf 'data: {train: %s}\nmodel: [{linear: 1}]\n' "$2")
  says "… names the way out" "$3"
}
taken 65 notes.txt "for a text, not a table: data: {train: notes.txt, text: {vocabulary: char}}"
taken 65 commas.txt "for a text, not a table: data: {train: commas.txt, text: {vocabulary: char}}"
taken 78 notes.md "help: for a text, not a table: text: {vocabulary: char}"
taken 65 letters "a text is a single file, text: {vocabulary: char}, and texts with labels are a column of a CSV, text: {column: NAME}"
taken 78 'letters, text: {vocabulary: char}' "'letters' is a folder, and a text is a single file"
exits 2 "init of a text" "$GTRAIN" init notes.txt
says "… names a config" "a text is not a table: gtrain train @char_mlp --set data.train=FILE trains a language model on it"
exits 65 "init csv of a text" "$GTRAIN" init csv notes.txt
says "… too" "gtrain train @char_mlp --set data.train=FILE"
exits 0 "… which trains on it" "$GTRAIN" train @char_mlp --set data.train=notes.txt --set train.steps=1 --device "$DEVICE" --run-dir mlp
cd "$OLDPWD" || exit 1
finish
