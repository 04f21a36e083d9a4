#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_GOOGLE_include_directive : require
#define P 1
#define V float
#include "op/logic/logic_ca_gradient.glsl"
