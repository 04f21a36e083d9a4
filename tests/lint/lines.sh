#!/usr/bin/env bash
# scripts/lines.sh counts lines and bytes of code by room, and refuses more lines than scripts/lines.limit says.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"

lines=scripts/lines.sh
tree=$TEST_TMP/tree
mkdir -p "$tree"/{scripts,src/base,src/op/family,shaders/op/family,tools/docs,plugins/p,tests/base}
echo 11 > "$tree/scripts/lines.limit"
cat > "$tree/src/base/a.c" << 'END'
/* A head
 * of two lines. */

int a; // behind code
int b; /* begins
ends */ int c;
const char *text = "/* no comment */ // none \" /*";
char quote = '"'; /* '"' */
  // alone
END
echo 'int deep;' > "$tree/src/op/family/b.c"
printf 'void main() {}\n\n' | tee "$tree/shaders/op/a.comp" > "$tree/shaders/op/family/b.glsl"
echo 'int tool;' > "$tree/tools/docs/a.c"
echo 'int plugin;' > "$tree/plugins/p/p.c"
echo 'int test;' > "$tree/tests/base/a.c"
printf '# comment\ntrue\n' > "$tree/scripts/a.sh"

exits 0 "a tree within its limit" "$lines" "$tree"
says "the code of a room, without comments" "src/base                  1        5        87"
says "a family's folder belongs to its room" "src/op                    1        1         9"
says "shaders" "shaders/op                2        2        28"
says "src, shaders, tools and plugins are counted" "counted                   6       10       144   at most 11 lines"
says "tests stand beside" "beside: tests             1        1         9"
says "scripts stand beside" "beside: scripts           1        1         4"
exits 0 "the check is silent" "$lines" --check "$tree"
check "nothing is printed" test -z "$out"
echo 9 > "$tree/scripts/lines.limit"
exits 1 "a tree above its limit" "$lines" --check "$tree"
says "the error names the file, the lines and the limit" "scripts/lines.limit:1: error: 10 lines of code in src, shaders, tools and plugins; at most 9"
exits 0 "the repository is within its limit" "$lines" --check
