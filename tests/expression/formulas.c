/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "formulas.h"

#include "condition/program/decimal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conditions.h"
#include "report.h"

#ifdef __SIZEOF_FLOAT128__
__extension__ typedef __float128 wide_float;
#else
typedef long double wide_float; /* as wide, where there is no such type */
#endif

#define TWO_63 ((formula_integer)1 << 63)
#define TWO_64 ((formula_integer)1 << 64)

/* ------------------------------------------------------------------ columns */

static formula_integer draw_integer(formula_integer low, formula_integer high,
                                    uint64_t *seed) {
    const formula_integer range = high - low;
    formula_integer value;

    switch (draw_next(seed, 8)) {
    case 0:
        return low + (formula_integer)draw_next(seed, 2);
    case 1:
        return high - (formula_integer)draw_next(seed, 2);
    case 2: /* around where float64 has no fractions, and what floats have */
        value = ((formula_integer)1 << (52 + draw_next(seed, 12))) +
                (formula_integer)draw_next(seed, 5) - 2;
        break;
    case 3:
        value = (formula_integer)draw_next(seed, UINT64_MAX);
        break;
    default:
        value = (formula_integer)draw_next(seed, 21) - 10;
    }
    value = draw_next(seed, 2) == 0 ? value : -value;
    if (value >= low && value <= high)
        return value;
    return low + (range < 100 ? 0 : (formula_integer)draw_next(seed, 100));
}

static double draw_float(uint64_t *seed) {
    static const double special[] = {
        0.0,      -0.0,     INFINITY, -INFINITY, NAN,    1.0,
        -1.0,     0.5,      -0.5,     1.5,       2.5,    1e300,
        -1e300,   0x1p63,   -0x1p63,  0x1p64,    0x1p53, 0x1.fffffep127,
        5e-324,   0x1p-149, 127.5,    -128.5,    0x1p31, -0x1.0000002p31,
        255.9999, 1e-40,    -1e10,    0x1p-1022, 65504.0};
    const uint64_t random = draw_next(seed, UINT64_MAX);
    double made;

    switch (draw_next(seed, 5)) {
    case 0:
        return special[draw_next(seed, sizeof special / sizeof special[0])];
    case 1:
        memcpy(&made, &random, sizeof made);
        return made;
    case 2:
        return (double)draw_next(seed, 2001) / 8 - 125;
    default:
        return ((double)draw_next(seed, 1000001) - 500000) / 1000;
    }
}

static int64_t lowest(winnow_type type) {
    switch (type) {
    case WINNOW_INT8:
        return INT8_MIN;
    case WINNOW_INT16:
        return INT16_MIN;
    case WINNOW_INT32:
        return INT32_MIN;
    case WINNOW_INT64:
        return INT64_MIN;
    default:
        return 0;
    }
}

static uint64_t highest(winnow_type type) {
    switch (type) {
    case WINNOW_INT8:
        return INT8_MAX;
    case WINNOW_INT16:
        return INT16_MAX;
    case WINNOW_INT32:
        return INT32_MAX;
    case WINNOW_INT64:
        return INT64_MAX;
    case WINNOW_UINT8:
        return UINT8_MAX;
    case WINNOW_UINT16:
        return UINT16_MAX;
    case WINNOW_UINT32:
        return UINT32_MAX;
    default:
        return UINT64_MAX;
    }
}

static double power(int exponent) {
    double made = 1;

    for (int i = 0; i < exponent; i++)
        made *= 10; /* exact: no more than 22 */
    return made;
}

static struct formula_value real(winnow__value_type type, double d) {
    return (struct formula_value){.type = type, .d = d};
}

static struct formula_value whole(winnow__value_type type, formula_integer i) {
    return (struct formula_value){.type = type, .i = i};
}

/* Null where it has more digits than its column says. */
static struct formula_value decimal(formula_integer i,
                                    const struct formula_column *column) {
    const int scale = column->scale;
    const double rounded = (double)i;
    struct formula_value made =
        real(WINNOW__FLOAT64,
             scale < 0 ? rounded * power(-scale) : rounded / power(scale));
    formula_integer rest = i;

    for (int digit = 0; digit < column->precision; digit++)
        rest /= 10;
    made.null = rest != 0;
    return made;
}

static void *take_memory(struct formula_column *column, unsigned which,
                         size_t bytes) {
    column->bytes[which] = bytes;
    column->memory[which] = must_alloc(bytes);
    memset(column->memory[which], 0xa5, bytes);
    return column->memory[which];
}

/* Draw an element, and write it where there is no alignment. */
static struct formula_value put_element(const struct formula_column *column,
                                        unsigned char *to, uint64_t *seed) {
    static const struct {
        uint16_t half, bfloat;
        float value_of_half, value_of_bfloat;
    } small[] = {{0x0000, 0x0000, 0.0f, 0.0f},
                 {0x8000, 0x8000, -0.0f, -0.0f},
                 {0x3c00, 0x3f80, 1.0f, 1.0f},
                 {0xc100, 0xc020, -2.5f, -2.5f},
                 {0x7bff, 0x7f7f, 65504.0f, 0x1.fep127f},
                 {0x0001, 0x0001, 0x1p-24f, 0x1p-133f},
                 {0x83ff, 0x8080, -0x1.ff8p-15f, -0x1p-126f},
                 {0x7c00, 0x7f80, INFINITY, INFINITY},
                 {0xfc00, 0xff80, -INFINITY, -INFINITY},
                 {0x7e01, 0x7fc1, NAN, NAN},
                 {0x0201, 0x4049, 0x1.008p-15f, 3.140625f},
                 {0x5640, 0x42c8, 100.0f, 100.0f}};
    const unsigned pick =
        (unsigned)draw_next(seed, sizeof small / sizeof small[0]);
    const size_t size = winnow_type_size(column->type);
    formula_integer i;
    double d;
    float f;

    switch (column->type) {
    case WINNOW_FLOAT16:
        memcpy(to, &small[pick].half, 2);
        return real(WINNOW__FLOAT32, small[pick].value_of_half);
    case WINNOW_BFLOAT16:
        memcpy(to, &small[pick].bfloat, 2);
        return real(WINNOW__FLOAT32, small[pick].value_of_bfloat);
    case WINNOW_FLOAT32:
        f = (float)draw_float(seed);
        memcpy(to, &f, sizeof f);
        return real(WINNOW__FLOAT32, f);
    case WINNOW_FLOAT64:
        d = draw_float(seed);
        memcpy(to, &d, sizeof d);
        return real(WINNOW__FLOAT64, d);
    case WINNOW_INT128:
        i = draw_integer(-4 * TWO_64, 4 * TWO_64, seed);
        if (draw_next(seed, 3) == 0) /* any */
            i = (formula_integer)((unsigned __int128)draw_next(seed, UINT64_MAX)
                                      << 64 |
                                  draw_next(seed, UINT64_MAX)) >>
                draw_next(seed, 127);
        break;
    default:
        i = draw_integer(lowest(column->type), highest(column->type), seed);
    }
    memcpy(to, &i, size);
    if (column->precision != 0)
        return decimal(i, column);
    return whole(column->type == WINNOW_UINT64 ? WINNOW__UINT64 : WINNOW__INT64,
                 i);
}

/* Side by side, records, bytes, backwards. */
static void open_elements(struct formula_column *column, uint64_t n,
                          uint64_t *seed) {
    const size_t size = winnow_type_size(column->type);
    const unsigned layout = (unsigned)draw_next(seed, 5);
    const size_t stride = layout == 1   ? 3 * size
                          : layout == 2 ? size + 1
                                        : size;
    const size_t begin = layout == 1 ? size : layout >= 2 ? layout == 3 : 0;
    unsigned char *const bytes =
        take_memory(column, 0, (n + 1) * stride + begin);

    for (uint64_t i = 0; i < n; i++)
        column->values[i] = put_element(
            column, bytes + begin + (layout == 4 ? n - 1 - i : i) * stride,
            seed);
    column->in = (winnow_in){
        .type = column->type,
        .d_base = bytes + begin + (layout == 4 && n > 0 ? (n - 1) * stride : 0),
        .stride_bytes = layout == 4   ? -(int64_t)stride
                        : layout == 0 ? 0
                                      : (int64_t)stride};
}

static void put_bit(unsigned char *bits, uint64_t i, bool bit) {
    bits[i / 8] =
        (unsigned char)((bits[i / 8] & ~(1 << i % 8)) | (int)bit << i % 8);
}

static void open_bits(struct formula_column *column, uint64_t n,
                      uint64_t *seed) {
    const uint64_t offset = draw_next(seed, 20);
    unsigned char *const bits = take_memory(column, 0, (n + offset) / 8 + 1);

    for (uint64_t i = 0; i < n; i++) {
        column->values[i] =
            whole(WINNOW__BOOL, (formula_integer)draw_next(seed, 2));
        put_bit(bits, offset + i, column->values[i].i != 0);
    }
    column->in =
        (winnow_in){.type = WINNOW_BIT, .d_base = bits, .offset = offset};
}

/* Strings of n lengths that are drawn; what is in them is nothing. */
static winnow_in open_strings(struct formula_column *column, uint64_t n,
                              uint64_t lengths[], uint64_t *seed) {
    const bool is_short = column->type == WINNOW_STRING32;
    uint32_t *const views = take_memory(column, 1, (n + 1) * 16);
    uint64_t at = 0;

    for (uint64_t i = 0; i < n; i++)
        lengths[i] = draw_next(seed, 30);
    column->buffers = must_alloc(sizeof *column->buffers);
    if (column->type == WINNOW_VIEW) {
        take_memory(column, 2, 64);
        column->buffers[0] =
            (winnow_buffer){.d_bytes = column->memory[2], .bytes = 64};
        for (uint64_t i = 0; i < n; i++) {
            memset(views + 4 * i, 0, 16);
            views[4 * i] = (uint32_t)lengths[i];
            if (lengths[i] > 12 && draw_next(seed, 4) == 0) {
                views[4 * i + 2] = 1; /* no such buffer: an empty string */
                lengths[i] = 0;
            }
        }
        return (winnow_in){.type = WINNOW_VIEW,
                           .d_base = views,
                           .d_data = column->buffers,
                           .data_size = 1};
    }
    for (uint64_t i = 0; i <= n; i++) {
        if (is_short)
            views[i] = (uint32_t)at;
        else
            memcpy(views + 2 * i, &at, sizeof at);
        at += i < n ? lengths[i] : 0;
    }
    take_memory(column, 2, at + 1);
    return (winnow_in){.type = column->type,
                       .d_base = views,
                       .d_data = column->memory[2],
                       .data_size = at};
}

/* Some of a dictionary's values are null. */
static void open_null_values(struct formula_column *column, uint64_t number,
                             uint64_t *seed) {
    const uint64_t offset = draw_next(seed, 20);
    unsigned char *const bits =
        take_memory(column, 4, (number + offset) / 8 + 1);

    for (uint64_t i = 0; i < number; i++) {
        const bool valid = draw_next(seed, 4) != 0;
        put_bit(bits, offset + i, valid);
        if (!valid)
            column->lengths[i] = WINNOW__VALUE_NO_LENGTH;
    }
    column->dictionary.d_valid = bits;
    column->dictionary.valid_offset = offset;
}

static void open_lengths(struct formula_column *column, uint64_t n,
                         uint64_t *seed) {
    static const winnow_type indices[] = {
        WINNOW_INT8, WINNOW_UINT8, WINNOW_INT32, WINNOW_UINT16, WINNOW_INT64};
    const winnow_type type = indices[draw_next(seed, 5)];
    const bool has_dictionary = draw_next(seed, 2) == 0;
    const uint64_t number = has_dictionary ? 20 : n;
    const size_t size = winnow_type_size(type);
    unsigned char *bytes;

    column->lengths = must_alloc((number + 1) * sizeof(uint64_t));
    column->dictionary = open_strings(column, number, column->lengths, seed);
    column->in = column->dictionary;
    for (uint64_t i = 0; i < n && !has_dictionary; i++)
        column->values[i] =
            whole(WINNOW__INT64, (formula_integer)column->lengths[i]);
    if (!has_dictionary)
        return;
    if (draw_next(seed, 2) == 0)
        open_null_values(column, number, seed);
    bytes = take_memory(column, 0, (n + 1) * size);
    for (uint64_t i = 0; i < n; i++) {
        const int64_t index = (int64_t)draw_next(seed, number + 2) - 1;
        const bool is_there = index >= 0 && index < (int64_t)number &&
                              column->lengths[index] != WINNOW__VALUE_NO_LENGTH;
        memcpy(bytes + i * size, &index, size);
        column->values[i] = (struct formula_value){
            .type = WINNOW__INT64,
            .null = !is_there,
            .i = is_there ? (formula_integer)column->lengths[index] : 0};
    }
    column->in = (winnow_in){.type = type,
                             .d_base = bytes,
                             .dictionary = &column->dictionary,
                             .dictionary_n = number};
}

static void open_validity(struct formula_column *column, uint64_t n,
                          uint64_t *seed) {
    const uint64_t offset = draw_next(seed, 20);
    unsigned char *const bits = take_memory(column, 3, (n + offset) / 8 + 1);

    for (uint64_t i = 0; i < n; i++) {
        const bool valid = draw_next(seed, 8) != 0;
        put_bit(bits, offset + i, valid);
        column->values[i].null |= !valid;
    }
    column->in.d_valid = bits;
    column->in.valid_offset = offset;
}

void formula_table_open(struct formula_table *table, uint64_t n,
                        uint64_t seed) {
    static const winnow_type types[] = {
        WINNOW_INT8,    WINNOW_INT16,    WINNOW_INT32,    WINNOW_INT64,
        WINNOW_UINT8,   WINNOW_UINT16,   WINNOW_UINT32,   WINNOW_UINT64,
        WINNOW_FLOAT16, WINNOW_BFLOAT16, WINNOW_FLOAT32,  WINNOW_FLOAT64,
        WINNOW_BIT,     WINNOW_STRING32, WINNOW_STRING64, WINNOW_VIEW,
        WINNOW_INT128,  WINNOW_INT64,    WINNOW_INT32};
    const unsigned kinds = sizeof types / sizeof types[0];

    memset(table, 0, sizeof *table);
    table->n = n;
    table->columns = 24;
    for (unsigned c = 0; c < table->columns; c++) {
        struct formula_column *const column = &table->column[c];
        const unsigned kind = c < kinds ? c : (unsigned)draw_next(&seed, kinds);
        column->type = types[kind];
        if (kind >= kinds - 3) {
            column->scale = (int)draw_next(&seed, 9) - 2;
            column->precision = column->type == WINNOW_INT32   ? 9
                                : column->type == WINNOW_INT64 ? 18
                                : draw_next(&seed, 3) == 0     ? 18
                                                               : 38;
        }
        column->values = must_alloc((n + 1) * sizeof column->values[0]);
        memset(column->values, 0, (n + 1) * sizeof column->values[0]);
        if (column->type == WINNOW_BIT)
            open_bits(column, n, &seed);
        else if (column->type >= WINNOW_STRING32)
            open_lengths(column, n, &seed);
        else
            open_elements(column, n, &seed);
        if (draw_next(&seed, 3) == 0)
            open_validity(column, n, &seed);
    }
}

void formula_table_close(struct formula_table *table) {
    for (unsigned c = 0; c < table->columns; c++) {
        struct formula_column *const column = &table->column[c];
        for (unsigned m = 0; m < FORMULA_MEMORY; m++)
            free(column->memory[m]);
        free(column->buffers);
        free(column->lengths);
        free(column->values);
    }
}

/* --------------------------------------------------------------------- types */

static bool is_float(winnow__value_type type) {
    return type == WINNOW__FLOAT32 || type == WINNOW__FLOAT64;
}

/* The type of an operation, as the language's page has it. */
static winnow__value_type common(const struct formula_node *a,
                                 const struct formula_node *b) {
    if (a->type == b->type)
        return a->type;
    for (unsigned turn = 0; turn < 2; turn++) {
        const struct formula_node *const weak = turn == 0 ? a : b;
        const struct formula_node *const other = turn == 0 ? b : a;
        if (!weak->weak)
            continue;
        if (other->type == WINNOW__FLOAT32)
            return WINNOW__FLOAT32;
        if (other->type == WINNOW__UINT64 && !is_float(weak->type) &&
            weak->value.i >= 0)
            return WINNOW__UINT64;
    }
    return is_float(a->type) || is_float(b->type) ? WINNOW__FLOAT64
                                                  : WINNOW__INT64;
}

static double round_to(winnow__value_type type, wide_float exact) {
    return type == WINNOW__FLOAT32 ? (double)(float)exact : (double)exact;
}

static formula_integer wrap(winnow__value_type type, formula_integer i) {
    const formula_integer low = i & (TWO_64 - 1);

    return type == WINNOW__INT64 && low >= TWO_63 ? low - TWO_64 : low;
}

static struct formula_value convert(struct formula_value value,
                                    winnow__value_type type) {
    if (is_float(type))
        value.d = round_to(type, is_float(value.type) ? (wide_float)value.d
                                                      : (wide_float)value.i);
    else
        value.i = wrap(type, value.i);
    value.type = type;
    return value;
}

/* ---------------------------------------------------------------- operations */

static struct formula_value none(winnow__value_type type) {
    return (struct formula_value){.type = type, .null = true};
}

static double rounded_down(double d) {
    const double whole_part = fabs(d) < 0x1p62 ? (double)(int64_t)d : d;

    if (d == 0 || isnan(d) || isinf(d))
        return d;
    return whole_part > d ? copysign(whole_part - 1, d)
                          : copysign(whole_part, d);
}

static double rounded(double d) {
    const double low = rounded_down(d), rest = d - low;

    if (isnan(d) || isinf(d) || rest == 0)
        return d;
    if (rest != 0.5)
        return copysign(rest < 0.5 ? low : low + 1, d);
    return copysign(fmod(low, 2) == 0 ? low : low + 1, d);
}

/* One that the library has, and the formulas do not. */
static _Noreturn void no_such_operation(unsigned operation) {
    fprintf(stderr, "formulas.c: no operation %u\n", operation);
    abort();
}

static struct formula_value unary(unsigned operation, struct formula_value a) {
    if (a.null)
        return a;
    if (!is_float(a.type)) {
        if (operation == WINNOW__NEGATE ||
            (operation == WINNOW__ABS && a.i < 0))
            a.i = wrap(a.type, -a.i);
        else if (operation > WINNOW__ROUND)
            no_such_operation(operation);
        return a;
    }
    switch (operation) {
    case WINNOW__NEGATE:
        a.d = copysign(a.d, signbit(a.d) ? 1.0 : -1.0);
        break;
    case WINNOW__ABS:
        a.d = copysign(a.d, 1.0);
        break;
    case WINNOW__FLOOR:
        a.d = rounded_down(a.d);
        break;
    case WINNOW__CEIL:
        a.d = -rounded_down(-a.d);
        break;
    case WINNOW__ROUND:
        a.d = rounded(a.d);
        break;
    case WINNOW__SQRT:
        /* Of a float32 the double is near enough to round once more. */
        a.d = round_to(a.type, sqrt(a.d));
        break;
    default:
        no_such_operation(operation);
    }
    return a;
}

static struct formula_value of_floats(unsigned operation,
                                      struct formula_value a, double d) {
    const wide_float x = a.d, y = d;

    switch (operation) {
    case WINNOW__ADD:
        a.d = round_to(a.type, x + y);
        break;
    case WINNOW__SUBTRACT:
        a.d = round_to(a.type, x - y);
        break;
    case WINNOW__MULTIPLY:
        a.d = round_to(a.type, x * y);
        break;
    case WINNOW__DIVIDE:
        a.d = round_to(a.type, x / y);
        break;
    case WINNOW__FLOOR_DIVIDE:
        if (d == 0)
            return none(a.type);
        a.d = rounded_down(round_to(a.type, x / y));
        break;
    case WINNOW__REMAINDER:
        if (d == 0)
            return none(a.type);
        a.d = (double)fmodl(a.d, d);
        break;
    case WINNOW__MIN:
        a.d = isnan(a.d) || isnan(d) ? NAN : d < a.d ? d : a.d;
        break;
    case WINNOW__MAX:
        a.d = isnan(a.d) || isnan(d) ? NAN : a.d < d ? d : a.d;
        break;
    default:
        no_such_operation(operation);
    }
    return a;
}

static struct formula_value
of_integers(unsigned operation, struct formula_value a, formula_integer i) {
    switch (operation) {
    case WINNOW__ADD:
        a.i = a.i + i;
        break;
    case WINNOW__SUBTRACT:
        a.i = a.i - i;
        break;
    case WINNOW__MULTIPLY: /* modulo 2^128 */
        a.i = (formula_integer)((unsigned __int128)a.i * (unsigned __int128)i);
        break;
    case WINNOW__FLOOR_DIVIDE:
        if (i == 0)
            return none(a.type);
        a.i = a.i / i - (a.i % i != 0 && (a.i < 0) != (i < 0));
        break;
    case WINNOW__REMAINDER:
        if (i == 0)
            return none(a.type);
        a.i = a.i % i;
        break;
    case WINNOW__MIN:
        a.i = i < a.i ? i : a.i;
        break;
    case WINNOW__MAX:
        a.i = a.i < i ? i : a.i;
        break;
    default:
        no_such_operation(operation);
    }
    a.i = wrap(a.type, a.i);
    return a;
}

static struct formula_value binary(const struct formula_node *node,
                                   struct formula_value a,
                                   struct formula_value b) {
    if (a.null || b.null)
        return none(node->type);
    if (is_float(node->type))
        return of_floats(node->operation, convert(a, node->type),
                         convert(b, node->type).d);
    /* The least and the greatest are numbers of either type. */
    if (node->operation < WINNOW__MIN) {
        a = convert(a, node->type);
        b = convert(b, node->type);
    }
    a.type = node->type;
    return of_integers(node->operation, a, b.i);
}

static bool decide(unsigned compare, bool less, bool equal) {
    switch (compare) {
    case WINNOW_LT:
        return less;
    case WINNOW_LE:
        return less || equal;
    case WINNOW_EQ:
        return equal;
    default:
        return !equal;
    }
}

static bool compare_floats(unsigned compare, double a, double b) {
    if (compare == WINNOW_GT || compare == WINNOW_GE)
        return decide(compare == WINNOW_GT ? WINNOW_LT : WINNOW_LE, b < a,
                      a == b);
    return decide(compare, a < b, a == b);
}

static struct formula_value compare(const struct formula *formula,
                                    const struct formula_node *node,
                                    struct formula_value a,
                                    struct formula_value b) {
    const winnow__value_type type =
        common(&formula->node[node->a], &formula->node[node->b]);
    const bool turned =
        node->operation == WINNOW_GT || node->operation == WINNOW_GE;
    const unsigned operation = node->operation == WINNOW_GT   ? WINNOW_LT
                               : node->operation == WINNOW_GE ? WINNOW_LE
                                                              : node->operation;

    if (a.null || b.null)
        return none(WINNOW__BOOL);
    if (is_float(type))
        return whole(WINNOW__BOOL,
                     compare_floats(node->operation, convert(a, type).d,
                                    convert(b, type).d));
    return whole(WINNOW__BOOL,
                 decide(operation, turned ? b.i < a.i : a.i < b.i, a.i == b.i));
}

static struct formula_value cast(const struct formula_node *node,
                                 struct formula_value a) {
    const winnow_type type = (winnow_type)node->operation;
    const formula_integer low = lowest(type), high = highest(type);

    if (a.null)
        return none(node->type);
    if (is_float(node->type))
        return convert(a, node->type);
    if (is_float(a.type)) {
        if (!(fabs(a.d) < 0x1p100))
            return none(node->type);
        a.i = (formula_integer)a.d;
    }
    return a.i >= low && a.i <= high ? whole(node->type, a.i)
                                     : none(node->type);
}

static bool is_leap(int64_t year) {
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

/* By counting years and months, from 1970 on. */
static formula_integer date_part(unsigned part, formula_integer days) {
    static const int month_days[] = {31, 28, 31, 30, 31, 30,
                                     31, 31, 30, 31, 30, 31};
    formula_integer eras = days / 146097;
    int64_t year = 1970, left = (int64_t)(days % 146097);
    int month = 0;

    if (left < 0) {
        left += 146097;
        eras--;
    }
    while (left >= 365 + is_leap(year))
        left -= 365 + is_leap(year++);
    while (left >= month_days[month] + (month == 1 && is_leap(year))) {
        left -= month_days[month] + (month == 1 && is_leap(year));
        month++;
    }
    return part == WINNOW__YEAR_OF    ? year + eras * 400
           : part == WINNOW__MONTH_OF ? month + 1
                                      : left + 1;
}

static formula_integer down(formula_integer a, formula_integer b) {
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static struct formula_value part_of(const struct formula_node *node,
                                    struct formula_value a) {
    const formula_integer per_day = node->number;
    const formula_integer days = down(a.i, per_day);
    const formula_integer inside = a.i - days * per_day;

    if (a.null)
        return a;
    switch (node->operation) {
    case WINNOW__HOUR_OF:
        a.i = inside * 24 / per_day;
        break;
    case WINNOW__MINUTE_OF:
        a.i = inside * 1440 / per_day % 60;
        break;
    case WINNOW__SECOND_OF:
        a.i = inside * 86400 / per_day % 60;
        break;
    default:
        a.i = date_part(node->operation, days);
    }
    return a;
}

static struct formula_value of_units(const struct formula_node *node,
                                     struct formula_value a,
                                     struct formula_value b) {
    const formula_integer x = a.i * node->number, y = b.i * node->b_number;
    const formula_integer made = node->operation == WINNOW__ADD        ? x + y
                                 : node->operation == WINNOW__SUBTRACT ? x - y
                                 : (node->operation == WINNOW__MIN) == (x < y)
                                     ? x
                                     : y;

    if (a.null || b.null || made < -TWO_63 || made >= TWO_63)
        return none(WINNOW__INT64);
    return whole(WINNOW__INT64, made);
}

static struct formula_value compare_scaled(const struct formula_node *node,
                                           struct formula_value a,
                                           struct formula_value b) {
    const formula_integer left = a.i * node->number;
    const bool turned =
        node->operation == WINNOW_GT || node->operation == WINNOW_GE;
    const unsigned operation = node->operation == WINNOW_GT   ? WINNOW_LT
                               : node->operation == WINNOW_GE ? WINNOW_LE
                                                              : node->operation;

    if (a.null || b.null)
        return none(WINNOW__BOOL);
    return whole(
        WINNOW__BOOL,
        decide(operation, turned ? b.i < left : left < b.i, left == b.i));
}

static bool has_second(enum formula_kind kind) {
    return kind == FORMULA_BINARY || kind == FORMULA_COMPARE ||
           kind >= FORMULA_OF_UNITS;
}

static struct formula_value value_of(const struct formula *formula,
                                     const struct formula_table *table,
                                     unsigned i, uint64_t item) {
    const struct formula_node *const node = &formula->node[i];
    struct formula_value a = {.null = false}, b = {.null = false};

    if (node->kind >= FORMULA_UNARY)
        a = value_of(formula, table, node->a, item);
    if (has_second(node->kind))
        b = value_of(formula, table, node->b, item);
    switch (node->kind) {
    case FORMULA_COLUMN:
    case FORMULA_LENGTH:
        return table->column[node->column].values[item];
    case FORMULA_CONSTANT:
    case FORMULA_NULL:
        return node->value;
    case FORMULA_UNARY:
        if (node->operation == WINNOW__SQRT && !is_float(a.type))
            a = convert(a, WINNOW__FLOAT64);
        return unary(node->operation, a);
    case FORMULA_BINARY:
        return binary(node, a, b);
    case FORMULA_COMPARE:
        return compare(formula, node, a, b);
    case FORMULA_CAST:
        return cast(node, a);
    case FORMULA_PART:
        return part_of(node, a);
    case FORMULA_COMPARE_SCALED:
        return compare_scaled(node, a, b);
    default:
        return of_units(node, a, b);
    }
}

struct formula_value formula_of(const struct formula *formula,
                                const struct formula_table *table,
                                uint64_t item) {
    return value_of(formula, table, formula->number - 1, item);
}

/* -------------------------------------------------------------------- random */

static void draw_constant(struct formula_node *node, uint64_t *seed) {
    node->kind = FORMULA_CONSTANT;
    node->constant = true;
    node->weak = draw_next(seed, 2) == 0;
    switch (draw_next(seed, 3)) {
    case 0:
        node->value = real(WINNOW__FLOAT64, draw_float(seed));
        break;
    case 1:
        node->value =
            whole(WINNOW__INT64, draw_integer(-TWO_63, TWO_63 - 1, seed));
        break;
    default:
        node->value = whole(WINNOW__UINT64, draw_integer(0, TWO_64 - 1, seed));
        if (node->weak && node->value.i < TWO_63)
            node->value.type = WINNOW__INT64;
    }
    if (draw_next(seed, 20) == 0) {
        node->kind = FORMULA_NULL;
        node->weak = true;
        node->value = none(WINNOW__INT64);
    }
    node->type = node->value.type;
}

static void draw_column(struct formula_node *node,
                        const struct formula_table *table, uint64_t *seed) {
    const struct formula_column *column;

    node->column = (unsigned)draw_next(seed, table->columns);
    column = &table->column[node->column];
    node->kind =
        column->type >= WINNOW_STRING32 ? FORMULA_LENGTH : FORMULA_COLUMN;
    node->type = column->values[0].type;
}

/* An operand, of the last if they are near; UINT32_MAX: there is none. */
static unsigned draw_operand(const struct formula *formula, bool is_bool,
                             bool is_integer, uint64_t *seed) {
    for (unsigned turn = 0; turn < 40; turn++) {
        const unsigned near = formula->number < 5 || draw_next(seed, 3) == 0
                                  ? formula->number
                                  : 5;
        const unsigned i =
            formula->number - 1 - (unsigned)draw_next(seed, near);
        const winnow__value_type type = formula->node[i].type;
        if ((type == WINNOW__BOOL) == is_bool &&
            (!is_integer || type == WINNOW__INT64))
            return i;
    }
    return UINT32_MAX;
}

/* Of half of the divisions the divisor is the last constant, if there is one. */
static void draw_divisor(const struct formula *formula,
                         struct formula_node *node, uint64_t *seed) {
    if (node->kind != FORMULA_BINARY ||
        (node->operation != WINNOW__FLOOR_DIVIDE &&
         node->operation != WINNOW__REMAINDER) ||
        draw_next(seed, 2) == 0)
        return;
    for (unsigned i = formula->number; i-- > 0;)
        if (formula->node[i].constant &&
            formula->node[i].type != WINNOW__BOOL) {
            node->b = i;
            return;
        }
}

/* Products of more than 64 bits take some 20 of the operations that a program
 * can have. */
static bool has_products(const struct formula *formula) {
    unsigned number = 0;

    for (unsigned i = 0; i < formula->number; i++)
        number += formula->node[i].kind == FORMULA_OF_UNITS &&
                  (formula->node[i].number | formula->node[i].b_number) != 1;
    return number >= 2;
}

static bool draw_operation(struct formula *formula, struct formula_node *node,
                           bool is_last, uint64_t *seed) {
    static const winnow_type casts[] = {
        WINNOW_INT8,    WINNOW_INT16,  WINNOW_INT32,  WINNOW_INT64,
        WINNOW_UINT8,   WINNOW_UINT16, WINNOW_UINT32, WINNOW_UINT64,
        WINNOW_FLOAT32, WINNOW_FLOAT64};
    static const int64_t ticks[] = {1, 86400, 86400000, 86400000000,
                                    86400000000000};
    static const enum formula_kind kinds[] = {
        FORMULA_UNARY,  FORMULA_BINARY,   FORMULA_BINARY,
        FORMULA_BINARY, FORMULA_BINARY,   FORMULA_CAST,
        FORMULA_PART,   FORMULA_OF_UNITS, FORMULA_OF_UNITS};
    static const unsigned of_units_of[] = {WINNOW__ADD, WINNOW__SUBTRACT,
                                           WINNOW__MIN, WINNOW__MAX};
    static const int64_t factors[] = {1, 2, 1000, 86400, 86400000000000};
    const unsigned units = has_products(formula) ? 1 : 5;
    const bool is_bool = draw_next(seed, 20) == 0;
    const struct formula_node *a, *b;

    node->kind =
        is_last && draw_next(seed, 3) == 0 ? FORMULA_COMPARE
        : is_bool ? (draw_next(seed, 2) == 0 ? FORMULA_CAST : FORMULA_COMPARE)
        : draw_next(seed, 16) == 0 ? FORMULA_COMPARE
                                   : kinds[draw_next(seed, 9)];
    if (node->kind == FORMULA_COMPARE && !is_bool && draw_next(seed, 3) == 0)
        node->kind = FORMULA_COMPARE_SCALED;
    node->a = draw_operand(formula, is_bool, node->kind >= FORMULA_PART, seed);
    node->b =
        draw_operand(formula, is_bool, node->kind >= FORMULA_OF_UNITS, seed);
    if (node->a == UINT32_MAX || node->b == UINT32_MAX)
        return false;
    a = &formula->node[node->a];
    b = &formula->node[node->b];
    node->constant = a->constant;
    node->weak = a->weak;
    switch (node->kind) {
    case FORMULA_UNARY:
        node->operation = (unsigned)draw_next(seed, WINNOW__SQRT + 1);
        node->type = node->operation == WINNOW__SQRT && !is_float(a->type)
                         ? WINNOW__FLOAT64
                         : a->type;
        /* The literal of INT64_MIN has a rule of its own. */
        if (a->weak && a->type == WINNOW__UINT64)
            return false;
        break;
    case FORMULA_CAST:
        node->operation = casts[draw_next(seed, 10)];
        node->type = node->operation == WINNOW_FLOAT32   ? WINNOW__FLOAT32
                     : node->operation == WINNOW_FLOAT64 ? WINNOW__FLOAT64
                     : node->operation == WINNOW_UINT64  ? WINNOW__UINT64
                                                         : WINNOW__INT64;
        node->weak = false;
        break;
    case FORMULA_PART:
        node->operation = (unsigned)draw_next(seed, WINNOW__SECOND_OF + 1);
        node->number = ticks[draw_next(seed, 5)];
        node->type = WINNOW__INT64;
        /* Its other operands are constants that are not weak. */
        node->weak = false;
        if (a->weak)
            return false;
        break;
    case FORMULA_OF_UNITS:
        node->number = factors[draw_next(seed, units)];
        node->b_number = factors[draw_next(seed, units)];
        node->constant = a->constant && b->constant;
        node->operation = of_units_of[draw_next(seed, 4)];
        node->type = WINNOW__INT64;
        if (a->weak || b->weak)
            return false;
        break;
    case FORMULA_COMPARE_SCALED:
        node->number = factors[draw_next(seed, 5)];
        node->constant = a->constant && b->constant;
        node->operation = (unsigned)draw_next(seed, WINNOW_GT + 1);
        node->type = WINNOW__BOOL;
        if (a->weak || b->weak)
            return false;
        break;
    default:
        node->operation = (unsigned)draw_next(
            seed,
            node->kind == FORMULA_COMPARE ? WINNOW_GT + 1 : WINNOW__MAX + 1);
        draw_divisor(formula, node, seed);
        b = &formula->node[node->b];
        node->constant = a->constant && b->constant;
        node->weak = a->weak && b->weak;
        node->type = common(a, b);
        if (node->kind == FORMULA_COMPARE)
            node->type = WINNOW__BOOL;
        else if (node->operation == WINNOW__DIVIDE && !is_float(node->type))
            node->type = WINNOW__FLOAT64;
        else if (node->operation == WINNOW__MAX &&
                 node->type == WINNOW__INT64 && a->type != b->type)
            node->type = WINNOW__UINT64;
    }
    return true;
}

void formula_random(struct formula *formula, const struct formula_table *table,
                    unsigned nodes, uint64_t seed) {
    memset(formula, 0, sizeof *formula);
    while (formula->number < nodes) {
        struct formula_node node = {.a = 0};
        const unsigned what = (unsigned)draw_next(&seed, 10);
        if (formula->number == 0 || what < 3)
            draw_column(&node, table, &seed);
        else if (what == 3)
            draw_constant(&node, &seed);
        else if (!draw_operation(formula, &node, formula->number + 1 == nodes,
                                 &seed))
            continue;
        formula->node[formula->number++] = node;
        /* A constant's number is known: an operation asks whether it fits. */
        if (node.constant && node.kind >= FORMULA_UNARY)
            formula->node[formula->number - 1].value =
                value_of(formula, table, formula->number - 1, 0);
    }
}

static winnow__value build(const struct formula_node *node,
                           const struct formula_table *table,
                           const winnow__value made[],
                           winnow__builder *builder) {
    const winnow__value a = made[node->a], b = made[node->b];
    const struct formula_column *const column = &table->column[node->column];

    switch (node->kind) {
    case FORMULA_COLUMN:
        return column->precision == 0
                   ? winnow__build_column(builder, (uint16_t)node->column,
                                          column->type)
                   : winnow__exact_to_float64(
                         builder,
                         winnow__exact_column(builder, (uint16_t)node->column,
                                              column->type, column->precision,
                                              column->scale));
    case FORMULA_LENGTH:
        return winnow__build_column(builder, (uint16_t)node->column,
                                    column->type);
    case FORMULA_CONSTANT:
        return is_float(node->type)
                   ? winnow__build_float(builder, node->value.d, node->weak)
               : node->type == WINNOW__INT64
                   ? winnow__build_int(builder, (int64_t)node->value.i,
                                       node->weak)
                   : winnow__build_uint(builder, (uint64_t)node->value.i,
                                        node->weak);
    case FORMULA_NULL:
        return winnow__build_null(builder);
    case FORMULA_UNARY:
        return winnow__build_unary(builder, (winnow__unary)node->operation, a);
    case FORMULA_BINARY:
        return winnow__build_binary(builder, (winnow__binary)node->operation, a,
                                    b);
    case FORMULA_COMPARE:
        return winnow__build_compare(builder, (winnow_compare)node->operation,
                                     a, b);
    case FORMULA_CAST:
        return winnow__build_cast(builder, (winnow_type)node->operation, a);
    case FORMULA_PART:
        return winnow__build_part(builder, (winnow__part_of)node->operation, a,
                                  node->number);
    case FORMULA_COMPARE_SCALED:
        return winnow__build_compare_scaled(
            builder, (winnow_compare)node->operation, a, node->number, b);
    default:
        return winnow__build_of_units(builder, (winnow__binary)node->operation,
                                      a, node->number, b, node->b_number);
    }
}

winnow__value formula_build(const struct formula *formula,
                            const struct formula_table *table,
                            winnow__builder *builder) {
    winnow__value made[FORMULA_NODES] = {0};

    for (unsigned i = 0; i < formula->number; i++)
        made[i] = build(&formula->node[i], table, made, builder);
    return made[formula->number - 1];
}
