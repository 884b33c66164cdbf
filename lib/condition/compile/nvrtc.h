/*
 * NVRTC, CUDA's compiler at run time. The library is not linked with it: it is
 * opened at its first use, where there is one.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_CONDITION_COMPILE_NVRTC_H
#define WINNOW_LIB_CONDITION_COMPILE_NVRTC_H

#include <winnow.h>

#include <stddef.h>

/* Code for a device, in memory of malloc()'s. */
typedef struct winnow__code {
    void *bytes;
    size_t number;
} winnow__code;

/* Its version, 1000 times the major one and the minor one; 0: there is none, and
 * *why_p says why. It is opened by the first call of the process. */
int winnow__nvrtc_version(const char **why_p);

/*
 * Compile a source for devices of a compute capability, ten times the major one
 * and the minor one; there is a compiler. Floats are as IEEE 754 has them: no
 * contraction, denormals kept.
 *
 * WINNOW_ERR_SYNTAX: it does not compile, and the detail has the compiler's log;
 * WINNOW_ERR_UNSUPPORTED: the compiler does not know the device;
 * WINNOW_ERR_MEMORY; each with the detail set.
 */
winnow_status winnow__nvrtc_compile(const char *source, int capability,
                                    winnow__code *code);

#endif
