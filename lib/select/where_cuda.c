/*
 * The kernel of a condition, and the tables of its sets.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "cuda/launch.h"
#include "selection/kernels.h"
#include "set/tables.h"
#include "where.h"
#include "where_compiled.h"
#include "where_order.h"
#include "where_program.h"
#include "where_strings.h"
#include "where_values.h"

enum {
    /* Of dynamic shared memory a kernel may have more than this once CUDA has
     * been told. */
    MOST_UNTOLD = 48 << 10,
    /* Blocks of a multiprocessor that tables are copied for, at most. */
    MOST_BLOCKS = 3
};

typedef struct launch {
    winnow__kernel kernel;
    unsigned tiles_per_block;
    winnow__set_ref *set; /* of its arguments, */
    unsigned sets;
} launch;

/* ------------------------------------------------------------------ tables */

static winnow_status use_of(const winnow__call *call, winnow__table_use *use) {
    winnow_status status = winnow__is_captured(call, &use->captured);
    use->may_not_make =
        use->captured ? "the call is captured into a graph"
        : call->query.launch.d_workspace != NULL
            ? "the call has a workspace, so that it allocates nothing"
            : NULL;
    return status;
}

/* And large patterns of strings. */
static winnow_status find_tables(const winnow__call *call,
                                 winnow__compiled *compiled,
                                 winnow__set_ref set[]) {
    winnow__table_use use = {0};
    winnow_status status = use_of(call, &use);
    if (status == WINNOW_OK)
        status =
            winnow__find_where_patterns(call->query.context, compiled, &use);
    for (unsigned i = 0; i < compiled->sets && status == WINNOW_OK; i++)
        status = winnow__table_of(call->query.context, compiled->set[i], &use,
                                  &set[i]);
    return status;
}

winnow_status winnow__make_where_tables(const winnow__call *call,
                                        const winnow__where *where) {
    winnow__compiled compiled;
    winnow__set_ref set[WINNOW__WHERE_MOST_TESTS];
    winnow__where_compile(where, &compiled);
    return find_tables(call, &compiled, set);
}

/* The number of the first one with the same table. */
static unsigned first_with(const winnow__set_ref set[], unsigned number) {
    unsigned i = 0;
    while (set[i].table != set[number].table)
        i++;
    return i;
}

/* Bytes of the items that a block decides, at least: to copy a table of as many
 * takes a part of the time. */
static uint64_t bytes_of_block(const winnow__call *call, uint64_t tiles) {
    const uint64_t blocks = (uint64_t)MOST_BLOCKS *
                            winnow__cuda(call->query.context)->multiprocessors;
    const uint64_t each = winnow__divide_up(tiles, blocks);
    return (each < WINNOW__SOURCE_TILES ? WINNOW__SOURCE_TILES : each) *
           WINNOW__SELECTION_TILE;
}

/* Give tables a place in a block's shared memory from `begin` on, as long as
 * there is room; the others stay where they are. Where what is used ends. */
static uint32_t place_tables(const winnow__call *call, uint64_t tiles,
                             uint32_t begin, const launch *how) {
    const size_t most = winnow__tables_shared(call->query.context);
    const uint64_t worth = bytes_of_block(call, tiles);
    uint32_t end = begin;
    for (unsigned i = 0; i < how->sets; i++) {
        winnow__set_ref *const table = &how->set[i];
        const unsigned first = first_with(how->set, i);
        if (first != i) {
            table->place = how->set[first].place;
        } else if (table->bytes != 0 && table->bytes <= most - (end - begin) &&
                   table->bytes <= worth) {
            table->place = end;
            end += table->bytes;
        }
    }
    return end;
}

/* ------------------------------------------------------------------ launch */

/* As many blocks as are resident, which copy the tables once each. */
static winnow_status spread(const winnow__call *call, uint64_t tiles,
                            launch *how) {
    const winnow_context *const context = call->query.context;
    int resident = 0;
    winnow_status status = WINNOW_OK;
    if (how->kernel.shared_bytes > MOST_UNTOLD)
        status = winnow__allow_shared(
            &how->kernel, winnow__tables_shared(context) +
                              WINNOW__WHERE_DEPTH * WINNOW__WHERE_SAVED_BYTES);
    if (status == WINNOW_OK)
        status = winnow__cuda_status(
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                &resident, how->kernel.function, (int)how->kernel.threads,
                how->kernel.shared_bytes),
            "asking how many blocks are resident");
    const uint64_t blocks = (uint64_t)winnow__cuda(context)->multiprocessors *
                            (resident > 0 ? (unsigned)resident : 1);
    const uint64_t each = winnow__divide_up(tiles, blocks);
    if (each > how->tiles_per_block)
        how->tiles_per_block = (unsigned)each;
    return status;
}

static winnow_status prepare_sets(const winnow__call *call, uint64_t tiles,
                                  winnow__compiled *compiled, launch *how) {
    winnow_status status = find_tables(call, compiled, how->set);
    if (status != WINNOW_OK)
        return status;
    how->sets = compiled->sets;
    how->kernel.shared_bytes =
        place_tables(call, tiles, how->kernel.shared_bytes, how);
    return spread(call, tiles, how);
}

/* ------------------------------------------------------------------- order */

/* By a sample. The operations are put where the selection has `before`, which
 * the scan writes afterwards. */
static winnow_status order(winnow__select_where_sets_args args,
                           winnow_stream stream) {
    for (unsigned i = 0; i < args.sets; i++)
        args.set[i].place = WINNOW__SET_STAYS; /* nothing is copied */
    return winnow__launch(&winnow__order_where, 1, &args, stream);
}

static winnow_status select_compiled(const winnow__call *call,
                                     const winnow__where *where,
                                     void *selection, void *memory,
                                     bool *is_enqueued_p) {
    winnow__table_use use = {0};
    winnow_status status = use_of(call, &use);
    return status == WINNOW_OK
               ? winnow__select_where_compiled(call, where, use.may_not_make,
                                               selection, memory, is_enqueued_p)
               : status;
}

/* Arguments with sets begin as those without. */
winnow_status winnow__select_where_on_device(const winnow__call *call,
                                             const winnow__where *where,
                                             void *selection, void *memory) {
    const winnow_launch *const launched = &call->query.launch;
    const winnow__selection to = winnow__selection_at(selection, call->query.n);
    bool is_enqueued = false;
    winnow_status status = WINNOW_OK;
    if (winnow__is_compiled(where->condition))
        status = select_compiled(call, where, selection, memory, &is_enqueued);
    if (status != WINNOW_OK || is_enqueued)
        return status;
    winnow__compiled compiled;
    winnow__select_where_sets_args small;
    winnow__select_where_sets_large_args large;
    winnow__where_compile(where, &compiled);
    winnow__place_where_strings(&compiled, memory, to.n);
    void *const values_memory =
        (unsigned char *)memory + winnow__where_strings_device_bytes(
                                      where->condition, where->columns, to.n);
    winnow__value_launches values;
    winnow__place_values(&compiled, where, values_memory, to.n, &values);
    const bool is_small = compiled.sets <= WINNOW__WHERE_SETS &&
                          winnow__make_small(&compiled.program, &small.program);
    const bool ordered = winnow__is_ordered(&compiled, to.n, false);
    const winnow__kernel *const kernels[3][2] = {
        {&winnow__select_where_large, &winnow__select_where_sets_large},
        {&winnow__select_where, &winnow__select_where_sets},
        {&winnow__select_where_ordered, &winnow__select_where_sets_ordered}};
    launch how = {.kernel = *kernels[is_small + ordered][compiled.sets != 0],
                  .tiles_per_block = WINNOW__SOURCE_TILES,
                  .set = is_small ? small.set
                                  : large.program.set +
                                        2 * WINNOW__WHERE_MOST_TESTS -
                                        compiled.sets};
    if (!is_small)
        large.program = compiled.program;
    if (ordered)
        small.program.depth = small.program.nested;
    how.kernel.shared_bytes =
        (is_small ? small.program.depth : compiled.program.depth) *
        WINNOW__WHERE_SAVED_BYTES;
    if (compiled.sets != 0)
        status = prepare_sets(call, to.tiles, &compiled, &how);
    else
        status = find_tables(call, &compiled, NULL);
    if (status != WINNOW_OK)
        return status;
    large.to = small.to = to;
    large.n = small.n = (const unsigned long long *)launched->d_n;
    large.sets = small.sets = compiled.sets;
    large.order = NULL;
    small.order = ordered ? (uint16_t *)to.before : NULL;
    status = winnow__test_where_on_device(call, &compiled, memory);
    if (status == WINNOW_OK)
        status = winnow__compute_values(call, where, &compiled, &values,
                                        how.set, values_memory);
    if (ordered && status == WINNOW_OK)
        status = order(small, launched->stream);
    if (status != WINNOW_OK)
        return status;
    return winnow__launch_source(&how.kernel, how.tiles_per_block,
                                 is_small ? (const void *)&small : &large, &to,
                                 launched->stream);
}
