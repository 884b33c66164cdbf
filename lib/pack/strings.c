/*
 * winnow_compact_strings: the strings that a selection keeps.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "strings.h"

#include "core/status.h"
#include "split.h"

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

/* The bytes of the input that offsets can reach. */
static uint64_t size_of(const winnow__query *query) {
    const uint64_t size = details_of(query)->strings->data_size;
    const uint64_t most = winnow__most_bytes(is_wide(query));
    return size < most ? size : most;
}

uint64_t winnow__string_room(const winnow__query *query) {
    const uint64_t capacity = details_of(query)->data_capacity;
    const uint64_t most = winnow__most_bytes(is_wide(query));
    return capacity == WINNOW_NO_LIMIT ? size_of(query)
           : capacity < most           ? capacity
                                       : most;
}

/* The validity is ignored: the column may be one that a condition reads. */
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
    return winnow__check_string_bytes(query, name, strings);
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

/* Without an output for bytes, no bytes are read. */
static int ranges(const winnow__call *call, winnow__range *list) {
    const winnow__query *const query = &call->query;
    const winnow_in *const strings = details_of(query)->strings;
    const bool has_out = call->out != NULL;
    list[0] =
        offsets_range("strings->d_base", strings->d_base, query->n + 1, query);
    list[1] = bytes_range("strings->d_data", strings->d_data,
                          has_out ? size_of(query) : 0, "strings->data_size");
    list[1].wanted = has_out && size_of(query) != 0;
    list[2] =
        offsets_range("d_offsets", call->memory, query->capacity + 1, query);
    list[2].written = true;
    if (query->capacity != query->n)
        list[2].measure = "offsets_capacity";
    list[3] =
        bytes_range("d_data", call->out,
                    has_out ? winnow__string_room(query) : 0, "data_capacity");
    list[3].written = true;
    list[4] = winnow__counts_range(call->count);
    return 5;
}

winnow__string_packing winnow__string_packing_of(const winnow__call *call) {
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
                                    .room = winnow__string_room(query)};
}

static const winnow__operation operation = WINNOW__SINK_OPERATION(
    "compact_strings", WINNOW__TAKES_CAPACITY, .check = check, .ranges = ranges,
    .host_bytes = winnow__strings_host_bytes,
    .host = winnow__pack_strings_on_host,
    .device_bytes = WINNOW__IF_CUDA(winnow__strings_device_bytes),
    .device = WINNOW__IF_CUDA(winnow__pack_strings_on_device));

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
