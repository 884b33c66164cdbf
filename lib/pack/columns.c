/*
 * Packs columns by a selection: checks, and the work on the host.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "columns.h"

#include "core/status.h"
#include "tile_host.h"

#include <stdio.h>

/* ----------------------------------------------------------------- checks */

/* Check the offset of a column of bits. `which` is d_in or d_out. */
static winnow_status check_offset(winnow__array_name name, const char *which,
                                  const void *base, uint64_t offset,
                                  uint64_t n) {
    char prefix[48];
    snprintf(prefix, sizeof prefix, "%s%s_", winnow__before_member(name).text,
             which);
    return winnow__check_bits(prefix, base, offset, n);
}

static winnow_status check_bits(winnow__array_name name,
                                const winnow_move *move,
                                const winnow__query *query) {
    if (move->element_bytes != 0)
        return winnow__refuse("%selement_bytes is %zu: wanted 0 for bits",
                              winnow__before_member(name).text,
                              move->element_bytes);
    WINNOW__TRY(
        check_offset(name, "in", move->d_in, move->in_offset, query->n));
    return check_offset(name, "out", move->d_out, move->out_offset, query->n);
}

/* Check a column without bits: all members that describe bits have to be 0. */
static winnow_status check_bytes(winnow__array_name name,
                                 const winnow_move *move,
                                 const winnow__query *query) {
    if (move->type != WINNOW_OPAQUE)
        return winnow__refuse("%stype is %s: wanted WINNOW_OPAQUE, with an "
                              "element_bytes, or WINNOW_BIT",
                              winnow__before_member(name).text,
                              winnow_type_name(move->type));
    if (move->in_offset != 0 || move->out_offset != 0)
        return winnow__refuse(
            "%s%s is %llu: only columns of WINNOW_BIT have offsets",
            winnow__before_member(name).text,
            move->in_offset != 0 ? "in_offset" : "out_offset",
            (unsigned long long)(move->in_offset != 0 ? move->in_offset
                                                      : move->out_offset));
    return winnow__check_elements(name, query->n, move->element_bytes);
}

/* The most elements that the address space has room for. */
static uint64_t most_elements(const winnow_move *move) {
    return winnow__is_of_bits(move) ? UINTPTR_MAX / 8
                                    : UINTPTR_MAX / move->element_bytes;
}

static winnow_status check_column(const winnow__columns *columns, unsigned c,
                                  const winnow__query *query) {
    const winnow_move *const move = &columns->list[c];
    const winnow__array_name name = {
        .name = columns->is_single ? NULL : "moves", .number = c + 1};
    WINNOW__TRY(winnow__is_of_bits(move) ? check_bits(name, move, query)
                                         : check_bytes(name, move, query));
    if (move->reserved[0] != 0 || move->reserved[1] != 0)
        return winnow__refuse("%sreserved is not 0",
                              winnow__before_member(name).text);
    if (query->launch.d_position == NULL)
        return WINNOW_OK;
    if (query->capacity > most_elements(move))
        return winnow__refuse(
            "capacity is %llu: with launch->d_position it has to be the number "
            "of elements that there is room for",
            (unsigned long long)query->capacity);
    if (columns->may_be_in_place && winnow__is_in_place(move))
        return winnow__refuse(
            "%sd_out is %sd_in: in place launch->d_position has to be NULL",
            winnow__before_member(name).text, winnow__before_member(name).text);
    return WINNOW_OK;
}

winnow_status winnow__check_columns(const winnow__columns *columns,
                                    const winnow__query *query) {
    if (columns->number == 0 || columns->number > WINNOW__MOST_COLUMNS)
        return winnow__refuse("move_count is %u: wanted 1 to %d columns",
                              columns->number, WINNOW__MOST_COLUMNS);
    WINNOW__TRY(winnow__need(columns->list, "moves"));
    for (unsigned c = 0; c < columns->number; c++)
        WINNOW__TRY(check_column(columns, c, query));
    return WINNOW_OK;
}

/* ----------------------------------------------------------------- ranges */

winnow__range winnow__move_range(const char *name, const winnow_move *move,
                                 uint64_t number, bool written) {
    const void *const base = written ? move->d_out : move->d_in;
    return winnow__is_of_bits(move)
               ? winnow__bits_range(
                     name, base, written ? move->out_offset : move->in_offset,
                     number, written)
               : winnow__elements_range(name, base, number, move->element_bytes,
                                        written);
}

static winnow__range column_range(const winnow__columns *columns, unsigned c,
                                  const winnow__query *query, bool written) {
    const winnow_move *const move = &columns->list[c];
    const char *const name = written ? "d_out" : "d_in";
    winnow__range range = winnow__move_range(
        name, move, written ? query->capacity : query->n, written);
    if (written && query->capacity != query->n)
        range.measure = "capacity";
    range.in_place =
        columns->may_be_in_place && move->in_offset == move->out_offset ? c + 1
                                                                        : 0;
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

bool winnow__are_tiles_packed(const winnow__columns *columns) {
    for (unsigned c = 0; c < columns->number; c++)
        if (winnow__is_of_bits(&columns->list[c]) ||
            !winnow__is_in_place(&columns->list[c]))
            return true;
    return false;
}

uint64_t winnow__bits_in_place_bytes(const winnow__columns *columns,
                                     uint64_t n) {
    uint64_t bytes = 0;
    for (unsigned c = 0; c < columns->number; c++)
        if (columns->may_be_in_place && winnow__is_of_bits(&columns->list[c]) &&
            winnow__is_in_place(&columns->list[c]))
            bytes += winnow__packed_bits_bytes(n);
    return bytes;
}

winnow__host_packing winnow__begin_packing(const winnow__host_task *task,
                                           const winnow__call *call,
                                           const winnow__columns *columns,
                                           const winnow__selection *from,
                                           void *memory) {
    winnow__host_packing packing = {
        .task = task, .from = from, .columns = columns, .memory = memory};
    packing.start = winnow__host_place(call->query.launch.d_position,
                                       call->query.capacity, &packing.room);
    return packing;
}

enum {
    BATCH = 4, /* tiles whose few survivors are prefetched together */
    PART = 16  /* tiles after whose bytes their bits are packed */
};

/* The packing of a column of bits. In place it is packed into memory at
 * *memory_p, which is advanced for the next column. */
static winnow__bit_packing bits_of(const winnow__host_packing *packing,
                                   const winnow_move *move,
                                   unsigned char **memory_p) {
    winnow__bits out = winnow__bits_out(move);
    if (winnow__is_in_place(move)) {
        out.start = *memory_p;
        *memory_p += winnow__packed_bits_bytes(packing->from->n);
    }
    return (winnow__bit_packing){.in = winnow__bits_in(move),
                                 .out = winnow__bits_from(out, packing->start),
                                 .room = packing->room};
}

/* Pack a tile into all columns but those in place and those of bits. This thread's own
 * elements begin with the tile's. places: of its survivors if they are few, else
 * NULL. */
static void pack_tile(const winnow__host_packing *packing, uint64_t tile,
                      uint64_t own, const uint32_t *places) {
    const uint64_t before = packing->from->before[tile];
    const uint64_t room = packing->room - before;
    for (unsigned c = 0; c < packing->columns->number; c++) {
        const winnow_move *const move = &packing->columns->list[c];
        const size_t bytes = move->element_bytes;
        if (winnow__is_of_bits(move) || winnow__is_in_place(move))
            continue;
        winnow__host_items items = winnow__host_items_of(
            packing->task->loops, packing->from, tile, move->d_in, bytes);
        items.own = own < room ? own : room;
        items.places = places;
        winnow__host_pack_items(&items,
                                (unsigned char *)move->d_out +
                                    (packing->start + before) * bytes,
                                room);
    }
}

/* If a tile's survivors are few, list and prefetch them, and return true. */
static bool list_tile(const winnow__host_packing *packing, uint64_t tile,
                      uint32_t *places) {
    winnow__host_items items = winnow__host_items_of(
        packing->task->loops, packing->from, tile, NULL, 0);
    if (!winnow__host_are_few(&items))
        return false;
    winnow__host_list(&items, places);
    items.places = places;
    for (unsigned c = 0; c < packing->columns->number; c++) {
        const winnow_move *const move = &packing->columns->list[c];
        if (winnow__is_of_bits(move))
            continue; /* all of it is read */
        items.in = (const unsigned char *)move->d_in +
                   items.first * move->element_bytes;
        items.bytes = move->element_bytes;
        winnow__host_fetch(&items);
    }
    return true;
}

/* Is any column of bytes packed into other memory? */
static bool has_bytes_apart(const winnow__columns *columns) {
    for (unsigned c = 0; c < columns->number; c++)
        if (!winnow__is_of_bits(&columns->list[c]) &&
            !winnow__is_in_place(&columns->list[c]))
            return true;
    return false;
}

/* Pack the columns of bits. */
static void pack_bits(const winnow__host_packing *packing, uint64_t first,
                      uint64_t end) {
    unsigned char *memory = packing->memory;
    for (unsigned c = 0; c < packing->columns->number; c++) {
        const winnow_move *const move = &packing->columns->list[c];
        if (!winnow__is_of_bits(move))
            continue;
        const winnow__bit_packing bits = bits_of(packing, move, &memory);
        winnow__host_pack_bits_of_tiles(packing->task, packing->from, &bits,
                                        first, end);
    }
}

/* Pack all columns but bits. `own` elements of the output are this thread's. */
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
    const bool has_bytes = has_bytes_apart(packing->columns);
    uint64_t own = 0;
    for (uint64_t tile = first; tile < end; tile++)
        own += counts[tile];
    /* Pack the bits while the keep bits are still in a near cache. */
    for (uint64_t part = first; part < end; part += PART) {
        const uint64_t last = part + PART < end ? part + PART : end;
        for (uint64_t tile = has_bytes ? part : last; tile < last;
             tile += BATCH) {
            const uint64_t next = tile + BATCH < last ? tile + BATCH : last;
            pack_batch(packing, tile, next, own);
            for (uint64_t i = tile; i < next; i++)
                own -= counts[i];
        }
        pack_bits(packing, part, last);
    }
}

void winnow__end_packing(const winnow__host_packing *packing,
                         const winnow__call *call) {
    const winnow__selection *const from = packing->from;
    const uint64_t total = from->before[from->tiles];
    unsigned char *memory = packing->memory;
    for (unsigned c = 0; c < packing->columns->number; c++) {
        const winnow_move *const move = &packing->columns->list[c];
        if (winnow__is_of_bits(move)) {
            const winnow__bit_packing bits = bits_of(packing, move, &memory);
            if (winnow__is_in_place(move))
                winnow__host_copy_bits(
                    packing->task, bits.out, winnow__bits_out(move),
                    total < packing->room ? total : packing->room);
            continue;
        }
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
                          const winnow__selection *from, void *memory) {
    winnow__host_packing packing =
        winnow__begin_packing(task, call, columns, from, memory);
    if (winnow__are_tiles_packed(columns))
        winnow__host_each_tiles(task, from->tiles, winnow__pack_tiles,
                                &packing);
    winnow__end_packing(&packing, call);
}
