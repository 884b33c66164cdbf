/*
 * winnow_compact_index: the indices of a selection's survivors.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "columns.h"

#include "core/status.h"
#include "selection/sink.h"
#include "tile_host.h"
#include "kernels.h"

static const winnow__type_info *index_of(const winnow__query *query) {
    return winnow__type(*(const winnow_type *)query->details);
}

static winnow_status check(winnow__query *query) {
    const winnow_type type = *(const winnow_type *)query->details;
    WINNOW__TRY(winnow__check_index_type(type, query->n));
    if (query->launch.d_position != NULL &&
        query->capacity > UINTPTR_MAX / index_of(query)->size)
        return winnow__refuse(
            "capacity is %llu: with launch->d_position it has to be the number "
            "of indices that there is room for",
            (unsigned long long)query->capacity);
    return WINNOW_OK;
}

static int ranges(const winnow__call *call, winnow__range *list) {
    const winnow__query *const query = &call->query;
    const unsigned size = index_of(query)->size;
    list[0] = winnow__elements_range("d_indices", call->out, query->capacity,
                                     size, true);
    list[0].alignment = size;
    if (query->capacity != query->n)
        list[0].measure = "capacity";
    list[1] = winnow__result_range("d_count", call->count, sizeof *call->count);
    list[1].wanted = false;
    return 2;
}

/* ----------------------------------------------------------------- the host */

typedef struct host_work {
    const winnow__host_task *task;
    const winnow__selection *from;
    uint64_t capacity;
    unsigned char *out;
    unsigned size;
} host_work;

static void write_tile(void *argument, uint64_t tile) {
    const host_work *const work = argument;
    const uint64_t before = work->from->before[tile];
    const winnow__host_items items = winnow__host_items_of(
        work->task->loops, work->from, tile, NULL, work->size);
    if (before < work->capacity)
        winnow__host_pack_items(&items, work->out + before * work->size,
                                work->capacity - before);
}

static void host(const winnow__call *call, const winnow__host_task *task,
                 const winnow__selection *from, void *memory) {
    uint64_t *const position = call->query.launch.d_position;
    const unsigned size = index_of(&call->query)->size;
    host_work work = {.task = task, .from = from, .size = size};
    const uint64_t total = from->before[from->tiles];
    const uint64_t start =
        winnow__host_place(position, call->query.capacity, &work.capacity);
    (void)memory;
    work.out = (unsigned char *)call->out + start * size;
    winnow__host_each_tile(task, from->tiles, write_tile, &work);
    winnow__host_advance(position, work.capacity, total);
    if (call->count != NULL)
        *call->count = total;
}

/* ----------------------------------------------------------------- a device */

#ifdef WINNOW_CUDA
static winnow_status device(const winnow__call *call,
                            const winnow__selection *from, void *memory) {
    const winnow__query *const query = &call->query;
    uint64_t *const position = query->launch.d_position;
    winnow__compact_index_args args = {
        .from = *from,
        .out = call->out,
        .capacity = query->capacity,
        .count = (unsigned long long *)call->count,
        .position = (unsigned long long *)position};
    (void)memory;
    WINNOW__TRY(winnow__tiles_per_block(query->context, from, 1, &args.tiles));
    WINNOW__TRY(
        winnow__launch_sink(&winnow__compact_index[index_of(query)->size == 8],
                            args.tiles, &args, from, query->launch.stream));
    return winnow__launch_advance(from, position, args.capacity,
                                  query->launch.stream);
}
#endif

static const winnow__operation operation = WINNOW__SINK_OPERATION(
    "compact_index", WINNOW__TAKES_POSITION | WINNOW__TAKES_CAPACITY,
    .check = check, .ranges = ranges, .host = host,
    .device = WINNOW__IF_CUDA(device));

winnow_status winnow_compact_index(winnow_context *context,
                                   const void *d_selection, uint64_t n,
                                   winnow_type index_type, void *d_indices,
                                   uint64_t capacity, uint64_t *d_count,
                                   const winnow_launch *launch) {
    winnow__call call = {.query = {.operation = &operation,
                                   .context = context,
                                   .n = n,
                                   .capacity = capacity,
                                   .details = &index_type},
                         .in = d_selection,
                         .out = d_indices,
                         .count = d_count};
    return winnow__do(&call, launch);
}
