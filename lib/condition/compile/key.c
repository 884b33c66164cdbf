/*
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "source.h"

#include "condition/program/source.h"
#include "layout.h"

#include <string.h>

enum {
    COLUMN_BYTES = sizeof(winnow__compiled_column),
    /* Of an aggregate, beside its expression: */
    AGGREGATE_BYTES = 8 + 2 * WINNOW__MOST_READ,
    /* At most, of all but the expressions. */
    MOST_PROGRAM_KEY = 16 + 6 * WINNOW__WHERE_MOST_LEAVES +
                       8 * WINNOW__WHERE_MOST_LEAVES +
                       WINNOW__WHERE_MOST_TESTS + 3 * WINNOW__WHERE_MOST_COLUMNS
};

static unsigned char *put(unsigned char *key, const void *bytes,
                          size_t number) {
    if (number != 0) /* else there may be no bytes */
        memcpy(key, bytes, number);
    return key + number;
}

/* A source: its body, names and parameters. */
static unsigned char *put_source(unsigned char *key,
                                 const winnow__expression *expression) {
    const struct winnow__expression_source *const source = expression->source;
    key = put(key, source->parameter,
              source->parameters * sizeof source->parameter[0]);
    for (unsigned i = 0; i < expression->columns + source->parameters; i++)
        key = put(key, source->name[i], strlen(source->name[i]) + 1);
    return put(key, source->body, strlen(source->body) + 1);
}

/* At most as many bytes as a key has of an expression, or of all that is none. */
static size_t most_key_of(const winnow__expression *expression) {
    size_t bytes = 32 + sizeof expression->program.step +
                   sizeof expression->host.widths + sizeof expression->column;
    const struct winnow__expression_source *const source = expression->source;
    if (source == NULL)
        return bytes;
    bytes += sizeof source->parameter + strlen(source->body) + 1;
    for (unsigned i = 0; i < expression->columns + source->parameters; i++)
        bytes += strlen(source->name[i]) + 1;
    return bytes;
}

static unsigned char *put_expression(unsigned char *key,
                                     const winnow__expression *expression) {
    const winnow__value_program *const value = &expression->program;
    const unsigned char of[] = {value->steps,     value->columns,
                                value->constants, value->registers,
                                value->result,    value->result_type};
    key = put(key, of, sizeof of);
    key = put(key, value->step, value->steps * sizeof value->step[0]);
    key = put(key, expression->host.widths,
              value->steps * sizeof expression->host.widths[0]);
    if (expression->source != NULL)
        key = put_source(key, expression);
    for (unsigned i = 0; i < expression->columns; i++)
        *key++ = (unsigned char)expression->column[i].type;
    return key;
}

/* What is wanted of which expression, and which of the columns are the same. */
static unsigned char *put_reduction(unsigned char *key,
                                    const winnow__to_compile *what) {
    const winnow__reduction *const reduction = what->reduction;
    const winnow__layout of = winnow__argument_layout(what);
    for (unsigned i = 0; i < reduction->number; i++) {
        const winnow__expression *const expression =
            reduction->aggregate[i].expression;
        const unsigned first = winnow__first_aggregate(reduction, i);
        *key++ = (unsigned char)reduction->aggregate[i].wanted;
        *key++ =
            expression == NULL ? WINNOW_MOST_AGGREGATES : (unsigned char)first;
        if (expression == NULL || first != i)
            continue;
        key = put_expression(key, expression);
        for (unsigned c = 0; c < expression->columns; c++)
            *key++ = (unsigned char)winnow__place_of_read(
                &of, expression->column[c].column);
    }
    return key;
}

size_t winnow__write_key(const winnow__to_compile *what, unsigned char *key) {
    const winnow__where_program *const program = what->program;
    unsigned char *at = key;
    const uint16_t numbers[] = {
        program->ops, program->column_count, program->leaves, program->tests,
        what->reduction != NULL ? (uint16_t)what->reduction->number : 0};
    at = put(at, numbers, sizeof numbers);
    at = put(at, program->op, program->ops * sizeof program->op[0]);
    for (unsigned l = 0; l < program->leaves; l++) {
        const winnow__where_leaf *const leaf = &program->leaf[l];
        const uint16_t of[] = {leaf->first, leaf->tests, leaf->column,
                               leaf->negated};
        at = put(at, of, sizeof of);
        for (unsigned t = 0; t < leaf->tests; t++)
            *at++ = (unsigned char)winnow__test_needs(
                &program->test[leaf->first + t],
                winnow__log2_size_of(what, leaf->column));
    }
    for (unsigned c = 0; c < program->column_count; c++) {
        const winnow__expression *const computed = winnow__computed(what, c);
        if (computed == NULL) {
            *at++ = 0;
            *at++ = winnow__reads_bits(&program->columns[c]);
            *at++ = program->columns[c].log2_size;
            continue;
        }
        *at++ = (unsigned char)(1 + program->columns[c].is_validity);
        *at++ = (unsigned char)winnow__first_with(what, c);
        if (!winnow__is_first(what, c))
            continue;
        at = put_expression(at, computed);
    }
    if (what->reduction != NULL)
        at = put_reduction(at, what);
    return (size_t)(at - key);
}

static bool reads_strings(const winnow__expression *expression) {
    if (expression->compares_strings)
        return true;
    for (unsigned i = 0; i < expression->program.steps; i++)
        if (expression->program.step[i].code == WINNOW__LOAD_LENGTH)
            return true;
    return false;
}

bool winnow__is_compilable(const winnow__to_compile *what) {
    const winnow__layout of = winnow__argument_layout(what);
    size_t key = MOST_PROGRAM_KEY;
    for (unsigned c = 0; c < what->program->column_count; c++) {
        if (!winnow__is_first(what, c))
            continue;
        key += most_key_of(winnow__computed(what, c));
        if (reads_strings(winnow__computed(what, c)))
            return false;
    }
    for (unsigned i = 0; what->reduction != NULL && i < what->reduction->number;
         i++) {
        const winnow__expression *const expression =
            what->reduction->aggregate[i].expression;
        if (expression == NULL)
            continue;
        key += AGGREGATE_BYTES + most_key_of(expression);
        if (reads_strings(expression))
            return false;
    }
    if (key > WINNOW__MOST_KEY)
        return false;
    return sizeof(winnow__compiled_args) + of.columns * COLUMN_BYTES +
               (of.constants != 0 ? of.constants : 1) * sizeof(uint64_t) <=
           WINNOW__MOST_ARGUMENT;
}
