/*
 * winnow_condition_cuda: a condition in CUDA C, which is compiled for a device.
 *
 * It is a value of BOOL computed from columns, with a source instead of a
 * program.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "core/status.h"
#include "condition/program/expression.h"
#include "names.h"
#include "condition/program/tree.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_BYTES = 8192 /* of a body */
};

/* ------------------------------------------------------------------- checks */

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_in_name(char c) {
    return is_letter(c) || (c >= '0' && c <= '9');
}

static bool is_identifier(const char *name) {
    if (!is_letter(*name))
        return false;
    while (is_in_name(*name))
        name++;
    return *name == '\0';
}

/* Does the body contain the name? */
static bool has_name(const char *body, const char *name) {
    const size_t length = strlen(name);
    for (const char *at = body; (at = strstr(at, name)) != NULL; at += length)
        if ((at == body || !is_in_name(at[-1])) && !is_in_name(at[length]))
            return true;
    return false;
}

/* Keywords of C++17, in which bodies are written. */
static const char keywords[] =
    "alignas alignof and and_eq asm auto bitand bitor bool break case "
    "catch char char16_t char32_t class compl const const_cast constexpr "
    "continue decltype default delete do double dynamic_cast else enum "
    "explicit export extern false float for friend goto if inline int long "
    "mutable namespace new noexcept not not_eq nullptr operator or or_eq "
    "private protected public register reinterpret_cast return short "
    "signed sizeof static static_assert static_cast struct switch template "
    "this thread_local throw true try typedef typeid typename union "
    "unsigned using virtual void volatile wchar_t while xor xor_eq";

/* Can a body use it as the name of something else? */
static bool is_name(const char *name) {
    return is_identifier(name) && !has_name(keywords, name);
}

static bool is_read(const char *body, const winnow_field *field) {
    return is_name(field->name) && has_name(body, field->name);
}

static bool has_elements(winnow_type type) {
    return type == WINNOW_BIT || winnow__type(type) != NULL;
}

static winnow_status check_field(const char *body, const winnow_field *fields,
                                 unsigned i) {
    const winnow_field *const field = &fields[i];
    if (field->name == NULL)
        return winnow__refuse("fields[%u].name is NULL", i);
    if (field->reserved[0] != 0 || field->reserved[1] != 0)
        return winnow__refuse("fields[%u].reserved is not 0", i);
    if (is_read(body, field) && !has_elements(field->type))
        return winnow__unsupported(
            "fields[%u] is of %s: CUDA C has no such elements", i,
            winnow_type_name(field->type));
    return WINNOW_OK;
}

/* Can the type hold the value? */
static bool has_value(const winnow_parameter *parameter) {
    const winnow__type_info *const type = winnow__type(parameter->type);
    const unsigned bits = 8 * type->size;
    if (type->infinity != 0 || bits == 64)
        return true;
    const uint64_t half = UINT64_C(1) << (bits - 1);
    return type->is_signed ? parameter->value.uint64 + half < 2 * half
                           : parameter->value.uint64 < 2 * half;
}

static winnow_status check_parameter(const winnow_parameter *parameters,
                                     unsigned i) {
    const winnow_parameter *const parameter = &parameters[i];
    if (parameter->name == NULL)
        return winnow__refuse("parameters[%u].name is NULL", i);
    if (!is_name(parameter->name))
        return winnow__refuse(
            "parameters[%u].name is \"%.100s\": no name in C++", i,
            parameter->name);
    if (parameter->reserved[0] != 0 || parameter->reserved[1] != 0)
        return winnow__refuse("parameters[%u].reserved is not 0", i);
    if (winnow__type(parameter->type) == NULL ||
        parameter->type == WINNOW_FLOAT16 || parameter->type == WINNOW_BFLOAT16)
        return winnow__unsupported(
            "parameters[%u] is of %s: it has to be an integer, "
            "a float32 or a float64",
            i, winnow_type_name(parameter->type));
    return parameter->d_data != NULL || has_value(parameter)
               ? WINNOW_OK
               : winnow__refuse("parameters[%u].value is no %s", i,
                                winnow_type_name(parameter->type));
}

static winnow_status check_lists(const char *body, const winnow_field *fields,
                                 unsigned field_count,
                                 const winnow_parameter *parameters,
                                 unsigned parameter_count) {
    if (field_count == 0 || field_count > WINNOW__MOST_READ)
        return winnow__unsupported("field_count is %u: 1 to %d are possible",
                                   field_count, WINNOW__MOST_READ);
    if (parameter_count > WINNOW__MOST_CONSTANTS)
        return winnow__unsupported(
            "parameter_count is %u: at most %d are possible", parameter_count,
            WINNOW__MOST_CONSTANTS);
    if (fields == NULL || (parameters == NULL && parameter_count != 0))
        return winnow__refuse("%s is NULL",
                              fields == NULL ? "fields" : "parameters");
    for (unsigned i = 0; i < field_count; i++)
        WINNOW__TRY(check_field(body, fields, i));
    for (unsigned i = 0; i < parameter_count; i++)
        WINNOW__TRY(check_parameter(parameters, i));
    /* The compiler reports duplicate names. */
    return WINNOW_OK;
}

/* ------------------------------------------------------------------- source */

/* Copy a name to `to`; returns the place after the copy. */
static char *copy(char *to, const char *from, const char **copied_p) {
    const size_t bytes = strlen(from) + 1;
    *copied_p = memcpy(to, from, bytes);
    return to + bytes;
}

/* An expression of BOOL with a copy of the body and the names. Its columns, and
 * the types and constants of its parameters, have to be set. */
static winnow__expression *create(const char *body, const char *const names[],
                                  unsigned columns, unsigned parameters) {
    size_t bytes = strlen(body) + 1;
    for (unsigned i = 0; i < columns + parameters; i++)
        bytes += strlen(names[i]) + 1;
    winnow__expression *const made = calloc(1, sizeof *made);
    winnow__expression_source *const source =
        made != NULL ? calloc(1, sizeof *source + bytes) : NULL;
    if (source == NULL) {
        free(made);
        winnow__no_memory("a condition");
        return NULL;
    }
    char *at = copy(source->bytes, body, &source->body);
    for (unsigned i = 0; i < columns + parameters; i++)
        at = copy(at, names[i], &source->name[i]);
    source->parameters = parameters;
    made->source = source;
    made->columns = columns;
    made->program.columns = (uint8_t)columns;
    made->program.constants = (uint8_t)parameters;
    made->program.result_type = WINNOW__BOOL;
    made->references = 1;
    return made;
}

static void add_parameter(winnow__expression *made,
                          const winnow_parameter *parameter, unsigned i) {
    uint64_t bits = parameter->value.uint64;
    if (parameter->d_data != NULL) {
        bits = (uint64_t)(uintptr_t)parameter->d_data;
    } else if (parameter->type == WINNOW_FLOAT32) {
        const float rounded = (float)parameter->value.float64;
        uint32_t of_float;
        memcpy(&of_float, &rounded, sizeof of_float);
        bits = of_float;
    }
    made->program.constant[i] = bits;
    made->source->parameter[i] = (winnow__source_parameter){
        .type = parameter->type, .is_pointer = parameter->d_data != NULL};
}

/* The fields that a body names. A condition needs a column, so if there are
 * none it gets the first field that has elements. */
static unsigned find_read(const char *body, const winnow_field *fields,
                          unsigned field_count, uint16_t *read) {
    unsigned number = 0;
    for (unsigned i = 0; i < field_count; i++)
        if (is_read(body, &fields[i]))
            read[number++] = (uint16_t)i;
    for (unsigned i = 0; i < field_count && number == 0; i++)
        if (has_elements(fields[i].type))
            read[number++] = (uint16_t)i;
    return number;
}

winnow_status winnow_condition_cuda(winnow_condition **condition_p,
                                    const char *body,
                                    const winnow_field *fields,
                                    unsigned field_count,
                                    const winnow_parameter *parameters,
                                    unsigned parameter_count) {
    WINNOW__TRY(winnow__need(condition_p, "condition_p"));
    WINNOW__TRY(winnow__need(body, "body"));
    WINNOW__TRY(
        check_lists(body, fields, field_count, parameters, parameter_count));
    if (strlen(body) > MOST_BYTES)
        return winnow__unsupported("body has more than %d bytes", MOST_BYTES);
    const char *names[WINNOW__MOST_READ + WINNOW__MOST_CONSTANTS];
    uint16_t read[WINNOW__MOST_READ];
    const unsigned columns = find_read(body, fields, field_count, read);
    if (columns == 0)
        return winnow__unsupported("no field is of a type that CUDA C has");
    for (unsigned i = 0; i < columns; i++)
        names[i] = fields[read[i]].name;
    for (unsigned i = 0; i < parameter_count; i++)
        names[columns + i] = parameters[i].name;
    winnow__expression *const value =
        create(body, names, columns, parameter_count);
    if (value == NULL)
        return WINNOW_ERR_MEMORY;
    for (unsigned i = 0; i < columns; i++)
        value->column[i] = (winnow__expression_column){
            .column = read[i], .type = fields[read[i]].type};
    for (unsigned i = 0; i < parameter_count; i++)
        add_parameter(value, &parameters[i], i);
    const winnow__node leaf = {.kind = WINNOW__NODE_BIT, .expression = value};
    return winnow__condition_of(condition_p, 1, &leaf, 1);
}
