/*
 * Where the items of a feed come from.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <winnow.h>

#include <stdbool.h>

typedef struct winnow__source {
    const void *const *inputs; /* of memory; or */
    const winnow_pipe_file *files;
    winnow_pipe_read *read;
    void *user;
    uint64_t n;    /* WINNOW_NO_LIMIT: unknown, which `in_order` is then, too */
    bool in_order; /* one piece is read after the other, by one thread */
} winnow__source;

/* Which file WINNOW_ERR_FILE is of, as winnow_pipe_state says it. */
typedef struct winnow__file_error {
    int number; /* errno, or 0 */
    uint32_t failed;
} winnow__file_error;

/* From files: check them, and find out n where it can be known. */
winnow_status winnow__source_of_files(const winnow_pipe *pipe,
                                      const winnow_pipe_file *files, uint64_t n,
                                      winnow__source *source_p,
                                      winnow__file_error *error_p);

/*
 * Read n items from item `first` of the source on, to to[i] for each input i.
 * *got_p: how many; less than n at the end of a source whose n is unknown. Not
 * for memory. *error_p is set for WINNOW_ERR_FILE.
 */
winnow_status winnow__source_read(const winnow_pipe *pipe,
                                  const winnow__source *source, uint64_t first,
                                  uint64_t n, void *const *to, uint64_t *got_p,
                                  winnow__file_error *error_p);

/* Read n elements of input i alone, from item `first` on: of memory, or of files
 * that are not read in order. */
winnow_status winnow__source_read_input(const winnow_pipe *pipe,
                                        const winnow__source *source,
                                        unsigned i, uint64_t first, uint64_t n,
                                        void *to, winnow__file_error *error_p);

/* Items that will be read soon: of files that are not in the page cache, the
 * kernel begins to read them. */
void winnow__source_announce(const winnow_pipe *pipe,
                             const winnow__source *source, uint64_t first,
                             uint64_t n);
