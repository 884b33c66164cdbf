/*
 * NVRTC's double (nvrtc.c), as tests use it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_SIMT_DOUBLE_H
#define WINNOW_TESTS_SIMT_DOUBLE_H

#include <dlfcn.h>
#include <stdlib.h>

#include "suite.h"

/* Before the first call: it is opened once. */
static inline void use_double(const char *cache) {
    cr_assert_eq(setenv("WINNOW_NVRTC", SIMT_NVRTC, 1), 0);
    cr_assert_eq(setenv("WINNOW_CACHE", cache, 1), 0);
}

static inline _Atomic unsigned *of_double(const char *name) {
    void *const handle = dlopen(SIMT_NVRTC, RTLD_NOW);
    cr_assert_not_null(handle, "%s", dlerror());
    return dlsym(handle, name);
}

static inline unsigned compilations(void) {
    return *of_double("simt_nvrtc_compiled");
}

/* As many compilations wait for each other. */
static inline void meet(unsigned number) {
    *of_double("simt_nvrtc_meet") = number;
}

#endif
