#!/usr/bin/env bash
# scripts/lines.sh [--check] [ROOT]: the size of the code by room: files, lines of code (without comments and blank lines)
# and bytes of code (without comments, indentation and line ends). The tests and the scripts stand beside.
#
# Everything that the program, its shaders and its tools are made of counts towards one number: the rooms of src and
# shaders, tools, plugins. --check (make lint) prints nothing unless that number is above the one in scripts/lines.limit.
set -euo pipefail
check=
[[ ${1-} == --check ]] && check=1 && shift
cd "${1:-$(dirname "$0")/..}"
shopt -s nullglob globstar

counted=(src/**/*.[ch] shaders/**/*.{h,comp,glsl} tools/**/*.[ch] plugins/**/*.{c,h,comp,glsl})
beside=(tests/**/*.{c,h,sh,py} scripts/*.{sh,py})
limit=$(< scripts/lines.limit)

LC_ALL=C awk -v limit="$limit" -v check="$check" '
# The line without its comments. A comment may begin in one line and end in another; quotes protect what is in them.
function code_of(line,   out, at, head, begin) {
  out = ""
  while (line != "") {
    if (in_comment) {
      at = index(line, "*/")
      if (!at) return out
      line = substr(line, at + 2)
      in_comment = 0
      continue
    }
    if (!match(line, /["\047]|\/\*|\/\//)) return out line
    begin = substr(line, RSTART, RLENGTH)
    out = out substr(line, 1, RSTART - 1)
    line = substr(line, RSTART)
    if (begin == "//") return out
    if (begin == "/*") {
      in_comment = 1
      line = substr(line, 3)
    } else {
      head = begin == "\"" ? "^\"([^\"\\\\]|\\\\.)*\"?" : "^\047([^\047\\\\]|\\\\.)*\047?"
      match(line, head)
      out = out substr(line, 1, RLENGTH)
      line = substr(line, RLENGTH + 1)
    }
  }
  return out
}
FNR == 1 {
  in_comment = 0
  parts = split(FILENAME, part, "/")
  room = part[1] == "src" || part[1] == "shaders" ? part[1] "/" (parts > 2 ? part[2] : part[parts]) : part[1]
  shell = FILENAME ~ /\.(sh|py)$/
  if (part[1] == "tests" || part[1] == "scripts") room = "beside: " room
  if (!(room in files)) order[++rooms] = room
  files[room]++
}
{
  text = shell ? ($0 ~ /^[ \t]*#/ ? "" : $0) : code_of($0)
  gsub(/^[ \t]+|[ \t]+$/, "", text)
  if (text != "") {
    lines[room]++
    bytes[room] += length(text)
  }
}
END {
  if (!check) printf "%-20s %6s %8s %9s\n", "room", "files", "lines", "bytes"
  for (i = 1; i <= rooms; i++) {
    room = order[i]
    if (room !~ /^beside/) {
      all_files += files[room]; all_lines += lines[room]; all_bytes += bytes[room]
    } else if (!total++ && !check)
      printf "%-20s %6d %8d %9d   at most %d lines (scripts/lines.limit)\n", "counted", all_files, all_lines, all_bytes, limit
    if (!check) printf "%-20s %6d %8d %9d\n", room, files[room], lines[room], bytes[room]
  }
  if (all_lines <= limit) exit
  printf "scripts/lines.limit:1: error: %d lines of code in src, shaders, tools and plugins; at most %d\n", all_lines, limit > "/dev/stderr"
  print "    fix: remove what the change made needless; or raise the number in a commit that says why" > "/dev/stderr"
  exit 1
}' "${counted[@]}" "${beside[@]}"
