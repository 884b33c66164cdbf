/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ranks.h"

#include <string.h>

winnow_status winnow__ranks_take_options(const void *options, const char *type,
                                         void *taken, size_t size) {
    size_t given;
    if (options == NULL)
        return WINNOW_OK;
    memcpy(&given, options, sizeof given);
    if (given != size)
        return winnow__ranks_refuse(
            "options->size is %zu: wanted sizeof(%s), which is %zu", given,
            type, size);
    memcpy(taken, options, size);
    return WINNOW_OK;
}

winnow_status winnow__ranks_check_options(const uint64_t *reserved,
                                          uint64_t piece_bytes,
                                          unsigned log2_most) {
    for (unsigned i = 0; i < WINNOW__RANKS_RESERVED; i++)
        if (reserved[i] != 0)
            return winnow__ranks_refuse("options->reserved[%u] is not 0", i);
    if (piece_bytes > UINT64_C(1) << log2_most)
        return winnow__ranks_refuse(
            "options->piece_bytes is %llu: wanted 1 to 2^%u, or 0",
            (unsigned long long)piece_bytes, log2_most);
    return WINNOW_OK;
}
