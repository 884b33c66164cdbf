/*
 * The kernel of a condition, and the tables of its sets.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "core/status.h"
#include "cuda/launch.h"
#include "select/kernels.h"
#include "set/tables.h"
#include "where.h"
#include "where_compiled.h"
#include "where_order.h"
#include "condition/program/where_program.h"
#include "where_strings.h"
#include "where_values.h"

#include <stdlib.h>

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

winnow_status winnow__table_use_of(const winnow__call *call,
                                   winnow__table_use *use) {
    winnow_status status = winnow__is_captured(call, &use->captured);
    use->may_not_make =
        use->captured ? "the call is captured into a graph"
        : call->query.launch.d_workspace != NULL
            ? "the call has a workspace, so that it allocates nothing"
            : NULL;
    return status;
}

/* And large patterns of strings. `set`: NULL, if they are to be made, no more. */
static winnow_status find_tables(const winnow__call *call,
                                 winnow__compiled *compiled,
                                 winnow__set_ref set[]) {
    winnow__table_use use = {0};
    winnow__set_ref unused;
    winnow_status status = winnow__table_use_of(call, &use);
    if (status == WINNOW_OK)
        status =
            winnow__find_where_patterns(call->query.context, compiled, &use);
    for (unsigned i = 0; i < compiled->sets && status == WINNOW_OK; i++)
        status = winnow__table_of(call->query.context, compiled->set[i], &use,
                                  set != NULL ? &set[i] : &unused);
    return status;
}

winnow_status winnow__make_where_tables(const void *of,
                                        const winnow__call *call) {
    winnow__compiled compiled;
    void *memory = NULL;
    winnow_status status =
        winnow__where_compile_alone(of, false, &memory, &compiled);
    if (status != WINNOW_OK)
        return status;
    status = find_tables(call, &compiled, NULL);
    free(memory);
    return status;
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
    winnow_status status = winnow__table_use_of(call, &use);
    return status == WINNOW_OK
               ? winnow__select_where_compiled(call, where, &use, selection,
                                               memory, is_enqueued_p)
               : status;
}

/* Arguments of a program that has no room in the small ones: more than a thread's
 * stack may have. */
static winnow_status
make_large_args(const winnow__where_program *program,
                winnow__select_where_sets_large_args **large_p) {
    winnow__select_where_sets_large_args *const large = malloc(sizeof *large);
    if (large == NULL)
        return winnow__fail(WINNOW_ERR_MEMORY,
                            "no host memory: a large condition's program needs "
                            "%zu bytes",
                            sizeof *large);
    winnow__make_large(program, &large->program);
    *large_p = large;
    return WINNOW_OK;
}

/* Behind what the tests of strings need. */
static void *values_memory(const winnow__where *where, uint64_t n,
                           void *memory) {
    return (unsigned char *)memory + winnow__where_strings_device_bytes(
                                         where->condition, where->columns, n);
}

/* Arguments with sets begin as those without. `large`: NULL, if those of `small`
 * have room for the program. */
static winnow_status enqueue_with(const winnow__call *call,
                                  const winnow__where *where, void *selection,
                                  void *memory, winnow__compiled *compiled,
                                  const winnow__value_launches *values,
                                  winnow__select_where_sets_args *small,
                                  winnow__select_where_sets_large_args *large) {
    const winnow_launch *const launched = &call->query.launch;
    const winnow__selection to = winnow__selection_at(selection, call->query.n);
    const bool ordered = winnow__is_ordered(compiled, to.n, false);
    const unsigned depth =
        ordered ? compiled->program.nested : compiled->program.depth;
    const winnow__kernel *const kernels[3][2] = {
        {&winnow__select_where_large, &winnow__select_where_sets_large},
        {&winnow__select_where, &winnow__select_where_sets},
        {&winnow__select_where_ordered, &winnow__select_where_sets_ordered}};
    launch how = {.kernel =
                      *kernels[(large == NULL) + ordered][compiled->sets != 0],
                  .tiles_per_block = WINNOW__SOURCE_TILES,
                  .set = large == NULL ? small->set
                                       : large->program.set +
                                             2 * WINNOW__WHERE_MOST_TESTS -
                                             compiled->sets};
    how.kernel.shared_bytes = depth * WINNOW__WHERE_SAVED_BYTES;
    winnow_status status = compiled->sets != 0
                               ? prepare_sets(call, to.tiles, compiled, &how)
                               : find_tables(call, compiled, NULL);
    if (status == WINNOW_OK)
        status = winnow__test_where_on_device(call, compiled, memory);
    if (status == WINNOW_OK)
        status = winnow__compute_values(call, where, compiled, values, how.set,
                                        values_memory(where, to.n, memory));
    if (status != WINNOW_OK)
        return status;
    if (large != NULL) {
        large->to = to;
        large->n = (const unsigned long long *)launched->d_n;
        large->sets = compiled->sets;
        large->order = NULL;
    } else {
        small->program.depth = (uint16_t)depth;
        small->to = to;
        small->n = (const unsigned long long *)launched->d_n;
        small->sets = compiled->sets;
        small->order = ordered ? (uint16_t *)to.before : NULL;
    }
    if (ordered)
        status = order(*small, launched->stream);
    return status == WINNOW_OK
               ? winnow__launch_source(&how.kernel, how.tiles_per_block,
                                       large != NULL ? (const void *)large
                                                     : small,
                                       &to, launched->stream)
               : status;
}

static winnow_status enqueue_program(const winnow__call *call,
                                     const winnow__where *where,
                                     void *selection, void *memory,
                                     winnow__compiled *compiled) {
    const uint64_t n = call->query.n;
    winnow__select_where_sets_args small;
    winnow__select_where_sets_large_args *large = NULL;
    winnow__value_launches values;
    winnow__place_where_strings(compiled, memory, n);
    winnow__place_values(compiled, where, values_memory(where, n, memory), n,
                         &values);
    winnow_status status =
        compiled->sets <= WINNOW__WHERE_SETS &&
                winnow__make_small(&compiled->program, &small.program)
            ? WINNOW_OK
            : make_large_args(&compiled->program, &large);
    if (status == WINNOW_OK)
        status = enqueue_with(call, where, selection, memory, compiled, &values,
                              &small, large);
    free(large);
    return status;
}

winnow_status winnow__select_where_on_device(const void *of,
                                             const winnow__call *call,
                                             void *selection, void *memory) {
    const winnow__where *const where = of;
    winnow__compiled compiled;
    void *program_memory = NULL;
    bool is_enqueued = false;
    winnow_status status = WINNOW_OK;
    if (winnow__is_compiled(where->condition))
        status = select_compiled(call, where, selection, memory, &is_enqueued);
    if (status != WINNOW_OK || is_enqueued)
        return status;
    status =
        winnow__where_compile_alone(where, false, &program_memory, &compiled);
    if (status != WINNOW_OK)
        return status;
    status = enqueue_program(call, where, selection, memory, &compiled);
    free(program_memory);
    return status;
}
