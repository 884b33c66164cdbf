/*
 * reduce_where on the host: part by part, in the order of kernels/reduce/args.h, by any
 * number of threads. For each tile the condition is evaluated first. Then each
 * aggregate gets the values of the blocks in which an item passes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "details.h"
#include "core/round.h"
#include "host/team.h"
#include "kernels/reduce/result.h"
#include "loops.h"
#include "reduce/details.h"

enum {
    TILE_WORDS = WINNOW__SELECTION_WORDS,
    BLOCK_WORDS = WINNOW__BLOCK / 32,
    STRIPE = WINNOW__REDUCE_STRIPE_BYTES / 8, /* values */
    /* For fewer items it is not worth waking a second thread. */
    LEAST_ITEMS_PER_THREAD = 1 << 17
};

_Static_assert(WINNOW__REDUCE_TILE_BYTES / 8 == WINNOW__SELECTION_TILE &&
                   WINNOW__BLOCK % STRIPE == 0,
               "a part is tiles of a selection, a block is stripes of a part");

/* A thread's data for each aggregate. Its room follows. */
typedef struct worker {
    _Alignas(64) double sums[WINNOW_MOST_AGGREGATES]
                            [STRIPE]; /* sums of floats of a part */
    /* Minimum and maximum of all its parts so far. Parts come in ascending
     * order, so only a better value replaces these. */
    winnow__reduce_totals best[WINNOW_MOST_AGGREGATES];
} worker;

typedef struct of_aggregate {
    const winnow_aggregate *wanted;
    winnow__reduce_type type;
    bool nullable, can_gather, is_narrow; /* float32 */
    winnow__value_column columns[WINNOW__MOST_READ];
} of_aggregate;

typedef struct job {
    const winnow__host_task *task;
    const winnow__aggregate_loops *loops;
    const winnow__where_tiles *where; /* NULL: every item passes */
    unsigned number;
    of_aggregate *aggregate;
    unsigned char *memory; /* of the caller's thread */
    winnow__reduce_cut cut;
    winnow__turns turns;           /* of parts */
    winnow__reduce_totals *totals; /* for each part's aggregates; `tile` in it
                                      is an item */
} job;

static bool sums_floats(const of_aggregate *a) {
    return a->type.is_float && (a->wanted->wanted & WINNOW_REDUCE_SUM) != 0;
}

/* The memory after it is used in turn for the condition's values of a tile, and
 * for an aggregate's values of a block. */
typedef struct block_room {
    _Alignas(64) uint64_t values[WINNOW__BLOCK];
    float narrow[WINNOW__BLOCK];
    unsigned char registers[]; /* or memory of winnow__evaluate_few() */
} block_room;

_Static_assert(
    sizeof(worker) + WINNOW__MOST_VALUES_BYTES <= (size_t)WINNOW__HOST_BUFFER &&
        sizeof(worker) + sizeof(block_room) + WINNOW__MOST_FEW_BYTES <=
            (size_t)WINNOW__HOST_BUFFER &&
        (int)WINNOW__MOST_EVALUATE_BYTES <= (int)WINNOW__MOST_FEW_BYTES,
    "a thread of a team has room");

/* ------------------------------------------------------------------- blocks */

/* The first live item of a block that has this rank. */
static unsigned find_rank(const job *j, const of_aggregate *a,
                          const uint64_t *values, const uint32_t *live, int end,
                          uint64_t rank) {
    unsigned w = 0;
    /* rank() of a word without live items is the largest rank, which a live
     * item may have, too. */
    while (live[w] == 0 ||
           j->loops->rank(values + 32 * w, &live[w], 1, &a->type, end) != rank)
        w++;
    for (unsigned i = 0;; i++) {
        const uint32_t one = live[w] & UINT32_C(1) << i;
        if (one != 0 &&
            j->loops->rank(values + 32 * w, &one, 1, &a->type, end) == rank)
            return 32 * w + i;
    }
}

/* May a block have a better value than the best so far? Ranks order the two
 * zeros. */
static bool may_improve(const job *j, const of_aggregate *a,
                        const uint64_t *values, const uint32_t *live, int end,
                        const winnow__reduce_totals *best) {
    if (!a->type.is_float || best->tile[end] == WINNOW__REDUCE_NO_TILE ||
        !winnow__reduce_found(&a->type, best, end))
        return true;
    const double known = winnow__reduce_extreme(&a->type, best, end).float64;
    const double least = j->loops->least(values, live, BLOCK_WORDS, end);
    return least < (end == 0 ? known : -known) || (least == 0 && known == 0);
}

static void find_end(const job *j, const of_aggregate *a,
                     const uint64_t *values, const uint32_t *live, int end,
                     uint64_t first, winnow__reduce_totals *best,
                     winnow__reduce_totals *totals) {
    if (!may_improve(j, a, values, live, end, best))
        return;
    const uint64_t rank =
        j->loops->rank(values, live, BLOCK_WORDS, &a->type, end);
    if (rank >= best->rank[end] && best->tile[end] != WINNOW__REDUCE_NO_TILE)
        return;
    best->count = 1;
    best->rank[end] = totals->rank[end] = rank;
    best->tile[end] = totals->tile[end] =
        first + find_rank(j, a, values, live, end, rank);
}

/* Compute the values of all items of a block. Live bits of null values are cleared. */
static void compute_all(const job *j, const of_aggregate *a, uint64_t first,
                        unsigned items, block_room *room, uint32_t *live) {
    uint32_t valid[BLOCK_WORDS];
    winnow__evaluate(j->task->loops->isa, a->wanted->expression,
                     a->wanted->expression->host.steps, a->columns, first,
                     items, room->registers,
                     a->is_narrow ? (void *)room->narrow : room->values,
                     a->nullable ? valid : NULL);
    if (a->is_narrow)
        j->loops->widen(room->narrow, items, room->values);
    /* The last word may have any bits after the last item, where no bit is live. */
    for (unsigned w = 0; a->nullable && 32 * w < items; w++)
        live[w] &= valid[w];
}

/* Add a block to aggregate `number`. */
static void reduce_block(const job *j, unsigned number, uint64_t first,
                         unsigned items, const uint32_t *words, worker *own,
                         winnow__reduce_totals *totals) {
    const of_aggregate *const a = &j->aggregate[number];
    const unsigned wanted = a->wanted->wanted;
    block_room *const room = (block_room *)(void *)(own + 1);
    uint64_t *const values = room->values;
    uint32_t live[BLOCK_WORDS];
    unsigned count = j->loops->count(words, BLOCK_WORDS);
    memcpy(live, words, sizeof live);
    if (count != 0 && a->wanted->expression != NULL &&
        (a->nullable || !winnow__reduce_counts_only(wanted))) {
        if (a->can_gather && count <= WINNOW__FEW_ITEMS)
            winnow__evaluate_few(j->task->loops->isa, a->wanted->expression,
                                 a->columns, first, live, room->registers,
                                 values);
        else
            compute_all(j, a, first, items, room, live);
        count = j->loops->count(live, BLOCK_WORDS);
    }
    totals->count += count;
    if (count == 0)
        return;
    if ((wanted & WINNOW_REDUCE_SUM) != 0) {
        if (a->type.is_float)
            j->loops->sum_floats(values, live, BLOCK_WORDS, own->sums[number]);
        else
            j->loops->sum_integers(values, live, BLOCK_WORDS,
                                   a->type.order.bias, totals);
    }
    for (int end = 0; end < 2; end++)
        if ((wanted & WINNOW_REDUCE_MINIMUM << end) != 0)
            find_end(j, a, values, live, end, first, &own->best[number],
                     totals);
}

/* -------------------------------------------------------------------- parts */

static void decide(const job *j, uint64_t tile, unsigned items, worker *own,
                   uint32_t words[TILE_WORDS]) {
    if (j->where != NULL) {
        /* The condition knows the room of the caller's thread. */
        unsigned char *const room = (unsigned char *)own == j->memory
                                        ? NULL
                                        : (unsigned char *)(own + 1);
        winnow__decide_tile(j->where, tile, room, words);
        return;
    }
    winnow__keep_items(items, words);
}

static void reduce_tile(const job *j, uint64_t tile, worker *own,
                        winnow__reduce_totals *totals) {
    const unsigned items = winnow__items_of_tile(j->task->n, tile);
    uint32_t words[TILE_WORDS];
    decide(j, tile, items, own, words);
    for (unsigned block = 0; block < items; block += WINNOW__BLOCK)
        for (unsigned i = 0; i < j->number; i++)
            reduce_block(j, i, tile * WINNOW__SELECTION_TILE + block,
                         items - block < WINNOW__BLOCK ? items - block
                                                       : WINNOW__BLOCK,
                         words + block / 32, own, &totals[i]);
}

static void reduce_part(const job *j, uint32_t part, worker *own) {
    winnow__reduce_totals *const totals = &j->totals[part * j->number];
    const uint64_t first = (uint64_t)part * j->cut.part_tiles;
    for (unsigned i = 0; i < j->number; i++) {
        totals[i] = winnow__reduce_nothing();
        if (sums_floats(&j->aggregate[i]))
            memset(own->sums[i], 0, sizeof own->sums[i]);
    }
    for (uint64_t tile = first; tile < first + j->cut.part_tiles &&
                                tile * WINNOW__SELECTION_TILE < j->task->n;
         tile++)
        reduce_tile(j, tile, own, totals);
    for (unsigned i = 0; i < j->number; i++)
        if (sums_floats(&j->aggregate[i]))
            totals[i].sum =
                winnow__as_bits(winnow__reduce_fold(own->sums[i], STRIPE));
}

static void reduce_parts(void *argument, unsigned char *buffer) {
    job *const j = argument;
    worker *const own = (worker *)(void *)buffer;
    uint64_t part;
    for (unsigned i = 0; i < j->number; i++)
        own->best[i] = winnow__reduce_nothing();
    while (winnow__take_turn(&j->turns, &part))
        reduce_part(j, part, own);
}

static void reduce_all_parts(job *j) {
    const unsigned threads = winnow__team_threads(
        j->task->team, j->task->n / LEAST_ITEMS_PER_THREAD);
    j->turns = winnow__begin_turns(j->cut.parts);
    winnow__team_work(j->task->team, threads, reduce_parts, j, j->memory);
}

/* ------------------------------------------------------------------ results */

static uint64_t index_of(const of_aggregate *a,
                         const winnow__reduce_totals *totals, int end) {
    const unsigned wanted = WINNOW_REDUCE_MINIMUM << end | WINNOW_REDUCE_INDEX;
    if ((a->wanted->wanted & wanted) != wanted)
        return 0;
    return winnow__reduce_found(&a->type, totals, end) ? totals->tile[end]
                                                       : WINNOW_NO_INDEX;
}

static void write_result(const job *j, unsigned number,
                         winnow_reduction *result) {
    const of_aggregate *const a = &j->aggregate[number];
    const winnow__reduce_totals totals = winnow__reduce_merge_parts(
        &j->totals[number], j->cut.parts, j->number, sums_floats(a));
    if (a->wanted->wanted & WINNOW__REDUCE_UPPER) {
        winnow__reduce_add_upper(&a->type, a->wanted->wanted, &totals, result);
        return;
    }
    *result = winnow__reduce_result(&a->type, a->wanted->wanted, &totals);
    result->minimum_index = index_of(a, &totals, 0);
    result->maximum_index = index_of(a, &totals, 1);
}

/* --------------------------------------------------------------------- call */

enum {
    ALIGNMENT = 64 /* of a thread's memory; the workspace is 16-aligned */
};

/* The workspace. Each part begins at a multiple of 16 bytes. */
typedef struct layout {
    size_t lengths, totals, aggregates, own, end;
} layout;

/* The bytes of the caller's thread, which computes a block. */
static size_t own_bytes(const winnow__aggregates *a) {
    size_t most = 0;
    for (unsigned i = 0; i < a->number; i++) {
        const winnow_expression *const expression = a->list[i].expression;
        if (expression == NULL)
            continue;
        const size_t few = winnow__evaluate_few_bytes(expression);
        const size_t all = winnow__evaluate_bytes(expression, WINNOW__BLOCK);
        most = most < few ? few : most;
        most = most < all ? all : most;
    }
    return sizeof(worker) + sizeof(block_room) + most;
}

static layout lay_out(const winnow__query *query) {
    const winnow__aggregates *const a = winnow__aggregates_of(query);
    layout at = {.lengths = winnow__source_host_bytes(query)};
    at.totals =
        at.lengths + winnow__lengths_bytes(a->read.tested, a->read.columns);
    at.aggregates =
        at.totals +
        winnow__round_up((size_t)winnow__aggregate_cut(query).parts *
                             a->number * sizeof(winnow__reduce_totals),
                         16);
    at.own =
        at.aggregates + winnow__round_up(a->number * sizeof(of_aggregate), 16);
    at.end = at.own + own_bytes(a) + ALIGNMENT - 16;
    return at;
}

size_t winnow__reduce_where_host_bytes(const winnow__query *query) {
    return lay_out(query).end;
}

static void set_aggregates(job *j, const winnow__aggregates *a,
                           const winnow__where_values *values) {
    j->number = a->number;
    for (unsigned i = 0; i < a->number; i++) {
        const winnow_expression *const expression = a->list[i].expression;
        of_aggregate *const to = &j->aggregate[i];
        to->wanted = &a->list[i];
        to->type = winnow__aggregate_type(a, i);
        winnow__aggregate_columns(values, &a->list[i], to->columns);
        to->nullable =
            expression != NULL &&
            winnow__values_nullable(&expression->program, to->columns);
        to->can_gather =
            expression != NULL && winnow__can_gather(expression, to->columns);
        to->is_narrow = expression != NULL &&
                        winnow__expression_type(expression) == WINNOW__FLOAT32;
    }
}

winnow_status winnow__reduce_where_on_host(const winnow__call *call,
                                           const winnow__host_task *task) {
    static const winnow__aggregate_loops *const loops[WINNOW__HOST_ISAS] = {
        [WINNOW__HOST_PORTABLE] = &winnow__aggregate_portable,
#ifdef WINNOW_X86
        [WINNOW__HOST_AVX2] = &winnow__aggregate_avx2,
        [WINNOW__HOST_AVX512] = &winnow__aggregate_avx512,
#endif
    };
    const winnow__aggregates *const a = winnow__aggregates_of(&call->query);
    winnow_reduction *const results = call->out;
    const layout at = lay_out(&call->query);
    unsigned char *const memory = task->memory;
    winnow__read read;
    winnow__where_tiles where;
    job j = {.task = task,
             .loops = loops[task->loops->isa],
             .cut = winnow__aggregate_cut(&call->query),
             .totals = (winnow__reduce_totals *)(void *)(memory + at.totals),
             .aggregate = (of_aggregate *)(void *)(memory + at.aggregates),
             .memory = (unsigned char *)winnow__round_up(
                 (uintptr_t)(memory + at.own), ALIGNMENT)};
    if (call->query.source != NULL) {
        winnow__begin_where_tiles(task, winnow__where_of(call->query.source),
                                  memory, &where);
        j.where = &where;
    }
    winnow__find_read(a, &read);
    winnow__find_lengths(&read.values, memory + at.lengths);
    set_aggregates(&j, a, &read.values);
    reduce_all_parts(&j);
    for (unsigned i = 0; i < a->number; i++)
        write_result(&j, i, &results[i < a->results ? i : a->lower[i]]);
    return WINNOW_OK;
}
