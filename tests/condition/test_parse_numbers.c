/*
 * winnow_condition_parse: numbers in texts, and comparisons with them, also
 * with those that the column's type cannot hold.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "conditions.h"
#include "element.h"
#include "reduced.h"
#include "suite.h"

/* Does the text keep, of these elements of a type, exactly the one? */
static void check_number(winnow_context *context, winnow_type type,
                         const char *number, uint64_t bits) {
    const winnow_field field = {.name = "x", .type = type};
    const size_t size = element_size(type);
    const uint64_t all = element_all_bits(type);
    _Alignas(16) unsigned char in[3 * 8], selection[544];
    uint32_t kept[3] = {7, 7, 7};
    uint64_t count = 0;
    char text[200];
    winnow_condition *condition;

    element_store(type, in, (bits - 1) & all);
    element_store(type, in + size, bits);
    element_store(type, in + 2 * size, (bits + 1) & all);
    const winnow_in column = {.type = type, .d_base = in};
    snprintf(text, sizeof(text), "x == %s", number);
    cr_assert_eq(winnow_condition_parse(&condition, &field, 1, text), WINNOW_OK,
                 "%s: %s", text, winnow_last_error());
    cr_assert_eq(winnow_select_where(context, condition, &column, 1, 3,
                                     selection, sizeof(selection), NULL),
                 WINNOW_OK);
    cr_assert_eq(winnow_compact_index(context, selection, 3, WINNOW_UINT32,
                                      kept, 3, &count, NULL),
                 WINNOW_OK);
    cr_assert(count == 1 && kept[0] == 1, "%s as %s: not 0x%" PRIx64, text,
              winnow_type_name(type), bits);
    winnow_condition_destroy(condition);
}

static winnow_context *host_context(void) {
    winnow_context *context;

    cr_assert_eq(winnow_context_create(&context, WINNOW_DEVICE_HOST),
                 WINNOW_OK);
    return context;
}

Test(parse_numbers, numbers) {
    static const struct {
        winnow_type type;
        const char *number;
        uint64_t bits;
    } cases[] = {
        {WINNOW_INT8, "0x7f", 0x7f},
        {WINNOW_INT8, "-0200", 0x80},
        {WINNOW_INT8, "-1", 0xff},
        {WINNOW_INT16, "- 0X8000", 0x8000},
        {WINNOW_UINT16, "65535", 0xffff},
        {WINNOW_INT64, "-9223372036854775808", UINT64_C(1) << 63},
        {WINNOW_UINT64, "0xFFFFffffFFFFffff", UINT64_MAX},
        {WINNOW_UINT64, "01777777777777777777777", UINT64_MAX},
        {WINNOW_UINT32, "000", 0},
        /* Halfway between two: to the even one; and past it, by little. */
        {WINNOW_FLOAT16, "2049", 0x6800},
        {WINNOW_FLOAT16, "2049.00000000000000000000000001", 0x6801},
        {WINNOW_FLOAT16, "2051", 0x6802},
        {WINNOW_FLOAT16, "2050.99999999999999999999999999", 0x6801},
        {WINNOW_FLOAT16, "65519.999", 0x7bff},
        {WINNOW_FLOAT16, "5.9604644775390625e-8", 1},
        {WINNOW_FLOAT16, "2.98023223876953126e-8", 1},
        {WINNOW_FLOAT16, "8.940696716308593749e-8", 1},
        {WINNOW_FLOAT16, "8.940696716308593750e-8", 2},
        {WINNOW_FLOAT16, "6.1035156e-5", 0x400},
        {WINNOW_BFLOAT16, "0.1", 0x3dcd},
        {WINNOW_BFLOAT16, "-3.14159", 0xc049},
        {WINNOW_FLOAT32, "16777217", 0x4b800000},
        {WINNOW_FLOAT32, "16777217.0000001", 0x4b800001},
        {WINNOW_FLOAT32, "3.4028235e38", 0x7f7fffff},
        /* Halfway, but for less than 2^-63 of it. */
        {WINNOW_FLOAT32, "8507059680083701678e19", 0x7e800001},
        {WINNOW_FLOAT32, "8507059680083701677e19", 0x7e800000},
        {WINNOW_FLOAT32, "1e-45", 1},
        {WINNOW_FLOAT32, "0x10", 0x41800000},
        {WINNOW_FLOAT32, "010", 0x41000000},
        {WINNOW_FLOAT32, "010.", 0x41200000},
        {WINNOW_FLOAT32, ".5", 0x3f000000},
        {WINNOW_FLOAT32, "5.e-1", 0x3f000000},
        {WINNOW_INT32, "1e3", 1000},
        {WINNOW_INT32, "-12.50e1", (uint32_t)-125},
        {WINNOW_UINT8, "0.2e1", 2},
        {WINNOW_UINT64, "18446744073709551615.000", UINT64_MAX},
        {WINNOW_UINT64, "1844674407370955161500e-2", UINT64_MAX},
        {WINNOW_FLOAT64, "9007199254740993", 0x4340000000000000},
        {WINNOW_FLOAT64, "9007199254740993.00000001", 0x4340000000000001},
        {WINNOW_FLOAT64, "4.9e-324", 1},
        {WINNOW_FLOAT64, "2.2250738585072011e-308", 0x000fffffffffffff},
        {WINNOW_FLOAT64, "1.7976931348623157e308", 0x7fefffffffffffff},
        {WINNOW_FLOAT64, "17976931348623157E+292", 0x7fefffffffffffff},
    };
    winnow_context *const context = host_context();

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        check_number(context, cases[i].type, cases[i].number, cases[i].bits);
    winnow_context_destroy(context);
}

/* Against strtod() and strtof(). */
Test(parse_numbers, random_numbers) {
    const unsigned trials = reduced_mode() ? 1000 : 20000;
    winnow_context *const context = host_context();
    uint64_t seed = 5;

    for (unsigned i = 0; i < trials; i++) {
        const bool wide = draw_next(&seed, 2) != 0;
        const int range = wide ? 330 : 50;
        char number[64];
        double value;
        float narrow;
        uint64_t bits = 0;

        snprintf(number, sizeof(number), "%" PRIu64 ".%" PRIu64 "e%d",
                 draw_next(&seed, 1 + (UINT64_C(1) << draw_next(&seed, 60))),
                 draw_next(&seed, UINT64_C(1) << 60),
                 (int)draw_next(&seed, (uint64_t)(2 * range)) - range);
        value = strtod(number, NULL);
        narrow = strtof(number, NULL);
        /* A zero would be two elements. */
        if (wide ? isinf(value) || value == 0.0
                 : isinf(narrow) || narrow == 0.0f)
            continue;
        if (wide)
            memcpy(&bits, &value, 8);
        else
            memcpy(&bits, &narrow, 4);
        check_number(context, wide ? WINNOW_FLOAT64 : WINNOW_FLOAT32, number,
                     bits);
    }
    winnow_context_destroy(context);
}

/* ------------------------------------------------------------- comparisons
 */

__extension__ typedef __int128 wide;

enum {
    MOST_ELEMENTS = 64,
    OPERATORS = 6
};

/* Elements of a type, and what a text is to keep of them. */
struct sample {
    winnow_type type;
    unsigned number;
    uint64_t bits[MOST_ELEMENTS];
    bool keep[MOST_ELEMENTS];
};

static void sample_open(struct sample *sample, winnow_type type) {
    uint64_t seed = 7 + (uint64_t)type;

    sample->type = type;
    sample->number = (unsigned)element_specials(type, sample->bits);
    for (; sample->number < MOST_ELEMENTS; sample->number++)
        sample->bits[sample->number] =
            data_random(seed, sample->number) & element_all_bits(type);
}

static void sample_check(winnow_context *context, const struct sample *sample,
                         const char *text) {
    const winnow_field field = {.name = "x", .type = sample->type};
    const size_t size = element_size(sample->type);
    _Alignas(16) unsigned char in[MOST_ELEMENTS * 8], selection[544];
    uint32_t kept[MOST_ELEMENTS];
    uint64_t count = 0, at = 0;
    const winnow_in column = {.type = sample->type, .d_base = in};
    winnow_condition *condition;

    for (unsigned i = 0; i < sample->number; i++)
        element_store(sample->type, in + i * size, sample->bits[i]);
    cr_assert_eq(winnow_condition_parse(&condition, &field, 1, text), WINNOW_OK,
                 "%s: %s", text, winnow_last_error());
    cr_assert_eq(winnow_select_where(context, condition, &column, 1,
                                     sample->number, selection,
                                     sizeof(selection), NULL),
                 WINNOW_OK, "%s: %s", text, winnow_last_error());
    cr_assert_eq(winnow_compact_index(context, selection, sample->number,
                                      WINNOW_UINT32, kept, MOST_ELEMENTS,
                                      &count, NULL),
                 WINNOW_OK);
    for (unsigned i = 0; i < sample->number; i++) {
        const bool is_kept = at < count && kept[at] == i;

        cr_assert_eq(is_kept, sample->keep[i], "%s of %s 0x%" PRIx64 ": %s",
                     text, winnow_type_name(sample->type), sample->bits[i],
                     is_kept ? "kept" : "not kept");
        at += is_kept;
    }
    winnow_condition_destroy(condition);
}

static const char *const operators[OPERATORS] = {"<",  "<=", "=",
                                                 "<>", ">=", ">"};
static const char *const mirrored[OPERATORS] = {
    ">", ">=", "==", "!=", "<=", "<"};

/* What an operator says of -1: less, 0, 1: greater; 2: not ordered. */
static bool says(unsigned op, int order) {
    switch (op) {
    case 0:
        return order == -1;
    case 1:
        return order == -1 || order == 0;
    case 2:
        return order == 0;
    case 3:
        return order != 0;
    case 4:
        return order == 0 || order == 1;
    default:
        return order == 1;
    }
}

/* Numbers of a text, and how an element is compared with each. */
struct operand {
    char text[80];
    int order[MOST_ELEMENTS]; /* of each element and the number */
};

/* Every way to compare a column with a and b. */
static void check_operands(winnow_context *context, struct sample *sample,
                           const struct operand *a, const struct operand *b) {
    char text[200];

    for (unsigned op = 0; op < OPERATORS; op++) {
        for (unsigned i = 0; i < sample->number; i++)
            sample->keep[i] = says(op, a->order[i]);
        snprintf(text, sizeof(text), "x %s %s", operators[op], a->text);
        sample_check(context, sample, text);
        snprintf(text, sizeof(text), "%s %s x", a->text, mirrored[op]);
        sample_check(context, sample, text);
    }
    for (unsigned way = 0; way < 3; way++) {
        for (unsigned i = 0; i < sample->number; i++)
            sample->keep[i] =
                (way == 2) != (says(4, a->order[i]) && says(1, b->order[i]));
        snprintf(text, sizeof(text),
                 way == 0   ? "%s <= x <= %s"
                 : way == 1 ? "x between %s and %s"
                            : "x NOT BETWEEN %s and %s",
                 a->text, b->text);
        sample_check(context, sample, text);
    }
    for (unsigned way = 0; way < 2; way++) {
        for (unsigned i = 0; i < sample->number; i++)
            sample->keep[i] =
                (way == 1) != (a->order[i] == 0 || b->order[i] == 0);
        snprintf(text, sizeof(text), "x %s (%s, %s)",
                 way == 0 ? "in" : "Not In", a->text, b->text);
        sample_check(context, sample, text);
    }
}

static wide value_of(winnow_type type, uint64_t bits) {
    return element_is_signed(type) ? (wide)element_to_signed(type, bits)
                                   : (wide)bits;
}

static void put_wide(char *to, size_t bytes, wide value) {
    char digits[48];
    unsigned at = sizeof(digits) - 1;
    wide left = value < 0 ? -value : value;

    digits[at] = '\0';
    do
        digits[--at] = (char)('0' + (int)(left % 10));
    while ((left /= 10) != 0);
    snprintf(to, bytes, "%s%s", value < 0 ? "-" : "", digits + at);
}

/* A number of quarters, beside an extreme of the type or between two, in one of
 * several spellings. */
static void draw_quarters(const struct sample *sample, uint64_t *seed,
                          struct operand *to) {
    const wide near =
        value_of(sample->type, sample->bits[draw_next(seed, sample->number)]);
    const wide quarters =
        4 * (draw_next(seed, 9) == 0 ? near * 1000003 * 1000003 : near) +
        (wide)draw_next(seed, 17) - 8;
    const wide magnitude = quarters < 0 ? -quarters : quarters;
    const char *const sign = quarters < 0 ? "-" : "";
    char whole[48];

    put_wide(whole, sizeof(whole), magnitude / 4);
    switch (magnitude % 4 != 0 ? 0 : draw_next(seed, 3)) {
    case 0:
        snprintf(to->text, sizeof(to->text), "%s%s.%02d", sign, whole,
                 (int)(magnitude % 4) * 25);
        break;
    case 1:
        snprintf(to->text, sizeof(to->text), "%s%s", sign, whole);
        break;
    default:
        snprintf(to->text, sizeof(to->text), "%s%s00.0e-2", sign, whole);
        break;
    }
    for (unsigned i = 0; i < sample->number; i++) {
        const wide element = 4 * value_of(sample->type, sample->bits[i]);

        to->order[i] = (element > quarters) - (element < quarters);
    }
}

/* Integers are compared with the number itself, whatever it is. */
Test(parse_numbers, integers_are_exact) {
    const unsigned trials = reduced_mode() ? 30 : 400;
    winnow_context *const context = host_context();
    static struct operand a, b;
    uint64_t seed = 11;

    for (winnow_type type = WINNOW_INT8; type <= WINNOW_UINT64; type++) {
        struct sample sample;

        sample_open(&sample, type);
        for (unsigned trial = 0; trial < trials; trial++) {
            draw_quarters(&sample, &seed, &a);
            draw_quarters(&sample, &seed, &b);
            check_operands(context, &sample, &a, &b);
        }
    }
    winnow_context_destroy(context);
}

/* Numbers beyond the last finite one: infinity alone is greater. */
Test(parse_numbers, floats_beyond_are_exact) {
    static const struct {
        winnow_type type;
        const char *number;
    } cases[] = {
        {WINNOW_FLOAT16, "65520"},    {WINNOW_FLOAT16, "1e400"},
        {WINNOW_FLOAT16, "0xfffff"},  {WINNOW_BFLOAT16, "3.4e38"},
        {WINNOW_FLOAT32, "1e40"},     {WINNOW_FLOAT32, "3.4028236e38"},
        {WINNOW_FLOAT64, "1e309"},    {WINNOW_FLOAT64, "1.8e308"},
        {WINNOW_FLOAT64, "1e999999"},
    };
    winnow_context *const context = host_context();
    static struct operand beyond[2];

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct sample sample;

        sample_open(&sample, cases[i].type);
        for (unsigned negative = 0; negative < 2; negative++) {
            struct operand *const to = &beyond[negative];

            snprintf(to->text, sizeof(to->text), "%s%s", negative ? "-" : "",
                     cases[i].number);
            for (unsigned j = 0; j < sample.number; j++) {
                const double element =
                    element_to_double(cases[i].type, sample.bits[j]);

                to->order[j] = isnan(element)   ? 2
                               : isinf(element) ? (element > 0 ? 1 : -1)
                               : negative       ? 1
                                                : -1;
            }
        }
        check_operands(context, &sample, &beyond[1], &beyond[0]);
        check_operands(context, &sample, &beyond[0], &beyond[1]);
        check_operands(context, &sample, &beyond[0], &beyond[0]);
    }
    winnow_context_destroy(context);
}

/* Of x & mask, for a mask of any sign: as if integers had bits without end. */
Test(parse_numbers, masks_are_exact) {
    const unsigned trials = reduced_mode() ? 30 : 400;
    winnow_context *const context = host_context();
    uint64_t seed = 13;

    for (winnow_type type = WINNOW_INT8; type <= WINNOW_UINT64; type++) {
        struct sample sample;

        sample_open(&sample, type);
        for (unsigned trial = 0; trial < trials; trial++) {
            const unsigned op = (unsigned)draw_next(&seed, OPERATORS);
            const uint64_t all = element_all_bits(type);
            const uint64_t drawn =
                data_random(seed, trial) & all & data_random(seed, ~trial);
            const bool beyond = !element_is_signed(type) &&
                                type != WINNOW_UINT64 &&
                                draw_next(&seed, 4) == 0;
            const wide mask =
                beyond ? (wide)drawn + (wide)all + 1
                : !element_is_signed(type) && draw_next(&seed, 4) == 0
                    ? -(wide)(drawn & INT64_MAX)
                : draw_next(&seed, 2) ? value_of(type, drawn)
                                      : (wide)drawn;
            const uint64_t other = sample.bits[draw_next(&seed, sample.number)];
            const wide number =
                (value_of(type, other) & mask) + (wide)draw_next(&seed, 3) - 1;
            char mask_text[48], number_text[48], text[200];

            put_wide(mask_text, sizeof(mask_text), mask);
            put_wide(number_text, sizeof(number_text), number);
            for (unsigned i = 0; i < sample.number; i++) {
                const wide value = value_of(type, sample.bits[i]) & mask;

                sample.keep[i] = says(op, (value > number) - (value < number));
            }
            snprintf(text, sizeof(text), "(x & %s) %s %s", mask_text,
                     operators[op], number_text);
            sample_check(context, &sample, text);
            for (unsigned i = 0; i < sample.number; i++) {
                const wide value = value_of(type, sample.bits[i]) & mask;

                sample.keep[i] = value == number || value == 0;
            }
            snprintf(text, sizeof(text), "(%s & x) in (0, %s, 1e99)", mask_text,
                     number_text);
            sample_check(context, &sample, text);
            for (unsigned i = 0; i < sample.number; i++)
                sample.keep[i] = (value_of(type, sample.bits[i]) & mask) != 0;
            snprintf(text, sizeof(text), "x & %s", mask_text);
            sample_check(context, &sample, text);
        }
    }
    winnow_context_destroy(context);
}

/* Two numbers are compared once, and exactly. */
Test(parse_numbers, numbers_with_numbers) {
    static const struct {
        const char *text;
        bool holds;
    } cases[] = {
        {"1 = 1", true},
        {"1 <> 1.0", false},
        {"0x10 == 16", true},
        {"017 < 15.000000000000000000000000000000000000000000001", true},
        {"-1 < -0.5", true},
        {"0 = -0.0", true},
        {"1e300 > 1e-300", true},
        {"1e999 < 1e1000", true},
        {"-1e999 < -1e1000", false},
        {"0e999 = 0", true},
        {"1e-1000 > 0", true},
        {"0xffffffffffffffffffffffffffffffff > 3.4028236692093847e38", false},
        {"0xffffffffffffffffffffffffffffffff > 3.4028236692093845e38", true},
        {"100e-2 >= 1", true},
        {"1 = 1 and x < 3 or 2 = 3", true},
    };
    winnow_context *const context = host_context();

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct sample sample = {
            .type = WINNOW_INT8, .number = 1, .keep = {cases[i].holds}};

        sample_check(context, &sample, cases[i].text);
    }
    winnow_context_destroy(context);
}

/* ------------------------------------------------------------------- lists
 */

/* Random lists of many numbers, with duplicates, zeros of both signs, and
 * numbers that are no element of the type. */
static void check_list(winnow_context *context, winnow_type type,
                       unsigned number, uint64_t seed) {
    struct sample sample;
    char *const text = must_alloc(64 + (size_t)number * 40);
    size_t length;

    sample_open(&sample, type);
    memset(sample.keep, 0, sizeof(sample.keep));
    length = (size_t)sprintf(text, "x in (");
    for (unsigned i = 0; i < number; i++) {
        const uint64_t from = draw_next(&seed, 3 * sample.number);
        uint64_t bits = from < sample.number
                            ? sample.bits[from]
                            : data_random(seed, i) & element_all_bits(type);
        char digits[48];

        if (draw_next(&seed, 20) == 0)
            length += (size_t)sprintf(text + length, "%s",
                                      element_is_float(type) ? "-1e400,"
                                                             : "0.5, 1e40 ,\n");
        if (element_is_float(type)) {
            if (!isfinite(element_to_double(type, bits)))
                bits = 0;
            length += (size_t)sprintf(text + length, "%.17g%s",
                                      element_to_double(type, bits),
                                      i + 1 < number ? "," : ")");
        } else {
            put_wide(digits, sizeof(digits), value_of(type, bits));
            length += (size_t)sprintf(text + length, "%s%s", digits,
                                      i + 1 < number ? ", " : ")");
        }
        for (unsigned j = 0; j < sample.number; j++)
            sample.keep[j] |= element_is_float(type)
                                  ? element_to_double(type, sample.bits[j]) ==
                                        element_to_double(type, bits)
                                  : sample.bits[j] == bits;
    }
    if (number == 0)
        strcpy(text + length, ")");
    sample_check(context, &sample, text);
    free(text);
}

Test(parse_numbers, lists) {
    static const unsigned numbers[] = {0, 1, 2, 3, 5, 8, 20, 300, 5000};
    winnow_context *const context = host_context();

    FOR_EACH_TYPE(type)
    for (unsigned i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        check_list(context, type, numbers[i], 100 * (uint64_t)type + i);
    winnow_context_destroy(context);
}
