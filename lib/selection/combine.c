/*
 * winnow_selection_combine, winnow_selection_not: selections of selections.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "combine.h"

#include "core/status.h"

#ifdef WINNOW_CUDA
extern const winnow__kernel winnow__selection_combine;
#endif

static const uint32_t *words_of(const void *selection, uint64_t n) {
    return selection != NULL ? winnow__selection_at(selection, n).keep : NULL;
}

/* ----------------------------------------------------------------- the host */

typedef struct host_work {
    const winnow__host_loops *loops;
    unsigned operation;
    const uint32_t *a, *b;
    winnow__selection to; /* its n: the items that there are */
} host_work;

static uint32_t combine_words(unsigned operation, uint32_t a, uint32_t b) {
    switch (operation) {
    case WINNOW__AND:
        return a & b;
    case WINNOW__OR:
        return a | b;
    case WINNOW__AND_NOT:
        return a & ~b;
    case WINNOW__XOR:
        return a ^ b;
    default:
        return ~a;
    }
}

static void combine_tile(void *argument, uint64_t tile, unsigned char *buffer) {
    const host_work *const work = argument;
    (void)buffer;
    const unsigned items = winnow__tile_items(&work->to, tile);
    const uint64_t first = tile * WINNOW__SELECTION_WORDS;
    for (unsigned w = 0; w < WINNOW__SELECTION_WORDS; w++) {
        const unsigned left = items > 32 * w ? items - 32 * w : 0;
        const uint32_t inside =
            left >= 32 ? UINT32_MAX : (UINT32_C(1) << left) - 1;
        const uint64_t i = first + w;
        work->to.keep[i] = combine_words(work->operation, work->a[i],
                                         work->b != NULL ? work->b[i] : 0) &
                           inside;
    }
    winnow__host_count_tile(work->loops, &work->to, tile);
}

void winnow__combine_on_host(const winnow__host_task *task,
                             const winnow__combination *combination,
                             void *result) {
    host_work work = {.loops = task->loops,
                      .operation = combination->operation,
                      .a = words_of(combination->a, task->bound),
                      .b = words_of(combination->b, task->bound),
                      .to = winnow__selection_at(result, task->bound)};
    work.to.n = task->n;
    winnow__host_make(task, &work.to, combine_tile, &work, NULL);
}

/* ----------------------------------------------------------------- a device */

#ifdef WINNOW_CUDA
winnow_status winnow__combine_on_device(const winnow__combination *combination,
                                        uint64_t n, void *result,
                                        winnow_stream stream) {
    const winnow__combine_args args = {
        .a = words_of(combination->a, n),
        .b = words_of(combination->b, n),
        .operation = combination->operation,
        .items = (const unsigned long long *)combination->d_n,
        .to = winnow__selection_at(result, n)};
    return winnow__launch_source(&winnow__selection_combine,
                                 WINNOW__SOURCE_TILES, &args, &args.to, stream);
}
#endif

/* ---------------------------------------------------------------------- API */

typedef struct details {
    size_t selection_bytes; /* first: winnow__check_source() */
    unsigned operation;
    const void *a, *b;
} details;

static winnow__combination combination_of(const winnow__query *query) {
    const details *const d = query->details;
    return (winnow__combination){.operation = d->operation,
                                 .a = d->a,
                                 .b = d->b,
                                 .d_n = query->launch.d_n};
}

/* The result may be one of the two: it is listed once then. */
static int ranges(const winnow__call *call, winnow__range *list) {
    const details *const d = call->query.details;
    const uint64_t n = call->query.n;
    const bool has_b = d->operation != WINNOW__NOT;
    int number = 0;
    if (d->a == NULL || d->a != call->out)
        list[number++] = winnow__selection_range(has_b ? "d_a" : "d_selection",
                                                 d->a, n, false);
    if (has_b && (d->b == NULL || d->b != call->out))
        list[number++] = winnow__selection_range("d_b", d->b, n, false);
    list[number++] = winnow__selection_range("d_result", call->out, n, true);
    return number;
}

static winnow_status run_on_host(const winnow__call *call,
                                 const winnow__host_task *task) {
    const winnow__combination combination = combination_of(&call->query);
    winnow__combine_on_host(task, &combination, call->out);
    return WINNOW_OK;
}

#ifdef WINNOW_CUDA
static winnow_status enqueue(const winnow__call *call, const winnow__plan *plan,
                             const struct winnow__workspace *memory) {
    const winnow__combination combination = combination_of(&call->query);
    (void)plan;
    (void)memory;
    return winnow__combine_on_device(&combination, call->query.n, call->out,
                                     call->query.launch.stream);
}
#endif

#define OPERATION(NAME)                                                        \
    {                                                                          \
        .name = NAME, .takes = WINNOW__TAKES_N,                                \
        .predicate = WINNOW__NO_PREDICATE, .check = winnow__check_source,      \
        .ranges = ranges, .run_on_host = run_on_host,                          \
        .plan = WINNOW__IF_CUDA(winnow__plan_source),                          \
        .enqueue = WINNOW__IF_CUDA(enqueue),                                   \
    }

static winnow_status run(winnow_context *context,
                         const winnow__operation *operation, const details *d,
                         uint64_t n, void *d_result,
                         const winnow_launch *launch) {
    winnow__call call = {.query = {.operation = operation,
                                   .context = context,
                                   .n = n,
                                   .details = d},
                         .in = d->a,
                         .out = d_result};
    return winnow__do(&call, launch);
}

winnow_status winnow_selection_combine(winnow_context *context,
                                       winnow_combine combine, const void *d_a,
                                       const void *d_b, uint64_t n,
                                       void *d_result, size_t result_bytes,
                                       const winnow_launch *launch) {
    static const winnow__operation operation = OPERATION("selection_combine");
    const details d = {.selection_bytes = result_bytes,
                       .operation = (unsigned)combine,
                       .a = d_a,
                       .b = d_b};
    if ((unsigned)combine >= WINNOW__NOT)
        return winnow__fail(WINNOW_ERR_ARGUMENT,
                            "combine %d is no winnow_combine", (int)combine);
    return run(context, &operation, &d, n, d_result, launch);
}

winnow_status winnow_selection_not(winnow_context *context,
                                   const void *d_selection, uint64_t n,
                                   void *d_result, size_t result_bytes,
                                   const winnow_launch *launch) {
    static const winnow__operation operation = OPERATION("selection_not");
    const details d = {.selection_bytes = result_bytes,
                       .operation = WINNOW__NOT,
                       .a = d_selection};
    return run(context, &operation, &d, n, d_result, launch);
}
