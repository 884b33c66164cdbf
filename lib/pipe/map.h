/*
 * Files in the address space: their pages are read where the kernel has them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "pipe.h"

typedef struct winnow__mapping {
    const void *inputs[WINNOW_PIPE_MOST_INPUTS]; /* from the first item on */
    void *start[WINNOW_PIPE_MOST_INPUTS];        /* of the pages, */
    size_t bytes[WINNOW_PIPE_MOST_INPUTS];       /* and their size */
} winnow__mapping;

/* Map items first to first + n of a source. False, and nothing is mapped: they
 * are not in files of a size, or the files are shorter, or cannot be mapped. */
bool winnow__map(const winnow_pipe *pipe, const winnow__source *source,
                 uint64_t first, uint64_t n, winnow__mapping *mapping);
void winnow__unmap(const winnow_pipe *pipe, winnow__mapping *mapping);
