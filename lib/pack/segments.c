/*
 * winnow_selection_segments: the survivors of each segment of the items.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "segments.h"
#include "core/status.h"

#ifdef WINNOW_CUDA
#include "cuda/launch.h"
#include "selection/kernels.h"
#endif

/* More than a GPU has memory for; a grid has room for them. */
#define MOST_SEGMENTS (UINT64_C(1) << 32)

winnow_status winnow__check_segments(const winnow__segments *segments) {
    if (segments->offset_type != WINNOW_UINT32 &&
        segments->offset_type != WINNOW_UINT64)
        return winnow__fail(WINNOW_ERR_ARGUMENT,
                            "offset_type %d is neither WINNOW_UINT32 nor "
                            "WINNOW_UINT64",
                            (int)segments->offset_type);
    if (segments->number > MOST_SEGMENTS)
        return winnow__fail(WINNOW_ERR_UNSUPPORTED,
                            "number is %llu: there are 2^32 segments at most",
                            (unsigned long long)segments->number);
    return WINNOW_OK;
}

static winnow__range numbers_range(const char *name, const void *start,
                                   uint64_t number, unsigned size,
                                   bool written) {
    return (winnow__range){.name = name,
                           .start = start,
                           .bytes = number * size,
                           .alignment = size,
                           .wanted = !written,
                           .measure = "number",
                           .written = written};
}

int winnow__segments_ranges(const winnow__segments *segments,
                            winnow__range *list) {
    const unsigned size = winnow__type(segments->offset_type)->size;
    const uint64_t number = segments->number;
    list[0] =
        numbers_range("d_offsets", segments->offsets, number + 1, size, false);
    list[1] = numbers_range("d_counts", segments->counts, number, size, true);
    list[2] =
        numbers_range("d_out_offsets", segments->ranks, number + 1, size, true);
    return 3;
}

/* ----------------------------------------------------------------- the host */

typedef struct host_work {
    const winnow__segments *segments;
    const winnow__selection *from;
    bool wide;
} host_work;

static uint64_t load(const host_work *work, uint64_t i) {
    const void *const offsets = work->segments->offsets;
    return work->wide ? ((const uint64_t *)offsets)[i]
                      : ((const uint32_t *)offsets)[i];
}

static void store(const host_work *work, void *to, uint64_t i, uint64_t value) {
    if (to == NULL)
        return;
    if (work->wide)
        ((uint64_t *)to)[i] = value;
    else
        ((uint32_t *)to)[i] = (uint32_t)value;
}

/* Survivors before an offset, or before n if that is less. */
static uint64_t rank_of(const host_work *work, uint64_t offset) {
    const winnow__selection *const from = work->from;
    const uint64_t item = offset < from->n ? offset : from->n;
    const uint64_t tile = item / WINNOW__SELECTION_TILE;
    uint64_t rank = from->before[tile];
    for (uint64_t w = tile * WINNOW__SELECTION_WORDS; w < item / 32; w++)
        rank += (unsigned)__builtin_popcount(from->keep[w]);
    if (item % 32 != 0)
        rank += (unsigned)__builtin_popcount(from->keep[item / 32] &
                                             ((UINT32_C(1) << item % 32) - 1));
    return rank;
}

/* So many segments are a `tile` of the team's work. */
#define AT_A_TIME 1024

static void count_segments(void *argument, uint64_t tile) {
    const host_work *const work = argument;
    const winnow__segments *const segments = work->segments;
    const uint64_t first = tile * AT_A_TIME;
    uint64_t rank = rank_of(work, load(work, first));
    for (uint64_t i = first; i < first + AT_A_TIME && i < segments->number;
         i++) {
        const uint64_t end = rank_of(work, load(work, i + 1));
        store(work, segments->counts, i, end > rank ? end - rank : 0);
        store(work, segments->ranks, i, rank);
        rank = end;
    }
}

void winnow__segments_on_host(const winnow__host_task *task,
                              const winnow__segments *segments,
                              const winnow__selection *from) {
    host_work work = {.segments = segments,
                      .from = from,
                      .wide = segments->offset_type == WINNOW_UINT64};
    winnow__host_each_tile(task, (segments->number + AT_A_TIME - 1) / AT_A_TIME,
                           count_segments, &work);
    store(&work, segments->ranks, segments->number,
          rank_of(&work, load(&work, segments->number)));
}

/* ----------------------------------------------------------------- a device */

#ifdef WINNOW_CUDA
winnow_status winnow__segments_on_device(const winnow__segments *segments,
                                         const winnow__selection *from,
                                         winnow_stream stream) {
    const winnow__segments_args args = {.from = *from,
                                        .offsets = segments->offsets,
                                        .counts = segments->counts,
                                        .ranks = segments->ranks,
                                        .number = segments->number};
    const uint64_t blocks =
        (segments->number + WINNOW__SEGMENTS_PER_BLOCK - 1) /
        WINNOW__SEGMENTS_PER_BLOCK;
    return winnow__launch(
        &winnow__selection_segments[segments->offset_type == WINNOW_UINT64],
        blocks != 0 ? (unsigned)blocks : 1, &args, stream);
}
#endif

/* ---------------------------------------------------------------------- API */

static winnow_status check(winnow__query *query) {
    winnow_status status = winnow__check_segments(query->details);
    return status == WINNOW_OK ? winnow__check_selection(query) : status;
}

static int ranges(const winnow__call *call, winnow__range *list) {
    list[0] =
        winnow__selection_range("d_selection", call->in, call->query.n, false);
    return 1 + winnow__segments_ranges(call->query.details, list + 1);
}

static winnow_status run_on_host(const winnow__call *call,
                                 const winnow__host_task *task) {
    const winnow__selection from = winnow__selection_at(call->in, task->n);
    winnow__segments_on_host(task, call->query.details, &from);
    return WINNOW_OK;
}

#ifdef WINNOW_CUDA
static winnow_status enqueue(const winnow__call *call, const winnow__plan *plan,
                             const struct winnow__workspace *memory) {
    const winnow__selection from =
        winnow__selection_at(call->in, call->query.n);
    (void)plan;
    (void)memory;
    return winnow__segments_on_device(call->query.details, &from, call->stream);
}
#endif

static const winnow__operation operation = {
    .predicate = WINNOW__NO_PREDICATE,
    .check = check,
    .ranges = ranges,
    .run_on_host = run_on_host,
    .plan = WINNOW__IF_CUDA(winnow__plan_selection),
    .enqueue = WINNOW__IF_CUDA(enqueue),
};

winnow_status winnow_selection_segments(winnow_context *context,
                                        const void *d_selection, uint64_t n,
                                        winnow_type offset_type,
                                        uint64_t number, const void *d_offsets,
                                        void *d_counts, void *d_out_offsets,
                                        winnow_stream stream) {
    const winnow__segments segments = {.offset_type = offset_type,
                                       .number = number,
                                       .offsets = d_offsets,
                                       .counts = d_counts,
                                       .ranks = d_out_offsets};
    winnow__call call = {.query = {.operation = &operation,
                                   .context = context,
                                   .n = n,
                                   .details = &segments},
                         .in = d_selection,
                         .stream = stream};
    return winnow__do(&call, NULL);
}
