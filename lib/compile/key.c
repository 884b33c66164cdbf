/*
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "source.h"

#include "expression/source.h"
#include "layout.h"

#include <string.h>

enum {
    COLUMN_BYTES = sizeof(winnow__compiled_column),
    /* At most, of all but the expressions. */
    MOST_PROGRAM_KEY = 16 + 6 * WINNOW__WHERE_MOST_LEAVES +
                       8 * WINNOW__WHERE_MOST_LEAVES +
                       WINNOW__WHERE_MOST_TESTS + 3 * WINNOW__WHERE_MOST_COLUMNS
};

static unsigned char *put(unsigned char *key, const void *bytes,
                          size_t number) {
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
    size_t bytes =
        32 + sizeof expression->program.step + sizeof expression->column;
    const struct winnow__expression_source *const source = expression->source;
    if (source == NULL)
        return bytes;
    bytes += sizeof source->parameter + strlen(source->body) + 1;
    for (unsigned i = 0; i < expression->columns + source->parameters; i++)
        bytes += strlen(source->name[i]) + 1;
    return bytes;
}

size_t winnow__write_key(const winnow__to_compile *what, unsigned char *key) {
    const winnow__where_program *const program = what->program;
    unsigned char *at = key;
    const uint16_t numbers[] = {program->ops, program->column_count,
                                program->leaves, program->tests};
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
        const winnow__computed *const computed = &what->computed[c];
        if (computed->expression == NULL) {
            *at++ = 0;
            *at++ = winnow__reads_bits(&program->columns[c]);
            *at++ = program->columns[c].log2_size;
            continue;
        }
        *at++ = (unsigned char)(1 + computed->is_validity);
        *at++ = (unsigned char)winnow__first_with(what, c);
        if (!winnow__is_first(what, c))
            continue;
        const winnow__expression *const expression = computed->expression;
        const winnow__value_program *const value = &expression->program;
        const unsigned char of[] = {value->steps,     value->columns,
                                    value->constants, value->registers,
                                    value->result,    value->result_type};
        at = put(at, of, sizeof of);
        at = put(at, value->step, value->steps * sizeof value->step[0]);
        if (expression->source != NULL)
            at = put_source(at, expression);
        for (unsigned i = 0; i < expression->columns; i++)
            *at++ = (unsigned char)expression->column[i].type;
    }
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
        key += most_key_of(what->computed[c].expression);
        if (reads_strings(what->computed[c].expression))
            return false;
    }
    if (key > WINNOW__MOST_KEY)
        return false;
    return sizeof(winnow__compiled_args) + of.columns * COLUMN_BYTES +
               (of.constants != 0 ? of.constants : 1) * sizeof(uint64_t) <=
           WINNOW__MOST_ARGUMENT;
}
