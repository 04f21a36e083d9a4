#!/usr/bin/env bash
# tools/matrix_khr converts NV cooperative matrices: types with their use, layouts as numbers, lengths as instructions;
# and its errors.
# shellcheck source=tests/support/cli.sh
source "$(dirname "$0")/../support/cli.sh"
tool=$(realpath "${BUILD:-build}")/tools/matrix_khr
if [[ ! -x $tool ]] || ! command -v spirv-as > /dev/null; then
  echo "no spirv-as on this machine"
  exit 77
fi
cd "$TEST_TMP" || exit 1

# module B_TYPE [MORE]: prints a module that computes c = a * b + c, with B_TYPE as the type of b. a is row-major, the
# layout of b is a specialization constant, and an element of c is indexed by its length.
module() {
  cat << END
OpCapability Shader
OpCapability Float16
OpCapability CooperativeMatrixNV
OpExtension "SPV_NV_cooperative_matrix"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 32 1 1
OpDecorate %columns SpecId 1
%void = OpTypeVoid
%function = OpTypeFunction %void
%bool = OpTypeBool
%true = OpConstantTrue %bool
%false = OpConstantFalse %bool
%columns = OpSpecConstantTrue %bool
%int = OpTypeInt 32 1
%uint = OpTypeInt 32 0
%zero = OpConstant %uint 0
%first = OpConstant %int 0
%scope = OpConstant %uint 3
%m = OpConstant %uint 16
%n = OpConstant %uint 8
%k = OpConstant %uint 16
%stride = OpConstant %uint 2
%many = OpConstant %uint 64
%half = OpTypeFloat 16
%float = OpTypeFloat 32
%nil = OpConstant %float 0
%A = OpTypeCooperativeMatrixNV %half %scope %m %k
%B = OpTypeCooperativeMatrixNV %half %scope %k %n
%C = OpTypeCooperativeMatrixNV %float %scope %m %n
%counted = OpSpecConstantOp %uint CooperativeMatrixLengthNV %C
%length = OpSpecConstantOp %int IAdd %counted %zero
%four = OpTypeVector %uint 4
%tile = OpTypeArray %four %many
%of_tile = OpTypePointer Workgroup %tile
%of_four = OpTypePointer Workgroup %four
%of_int = OpTypePointer Function %int
%shared = OpVariable %of_tile Workgroup
%main = OpFunction %void None %function
%entry = OpLabel
%kept = OpVariable %of_int Function
%at = OpAccessChain %of_four %shared %first
%a = OpCooperativeMatrixLoadNV %A %at %stride %false
%b = OpCooperativeMatrixLoadNV %$1 %at %stride %columns
%c = OpCompositeConstruct %C %nil
%sum = OpCooperativeMatrixMulAddNV %C %a %b %c
OpCooperativeMatrixStoreNV %at %sum %stride %true
OpStore %kept %length
${2-}
OpReturn
OpFunctionEnd
END
}
# assemble NAME B_TYPE [MORE]: assembles the module to NAME.nv.
assemble() { module "$2" "${3-}" > "$1.spvasm" && spirv-as --target-env spv1.5 "$1.spvasm" -o "$1.nv"; }

# list FILE: prints a line for each instruction: the opcode and its operands, as numbers.
list() {
  od -An -v -w4 -tu4 -j20 "$1" | awk '
    left == 0 { left = int($1 / 65536); printf "%s%d", started ? "\n" : "", $1 % 65536; started = 1; left--; next }
    { printf " %d", $1; left-- }
    END { print "" }'
}
# count OPCODE FILE: the number of instructions with this opcode.
count() { list "$2" | grep -c "^$1 "; }

check "a module in NVIDIA's form" assemble plain B
check "is rewritten" "$tool" plain.nv plain.khr
list plain.khr > plain.txt
check "nothing of NVIDIA's is left" test -z "$(grep -E '^(17 5357|535[89]|536[0-2]|52 [0-9]+ [0-9]+ 5362)( |$)' plain.txt)"
check "the capability is KHR's" grep -qx '17 6022' plain.txt
check "three types, two loads, a store, a product, a length" \
  test "$(for op in 4456 4457 4458 4459 4460; do count $op plain.khr; done | tr '\n' ' ')" = "3 2 1 1 1 "

# value ID: the value of the constant with this id; for a specialization constant expression, its operation.
value() { awk -v id="$1" '($1 == 43 || $1 == 52) && $3 == id { print $1 == 43 ? $4 : "operation " $4 }' plain.txt; }
# operand OPCODE NUMBER WHICH: operand NUMBER of the WHICH-th instruction with this opcode.
operand() { grep "^$1 " plain.txt | sed -n "${3}p" | cut -d ' ' -f $(($2 + 1)); }
for role in 0 1 2; do
  check "type $((role + 1)) has role $role" test "$(value "$(operand 4456 6 $((role + 1)))")" = $role
done
check "by rows is layout 0" test "$(value "$(operand 4457 4 1)")" = 0
check "a constant's layout is chosen by it (OpSelect)" test "$(value "$(operand 4457 4 2)")" = "operation 169"
check "by columns is layout 1" test "$(value "$(operand 4458 3 1)")" = 1
check "the stride follows it" test "$(value "$(operand 4457 5 1)")" = 2
check "what is made of a length is an instruction, too (OpIAdd)" test "$(count 128 plain.khr)" = 1

check "with bfloat16" "$tool" --bfloat plain.nv bfloat.khr
list bfloat.khr > plain.txt
check "  the capabilities" test "$(grep -cE '^17 (5116|5118)$' plain.txt)" = 2
bfloat=$(awk '$1 == 22 && NF == 4 && $4 == 0 { print $2 }' plain.txt)
check "  both factors are of it" test "$(operand 4456 2 1) $(operand 4456 2 2)" = "$bfloat $bfloat"
check "  and the sum is not" test "$(operand 4456 2 3)" != "$bfloat"

spirv-as --target-env spv1.5 <(module A "" | sed 's/ %m %k$/ %m %m/; /%B = /d; s/%C = .*/%C = OpTypeCooperativeMatrixNV %float %scope %m %m/') -o square.nv
exits 1 "a type of both factors is refused" "$tool" square.nv square.khr
says "  by name of its roles" "serves as left factor and as right factor"
says "  with a word on how to fix it" "constants of their own"
check "  and nothing is written" test ! -e square.khr

assemble two B "OpReturn
OpFunctionEnd
%other = OpFunction %void None %function
%begin = OpLabel
%its = OpVariable %of_int Function
OpStore %its %length"
exits 1 "a length in two functions is refused" "$tool" two.nv two.khr
says "  and said" "outside of one function"
exits 1 "a module that is in KHR's form already is refused" "$tool" plain.khr again.khr
echo "no module" > text
exits 1 "a file that is not a module is refused" "$tool" text text.khr
head -c 60 plain.nv > short.nv
exits 1 "and one that is cut" "$tool" short.nv short.khr
exits 2 "two files are asked for" "$tool" plain.nv
finish
