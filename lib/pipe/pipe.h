/*
 * A pipe: the common part of its functions and its two backends.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "core/context.h"

/* ---- source.c: where the items of a feed come from. */
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

typedef struct winnow__pipe_backend {
    winnow_status (*create)(winnow_pipe *pipe);
    /* Take all items of a source. On an error nothing of it is in use. */
    winnow_status (*feed)(winnow_pipe *pipe, winnow__source *source);
    /* Write all that was fed. The same. */
    winnow_status (*finish)(winnow_pipe *pipe);
    void (*destroy)(winnow_pipe *pipe);
} winnow__pipe_backend;

struct winnow_pipe {
    winnow_context *context;
    const winnow_condition *condition;
    winnow_pipe_column *columns;
    winnow_pipe_input *inputs;
    winnow_pipe_output *outputs;
    unsigned column_count, input_count, output_count;
    winnow_pipe_options options;

    uint64_t item_bytes; /* of all inputs */
    uint64_t chunk_items;
    size_t selection_bytes; /* of a chunk */
    bool needs_selection;   /* an output has something else than elements */
    bool writes_in_order;   /* an output goes to a stream or a function */

    const winnow__pipe_backend *backend;
    void *own; /* the backend's */

    winnow_pipe_state state;
    winnow__file_error error; /* of the state */
    bool ended;
    winnow_status status; /* an error, with its detail, from then on */
    char detail[512];
};

extern const winnow__pipe_backend winnow__host_pipe, winnow__cuda_pipe;

/* Call the caller's function, if there is one. */
winnow_status winnow__pipe_progress(winnow_pipe *pipe);

/* The bytes of an output's element. */
static inline size_t winnow__pipe_output_bytes(const winnow_pipe *pipe,
                                               unsigned o) {
    const winnow_pipe_output *const output = &pipe->outputs[o];
    switch (output->kind) {
    case WINNOW_PIPE_ELEMENTS:
        return pipe->inputs[output->input].element_bytes;
    case WINNOW_PIPE_INDICES:
        return sizeof(uint64_t);
    case WINNOW_PIPE_MASK:
        return 1;
    }
    return 0;
}

/* ---- map.c: files in the address space; their pages are read where the
 * kernel has them. */
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
