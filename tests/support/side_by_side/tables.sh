# shellcheck shell=bash
# Sourced by tests/side_by_side.sh: what tables and arrays can have beside the cells of tests/data/broken: encodings,
# sizes, settings for columns, splits and files, and the files of other formats.

# try CONTENT OPTION…: checks c.yaml with a table of this content (as of printf %b).
try() {
  printf '%b' "$1" > table.csv
  gtrain check c.yaml "${@:2}"
}
# set KEY=VALUE…: the options of `check` and `try`, in the array options.
with() {
  options=()
  local set
  for set in "$@"; do options+=(--set "$set"); done
}
numbers_config() { config '{train: table.csv, target: y, task: regression}' '[{linear: 1}]' 'loss: mse'; }

table/files() {
  numbers_config
  try ''
  try '\n\n'
  try '\0377\0376a\0000,\0000y\0000\n\0000'
  try 'PK\0003\0004\0024\0000\0006'
  try '\0320\0317\0021\0340\0241\0261\0032\0341'
  try 'a,b\0000,y\n1,2,3\n'
  try 'a,b\n1,2,3\n2,3,4\n3,4,5\n' --set data.header=true
  try 'a,b,y,z\n1,2,3\n2,3,4\n3,4,5\n' --set data.header=true
  try 'a\nb\n'
  try 'a,b,y\n1,2,3\n2,\\302\\233,4\n'
  try 'sep=;\na;b;y\n1;2;3\n4;5;6\n7;8;1\n'
  try 'a b   y\n1 2   3\n4 5   6\n7 8 1\n'
  try 'a\ty\n1\t3\n4\t6\n7\t1\n'
  try 'a,b,y\r\n1,2,3\r\n2,"3\r\n",4\r\n5,6,7\r\n'
  try '"a","b","y"\n"1","2","3"\n" 2","x","4"\n'
  try 'a,b,y\n1,"x ""y"" z",3\n2,"1\n2",4\n3,"",5\n' --set 'data.columns={b: category}'
  printf 'a,b,y\n1,2,3\n4,5,6\n2,2,2\n' | gzip -n > table.csv.gz
  gtrain check c.yaml --set data.train=table.csv.gz
  gtrain check c.yaml --set data.train=none.csv
  gtrain check c.yaml --set data.train=datasets
  gtrain check c.yaml --set data.train=c.yaml
  gtrain check c.yaml --set data.test=none.csv
}
table/sizes() {
  numbers_config
  { printf 'a,b,y\n1,2,3\n1,"'; head -c 1100000 /dev/zero | tr '\0' x; printf '",2\n'; } > table.csv
  gtrain check c.yaml
  { printf 'a,b,y\n1,2,3\n1,'; head -c 1100000 /dev/zero | tr '\0' x; printf ',2\n'; } > table.csv
  gtrain check c.yaml
  awk 'BEGIN { print "a,b,y"; for (i = 0; i < 10002; i++) print i ",1,k" i }' > table.csv
  gtrain check c.yaml --set data.task=classification --set loss=cross_entropy
  gtrain check c.yaml --set data.target=a --set 'data.columns={y: category}'
  gtrain check c.yaml --set data.target=a --set 'data.columns={y: {type: category, max_categories: 20}}'
  gtrain check c.yaml --set data.target=a --set 'data.integers=[input]' --set 'data.inputs=[y]' --set 'model=[{embedding: 2}, flatten, {linear: 1}]'
  local -x GTRAIN_THREADS=3 # which read parts of 4 MiB, if a table has two
  awk 'BEGIN {
    print "a,b,y,kind"
    for (i = 0; i < 220000; i++)
      printf "%d.%030d,%s,%s,%s\n", i % 7, i, (i == 150000 ? "late" : i % 5), (i == 200000 ? "later" : i % 3), "k" (i % 11 + (i == 120000))
  }' > table.csv
  gtrain check c.yaml --set 'data.ignore=[kind]'
  gtrain check c.yaml --set 'data.ignore=[kind, b]'
  gtrain check c.yaml --set 'data.ignore=[y]' --set data.target=kind --set 'data.columns={b: {type: category, min_count: 2}}' --set data.task=classification --set loss=cross_entropy \
    --set 'model=[{linear: 11}]' --json
  awk 'NR == 130000 { $0 = "1,2" } NR == 90000 { $0 = "1,x,2,k1" } NR == 210000 { $0 = "1,\"2,3" } 1' table.csv > t && mv t table.csv
  gtrain check c.yaml
  rm table.csv
}
table/integers() {
  config '{train: table.csv, target: y, task: regression, integers: [input], inputs: [a, b]}' '[{embedding: 2}, flatten, {linear: 1}]' 'loss: mse'
  try 'a,b,y\n1,2,3\n2,3,4\n3,1,5\n'
  try 'a,b,y\n1,2.5,3\n2,3,4\n-3,1,5\n'
  try 'a,b,y\n1,2,3\n,3,4\n3,1,5\n'
  try 'a,b,y\n1,2024-01-02,3\n2,2024-01-03,4\n3,2024-01-04,5\n'
  try 'a,b,y\n1,x,3\n2,z,4\n3,x,5\n'
  try 'a,b,y\n1,x,3\n2,7,4\n20000000,x,5\n'
}
table/labels() {
  config '{train: table.csv, target: y}' '[{linear: 2}]'
  try 'a,y\n1,NA\n2,cat\n3,n/a\n4,cat\n'
  try 'a,y\n1,NA\n2,cat\n3,n/a\n4,cat\n' --set 'quiet=[missing_labels]'
  try 'a,y\n1,-\n2,+\n3,-\n4,\n'
  try 'a,y\n1,caf\0303\0251\n2,tea\n3,cafe\0314\0201\n4,cafe\0314\0201\n'
  try 'a,y\n1,caf\0303\0251\n2,tea\n3,cafe\0314\0201\n' --set 'data.class_names=[tea, "cafe\u0301"]'
  try 'a,y\n1,caf\0303\0251\n2,tea\n' --set 'data.class_names=["caf\u00e9", tea, "cafe\u0301"]'
  try 'a,y,z\n1,x,q\n2,w,r\n' --set 'data.target=[y, z]' --set data.task=classification
  try 'a,y\n1,0\n2,1\n3,0\n' --set data.classes=1
  try 'a,y\n1,0\n2,1\n3,0\n' --set data.classes=3
  try 'a,y\n1,0\n2,1\n3,0\n' --set 'data.class_names=[no, yes]' --set data.classes=3
  try 'a,y\n1,yes\n2,no\n3,yes\n'
  try 'a,y\n1,yes\n2,no\n3,yes\n' --set loss=bce --set 'model=[{linear: 1}]' --set 'data.class_names=[no, yes]'
  try 'a,y\n1,1.0\n2,0.0\n3,1.0\n'
  try 'a,y\n1,00\n2,01\n3,1e0\n'
  try 'a,y\n1,3\n2,3\n3,3\n'
  try 'a,y\n1,x\n2,x\n3,x\n'
  try 'a,y\n1,1\n2,2\n3,3\n4,2\n'
  try 'a,y\n1,0\n2,1\n3,2\n' --set loss=poisson --set 'model=[{linear: 1}]'
  try 'a,y\n1,0\n2,-1\n3,2.5\n' --set loss=poisson --set 'model=[{linear: 1}]' --set data.task=regression
}
table/columns() {
  config '{train: table.csv, target: y, task: regression}' '[{linear: 1}]' 'loss: mse'
  local gaps='a,b,y\n1,,3\n,5,4\n3,,\n'
  try "$gaps" --set 'data.columns={a: {missing: drop}, b: {missing: drop}, y: {missing: drop}}'
  try "$gaps" --set 'data.columns={a: {missing: drop}, y: {missing: drop}}'
  try 'a,b,y\n1,03/04/2024,3\n2,05/06/2024,4\n' --set 'data.columns={b: {type: date, order: month_first}}'
  try 'a,b,y\n1,13:45,3\n2,14:50,4\n'
  try 'a,b,y\n1,20240102,3\n2,20240103,4\n3,20240104,5\n' --set 'data.columns={b: date}'
  try 'a,b,y\n1,2024-02-30,3\n2,2024-01-03,4\n3,2024-01-04,5\n' --set 'data.columns={b: date}'
  try 'a,b,y\n1,2024-01-02T10:00:00Z,3\n2,2024-01-03T11:30:00Z,4\n3,2024-01-04T00:00:01Z,5\n'
  try 'a,b,y\n1,$5/kg,3\n2,$6/kg,4\n3,$7/kg,5\n4,$9/kg,5\n'
  try "a,b,y\n1,1'234,3\n2,2'345,4\n3,12'345,5\n4,7'777,1\n"
  try 'a,b,y\n1,1 234 kg,3\n2,2 345 kg,4\n3,12 345 kg,5\n4,7 777 kg,1\n'
  try 'a;b;y\n1;1.234,5 kg;3\n2;2.345,6 kg;4\n3;12.345,7 kg;5\n4;7.777,1 kg;1\n'
  try 'a,b,y\n1,Yes,3\n2,no,4\n3,YES,5\n4,NA,1\n'
  try 'a,b,y\n1,true,3\n2,0,4\n3,f,5\n' --set 'data.columns={b: boolean}'
  try 'a,b,y\n1,inf,3\n2,0,4\n3,nan,5\n'
  try 'a,b,y\n1,1e38,3\n2,1e39,4\n3,-1e300,5\n'
  try 'a,b,y\n1,0x10,3\n2,1_000,4\n3,+5,5\n'
  try 'a,b,y\n1,.5,3\n2,5.,4\n3,1e,5\n'
  try 'a, b ,y\n1, 2 ,3\n2,  3,4\n3,4  ,5\n' --set 'data.inputs=[a, " b "]'
  try 'a,b,y\n1,x,3\n2,z,4\n3,x,5\n' --set 'data.columns={b: {type: category, missing: category}}' --set 'data.text={column: b}'
}
table/splits() {
  local data='id,a,y,w,fold,who\nk1,1,2,1,train,ann\nk2,2,3,2,tset,b\0002b\nk3,3,4,3,test,\nk4,4,5,1,,ann\n'
  config '{train: table.csv, target: y, task: regression, ignore: [id]}' '[{linear: 1}]' 'loss: mse'
  try "$data" --set 'data.inputs=[a]' --set 'data.split={column: fold}'
  try "$data" --set 'data.inputs=[a]' --set 'data.split={column: fold, test: tset}'
  try "${data/,,ann/,train,ann}" --set 'data.inputs=[a]' --set 'data.split={column: fold, test: [tset], validation: [tset, test]}'
  try "${data/,,ann/,train,ann}" --set 'data.inputs=[a]' --set 'data.split={column: fold, test: tset, validation: test}'
  try "$data" --set 'data.inputs=[a]' --set 'data.split={group: who}' --set data.test_fraction=0.5
  try "${data/3,test,/3,test,x}" --set 'data.inputs=[a]' --set 'data.split={group: who}' --set data.test_fraction=0.5
  try "$data" --set 'data.inputs=[a]' --set 'data.split={group: fold, column: who}'
  try "$data" --set 'data.inputs=[a]' --set 'data.split={test: x}'
  try "$data" --set 'data.inputs=[a]' --set 'data.split=stratified' --set data.test_fraction=0.5
  try "$data" --set 'data.inputs=[a]' --set 'data.split=last' --set data.test_fraction=0.5 --set data.validation=0.25
  try "$data" --set 'data.inputs=[a]' --set data.test_fraction=0.9 --set data.validation=0.9
  try "$data" --set 'data.inputs=[a]' --set data.weight=w --set data.test_fraction=0.25
  try "${data/2,3,2,/2,3,0,}" --set 'data.inputs=[a]' --set data.weight=w
  try 'a,y,w\n1,2,0\n2,3,0\n3,4,0\n' --set data.weight=w --set 'data.ignore=[]'
  try "$data" --set 'data.inputs=[a]' --set data.weight=w --set 'data.missing_values=["2"]'
  try "$data" --set 'data.inputs=[a]' --set data.weight=w --set data.id=w
  try 'a,kind\n1,x\n2,x\n3,x\n4,z\n5,x\n' --set data.target=kind --set data.task=classification --set data.split=stratified --set data.test_fraction=0.4 --set loss=cross_entropy --set 'model=[{linear: 2}]'
}
table/names() {
  config '{train: table.csv, targets: {load: a, kind: k}}' '[{linear: {units: 1, name: load}}, {linear: {units: 2, name: kind, from: input}}]'
  local data='a,b,c,k\n1,2,3,x\n2,3,4,z\n3,4,5,x\n' targets
  try "$data"
  for targets in '[a, k]' '{id: a, k: k}' '{type: a, k: k}' '{load: [], kind: k}' '{load: a, load: k}' "{'a b': a, kind: k}" '[a, "k k"]' '[a, a]' '{load: a, kind: a}' '{load: a, kind: q}' 5; do
    try "$data" --set "data.targets=$targets"
  done
  config '{train: table.csv, target: k, inputs: {wide: [a, b], deep: [b, c]}}' '[{linear: {units: 2, from: wide, name: w}}, {linear: {units: 2, from: deep, name: d}}, {concatenate: {from: [w, d]}}, {linear: 2}]'
  for targets in '{wide: [a], deep: [b]}' '{wide: [a, k], deep: [b]}' "{'a b': a, deep: c}" '{wide: [], deep: [b]}' '{wide: [a, q], deep: [b]}' '{wide: [a, a], deep: [b]}' '[a, b]' '{scaling: a, deep: c}' '{future: a, deep: c}'; do
    try "$data" --set "data.inputs=$targets"
  done
  try "$data" --set 'data.normalize={inputs: {wide: standard, deep: none}}'
  try "$data" --set 'data.normalize={inputs: {wde: standard}}'
  try "$data" --set 'data.integers=[deep]'
  try "$data" --set 'data.integers=[dep]'
  try "$data" --set data.future=b
  try "$data" --set 'data.shape=[1, 2]'
  try "$data" --set 'data.normalize={mean: [1, 2, 3]}'
}
table/test_files() {
  rows 30 a,b,y,w 'u, v, 3 * u - v, 1 + i % 2' > table.csv
  config '{train: table.csv, target: y, task: regression, weight: w}' '[{linear: 1}]' 'loss: mse'
  gtrain train c.yaml --run-dir run --quiet
  local options
  for content in 'a,b,y\n1,2,3\n' 'y,w,b,a\n1,2,3,4\n2,1,1,1\n' 'b,a,w\n1,2,3\n' 'aa,b,y,w\n1,2,3,1\n' '1,2,3,1\n2,3,4,1\n' '1,2,3\n2,3,4\n' 'a,b,y,w\n1,,3,1\n' 'a,b,y,w\n1,x,3,1\n' 'a,b,y,w\n1,2,,1\n' \
    'a,b,y,w\n1,2,NA,-1\n' 'a;b;y;w\n1,5;2;3;1\n' 'a,b,y,w\n' '' 'p,q,r,s\n1,2,3,1\n'; do
    printf '%b' "$content" > test.csv
    gtrain check c.yaml --set data.test=test.csv
    gtrain eval run --data test.csv
    gtrain predict run test.csv
    gtrain predict run test.csv -o p.csv
  done
  with data.header=maybe data.decimal=dot data.skip=-1 data.skip=x data.delimiter=xx data.header=false data.skip=1 data.decimal=comma 'data.missing_values=[]' data.target=a
  while ((${#options[@]})); do
    gtrain predict run table.csv "${options[@]:0:2}"
    options=("${options[@]:2}")
  done
  INPUT=test.csv gtrain predict run -
  gtrain predict run none.csv
  gtrain predict run table.csv table.csv
  gtrain predict run table.csv --id nme
  sed -i 3d table.csv # the recorded data file changes
  gtrain eval run
  gtrain eval run --set data.train=table.csv
  printf 'a,b\n1,2\n' > table.csv
  gtrain eval run
  gtrain eval run --set data.train=table.csv
  gtrain check run/config.yaml
}
table/categories() { # of a trained model, whose files lack some
  awk 'BEGIN { print "a,city,born,member,y"; for (i = 1; i < 40; i++) printf "%d,%s,2001-%02d-%02d,%s,%d\n", i, substr("RomOslBer", 1 + i % 3 * 3, 3), 1 + i % 12, i % 28 + 1, (i % 2 ? "yes" : "no"), i * 3 % 17 }' > table.csv
  config '{train: table.csv, target: y, task: regression, columns: {city: {unseen: error}}, test_fraction: 0.2}' '[{linear: 1}]' 'loss: mse'
  gtrain train c.yaml --run-dir run --quiet
  gtrain train c.yaml --run-dir free --quiet --set 'data.columns={city: {min_count: 2}, a: {scale: log1p, missing: error}, born: {missing: median}}'
  gtrain check c.yaml
  gtrain check c.yaml --json
  local row
  for row in 5,Rom,2001-02-03,yes 5,Paris,2001-02-03,yes 5,,2001-02-03,yes ,Rom,,maybe 5,Rom,03/04/2001,no -5,Rom,2001-02-03,1 5,7,2001,0 'x,Rom,2001-02-03 12:30,' 1e99,Rom,,yes; do
    printf 'a,city,born,member,y\n%s,1\n7,Osl,2003-04-05,no,2\n' "$row" > rows.csv
    gtrain predict run rows.csv
    gtrain predict free rows.csv --json
    gtrain eval free --data rows.csv
    gtrain check c.yaml --set data.test=rows.csv
  done
}
table/series() {
  awk 'BEGIN { print "t,g,x,y"; for (i = 0; i < 40; i++) print i "," (i % 2 ? "a" : "b") "," i % 7 "," i % 5 }' > table.csv
  config '{train: table.csv, series: {window: 4, horizon: 2, time: t}, inputs: [x, y], target: y, test_fraction: 0.3}' '[flatten, {linear: 2}]'
  local s
  gtrain check c.yaml
  for s in '{window: 4, horizon: 2, time: t, group: g}' '{window: 40}' '{window: 4, season: 9}' '{window: 4, horizon: 30}' '{window: 4, time: x}' '{window: 4, stride: 2}' '{window: 4}' '{window: 4, gaps: ignore}'; do
    gtrain check c.yaml --set "data.series=$s" --set model.1.linear.units=1
  done
  gtrain check c.yaml --set 'data.future=[x]'
  gtrain check c.yaml --set 'data.future=[y]'
  gtrain check c.yaml --set data.series=null --set 'data.future=[x]'
  gtrain check c.yaml --set data.split=stratified
  gtrain check c.yaml --set 'data.split={group: g}'
  gtrain check c.yaml --set 'data.classes=[1, 2]'
  gtrain check c.yaml --set data.weight=g
  gtrain check c.yaml --set 'data.targets={y: y, x: x}' --set data.target=null
  cut -d, -f2- table.csv > test.csv
  gtrain check c.yaml --set data.test=test.csv --set data.test_fraction=0
  gtrain train c.yaml --run-dir run --quiet
  gtrain eval run --data test.csv
  gtrain predict run test.csv
  head -n 3 table.csv > short.csv
  gtrain predict run short.csv
  gtrain eval run --data short.csv
  sed '5s/^[0-9]*/99/' table.csv > late.csv
  gtrain predict run late.csv
  sed '5s/^[0-9]*//' table.csv > gap.csv
  gtrain predict run gap.csv
  for s in 2024-01-05 05.01.2024 1.5 'noon' ''; do
    awk -F, -v OFS=, -v s="$s" 'NR > 1 { $1 = sprintf("2024-01-%02d", (NR < 28 ? NR : 28)) } NR == 9 { $1 = s } NR < 29' table.csv > dates.csv
    gtrain check c.yaml --set data.train=dates.csv
  done
}
table/lines() {
  config '{train: t.txt, text: {labels: true}}' '[{embedding: 4}, {gru: {hidden_size: 4, return: last}}, {linear: 2}]'
  local text
  for text in 'good\tfine day\npoor\tbad day\n' '' 'good fine\npoor\tbad\n' 'good\tfine\n\tbad\n' 'good\tfine\npoor\t  \n' 'good\tfine\nNA\tbad\n' 'good\tfine\np\0001\tbad\n' 'good\tfine\npoor\t\0377\n'; do
    printf '%b' "$text" > t.txt
    gtrain check c.yaml
  done
  printf 'good\tfine day\npoor\tbad day\ngood\tday\npoor\tbad\n' > t.txt
  gtrain train c.yaml --run-dir run --quiet
  for text in 'fine\nbad\n' 'good\tfine\nbad\n' 'good\tfine\n' '' '\n' 'fine\n\nbad\n' 'left\tfine\n'; do
    printf '%b' "$text" > u.txt
    gtrain predict run u.txt
    gtrain eval run --data u.txt
    cp u.txt u.csv
    gtrain predict run u.csv --json
  done
}
