/*
 * A body in CUDA C: a function, and calls of it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "writer.h"

#include "condition/program/source.h"

/* The type of a user's function's argument, in words that no argument is called. */
static const char *argument_type(winnow_type type) {
    switch (type) {
    case WINNOW_BIT:
        return "bool";
    case WINNOW_INT8:
        return "signed char";
    case WINNOW_INT16:
        return "short";
    case WINNOW_INT32:
        return "int";
    case WINNOW_INT64:
        return "long long";
    case WINNOW_UINT8:
        return "unsigned char";
    case WINNOW_UINT16:
        return "unsigned short";
    case WINNOW_UINT32:
        return "unsigned";
    case WINNOW_UINT64:
        return "unsigned long long";
    case WINNOW_FLOAT64:
        return "double";
    default:
        return "float";
    }
}

void winnow__write_function(winnow__writer *to,
                            const winnow__expression *expression,
                            unsigned column) {
    const struct winnow__expression_source *const source = expression->source;
    winnow__write(to, "__device__ inline bool user%u(", column);
    for (unsigned i = 0; i < expression->columns; i++)
        winnow__write(to, "%sconst %s %s", i != 0 ? ", " : "",
                      argument_type(expression->column[i].type),
                      source->name[i]);
    for (unsigned i = 0; i < source->parameters; i++)
        winnow__write(to, ", const %s %s%s",
                      argument_type(source->parameter[i].type),
                      source->parameter[i].is_pointer ? "*const " : "",
                      source->name[expression->columns + i]);
    winnow__write(to, ") {\n#line 1 \"condition\"\n%s\n}\n", source->body);
}

static void write_parameter(winnow__writer *to,
                            const winnow__source_parameter *parameter,
                            unsigned constant) {
    if (parameter->is_pointer)
        winnow__write(to, "reinterpret_cast<const %s *>(a.constant[%u])",
                      argument_type(parameter->type), constant);
    else if (parameter->type == WINNOW_FLOAT32)
        winnow__write(to, "bits_as<f32>(u32(a.constant[%u]))", constant);
    else if (parameter->type == WINNOW_FLOAT64)
        winnow__write(to, "bits_as<f64>(a.constant[%u])", constant);
    else
        winnow__write(to, "%s(a.constant[%u])",
                      winnow__element_type(parameter->type), constant);
}

void winnow__write_call(winnow__writer *to,
                        const winnow__expression *expression, unsigned column,
                        unsigned first_constant) {
    const struct winnow__expression_source *const source = expression->source;
    winnow__write(to, "is_live && user%u(", column);
    for (unsigned i = 0; i < expression->columns; i++) {
        winnow__write(to, "%s", i != 0 ? ", " : "");
        winnow__write_element(to, expression->column[i].type, i);
    }
    for (unsigned i = 0; i < source->parameters; i++) {
        winnow__write(to, ", ");
        write_parameter(to, &source->parameter[i], first_constant + i);
    }
    winnow__write(to, ")");
}
