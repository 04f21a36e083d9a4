#!/usr/bin/env bash
# scripts/lint-words.sh: checks the words of sources. No comment may be a question: a predicate's comment says what true
# means. Words that docs/glossary.md has replaced may not be used again.
set -euo pipefail
cd "$(dirname "$0")/.."
failed=0

# Prints each comment as "FILE:LINE: text", without quoted text.
comments() {
  awk '
    function print_comment(text) {
      gsub(/"[^"]*"|`[^`]*`|\047[^\047 ]*\047/, "", text)
      gsub(/[ \t]*\n[ \t]*\*?[ \t]*/, " ", text)
      print FILENAME ":" line ": " text
    }
    FNR == 1 { open = 0 }
    {
      rest = $0
      for (;;) {
        if (open) {
          at = index(rest, "*/")
          if (!at) { text = text "\n" rest; break }
          print_comment(text "\n" substr(rest, 1, at - 1)); open = 0; rest = substr(rest, at + 2)
        }
        quoted = rest
        gsub(/"([^"\\]|\\.)*"/, "", quoted)
        at = index(rest, "/*")
        if (!at || !index(quoted, "/*")) break
        open = 1; line = FNR; text = ""; rest = substr(rest, at + 2)
      }
    }' "$@"
}
mapfile -t sources < <(find src shaders tools tests -name '*.[ch]' -o -name '*.comp' -o -name '*.glsl' | sort)
if comments "${sources[@]}" | grep -E '[[:alnum:])][?]( |$)'; then
  echo "lint: the comments above are questions; fix: say what is true, as in \"True if …\"" >&2
  failed=1
fi
# Each line: the pattern, two blanks, the replacement.
while read -r word instead; do
  if grep -nwE "$word" "${sources[@]}"; then
    echo "lint: '$word' is retired; fix: $instead" >&2
    failed=1
  fi
done << 'END'
twins?  an optimizer slot
gt_image_(start|carry|values|download|upload|slot|tensors|finish)  gt_state_dict_…
gt_search_[a-z]*  gt_line_search_…
gt_(kan_|symbolic_)?snap[a-z_]*|snapper|snapping  a symbolic fit (of edges) or rounding (of constants)
gt_kan_settle[a-z_]*|settler  gt_kan_normalize
gt_least_(squares|deviations)  gt_levenberg_marquardt_…
gt_kan_narrow[a-z_]*  gt_kan_prune_…
[Ss]trangers?  untrusted
[Mm]end(s|ed|ing)?  fix
[Aa]nybody  the user, any source, any caller
END
exit "$failed"
