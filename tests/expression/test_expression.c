/*
 * Expressions, computed by blocks by each set of loops, against formulas.c. One
 * process and no test framework: it is linked with all of the library.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conditions.h"
#include "condition/run/evaluate.h"
#include "formulas.h"
#include "narrow.h"
#include "reduced.h"
#include "report.h"

#define MUST(what, ...)                                                        \
    do {                                                                       \
        if (!(what)) {                                                         \
            printf("FAIL: " __VA_ARGS__);                                      \
            printf("\n%s:%d: %s\n", __FILE__, __LINE__, #what);                \
            exit(1);                                                           \
        }                                                                      \
    } while (0)

static unsigned long seen[WINNOW__OPERATION_CODES];

/* ------------------------------------------------------------------ columns */

static winnow__value_column column_of(const struct formula_column *column) {
    const winnow_in *const in = &column->in;
    winnow__value_column made = {.first = in->d_base};

    made.stride = in->stride_bytes == 0 ? winnow_type_size(in->type)
                                        : (uint64_t)in->stride_bytes;
    made.access = WINNOW__VALUE_BYTES;
    if (in->d_valid != NULL) {
        made.valid = (const unsigned char *)in->d_valid + in->valid_offset / 8;
        made.valid_skip = in->valid_offset % 8;
    }
    if (in->dictionary != NULL) {
        made.access = WINNOW__VALUE_INDICES;
        made.index_log2_size =
            (uint8_t)__builtin_ctz(winnow_type_size(in->type));
        made.index_is_signed = in->type < WINNOW_UINT8;
        made.data = column->lengths;
        made.size = in->dictionary_n;
    } else if (in->type == WINNOW_BIT) {
        made.access = WINNOW__VALUE_BITS;
        made.first += in->offset / 8;
        made.skip = in->offset % 8;
    } else if (column->type >= WINNOW_STRING32) {
        made.access = (uint8_t)(WINNOW__VALUE_OFFSETS_32 + column->type -
                                WINNOW_STRING32);
        made.data = in->d_data;
        made.size = in->data_size;
    }
    return made;
}

/* ------------------------------------------------------------------- values */

static bool is_equal(const struct formula_value *wanted, const void *values,
                     unsigned i) {
    double d;
    float f;

    switch (wanted->type) {
    case WINNOW__INT64:
        return ((const int64_t *)values)[i] == (int64_t)wanted->i;
    case WINNOW__UINT64:
        return ((const uint64_t *)values)[i] == (uint64_t)wanted->i;
    case WINNOW__FLOAT32:
        f = ((const float *)values)[i];
        return isnan(wanted->d) ? isnan(f)
                                : f == (float)wanted->d &&
                                      !signbit(f) == !signbit(wanted->d);
    case WINNOW__FLOAT64:
        d = ((const double *)values)[i];
        return isnan(wanted->d)
                   ? isnan(d)
                   : d == wanted->d && !signbit(d) == !signbit(wanted->d);
    default:
        return (((const uint32_t *)values)[i / 32] >> i % 32 & 1) ==
               (uint32_t)wanted->i;
    }
}

static void check_constant(const winnow__constant *constant,
                           const struct formula_value *wanted, uint64_t seed) {
    const uint32_t bit = (uint32_t)constant->u;

    MUST(constant->type == wanted->type && constant->is_null == wanted->null,
         "seed %" PRIu64 ": the constant is of another type", seed);
    MUST(wanted->null ||
             is_equal(wanted,
                      constant->type == WINNOW__FLOAT32
                          ? (const void *)&constant->f
                      : constant->type == WINNOW__BOOL ? (const void *)&bit
                                                       : &constant->u,
                      0),
         "seed %" PRIu64 ": the constant has another value", seed);
}

static void check_block(const winnow__host_loops *loops,
                        const winnow__expression *expression,
                        const struct formula *formula,
                        const struct formula_table *table,
                        const winnow__value_column columns[], uint64_t first,
                        unsigned items, uint64_t seed) {
    uint64_t values[WINNOW__BLOCK + 1];
    uint32_t valid[WINNOW__BLOCK / 32];
    const bool nullable =
        winnow__values_nullable(&expression->program, columns);

    memset(values, 0xa5, sizeof values);
    evaluate_block(loops->isa, expression, columns, first, items, values,
                   nullable ? valid : NULL);
    MUST(values[WINNOW__BLOCK] == UINT64_C(0xa5a5a5a5a5a5a5a5),
         "seed %" PRIu64 ": more than the values is written", seed);
    for (unsigned i = 0; i < items; i++) {
        const struct formula_value wanted =
            formula_of(formula, table, first + i);
        const bool is_null = nullable && (valid[i / 32] >> i % 32 & 1) == 0;
        MUST(is_null == wanted.null,
             "seed %" PRIu64 ", item %" PRIu64 ", %s: null is %d", seed,
             first + i, loops->name, is_null);
        MUST(is_null || is_equal(&wanted, values, i),
             "seed %" PRIu64 ", item %" PRIu64 ", %s: wanted %g, %lld", seed,
             first + i, loops->name, wanted.d, (long long)wanted.i);
    }
}

static void check_expression(const winnow__expression *expression,
                             const struct formula *formula,
                             const struct formula_table *table, uint64_t seed) {
    static const winnow__host_loops *const all[] = {
        &winnow__host_portable,
#ifdef WINNOW_X86
        &winnow__host_avx2,
        &winnow__host_avx512,
#endif
    };
    winnow__value_column columns[WINNOW__MOST_READ];
    const winnow__value_program *const program = &expression->program;

    MUST(program->result_type == formula->node[formula->number - 1].type,
         "seed %" PRIu64 ": the value is of another type", seed);
    for (unsigned s = 0; s < program->steps; s++)
        seen[program->step[s].code]++;
    for (unsigned c = 0; c < expression->columns; c++)
        columns[c] = column_of(&table->column[expression->column[c].column]);
    for (unsigned l = 0; l < sizeof all / sizeof all[0]; l++) {
        uint64_t first = 0;
        while (all[l]->usable() && first < table->n) {
            const uint64_t left = table->n - first;
            const unsigned items = first == 0 && left > 96 ? 96
                                   : left < WINNOW__BLOCK  ? (unsigned)left
                                                           : WINNOW__BLOCK;
            check_block(all[l], expression, formula, table, columns, first,
                        items, seed);
            first += items;
        }
    }
}

static void check_formula(const struct formula_table *table, unsigned nodes,
                          uint64_t seed) {
    struct formula formula;
    winnow__builder *const builder = winnow__builder_create();
    winnow__constant constant;
    winnow__expression *expression, *again;
    winnow__value value;

    MUST(builder != NULL, "there is no builder");
    formula_random(&formula, table, nodes, seed);
    value = formula_build(&formula, table, builder);
    MUST(value != WINNOW__NO_VALUE, "seed %" PRIu64 ": no value", seed);
    MUST(formula_build(&formula, table, builder) == value,
         "seed %" PRIu64 ": equal values are two", seed);
    if (winnow__value_constant(builder, value, &constant)) {
        const struct formula_value wanted = formula_of(&formula, table, 0);
        check_constant(&constant, &wanted, seed);
    } else {
        expression = winnow__build_finish(builder, value);
        MUST(expression != NULL, "seed %" PRIu64 ": %s", seed,
             winnow_last_error());
        again = winnow__build_finish(builder, value);
        MUST(again == expression, "a value has two expressions");
        winnow__expression_release(again);
        winnow__builder_destroy(builder);
        check_expression(expression, &formula, table, seed);
        winnow__expression_release(expression);
        return;
    }
    winnow__builder_destroy(builder);
}

static void random_formulas(unsigned tables, uint64_t seed) {
    for (unsigned t = 0; t < tables; t++) {
        struct formula_table table;
        const uint64_t n = t % 8 == 0 ? 2200 : 1 + draw_next(&seed, 70);
        formula_table_open(&table, n, draw_next(&seed, UINT64_MAX));
        for (unsigned f = 0; f < (n > 100 ? 8 : 60); f++)
            check_formula(&table, 1 + (unsigned)draw_next(&seed, 24),
                          draw_next(&seed, UINT64_MAX));
        formula_table_close(&table);
    }
}

/* ----------------------------------------------------------------- calendar */

struct date {
    int64_t year, month, day;
};

static void next_day(struct date *date) {
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool is_leap =
        date->year % 4 == 0 && (date->year % 100 != 0 || date->year % 400 == 0);
    const int last = days[date->month - 1] + (date->month == 2 && is_leap);

    if (date->day++ < last)
        return;
    date->day = 1;
    if (date->month++ < 12)
        return;
    date->month = 1;
    date->year++;
}

static void check_days(winnow__host_isa isa, const winnow__expression *part[],
                       int64_t first, struct date *date) {
    int64_t days[WINNOW__BLOCK], made[3][WINNOW__BLOCK];
    const winnow__value_column column = {.first = (const unsigned char *)days,
                                         .stride = sizeof days[0]};

    for (int64_t i = 0; i < WINNOW__BLOCK; i++)
        days[i] = first + i;
    for (unsigned p = 0; p < 3; p++)
        evaluate_block(isa, part[p], &column, 0, WINNOW__BLOCK, made[p], NULL);
    for (unsigned i = 0; i < WINNOW__BLOCK; i++, next_day(date))
        MUST(made[0][i] == date->year && made[1][i] == date->month &&
                 made[2][i] == date->day,
             "day %lld: %lld-%lld-%lld", (long long)days[i],
             (long long)made[0][i], (long long)made[1][i],
             (long long)made[2][i]);
}

/* Each day of more than 400 years. */
static void calendar(void) {
    winnow__builder *const builder = winnow__builder_create();
    const winnow__value days = winnow__build_column(builder, 0, WINNOW_INT64);
    const winnow__expression *part[3];
    struct date date = {1600, 1, 1};

    for (unsigned p = 0; p < 3; p++)
        part[p] = winnow__build_finish(
            builder, winnow__build_part(builder, (winnow__part_of)p, days, 1));
    for (int64_t day = -135140; day < 13000; day += WINNOW__BLOCK)
        check_days(WINNOW__HOST_PORTABLE, part, day, &date);
    for (unsigned p = 0; p < 3; p++)
        winnow__expression_release((winnow__expression *)part[p]);
    winnow__builder_destroy(builder);
}

/* ------------------------------------------------------------------- limits */

static winnow__value number_column(winnow__builder *builder, unsigned i) {
    return winnow__build_column(builder, (uint16_t)i, WINNOW_FLOAT64);
}

/* The sum of the squares of so many columns' distances from their mean: all of
 * them are read at first and at last. */
static winnow__value variance(winnow__builder *builder, unsigned columns) {
    winnow__value sum = number_column(builder, 0), squares = WINNOW__NO_VALUE;

    for (unsigned i = 1; i < columns; i++)
        sum = winnow__build_binary(builder, WINNOW__ADD, sum,
                                   number_column(builder, i));
    sum = winnow__build_binary(builder, WINNOW__DIVIDE, sum,
                               winnow__build_int(builder, columns, true));
    for (unsigned i = 0; i < columns; i++) {
        const winnow__value distance = winnow__build_binary(
            builder, WINNOW__SUBTRACT, number_column(builder, i), sum);
        const winnow__value square =
            winnow__build_binary(builder, WINNOW__MULTIPLY, distance, distance);
        squares = i == 0 ? square
                         : winnow__build_binary(builder, WINNOW__ADD, squares,
                                                square);
    }
    return squares;
}

static void loads_are_repeated(void) {
    enum {
        COLUMNS = 20
    };
    winnow__builder *const builder = winnow__builder_create();
    winnow__expression *const expression =
        winnow__build_finish(builder, variance(builder, COLUMNS));
    winnow__value_column columns[COLUMNS];
    double element[COLUMNS], made, mean = 0, wanted = 0;

    MUST(expression != NULL, "%s", winnow_last_error());
    for (unsigned i = 0; i < COLUMNS; i++) {
        element[i] = (double)(i * i);
        mean += element[i];
    }
    mean /= COLUMNS;
    for (unsigned i = 0; i < COLUMNS; i++) {
        const double distance = element[i] - mean;
        wanted += distance * distance;
    }
    for (unsigned i = 0; i < COLUMNS; i++)
        columns[i] = (winnow__value_column){
            .first =
                (const unsigned char *)&element[expression->column[i].column],
            .stride = sizeof(double)};
    evaluate_block(WINNOW__HOST_PORTABLE, expression, columns, 0, 1, &made,
                   NULL);
    MUST(made == wanted, "%g is not %g", made, wanted);
    winnow__expression_release(expression);
    winnow__builder_destroy(builder);
}

static void must_be_refused(winnow__builder *builder, winnow__value value,
                            const char *what) {
    MUST(winnow__build_finish(builder, value) == NULL, "%s", what);
    MUST(winnow__builder_status(builder) == WINNOW_ERR_UNSUPPORTED, "%s", what);
    MUST(strstr(winnow_last_error(), what) != NULL, "%s", winnow_last_error());
    winnow__builder_destroy(builder);
}

static void limits(void) {
    winnow__builder *builder = winnow__builder_create();
    winnow__value sum = number_column(builder, 0);

    for (unsigned i = 1; i <= WINNOW__MOST_READ; i++)
        sum = winnow__build_binary(builder, WINNOW__ADD, sum,
                                   number_column(builder, i));
    must_be_refused(builder, sum, "32 columns");
    builder = winnow__builder_create();
    sum = number_column(builder, 0);
    for (unsigned i = 0; i <= WINNOW__MOST_CONSTANTS; i++)
        sum = winnow__build_binary(builder, WINNOW__ADD, sum,
                                   winnow__build_int(builder, i, true));
    must_be_refused(builder, sum, "64 constants");
    builder = winnow__builder_create();
    sum = number_column(builder, 0);
    for (unsigned i = 0; i < WINNOW__MOST_OPERATIONS; i++)
        sum = winnow__build_unary(builder, WINNOW__NEGATE, sum);
    must_be_refused(builder, sum, "128 operations");
}

/* Distances of each value from a later one: all are needed at the same time. */
static void registers(void) {
    winnow__builder *const builder = winnow__builder_create();
    winnow__value root[18], sum = WINNOW__NO_VALUE;

    for (unsigned i = 0; i < 18; i++)
        root[i] = winnow__build_unary(builder, WINNOW__SQRT,
                                      number_column(builder, i));
    for (unsigned turn = 0; turn < 2; turn++)
        for (unsigned i = 0; i < 18; i++)
            sum = turn + i == 0
                      ? root[0]
                      : winnow__build_binary(
                            builder, turn == 0 ? WINNOW__ADD : WINNOW__MULTIPLY,
                            sum, root[i]);
    must_be_refused(builder, sum, "16 values at a time");
}

/* Of decimals alone: test_decimals.c has those. */
static bool is_of_decimals(unsigned code) {
    static const uint8_t codes[] = {
        WINNOW__LOAD_LOWER,           WINNOW__LOAD_UPPER,
        WINNOW__MULTIPLY_HIGH_INT64,  WINNOW__MULTIPLY_HIGH_UINT64,
        WINNOW__ORDER_INT64,          WINNOW__ORDER_UINT64,
        WINNOW__UNLESS_BELOW_0_INT64, WINNOW__WITHIN_INT64,
        WINNOW__FLOAT64_TO_LOWER,     WINNOW__FLOAT64_TO_UPPER};
    return memchr(codes, (int)code, sizeof codes) != NULL;
}

int main(int argc, char **argv) {
    const unsigned tables = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 0)
                            : reduced_mode() ? 320
                                             : 640;
    const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
    static const char *const name[] = {
#define NAME(CODE, ...) #CODE,
        WINNOW__LOADS(NAME) WINNOW__OTHER_LOADS(NAME)
            WINNOW__UNARY_OPERATIONS(NAME) WINNOW__UNARY_NULL_OPERATIONS(NAME)
                WINNOW__BINARY_OPERATIONS(NAME) WINNOW__COMPARISONS(NAME)
                    WINNOW__BINARY_NULL_OPERATIONS(NAME) WINNOW__QUOTIENTS(NAME)
#undef NAME
    };

    calendar();
    loads_are_repeated();
    limits();
    registers();
    check_narrow();
    random_formulas(tables, seed);
    for (unsigned code = 0; code < WINNOW__OPERATION_CODES; code++)
        MUST(seen[code] != 0 || is_of_decimals(code), "no expression had %s",
             name[code]);
    return 0;
}
