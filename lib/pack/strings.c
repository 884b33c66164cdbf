/*
 * winnow_compact_strings: the strings that a selection keeps.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "strings.h"

#include "core/array.h"
#include "core/status.h"
#include "selection/trim.h"
#include "split.h"

#ifdef WINNOW_CUDA
#include "cuda/memory.h"
#endif

typedef struct details {
    const winnow_in *strings;
    uint64_t data_capacity;
} details;

static const details *details_of(const winnow__query *query) {
    return query->details;
}

static bool is_wide(const winnow__query *query) {
    return details_of(query)->strings->type == WINNOW_STRING64;
}

/* Bytes of the input that offsets reach. */
static uint64_t size_of(const winnow__query *query) {
    const uint64_t size = details_of(query)->strings->data_size;
    const uint64_t most = winnow__most_bytes(is_wide(query));
    return size < most ? size : most;
}

/* Bytes that are written at most. */
static uint64_t room_of(const winnow__query *query) {
    const uint64_t capacity = details_of(query)->data_capacity;
    const uint64_t most = winnow__most_bytes(is_wide(query));
    return capacity == WINNOW_NO_LIMIT ? size_of(query)
           : capacity < most           ? capacity
                                       : most;
}

/* Their validity is not read: the array may be the one that a condition took. */
static winnow_status check(winnow__query *query) {
    const winnow__array_name name = {.name = "strings"};
    const winnow_in *const strings = details_of(query)->strings;
    winnow_in bytes = {0};
    if (strings != NULL)
        bytes = *strings;
    bytes.d_valid = NULL;
    bytes.valid_offset = 0;
    WINNOW__TRY(
        winnow__check_in_of_strings(name, strings != NULL ? &bytes : NULL));
    WINNOW__TRY(winnow__check_string_bytes(query, name, strings));
    return winnow__check_selection(query);
}

static winnow__range bytes_range(const char *name, const void *start,
                                 uint64_t bytes, const char *measure) {
    return (winnow__range){.name = name,
                           .start = start,
                           .bytes = bytes,
                           .alignment = 1,
                           .measure = measure};
}

static winnow__range offsets_range(const char *name, const void *start,
                                   uint64_t number,
                                   const winnow__query *query) {
    const unsigned size = is_wide(query) ? 8 : 4;
    winnow__range range = bytes_range(name, start, number * size, "n");
    range.alignment = size;
    range.wanted = true;
    return range;
}

/* Without an output for bytes, none are read. */
static int ranges(const winnow__call *call, winnow__range *list) {
    const winnow__query *const query = &call->query;
    const winnow_in *const strings = details_of(query)->strings;
    const bool has_out = call->out != NULL;
    list[0] = winnow__selection_range("d_selection", call->in, query->n, false);
    list[1] =
        offsets_range("strings->d_base", strings->d_base, query->n + 1, query);
    list[2] = bytes_range("strings->d_data", strings->d_data,
                          has_out ? size_of(query) : 0, "strings->data_size");
    list[2].wanted = has_out && size_of(query) != 0;
    list[3] =
        offsets_range("d_offsets", call->memory, query->capacity + 1, query);
    list[3].written = true;
    if (query->capacity != query->n)
        list[3].measure = "offsets_capacity";
    list[4] = bytes_range("d_data", call->out, has_out ? room_of(query) : 0,
                          "data_capacity");
    list[4].written = true;
    list[5] = winnow__counts_range(call->count);
    return 6;
}

static winnow__string_packing packing_of(const winnow__call *call) {
    const winnow__query *const query = &call->query;
    const winnow_in *const strings = details_of(query)->strings;
    return (winnow__string_packing){.offsets = strings->d_base,
                                    .data = strings->d_data,
                                    .size = size_of(query),
                                    .is_wide = is_wide(query),
                                    .out_offsets =
                                        (void *)(uintptr_t)call->memory,
                                    .out = call->out,
                                    .capacity = query->capacity,
                                    .room = room_of(query),
                                    .counts = call->count};
}

static size_t host_bytes(const winnow__query *query) {
    return winnow__trim_bytes(query) + winnow__strings_host_bytes(query->n);
}

static winnow_status run_on_host(const winnow__call *call,
                                 const winnow__host_task *task) {
    const winnow__selection from = winnow__trim_on_host(call, task, call->in);
    const winnow__string_packing packing = packing_of(call);
    winnow__pack_strings_on_host(task, &from, &packing,
                                 (unsigned char *)task->memory +
                                     winnow__trim_bytes(&call->query));
    return WINNOW_OK;
}

#ifdef WINNOW_CUDA
static winnow_status plan(const winnow__query *query,
                          const winnow__constraints *constraints,
                          winnow__plan *plan_p) {
    (void)constraints;
    winnow__plan_several(
        winnow__trim_bytes(query) +
            winnow__strings_device_bytes(query->n, room_of(query)),
        plan_p);
    return WINNOW_OK;
}

static winnow_status enqueue(const winnow__call *call,
                             const winnow__plan *plan_,
                             const winnow__workspace *memory) {
    const winnow__string_packing packing = packing_of(call);
    winnow__selection from;
    (void)plan_;
    WINNOW__TRY(winnow__trim_on_device(call, call->in, memory->rest, &from));
    return winnow__pack_strings_on_device(call->query.context, &from, &packing,
                                          (unsigned char *)memory->rest +
                                              winnow__trim_bytes(&call->query),
                                          call->query.launch.stream);
}
#endif

static const winnow__operation operation = {
    .name = "compact_strings",
    .takes = WINNOW__TAKES_N | WINNOW__TAKES_CAPACITY,
    .predicate = WINNOW__NO_PREDICATE,
    .check = check,
    .ranges = ranges,
    .host_bytes = host_bytes,
    .run_on_host = run_on_host,
    .plan = WINNOW__IF_CUDA(plan),
    .enqueue = WINNOW__IF_CUDA(enqueue),
};

winnow_status winnow_compact_strings(
    winnow_context *context, const void *d_selection, const winnow_in *strings,
    uint64_t n, void *d_offsets, uint64_t offsets_capacity, void *d_data,
    uint64_t data_capacity, uint64_t *d_counts, const winnow_launch *launch) {
    const details d = {.strings = strings, .data_capacity = data_capacity};
    winnow__call call = {.query = {.operation = &operation,
                                   .context = context,
                                   .n = n,
                                   .capacity = offsets_capacity,
                                   .details = &d},
                         .in = d_selection,
                         .out = d_data,
                         .count = d_counts,
                         .memory = d_offsets};
    return winnow__do(&call, launch);
}
