/* GEMM on emulated matrix units (lib/matrix.glsl), bfloat16 operands: for tests on software devices. */
#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#define GT_MATRIX_BFLOAT
#include "op/matmul/product_matrix.glsl"
