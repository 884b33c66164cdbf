/*
 * Which calls take one pass, and their plans.
 *
 * The choice depends on addresses, which a query of a plan does not know. A
 * selection takes more than 512 bytes for 4096 items; a look-back takes a word
 * for a tile of 48 KiB. So a query plans memory for a selection, if the call
 * has one, and for a look-back, too, if a key may be packed and marked.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "one_pass.h"
#include "core/array.h"
#include "cuda/run.h"

/* ----------------------------------------------------------------- records */

/* Is the key a field of the records to pack? */
static bool find_records(const winnow__query *query, winnow__records *records) {
    const winnow__one_call *const d = winnow__one_call_of(query);
    const winnow_in *const key = query->source->key;
    if (key == NULL || query->source->heads || d->columns.number != 1)
        return false;
    const winnow_move *const move = &d->columns.list[0];
    const uintptr_t field = (uintptr_t)key->d_base - (uintptr_t)move->d_in;
    const size_t size = winnow_type_size(key->type);
    *records = (winnow__records){.in = move->d_in,
                                 .out = move->d_out,
                                 .bytes = move->element_bytes,
                                 .field = field};
    return winnow__stride_of(key) == (int64_t)move->element_bytes &&
           field < move->element_bytes && size <= move->element_bytes - field;
}

static winnow_status plan_records(const winnow__query *query,
                                  const winnow__constraints *constraints,
                                  winnow__plan *plan, bool *planned_p) {
    winnow__constraints there = *constraints;
    winnow__records records;
    winnow__input input;
    if (!constraints->located || query->launch.d_position != NULL ||
        !find_records(query, &records))
        return WINNOW_OK;
    there.in = (uintptr_t)records.in;
    WINNOW__TRY(winnow__find_records_scan(query, &records, &input, planned_p));
    if (!*planned_p)
        return WINNOW_OK;
    plan->one_pass.kind = WINNOW__BY_RECORDS;
    return winnow__plan_look_back(&input, &there, WINNOW__SHAPE_records_scan,
                                  plan);
}

/* ------------------------------------------------------------------- parts */

static winnow_status plan_parts(const winnow__query *query,
                                const winnow__constraints *constraints,
                                winnow__plan *plan, bool *planned_p) {
    const winnow__split *const split = winnow__one_call_of(query)->split;
    winnow__input input;
    if (!constraints->located || split->in_one_array)
        return WINNOW_OK;
    winnow_status status = winnow__input_of(query, &input);
    *planned_p = status == WINNOW_OK &&
                 winnow__is_one_pass(&input, WINNOW__SHAPE_parts_scan);
    if (!*planned_p)
        return status;
    plan->one_pass.kind = WINNOW__BY_PARTS;
    return winnow__plan_look_back(&input, constraints, WINNOW__SHAPE_parts_scan,
                                  plan);
}

/* --------------------------------------------------------------------- key */

/* The source's key if it is contiguous and of a size that tiles have; else
 * NULL. */
static const winnow_in *dense_key(const winnow__query *query) {
    const winnow_in *const key = query->source->key;
    if (key == NULL)
        return NULL;
    const size_t bytes = winnow__element_bytes(key->type, key->element_bytes);
    return winnow__stride_of(key) == (int64_t)bytes && bytes <= 8 &&
                   (bytes & (bytes - 1)) == 0
               ? key
               : NULL;
}

static bool is_move_of(const winnow_move *move, const winnow_in *key,
                       size_t bytes, bool located) {
    return move->element_bytes == bytes &&
           (!located ||
            (move->d_in == key->d_base && (uintptr_t)move->d_in % bytes == 0 &&
             (uintptr_t)move->d_out % bytes == 0));
}

/* The index of the move that packs the key. The number of columns if there is
 * none, or if a column is packed in place. */
static unsigned find_key(const winnow__columns *columns, const winnow_in *key,
                         size_t bytes, bool located) {
    unsigned found = columns->number;
    for (unsigned c = 0; c < columns->number; c++) {
        if (winnow__is_in_place(&columns->list[c]))
            return columns->number;
        if (is_move_of(&columns->list[c], key, bytes, located))
            found = c;
    }
    return found;
}

/* Marks are whole words, so the input has to begin at a vector. They cover all n
 * items, and columns packed by them can only begin at the front of the output. */
static bool may_mark(const winnow__query *query,
                     const winnow__constraints *constraints) {
    return !constraints->located ||
           (constraints->in % 16 == 0 && query->launch.d_n == NULL &&
            query->launch.d_position == NULL);
}

static winnow_status plan_key(const winnow__query *query,
                              const winnow__constraints *constraints,
                              winnow__plan *plan, bool *planned_p) {
    const winnow__one_call *const d = winnow__one_call_of(query);
    const winnow_in *const key = dense_key(query);
    const bool marks = d->columns.number > 1 || d->segments != NULL;
    const bool heads = query->source->heads;
    const winnow__shape shape = heads ? (marks ? WINNOW__SHAPE_heads_marks_scan
                                               : WINNOW__SHAPE_heads_scan)
                                      : (marks ? WINNOW__SHAPE_marks_scan
                                               : WINNOW__SHAPE_tile_scan_large);
    winnow__one_pass pass = {.kind = WINNOW__BY_KEY};
    winnow__input input;
    if (key == NULL ||
        (marks ? !may_mark(query, constraints) : !constraints->located))
        return WINNOW_OK;
    const size_t bytes = winnow__element_bytes(key->type, key->element_bytes);
    pass.key = find_key(&d->columns, key, bytes, constraints->located);
    winnow_status status =
        heads ? winnow__input_of_items(query, (unsigned)bytes, &input)
              : winnow__input_of(query, &input);
    *planned_p = status == WINNOW_OK && pass.key != d->columns.number &&
                 winnow__is_one_pass(&input, shape);
    if (!*planned_p)
        return status;
    plan->one_pass = pass;
    status = winnow__plan_look_back(&input, constraints, shape, plan);
    if (marks) {
        plan->mode = WINNOW__SEVERAL;
        plan->other = winnow__selection_needed(query->n);
    }
    return status;
}

/* ------------------------------------------------------------------ any way */

winnow_status winnow__plan_one_pass(const winnow__query *query,
                                    const winnow__constraints *constraints,
                                    winnow__plan *plan, bool *planned_p) {
    *planned_p = false;
    if (winnow__one_call_of(query)->split != NULL)
        return plan_parts(query, constraints, plan, planned_p);
    WINNOW__TRY(plan_records(query, constraints, plan, planned_p));
    return !*planned_p ? plan_key(query, constraints, plan, planned_p)
                       : WINNOW_OK;
}

void winnow__set_one_pass(const winnow__call *call,
                          const winnow__one_pass *pass, winnow__args *args) {
    const winnow__one_call *const d = winnow__one_call_of(&call->query);
    winnow__records records;
    args->sink.count = (unsigned long long *)call->count;
    args->sink.capacity = call->query.capacity;
    args->sink.position = call->query.launch.d_position;
    if (pass->kind == WINNOW__BY_PARTS) {
        args->sink.out = d->split->kept.d_base;
        args->sink.count = (unsigned long long *)d->split->counts;
        args->parts.rejected = d->split->rejected.d_base;
    } else if (pass->kind == WINNOW__BY_KEY) {
        args->sink.out = d->columns.list[pass->key].d_out;
    } else if (find_records(&call->query, &records)) {
        winnow__set_records(&call->query, &records, args);
    }
}

winnow_status winnow__enqueue_marked(const winnow__call *call,
                                     const winnow__plan *plan,
                                     const winnow__workspace *memory,
                                     const winnow__selection *selection) {
    winnow__args args = winnow__arguments(call, plan);
    bool refused;
    args.cursor = memory->cursor;
    args.after_clear = memory->cleared;
    args.marked.words = selection->keep;
    return winnow__run_plan(call, plan, memory, &args, &refused);
}
