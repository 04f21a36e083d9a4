/* The SPIR-V instructions that specialize.c supports, by their names in the specification: all that glslc
 * generates for our shaders, and similar ones. It does not change a module with any other instruction. */
#ifndef GT_BACKEND_VULKAN_SPIRV_H
#define GT_BACKEND_VULKAN_SPIRV_H

/* clang-format off */
#define GT_SPIRV_DEBUG(X)                                                                                   \
  X(Undef, 1) X(Source, 3) X(SourceExtension, 4) X(Name, 5) X(MemberName, 6) X(String, 7) X(Line, 8)        \
  X(NoLine, 317)
#define GT_SPIRV_MODES(X)                                                                                   \
  X(Extension, 10) X(ExtInstImport, 11) X(ExtInst, 12) X(MemoryModel, 14) X(EntryPoint, 15)                 \
  X(ExecutionMode, 16) X(Capability, 17) X(Decorate, 71) X(MemberDecorate, 72)
#define GT_SPIRV_TYPES(X)                                                                                   \
  X(TypeVoid, 19) X(TypeBool, 20) X(TypeInt, 21) X(TypeFloat, 22) X(TypeVector, 23) X(TypeArray, 28)        \
  X(TypeRuntimeArray, 29) X(TypeStruct, 30) X(TypePointer, 32) X(TypeFunction, 33)                          \
  X(TypeForwardPointer, 39) X(TypeCooperativeMatrixKHR, 4456)
#define GT_SPIRV_CONSTANTS(X)                                                                               \
  X(ConstantTrue, 41) X(ConstantFalse, 42) X(Constant, 43) X(ConstantComposite, 44) X(ConstantNull, 46)     \
  X(SpecConstantTrue, 48) X(SpecConstantFalse, 49) X(SpecConstant, 50) X(SpecConstantComposite, 51)         \
  X(SpecConstantOp, 52)
#define GT_SPIRV_MEMORY(X)                                                                                  \
  X(Variable, 59) X(Load, 61) X(Store, 62) X(CopyMemory, 63) X(AccessChain, 65) X(ControlBarrier, 224)      \
  X(MemoryBarrier, 225) X(AtomicLoad, 227) X(AtomicStore, 228) X(AtomicExchange, 229)                       \
  X(AtomicCompareExchange, 230) X(AtomicIAdd, 234) X(AtomicISub, 235) X(AtomicSMin, 236)                    \
  X(AtomicUMin, 237) X(AtomicSMax, 238) X(AtomicUMax, 239) X(AtomicAnd, 240) X(AtomicOr, 241)               \
  X(AtomicXor, 242) X(CooperativeMatrixLoadKHR, 4457) X(CooperativeMatrixStoreKHR, 4458)
#define GT_SPIRV_COMPOSITES(X)                                                                              \
  X(VectorExtractDynamic, 77) X(VectorInsertDynamic, 78) X(VectorShuffle, 79) X(CompositeConstruct, 80)     \
  X(CompositeExtract, 81) X(CompositeInsert, 82) X(CopyObject, 83) X(CooperativeMatrixMulAddKHR, 4459)      \
  X(CooperativeMatrixLengthKHR, 4460)
#define GT_SPIRV_ARITHMETIC(X)                                                                              \
  X(ConvertFToU, 109) X(ConvertFToS, 110) X(ConvertSToF, 111) X(ConvertUToF, 112) X(UConvert, 113)          \
  X(SConvert, 114) X(FConvert, 115) X(Bitcast, 124) X(SNegate, 126) X(FNegate, 127) X(IAdd, 128)            \
  X(FAdd, 129) X(ISub, 130) X(FSub, 131) X(IMul, 132) X(FMul, 133) X(UDiv, 134) X(SDiv, 135) X(FDiv, 136)   \
  X(UMod, 137) X(SRem, 138) X(SMod, 139) X(FRem, 140) X(FMod, 141) X(VectorTimesScalar, 142) X(Dot, 148)    \
  X(IAddCarry, 149) X(ISubBorrow, 150) X(UMulExtended, 151) X(SMulExtended, 152) X(Select, 169)             \
  X(ShiftRightLogical, 194) X(ShiftRightArithmetic, 195) X(ShiftLeftLogical, 196) X(BitwiseOr, 197)         \
  X(BitwiseXor, 198) X(BitwiseAnd, 199) X(Not, 200) X(BitFieldInsert, 201) X(BitFieldSExtract, 202)         \
  X(BitFieldUExtract, 203) X(BitReverse, 204) X(BitCount, 205)
#define GT_SPIRV_COMPARISONS(X)                                                                             \
  X(Any, 154) X(All, 155) X(IsNan, 156) X(IsInf, 157) X(LogicalEqual, 164) X(LogicalNotEqual, 165)          \
  X(LogicalOr, 166) X(LogicalAnd, 167) X(LogicalNot, 168) X(IEqual, 170) X(INotEqual, 171)                  \
  X(UGreaterThan, 172) X(SGreaterThan, 173) X(UGreaterThanEqual, 174) X(SGreaterThanEqual, 175)             \
  X(ULessThan, 176) X(SLessThan, 177) X(ULessThanEqual, 178) X(SLessThanEqual, 179) X(FOrdEqual, 180)       \
  X(FUnordEqual, 181) X(FOrdNotEqual, 182) X(FUnordNotEqual, 183) X(FOrdLessThan, 184)                      \
  X(FUnordLessThan, 185) X(FOrdGreaterThan, 186) X(FUnordGreaterThan, 187) X(FOrdLessThanEqual, 188)        \
  X(FUnordLessThanEqual, 189) X(FOrdGreaterThanEqual, 190) X(FUnordGreaterThanEqual, 191)
#define GT_SPIRV_CONTROL(X)                                                                                 \
  X(Function, 54) X(FunctionParameter, 55) X(FunctionEnd, 56) X(FunctionCall, 57) X(Phi, 245)               \
  X(LoopMerge, 246) X(SelectionMerge, 247) X(Label, 248) X(Branch, 249) X(BranchConditional, 250)           \
  X(Switch, 251) X(Kill, 252) X(Return, 253) X(ReturnValue, 254) X(Unreachable, 255)
#define GT_SPIRV_INSTRUCTIONS(X)                                                                            \
  GT_SPIRV_DEBUG(X) GT_SPIRV_MODES(X) GT_SPIRV_TYPES(X) GT_SPIRV_CONSTANTS(X) GT_SPIRV_MEMORY(X)            \
  GT_SPIRV_COMPOSITES(X) GT_SPIRV_ARITHMETIC(X) GT_SPIRV_COMPARISONS(X) GT_SPIRV_CONTROL(X)
/* clang-format on */

#define GT_SPIRV_NAME(name, number) Op##name = number,
enum { GT_SPIRV_INSTRUCTIONS(GT_SPIRV_NAME) };
#undef GT_SPIRV_NAME
#endif
