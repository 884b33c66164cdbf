/*
 * Columns packed by a predicate on one of them, in one pass over that one: a
 * selection would have to read it twice. TILE_SCAN's kernel packs the key's
 * column and makes the selection that packs the others (marked.c).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "keyed_columns.h"

unsigned winnow__find_key(const winnow__columns *columns, const void *key,
                          size_t bytes) {
    unsigned found = columns->number;
    for (unsigned c = 0; c < columns->number; c++) {
        const winnow_compact_column *const column = &columns->list[c];
        if (column->d_in == column->d_out)
            return columns->number;
        if (column->d_in == key && column->element_bytes == bytes &&
            (uintptr_t)column->d_out % bytes == 0)
            found = c;
    }
    return found;
}

winnow_status
winnow__enqueue_keyed_columns(const winnow__call *call,
                              const struct winnow__plan *plan,
                              const struct winnow__workspace *memory,
                              const winnow__columns *columns, unsigned key) {
    winnow_compact_column list[WINNOW__MOST_COLUMNS];
    winnow__columns others = *columns;
    winnow__selection selection;
    others.list = list;
    others.number = 0;
    for (unsigned c = 0; c < columns->number; c++)
        if (c != key)
            list[others.number++] = columns->list[c];
    winnow_status status =
        winnow__enqueue_marked(call, plan, memory, &selection);
    return status == WINNOW_OK
               ? winnow__pack_on_device(call->query.context, &others,
                                        &selection, NULL, NULL, call->stream)
               : status;
}
