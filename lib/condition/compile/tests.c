/*
 * Tests of an item: a function for each leaf.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "writer.h"

static void write_tests(winnow__writer *to, const winnow__to_compile *what,
                        const winnow__where_leaf *leaf,
                        const char *unsigned_type, const char *value) {
    const unsigned size = winnow__log2_size_of(
        what->program, &what->condition->tested, leaf->column);
    for (unsigned t = 0; t < leaf->tests; t++) {
        const unsigned needs =
            winnow__test_needs(&what->program->test[leaf->first + t], size);
        winnow__write(to, "%spasses<%s, %s, %s>(%s, a.constant + %u)",
                      t == 0 ? "" : " ||\n                    ",
                      needs & 1 ? "true" : "false",
                      needs & 2 ? "true" : "false", unsigned_type, value,
                      WINNOW__TEST_CONSTANTS * (leaf->first + t));
    }
}

const char *const winnow__unsigned_types[] = {"u8", "u16", "u32", "u64"};

/* Does an element pass? */
static void write_plain_test(winnow__writer *to, const winnow__to_compile *what,
                             const winnow__where_leaf *leaf) {
    const char *const type =
        winnow__unsigned_types[what->program->columns[leaf->column].log2_size];
    winnow__write(to, "%s x0) {\n    return ", type);
    write_tests(to, what, leaf, type, "x0");
}

/* Does an expression's value pass, or its bit; and is it none that is null? */
static void write_computed_test(winnow__writer *to,
                                const winnow__to_compile *what,
                                const winnow__where_leaf *leaf,
                                const winnow__layout *of) {
    const unsigned column = winnow__first_with(what->program, leaf->column);
    const winnow__expression *const expression = winnow__computed(what, column);
    const winnow__value_program *const program = &expression->program;
    const unsigned type = program->result_type;
    uint16_t written[WINNOW__MOST_REGISTERS] = {0};
    for (unsigned i = 0; i < expression->columns; i++)
        winnow__write(to, "%s x%u, ",
                      expression->column[i].type == WINNOW_BIT
                          ? "bool"
                          : winnow__element_type(expression->column[i].type),
                      i);
    winnow__write(to, "bool is_live, bool &ok) {\n");
    for (unsigned i = 0; i < program->steps; i++)
        winnow__write_step(to, expression, of->constant[column], i, written);
    if (expression->source != NULL) {
        winnow__write(to, "    return ");
        winnow__write_call(to, expression, column, of->constant[column]);
        return;
    }
    winnow__write(to, "    const %s value = ", winnow__value_type_names[type]);
    winnow__write_operand(to, written, program->result, type,
                          of->constant[column]);
    winnow__write(to, ";\n    return ");
    if (type == WINNOW__BOOL)
        winnow__write(to, "value");
    else
        write_tests(to, what, leaf, type == WINNOW__FLOAT32 ? "u32" : "u64",
                    type == WINNOW__FLOAT32   ? "bits_as<u32>(value)"
                    : type == WINNOW__FLOAT64 ? "bits_as<u64>(value)"
                                              : "u64(value)");
}

/* A leaf's test of an item, by the leaf's number. */
void winnow__write_test(winnow__writer *to, const winnow__to_compile *what,
                        unsigned number, const winnow__layout *of) {
    const winnow__where_leaf *const leaf = &what->program->leaf[number];
    const winnow__where_column *const column =
        &what->program->columns[leaf->column];
    const winnow__expression *const computed =
        winnow__computed(what, leaf->column);
    const bool is_computed = computed != NULL;
    if (is_computed
            ? column->is_validity && !winnow__makes_nulls(&computed->program)
            : winnow__reads_bits(column))
        return;
    winnow__write(to, "__device__ inline bool test%u(const Args &a, ", number);
    if (is_computed)
        write_computed_test(to, what, leaf, of);
    else
        write_plain_test(to, what, leaf);
    winnow__write(to, ";\n}\n");
}
