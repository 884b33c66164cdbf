/*
 * winnow_select_if: a selection of the elements that pass a predicate.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "selection.h"

#ifdef WINNOW_CUDA
#include "selection_kernels.h"
#endif

static int ranges(const winnow__call *call, winnow__range *list) {
    list[0] = winnow__input_range(call);
    list[1] =
        winnow__selection_range("d_selection", call->out, call->query.n, true);
    return 2;
}

/* ----------------------------------------------------------------- the host */

typedef struct host_work {
    const winnow__test *test;
    const unsigned char *in;
    unsigned log2_size;
    winnow__selection to;
} host_work;

/* The bits of n elements, 32 at most. */
#define DEFINE_WORD(BITS)                                                      \
    static uint32_t word_##BITS(const winnow__test *test, const void *in,      \
                                unsigned n) {                                  \
        const uint##BITS##_t *const from = in;                                 \
        const uint##BITS##_t flip = (uint##BITS##_t)test->flip;                \
        const uint##BITS##_t mask = (uint##BITS##_t)test->mask;                \
        const uint##BITS##_t low = (uint##BITS##_t)test->low;                  \
        const uint##BITS##_t span = (uint##BITS##_t)test->span;                \
        uint32_t word = 0;                                                     \
        for (unsigned i = 0; i < n; i++) {                                     \
            const uint##BITS##_t x = from[i];                                  \
            const uint##BITS##_t sign = (uint##BITS##_t)(-(x >> (BITS - 1)));  \
            const uint##BITS##_t key =                                         \
                (uint##BITS##_t)((x ^ (sign & flip)) & mask);                  \
            word |= (uint32_t)((uint##BITS##_t)(key - low) <= span) << i;      \
        }                                                                      \
        return word;                                                           \
    }
DEFINE_WORD(8)
DEFINE_WORD(16)
DEFINE_WORD(32)
DEFINE_WORD(64)

winnow__host_word_of *const winnow__host_word[WINNOW__SIZES] = {
    word_8, word_16, word_32, word_64};

static void select_tile(void *argument, uint64_t tile) {
    const host_work *const work = argument;
    const unsigned items = winnow__tile_items(&work->to, tile);
    const uint64_t first = tile * WINNOW__SELECTION_TILE;
    uint32_t *const words = work->to.keep + tile * WINNOW__SELECTION_WORDS;
    for (unsigned w = 0; w < WINNOW__SELECTION_WORDS; w++) {
        const unsigned left = items > 32 * w ? items - 32 * w : 0;
        words[w] = left == 0
                       ? 0
                       : winnow__host_word[work->log2_size](
                             work->test,
                             work->in + ((first + 32 * w) << work->log2_size),
                             left < 32 ? left : 32);
    }
    winnow__host_count_tile(&work->to, tile);
}

void winnow__select_on_host(const winnow__host_task *task,
                            const winnow__test *test, unsigned log2_size,
                            const void *in, void *selection) {
    host_work work = {.test = test,
                      .in = in,
                      .log2_size = log2_size,
                      .to = winnow__selection_at(selection, task->n)};
    winnow__host_each_tile(task, work.to.tiles, select_tile, &work);
    winnow__host_scan(&work.to);
}

static winnow_status run_on_host(const winnow__call *call,
                                 const winnow__host_task *task) {
    winnow__select_on_host(task, &task->predicate->test,
                           task->predicate->type->log2_size, call->in,
                           call->out);
    return WINNOW_OK;
}

/* ----------------------------------------------------------------- a device */

#ifdef WINNOW_CUDA
winnow_status winnow__select_on_device(const winnow__test *test,
                                       unsigned log2_size, const void *in,
                                       uint64_t n, void *selection,
                                       winnow_stream stream) {
    const winnow__select_args args = {.args = {.test = *test, .in = in, .n = n},
                                      .to = winnow__selection_at(selection, n)};
    return winnow__launch_source(&winnow__select_if[log2_size], &args, &args.to,
                                 stream);
}

static winnow_status enqueue(const winnow__call *call, const winnow__plan *plan,
                             const struct winnow__workspace *memory) {
    const winnow_predicate *const predicate = call->query.predicate;
    (void)plan;
    (void)memory;
    return winnow__select_on_device(&predicate->test,
                                    predicate->type->log2_size, call->in,
                                    call->query.n, call->out, call->stream);
}
#endif

static const winnow__operation operation = {
    .check = winnow__check_source,
    .ranges = ranges,
    .run_on_host = run_on_host,
    .plan = WINNOW__IF_CUDA(winnow__plan_selection),
    .enqueue = WINNOW__IF_CUDA(enqueue),
};

winnow_status winnow_select_if(winnow_context *context,
                               const winnow_predicate *predicate,
                               const void *d_in, uint64_t n, void *d_selection,
                               size_t selection_bytes, winnow_stream stream) {
    winnow__call call = {.query = {.operation = &operation,
                                   .context = context,
                                   .predicate = predicate,
                                   .n = n,
                                   .details = &selection_bytes},
                         .in = d_in,
                         .out = d_selection,
                         .stream = stream};
    return winnow__do(&call, NULL);
}
