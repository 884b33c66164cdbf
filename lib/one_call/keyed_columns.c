/*
 * Columns packed by a predicate on one of them, in one pass over that one: a
 * selection would have to read it twice. TILE_SCAN's kernel packs the key's
 * column and makes the selection that packs the others (lib/one_call/marked.c).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "keyed_columns.h"

/* The key's number in the list, or that of columns: there is none. */
static unsigned find_key(const winnow__query *query,
                         const winnow__columns *columns, const void *key) {
    unsigned found = columns->number;
    for (unsigned c = 0; c < columns->number; c++) {
        const winnow_compact_column *const column = &columns->list[c];
        if (column->d_in == column->d_out)
            return columns->number;
        if (column->d_in == key && column->element_bytes == query->type->size &&
            (uintptr_t)column->d_out % column->element_bytes == 0)
            found = c;
    }
    return found;
}

bool winnow__is_keyed_columns(const winnow__query *query,
                              const winnow__constraints *constraints,
                              const winnow__columns *columns, const void *key) {
    return find_key(query, columns, key) != columns->number &&
           winnow__is_marked(query, constraints, WINNOW__SHAPE_marks_scan);
}

winnow_status winnow__plan_keyed_columns(const winnow__query *query,
                                         const winnow__constraints *constraints,
                                         winnow__plan *plan) {
    return winnow__plan_marked(query, constraints, WINNOW__SHAPE_marks_scan,
                               plan);
}

winnow_status
winnow__plan_any_keyed_columns(const winnow__query *query,
                               const winnow__constraints *constraints,
                               winnow__plan *plan) {
    return winnow__plan_any_marked(query, constraints, WINNOW__SHAPE_marks_scan,
                                   plan);
}

void winnow__set_key_column(const winnow__query *query,
                            const winnow__columns *columns, const void *key,
                            winnow__args *args) {
    args->sink.out = columns->list[find_key(query, columns, key)].d_out;
    args->sink.capacity =
        columns->capacity < query->n ? columns->capacity : query->n;
}

winnow_status
winnow__enqueue_keyed_columns(const winnow__call *call,
                              const winnow__plan *plan,
                              const struct winnow__workspace *memory,
                              const winnow__columns *columns, const void *key) {
    const unsigned found = find_key(&call->query, columns, key);
    winnow_compact_column list[WINNOW__MOST_COLUMNS];
    winnow__columns others = *columns;
    winnow__selection selection;
    others.list = list;
    others.number = 0;
    for (unsigned c = 0; c < columns->number; c++)
        if (c != found)
            list[others.number++] = columns->list[c];
    winnow_status status =
        winnow__enqueue_marked(call, plan, memory, &selection);
    return status == WINNOW_OK
               ? winnow__pack_on_device(call->query.context, &others,
                                        &selection, NULL, NULL, call->stream)
               : status;
}
