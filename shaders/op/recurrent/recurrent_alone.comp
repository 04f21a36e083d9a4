#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#include "op/recurrent/recurrent.h"
#include "op/recurrent/cell.glsl"
#include "op/recurrent/cell_forward.glsl"
#include "op/recurrent/weight.glsl"
#include "op/recurrent/alone.glsl"
