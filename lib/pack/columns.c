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
#include "tile_host.h"

/* ----------------------------------------------------------------- checks */

static winnow_status check_column(const winnow__columns *columns, unsigned c,
                                  const winnow__query *query) {
    const winnow_move *const move = &columns->list[c];
    const winnow__array_name name = {
        .name = columns->is_single ? NULL : "moves", .number = c + 1};
    winnow_status status =
        winnow__check_elements(name, query->n, move->element_bytes);
    if (status != WINNOW_OK || query->launch.d_position == NULL)
        return status;
    if (query->capacity > UINTPTR_MAX / move->element_bytes)
        return winnow__fail(WINNOW_ERR_ARGUMENT,
                            "capacity is %llu: with launch->d_position it has "
                            "to be the number of elements that there is room "
                            "for",
                            (unsigned long long)query->capacity);
    if (columns->may_be_in_place && winnow__is_in_place(move))
        return winnow__fail(WINNOW_ERR_ARGUMENT,
                            "%sd_out is %sd_in: in place launch->d_position "
                            "has to be NULL",
                            winnow__before_member(name).text,
                            winnow__before_member(name).text);
    return WINNOW_OK;
}

winnow_status winnow__check_columns(const winnow__columns *columns,
                                    const winnow__query *query) {
    if (columns->number == 0 || columns->number > WINNOW__MOST_COLUMNS)
        return winnow__fail(WINNOW_ERR_ARGUMENT,
                            "move_count is %u: wanted 1 to %d columns",
                            columns->number, WINNOW__MOST_COLUMNS);
    if (columns->list == NULL)
        return winnow__fail(WINNOW_ERR_ARGUMENT, "moves is NULL");
    winnow_status status = WINNOW_OK;
    for (unsigned c = 0; c < columns->number && status == WINNOW_OK; c++)
        status = check_column(columns, c, query);
    return status;
}

/* ----------------------------------------------------------------- ranges */

static winnow__range column_range(const winnow__columns *columns, unsigned c,
                                  const winnow__query *query, bool written) {
    const winnow_move *const move = &columns->list[c];
    const char *const name = written ? "d_out" : "d_in";
    winnow__range range = winnow__elements_range(
        name, written ? move->d_out : move->d_in,
        written ? query->capacity : query->n, move->element_bytes, written);
    if (written && query->capacity != query->n)
        range.measure = "capacity";
    range.in_place = columns->may_be_in_place ? c + 1 : 0;
    if (!columns->is_single) {
        range.name = "moves";
        range.number = c + 1;
        range.member = name;
    }
    range.allowed = columns->allowed;
    return range;
}

int winnow__columns_ranges(const winnow__columns *columns,
                           const winnow__call *call, winnow__range *list) {
    int number = 0;
    for (unsigned c = 0; c < columns->number; c++) {
        list[number++] = column_range(columns, c, &call->query, false);
        list[number++] = column_range(columns, c, &call->query, true);
    }
    list[number] =
        winnow__result_range("d_count", call->count, sizeof *call->count);
    list[number++].wanted = false;
    return number;
}

/* ----------------------------------------------------------------- the host */

typedef struct host_work {
    const winnow__host_task *task;
    const winnow__selection *from;
    const void *in;
    unsigned char *out;
    uint64_t capacity;
    size_t bytes;
} host_work;

static void pack_tile(void *argument, uint64_t tile) {
    const host_work *const work = argument;
    const uint64_t before = work->from->before[tile];
    const winnow__host_items items = winnow__host_items_of(
        work->task, work->from, tile, work->in, work->bytes);
    if (before < work->capacity)
        winnow__host_pack_items(&items, work->out + before * work->bytes,
                                work->capacity - before);
}

static void pack_column(const winnow__host_task *task, host_work *work) {
    if (work->out == work->in)
        winnow__host_pack_in_place(task, work->from, work->out, work->capacity,
                                   work->bytes);
    else
        winnow__host_each_tile(task, work->from->tiles, pack_tile, work);
}

void winnow__pack_on_host(const winnow__host_task *task,
                          const winnow__call *call,
                          const winnow__columns *columns,
                          const winnow__selection *from) {
    uint64_t *const position = call->query.launch.d_position;
    const uint64_t total = from->before[from->tiles];
    uint64_t room;
    const uint64_t start =
        winnow__host_place(position, call->query.capacity, &room);
    for (unsigned c = 0; c < columns->number && room != 0 && total != 0; c++) {
        const winnow_move *const move = &columns->list[c];
        host_work work = {.task = task,
                          .from = from,
                          .in = move->d_in,
                          .out = (unsigned char *)move->d_out +
                                 start * move->element_bytes,
                          .capacity = room,
                          .bytes = move->element_bytes};
        pack_column(task, &work);
    }
    winnow__host_advance(position, room, total);
    if (call->count != NULL)
        *call->count = total;
}
