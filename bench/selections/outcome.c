/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "outcome.h"

#include "../util.h"
#include "cub.h"

#include <stdlib.h>
#include <string.h>

/* Fetched at a time. */
#define PIECE (UINT64_C(1) << 24)

bool selections_has_peer(const bench_lab *lab) {
    return selections_peer != NULL &&
           lab->run->platform.ordinal != WINNOW_DEVICE_HOST;
}

void selections_check_peer(int code, const char *call) {
    if (code != 0)
        bench_fail("%s: CUDA error %d", call, code);
}

bool selections_same(const bench_lab *lab, void *d_results,
                     const void *expected, uint64_t bytes) {
    char *const piece = bench_alloc(PIECE);
    bool same = true;
    for (uint64_t at = 0; at < bytes && same; at += PIECE) {
        const size_t size = bytes - at < PIECE ? bytes - at : PIECE;
        lab_fetch(lab, piece, (const char *)d_results + at, size);
        same = memcmp(piece, (const char *)expected + at, size) == 0;
    }
    free(piece);
    if (bytes > 0)
        lab->run->platform.poison(d_results, bytes);
    return same;
}
