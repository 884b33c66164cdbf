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

bool winnow__is_any_apart(const winnow__columns *columns) {
    for (unsigned c = 0; c < columns->number; c++)
        if (!winnow__is_in_place(&columns->list[c]))
            return true;
    return false;
}

winnow__host_packing winnow__begin_packing(const winnow__host_task *task,
                                           const winnow__call *call,
                                           const winnow__columns *columns,
                                           const winnow__selection *from) {
    winnow__host_packing packing = {
        .task = task, .from = from, .columns = columns};
    packing.start = winnow__host_place(call->query.launch.d_position,
                                       call->query.capacity, &packing.room);
    return packing;
}

enum {
    BATCH = 4 /* tiles whose few survivors are fetched together */
};

/* Of a tile that thread's own elements begin with, in all columns but those in
 * place. places: of its few survivors, or NULL. */
static void pack_tile(const winnow__host_packing *packing, uint64_t tile,
                      uint64_t own, const uint32_t *places) {
    const uint64_t before = packing->from->before[tile];
    const uint64_t room = packing->room - before;
    for (unsigned c = 0; c < packing->columns->number; c++) {
        const winnow_move *const move = &packing->columns->list[c];
        const size_t bytes = move->element_bytes;
        if (winnow__is_in_place(move))
            continue;
        winnow__host_items items = winnow__host_items_of(
            packing->task, packing->from, tile, move->d_in, bytes);
        items.own = own < room ? own : room;
        items.places = places;
        winnow__host_pack_items(&items,
                                (unsigned char *)move->d_out +
                                    (packing->start + before) * bytes,
                                room);
    }
}

/* List a tile's survivors and fetch them, if they are few: then true. */
static bool list_tile(const winnow__host_packing *packing, uint64_t tile,
                      uint32_t *places) {
    winnow__host_items items =
        winnow__host_items_of(packing->task, packing->from, tile, NULL, 0);
    if (!winnow__host_are_few(&items))
        return false;
    winnow__host_list(&items, places);
    items.places = places;
    for (unsigned c = 0; c < packing->columns->number; c++) {
        const winnow_move *const move = &packing->columns->list[c];
        items.in = (const unsigned char *)move->d_in +
                   items.first * move->element_bytes;
        items.bytes = move->element_bytes;
        winnow__host_fetch(&items);
    }
    return true;
}

/* `own` elements are this thread's. */
static void pack_batch(const winnow__host_packing *packing, uint64_t first,
                       uint64_t end, uint64_t own) {
    uint32_t places[BATCH][WINNOW__HOST_PLACES];
    bool listed[BATCH];
    for (uint64_t tile = first; tile < end; tile++)
        listed[tile - first] = list_tile(packing, tile, places[tile - first]);
    for (uint64_t tile = first; tile < end; tile++) {
        const unsigned kept = packing->from->counts[tile];
        if (kept != 0 && packing->from->before[tile] < packing->room)
            pack_tile(packing, tile, own,
                      listed[tile - first] ? places[tile - first] : NULL);
        own -= kept;
    }
}

void winnow__pack_tiles(void *argument, uint64_t first, uint64_t end) {
    const winnow__host_packing *const packing = argument;
    const uint16_t *const counts = packing->from->counts;
    uint64_t own = 0;
    for (uint64_t tile = first; tile < end; tile++)
        own += counts[tile];
    for (uint64_t tile = first; tile < end; tile += BATCH) {
        const uint64_t next = tile + BATCH < end ? tile + BATCH : end;
        pack_batch(packing, tile, next, own);
        for (uint64_t i = tile; i < next; i++)
            own -= counts[i];
    }
}

void winnow__end_packing(const winnow__host_packing *packing,
                         const winnow__call *call) {
    const winnow__selection *const from = packing->from;
    const uint64_t total = from->before[from->tiles];
    for (unsigned c = 0; c < packing->columns->number; c++) {
        const winnow_move *const move = &packing->columns->list[c];
        if (winnow__is_in_place(move) && total != 0 && packing->room != 0)
            winnow__host_pack_in_place(packing->task, from, move->d_out,
                                       packing->room, move->element_bytes);
    }
    winnow__host_advance(call->query.launch.d_position, packing->room, total);
    if (call->count != NULL)
        *call->count = total;
}

void winnow__pack_on_host(const winnow__host_task *task,
                          const winnow__call *call,
                          const winnow__columns *columns,
                          const winnow__selection *from) {
    winnow__host_packing packing =
        winnow__begin_packing(task, call, columns, from);
    if (winnow__is_any_apart(columns))
        winnow__host_each_tiles(task, from->tiles, winnow__pack_tiles,
                                &packing);
    winnow__end_packing(&packing, call);
}
