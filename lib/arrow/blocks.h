/*
 * Blocks of host memory for outputs. Freed large blocks are kept for the next
 * batch, since the first write to a page takes as long as the filter.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdint.h>

enum {
    WINNOW__BLOCK_ALIGNMENT = 64
};

/* Allocate `bytes` uninitialized bytes, aligned. NULL: out of memory. */
void *winnow__block_allocate(uint64_t bytes);
/* May be called in any thread, also with NULL. */
void winnow__block_free(void *block);
