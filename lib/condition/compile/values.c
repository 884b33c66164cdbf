/*
 * Values: the statements for the operations of an expression; or, for a body in CUDA C,
 * a function and calls of it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "writer.h"

const char *const winnow__value_type_names[] = {[WINNOW__INT64] = "i64",
                                                [WINNOW__UINT64] = "u64",
                                                [WINNOW__FLOAT32] = "f32",
                                                [WINNOW__FLOAT64] = "f64",
                                                [WINNOW__BOOL] = "bool"};

/* The types of an INT64, indexed by winnow__width. */
static const char *const integer_names[] = {[WINNOW__IN_INT64] = "i64",
                                            [WINNOW__IN_INT32] = "i32",
                                            [WINNOW__IN_UINT32] = "u32"};

/* The description of an operation. */
typedef struct operation {
    const char *name;
    uint8_t a, b, result; /* types; NO_OPERAND: there is no such operand */
    bool makes_null;
} operation;

enum {
    NO_OPERAND = 0xff
};

#define OF(NAME, A, B, RESULT, MAKES_NULL)                                     \
    [WINNOW__##NAME] = {#NAME, A, B, WINNOW__##RESULT, MAKES_NULL},
#define OF_LOAD(NAME, ELEMENT, RESULT)                                         \
    OF(NAME, NO_OPERAND, NO_OPERAND, RESULT, false)
#define OF_OTHER_LOAD(NAME, RESULT) OF_LOAD(NAME, , RESULT)
#define OF_UNARY(NAME, A, RESULT)                                              \
    OF(NAME, WINNOW__##A, NO_OPERAND, RESULT, false)
#define OF_UNARY_NULL(NAME, A, RESULT)                                         \
    OF(NAME, WINNOW__##A, NO_OPERAND, RESULT, true)
#define OF_BINARY(NAME, A, B, RESULT)                                          \
    OF(NAME, WINNOW__##A, WINNOW__##B, RESULT, false)
#define OF_BINARY_NULL(NAME, A, B, RESULT)                                     \
    OF(NAME, WINNOW__##A, WINNOW__##B, RESULT, true)
static const operation operations[] = {
    WINNOW__LOADS(OF_LOAD) WINNOW__OTHER_LOADS(OF_OTHER_LOAD)
        WINNOW__UNARY_OPERATIONS(OF_UNARY)
            WINNOW__UNARY_NULL_OPERATIONS(OF_UNARY_NULL)
                WINNOW__BINARY_OPERATIONS(OF_BINARY)
                    WINNOW__COMPARISONS(OF_BINARY)
                        WINNOW__BINARY_NULL_OPERATIONS(OF_BINARY_NULL)
                            WINNOW__QUOTIENTS(OF_BINARY)};

/* The step that last wrote a register may have made another type of integer. */
static void write_in(winnow__writer *to, const uint16_t *written,
                     unsigned operand, unsigned type, unsigned width,
                     unsigned constants) {
    const char *const name = type == WINNOW__INT64
                                 ? integer_names[width]
                                 : winnow__value_type_names[type];
    if (operand & WINNOW__CONSTANT_OPERAND) {
        const unsigned number = operand & ~WINNOW__CONSTANT_OPERAND;
        winnow__write(to,
                      type == WINNOW__FLOAT32
                          ? "bits_as<%s>(u32(a.constant[%u]))"
                      : type == WINNOW__FLOAT64 ? "bits_as<%s>(a.constant[%u])"
                                                : "%s(a.constant[%u])",
                      name, constants + number);
        return;
    }
    winnow__write(to, "%s(v%u)", name, written[operand]);
}

void winnow__write_operand(winnow__writer *to, const uint16_t *written,
                           unsigned operand, unsigned type,
                           unsigned constants) {
    write_in(to, written, operand, type, WINNOW__IN_INT64, constants);
}

/* With a wide divisor the dividend is wide, too. */
static void write_operands(winnow__writer *to, const winnow__step *step,
                           const operation *done,
                           const winnow__step_widths *widths,
                           const uint16_t *written, unsigned constants) {
    const bool is_quotient = winnow__is_quotient(step->code);
    write_in(to, written, step->a, done->a,
             is_quotient && widths->b == WINNOW__IN_INT64 ? WINNOW__IN_INT64
                                                          : widths->a,
             constants);
    if (done->b == NO_OPERAND)
        return;
    winnow__write(to, ", ");
    if (is_quotient)
        winnow__write(to, "a.constant + %u",
                      constants + (step->b & ~WINNOW__CONSTANT_OPERAND));
    else
        write_in(to, written, step->b, done->b, widths->b, constants);
}

/* Types of elements: in the source, and as words of the argument of a user's
 * function, which no parameter's name equals. */
static const struct {
    const char *own, *users;
} types[] = {
    [WINNOW_INT8] = {"i8", "signed char"},
    [WINNOW_INT16] = {"i16", "short"},
    [WINNOW_INT32] = {"i32", "int"},
    [WINNOW_INT64] = {"i64", "long long"},
    [WINNOW_UINT8] = {"u8", "unsigned char"},
    [WINNOW_UINT16] = {"u16", "unsigned short"},
    [WINNOW_UINT32] = {"u32", "unsigned"},
    [WINNOW_UINT64] = {"u64", "unsigned long long"},
    [WINNOW_FLOAT16] = {"u16", "float"},
    [WINNOW_BFLOAT16] = {"u16", "float"},
    [WINNOW_FLOAT32] = {"f32", "float"},
    [WINNOW_FLOAT64] = {"f64", "double"},
    [WINNOW_BIT] = {"bool", "bool"},
    [WINNOW_INT128] = {"i128", NULL},
};

const char *winnow__element_type(winnow_type type) {
    return types[type].own;
}

/* Write element x%i of an item as a value. The column has this type. */
static void write_element(winnow__writer *to, winnow_type type, unsigned i) {
    if (type == WINNOW_FLOAT16)
        winnow__write(to, "bits_as<f32>(winnow__bits_of_float16(x%u))", i);
    else if (type == WINNOW_BFLOAT16)
        winnow__write(to, "bits_as<f32>(u32(x%u) << 16)", i);
    else
        winnow__write(to, "x%u", i);
}

static void write_load(winnow__writer *to, unsigned code, winnow_type type,
                       unsigned i) {
    if (code == WINNOW__LOAD_INT128)
        winnow__write(to, "winnow__narrow_of_wide(x%u.low, x%u.high)", i, i);
    else if (type == WINNOW_INT128)
        winnow__write(to, "x%u.%s", i,
                      code == WINNOW__LOAD_LOWER ? "low" : "high");
    else
        write_element(to, type, i);
}

void winnow__write_step(winnow__writer *to,
                        const winnow__expression *expression,
                        unsigned constants, unsigned number,
                        uint16_t *written) {
    const winnow__step *const step = &expression->program.step[number];
    const winnow__step_widths *const widths = &expression->host.widths[number];
    const operation *const done = &operations[step->code];
    const char *const result = done->result == WINNOW__INT64
                                   ? integer_names[widths->result]
                                   : winnow__value_type_names[done->result];
    if (done->makes_null) {
        winnow__write(to, "    ok &= !winnow__null_%s(", done->name);
        write_operands(to, step, done, widths, written, constants);
        winnow__write(to, ");\n");
    }
    winnow__write(to, "    const %s v%u = %s(", result, number, result);
    if (done->a != NO_OPERAND) {
        winnow__write(to, "winnow__do_%s(", done->name);
        write_operands(to, step, done, widths, written, constants);
        winnow__write(to, "));\n");
    } else {
        write_load(to, step->code, expression->column[step->a].type, step->a);
        winnow__write(to, ");\n");
    }
    written[step->to] = (uint16_t)number;
}

bool winnow__makes_nulls(const winnow__value_program *program) {
    for (unsigned i = 0; i < program->steps; i++)
        if (operations[program->step[i].code].makes_null)
            return true;
    return false;
}

/* --------------------------------------------------------------------- body */

void winnow__write_function(winnow__writer *to,
                            const winnow__expression *expression,
                            unsigned column) {
    const winnow__expression_source *const source = expression->source;
    winnow__write(to, "__device__ inline bool user%u(", column);
    for (unsigned i = 0; i < expression->columns; i++)
        winnow__write(to, "%sconst %s %s", i != 0 ? ", " : "",
                      types[expression->column[i].type].users, source->name[i]);
    for (unsigned i = 0; i < source->parameters; i++)
        winnow__write(to, ", const %s %s%s",
                      types[source->parameter[i].type].users,
                      source->parameter[i].is_pointer ? "*const " : "",
                      source->name[expression->columns + i]);
    winnow__write(to, ") {\n#line 1 \"condition\"\n%s\n}\n", source->body);
}

static void write_parameter(winnow__writer *to,
                            const winnow__source_parameter *parameter,
                            unsigned constant) {
    if (parameter->is_pointer)
        winnow__write(to, "reinterpret_cast<const %s *>(a.constant[%u])",
                      types[parameter->type].users, constant);
    else if (parameter->type == WINNOW_FLOAT32)
        winnow__write(to, "bits_as<f32>(u32(a.constant[%u]))", constant);
    else if (parameter->type == WINNOW_FLOAT64)
        winnow__write(to, "bits_as<f64>(a.constant[%u])", constant);
    else
        winnow__write(to, "%s(a.constant[%u])", types[parameter->type].own,
                      constant);
}

void winnow__write_call(winnow__writer *to,
                        const winnow__expression *expression, unsigned column,
                        unsigned first_constant) {
    const winnow__expression_source *const source = expression->source;
    winnow__write(to, "is_live && user%u(", column);
    for (unsigned i = 0; i < expression->columns; i++) {
        winnow__write(to, "%s", i != 0 ? ", " : "");
        write_element(to, expression->column[i].type, i);
    }
    for (unsigned i = 0; i < source->parameters; i++) {
        winnow__write(to, ", ");
        write_parameter(to, &source->parameter[i], first_constant + i);
    }
    winnow__write(to, ")");
}
