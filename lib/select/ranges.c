/*
 * winnow_select_ranges: the items of the ranges that a selection keeps, such as the
 * children of lists.
 *
 * On the host, as on a device (kernels/select/ranges.cu), the beginning and the end
 * of each range are marked. An item is kept if the number of marks up to it is odd.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "core/array.h"
#include "core/status.h"
#include "selection/combine.h"
#include "selection/select.h"

#include <string.h>

#ifdef WINNOW_CUDA
#include "cuda/launch.h"
#include "cuda/memory.h"
#include "kernels/core/clear.h"
#include "kernels/select/args.h"
#include "kernels.h"
#endif

enum {
    TILE = WINNOW__SELECTION_TILE,
    WORDS = WINNOW__SELECTION_WORDS
};

/* `of` of the source is the caller's winnow_in. */
static bool is_wide(const winnow_in *ranges) {
    return ranges->type == WINNOW_STRING64;
}

static uint64_t items(const void *of) {
    return ((const winnow_in *)of)->data_size;
}

/* The number of items that offsets can reach. */
static uint64_t size_of(const winnow_in *ranges) {
    const uint64_t size = ranges->data_size;
    return is_wide(ranges) || size < INT32_MAX ? size : INT32_MAX;
}

static winnow_status check(const void *of, const winnow__query *query) {
    winnow_status status =
        winnow__check_in_of_strings((winnow__array_name){.name = "ranges"}, of);
    (void)query;
    return status != WINNOW_OK || items(of) <= WINNOW__SELECTION_MOST
               ? status
               : winnow__unsupported(
                     "ranges->data_size is %llu: a selection has at "
                     "most 2^42 items",
                     (unsigned long long)items(of));
}

static int of_ranges(const void *of, const winnow__call *call,
                     winnow__range *list) {
    const uint64_t n = call->query.n;
    const unsigned size = is_wide(of) ? 8 : 4;
    list[0] = winnow__selection_range("d_selection", call->in, n, false);
    list[1] = (winnow__range){.name = "ranges->d_base",
                              .start = ((const winnow_in *)of)->d_base,
                              .bytes = (n + 1) * size,
                              .alignment = size,
                              .wanted = true,
                              .measure = "n"};
    return 2;
}

/* Memory for trimming the selection of ranges. */
static size_t trim_bytes(const void *of, const winnow__query *query) {
    (void)of;
    return winnow__trim_bytes(query);
}

/* ----------------------------------------------------------------- the host */

typedef struct host_work {
    const winnow__host_loops *loops;
    winnow__selection from, to;
    const void *offsets;
    uint64_t size;
    bool wide;
} host_work;

static uint64_t load(const host_work *work, uint64_t i) {
    const uint64_t offset = work->wide ? ((const uint64_t *)work->offsets)[i]
                                       : ((const uint32_t *)work->offsets)[i];
    return offset < work->size ? offset : work->size;
}

/* The marks of one word, which are written together when the next word begins. */
typedef struct marked {
    uint32_t *keep, bits;
    uint64_t word, items;
} marked;

/* Relaxed: other threads flip other bits, and words are read after the team has
 * ended. */
static void write_marks(const marked *m) {
    if (m->bits != 0)
        (void)__atomic_fetch_xor(&m->keep[m->word], m->bits, __ATOMIC_RELAXED);
}

static void flip(marked *m, uint64_t item) {
    if (item >= m->items)
        return;
    if (item / 32 != m->word) {
        write_marks(m);
        m->word = item / 32;
        m->bits = 0;
    }
    m->bits ^= UINT32_C(1) << item % 32;
}

static void mark_tile(void *argument, uint64_t tile) {
    const host_work *const work = argument;
    marked m = {.keep = work->to.keep, .items = work->to.n};
    for (winnow__survivor s = winnow__first(&work->from, tile);
         winnow__next(&s);) {
        const uint64_t begin = load(work, s.item);
        const uint64_t end = load(work, s.item + 1);
        if (end <= begin)
            continue;
        flip(&m, begin);
        flip(&m, end);
    }
    write_marks(&m);
}

static void count_tile(void *argument, uint64_t tile) {
    const host_work *const work = argument;
    winnow__host_count_tile(work->loops, &work->to, tile);
}

static void fill_tile(void *argument, uint64_t tile) {
    const host_work *const work = argument;
    uint32_t *const words = work->to.keep + tile * WORDS;
    const unsigned items = winnow__tile_items(&work->to, tile);
    uint32_t odd = work->to.before[tile] % 2 != 0 ? UINT32_MAX : 0;
    for (unsigned w = 0; w < WORDS; w++) {
        uint32_t marks = words[w];
        for (unsigned step = 1; step < 32; step *= 2)
            marks ^= marks << step;
        marks ^= odd;
        odd = marks >> 31 != 0 ? UINT32_MAX : 0;
        words[w] = marks & winnow__bits_inside(w * 32, items);
    }
    winnow__host_count_tile(work->loops, &work->to, tile);
}

static void make_on_host(const void *of, const winnow__call *call,
                         const winnow__host_task *task, void *selection,
                         void *memory, const winnow__host_sink *sink) {
    const winnow_in *const ranges = of;
    (void)memory; /* already in the task */
    (void)sink;
    host_work work = {.loops = task->loops,
                      .from = winnow__trim_on_host(task, call->in),
                      .to = winnow__selection_at(selection, items(of)),
                      .offsets = ranges->d_base,
                      .size = size_of(ranges),
                      .wide = is_wide(ranges)};
    memset(work.to.keep, 0, work.to.tiles * WORDS * sizeof *work.to.keep);
    winnow__host_each_tile(task, work.from.tiles, mark_tile, &work);
    winnow__host_each_tile(task, work.to.tiles, count_tile, &work);
    winnow__host_scan(&work.to);
    winnow__host_each_tile(task, work.to.tiles, fill_tile, &work);
    winnow__host_scan(&work.to);
}

/* ----------------------------------------------------------------- a device */

#ifdef WINNOW_CUDA
static winnow_status mark(const winnow__ranges_args *args, bool wide,
                          winnow_stream stream) {
    const uint64_t blocks =
        winnow__divide_up(args->from.tiles, WINNOW__SOURCE_TILES);
    if (args->to.tiles == 0 || blocks == 0)
        return WINNOW_OK;
    return winnow__launch(&winnow__mark_ranges[wide], (unsigned)blocks, args,
                          stream);
}

static winnow_status make_on_device(const void *of, const winnow__call *call,
                                    void *selection, void *memory) {
    const winnow_stream stream = call->query.launch.stream;
    const winnow_in *const ranges = of;
    const uint64_t n = items(of);
    winnow__ranges_args args = {.offsets = ranges->d_base,
                                .size = size_of(ranges),
                                .to = winnow__selection_at(selection, n)};
    /* The marks themselves, with their number before each tile. */
    const winnow__combination counted = {
        .operation = WINNOW__AND, .a = selection, .b = selection};
    WINNOW__TRY(winnow__trim_on_device(call, call->in, memory, &args.from));
    if (args.to.tiles != 0)
        WINNOW__TRY(winnow__cuda_status(
            winnow__clear(args.to.keep,
                          args.to.tiles * WORDS * sizeof *args.to.keep, stream),
            "clearing the selection"));
    WINNOW__TRY(mark(&args, is_wide(ranges), stream));
    WINNOW__TRY(winnow__combine_on_device(call, &counted, n, NULL, selection));
    return winnow__launch_source(call, &winnow__fill_ranges,
                                 WINNOW__SOURCE_TILES, &args, &args.to);
}
#endif

winnow_status winnow_select_ranges(winnow_context *context,
                                   const void *d_selection,
                                   const winnow_in *ranges, uint64_t n,
                                   void *d_result, size_t result_bytes,
                                   const winnow_launch *launch) {
    static const winnow__operation operation =
        WINNOW__SELECT("select_ranges", WINNOW__NO_PREDICATE, 0);
    static const winnow__source_kind kind = {
        .check = check,
        .items = items,
        .ranges = of_ranges,
        .host_bytes = trim_bytes,
        .host = make_on_host,
        .device_bytes = WINNOW__IF_CUDA(trim_bytes),
        .device = WINNOW__IF_CUDA(make_on_device),
    };
    const winnow__source source = {.kind = &kind, .of = ranges};
    const winnow__selecting d = {.bytes = result_bytes, .result = "d_result"};
    winnow__call call = {.query = {.operation = &operation,
                                   .context = context,
                                   .n = n,
                                   .source = &source,
                                   .details = &d},
                         .in = d_selection,
                         .out = d_result};
    return winnow__do(&call, launch);
}
