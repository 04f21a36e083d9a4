#!/usr/bin/env bash
# gtrain doctor: its report about this machine, without a Vulkan loader, without BLAS, and with wrong environment
# variables. tests/portable/drivers.sh tests its report about drivers.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"
unset GTRAIN_DEVICE GTRAIN_DEBUG
mkdir -p "$TEST_TMP/home/.cache/gtrain" "$TEST_TMP/broken"
export HOME=$TEST_TMP/home XDG_CACHE_HOME=
doctor() { env -u GTRAIN_CACHE_DIR "$@" "$GTRAIN" doctor; }
line() { check "$1" grep -qE "$2" <<< "$out"; } # line NAME PATTERN

exits 0 "this machine" doctor
line "the CPU" '^ok       cpu          .*matrix products use: '
line "threads" '^[a-z]+ +threads      [0-9]+ used; [0-9]+ processors, [0-9]+ by affinity'
line "BLAS" '^[a-z]+ +blas '
line "memory" '^[a-z]+ +memory       [0-9.]+ [KMG]iB available of '
line "disk" '^[a-z]+ +disk         runs \(this folder\): [0-9.]+ [KMGT]iB free'
line "the home folder is ~" 'in ~/.cache/gtrain$'
says "whether it can train" "gtrain can train here, on "
check "no line has a status of its own" test -z \
  "$(grep -vE '^(ok|warning|error) +[a-z0-9:]+ +.|^ {22}-> .|^gtrain |^$' <<< "$out")"
check "no name of the host" test -z "$(grep -wF -e "$(uname -n)" <<< "$out")"

exits 0 "as JSON" "$GTRAIN" doctor --json
check "one object" grep -qE '^\{"version":"[0-9.]+","can_train":true,"errors":0,"warnings":[0-9]+,"lines":\[.*\]\}$' <<< "$out"
says "its lines" '{"status":"ok","subject":"cpu","fact":"'

# OpenBLAS would choose kernels by the model of the CPU; newer models than it knows would get kernels for SSE3.
if grep -qw avx2 /proc/cpuinfo && grep -qw fma /proc/cpuinfo; then
  exits 0 "a CPU with AVX2" doctor -u OPENBLAS_CORETYPE
  line "has OpenBLAS's kernels for AVX2" '^ok       blas .* Haswell '
  check "… which is no setting of the user" test -z "$(grep CORETYPE <<< "$out")"
  exits 0 "an empty choice" doctor OPENBLAS_CORETYPE=
  line "is none" '^ok       blas .* Haswell '
  exits 0 "the user's choice of kernels" doctor OPENBLAS_CORETYPE=Nehalem
  line "is kept and warned of" '^warning  blas .* Nehalem .*, with kernels that do not use this CPU.s AVX2; for '
  says "and what to do" "-> unset OPENBLAS_CORETYPE for speed"
  exits 0 "another choice with AVX2" doctor OPENBLAS_CORETYPE=Zen
  line "is kept" '^ok       blas .* Zen '
fi

# Broken library files simulate missing libraries.
for library in libvulkan.so.1 libvulkan.so libopenblas.so.0; do echo broken > "$TEST_TMP/broken/$library"; done
exits 0 "without a loader" doctor LD_LIBRARY_PATH="$TEST_TMP/broken" GTRAIN_CPU=
line "is a warning" '^warning  loader       no Vulkan loader'
says "and what to install" "-> install libvulkan1"
exits 69 "without OpenBLAS and tiles of our own" doctor LD_LIBRARY_PATH="$TEST_TMP/broken" GTRAIN_CPU=portable
line "is an error" '^error    blas '
says "and what to install" "libopenblas0"

exits 0 "variables" doctor GTRAIN_THREADS=999 GTRAIN_THREAD=2 GTRAIN_DEBUG=validation NO_COLOR=1
line "more threads than processors" '^warning  threads      999 used; '
says "how many are better" "set GTRAIN_THREADS="
line "one that gtrain does not read" '^warning  environment  GTRAIN_THREAD is set, but gtrain does not read it$'
says "which is meant" "did you mean GTRAIN_THREADS?"
line "one that makes it slow" '^warning  environment  GTRAIN_DEBUG=validation$'
line "one that is all right" '^ok       environment  NO_COLOR=1$'

# Values that other commands refuse or ignore.
exits 69 "a device that does not exist" doctor GTRAIN_DEVICE=foo
line "… is an error" '^error    environment  GTRAIN_DEVICE=foo$'
says "… with the devices that exist" "unknown device 'foo'; expected auto, cpu"
exits 69 "a device with a number that no device has" doctor GTRAIN_DEVICE=vulkan:99
line "… is an error" '^error    environment  GTRAIN_DEVICE=vulkan:99$'
exits 0 "no number of threads" doctor GTRAIN_THREADS=abc
line "… is a warning" '^warning  environment  GTRAIN_THREADS=abc$'
check "… said once" test "$(grep -c 'ignored: expected a number' <<< "$out")" = 1
exits 0 "a cache in a folder that takes no files" env GTRAIN_CACHE_DIR=/proc/x "$GTRAIN" doctor
line "… is a warning" '^warning  disk         cache: no files can be created in /proc$'

# Caches for a device that this machine does not have.
cache=$HOME/.cache/gtrain
echo '{"format": "gtrain-tuned-2", "device": "Another GPU (Vulkan 1.4, driver 1)", "ways": {}}' > "$cache/tuned-1.json"
echo '{"format": "gtrain-tuned' > "$cache/tuned-2.json"
head -c 1000 /dev/zero > "$cache/vulkan-0000-0000-00000000-00.cache"
exits 0 "caches" doctor
line "of kernels" '^ok       cache        compiled kernels: 1 file, 1000 B, in ~/.cache/gtrain, 1 of them for other devices'
line "of what was tuned" '^ok       cache        tuned kernels: 2 files, .*, 2 of them for other devices'
exits 0 "no place for a cache" doctor -u HOME
says "what to set" "set HOME, XDG_CACHE_HOME or GTRAIN_CACHE_DIR"

# The report file of a selftest, which users can send to the developers.
unset GTRAIN_CACHE_DIR
test=("$GTRAIN" selftest --device cpu --filter group_sum)
exits 0 "a selftest" "${test[@]}"
alone=$out
line "… says how many cases passed" '^[0-9]+ of [0-9]+ cases in 1 family passed$'
exits 0 "with a report" "${test[@]}" --report "$HOME/report.txt"
check "it prints the same, and where the report is" test "$out" = "$alone"$'\n'"report: $HOME/report.txt"
out=$(< "$HOME/report.txt")
for part in '^gtrain [0-9.]+$' '^## Doctor$' '^ok       cpu          .' '^ok group_sum [0-9]+ cases' '^0 of [0-9]+ cases failed on ' \
  '^## Bench$' '^\| product 512, fp32 '; do
  line "the report has '$part'" "$part"
done
says "the home folder as ~" "in ~/.cache/gtrain"
check "and not by its name" test "${out/$HOME/}" = "$out"
check "no name of the host" test -z "$(grep -wF -e "$(uname -n)" <<< "$out")"
exits 69 "a report of a device that is not there" "$GTRAIN" selftest --device vulkan:31 --report "$TEST_TMP/absent.txt"
check "is written all the same" grep -q '^the test did not finish: ' "$TEST_TMP/absent.txt"
exits 74 "a report that cannot be written" "${test[@]}" --report "$TEST_TMP/none/report.txt"
finish
