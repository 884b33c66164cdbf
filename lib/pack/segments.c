/*
 * winnow_selection_segments: counts the survivors of each segment of the items.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "segments.h"

#include "core/status.h"
#include "selection/sink.h"
#include "cuda/launch.h"
#include "kernels.h"

/* More than the memory of a GPU can hold; a grid can be as large. */
#define MOST_SEGMENTS (UINT64_C(1) << 32)

winnow_status winnow__check_segments(const winnow_segments *segments) {
    WINNOW__TRY(winnow__need(segments, "segments"));
    if (segments->type != WINNOW_UINT32 && segments->type != WINNOW_UINT64)
        return winnow__refuse(
            "segments->type %d, %s, is neither WINNOW_UINT32 nor WINNOW_UINT64",
            (int)segments->type, winnow_type_name(segments->type));
    if (segments->count > MOST_SEGMENTS)
        return winnow__unsupported(
            "segments->count is %llu: there are 2^32 segments at most",
            (unsigned long long)segments->count);
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
                           .measure = "segments->count",
                           .written = written};
}

int winnow__segments_ranges(const winnow_segments *segments,
                            winnow__range *list) {
    const unsigned size = winnow__type(segments->type)->size;
    const uint64_t count = segments->count;
    list[0] = numbers_range("segments->d_offsets", segments->d_offsets,
                            count + 1, size, false);
    list[1] = numbers_range("segments->d_counts", segments->d_counts, count,
                            size, true);
    list[2] = numbers_range("segments->d_out_offsets", segments->d_out_offsets,
                            count + 1, size, true);
    return 3;
}

/* ----------------------------------------------------------------- the host */

typedef struct host_work {
    const winnow_segments *segments;
    const winnow__selection *from;
    bool wide;
} host_work;

static uint64_t load(const host_work *work, uint64_t i) {
    const void *const offsets = work->segments->d_offsets;
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

/* Segments in one `tile` of the team's work. */
#define AT_A_TIME 1024

static void count_segments(void *argument, uint64_t tile) {
    const host_work *const work = argument;
    const winnow_segments *const segments = work->segments;
    const uint64_t first = tile * AT_A_TIME;
    uint64_t rank = winnow__host_rank(work->from, load(work, first));
    for (uint64_t i = first; i < first + AT_A_TIME && i < segments->count;
         i++) {
        const uint64_t end = winnow__host_rank(work->from, load(work, i + 1));
        store(work, segments->d_counts, i, end > rank ? end - rank : 0);
        store(work, segments->d_out_offsets, i, rank);
        rank = end;
    }
}

void winnow__segments_on_host(const winnow__host_task *task,
                              const winnow_segments *segments,
                              const winnow__selection *from) {
    host_work work = {.segments = segments,
                      .from = from,
                      .wide = segments->type == WINNOW_UINT64};
    winnow__host_each_tile(task, (segments->count + AT_A_TIME - 1) / AT_A_TIME,
                           count_segments, &work);
    store(&work, segments->d_out_offsets, segments->count,
          winnow__host_rank(work.from, load(&work, segments->count)));
}

/* ----------------------------------------------------------------- a device */

#ifdef WINNOW_CUDA
winnow_status winnow__segments_on_device(const winnow_segments *segments,
                                         const winnow__selection *from,
                                         winnow_stream stream) {
    const winnow__segments_args args = {.from = *from,
                                        .offsets = segments->d_offsets,
                                        .counts = segments->d_counts,
                                        .ranks = segments->d_out_offsets,
                                        .number = segments->count};
    const uint64_t blocks =
        winnow__divide_up(segments->count, WINNOW__SEGMENTS_PER_BLOCK);
    return winnow__launch(
        &winnow__selection_segments[segments->type == WINNOW_UINT64],
        blocks != 0 ? (unsigned)blocks : 1, &args, stream);
}
#endif

/* ---------------------------------------------------------------------- API */

static winnow_status check(winnow__query *query) {
    return winnow__check_segments(query->details);
}

static int ranges(const winnow__call *call, winnow__range *list) {
    return winnow__segments_ranges(call->query.details, list);
}

static void host(const winnow__call *call, const winnow__host_task *task,
                 const winnow__selection *from, void *memory) {
    (void)memory;
    winnow__segments_on_host(task, call->query.details, from);
}

#ifdef WINNOW_CUDA
static winnow_status device(const winnow__call *call,
                            const winnow__selection *from, void *memory) {
    (void)memory;
    return winnow__segments_on_device(call->query.details, from,
                                      call->query.launch.stream);
}
#endif

static const winnow__operation operation = WINNOW__SINK_OPERATION(
    "selection_segments", 0, .check = check, .ranges = ranges, .host = host,
    .device = WINNOW__IF_CUDA(device));

winnow_status winnow_selection_segments(winnow_context *context,
                                        const void *d_selection, uint64_t n,
                                        const winnow_segments *segments,
                                        const winnow_launch *launch) {
    winnow__call call = {.query = {.operation = &operation,
                                   .context = context,
                                   .n = n,
                                   .details = segments},
                         .in = d_selection};
    return winnow__do(&call, launch);
}
