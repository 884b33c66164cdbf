/*
 * Where the demo's arrays are: in the memory of CUDA device 0 or of the host.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_BENCH_DEMO_PLACE_H
#define WINNOW_BENCH_DEMO_PLACE_H

#include <stddef.h>

typedef struct demo_place {
    int device; /* for winnow_context_create() */
    const char *name;
    unsigned runs; /* how many are timed */
    void *(*alloc)(size_t bytes);
    void (*release)(void *memory);
    void (*poison)(void *memory, size_t bytes);
    void (*write)(void *d_to, const void *from, size_t bytes);
    /* What d_from holds, to be read on the host: in `buffer`, or in place. */
    const void *(*view)(void *buffer, const void *d_from, size_t bytes);
    void (*clock_start)(void);
    double (*clock_stop)(void); /* seconds; waits for the work */
} demo_place;

/* Written over outputs before a run, byte by byte. */
#define DEMO_POISON 0xa5

const demo_place *demo_place_host(void);
/* In a build with CUDA only; device 0 must exist. */
const demo_place *demo_place_gpu(void);

/* Print and exit with status 2. */
_Noreturn void demo_fail(const char *what, const char *why);

#endif
