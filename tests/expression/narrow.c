/*
 * Columns of each type have the least and the greatest numbers, and those beside
 * 0, each beside each. So many that whole vectors and the rest behind them occur.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "narrow.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conditions.h"
#include "report.h"
#include "condition/run/evaluate.h"

#define MUST(what, ...)                                                        \
    do {                                                                       \
        if (!(what)) {                                                         \
            printf("FAIL: " __VA_ARGS__);                                      \
            printf("\n%s:%d: %s\n", __FILE__, __LINE__, #what);                \
            exit(1);                                                           \
        }                                                                      \
    } while (0)

__extension__ typedef __int128 integer;

enum {
    KINDS = 9, /* of numbers of a type */
    ITEMS = 4 * KINDS * KINDS
};

void evaluate_block(winnow__host_isa isa, const winnow__expression *expression,
                    const winnow__value_column columns[], uint64_t first,
                    unsigned items, void *values, uint32_t *valid) {
    const size_t bytes = winnow__evaluate_bytes(expression, items);
    void *const memory = aligned_alloc(64, bytes);

    MUST(memory != NULL, "no memory");
    memset(memory, 0xa5, bytes);
    winnow__evaluate(isa, expression, expression->host.steps, columns, first,
                     items, memory, values, valid);
    free(memory);
}

struct numbers {
    winnow_type type;
    int64_t value[ITEMS];
    unsigned char memory[2 * 8 * ITEMS];
    winnow__value_column column;
};

static const winnow_type types[] = {WINNOW_INT8,  WINNOW_INT16, WINNOW_INT32,
                                    WINNOW_INT64, WINNOW_UINT8, WINNOW_UINT16,
                                    WINNOW_UINT32};
enum {
    TYPES = sizeof types / sizeof types[0]
};

static bool is_signed(winnow_type type) {
    return type <= WINNOW_INT64;
}

static int64_t highest(winnow_type type) {
    const unsigned bits = 8 * (unsigned)winnow_type_size(type);
    return (int64_t)(UINT64_MAX >> (64 - bits + is_signed(type)));
}

static int64_t lowest(winnow_type type) {
    return is_signed(type) ? -highest(type) - 1 : 0;
}

/* Aligned elements side by side, or apart and at odd addresses. */
static void lay_out(struct numbers *numbers, bool apart) {
    const size_t size = winnow_type_size(numbers->type);
    const size_t stride = apart ? 2 * size - (size > 1) : size;

    for (unsigned i = 0; i < ITEMS; i++)
        memcpy(numbers->memory + apart + i * stride, &numbers->value[i], size);
    numbers->column = (winnow__value_column){.first = numbers->memory + apart,
                                             .stride = stride,
                                             .access = WINNOW__VALUE_BYTES};
}

/* Number `kind` of a type. */
static int64_t number_of(winnow_type type, unsigned kind) {
    const int64_t low = lowest(type), high = highest(type);
    const int64_t few[KINDS] = {
        low, low + 1, is_signed(type) ? -1 : 3, 0, 1, 2, 7, high - 1, high};

    return few[kind];
}

static struct numbers *open(winnow_type type, unsigned step, bool apart) {
    struct numbers *const numbers = must_alloc(sizeof *numbers);

    numbers->type = type;
    for (unsigned i = 0; i < ITEMS; i++)
        numbers->value[i] = number_of(type, i / step % KINDS);
    lay_out(numbers, apart);
    return numbers;
}

/* --------------------------------------------------------------- expressions */

static bool seen[WINNOW__HOST_CODES];

static const winnow__host_loops *const loops[] = {
    &winnow__host_portable,
#ifdef WINNOW_X86
    &winnow__host_avx2,
    &winnow__host_avx512,
#endif
};
enum {
    LOOPS = sizeof loops / sizeof loops[0]
};

/* Values of a builder, of columns 0 and 1. */
struct made {
    winnow__builder *builder;
    winnow__value a, b;
};

static struct made begin(winnow_type a, winnow_type b) {
    struct made made = {.builder = winnow__builder_create()};

    MUST(made.builder != NULL, "no builder");
    made.a = winnow__build_column(made.builder, 0, a);
    made.b = winnow__build_column(made.builder, 1, b);
    return made;
}

static winnow__expression *finish(struct made *made, winnow__value value) {
    winnow__expression *const expression =
        winnow__build_finish(made->builder, value);

    MUST(expression != NULL, "%s", winnow_last_error());
    for (unsigned s = 0; s < expression->host.steps; s++)
        seen[expression->host.step[s].code] = true;
    return expression;
}

/* The values of all items, by these loops. */
static void evaluate(const winnow__expression *expression,
                     const struct numbers *a, const struct numbers *b,
                     winnow__host_isa isa, void *values) {
    winnow__value_column columns[2];

    for (unsigned c = 0; c < expression->columns; c++)
        columns[c] = expression->column[c].column == 0 ? a->column : b->column;
    evaluate_block(isa, expression, columns, 0, ITEMS, values, NULL);
}

static void check_integers(struct made *made, winnow__value value,
                           const struct numbers *a, const struct numbers *b,
                           const int64_t *wanted, const char *what) {
    winnow__expression *const expression = finish(made, value);
    int64_t values[ITEMS];

    for (unsigned l = 0; l < LOOPS; l++) {
        if (!loops[l]->usable())
            continue;
        evaluate(expression, a, b, loops[l]->isa, values);
        for (unsigned i = 0; i < ITEMS; i++)
            MUST(values[i] == wanted[i],
                 "%s, %s %s %s: %" PRId64 ", %" PRId64 ": %" PRId64
                 " is not %" PRId64,
                 loops[l]->name, winnow_type_name(a->type), what,
                 winnow_type_name(b->type), a->value[i], b->value[i], values[i],
                 wanted[i]);
    }
    winnow__expression_release(expression);
}

static void check_bits(struct made *made, winnow__value value,
                       const struct numbers *a, const struct numbers *b,
                       const bool *wanted, const char *what) {
    winnow__expression *const expression = finish(made, value);
    uint32_t words[(ITEMS + 31) / 32];

    for (unsigned l = 0; l < LOOPS; l++) {
        if (!loops[l]->usable())
            continue;
        evaluate(expression, a, b, loops[l]->isa, words);
        for (unsigned i = 0; i < ITEMS; i++)
            MUST((words[i / 32] >> i % 32 & 1) == wanted[i],
                 "%s, %s %s %s: %" PRId64 ", %" PRId64 ": not %d",
                 loops[l]->name, winnow_type_name(a->type), what,
                 winnow_type_name(b->type), a->value[i], b->value[i],
                 wanted[i]);
    }
    winnow__expression_release(expression);
}

/* --------------------------------------------------- operations of two numbers */

static integer computed(winnow__binary operation, integer a, integer b) {
    switch (operation) {
    case WINNOW__ADD:
        return a + b;
    case WINNOW__SUBTRACT:
        return a - b;
    case WINNOW__MULTIPLY:
        return a * b;
    case WINNOW__MIN:
        return a < b ? a : b;
    case WINNOW__MAX:
        return a < b ? b : a;
    case WINNOW__FLOOR_DIVIDE:
        return a / b - (a % b != 0 && (a % b < 0) != (b < 0));
    default:
        return a % b;
    }
}

static bool decided(winnow_compare compare, integer a, integer b) {
    return compare == WINNOW_LT   ? a < b
           : compare == WINNOW_LE ? a <= b
           : compare == WINNOW_EQ ? a == b
                                  : a != b;
}

static const winnow__binary binaries[] = {
    WINNOW__ADD, WINNOW__SUBTRACT, WINNOW__MULTIPLY, WINNOW__MIN, WINNOW__MAX};
static const winnow_compare compares[] = {WINNOW_LT, WINNOW_LE, WINNOW_EQ,
                                          WINNOW_NE};

/* Of columns a and b, or of a and a constant in place of b. */
static void check_pair(const struct numbers *a, const struct numbers *b,
                       const int64_t *constant) {
    int64_t wanted[ITEMS];
    bool decide[ITEMS];
    struct made made = begin(a->type, b->type);

    if (constant != NULL)
        made.b = winnow__build_int(made.builder, *constant, false);
    for (unsigned o = 0; o < sizeof binaries / sizeof binaries[0]; o++) {
        for (unsigned i = 0; i < ITEMS; i++)
            wanted[i] = (int64_t)computed(binaries[o], a->value[i],
                                          constant ? *constant : b->value[i]);
        check_integers(
            &made,
            winnow__build_binary(made.builder, binaries[o], made.a, made.b), a,
            b, wanted, "arithmetic");
    }
    for (unsigned o = 0; o < sizeof compares / sizeof compares[0]; o++) {
        for (unsigned i = 0; i < ITEMS; i++)
            decide[i] = decided(compares[o], a->value[i],
                                constant ? *constant : b->value[i]);
        check_bits(
            &made,
            winnow__build_compare(made.builder, compares[o], made.a, made.b), a,
            b, decide, "compared");
        for (unsigned i = 0; i < ITEMS; i++)
            decide[i] = decided(compares[o], constant ? *constant : b->value[i],
                                a->value[i]);
        check_bits(
            &made,
            winnow__build_compare(made.builder, compares[o], made.b, made.a), a,
            b, decide, "turned");
    }
    winnow__builder_destroy(made.builder);
}

static void check_one(const struct numbers *a) {
    int64_t wanted[ITEMS];
    struct made made = begin(a->type, a->type);

    for (unsigned i = 0; i < ITEMS; i++)
        wanted[i] = (int64_t)(0 - (uint64_t)a->value[i]);
    check_integers(&made,
                   winnow__build_unary(made.builder, WINNOW__NEGATE, made.a), a,
                   a, wanted, "negated");
    for (unsigned i = 0; i < ITEMS; i++)
        wanted[i] = a->value[i] < 0 ? wanted[i] : a->value[i];
    check_integers(&made,
                   winnow__build_unary(made.builder, WINNOW__ABS, made.a), a, a,
                   wanted, "abs");
    winnow__builder_destroy(made.builder);
}

static void check_floats(const struct numbers *a) {
    double wide[ITEMS];
    float narrow[ITEMS];
    struct made made = begin(a->type, a->type);
    winnow__expression *const to_double =
        finish(&made, winnow__build_cast(made.builder, WINNOW_FLOAT64, made.a));
    winnow__expression *const to_float =
        finish(&made, winnow__build_cast(made.builder, WINNOW_FLOAT32, made.a));

    for (unsigned l = 0; l < LOOPS; l++) {
        if (!loops[l]->usable())
            continue;
        evaluate(to_double, a, a, loops[l]->isa, wide);
        evaluate(to_float, a, a, loops[l]->isa, narrow);
        for (unsigned i = 0; i < ITEMS; i++)
            MUST(wide[i] == (double)a->value[i] &&
                     narrow[i] == (float)a->value[i],
                 "%s: %" PRId64 " is %.17g, %.9g", loops[l]->name, a->value[i],
                 wide[i], (double)narrow[i]);
    }
    winnow__expression_release(to_double);
    winnow__expression_release(to_float);
    winnow__builder_destroy(made.builder);
}

/* ------------------------------------------------------------------ divisions */

/* Multiples of a number of the type, and those beside them. */
static void put_multiples(struct numbers *numbers, int64_t by) {
    const integer low = lowest(numbers->type), high = highest(numbers->type);
    uint64_t state = (uint64_t)by;

    for (unsigned i = KINDS; i < ITEMS; i++) {
        const integer most = (high - low) / (by < 0 ? -(integer)by : by);
        integer value =
            (integer)draw_next(&state, most >= INT64_MAX ? INT64_MAX
                                                         : (uint64_t)most + 1) *
                by +
            (int)(i % 3) - 1;
        if (is_signed(numbers->type))
            value -= most / 2 * by;
        numbers->value[i] = value < low || value > high
                                ? number_of(numbers->type, i % KINDS)
                                : (int64_t)value;
    }
}

static void check_division(winnow_type type, int64_t by) {
    struct numbers *const a = open(type, 1, false);
    struct made made = begin(type, type);
    const winnow__value b = winnow__build_int(made.builder, by, false);
    int64_t wanted[ITEMS];

    put_multiples(a, by);
    lay_out(a, false);
    for (unsigned r = 0; r < 2; r++) {
        const winnow__binary operation =
            r == 0 ? WINNOW__FLOOR_DIVIDE : WINNOW__REMAINDER;
        for (unsigned i = 0; i < ITEMS; i++)
            wanted[i] = (int64_t)computed(operation, a->value[i], by);
        check_integers(&made,
                       winnow__build_binary(made.builder, operation, made.a, b),
                       a, a, wanted, r == 0 ? "//" : "%");
    }
    winnow__builder_destroy(made.builder);
    free(a);
}

static void check_divisions(winnow_type type) {
    static const int64_t by[] = {1,
                                 2,
                                 3,
                                 5,
                                 7,
                                 10,
                                 64,
                                 1000,
                                 146097,
                                 INT32_MAX,
                                 (int64_t)INT32_MAX + 1,
                                 86400000000,
                                 (INT64_C(1) << 62) + 1,
                                 INT64_C(1) << 62,
                                 INT64_MAX,
                                 -1,
                                 -2,
                                 -7,
                                 -1000,
                                 INT32_MIN,
                                 INT64_MIN};

    for (unsigned i = 0; i < sizeof by / sizeof by[0]; i++)
        check_division(type, by[i]);
}

/* The parts of moments are those of their days, of INT64, which calendar() tests. */
static void check_parts(const struct numbers *days,
                        const struct numbers *moments, int64_t ticks_per_day) {
    for (unsigned p = 0; p < 3; p++) {
        struct made by_days = begin(days->type, days->type);
        struct made made = begin(moments->type, moments->type);
        int64_t wanted[ITEMS];
        winnow__expression *const expression = finish(
            &by_days, winnow__build_part(by_days.builder, (winnow__part_of)p,
                                         by_days.a, 1));
        evaluate(expression, days, days, WINNOW__HOST_PORTABLE, wanted);
        check_integers(&made,
                       winnow__build_part(made.builder, (winnow__part_of)p,
                                          made.a, ticks_per_day),
                       moments, moments, wanted, "part");
        winnow__expression_release(expression);
        winnow__builder_destroy(by_days.builder);
        winnow__builder_destroy(made.builder);
    }
}

/* Of a day's number, and of microseconds. */
static void check_dates(void) {
    const int64_t ticks = INT64_C(86400000000);
    struct numbers *const days = open(WINNOW_INT64, 1, false);
    struct numbers *const moments = open(WINNOW_INT32, 1, false);
    uint64_t state = 3;

    for (unsigned i = KINDS; i < ITEMS; i++)
        moments->value[i] = i % 2 == 0
                                ? (int32_t)draw_next(&state, UINT32_MAX)
                                : (int32_t)draw_next(&state, 40000) - 9000;
    memcpy(days->value, moments->value, sizeof days->value);
    lay_out(days, false);
    lay_out(moments, false);
    check_parts(days, moments, 1);
    moments->type = WINNOW_INT64;
    for (unsigned i = 0; i < ITEMS; i++) {
        days->value[i] %= 100000000;
        moments->value[i] = days->value[i] * ticks +
                            (int64_t)draw_next(&state, (uint64_t)ticks);
    }
    lay_out(days, false);
    lay_out(moments, false);
    check_parts(days, moments, ticks);
    free(days);
    free(moments);
}

/* ----------------------------------------------------------------- conditions */

static void check_text(winnow_context *context, const struct numbers *a,
                       const struct numbers *b, const char *text,
                       const bool *wanted) {
    const winnow_field fields[] = {{.name = "a", .type = a->type},
                                   {.name = "b", .type = b->type}};
    const winnow_in in[] = {{.type = a->type, .d_base = a->memory},
                            {.type = b->type, .d_base = b->memory}};
    winnow_condition *condition;
    uint32_t selection[1024];

    MUST(winnow_condition_parse(&condition, fields, 2, text) == WINNOW_OK &&
             winnow_select_where(context, condition, in, 2, ITEMS, selection,
                                 sizeof selection, NULL) == WINNOW_OK,
         "%s: %s", text, winnow_last_error());
    for (unsigned i = 0; i < ITEMS; i++)
        MUST((selection[i / 32] >> i % 32 & 1) == wanted[i],
             "%s %s, %s: %" PRId64 ", %" PRId64, winnow_type_name(a->type),
             winnow_type_name(b->type), text, a->value[i], b->value[i]);
    winnow_condition_destroy(condition);
}

/* A sum, in 16, 32 or 64 bits, is tested at the ends of each of them. */
static void check_sums(winnow_context *context, const struct numbers *a,
                       const struct numbers *b) {
    static const int64_t at[] = {0,          INT16_MIN,        INT16_MAX,
                                 UINT16_MAX, INT32_MIN,        INT32_MAX,
                                 UINT32_MAX, INT64_C(1) << 40, 510};
    char text[256];
    bool wanted[ITEMS];

    for (unsigned c = 0; c < 3 * sizeof at / sizeof at[0]; c++) {
        const int64_t low = at[c / 3] + (int)(c % 3) - 1, high = low + 65535;
        for (unsigned o = 0; o < 7; o++) {
            static const char *const form[] = {
                "a + b < %lld",
                "a + b <= %lld",
                "a + b = %lld",
                "a + b <> %lld",
                "a + b between %lld and %lld",
                "a + b not between %lld and %lld",
                "((a + b) & 255) = %lld or a + b = %lld"};
            for (unsigned i = 0; i < ITEMS; i++) {
                const integer sum = (integer)a->value[i] + b->value[i];
                const bool inside = sum >= low && sum <= high;
                wanted[i] = o < 4    ? decided(compares[o], sum, low)
                            : o == 4 ? inside
                            : o == 5
                                ? !inside
                                : (sum & 255) == (low & 255) || sum == high;
            }
            snprintf(text, sizeof text, form[o],
                     (long long)(o == 6 ? low & 255 : low), (long long)high);
            check_text(context, a, b, text, wanted);
        }
    }
}

void check_narrow(void) {
    static const int64_t constants[] = {
        0,         1,         -1,        INT8_MIN,   INT8_MAX,
        UINT8_MAX, 256,       INT16_MIN, INT16_MAX,  UINT16_MAX,
        65536,     INT32_MIN, INT32_MAX, UINT32_MAX, INT64_C(1) << 32,
        -129,      -32769,    INT64_MIN, INT64_MAX};
#define NAME(CODE, ...) [WINNOW__HOST_##CODE] = #CODE,
    static const char *const name[WINNOW__HOST_CODES] = {
        WINNOW__HOST_CONVERSIONS(NAME) WINNOW__HOST_UNARY_OPERATIONS(NAME)
            WINNOW__HOST_BINARY_OPERATIONS(NAME)
                WINNOW__HOST_COMPARISONS(NAME)};
#undef NAME
    winnow_context *context;

    MUST(winnow_context_create(&context, WINNOW_DEVICE_HOST) == WINNOW_OK, "%s",
         winnow_last_error());
    for (unsigned t = 0; t < TYPES; t++) {
        struct numbers *const a = open(types[t], 1, t % 2 == 0);
        for (unsigned u = 0; u < TYPES; u++) {
            struct numbers *const b = open(types[u], KINDS, (t + u) % 3 == 0);
            check_pair(a, b, NULL);
            free(b);
        }
        for (unsigned c = 0; c < sizeof constants / sizeof constants[0]; c++)
            check_pair(a, a, &constants[c]);
        check_one(a);
        check_floats(a);
        check_divisions(types[t]);
        free(a);
    }
    for (unsigned t = 0; t < TYPES; t++) {
        struct numbers *const a = open(types[t], 1, false);
        struct numbers *const b = open(types[t], KINDS, false);
        if (types[t] != WINNOW_INT64) /* it wraps */
            check_sums(context, a, b);
        free(a);
        free(b);
    }
    check_dates();
    winnow_context_destroy(context);
    for (unsigned code = WINNOW__OPERATION_CODES; code < WINNOW__HOST_CODES;
         code++)
        MUST(seen[code], "no expression had %s", name[code]);
}
