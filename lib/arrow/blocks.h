/*
 * Blocks of host memory for outputs. Large ones that were freed are kept for the
 * next batch, since the first write to a page takes as long as the filter.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdint.h>

enum {
    WINNOW__BLOCK_ALIGNMENT = 64
};

/* A block of `bytes` bytes, aligned, of any contents; NULL: there is no memory.
 */
void *winnow__block_allocate(uint64_t bytes);
/* In any thread; NULL is allowed. */
void winnow__block_free(void *block);
