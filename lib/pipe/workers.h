/*
 * Threads that fill memory for a device: they copy what it does not reach, and
 * read files.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_PIPE_WORKERS_H
#define WINNOW_LIB_PIPE_WORKERS_H

#include "pipe.h"

typedef struct winnow__workers winnow__workers;

/* NULL: there is no memory. */
winnow__workers *winnow__workers_create(unsigned threads);
void winnow__workers_destroy(winnow__workers *workers);

/*
 * Bring n items of a source, from item `first` of it on, to to[i] for each
 * input i; of memory, those whose to[i] is not NULL. *got_p as in
 * winnow__source_read().
 */
winnow_status winnow__workers_bring(winnow__workers *workers,
                                    const winnow_pipe *pipe,
                                    const winnow__source *source,
                                    uint64_t first, uint64_t n, void *const *to,
                                    uint64_t *got_p, int *error_number_p);

void winnow__workers_copy(winnow__workers *workers, void *to, const void *from,
                          uint64_t bytes);

#endif
