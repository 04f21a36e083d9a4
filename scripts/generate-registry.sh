#!/bin/sh
# generate-registry.sh OUTDIR "KIND…" SOURCE…: collect the lines GT_REGISTER(kind, name) and GT_DEFINE(kind, name),
# which start at column 0, into OUTDIR/KIND.inc as sorted X(name) lines. Every kind gets a file; it is empty if no
# source registers that kind. A file whose content is unchanged is not written, so that make does not rebuild the files
# that include it.
set -eu
outdir=$1
kinds=$2
shift 2
mkdir -p "$outdir"
found=$outdir/.found
trap 'rm -f "$found" "$outdir"/.next' EXIT

# /dev/null: if there are no sources, awk must not wait for standard input.
awk -v kinds="$kinds" '
BEGIN { n = split(kinds, list, " "); for (i = 1; i <= n; i++) known[list[i]] = 1 }
function fail(what) { printf "%s:%d: error: %s\n", FILENAME, FNR, what > "/dev/stderr"; failed = 1 }
/^GT_(REGISTER|DEFINE)/ {
  line = $0
  gsub(/[ \t]/, "", line)
  if (line !~ /^GT_(REGISTER|DEFINE)\([a-z]+,[A-Za-z_][A-Za-z0-9_]*\)/) {
    fail("expected GT_REGISTER(kind, name) or GT_DEFINE(kind, name)")
    next
  }
  sub(/^GT_(REGISTER|DEFINE)\(/, "", line)
  sub(/\).*/, "", line)
  split(line, part, ",")
  if (!(part[1] in known)) { fail("unknown kind \"" part[1] "\"; the kinds are: " kinds); next }
  if (line in seen) { fail("\"" part[2] "\" is already registered as " part[1] " in " seen[line]); next }
  seen[line] = FILENAME
  print part[1], part[2]
}
END { exit failed }' /dev/null "$@" > "$found"

for kind in $kinds; do
  awk -v kind="$kind" '$1 == kind { print "X(" $2 ")" }' "$found" | LC_ALL=C sort > "$outdir/.next"
  cmp -s "$outdir/.next" "$outdir/$kind.inc" || mv "$outdir/.next" "$outdir/$kind.inc"
done
