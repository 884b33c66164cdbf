/*
 * winnow_fill_holes: fills the places that a selection does not keep, with
 * arriving elements and then with elements from the end.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fill_holes.h"

#include "columns.h"
#include "core/status.h"

/* ----------------------------------------------------------------- checks */

static winnow_status check_capacity(const winnow__filling *filling,
                                    uint64_t n) {
    if (filling->arrived > UINT64_MAX - n)
        return winnow__refuse("arrivals->n is %llu: with n of %llu that many "
                              "elements do not fit in the address space",
                              (unsigned long long)filling->arrived,
                              (unsigned long long)n);
    if (filling->capacity < n)
        return winnow__refuse("capacity is %llu, less than n, which is %llu",
                              (unsigned long long)filling->capacity,
                              (unsigned long long)n);
    return WINNOW_OK;
}

static winnow_status refuse_bits(const winnow__filling *filling) {
    for (unsigned c = 0; filling->moves != NULL && c < filling->number &&
                         c < WINNOW__MOST_COLUMNS;
         c++)
        if (winnow__is_of_bits(&filling->moves[c]))
            return winnow__unsupported(
                "moves[%u].type is bit: winnow_fill_holes "
                "moves no columns of bits",
                c);
    return WINNOW_OK;
}

static winnow_status check_room(const winnow__filling *filling) {
    for (unsigned c = 0; c < filling->number; c++) {
        const size_t bytes = filling->moves[c].element_bytes;
        const bool too_many = filling->arrived > UINTPTR_MAX / bytes;
        if (too_many || filling->capacity > UINTPTR_MAX / bytes)
            return winnow__refuse("%s is %llu: that many elements of %zu bytes "
                                  "do not fit in the address space",
                                  too_many ? "arrivals->n" : "capacity",
                                  (unsigned long long)(too_many
                                                           ? filling->arrived
                                                           : filling->capacity),
                                  bytes);
    }
    return WINNOW_OK;
}

static winnow_status check(winnow__query *query) {
    const winnow__filling *const filling = winnow__filling_of(query);
    const winnow__columns columns = {.list = filling->moves,
                                     .number = filling->number};
    WINNOW__TRY(refuse_bits(filling));
    WINNOW__TRY(winnow__check_columns(&columns, query));
    WINNOW__TRY(check_capacity(filling, query->n));
    return check_room(filling);
}

static winnow__range column_range(const winnow__filling *filling, unsigned c,
                                  bool written) {
    const winnow_move *const move = &filling->moves[c];
    winnow__range range =
        winnow__elements_range("moves", written ? move->d_out : move->d_in,
                               written ? filling->capacity : filling->arrived,
                               move->element_bytes, written);
    range.number = c + 1;
    range.member = written ? "d_out" : "d_in";
    range.measure = written ? "capacity" : "arrivals->n";
    return range;
}

static int ranges(const winnow__call *call, winnow__range *list) {
    const winnow__filling *const filling = winnow__filling_of(&call->query);
    int number = 0;
    for (unsigned c = 0; c < filling->number; c++) {
        list[number++] = column_range(filling, c, false);
        list[number++] = column_range(filling, c, true);
    }
    list[number] = winnow__result_range("arrivals->d_n", filling->d_arrived,
                                        sizeof *filling->d_arrived);
    list[number].wanted = false;
    list[number++].written = false;
    list[number] =
        winnow__result_range("d_count", call->count, sizeof *call->count);
    list[number++].wanted = false;
    return number;
}

static unsigned most_ranges(const winnow__query *query) {
    return 2 * winnow__filling_of(query)->number + 2;
}

#ifdef WINNOW_CUDA
static size_t device_bytes(const winnow__query *query) {
    (void)query;
    return sizeof(winnow__holes);
}
#endif

static const winnow__operation operation = WINNOW__SINK_OPERATION(
    "fill_holes", 0, .check = check, .ranges = ranges,
    .most_ranges = most_ranges, .host = winnow__fill_holes_on_host,
    .device_bytes = WINNOW__IF_CUDA(device_bytes),
    .device = WINNOW__IF_CUDA(winnow__fill_holes_on_device));

winnow_status winnow_fill_holes(winnow_context *context,
                                const void *d_selection, uint64_t n,
                                const winnow_arrivals *arrivals,
                                const winnow_move *moves, unsigned move_count,
                                uint64_t capacity, uint64_t *d_count,
                                const winnow_launch *launch) {
    const uint64_t arrived = arrivals != NULL ? arrivals->n : 0;
    const winnow__filling filling = {
        .moves = moves,
        .number = move_count,
        .arrived = arrived,
        .d_arrived = arrivals != NULL ? arrivals->d_n : NULL,
        .capacity = capacity == WINNOW_NO_LIMIT ? n + arrived : capacity};
    winnow__call call = {.query = {.operation = &operation,
                                   .context = context,
                                   .n = n,
                                   .details = &filling},
                         .in = d_selection,
                         .count = d_count};
    return winnow__do(&call, launch);
}
