/* Packs the operands of a GEMM for matrix units, float16. */
#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#define GT_MATRIX_UNITS
#include "op/matmul/product_pack.glsl"
