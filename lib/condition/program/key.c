/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "key.h"

#include <string.h>

static void put(winnow__key *key, const void *bytes, size_t number) {
    const unsigned char *const byte = bytes;
    if (number == 0) /* bytes may be NULL */
        return;
    if (key->to != NULL)
        memcpy(key->to + key->sum.bytes, bytes, number);
    else if (key->with != NULL)
        key->differs |= memcmp(key->with + key->sum.bytes, bytes, number) != 0;
    else
        for (size_t i = 0; i < number; i++)
            key->sum.hash = (key->sum.hash ^ byte[i]) * UINT64_C(0x100000001b3);
    key->sum.bytes += number;
}

void winnow__key_put_byte(winnow__key *key, unsigned byte) {
    const unsigned char one = (unsigned char)byte;
    put(key, &one, 1);
}

/* Add a source: its body, names and parameters. */
static void put_source(winnow__key *key, const winnow__expression *expression) {
    const winnow__expression_source *const source = expression->source;
    put(key, source->parameter,
        source->parameters * sizeof source->parameter[0]);
    for (unsigned i = 0; i < expression->columns + source->parameters; i++)
        put(key, source->name[i], strlen(source->name[i]) + 1);
    put(key, source->body, strlen(source->body) + 1);
}

void winnow__key_put_expression(winnow__key *key,
                                const winnow__expression *expression) {
    const winnow__value_program *const value = &expression->program;
    const unsigned char of[] = {value->steps,     value->columns,
                                value->constants, value->registers,
                                value->result,    value->result_type};
    put(key, of, sizeof of);
    put(key, value->step, value->steps * sizeof value->step[0]);
    put(key, expression->host.widths,
        value->steps * sizeof expression->host.widths[0]);
    if (expression->source != NULL)
        put_source(key, expression);
    for (unsigned i = 0; i < expression->columns; i++)
        winnow__key_put_byte(key, expression->column[i].type);
}

static void put_leaf(winnow__key *key, const winnow__where_program *program,
                     const winnow__tested *tested, unsigned l) {
    const winnow__where_leaf *const leaf = &program->leaf[l];
    const uint16_t of[] = {leaf->first, leaf->tests, leaf->column,
                           leaf->negated};
    put(key, of, sizeof of);
    for (unsigned t = 0; t < leaf->tests && program->tests != 0 &&
                         !winnow__reads_bits(&program->columns[leaf->column]);
         t++)
        winnow__key_put_byte(
            key, winnow__test_needs(
                     &program->test[leaf->first + t],
                     winnow__log2_size_of(program, tested, leaf->column)));
}

void winnow__key_put_program(winnow__key *key,
                             const winnow__where_program *program,
                             const winnow__tested *tested) {
    const uint16_t numbers[] = {program->ops, program->column_count,
                                program->leaves, program->tests};
    put(key, numbers, sizeof numbers);
    put(key, program->op, program->ops * sizeof program->op[0]);
    for (unsigned l = 0; l < program->leaves; l++)
        put_leaf(key, program, tested, l);
    for (unsigned c = 0; c < program->column_count; c++) {
        const winnow__where_column *const column = &program->columns[c];
        const winnow__expression *const expression =
            tested->expression[column->tested];
        const unsigned first = winnow__first_with(program, c);
        if (expression == NULL) {
            winnow__key_put_byte(key, 0);
            winnow__key_put_byte(key, winnow__reads_bits(column));
            winnow__key_put_byte(key, column->log2_size);
            continue;
        }
        winnow__key_put_byte(key, 1 + column->is_validity);
        winnow__key_put_byte(key, first);
        if (first == c)
            winnow__key_put_expression(key, expression);
    }
}

unsigned winnow__first_with(const winnow__where_program *program,
                            unsigned column) {
    unsigned i = 0;
    while (program->columns[i].tested != program->columns[column].tested)
        i++;
    return i;
}

bool winnow__reads_bits(const winnow__where_column *column) {
    return column->access == WINNOW__BY_BITS ||
           column->access == WINNOW__BY_STRINGS;
}

unsigned winnow__log2_size_of(const winnow__where_program *program,
                              const winnow__tested *tested, unsigned column) {
    const winnow__where_column *const of = &program->columns[column];
    const winnow__expression *const expression = tested->expression[of->tested];
    if (expression == NULL)
        return of->log2_size;
    return expression->program.result_type == WINNOW__FLOAT32 ? 2 : 3;
}

unsigned winnow__test_needs(const winnow__test *test, unsigned log2_size) {
    const uint64_t all = UINT64_MAX >> (64 - (8u << log2_size));
    return ((test->flip & all) != 0) | ((test->mask & all) != all) << 1;
}
