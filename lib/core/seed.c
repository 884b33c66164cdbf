/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "seed.h"

#include "kernels/core/sample.h"

#ifdef WINNOW_SIMT

uint64_t simt_get_seed(void); /* tests/simt/simt.h */

uint64_t winnow__seed(unsigned number) {
    return winnow__mix(winnow__mix(simt_get_seed()) + number);
}

#else

#include <stdatomic.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/random.h>

/* Used if the system has no random numbers yet, or a sandbox refuses the call:
 * random bytes from the kernel, drawn when it started the program. */
static uint64_t draw_otherwise(void) {
    static atomic_uint_least64_t draws;
    const void *const given = (const void *)getauxval(AT_RANDOM);
    uint64_t drawn = (uintptr_t)&drawn;
    if (given != NULL)
        memcpy(&drawn, given, sizeof drawn);
    return winnow__mix(
        drawn + atomic_fetch_add_explicit(&draws, 1, memory_order_relaxed));
}

static uint64_t draw(void) {
    uint64_t drawn;
    return getrandom(&drawn, sizeof drawn, GRND_NONBLOCK) == sizeof drawn
               ? drawn
               : draw_otherwise();
}

uint64_t winnow__seed(unsigned number) {
    static atomic_uint_least64_t of_process; /* 0: not drawn yet */
    if (number != 0)
        return draw();
    uint64_t seed = atomic_load_explicit(&of_process, memory_order_relaxed);
    if (seed == 0) {
        const uint64_t drawn = draw() | 1;
        /* If two threads draw, the first one's seed is used. */
        if (atomic_compare_exchange_strong_explicit(&of_process, &seed, drawn,
                                                    memory_order_relaxed,
                                                    memory_order_relaxed))
            seed = drawn;
    }
    return seed;
}

#endif
