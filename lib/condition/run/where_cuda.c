/*
 * The kernel of a condition, and the tables of its sets.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "core/round.h"
#include "core/status.h"
#include "cuda/launch.h"
#include "select/kernels.h"
#include "where_compiled.h"
#include "where_values.h"

#include <stdlib.h>
#include <string.h>

enum {
    /* Shared memory besides tables: saved sets, stored lists. */
    MOST_BESIDE = WINNOW__WHERE_DEPTH * WINNOW__WHERE_SAVED_BYTES + (34 << 10),
    /* The most blocks of a multiprocessor for which tables are copied. */
    MOST_BLOCKS = 3
};

/* A call whose columns are bound. */
typedef struct where_call {
    const winnow__call *call;
    winnow__bound bound;
    winnow__table_use use;
    winnow__selection to;
    unsigned char *memory; /* device memory */
    /* The lists for the kernel: in args, or stored. */
    winnow__where_program lists;
    winnow__set_ref *set;
    bool is_stored, ordered;
    winnow__kernel kernel;
    unsigned tiles_per_block;
    winnow__where_stored stored;
    union { /* only one is used at a time */
        winnow__store_lists_args store;
        winnow__select_where_args args;
    };
} where_call;

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

/* Find the tables of sets and large patterns of strings. `set`: NULL to only make
 * them. */
static winnow_status find_tables(const winnow_context *context,
                                 const winnow_condition *condition,
                                 const winnow__program *made,
                                 const winnow__table_use *use,
                                 winnow__set_ref set[]) {
    winnow__set_ref unused;
    WINNOW__TRY(winnow__find_where_patterns(context, condition, use));
    for (unsigned i = 0; i < made->sets; i++)
        WINNOW__TRY(winnow__table_of(context, made->set[i], use,
                                     set != NULL ? &set[i] : &unused));
    return WINNOW_OK;
}

winnow_status winnow__make_where_tables(const void *of,
                                        const winnow__call *call) {
    const winnow__where *const where = of;
    winnow__table_use use = {0};
    WINNOW__TRY(winnow__table_use_of(call, &use));
    return find_tables(call->query.context, where->condition,
                       where->condition->programs[true], &use, NULL);
}

/* The first set with the same table. */
static unsigned first_with(const winnow__set_ref set[], unsigned number) {
    unsigned i = 0;
    while (set[i].table != set[number].table)
        i++;
    return i;
}

/* The least bytes of items that a block decides. Copying a table of as many
 * bytes takes a part of that time. */
static uint64_t bytes_of_block(const where_call *w) {
    const uint64_t blocks =
        (uint64_t)MOST_BLOCKS *
        winnow__cuda(w->call->query.context)->multiprocessors;
    const uint64_t each = winnow__divide_up(w->to.tiles, blocks);
    return (each < WINNOW__SOURCE_TILES ? WINNOW__SOURCE_TILES : each) *
           WINNOW__SELECTION_TILE;
}

/* Put tables into a block's shared memory, after what is there, as long as
 * there is room. The other tables stay in global memory. */
static void place_tables(where_call *w) {
    const size_t most = winnow__tables_shared(w->call->query.context);
    const uint64_t worth = bytes_of_block(w);
    const uint32_t begin = w->kernel.shared_bytes;
    uint32_t end = begin;
    for (unsigned i = 0; i < w->bound.made->sets; i++) {
        winnow__set_ref *const table = &w->set[i];
        const unsigned first = first_with(w->set, i);
        if (first != i) {
            table->place = w->set[first].place;
        } else if (table->bytes != 0 && table->bytes <= most - (end - begin) &&
                   table->bytes <= worth) {
            table->place = end;
            end += table->bytes;
        }
    }
    w->kernel.shared_bytes = end;
}

/* Use as many blocks as are resident; each copies the tables once. */
static winnow_status spread(where_call *w) {
    const winnow_context *const context = w->call->query.context;
    int resident = 0;
    WINNOW__TRY(winnow__allow_shared_once(
        context, &w->kernel, winnow__tables_shared(context) + MOST_BESIDE));
    WINNOW__TRY(
        winnow__cuda_status(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                                &resident, w->kernel.function,
                                (int)w->kernel.threads, w->kernel.shared_bytes),
                            "asking how many blocks are resident"));
    const uint64_t blocks = (uint64_t)winnow__cuda(context)->multiprocessors *
                            (resident > 0 ? (unsigned)resident : 1);
    const uint64_t each = winnow__divide_up(w->to.tiles, blocks);
    if (each > w->tiles_per_block)
        w->tiles_per_block = (unsigned)each;
    return WINNOW_OK;
}

/* ------------------------------------------------------------------- lists */

static bool fits(const winnow__where_program *program, unsigned sets) {
    return program->column_count <= WINNOW__WHERE_COLUMNS &&
           program->leaves <= WINNOW__WHERE_LEAVES &&
           program->ops <= WINNOW__WHERE_OPS &&
           program->tests <= WINNOW__WHERE_TESTS && sets <= WINNOW__WHERE_SETS;
}

/* The places of a program's stored lists, and their bytes. */
static winnow__where_stored stored_of(const winnow__where_program *program,
                                      unsigned sets) {
    winnow__where_stored at = {0};
    at.set = (uint32_t)winnow__round_up(
        program->column_count * sizeof(winnow__where_column), 16);
    at.test = at.set + sets * (uint32_t)sizeof(winnow__set_ref);
    at.leaf = at.test + program->tests * (uint32_t)sizeof(winnow__test);
    at.op = at.leaf + program->leaves * (uint32_t)sizeof(winnow__where_leaf);
    at.bytes =
        (uint32_t)winnow__round_up(at.op + program->ops * sizeof(uint16_t), 16);
    return at;
}

/* The most bytes for a call with these columns: 0 if the lists fit in the argument. */
static size_t stored_bytes(const winnow__where *where) {
    const winnow__program *const made = winnow__program_of(where);
    winnow__where_program most = made->code;
    most.ops = (uint16_t)(most.ops + most.leaves); /* where_bind.c */
    return fits(&most, made->sets) ? 0 : stored_of(&most, made->sets).bytes;
}

/* Copy the lists to `staged`, to be stored from there, or to args. */
static void copy_lists(where_call *w, unsigned char *staged) {
    const winnow__where_program *const from = &w->bound.program;
    winnow__where_program *const to = &w->lists;
    *to = *from;
    w->is_stored = !fits(from, w->bound.made->sets);
    if (w->is_stored) {
        winnow__where_stored *const at = &w->stored;
        *at = stored_of(from, w->bound.made->sets);
        to->columns = (winnow__where_column *)(void *)staged;
        to->leaf = (winnow__where_leaf *)(void *)(staged + at->leaf);
        to->op = (uint16_t *)(void *)(staged + at->op);
        to->test = (winnow__test *)(void *)(staged + at->test);
        w->set = (winnow__set_ref *)(void *)(staged + at->set);
    } else {
        winnow__where_lists *const lists = &w->args.lists;
        to->columns = lists->columns;
        to->leaf = lists->leaf;
        to->op = lists->op;
        to->test = lists->test;
        w->set = lists->set;
    }
    memcpy(to->columns, from->columns,
           from->column_count * sizeof to->columns[0]);
    memcpy(to->leaf, from->leaf, from->leaves * sizeof to->leaf[0]);
    memcpy(to->op, from->op, from->ops * sizeof to->op[0]);
    memcpy(to->test, from->test, from->tests * sizeof to->test[0]);
}

/* Launches store the lists from their arguments, so that a graph has its own copy. */
static winnow_status store(where_call *w) {
    const unsigned char *const from = (const unsigned char *)w->lists.columns;
    unsigned char *const to = w->memory;
    const uint32_t bytes = w->stored.bytes;
    winnow__store_lists_args *const args = &w->store;
    for (uint32_t done = 0; done < bytes; done += (uint32_t)sizeof args->from) {
        const uint32_t left = bytes - done;
        args->to = (uint64_t *)(void *)(to + done);
        args->words = (left < sizeof args->from ? left : sizeof args->from) /
                      sizeof args->from[0];
        memcpy(args->from, from + done, args->words * sizeof args->from[0]);
        WINNOW__TRY(winnow__launch(&winnow__store_lists, 1, args,
                                   w->call->query.launch.stream));
    }
    w->stored.from = to;
    w->args.stored = w->stored;
    return WINNOW_OK;
}

/* ------------------------------------------------------------------- order */

/* Set all arguments but the lists. */
static void set_arguments(where_call *w) {
    winnow__select_where_args *const args = &w->args;
    args->to = w->to;
    args->n = (const unsigned long long *)w->call->query.launch.d_n;
    args->order = w->ordered ? (uint16_t *)w->to.before : NULL;
    args->ops = w->lists.ops;
    args->depth = w->ordered ? w->lists.nested : w->lists.depth;
    args->leaves = w->lists.leaves;
    args->sets = (uint16_t)w->bound.made->sets;
}

/* Order the tests by a sample. The operations are written to the place of
 * `before`, which the scan writes later. choose() comes later: no table is in
 * shared memory yet, and none is copied. */
static winnow_status order(where_call *w) {
    set_arguments(w);
    return winnow__launch(&winnow__order_where, 1, &w->args,
                          w->call->query.launch.stream);
}

/* ------------------------------------------------------------------ a call */

size_t winnow__where_device_bytes(const void *of, const winnow__query *query) {
    const winnow__where *const where = of;
    const uint64_t n = query->n;
    return winnow__where_strings_device_bytes(where, n) +
           winnow__values_device_bytes(where, n) + stored_bytes(where);
}

/* Enqueue kernels that write the bits of strings and of values for the program. */
static winnow_status enqueue_bits(where_call *w) {
    const winnow__where *const where = w->bound.where;
    const uint64_t n = w->to.n;
    WINNOW__TRY(
        winnow__test_where_on_device(w->call, &w->bound, &w->use, w->memory));
    winnow__place_where_strings(&w->lists, w->memory, n);
    w->memory += winnow__where_strings_device_bytes(where, n);
    if (!where->condition->has_expressions)
        return WINNOW_OK;
    WINNOW__TRY(winnow__compute_values(w->call, &w->bound, w->set, w->memory));
    winnow__place_values(&w->lists, where, w->memory, n);
    w->memory += winnow__values_device_bytes(where, n);
    return WINNOW_OK;
}

/* Choose the kernel and the number of its blocks. */
static winnow_status choose(where_call *w) {
    const unsigned sets = w->bound.made->sets;
    const unsigned depth = w->ordered ? w->lists.nested : w->lists.depth;
    const unsigned of_lists = (sets != 0) * WINNOW__WHERE_WITH_SETS +
                              w->ordered * WINNOW__WHERE_ORDERED;
    w->kernel =
        winnow__select_where[w->is_stored ? WINNOW__WHERE_STORED : of_lists];
    w->kernel.shared_bytes = depth * WINNOW__WHERE_SAVED_BYTES +
                             (w->is_stored ? w->stored.bytes : 0);
    w->tiles_per_block = WINNOW__SOURCE_TILES;
    place_tables(w);
    return sets != 0 || w->is_stored ? spread(w) : WINNOW_OK;
}

static winnow_status enqueue(where_call *w) {
    WINNOW__TRY(find_tables(w->call->query.context, w->bound.where->condition,
                            w->bound.made, &w->use, w->set));
    WINNOW__TRY(enqueue_bits(w));
    w->ordered = !w->is_stored && winnow__is_ordered(&w->bound, w->to.n, false);
    if (w->ordered)
        WINNOW__TRY(order(w));
    WINNOW__TRY(choose(w));
    if (w->is_stored)
        WINNOW__TRY(store(w));
    set_arguments(w);
    return winnow__launch_source(w->call, &w->kernel, w->tiles_per_block,
                                 &w->args, &w->to);
}

/* A function of its own: this one and that for compiled kernels each have arguments on
 * the stack. */
static __attribute__((noinline)) winnow_status
enqueue_program(const winnow__call *call, const winnow__where *where,
                const winnow__table_use *use, unsigned char *room,
                void *selection, void *memory) {
    where_call w;
    w.call = call;
    w.use = *use;
    w.to = winnow__selection_at(selection, call->query.n);
    w.memory = memory;
    winnow__bind(where, room, &w.bound);
    copy_lists(&w, room + winnow__bind_bytes(where));
    return enqueue(&w);
}

static __attribute__((noinline)) winnow_status
enqueue_compiled(const winnow__call *call, const winnow__where *where,
                 const winnow__table_use *use, const winnow__kernel *kernel,
                 void *room, void *selection, void *memory) {
    const winnow__selection to = winnow__selection_at(selection, call->query.n);
    _Alignas(16) unsigned char argument[WINNOW__MOST_ARGUMENT];
    winnow__compiled_args *const args = (winnow__compiled_args *)argument;
    winnow__bound bound;
    WINNOW__TRY(winnow__find_where_patterns(call->query.context,
                                            where->condition, use));
    winnow__bind_whole(where, room, &bound);
    const winnow__to_compile what = winnow__to_compile_bound(&bound);
    winnow__place_where_strings(&bound.program, memory, to.n);
    *args = (winnow__compiled_args){
        .keep = to.keep,
        .counts = to.counts,
        .items = (const unsigned long long *)call->query.launch.d_n,
        .n = to.n,
        .tiles = to.tiles};
    winnow__write_argument(&what, args);
    WINNOW__TRY(winnow__test_where_on_device(call, &bound, use, memory));
    return winnow__launch_and_scan(kernel, WINNOW__SOURCE_TILES, args, &to,
                                   call->query.launch.stream);
}

winnow_status winnow__select_where_on_device(const void *of,
                                             const winnow__call *call,
                                             void *selection, void *memory) {
    const winnow__where *const where = of;
    const winnow__to_compile what = winnow__to_compile_of(where->condition);
    winnow__bind_room own;
    winnow__table_use use = {0};
    winnow__choice choice;
    void *room = NULL;
    WINNOW__TRY(winnow__table_use_of(call, &use));
    WINNOW__TRY(winnow__choose_code(call->query.context, &what, false,
                                    use.may_not_make, &choice));
    const bool is_compiled = choice.kernel.function != NULL;
    WINNOW__TRY(winnow__find_room(&own,
                                  is_compiled ? winnow__bind_whole_bytes(where)
                                              : winnow__bind_bytes(where) +
                                                    stored_bytes(where),
                                  &room));
    const winnow_status status =
        is_compiled
            ? enqueue_compiled(call, where, &use, &choice.kernel, room,
                               selection, memory)
            : enqueue_program(call, where, &use, room, selection, memory);
    free(own.allocated);
    return status;
}
