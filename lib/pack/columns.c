/*
 * Packing columns by a selection: their checks, and the work on the host.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "columns.h"
#include "core/status.h"

#include <string.h>

/* ----------------------------------------------------------------- checks */

static winnow_status check_column(const winnow__columns *columns, unsigned c,
                                  uint64_t n) {
    const winnow_compact_column *const column = &columns->list[c];
    winnow_status status = winnow__check_elements(n, column->element_bytes);
    if (status != WINNOW_OK || columns->position == NULL)
        return status;
    if (columns->capacity > UINTPTR_MAX / column->element_bytes)
        return winnow__fail(WINNOW_ERR_ARGUMENT,
                            "capacity is %llu: with d_position it has to be "
                            "the number of elements that there is room for",
                            (unsigned long long)columns->capacity);
    if (columns->may_be_in_place && column->d_in == column->d_out)
        return columns->is_single
                   ? winnow__fail(WINNOW_ERR_ARGUMENT,
                                  "d_out is d_in: in place d_position has to "
                                  "be NULL")
                   : winnow__fail(WINNOW_ERR_ARGUMENT,
                                  "columns[%u].d_out is columns[%u].d_in: in "
                                  "place d_position has to be NULL",
                                  c, c);
    return WINNOW_OK;
}

winnow_status winnow__check_columns(const winnow__columns *columns,
                                    uint64_t n) {
    if (columns->number == 0 || columns->number > WINNOW__MOST_COLUMNS)
        return winnow__fail(WINNOW_ERR_ARGUMENT,
                            "number is %u: wanted 1 to %d columns",
                            columns->number, WINNOW__MOST_COLUMNS);
    if (columns->list == NULL)
        return winnow__fail(WINNOW_ERR_ARGUMENT, "columns is NULL");
    winnow_status status = WINNOW_OK;
    for (unsigned c = 0; c < columns->number && status == WINNOW_OK; c++)
        status = check_column(columns, c, n);
    return status;
}

/* ----------------------------------------------------------------- ranges */

/* Without a position nothing is written behind n elements. */
static uint64_t capacity_of(const winnow__columns *columns, uint64_t n) {
    return columns->position == NULL && columns->capacity > n
               ? n
               : columns->capacity;
}

static winnow__range column_range(const winnow__columns *columns, unsigned c,
                                  uint64_t n, bool written) {
    const winnow_compact_column *const column = &columns->list[c];
    const char *const name = written ? "d_out" : "d_in";
    winnow__range range =
        winnow__elements_range(name, written ? column->d_out : column->d_in, n,
                               column->element_bytes, written);
    range.in_place = columns->may_be_in_place ? c + 1 : 0;
    if (!columns->is_single) {
        range.name = "columns";
        range.number = c + 1;
        range.member = name;
    }
    return range;
}

int winnow__columns_ranges(const winnow__columns *columns, uint64_t n,
                           const uint64_t *count, winnow__range *list) {
    const uint64_t capacity = capacity_of(columns, n);
    int number = 0;
    for (unsigned c = 0; c < columns->number; c++) {
        list[number++] = column_range(columns, c, n, false);
        list[number++] = column_range(columns, c, capacity, true);
    }
    list[number] = winnow__result_range("d_position", columns->position,
                                        sizeof *columns->position);
    list[number++].wanted = false;
    list[number] = winnow__result_range("d_count", count, sizeof *count);
    list[number++].wanted = false;
    return number;
}

/* ----------------------------------------------------------------- the host */

typedef struct host_work {
    const winnow__selection *from;
    const unsigned char *in;
    unsigned char *out;
    uint64_t capacity;
    size_t bytes;
} host_work;

static void pack_tile(void *argument, uint64_t tile) {
    const host_work *const work = argument;
    const uint64_t before = work->from->before[tile];
    const uint64_t end = work->from->before[tile + 1];
    const uint64_t first = tile * WINNOW__SELECTION_TILE;
    if (end - before == winnow__tile_items(work->from, tile) &&
        end <= work->capacity) {
        memcpy(work->out + before * work->bytes, work->in + first * work->bytes,
               (end - before) * work->bytes);
        return;
    }
    for (winnow__survivor s = winnow__first(work->from, tile);
         winnow__next(&s) && s.rank < work->capacity;)
        winnow__copy_element(work->out, s.rank, work->in, s.item, work->bytes);
}

static void pack_column(const winnow__host_task *task, host_work *work) {
    if (work->out == work->in)
        winnow__host_pack_in_place(task, work->from, work->out, work->capacity,
                                   work->bytes);
    else
        winnow__host_each_tile(task, work->from->tiles, pack_tile, work);
}

void winnow__pack_on_host(const winnow__host_task *task,
                          const winnow__columns *columns,
                          const winnow__selection *from, uint64_t *count) {
    const uint64_t total = from->before[from->tiles];
    uint64_t room;
    const uint64_t start = winnow__host_place(
        columns->position, capacity_of(columns, task->n), &room);
    for (unsigned c = 0; c < columns->number && room != 0 && total != 0; c++) {
        const winnow_compact_column *const column = &columns->list[c];
        host_work work = {.from = from,
                          .in = column->d_in,
                          .out = (unsigned char *)column->d_out +
                                 start * column->element_bytes,
                          .capacity = room,
                          .bytes = column->element_bytes};
        pack_column(task, &work);
    }
    winnow__host_advance(columns->position, room, total);
    if (count != NULL)
        *count = total;
}
