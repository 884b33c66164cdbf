/*
 * The program of a condition on the host: a tile at a time, a word for 32 items.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "select/sources.h"
#include "where_strings.h"
#include "where_values.h"

#include "core/round.h"

#include <string.h>

_Static_assert((int)WINNOW__MOST_VALUES_BYTES <= (int)WINNOW__HOST_BUFFER,
               "a thread of a team has room");

typedef struct host_work {
    winnow__where_tiles tiles;
    winnow__selection to;
} host_work;

enum {
    ALIGNMENT = 64 /* of values; the call's memory has 16 */
};

/* Offsets in the host's memory. */
typedef struct places {
    size_t strings, lengths, order, values, end;
} places;

static places lay_out(const winnow__where *where, uint64_t n) {
    const bool has_expressions = where->condition->has_expressions;
    const size_t values =
        has_expressions ? winnow__values_room_of(where, n).all : 0;
    places at;
    at.strings = winnow__bind_bytes(where);
    at.lengths = at.strings + winnow__where_strings_host_bytes(where);
    at.order =
        at.lengths +
        (has_expressions
             ? winnow__lengths_bytes(&where->condition->tested, where->columns)
             : 0);
    at.values = at.order + winnow__order_host_bytes(n);
    at.end = at.values;
    if (values != 0)
        at.end += winnow__round_up(values, 16) + ALIGNMENT - 16;
    return at;
}

size_t winnow__where_host_bytes(const void *of, const winnow__query *query) {
    return lay_out(of, query->n).end;
}

typedef uint32_t tile_words[WINNOW__SELECTION_WORDS];

enum {
    SHALLOW = 2, /* nearly all programs save at most as many sets */
    STEP = 4,    /* words that are tested together */
    /* Bytes of a column without a live item that are still read. Skipping fewer
     * takes longer, since the CPU then does not prefetch what follows. */
    GAP = 2048
};

/* The next words with a live item, from w on. */
static unsigned skip_dead(const tile_words live, unsigned w) {
    while (w < WINNOW__SELECTION_WORDS &&
           (live[w] | live[w + 1] | live[w + 2] | live[w + 3]) == 0)
        w += STEP;
    return w;
}

void winnow__test_leaf(const winnow__host_loops *loops,
                       const winnow__bound *bound,
                       const winnow__where_leaf *leaf, const winnow__span *span,
                       const uint32_t *wanted, winnow__tile_values *tile,
                       uint32_t *words) {
    const winnow__where_column *const column =
        &bound->program.columns[leaf->column];
    if (column->access == WINNOW__BY_BITS) {
        winnow__read_bits(column, leaf->first, span, words);
    } else if (column->access == WINNOW__BY_VALUES) {
        winnow__test_values(loops, bound, leaf, span, wanted, tile, words);
    } else if (column->access == WINNOW__BY_STRINGS) {
        winnow__test_where_strings(bound, leaf->first, span, wanted, words);
    } else {
        const winnow__question asked = winnow__question_of(bound, leaf);
        winnow__ask_elements(loops, column, &asked, span, wanted, words);
    }
}

/* Set the bits of live items that pass one of the leaf's tests. Other items may
 * have any bit. */
static void test_live(const winnow__where_tiles *work,
                      const winnow__where_leaf *leaf, uint64_t tile,
                      const tile_words live, winnow__tile_values *values,
                      tile_words pass) {
    const unsigned gap =
        GAP / 32 >>
        work->bound.program.columns[leaf->column].log2_size; /* words */
    const unsigned items = winnow__items_of_tile(work->n, tile);
    unsigned next = skip_dead(live, 0);
    while (next < WINNOW__SELECTION_WORDS) {
        const unsigned first = next;
        unsigned end;
        do {
            end = next + STEP;
            next = skip_dead(live, end);
        } while (next < WINNOW__SELECTION_WORDS && next - end <= gap);
        const winnow__span span = {
            .first = tile * WINNOW__SELECTION_TILE + 32 * first,
            .items = (32 * end < items ? 32 * end : items) - 32 * first,
            .all = work->n};
        winnow__test_leaf(work->loops, &work->bound, leaf, &span, live + first,
                          values, pass + first);
    }
}

/* words = words ^ turned & of ^ flip. The arrays do not overlap, so that this is
 * vectorized. */
static void combine(uint32_t *restrict words, uint32_t turned,
                    const uint32_t *restrict of, uint32_t flip) {
    for (unsigned w = 0; w < WINNOW__SELECTION_WORDS; w++)
        words[w] = (words[w] ^ turned) & (of[w] ^ flip);
}

static void take_leaf(const winnow__where_tiles *work,
                      const winnow__where_leaf *leaf, uint64_t tile,
                      winnow__tile_values *values, tile_words live) {
    tile_words pass = {0};
    test_live(work, leaf, tile, live, values, pass);
    combine(live, 0, pass, leaf->negated ? UINT32_MAX : 0);
}

/* `live`: one more set than are saved at a time. `values`: NULL if the program
 * has none. */
static void run_program(const winnow__where_tiles *work, uint64_t tile,
                        tile_words *live, winnow__tile_values *values,
                        uint32_t *words) {
    const winnow__where_program *const program = &work->bound.program;
    winnow__keep_items(winnow__items_of_tile(work->n, tile), *live);
    for (unsigned i = 0; i < program->ops; i++) {
        switch (program->op[i]) {
        case WINNOW__WHERE_OPEN:
            memcpy(live + 1, live, sizeof *live);
            live++;
            break;
        case WINNOW__WHERE_CLOSE:
            live--;
            combine(live[0], 0, live[1], UINT32_MAX);
            break;
        case WINNOW__WHERE_TURN:
            combine(live[0], UINT32_MAX, live[-1], 0);
            break;
        default:
            take_leaf(work, &program->leaf[program->op[i]], tile, values,
                      *live);
        }
    }
    memcpy(words, *live, sizeof *live);
}

/* A function of its own, since it takes more stack. */
static __attribute__((noinline)) void run_deep(const winnow__where_tiles *work,
                                               uint64_t tile, uint32_t *words) {
    tile_words sets[WINNOW__LIVE_SETS];
    run_program(work, tile, sets, NULL, words);
}

/* The sets are in the thread's memory, since the functions for values take stack. */
static void run_with_values(const winnow__where_tiles *work, uint64_t tile,
                            unsigned char *memory, uint32_t *words) {
    winnow__tile_values values;
    winnow__no_values(&work->room, memory + work->room.live, &values);
    run_program(work, tile, (tile_words *)(void *)memory, &values, words);
}

void winnow__decide_tile(const winnow__where_tiles *work, uint64_t tile,
                         unsigned char *memory,
                         uint32_t words[WINNOW__SELECTION_WORDS]) {
    tile_words sets[SHALLOW + 1];
    if (work->room.kept != 0)
        run_with_values(work, tile, memory != NULL ? memory : work->memory,
                        words);
    else if (work->bound.program.depth > SHALLOW)
        run_deep(work, tile, words);
    else
        run_program(work, tile, sets, NULL, words);
}

static void begin(const winnow__host_task *task, const winnow__where *where,
                  void *memory, winnow__where_tiles *tiles) {
    unsigned char *const start = memory;
    const places at = lay_out(where, task->bound);
    tiles->loops = task->loops;
    tiles->n = task->n;
    winnow__bind(where, memory, &tiles->bound);
    winnow__test_dictionaries(&tiles->bound, start + at.strings);
    tiles->room = (winnow__values_room){0};
    if (!where->condition->has_expressions)
        return;
    tiles->room = winnow__values_room_of(where, task->bound);
    tiles->memory = (unsigned char *)winnow__round_up(
        (uintptr_t)(start + at.values), ALIGNMENT);
    winnow__find_lengths(&tiles->bound.values, start + at.lengths);
}

/* Order the tests by a sample. */
static void set_order(const winnow__host_task *task, const winnow__where *where,
                      void *memory, winnow__where_tiles *tiles) {
    winnow__order_on_host(
        task, (unsigned char *)memory + lay_out(where, task->bound).order,
        &tiles->room, tiles->memory, &tiles->bound);
}

void winnow__begin_where_tiles(const winnow__host_task *task,
                               const winnow__where *where, void *memory,
                               winnow__where_tiles *tiles) {
    begin(task, where, memory, tiles);
    set_order(task, where, memory, tiles);
}

static void select_tile(void *argument, uint64_t tile, unsigned char *buffer) {
    const host_work *const work = argument;
    winnow__decide_tile(&work->tiles, tile, buffer,
                        work->to.keep + tile * WINNOW__SELECTION_WORDS);
    winnow__host_count_tile(work->tiles.loops, &work->to, tile);
}

/* The only test of a program that has one test of elements; else NULL. */
static const winnow__where_leaf *
only_test(const winnow__where_program *program) {
    const winnow__where_leaf *const leaf = program->leaf;
    return program->ops == 1 && leaf->tests == 1 && !leaf->negated &&
                   program->columns[leaf->column].access <= WINNOW__BY_BYTES
               ? leaf
               : NULL;
}

void winnow__select_where_on_host(const winnow__host_task *task,
                                  const winnow__where *where, void *selection,
                                  void *memory, const winnow__host_sink *sink) {
    host_work work;
    const winnow__where_program *const program = &work.tiles.bound.program;
    work.to = winnow__task_selection(task, selection);
    begin(task, where, memory, &work.tiles);
    const winnow__where_leaf *const leaf = only_test(program);
    if (leaf != NULL) {
        winnow__select_column_on_host(task, &program->columns[leaf->column],
                                      &program->test[leaf->first], selection,
                                      sink);
        return;
    }
    set_order(task, where, memory, &work.tiles);
    winnow__host_make(task, &work.to, select_tile, &work, sink);
}
