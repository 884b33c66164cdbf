/*
 * winnow_copy_where: random conditions over random columns, which are packed
 * apart or in place, against a loop over the items.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "conditions.h"
#include "data.h"
#include "element.h"
#include "reduced.h"
#include "region.h"
#include "suite.h"

enum {
    COLUMNS = 4, /* of a condition */
    OTHERS = 2,  /* that are packed, and not tested */
    MOVES = COLUMNS + OTHERS,
    SLACK = 40 /* bytes, for elements that stand anywhere */
};

#define UNCOUNTED UINT64_C(0x7777777777777777)

/* The tested columns and the others, with what is done to them. */
struct column {
    winnow_type type; /* of those that are tested */
    size_t bytes;     /* of an element */
    int64_t stride;   /* of those that are tested; else `bytes` */
    size_t ahead, out_ahead;
    bool moves, in_place;
};

struct table {
    const struct backend *backend;
    uint64_t seed, n, there, capacity, position;
    bool placed, limited, same_word, uncounted;
    struct column columns[MOVES];
    struct pool pools[COLUMNS];
    struct expression expression;
    winnow_condition *condition;
    struct region in[MOVES], out[MOVES], numbers;
};

/* -------------------------------------------------------------------- draws */

static void draw_column(struct table *table, unsigned c, uint64_t *seed) {
    static const size_t sizes[] = {1, 4, 8, 12, 100, 3};
    struct column *const column = &table->columns[c];

    column->type = element_type(draw_next(seed, ELEMENT_TYPES));
    column->bytes =
        c < COLUMNS ? element_size(column->type) : sizes[draw_next(seed, 6)];
    column->stride = (int64_t)column->bytes;
    column->moves = c == COLUMNS || draw_next(seed, 2) == 0;
    column->in_place =
        column->moves && !table->placed && draw_next(seed, 2) == 0;
    column->ahead = draw_next(seed, 2) * draw_next(seed, 16);
    column->out_ahead = draw_next(seed, 16);
    if (c >= COLUMNS || column->moves || draw_next(seed, 2) == 0)
        return;
    column->stride += (int64_t)draw_next(seed, 9);
    if (draw_next(seed, 2) == 0 && table->n != 0)
        column->stride = -column->stride;
}

static void draw_table(struct table *table, const struct backend *backend,
                       uint64_t n, uint64_t seed) {
    uint64_t draws = seed;

    *table = (struct table){.backend = backend,
                            .seed = seed,
                            .n = n,
                            .there = n,
                            .capacity = WINNOW_NO_LIMIT,
                            .placed = draw_next(&draws, 3) == 0,
                            .limited = draw_next(&draws, 3) == 0,
                            .uncounted = draw_next(&draws, 5) == 0};
    if (table->placed || draw_next(&draws, 3) == 0)
        table->capacity = draw_next(&draws, n + 1);
    if (table->placed)
        table->position = draw_next(&draws, table->capacity + 2);
    if (table->limited)
        table->there = draw_next(&draws, n + n / 4 + 2);
    table->same_word = table->limited && draw_next(&draws, 2) == 0;
    for (unsigned c = 0; c < MOVES; c++)
        draw_column(table, c, &draws);
    for (unsigned c = 0; c < COLUMNS; c++)
        pool_random(&table->pools[c], table->columns[c].type,
                    draw_next(&draws, UINT32_MAX));
    expression_random(&table->expression, table->pools, COLUMNS,
                      (unsigned)(1 + draw_next(&draws, 12)),
                      draw_next(&draws, UINT32_MAX));
    table->condition = expression_create(&table->expression);
}

/* ------------------------------------------------------------------- memory */

static size_t apart(const struct column *column) {
    return (size_t)(column->stride < 0 ? -column->stride : column->stride);
}

/* Where item i of a column stands in its region; its first one, and so the
 * others, where the column goes backwards. */
static size_t place_of(const struct table *table, unsigned c, uint64_t i) {
    const struct column *const column = &table->columns[c];
    const uint64_t step = column->stride < 0 ? table->n - 1 - i : i;

    return REGION_GUARD + column->ahead + step * apart(column);
}

static size_t out_place(const struct table *table, unsigned c) {
    return table->columns[c].in_place
               ? place_of(table, c, 0)
               : REGION_GUARD + table->columns[c].out_ahead;
}

static void fill_column(struct table *table, unsigned c) {
    const struct column *const column = &table->columns[c];
    const size_t room = table->n * apart(column) + 2 * REGION_GUARD + SLACK;

    region_open(&table->in[c], table->backend, room);
    region_poison(&table->in[c], room);
    region_open(&table->out[c], table->backend, room);
    region_poison(&table->out[c], room);
    for (uint64_t i = 0; i < table->n; i++) {
        unsigned char *const at = table->in[c].shadow + place_of(table, c, i);
        uint64_t drawn = data_random(table->seed + c, i), bits[1];

        if (c < COLUMNS) {
            element_store(column->type, bits,
                          table->pools[c].bits[drawn % CONDITION_POOL]);
            memcpy(at, bits, column->bytes);
        } else {
            for (size_t b = 0; b < column->bytes; b++, drawn /= 2)
                at[b] = (unsigned char)drawn;
        }
    }
    backend_upload(table->backend, table->in[c].base, table->in[c].shadow,
                   room);
}

static void open_table(struct table *table) {
    const uint64_t numbers[3] = {table->same_word ? table->there : UNCOUNTED,
                                 table->position, table->there};

    for (unsigned c = 0; c < MOVES; c++)
        fill_column(table, c);
    region_open(&table->numbers, table->backend,
                sizeof(numbers) + 2 * REGION_GUARD);
    region_poison(&table->numbers, table->numbers.bytes);
    region_write(&table->numbers, REGION_GUARD, numbers, sizeof(numbers));
    if (table->there > table->n)
        table->there = table->n;
}

/* ----------------------------------------------------------------- the call */

/* With a plan there are no addresses, but of what is packed in place. */
static winnow_status call(const struct table *table,
                          const winnow_launch *launch) {
    const bool plans = launch->plan != NULL;
    static unsigned char anywhere;
    uint64_t *const numbers =
        (uint64_t *)(void *)(table->numbers.base + REGION_GUARD);
    winnow_in columns[COLUMNS];
    winnow_move moves[MOVES];
    unsigned number = 0;

    for (unsigned c = 0; c < MOVES; c++) {
        const struct column *const column = &table->columns[c];
        unsigned char *const in = table->in[c].base + place_of(table, c, 0);
        unsigned char *const out =
            (column->in_place ? table->in[c].base : table->out[c].base) +
            out_place(table, c);

        if (c < COLUMNS)
            columns[c] = (winnow_in){.type = column->type,
                                     .d_base = plans ? NULL : in,
                                     .stride_bytes = column->stride};
        if (column->moves)
            moves[number++] =
                plans
                    ? (winnow_move){.d_in = column->in_place ? &anywhere : NULL,
                                    .d_out =
                                        column->in_place ? &anywhere : NULL,
                                    .element_bytes = column->bytes}
                    : (winnow_move){.d_in = in,
                                    .d_out = out,
                                    .element_bytes = column->bytes};
    }
    return winnow_copy_where(table->backend->context, table->condition, columns,
                             COLUMNS, table->n, moves, number, table->capacity,
                             plans || table->uncounted ? NULL : numbers,
                             launch);
}

/* ------------------------------------------------------------------- oracle */

static void expect(struct table *table) {
    const uint64_t room = table->placed || table->capacity < table->n
                              ? table->capacity
                              : table->n;
    uint64_t at = table->position, count = 0;

    for (uint64_t i = 0; i < table->there; i++) {
        uint64_t row[CONDITION_COLUMNS] = {0};

        for (unsigned c = 0; c < COLUMNS; c++) {
            uint64_t element[1];

            memcpy(element, table->in[c].shadow + place_of(table, c, i),
                   table->columns[c].bytes);
            row[c] = element_load(table->columns[c].type, element);
        }
        if (!expression_keeps(&table->expression, row))
            continue;
        count++;
        if (at >= room)
            continue;
        for (unsigned c = 0; c < MOVES; c++) {
            const struct column *const column = &table->columns[c];
            struct region *const out =
                column->in_place ? &table->in[c] : &table->out[c];

            if (column->moves)
                memmove(out->shadow + out_place(table, c) + at * column->bytes,
                        table->in[c].shadow + place_of(table, c, i),
                        column->bytes);
        }
        at++;
    }
    if (!table->uncounted)
        memcpy(table->numbers.shadow + REGION_GUARD, &count, 8);
    if (table->placed)
        memcpy(table->numbers.shadow + REGION_GUARD + 8, &at, 8);
}

static bool check(const struct table *table, struct region *region,
                  const char *name, unsigned c, struct report *report) {
    struct report text = {{0}};

    region_fetch(region, region->bytes);
    return region_untouched(region, name, REGION_GUARD, 0, region->bytes,
                            &text) ||
           report_fail(report, "seed %llu, column %u, %s",
                       (unsigned long long)table->seed, c, text.text);
}

static bool check_table(struct table *table, struct report *report) {
    for (unsigned c = 0; c < MOVES; c++)
        if (!check(table, &table->in[c], "the input", c, report) ||
            !check(table, &table->out[c], "the output", c, report))
            return false;
    return check(table, &table->numbers, "the numbers", MOVES, report);
}

static void close_table(struct table *table) {
    for (unsigned c = 0; c < MOVES; c++) {
        region_close(&table->in[c]);
        region_close(&table->out[c]);
    }
    region_close(&table->numbers);
    winnow_condition_destroy(table->condition);
}

static void run(const struct backend *backend, uint64_t n, uint64_t seed) {
    winnow_plan plan = {.size = sizeof(plan)};
    winnow_launch launch = {
        .size = sizeof(launch), .stream = backend->stream, .plan = &plan};
    struct table table;
    uint64_t *numbers;

    draw_table(&table, backend, n, seed);
    open_table(&table);
    numbers = (uint64_t *)(void *)(table.numbers.base + REGION_GUARD);
    cr_assert_eq(call(&table, &launch), WINNOW_OK, "%s", winnow_last_error());
    launch.plan = NULL;
    launch.d_n = !table.limited    ? NULL
                 : table.same_word ? numbers
                                   : numbers + 2;
    launch.d_position = table.placed ? numbers + 1 : NULL;
    if (seed % 2 == 0) {
        launch.d_workspace = backend_alloc(backend, plan.workspace_bytes + 16);
        launch.workspace_bytes = plan.workspace_bytes;
    }
    cr_assert_eq(call(&table, &launch), WINNOW_OK, "%s", winnow_last_error());
    cr_assert_null(backend_wait(backend));
    expect(&table);
    MUST(check_table(&table, report));
    if (launch.d_workspace != NULL)
        backend_free(backend, launch.d_workspace);
    close_table(&table);
}

/* -------------------------------------------------------------------- tests */

BACKEND_TEST(copy_where, random) {
    static const uint64_t edges[] = {0, 1, 33, 4095, 4096, 4097, 9000};
    const unsigned trials = reduced_mode() ? 4 : 20;

    for (unsigned e = 0; e < 7; e++)
        for (unsigned t = 0; t < trials; t++)
            run(backend, edges[e], 7000 + 100 * e + t);
}

/* As many columns and moves as there may be, and all of a launch. */
BACKEND_TEST(copy_where, most_of_all) {
    enum {
        N = 100,
        ALL = CONDITION_COLUMNS
    };
    unsigned char in[64 * N], seen[64 * N];
    uint64_t numbers[3] = {UNCOUNTED, 7, N - 10};
    unsigned char *const d_in = backend_alloc(backend, sizeof(in));
    unsigned char *const d_out = backend_alloc(backend, sizeof(in));
    uint64_t *const d_numbers = backend_alloc(backend, sizeof(numbers));
    struct expression expression = {0};
    winnow_condition *condition;
    winnow_in columns[ALL];
    winnow_move moves[64];
    unsigned root = 0;
    uint64_t at = 7;

    for (unsigned c = 0; c < 64; c++) {
        const struct rule rule = {.type = WINNOW_UINT8,
                                  .kind = RULE_COMPARE,
                                  .compare = WINNOW_NE,
                                  .low = c};
        unsigned test;

        moves[c] = (winnow_move){
            .d_in = d_in + c * N, .d_out = d_out + c * N, .element_bytes = 1};
        for (unsigned i = 0; i < N; i++)
            in[c * N + i] = (unsigned char)(data_random(c, i) % 64);
        if (c >= ALL)
            continue;
        columns[c] = (winnow_in){.type = WINNOW_UINT8, .d_base = moves[c].d_in};
        test = expression_test(&expression, c, &rule);
        root = c == 0
                   ? test
                   : expression_join(&expression, EXPRESSION_AND, root, test);
    }
    condition = expression_create(&expression);
    backend_upload(backend, d_in, in, sizeof(in));
    backend_upload(backend, d_numbers, numbers, sizeof(numbers));
    cr_assert_eq(winnow_copy_where(backend->context, condition, columns, ALL, N,
                                   moves, 64, N, d_numbers,
                                   WINNOW_LAUNCH(.stream = backend->stream,
                                                 .d_n = d_numbers + 2,
                                                 .d_position = d_numbers + 1)),
                 WINNOW_OK, "%s", winnow_last_error());
    cr_assert_null(backend_wait(backend));
    backend_download(backend, seen, d_out, sizeof(seen));
    backend_download(backend, numbers, d_numbers, sizeof(numbers));
    for (unsigned i = 0; i < N - 10; i++) {
        bool keeps = true;

        for (unsigned c = 0; c < ALL; c++)
            keeps = keeps && in[c * N + i] != c;
        for (unsigned c = 0; keeps && c < 64; c++)
            cr_assert_eq(seen[c * N + at], in[c * N + i]);
        at += keeps;
    }
    cr_assert(at > 20 && numbers[0] == at - 7 && numbers[1] == at);
    winnow_condition_destroy(condition);
    backend_free(backend, d_in);
    backend_free(backend, d_out);
    backend_free(backend, d_numbers);
}

#define WRONG(call, text)                                                      \
    do {                                                                       \
        cr_assert_eq((call), WINNOW_ERR_ARGUMENT);                             \
        cr_assert_str_eq(winnow_last_error(), text);                           \
    } while (0)

Test(copy_where, wrong_arguments) {
    uint32_t in[8] = {1, 2, 3, 4}, out[8] = {0};
    const uint32_t zero = 0;
    uint64_t count = 77;
    const winnow_in columns[2] = {{.type = WINNOW_FLOAT32, .d_base = out},
                                  {.type = WINNOW_UINT32, .d_base = in}};
    winnow_move move = {.d_in = in, .d_out = out, .element_bytes = 4};
    winnow_predicate *predicate;
    winnow_condition *first, *second;
    winnow_context *context;

    cr_assert_eq(winnow_context_create(&context, WINNOW_DEVICE_HOST),
                 WINNOW_OK);
    cr_assert_eq(
        winnow_predicate_compare(&predicate, WINNOW_UINT32, WINNOW_NE, &zero),
        WINNOW_OK);
    cr_assert_eq(winnow_condition_test(&first, 0, predicate), WINNOW_OK);
    cr_assert_eq(winnow_condition_test(&second, 1, predicate), WINNOW_OK);
#define WHERE(condition, columns, number, move, moves)                         \
    winnow_copy_where(context, condition, columns, number, 4, move, moves, 4,  \
                      &count, NULL)
    WRONG(WHERE(NULL, columns, 2, &move, 1), "condition is NULL");
    WRONG(WHERE(second, NULL, 2, &move, 1), "columns is NULL");
    WRONG(WHERE(second, columns, 1, &move, 1),
          "the condition tests column 1, and column_count is 1");
    WRONG(WHERE(first, columns, 2, &move, 1),
          "columns[0] is of float32, and the condition tests it as uint32");
    WRONG(WHERE(second, columns, 2, NULL, 1), "moves is NULL");
    WRONG(WHERE(second, columns, 2, &move, 0),
          "move_count is 0: wanted 1 to 64 columns");
    move.d_out = in;
    move.d_in = out;
    WRONG(WHERE(second, columns, 2, &move, 1),
          "columns[1].d_base and moves[0].d_out overlap");
    move.d_in = in + 1;
    move.d_out = in + 1;
    WRONG(WHERE(second, columns, 2, &move, 1),
          "columns[1].d_base and moves[0].d_out overlap");
    cr_assert(count == 77 && out[0] == 0 && in[1] == 2);
    move.d_in = move.d_out = in;
    cr_assert_eq(WHERE(second, columns, 2, &move, 1), WINNOW_OK, "%s",
                 winnow_last_error());
    cr_assert_eq(count, 4u);
    winnow_condition_destroy(first);
    winnow_condition_destroy(second);
    winnow_predicate_destroy(predicate);
    winnow_context_destroy(context);
}
