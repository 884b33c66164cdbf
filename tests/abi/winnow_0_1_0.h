/*
 * The structs of version 0.1.0 that say their size, and what a program needs to
 * use them: written down once, for LP64, and never changed. It is what a program
 * that was compiled with that version knows of the library.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_ABI_0_1_0_H
#define WINNOW_TESTS_ABI_0_1_0_H

#include <stddef.h>
#include <stdint.h>

/* Enumerations are int or unsigned, of four bytes. */
enum {
    OK = 0,
    ERR_ARGUMENT = 1,
    DEVICE_HOST = -1,
    TYPE_INT32 = 3,
    UNIQUE_LAST = 1,
    COMPARE_GE = 4,
    STRATEGY_HOST = -1
};

struct plan {
    size_t size;
    size_t workspace_bytes;
    int32_t strategy;
    char *text;
    size_t text_bytes;
    size_t text_length;
    uint64_t reserved[4];
};

struct launch {
    size_t size;
    void *stream;
    void *d_workspace;
    size_t workspace_bytes;
    const uint64_t *d_n;
    uint64_t *d_position;
    int32_t order;
    int32_t strategy;
    double selectivity;
    int32_t *d_strategy;
    struct plan *plan;
    uint64_t reserved[4];
};

struct unique_options {
    size_t size;
    int32_t keep;
    int32_t equality;
    uint64_t reserved[2];
};

struct pipe_state {
    size_t size;
    uint64_t fed;
    uint64_t items;
    uint64_t kept;
    int error_number;
    uint64_t reserved[4];
};

struct pipe_options {
    size_t size;
    uint64_t chunk_bytes;
    uint32_t buffers;
    uint32_t threads;
    uint32_t flags;
    int32_t fetch;
    double selectivity;
    int (*progress)(void *user, const struct pipe_state *state);
    void *user;
    uint64_t reserved[4];
};

struct in {
    int32_t type;
    uint32_t element_bytes;
    const void *d_base;
    int64_t stride_bytes;
    const void *d_valid;
    uint64_t valid_offset;
    uint64_t offset;
    const void *d_data;
    uint64_t data_size;
    const struct in *dictionary;
    uint64_t dictionary_n;
    uint64_t reserved[2];
};

struct pipe_input {
    uint32_t element_bytes;
    uint64_t reserved[2];
};

struct pipe_column {
    int32_t type;
    uint32_t input;
    uint32_t offset_bytes;
    uint64_t reserved[2];
};

const char *winnow_last_error(void);
int winnow_context_create(void **context_p, int device);
void winnow_context_destroy(void *context);
int winnow_predicate_compare(void **predicate_p, int type, int compare,
                             const void *value);
void winnow_predicate_destroy(void *predicate);
int winnow_condition_test(void **condition_p, unsigned column,
                          const void *predicate);
void winnow_condition_destroy(void *condition);
int winnow_launch_init(struct launch *launch, size_t size);
int winnow_copy_if(void *context, const void *predicate, int type,
                   const void *d_in, uint64_t n, void *d_out, uint64_t capacity,
                   uint64_t *d_count, const struct launch *launch);
int winnow_select_unique(void *context, const struct in *keys, uint64_t n,
                         const struct unique_options *options,
                         void *d_selection, size_t selection_bytes,
                         const struct launch *launch);
int winnow_selection_count(void *context, const void *d_selection, uint64_t n,
                           uint64_t *d_count, const struct launch *launch);
int winnow_pipe_create(void **pipe_p, void *context, const void *condition,
                       const struct pipe_column *columns, unsigned column_count,
                       const struct pipe_input *inputs, unsigned input_count,
                       const void *outputs, unsigned output_count,
                       const struct pipe_options *options);
int winnow_pipe_feed(void *pipe, const void *const *inputs, uint64_t n);
int winnow_pipe_finish(void *pipe, uint64_t *count_p);
int winnow_pipe_get_state(const void *pipe, struct pipe_state *state);
void winnow_pipe_destroy(void *pipe);

#endif
