/*
 * The floating-point environment of a call. The library works in the default
 * one: it rounds to nearest, keeps subnormal numbers, and traps no exception.
 * The caller's environment is restored, including its flags.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#if defined(__x86_64__)

#include <xmmintrin.h>

typedef unsigned winnow__floating; /* of SSE: x87 is not used */

static inline winnow__floating winnow__floating_begin(void) {
    const winnow__floating caller = _mm_getcsr();
    _mm_setcsr(0x1f80); /* the state at a process's start */
    return caller;
}

static inline void winnow__floating_end(winnow__floating caller) {
    _mm_setcsr(caller);
}

#else

#include <fenv.h>

typedef fenv_t winnow__floating;

static inline winnow__floating winnow__floating_begin(void) {
    winnow__floating caller;
    fegetenv(&caller);
    fesetenv(FE_DFL_ENV);
    return caller;
}

static inline void winnow__floating_end(winnow__floating caller) {
    fesetenv(&caller);
}

#endif
