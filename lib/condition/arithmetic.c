/*
 * Arithmetic in the text of a condition: what may be combined with what, and the
 * values of the builder that it becomes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "core/status.h"
#include "date.h"
#include "text.h"

#include <string.h>
#include <strings.h>

uint64_t winnow__unit_of(unsigned unit) {
    static const uint64_t units[] = {UINT64_C(86400000000000), 1000000000,
                                     1000000, 1000, 1};
    return units[unit];
}

/* What a value may be combined with. */
typedef enum sort {
    NO_OPERAND, /* conditions, strings, texts, masks, integers of 128 bits */
    BITS,
    NUMBER,
    NOTHING, /* null */
    INSTANT, /* a date or a timestamp */
    TIME,
    DURATION
} sort;

static sort sort_of(const winnow__text *text, const winnow__text_value *value) {
    winnow__meaning_kind kind;
    switch (value->kind) {
    case WINNOW__TEXT_NULL:
        return NOTHING;
    case WINNOW__TEXT_NUMBER:
        return NUMBER;
    case WINNOW__TEXT_MOMENT:
        kind = (winnow__meaning_kind)value->compare;
        break;
    case WINNOW__TEXT_COLUMN:
        if (value->masked)
            return NO_OPERAND;
        if (winnow__text_is_bit(text, value))
            return BITS;
        kind = winnow__text_meaning(text, value).kind;
        if (kind == WINNOW__NUMBERS &&
            winnow__text_element_type(text, value) == WINNOW_INT128)
            return NO_OPERAND;
        break;
    case WINNOW__TEXT_COMPUTED:
        kind = (winnow__meaning_kind)value->meaning;
        break;
    default:
        return NO_OPERAND;
    }
    switch (kind) {
    case WINNOW__DATES:
    case WINNOW__TIMESTAMPS:
        return INSTANT;
    case WINNOW__TIMES:
        return TIME;
    case WINNOW__DURATIONS:
        return DURATION;
    default:
        return NUMBER;
    }
}

/* ---------------------------------------------------------------- mistakes */

static const char *name_of_type(const winnow__text *text,
                                const winnow__text_value *value) {
    const winnow__meaning_kind kind =
        value->kind == WINNOW__TEXT_COLUMN || value->computed
            ? winnow__text_meaning(text, value).kind
            : WINNOW__NUMBERS;
    switch (value->kind) {
    case WINNOW__TEXT_COLUMN:
        return value->masked ? "bits under a mask"
               : winnow__text_meaning(text, value).zone != NULL
                   ? "timestamps with a zone"
               : kind == WINNOW__NUMBERS
                   ? winnow_type_name(winnow__text_element_type(text, value))
                   : winnow__meaning_name(kind, true);
    case WINNOW__TEXT_NULL:
        return "null";
    case WINNOW__TEXT_NUMBER:
        return "a number";
    case WINNOW__TEXT_COMPUTED:
        return kind == WINNOW__NUMBERS ? "a number"
                                       : winnow__meaning_name(kind, false);
    case WINNOW__TEXT_STRING:
        return "a text";
    case WINNOW__TEXT_MOMENT:
        return winnow__meaning_name((winnow__meaning_kind)value->compare,
                                    false);
    case WINNOW__TEXT_STRINGS:
        return "strings";
    default:
        return "a condition";
    }
}

static bool fail_two(winnow__text *text, const winnow__text_value *a,
                     const winnow__text_value *op, const winnow__text_value *b,
                     const char *wanted) {
    return winnow__text_fail(
        text, WINNOW_ERR_UNSUPPORTED, op->span.begin,
        "found %s %.*s %s, expected %s", name_of_type(text, a),
        WINNOW__TEXT_SHOWN(text, op->span, 20), name_of_type(text, b), wanted);
}

static bool fail_one(winnow__text *text, const winnow__text_value *a,
                     const winnow__text_value *function, const char *wanted) {
    return winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED, a->span.begin,
                             "%.*s is of %s, found %s",
                             WINNOW__TEXT_SHOWN(text, function->span, 20),
                             wanted, name_of_type(text, a));
}

/* ---------------------------------------------------------------- operands */

/* What is combined: a value that counts a unit, if it is a moment. */
typedef struct operand {
    winnow__value value;
    sort sort;
    unsigned unit;
    bool zoned;
    uint16_t column; /* that has the zone */
} operand;

static bool have_builder(winnow__text *text) {
    if (text->builder == NULL)
        text->builder = winnow__builder_create();
    return text->builder != NULL || winnow__text_no_memory(text);
}

/* A failure of the builder has a detail without a place. */
static bool check_value(winnow__text *text, winnow__value value,
                        uint32_t place) {
    return value != WINNOW__NO_VALUE ||
           winnow__text_fail(text, winnow__builder_status(text->builder), place,
                             "%s", winnow_last_error());
}

static unsigned number_of_unit(uint64_t nanoseconds) {
    unsigned unit = 0;
    while (winnow__unit_of(unit) != nanoseconds)
        unit++;
    return unit;
}

/* Is a number written without a point and an exponent? */
static bool is_whole(const winnow__text *text, winnow__text_span digits) {
    const char *const from = text->from + digits.begin;
    const uint32_t length = digits.end - digits.begin;
    return strncasecmp(from, "0x", 2) == 0 ||
           (memchr(from, '.', length) == NULL &&
            memchr(from, 'e', length) == NULL &&
            memchr(from, 'E', length) == NULL);
}

static bool take_whole(winnow__text *text, const winnow__text_value *number,
                       const winnow__number *read, winnow__value *to) {
    const winnow__domain domain = {.type = winnow__type(WINNOW_INT64)};
    const winnow__point point = winnow__number_point(read, &domain);
    const winnow__wide most =
        number->negative ? (winnow__wide)1 << 63 : UINT64_MAX;
    if (point.beyond != 0 || point.floor > most)
        return winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED,
                                 number->span.begin,
                                 "found %.*s, which has more than 64 bits: "
                                 "with a point it is a float64",
                                 WINNOW__TEXT_SHOWN(text, number->span, 100));
    *to = winnow__build_uint(text->builder, (uint64_t)point.floor, true);
    return true;
}

static bool take_fraction(winnow__text *text, const winnow__text_value *number,
                          const winnow__number *read, winnow__value *to) {
    const winnow__type_info *const type = winnow__type(WINNOW_FLOAT64);
    const winnow__domain domain = {.type = type,
                                   .least = -(winnow__wide)type->infinity,
                                   .most = type->infinity};
    const winnow__point point = winnow__number_point(read, &domain);
    const uint64_t bits = (uint64_t)point.floor;
    double value;
    if (!point.exact)
        return winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED,
                                 number->span.begin,
                                 "found %.*s, which is beyond the numbers of "
                                 "float64",
                                 WINNOW__TEXT_SHOWN(text, number->span, 100));
    memcpy(&value, &bits, sizeof value);
    *to = winnow__build_float(text->builder, value, true);
    return true;
}

/* A literal; its sign is applied to the number. */
static bool take_number(winnow__text *text, const winnow__text_value *number,
                        winnow__value *to) {
    winnow__number read = winnow__text_number(text, number);
    read.negative = false;
    if (!(is_whole(text, number->right)
              ? take_whole(text, number, &read, to)
              : take_fraction(text, number, &read, to)))
        return false;
    if (number->negative)
        *to = winnow__build_unary(text->builder, WINNOW__NEGATE, *to);
    return true;
}

/* A literal, in the coarsest unit in which it is whole. */
static bool take_moment(winnow__text *text, const winnow__text_value *moment,
                        const winnow__text_value *beside, operand *to) {
    winnow__wide nanoseconds;
    unsigned unit = 0;
    if (!winnow__text_read_moment(text, moment, beside, &nanoseconds))
        return false;
    while (nanoseconds % (winnow__wide)winnow__unit_of(unit) != 0)
        unit++;
    const winnow__wide count =
        nanoseconds / (winnow__wide)winnow__unit_of(unit);
    if (count < INT64_MIN || count > INT64_MAX)
        return winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED,
                                 moment->span.begin,
                                 "found %.*s, which 64 bits do not hold in "
                                 "nanoseconds",
                                 WINNOW__TEXT_SHOWN(text, moment->span, 60));
    const winnow__meaning meaning = winnow__text_meaning(text, beside);
    to->value = winnow__build_int(text->builder, (int64_t)count, false);
    to->unit = unit;
    to->zoned = to->sort == INSTANT && meaning.zone != NULL;
    to->column = beside->column;
    return true;
}

static void take_column(winnow__text *text, const winnow__text_value *column,
                        operand *to) {
    const winnow__meaning meaning = winnow__text_meaning(text, column);
    const bool decimal = meaning.kind == WINNOW__DECIMALS;
    to->value = winnow__build_column(
        text->builder, column->column, winnow__text_element_type(text, column),
        decimal ? -meaning.scale : WINNOW__NO_SCALE);
    if (to->sort != NUMBER && to->sort != BITS)
        to->unit = number_of_unit(meaning.unit);
    to->zoned = meaning.zone != NULL;
    to->column = column->column;
}

/* *value as an operand; a literal is in the zone of what is beside it. */
static bool take(winnow__text *text, const winnow__text_value *value,
                 const winnow__text_value *beside, operand *to) {
    *to = (operand){.sort = sort_of(text, value)};
    if (!have_builder(text))
        return false;
    if (value->kind == WINNOW__TEXT_NULL) {
        to->value = winnow__build_null(text->builder);
    } else if (value->kind == WINNOW__TEXT_NUMBER) {
        if (!take_number(text, value, &to->value))
            return false;
    } else if (value->kind == WINNOW__TEXT_MOMENT) {
        const winnow__text_value none = {.computed = true, .span = value->span};
        const bool has_zone = beside->kind == WINNOW__TEXT_COLUMN ||
                              beside->kind == WINNOW__TEXT_COMPUTED;
        if (!take_moment(text, value, has_zone ? beside : &none, to))
            return false;
    } else if (value->computed) {
        to->value = value->value;
        to->unit = value->unit;
        to->zoned = value->zoned;
        to->column = value->column;
    } else {
        take_column(text, value, to);
    }
    return check_value(text, to->value, value->span.begin);
}

/* *value becomes what is computed. */
static bool give(winnow__text *text, winnow__text_value *value,
                 const operand *from) {
    winnow__constant constant;
    if (!check_value(text, from->value, value->span.begin))
        return false;
    const bool is_constant =
        winnow__value_constant(text->builder, from->value, &constant);
    const winnow__meaning_kind kind =
        from->sort == INSTANT
            ? (from->unit == 0 ? WINNOW__DATES : WINNOW__TIMESTAMPS)
        : from->sort == DURATION ? WINNOW__DURATIONS
        : from->sort == TIME     ? WINNOW__TIMES
                                 : WINNOW__NUMBERS;
    *value = (winnow__text_value){.kind = is_constant ? WINNOW__TEXT_COMPUTED
                                                      : WINNOW__TEXT_COLUMN,
                                  .computed = true,
                                  .zoned = from->zoned,
                                  .meaning = (uint8_t)kind,
                                  .unit = (uint8_t)from->unit,
                                  .column = from->column,
                                  .value = from->value,
                                  .span = value->span};
    if (is_constant && constant.is_null) {
        value->kind = WINNOW__TEXT_NULL;
        value->computed = false;
    }
    return true;
}

/* Bring two moments to the finer of their units. */
static void bring_together(winnow__text *text, operand *a, operand *b) {
    operand *const coarse = a->unit < b->unit ? a : b;
    const unsigned fine = a->unit < b->unit ? b->unit : a->unit;
    if (a->unit == b->unit)
        return;
    coarse->value = winnow__build_scaled(
        text->builder, coarse->value,
        (int64_t)(winnow__unit_of(coarse->unit) / winnow__unit_of(fine)));
    coarse->unit = fine;
}

static bool are_alike(const operand *a, const operand *b) {
    return a->sort == b->sort && a->sort >= INSTANT &&
           (a->sort != INSTANT || a->zoned == b->zoned);
}

/* --------------------------------------------------------------- operators */

/* What two moments are, or NO_OPERAND. */
static sort sort_of_moments(const operand *a, const operand *b,
                            winnow__binary operation) {
    if (operation == WINNOW__ADD && b->sort == DURATION &&
        (a->sort == INSTANT || a->sort == DURATION))
        return a->sort;
    if (operation == WINNOW__ADD && a->sort == DURATION && b->sort == INSTANT)
        return INSTANT;
    if (operation == WINNOW__SUBTRACT && a->sort == INSTANT &&
        b->sort == DURATION)
        return INSTANT;
    if (!are_alike(a, b))
        return NO_OPERAND;
    if (operation == WINNOW__SUBTRACT)
        return DURATION;
    return operation == WINNOW__MIN || operation == WINNOW__MAX ? a->sort
                                                                : NO_OPERAND;
}

static bool is_number(const operand *a) {
    return a->sort == NUMBER || a->sort == NOTHING;
}

static const char *wanted_by(winnow__binary operation) {
    switch (operation) {
    case WINNOW__ADD:
        return "numbers, durations, or a date or timestamp and a duration";
    case WINNOW__SUBTRACT:
        return "numbers, moments of one kind, or a date or timestamp and a "
               "duration";
    case WINNOW__MIN:
    case WINNOW__MAX:
        return "numbers, or moments of one kind";
    default:
        return "numbers";
    }
}

bool winnow__text_combine(winnow__text *text, winnow__text_value *a,
                          const winnow__text_value *op,
                          const winnow__text_value *b) {
    const winnow__binary operation = (winnow__binary)op->compare;
    operand left = {.sort = sort_of(text, a)};
    operand right = {.sort = sort_of(text, b)};
    operand result = {.sort = NUMBER};
    if (!winnow__text_check_tested(text, a) ||
        !winnow__text_check_tested(text, b))
        return false;
    if (a->inverted)
        return winnow__text_fail_inverted(text, a, op->span);
    if (left.sort <= BITS || right.sort <= BITS)
        return fail_two(text, a, op, b, wanted_by(operation));
    if (!take(text, a, b, &left) || !take(text, b, a, &right))
        return false;
    if (left.sort == NOTHING || right.sort == NOTHING) {
        *a = (winnow__text_value){.kind = WINNOW__TEXT_NULL, .span = a->span};
        return true;
    }
    if (!is_number(&left) || !is_number(&right)) {
        result.sort = sort_of_moments(&left, &right, operation);
        if (result.sort == NO_OPERAND)
            return fail_two(text, a, op, b, wanted_by(operation));
        bring_together(text, &left, &right);
        result.unit = left.unit;
        if (result.sort == INSTANT) {
            const operand *const instant =
                left.sort == INSTANT ? &left : &right;
            result.zoned = instant->zoned;
            result.column = instant->column;
        }
    }
    result.value =
        winnow__build_binary(text->builder, operation, left.value, right.value);
    return give(text, a, &result);
}

/* --------------------------------------------------------------- functions */

/* Part of a moment in its zone, where that is known. */
static bool apply_part(winnow__text *text, winnow__text_value *a,
                       const winnow__text_value *function, operand *from) {
    const winnow__part_of part =
        (winnow__part_of)(function->compare - WINNOW__TEXT_PART);
    const winnow__meaning meaning =
        a->kind == WINNOW__TEXT_MOMENT
            ? (winnow__meaning){.kind = WINNOW__NUMBERS}
            : winnow__text_meaning(text, a);
    const bool of_time = part >= WINNOW__HOUR_OF;
    winnow__wide east = 0;
    if (from->sort != INSTANT && !(from->sort == TIME && of_time))
        return fail_one(text, a, function,
                        of_time ? "dates, timestamps and times"
                                : "dates and timestamps");
    if (meaning.zone != NULL && !winnow__zone_offset(meaning.zone, &east))
        return winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED, a->span.begin,
                                 "'%.*s' has the zone '%.60s', which has no "
                                 "fixed offset: %.*s is of other zones",
                                 WINNOW__TEXT_NAME(text, a), meaning.zone,
                                 WINNOW__TEXT_SHOWN(text, function->span, 20));
    if (east != 0) {
        operand offset = {.sort = DURATION, .unit = 1};
        offset.value = winnow__build_int(text->builder,
                                         (int64_t)(east / 1000000000), false);
        bring_together(text, from, &offset);
        from->value = winnow__build_binary(text->builder, WINNOW__ADD,
                                           from->value, offset.value);
    }
    const bool is_year = part == WINNOW__YEAR_OF && !a->computed &&
                         a->kind == WINNOW__TEXT_COLUMN;
    const uint16_t column = a->column;
    const operand result = {
        .sort = NUMBER,
        .value = winnow__build_part(
            text->builder, part, from->value,
            (int64_t)(winnow__unit_of(0) / winnow__unit_of(from->unit)))};
    if (!give(text, a, &result))
        return false;
    a->is_year = is_year;
    a->column = column;
    return true;
}

static bool apply_length(winnow__text *text, winnow__text_value *a,
                         const winnow__text_value *function) {
    operand result = {.sort = NUMBER};
    if (a->kind == WINNOW__TEXT_NULL)
        return true;
    if (a->kind != WINNOW__TEXT_STRINGS)
        return fail_one(text, a, function, "strings");
    if (!have_builder(text))
        return false;
    result.value = winnow__build_length(text->builder, a->column,
                                        winnow__text_element_type(text, a));
    return give(text, a, &result);
}

bool winnow__text_apply(winnow__text *text, winnow__text_value *a,
                        const winnow__text_value *function) {
    operand from = {.sort = sort_of(text, a)};
    const bool is_part = function->compare >= WINNOW__TEXT_PART;
    const winnow__unary operation = (winnow__unary)function->compare;
    const bool of_durations =
        operation == WINNOW__NEGATE || operation == WINNOW__ABS;
    if (!winnow__text_check_tested(text, a))
        return false;
    if (function->compare == WINNOW__TEXT_LENGTH)
        return apply_length(text, a, function);
    if (a->kind == WINNOW__TEXT_NULL)
        return true;
    if (from.sort <= BITS || (!is_part && from.sort != NUMBER &&
                              !(of_durations && from.sort == DURATION)))
        return fail_one(text, a, function,
                        is_part        ? "dates and timestamps"
                        : of_durations ? "numbers and durations"
                                       : "numbers");
    if (!take(text, a, a, &from))
        return false;
    if (is_part)
        return apply_part(text, a, function, &from);
    from.value = winnow__build_unary(text->builder, operation, from.value);
    return give(text, a, &from);
}

/* ------------------------------------------------------------------- casts */

/* A number of another type. A column that has its values is left alone. */
bool winnow__text_cast(winnow__text *text, winnow__text_value *a,
                       const winnow__text_value *type) {
    operand from = {.sort = sort_of(text, a)};
    if (!winnow__text_check_tested(text, a))
        return false;
    if (a->kind == WINNOW__TEXT_NULL)
        return true;
    if (from.sort == NO_OPERAND || a->kind == WINNOW__TEXT_MOMENT)
        return fail_one(text, a, type, "numbers, bits and columns of moments");
    if (!take(text, a, a, &from))
        return false;
    const winnow__value before = from.value;
    const bool is_integer =
        !a->computed && a->kind == WINNOW__TEXT_COLUMN && from.sort == NUMBER &&
        winnow__text_meaning(text, a).kind == WINNOW__NUMBERS &&
        winnow__text_type(text, a)->infinity == 0;
    from = (operand){.sort = NUMBER,
                     .value = winnow__build_cast(
                         text->builder, (winnow_type)type->compare, before)};
    if (is_integer && from.value == before)
        return true;
    return give(text, a, &from);
}

/* ------------------------------------------------------------- comparisons */

/* Are both decimals that count the same? */
static bool are_same_decimals(const winnow__text *text,
                              const winnow__text_value *a,
                              const winnow__text_value *b) {
    if (a->kind != WINNOW__TEXT_COLUMN || b->kind != WINNOW__TEXT_COLUMN ||
        winnow__text_element_type(text, a) == WINNOW_INT128 ||
        winnow__text_element_type(text, b) == WINNOW_INT128)
        return false;
    const winnow__meaning left = winnow__text_meaning(text, a);
    const winnow__meaning right = winnow__text_meaning(text, b);
    return left.kind == WINNOW__DECIMALS && right.kind == left.kind &&
           left.scale == right.scale;
}

static winnow__value integers_of(winnow__text *text,
                                 const winnow__text_value *column) {
    return winnow__build_column(text->builder, column->column,
                                winnow__text_element_type(text, column),
                                WINNOW__NO_SCALE);
}

/* *a becomes what a comparison says, which may be known of all items. */
static bool give_truth(winnow__text *text, winnow__text_value *a,
                       winnow__value value, uint32_t place) {
    winnow__constant constant;
    if (!check_value(text, value, place))
        return false;
    if (!winnow__value_constant(text->builder, value, &constant)) {
        winnow__text_value truth = {
            .computed = true, .value = value, .span = a->span};
        if (!winnow__text_add_bit(text, &truth, place))
            return false;
        *a = truth;
        return true;
    }
    if (constant.is_null)
        return winnow__text_add_unknown(text, a);
    winnow__text_be_constant(a, constant.i != 0);
    return true;
}

bool winnow__text_compare_values(winnow__text *text, winnow__text_value *a,
                                 const winnow__text_value *comparison,
                                 const winnow__text_value *b) {
    const winnow_compare compare = (winnow_compare)comparison->compare;
    const winnow__text_value first = *a;
    operand left = {.sort = sort_of(text, a)};
    operand right = {.sort = sort_of(text, b)};
    if (left.sort == NO_OPERAND || right.sort == NO_OPERAND)
        return fail_two(text, a, comparison, b,
                        "two numbers, or moments of one kind");
    if (!take(text, a, b, &left) || !take(text, b, a, &right))
        return false;
    if (are_same_decimals(text, a, b)) {
        left.value = integers_of(text, a);
        right.value = integers_of(text, b);
    } else if (left.sort == BITS && right.sort == BITS) {
        if (!winnow__is_equality(compare))
            return winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED,
                                     comparison->span.begin,
                                     "true and false are equal or not, and "
                                     "have no order");
    } else if (are_alike(&left, &right)) {
        bring_together(text, &left, &right);
    } else if (left.sort != NUMBER || right.sort != NUMBER) {
        return fail_two(text, a, comparison, b,
                        "two numbers, or moments of one kind");
    }
    if (!give_truth(text, a,
                    winnow__build_compare(text->builder, compare, left.value,
                                          right.value),
                    first.span.begin))
        return false;
    /* x < y may go on, as x < y < z. */
    if (a->kind == WINNOW__TEXT_CONDITION && !winnow__is_equality(compare) &&
        b->kind == WINNOW__TEXT_COLUMN) {
        const uint32_t node = a->first;
        *a = *b;
        a->kind = WINNOW__TEXT_CONDITION;
        a->first = node;
        a->compare = (uint8_t)compare;
        a->continues = true;
    }
    return true;
}

/* ------------------------------------------------------------------ others */

winnow__constant winnow__text_constant(const winnow__text *text,
                                       const winnow__text_value *value) {
    winnow__constant constant = {.is_null = true};
    (void)winnow__value_constant(text->builder, value->value, &constant);
    return constant;
}

winnow__expression *winnow__text_expression(winnow__text *text,
                                            const winnow__text_value *value) {
    winnow__expression *const made =
        winnow__build_finish(text->builder, value->value);
    if (made == NULL)
        check_value(text, WINNOW__NO_VALUE, value->span.begin);
    return made;
}
