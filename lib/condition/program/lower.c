/*
 * Turns a program into the host's form.
 *
 * Elements keep the width of their column until an operation uses them. An operation is
 * done in the fewest bits that hold its operands and its result, whose ranges are
 * known. If the result may wrap, it is done in 64 bits.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "builder.h"

typedef struct lowering {
    const winnow__value_program *from;
    winnow__host_program *to;
    winnow__range range[WINNOW__MOST_REGISTERS];
    winnow__host_kind kind[WINNOW__MOST_REGISTERS];
} lowering;

/* Types of values, in tables. */
enum {
    KIND_INT8 = WINNOW__OF_INT8,
    KIND_UINT8 = WINNOW__OF_UINT8,
    KIND_INT16 = WINNOW__OF_INT16,
    KIND_UINT16 = WINNOW__OF_UINT16,
    KIND_INT32 = WINNOW__OF_INT32,
    KIND_UINT32 = WINNOW__OF_UINT32,
    KIND_INT64 = WINNOW__OF_INT64,
    KIND_UINT64 = WINNOW__OF_INT64,
    KIND_FLOAT32 = WINNOW__OF_FLOAT32,
    KIND_FLOAT64 = WINNOW__OF_FLOAT64,
    KIND_BOOL = WINNOW__OF_BOOL,
    NONE = 0 /* no operation has this code, which is of a load */
};

static const winnow__range in_int16 = {INT16_MIN, INT16_MAX};
static const winnow__range in_int32 = {INT32_MIN, INT32_MAX};

/* -------------------------------------------------------------------- steps */

static void add(lowering *l, unsigned code, unsigned to, unsigned a, unsigned b,
                winnow__host_kind kind) {
    l->to->step[l->to->steps++] = (winnow__host_step){.code = (uint8_t)code,
                                                      .to = (uint8_t)to,
                                                      .a = (uint8_t)a,
                                                      .b = (uint8_t)b};
    l->kind[to] = kind;
}

static bool is_constant(unsigned operand) {
    return (operand & WINNOW__CONSTANT_OPERAND) != 0;
}

static int64_t constant_of(const lowering *l, unsigned operand) {
    return (int64_t)l->from->constant[operand & ~WINNOW__CONSTANT_OPERAND];
}

static winnow__range range_of(const lowering *l, unsigned operand) {
    if (!is_constant(operand))
        return l->range[operand];
    const int64_t constant = constant_of(l, operand);
    return (winnow__range){constant, constant};
}

/* Convert an operand to another kind. A constant's lower bytes can be used as they
 * are. */
static void bring(lowering *l, unsigned operand, winnow__host_kind kind) {
#define CONVERSION(NAME, FROM, TO)                                             \
    [KIND_##FROM][KIND_##TO] = WINNOW__HOST_##NAME,
    static const uint8_t code[WINNOW__OF_BOOL + 1][WINNOW__OF_BOOL + 1] = {
        WINNOW__HOST_CONVERSIONS(CONVERSION)};
#undef CONVERSION
    if (!is_constant(operand) && l->kind[operand] != kind)
        add(l, code[l->kind[operand]][kind], operand, operand, operand, kind);
}

/* -------------------------------------------------------------------- loads */

static void lower_load(lowering *l, const winnow__step *step) {
    unsigned code = step->code;
    winnow__host_kind kind = WINNOW__OF_INT64;
    bool as_float = false;
    switch (code) {
#define LOAD(TYPE)                                                             \
    case WINNOW__LOAD_##TYPE##_FLOAT64:                                        \
        as_float = true;                                                       \
        code = WINNOW__LOAD_##TYPE; /* fallthrough */                          \
    case WINNOW__LOAD_##TYPE:                                                  \
        kind = WINNOW__OF_##TYPE;                                              \
        break;
        LOAD(INT8)
        LOAD(INT16)
        LOAD(INT32)
        LOAD(UINT8)
        LOAD(UINT16)
        LOAD(UINT32)
#undef LOAD
    case WINNOW__LOAD_FLOAT16:
    case WINNOW__LOAD_BFLOAT16:
    case WINNOW__LOAD_FLOAT32:
        kind = WINNOW__OF_FLOAT32;
        break;
    case WINNOW__LOAD_FLOAT64:
        kind = WINNOW__OF_FLOAT64;
        break;
    case WINNOW__LOAD_BIT:
        kind = WINNOW__OF_BOOL;
        break;
    default: /* lengths, which have 64 bits */
        break;
    }
    add(l, code, step->to, step->a, 0, kind);
    if (as_float)
        bring(l, step->to, WINNOW__OF_FLOAT64);
}

/* ---------------------------------------------------------------- operations */

/* The codes for 16 and 32 bits of an operation on INT64; NONE: there is none. */
static const uint8_t narrow_code[WINNOW__OPERATION_CODES][2] = {
#define NARROW(NAME)                                                           \
    [WINNOW__##NAME##                                                          \
        _INT64] = {WINNOW__HOST_##NAME##_INT16, WINNOW__HOST_##NAME##_INT32}
    NARROW(NEGATE),   NARROW(ABS), NARROW(ADD), NARROW(SUBTRACT),
    NARROW(MULTIPLY), NARROW(MIN), NARROW(MAX),
#undef NARROW
};

/* The codes for two INT16, or two INT32, with a result of twice as many bits. */
static const uint8_t widening_code[WINNOW__OPERATION_CODES][2] = {
#define WIDENING(NAME)                                                         \
    [WINNOW__##NAME##_INT64] = {WINNOW__HOST_##NAME##_WIDE_INT16,              \
                                WINNOW__HOST_##NAME##_WIDE_INT32}
    WIDENING(ADD),
    WIDENING(SUBTRACT),
    WIDENING(MULTIPLY),
#undef WIDENING
};

/* The codes that compare integers of a kind. */
static const uint8_t compare_code[WINNOW__OPERATION_CODES][WINNOW__OF_INT64] = {
#define ORDER(NAME)                                                            \
    [WINNOW__##NAME##                                                          \
        _INT64] = {[WINNOW__OF_INT8] = WINNOW__HOST_##NAME##_INT8,             \
                   [WINNOW__OF_UINT8] = WINNOW__HOST_##NAME##_UINT8,           \
                   [WINNOW__OF_INT16] = WINNOW__HOST_##NAME##_INT16,           \
                   [WINNOW__OF_UINT16] = WINNOW__HOST_##NAME##_UINT16,         \
                   [WINNOW__OF_INT32] = WINNOW__HOST_##NAME##_INT32,           \
                   [WINNOW__OF_UINT32] = WINNOW__HOST_##NAME##_UINT32}
#define EQUALITY(NAME)                                                         \
    [WINNOW__##NAME##                                                          \
        _INT64] = {[WINNOW__OF_INT8] = WINNOW__HOST_##NAME##_INT8,             \
                   [WINNOW__OF_UINT8] = WINNOW__HOST_##NAME##_INT8,            \
                   [WINNOW__OF_INT16] = WINNOW__HOST_##NAME##_INT16,           \
                   [WINNOW__OF_UINT16] = WINNOW__HOST_##NAME##_INT16,          \
                   [WINNOW__OF_INT32] = WINNOW__HOST_##NAME##_INT32,           \
                   [WINNOW__OF_UINT32] = WINNOW__HOST_##NAME##_INT32}
    ORDER(LESS),
    ORDER(LESS_EQUAL),
    EQUALITY(EQUAL),
    EQUALITY(NOT_EQUAL),
#undef ORDER
#undef EQUALITY
};

static winnow__host_kind wider(winnow__host_kind a, winnow__host_kind b) {
    return a < b ? b : a;
}

/* The kind for a range: INT16, INT32 or INT64. */
static winnow__host_kind kind_for(winnow__range range) {
    return winnow__is_within(range, in_int16)   ? WINNOW__OF_INT16
           : winnow__is_within(range, in_int32) ? WINNOW__OF_INT32
                                                : WINNOW__OF_INT64;
}

static winnow__width width_for(winnow__range range) {
    static const winnow__range in_uint32 = {0, UINT32_MAX};
    return winnow__is_within(range, in_int32)    ? WINNOW__IN_INT32
           : winnow__is_within(range, in_uint32) ? WINNOW__IN_UINT32
                                                 : WINNOW__IN_INT64;
}

/* The signed kind of an operand, or to which it is converted. */
static winnow__host_kind kind_of(const lowering *l, unsigned operand) {
    if (is_constant(operand))
        return kind_for(range_of(l, operand));
    switch (l->kind[operand]) {
    case WINNOW__OF_INT8:
    case WINNOW__OF_UINT8:
    case WINNOW__OF_INT16:
        return WINNOW__OF_INT16;
    case WINNOW__OF_UINT16:
    case WINNOW__OF_INT32:
        return WINNOW__OF_INT32;
    default:
        return WINNOW__OF_INT64;
    }
}

/* Can a kind represent a constant? */
static bool has(winnow__host_kind kind, int64_t constant) {
    static const winnow__range range[] = {
        [WINNOW__OF_INT8] = {INT8_MIN, INT8_MAX},
        [WINNOW__OF_UINT8] = {0, UINT8_MAX},
        [WINNOW__OF_INT16] = {INT16_MIN, INT16_MAX},
        [WINNOW__OF_UINT16] = {0, UINT16_MAX},
        [WINNOW__OF_INT32] = {INT32_MIN, INT32_MAX},
        [WINNOW__OF_UINT32] = {0, UINT32_MAX},
        [WINNOW__OF_INT64] = {INT64_MIN, INT64_MAX},
    };
    return range[kind].low <= constant && constant <= range[kind].high;
}

/* Is the operand of this kind, or a constant that the kind can represent? */
static bool is_of(const lowering *l, unsigned operand, winnow__host_kind kind) {
    return is_constant(operand) ? has(kind, constant_of(l, operand))
                                : l->kind[operand] == kind;
}

/* Keep the step as the program has it. */
static void lower_as_is(lowering *l, const winnow__step *step) {
    static const struct {
        uint8_t a, b, result;
    } kind[WINNOW__OPERATION_CODES] = {
#define UNARY(NAME, A, RESULT)                                                 \
    [WINNOW__##NAME] = {KIND_##A, KIND_##A, KIND_##RESULT},
#define BINARY(NAME, A, B, RESULT)                                             \
    [WINNOW__##NAME] = {KIND_##A, KIND_##B, KIND_##RESULT},
        WINNOW__UNARY_OPERATIONS(UNARY) WINNOW__UNARY_NULL_OPERATIONS(UNARY)
            WINNOW__BINARY_OPERATIONS(BINARY) WINNOW__COMPARISONS(BINARY)
                WINNOW__BINARY_NULL_OPERATIONS(BINARY) WINNOW__QUOTIENTS(BINARY)
#undef UNARY
#undef BINARY
    };
    bring(l, step->a, (winnow__host_kind)kind[step->code].a);
    if (winnow__has_second(step->code))
        bring(l, step->b, (winnow__host_kind)kind[step->code].b);
    add(l, step->code, step->to, step->a, step->b,
        (winnow__host_kind)kind[step->code].result);
}

/* False, here and below: the step stays as it is, with 64 bits. */
static bool lower_integers(lowering *l, const winnow__step *step,
                           winnow__range made) {
    const bool two = winnow__has_second(step->code);
    winnow__host_kind kind = wider(kind_for(made), kind_of(l, step->a));
    if (two)
        kind = wider(kind, kind_of(l, step->b));
    if (widening_code[step->code][0] != NONE && kind != WINNOW__OF_INT16) {
        const bool to_64 = kind == WINNOW__OF_INT64;
        const winnow__host_kind half =
            to_64 ? WINNOW__OF_INT32 : WINNOW__OF_INT16;
        if (is_of(l, step->a, half) && is_of(l, step->b, half)) {
            add(l, widening_code[step->code][to_64], step->to, step->a, step->b,
                kind);
            return true;
        }
    }
    if (kind == WINNOW__OF_INT64)
        return false;
    bring(l, step->a, kind);
    if (two)
        bring(l, step->b, kind);
    add(l, narrow_code[step->code][kind == WINNOW__OF_INT32], step->to, step->a,
        step->b, kind);
    return true;
}

/* The kind in which two integers are compared: their own if it has comparisons. */
static winnow__host_kind kind_compared(const lowering *l, unsigned a,
                                       unsigned b) {
    if (is_constant(a) && has(l->kind[b], constant_of(l, a)))
        return l->kind[b];
    if (is_constant(b) && has(l->kind[a], constant_of(l, b)))
        return l->kind[a];
    if (!is_constant(a) && !is_constant(b) && l->kind[a] == l->kind[b])
        return l->kind[a];
    return wider(kind_of(l, a), kind_of(l, b));
}

static bool lower_comparison(lowering *l, const winnow__step *step) {
    const winnow__host_kind kind = kind_compared(l, step->a, step->b);
    if (kind == WINNOW__OF_INT64)
        return false;
    bring(l, step->a, kind);
    bring(l, step->b, kind);
    add(l, compare_code[step->code][kind], step->to, step->a, step->b,
        WINNOW__OF_BOOL);
    return true;
}

/* A division by a constant that makes no null: in 32 bits if all values fit. */
static bool lower_division(lowering *l, const winnow__step *step,
                           winnow__range made) {
    const bool is_quotient = step->code == WINNOW__FLOOR_DIVIDE_INT64 ||
                             step->code == WINNOW__FLOOR_DIVIDE_INT64_BY;
    const winnow__range a = range_of(l, step->a), b = range_of(l, step->b);
    if (!is_constant(step->b) || b.low == 0 ||
        !winnow__is_within(a, in_int32) || !winnow__is_within(b, in_int32) ||
        !winnow__is_within(made, in_int32))
        return false;
    bring(l, step->a, WINNOW__OF_INT32);
    add(l,
        is_quotient ? WINNOW__HOST_FLOOR_DIVIDE_INT32
                    : WINNOW__HOST_REMAINDER_INT32,
        step->to, step->a, step->b, WINNOW__OF_INT32);
    return true;
}

static bool lower_calendar(lowering *l, const winnow__step *step) {
    static const uint8_t code[] = {WINNOW__HOST_YEAR_INT32,
                                   WINNOW__HOST_MONTH_INT32,
                                   WINNOW__HOST_DAY_INT32};
    if (!winnow__is_within(range_of(l, step->a), in_int32))
        return false;
    bring(l, step->a, WINNOW__OF_INT32);
    add(l, code[step->code - WINNOW__YEAR], step->to, step->a, step->b,
        WINNOW__OF_INT32);
    return true;
}

/* Convert an integer of at most 32 bits to a float in one step. */
static bool lower_to_float(lowering *l, const winnow__step *step) {
    const bool wide = step->code == WINNOW__INT64_TO_FLOAT64;
    if (kind_of(l, step->a) == WINNOW__OF_INT64)
        return false;
    bring(l, step->a, WINNOW__OF_INT32);
    add(l, wide ? WINNOW__HOST_INT32_TO_FLOAT64 : WINNOW__HOST_INT32_TO_FLOAT32,
        step->to, step->a, step->b,
        wide ? WINNOW__OF_FLOAT64 : WINNOW__OF_FLOAT32);
    return true;
}

static bool lower_narrow(lowering *l, const winnow__step *step,
                         winnow__range made) {
    switch (step->code) {
    case WINNOW__FLOOR_DIVIDE_INT64:
    case WINNOW__REMAINDER_INT64:
    case WINNOW__FLOOR_DIVIDE_INT64_BY:
    case WINNOW__REMAINDER_INT64_BY:
        return lower_division(l, step, made);
    case WINNOW__YEAR:
    case WINNOW__MONTH:
    case WINNOW__DAY:
        return lower_calendar(l, step);
    case WINNOW__INT64_TO_FLOAT32:
    case WINNOW__INT64_TO_FLOAT64:
        return lower_to_float(l, step);
    default:
        return narrow_code[step->code][0] != NONE
                   ? lower_integers(l, step, made)
                   : compare_code[step->code][0] != NONE &&
                         lower_comparison(l, step);
    }
}

static void lower_step(lowering *l, const winnow__step *step) {
    const winnow__range none = {0, 0};
    const winnow__range a =
        winnow__is_load(step->code) ? none : range_of(l, step->a);
    const winnow__range b =
        winnow__has_second(step->code) ? range_of(l, step->b) : none;
    const winnow__range made = winnow__range_of(step->code, a, b);
    l->to->widths[step - l->from->step] =
        (winnow__step_widths){.a = (uint8_t)width_for(a),
                              .b = (uint8_t)width_for(b),
                              .result = (uint8_t)width_for(made)};
    if (winnow__is_load(step->code))
        lower_load(l, step);
    else if (!lower_narrow(l, step, made))
        lower_as_is(l, step);
    l->range[step->to] = made;
}

void winnow__lower(const winnow__value_program *program,
                   winnow__host_program *host) {
    const unsigned result = program->result;
    lowering l = {.from = program, .to = host};
    host->steps = 0;
    for (unsigned s = 0; s < program->steps; s++)
        lower_step(&l, &program->step[s]);
    if (program->result_type == WINNOW__INT64)
        bring(&l, result, kind_of(&l, result));
    host->narrow_steps = host->steps;
    host->narrow_kind = (uint8_t)l.kind[result];
    if (program->result_type == WINNOW__INT64)
        bring(&l, result, WINNOW__OF_INT64);
}
