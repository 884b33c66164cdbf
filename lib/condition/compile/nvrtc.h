/*
 * NVRTC, CUDA's compiler at run time. The library is not linked with it: it is
 * opened at its first use, where there is one.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <winnow.h>

#include <stddef.h>

/* Code for a device, in memory of malloc()'s. */
typedef struct winnow__code {
    void *bytes;
    size_t number;
} winnow__code;

/*
 * Compile a source for devices of a compute capability, ten times the major one
 * and the minor one. Floats are as IEEE 754 has them: no contraction, denormals
 * kept. The first call of the process opens the compiler.
 *
 * WINNOW_ERR_SYNTAX: it does not compile, and the detail has the compiler's log;
 * WINNOW_ERR_UNSUPPORTED: there is no compiler, or it does not know the device;
 * WINNOW_ERR_MEMORY; each with the detail set.
 */
winnow_status winnow__nvrtc_compile(const char *source, int capability,
                                    winnow__code *code);
