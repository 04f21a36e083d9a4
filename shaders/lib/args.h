/* Argument structs shared by C and GLSL. A kernel's arguments are push constants of at most 128 bytes: first
 * the 64-bit addresses of its buffers, then plain 32-bit values. In C an address is a uint64_t that a backend
 * fills in (a host pointer on the CPU path); in GLSL it is a buffer reference. Scalar layout makes both sides
 * agree byte for byte. */
#ifndef GT_SHADER_ARGS_H
#define GT_SHADER_ARGS_H
#include "lib/spec.h"
#ifdef GL_core_profile
#extension GL_EXT_buffer_reference_uvec2 : require
/* Converts a buffer reference to another type. Through a uvec2: SwiftShader crashes on a direct cast. */
#define GT_CAST(type, address) type(uvec2(address))
#define GT_ARGS(name)          layout(push_constant, scalar) uniform name
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer GT_FLOATS { float at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer GT_WORDS { uint at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer GT_FLOATS4 { vec4 at[]; };
#define GT_ADDRESS uvec2 /* a byte address, for arithmetic; GT_WORDS(address) reads there */
#else
#include <stdint.h>
#include <sys/types.h>
typedef uint64_t GT_FLOATS;
typedef uint64_t GT_WORDS;
typedef uint64_t GT_ADDRESS;
#define GT_ARGS(name)         struct name
#define GT_PTR(type, address) ((type *)(uintptr_t)(address))
#endif
#endif
