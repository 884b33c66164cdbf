/*
 * winnow_selection_combine, winnow_selection_not: selections of selections.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "combine.h"
#include "core/status.h"
#include "select.h"

#include <string.h>

/* --------------------------------------------------------------------- trim */

size_t winnow__trim_bytes(const winnow__query *query) {
    return query->launch.d_n != NULL ? winnow__selection_needed(query->n) : 0;
}

/* The selection AND itself, which clears the items from *d_n on. */
static winnow__combination trimmed(const void *selection) {
    return (winnow__combination){
        .operation = WINNOW__AND, .a = selection, .b = selection};
}

winnow__selection winnow__trim_on_host(const winnow__host_task *task,
                                       const void *selection) {
    const winnow__combination combination = trimmed(selection);
    if (task->n == task->bound)
        return winnow__task_selection(task, selection);
    winnow__combine_on_host(task, &combination, task->memory);
    return winnow__task_selection(task, task->memory);
}

#ifdef WINNOW_CUDA
winnow_status winnow__trim_on_device(const winnow__call *call,
                                     const void *selection, void *memory,
                                     winnow__selection *from_p) {
    const winnow__combination combination = trimmed(selection);
    const uint64_t n = call->query.n;
    const uint64_t *const d_n = call->query.launch.d_n;
    *from_p = winnow__selection_at(d_n == NULL ? selection : memory, n);
    return d_n == NULL
               ? WINNOW_OK
               : winnow__combine_on_device(call, &combination, n, d_n, memory);
}
#endif

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
    winnow__selection to; /* its n: the number of items, after d_n was read */
} host_work;

/* A whole tile, without a branch for each word. */
static void combine_words(unsigned operation, const uint32_t *a,
                          const uint32_t *b, uint32_t *to) {
#define EACH(word)                                                             \
    for (unsigned w = 0; w < WINNOW__SELECTION_WORDS; w++)                     \
        to[w] = (word);                                                        \
    break
    switch (operation) {
    case WINNOW__AND:
        EACH(a[w] & b[w]);
    case WINNOW__OR:
        EACH(a[w] | b[w]);
    case WINNOW__AND_NOT:
        EACH(a[w] & ~b[w]);
    case WINNOW__XOR:
        EACH(a[w] ^ b[w]);
    default:
        EACH(~a[w]);
    }
#undef EACH
}

/* The result may be one of the operands, so it is written after both are read. */
static void combine_tile(void *argument, uint64_t tile, unsigned char *buffer) {
    const host_work *const work = argument;
    (void)buffer;
    uint32_t made[WINNOW__SELECTION_WORDS];
    const unsigned items = winnow__tile_items(&work->to, tile);
    const uint64_t first = tile * WINNOW__SELECTION_WORDS;
    combine_words(work->operation, work->a + first,
                  work->b != NULL ? work->b + first : NULL, made);
    for (unsigned w = items / 32; w < WINNOW__SELECTION_WORDS; w++)
        made[w] &= winnow__bits_inside(32 * w, items);
    memcpy(work->to.keep + first, made, sizeof made);
    winnow__host_count_tile(work->loops, &work->to, tile);
}

void winnow__combine_on_host(const winnow__host_task *task,
                             const winnow__combination *combination,
                             void *result) {
    host_work work = {.loops = task->loops,
                      .operation = combination->operation,
                      .a = words_of(combination->a, task->bound),
                      .b = words_of(combination->b, task->bound),
                      .to = winnow__task_selection(task, result)};
    winnow__host_make(task, &work.to, combine_tile, &work, NULL);
}

/* ----------------------------------------------------------------- a device */

#ifdef WINNOW_CUDA
winnow_status winnow__combine_on_device(const winnow__call *call,
                                        const winnow__combination *combination,
                                        uint64_t n, const uint64_t *d_n,
                                        void *result) {
    const winnow__combine_args args = {.a = words_of(combination->a, n),
                                       .b = words_of(combination->b, n),
                                       .operation = combination->operation,
                                       .items = (const unsigned long long *)d_n,
                                       .to = winnow__selection_at(result, n)};
    return winnow__launch_source(call, &winnow__selection_combine,
                                 WINNOW__SOURCE_TILES, &args, &args.to);
}
#endif

/* ---------------------------------------------------------------------- API */

/* If the result is one of the operands, it is listed only once. */
static int ranges(const void *of, const winnow__call *call,
                  winnow__range *list) {
    const winnow__combination *const c = of;
    const uint64_t n = call->query.n;
    const bool has_b = c->operation != WINNOW__NOT;
    int number = 0;
    if (c->a == NULL || c->a != call->out)
        list[number++] = winnow__selection_range(has_b ? "d_a" : "d_selection",
                                                 c->a, n, false);
    if (has_b && (c->b == NULL || c->b != call->out))
        list[number++] = winnow__selection_range("d_b", c->b, n, false);
    return number;
}

static void make_on_host(const void *of, const winnow__call *call,
                         const winnow__host_task *task, void *selection,
                         void *memory, const winnow__host_sink *sink) {
    (void)call;
    (void)memory;
    (void)sink;
    winnow__combine_on_host(task, of, selection);
}

#ifdef WINNOW_CUDA
static winnow_status make_on_device(const void *of, const winnow__call *call,
                                    void *selection, void *memory) {
    (void)memory;
    return winnow__combine_on_device(call, of, call->query.n,
                                     call->query.launch.d_n, selection);
}
#endif

static winnow_status run(winnow_context *context,
                         const winnow__operation *operation,
                         const winnow__combination *c, uint64_t n,
                         void *d_result, size_t result_bytes,
                         const winnow_launch *launch) {
    static const winnow__source_kind kind = {
        .ranges = ranges,
        .host = make_on_host,
        .device = WINNOW__IF_CUDA(make_on_device),
    };
    const winnow__source source = {.kind = &kind, .of = c};
    const winnow__selecting d = {.bytes = result_bytes, .result = "d_result"};
    winnow__call call = {.query = {.operation = operation,
                                   .context = context,
                                   .n = n,
                                   .source = &source,
                                   .details = &d},
                         .in = c->a,
                         .out = d_result};
    return winnow__do(&call, launch);
}

winnow_status winnow_selection_combine(winnow_context *context,
                                       winnow_combine combine, const void *d_a,
                                       const void *d_b, uint64_t n,
                                       void *d_result, size_t result_bytes,
                                       const winnow_launch *launch) {
    static const winnow__operation operation =
        WINNOW__SELECT("selection_combine", WINNOW__NO_PREDICATE, 0);
    const winnow__combination c = {
        .operation = (unsigned)combine, .a = d_a, .b = d_b};
    if ((unsigned)combine >= WINNOW__NOT)
        return winnow__refuse("combine %d is no winnow_combine", (int)combine);
    return run(context, &operation, &c, n, d_result, result_bytes, launch);
}

winnow_status winnow_selection_not(winnow_context *context,
                                   const void *d_selection, uint64_t n,
                                   void *d_result, size_t result_bytes,
                                   const winnow_launch *launch) {
    static const winnow__operation operation =
        WINNOW__SELECT("selection_not", WINNOW__NO_PREDICATE, 0);
    const winnow__combination c = {.operation = WINNOW__NOT, .a = d_selection};
    return run(context, &operation, &c, n, d_result, result_bytes, launch);
}
