/*
 * The operands of operators, functions and comparisons: values of the builder
 * that are made of columns and literals.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "date.h"
#include "operand.h"

#include <stdio.h>
#include <string.h>

uint64_t winnow__unit_of(unsigned unit) {
    static const uint64_t units[] = {UINT64_C(86400000000000), 1000000000,
                                     1000000, 1000, 1};
    return units[unit];
}

bool winnow__text_have_builder(winnow__text *text) {
    if (text->builder == NULL)
        text->builder = winnow__builder_create();
    return text->builder != NULL || winnow__text_no_memory(text);
}

/* If the builder failed, the detail gets the place. */
bool winnow__text_check_value(winnow__text *text, winnow__value value,
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

/* The float of a type that is nearest to a number, as a double. */
static bool nearest(const winnow__number *read, winnow_type type, double *to) {
    const winnow__type_info *const info = winnow__type(type);
    const winnow__domain domain = {.type = info,
                                   .least = -(winnow__wide)info->infinity,
                                   .most = info->infinity};
    const winnow__point point = winnow__number_point(read, &domain);
    const uint64_t bits = (uint64_t)point.floor;
    float narrow;
    memcpy(to, &bits, sizeof *to);
    if (type == WINNOW_FLOAT32) {
        memcpy(&narrow, &bits, sizeof narrow); /* little-endian */
        *to = narrow;
    }
    return point.exact;
}

/* Are the values float32, or will they be? */
static bool is_narrow(const winnow__text *text,
                      const winnow__text_value *value) {
    const winnow_type type =
        value->kind == WINNOW__TEXT_COLUMN || value->computed
            ? winnow__text_element_type(text, value)
            : WINNOW_FLOAT64;
    return type == WINNOW_FLOAT16 || type == WINNOW_BFLOAT16 ||
           type == WINNOW_FLOAT32;
}

/* A number is rounded once: to float32 if the other operand is. */
static bool take_fraction(winnow__text *text, const winnow__text_value *number,
                          const winnow__number *read,
                          const winnow__text_value *beside, winnow__value *to) {
    double value;
    if (!(is_narrow(text, beside) && nearest(read, WINNOW_FLOAT32, &value)) &&
        !nearest(read, WINNOW_FLOAT64, &value))
        return winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED,
                                 number->span.begin,
                                 "found %.*s, which is beyond the numbers of "
                                 "float64",
                                 WINNOW__TEXT_SHOWN(text, number->span, 100));
    *to = winnow__build_float(text->builder, value, true);
    return true;
}

/* A literal with its sign. */
static bool take_number(winnow__text *text, const winnow__text_value *number,
                        const winnow__text_value *beside, winnow__value *to) {
    winnow__number read = winnow__text_number(text, number);
    read.negative = false;
    if (!(winnow__text_is_whole(text, number)
              ? take_whole(text, number, &read, to)
              : take_fraction(text, number, &read, beside, to)))
        return false;
    if (number->negative)
        *to = winnow__build_unary(text->builder, WINNOW__NEGATE, *to);
    return true;
}

/* A constant that was cast to a decimal becomes float64, as a column does. */
static bool take_decimal(winnow__text *text, const winnow__text_value *number,
                         winnow__value *to) {
    winnow__exact exact;
    if (!winnow__text_take_exact(text, number, &exact))
        return false;
    *to = winnow__exact_to_float64(text->builder, exact);
    return true;
}

/* A literal, in the coarsest unit that makes it an integer. */
static bool take_moment(winnow__text *text, const winnow__text_value *moment,
                        const winnow__text_value *beside, winnow__operand *to) {
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
    to->zoned = to->kind == WINNOW__OPERAND_INSTANT && meaning.zone != NULL;
    to->column = beside->column;
    return true;
}

static winnow__exact exact_column(const winnow__text *text,
                                  const winnow__text_value *column) {
    if (column->computed)
        return column->exact;
    const winnow__meaning meaning = winnow__text_meaning(text, column);
    return winnow__exact_column(text->builder, column->column,
                                winnow__text_element_type(text, column),
                                meaning.precision, -meaning.scale);
}

/* A column; decimals become float64. */
static void take_column(winnow__text *text, const winnow__text_value *column,
                        winnow__operand *to) {
    const winnow__meaning meaning = winnow__text_meaning(text, column);
    to->value =
        meaning.kind == WINNOW__DECIMALS
            ? winnow__exact_to_float64(text->builder,
                                       exact_column(text, column))
            : winnow__build_column(text->builder, column->column,
                                   winnow__text_element_type(text, column));
    if (to->kind != WINNOW__OPERAND_NUMBER && to->kind != WINNOW__OPERAND_BITS)
        to->unit = number_of_unit(meaning.unit);
    to->zoned = meaning.zone != NULL;
    to->column = column->column;
}

/* Turn *value into an operand. A literal gets the zone of the other operand. */
bool winnow__text_take_operand(winnow__text *text,
                               const winnow__text_value *value,
                               const winnow__text_value *beside,
                               winnow__operand *to) {
    *to = (winnow__operand){.kind = winnow__operand_kind_of(text, value)};
    if (!winnow__text_have_builder(text))
        return false;
    if (value->kind == WINNOW__TEXT_NULL) {
        to->value = winnow__build_null(text->builder);
    } else if (value->kind == WINNOW__TEXT_NUMBER) {
        if (!(value->decimal ? take_decimal(text, value, &to->value)
                             : take_number(text, value, beside, &to->value)))
            return false;
    } else if (value->kind == WINNOW__TEXT_MOMENT) {
        const winnow__text_value none = {.computed = true, .span = value->span};
        const bool has_zone = beside->kind == WINNOW__TEXT_COLUMN ||
                              beside->kind == WINNOW__TEXT_COMPUTED;
        if (!take_moment(text, value, has_zone ? beside : &none, to))
            return false;
    } else if (value->computed && value->meaning != WINNOW__DECIMALS) {
        to->value = value->value;
        to->unit = value->unit;
        to->zoned = value->zoned;
        to->column = value->column;
    } else {
        take_column(text, value, to);
    }
    return winnow__text_check_value(text, to->value, value->span.begin);
}

/* ------------------------------------------------------------------- exact */

bool winnow__text_is_decimal(const winnow__text *text,
                             const winnow__text_value *value) {
    return value->kind == WINNOW__TEXT_NUMBER
               ? value->decimal
               : value->kind == WINNOW__TEXT_COLUMN &&
                     winnow__text_meaning(text, value).kind == WINNOW__DECIMALS;
}

bool winnow__text_is_exact(const winnow__text *text,
                           const winnow__text_value *value) {
    if (value->kind == WINNOW__TEXT_NUMBER)
        return !winnow__text_has_exponent(text, value);
    return winnow__operand_kind_of(text, value) == WINNOW__OPERAND_NUMBER &&
           (winnow__text_is_decimal(text, value) ||
            winnow__text_type(text, value)->infinity == 0);
}

bool winnow__text_are_exact(const winnow__text *text,
                            const winnow__text_value *a,
                            const winnow__text_value *b) {
    return (winnow__text_is_decimal(text, a) ||
            winnow__text_is_decimal(text, b)) &&
           winnow__text_is_exact(text, a) && winnow__text_is_exact(text, b);
}

bool winnow__text_take_exact(winnow__text *text,
                             const winnow__text_value *value,
                             winnow__exact *to) {
    winnow__operand integer;
    winnow__wide units;
    int places;
    if (!winnow__text_have_builder(text))
        return false;
    if (value->kind == WINNOW__TEXT_NUMBER) {
        if (!winnow__text_take_units(text, value, &units, &places))
            return false;
        *to = winnow__exact_constant(text->builder, units, places);
    } else if (winnow__text_is_decimal(text, value)) {
        *to = exact_column(text, value);
    } else {
        if (!winnow__text_take_operand(text, value, value, &integer))
            return false;
        *to = winnow__exact_integer(text->builder, integer.value);
    }
    return winnow__text_check_value(text, to->value, value->span.begin);
}

/* Turn a constant into a literal. */
static bool give_constant(winnow__text *text, winnow__text_value *value,
                          const winnow__exact *from,
                          const winnow__constant *lower) {
    winnow__constant upper = {.i = lower->i < 0 ? -1 : 0};
    if (from->is_wide)
        winnow__value_constant(text->builder, from->upper, &upper);
    const winnow__wide units = upper.i * ((winnow__wide)1 << 64) + lower->u;
    *value = (winnow__text_value){.kind = lower->is_null ? WINNOW__TEXT_NULL
                                                         : WINNOW__TEXT_NUMBER,
                                  .folded = !lower->is_null,
                                  .negative = units < 0,
                                  .has_point = true,
                                  .decimal = true,
                                  .places = from->scale,
                                  .units = units < 0 ? -units : units,
                                  .span = value->span};
    return true;
}

bool winnow__text_give_exact(winnow__text *text, winnow__text_value *value,
                             const winnow__exact *from,
                             winnow__text_span place) {
    winnow__constant constant;
    if (!winnow__text_check_value(text, from->value, value->span.begin))
        return false;
    if (from->scale > WINNOW__MOST_DIGITS)
        return winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED, place.begin,
                                 "%.*s makes decimals with %d digits behind "
                                 "the point: at most %d are possible; write "
                                 "cast(... as float64)",
                                 WINNOW__TEXT_SHOWN(text, place, 20),
                                 from->scale, WINNOW__MOST_DIGITS);
    if (winnow__value_constant(text->builder, from->value, &constant))
        return give_constant(text, value, from, &constant);
    *value = (winnow__text_value){.kind = WINNOW__TEXT_COLUMN,
                                  .computed = true,
                                  .meaning = WINNOW__DECIMALS,
                                  .value = from->value,
                                  .exact = *from,
                                  .span = value->span};
    return true;
}

/* Turn *value into a computed value. */
bool winnow__text_give(winnow__text *text, winnow__text_value *value,
                       const winnow__operand *from) {
    winnow__constant constant;
    if (!winnow__text_check_value(text, from->value, value->span.begin))
        return false;
    const bool is_constant =
        winnow__value_constant(text->builder, from->value, &constant);
    const winnow__meaning_kind kind =
        from->kind == WINNOW__OPERAND_INSTANT
            ? (from->unit == 0 ? WINNOW__DATES : WINNOW__TIMESTAMPS)
        : from->kind == WINNOW__OPERAND_DURATION ? WINNOW__DURATIONS
        : from->kind == WINNOW__OPERAND_TIME     ? WINNOW__TIMES
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

bool winnow__operands_are_alike(const winnow__operand *a,
                                const winnow__operand *b) {
    return a->kind == b->kind && a->kind >= WINNOW__OPERAND_INSTANT &&
           (a->kind != WINNOW__OPERAND_INSTANT || a->zoned == b->zoned);
}

winnow__constant winnow__text_constant(const winnow__text *text,
                                       const winnow__text_value *value) {
    winnow__constant constant = {.is_null = true};
    (void)winnow__value_constant(text->builder, value->value, &constant);
    return constant;
}

bool winnow__text_be_value(winnow__text *text, winnow__text_value *value) {
    winnow__operand from = {.kind = winnow__operand_kind_of(text, value)};
    if (!winnow__text_check_tested(text, value))
        return false;
    if (from.kind <= WINNOW__OPERAND_BITS || value->kind != WINNOW__TEXT_COLUMN)
        return winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED,
                                 value->span.begin,
                                 "found %s, expected numbers of columns",
                                 winnow__operand_type_name(text, value));
    if (winnow__text_is_decimal(text, value)) {
        winnow__exact exact;
        return winnow__text_take_exact(text, value, &exact) &&
               winnow__text_give_exact(text, value, &exact, value->span);
    }
    return value->computed ||
           (winnow__text_take_operand(text, value, value, &from) &&
            winnow__text_give(text, value, &from));
}

/* Set the decimal format of an expression, which nobody else uses yet. */
static bool describe(winnow__text *text, const winnow__text_value *value,
                     winnow__expression *made) {
    const winnow__exact *const exact = &value->exact;
    if (exact->is_wide)
        made->upper = winnow__build_finish(text->builder, exact->upper);
    made->precision = (uint8_t)exact->precision;
    made->scale = (int16_t)exact->scale;
    snprintf(made->format, sizeof made->format, "d:%d,%d", exact->precision,
             exact->scale);
    return !exact->is_wide || made->upper != NULL;
}

winnow__expression *winnow__text_expression(winnow__text *text,
                                            const winnow__text_value *value) {
    winnow__expression *const made =
        winnow__build_finish(text->builder, value->value);
    if (made != NULL &&
        (!text->of_values || !winnow__text_is_decimal(text, value) ||
         describe(text, value, made)))
        return made;
    winnow__expression_release(made);
    winnow__text_check_value(text, WINNOW__NO_VALUE, value->span.begin);
    return NULL;
}
