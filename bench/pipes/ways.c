/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ways.h"

#include "pieces.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    STAGED_PIECE = 1 << 20,
    STAGED_BYTES = 3 * PIPES_PIECE, /* of a pipe, in all */
    READ_PIECE = 256 << 10
};

static double begin(const pipes_range *range) {
    if (range->begin != NULL)
        pthread_barrier_wait(range->begin);
    return bench_now();
}

/* -------------------------------------------------------------------- pipes */

double pipes_run_range(const pipes_range *range) {
    const pipes_trial *const t = range->t;
    const uint32_t bytes = t->record_bytes;
    const uint64_t out_bytes = bytes != 0 ? bytes : sizeof(float);
    const winnow_pipe_column column = {.type = WINNOW_FLOAT32};
    const winnow_pipe_input inputs[] = {{.element_bytes = sizeof(float)},
                                        {.element_bytes = bytes}};
    const winnow_pipe_output output = {.input = bytes != 0,
                                       .memory =
                                           t->out + range->before * out_bytes,
                                       .capacity = range->kept};
    const void *const memory[] = {
        t->keys == NULL ? NULL : t->keys + range->first,
        t->records == NULL ? NULL : t->records + range->first * bytes};
    const winnow_pipe_file file = {.fd = t->fd};
    const winnow_pipe_options options = {.size = sizeof options,
                                         .fetch = range->fetch,
                                         .flags = range->flags,
                                         .threads =
                                             t->lab->run->options.threads};
    winnow_pipe *pipe;
    uint64_t count;
    bench_check(winnow_pipe_create(&pipe, range->context, range->condition,
                                   &column, 1, inputs, bytes != 0 ? 2 : 1,
                                   &output, 1, &options),
                "winnow_pipe_create");
    const double start = begin(range);
    if (t->keys != NULL)
        bench_check(winnow_pipe_feed(pipe, memory, range->n),
                    "winnow_pipe_feed");
    else
        bench_check(winnow_pipe_feed_file(pipe, &file, range->n),
                    "winnow_pipe_feed_file");
    bench_check(winnow_pipe_finish(pipe, &count), "winnow_pipe_finish");
    const double seconds = bench_now() - start;
    winnow_pipe_destroy(pipe);
    if (count != range->kept)
        bench_fail("a pipe kept %llu instead of %llu",
                   (unsigned long long)count, (unsigned long long)range->kept);
    return seconds;
}

static pipes_range whole(const pipes_trial *t) {
    return (pipes_range){.t = t,
                         .context = t->lab->run->context,
                         .condition = t->condition,
                         .device = t->lab->run->platform.ordinal,
                         .n = t->n,
                         .kept = t->kept};
}

double pipes_run(const pipes_trial *t, void *state) {
    pipes_range range = whole(t);
    const winnow_pipe_options *const options = state;
    if (options != NULL) {
        range.fetch = options->fetch;
        range.flags = options->flags;
    }
    return pipes_run_range(&range);
}

/* ------------------------------------------------------------------- copies */

double pipes_copy_range(const pipes_range *range) {
    const pipes_trial *const t = range->t;
    const uint64_t bytes =
        t->record_bytes != 0 ? t->record_bytes : sizeof(float);
    const unsigned char *const from =
        t->record_bytes != 0 ? t->records
                             : (const unsigned char *)(const void *)t->keys;
    const double start = begin(range);
    t->lab->run->platform.copy_through(
        range->device, from + range->first * bytes, range->n * bytes,
        t->out + range->before * bytes, range->kept * bytes, PIPES_PIECE);
    return bench_now() - start;
}

double pipes_copy(const pipes_trial *t, void *state) {
    pipes_range range = whole(t);
    pipes_trial from = *t;
    if (state != NULL) /* pinned memory with as many bytes */
        from.keys = state;
    range.t = &from;
    return pipes_copy_range(&range);
}

typedef struct staging {
    const unsigned char *from;
    unsigned char *to;
} staging;

static void stage(void *state, uint64_t at, size_t bytes, void *scratch) {
    const staging *const s = state;
    (void)scratch;
    memcpy(s->to + at % STAGED_BYTES, s->from + at, bytes);
}

double pipes_stage(const pipes_trial *t, void *state) {
    staging s = {(const unsigned char *)(const void *)t->keys, state};
    const double start = bench_now();
    pipes_each_piece(&(pipes_pieces){.bytes = pipes_bytes_in(t),
                                     .piece = STAGED_PIECE,
                                     .threads = pipes_threads(t),
                                     .run = stage,
                                     .state = &s});
    return bench_now() - start;
}

static void read_piece(void *state, uint64_t at, size_t bytes, void *scratch) {
    const pipes_trial *const t = state;
    if (pread(t->fd, scratch, bytes, (off_t)at) != (ssize_t)bytes)
        bench_fail("the file cannot be read");
}

double pipes_read(const pipes_trial *t, void *state) {
    pipes_trial copy = *t;
    (void)state;
    const double start = bench_now();
    pipes_each_piece(&(pipes_pieces){.bytes = pipes_bytes_in(t),
                                     .piece = READ_PIECE,
                                     .threads = pipes_threads(t),
                                     .run = read_piece,
                                     .state = &copy,
                                     .wants_scratch = 1});
    return bench_now() - start;
}
