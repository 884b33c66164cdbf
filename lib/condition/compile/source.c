/*
 * Code without loops over operations: each operation of the condition's program
 * becomes a few lines that change `live`, the fields of a lane's items that are
 * still kept. Constants are in the kernel's argument, so that conditions that
 * differ only in constants share a kernel.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source.h"
#include "writer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* -------------------------------------------------------------------- tests */

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

/* Write a test of an element. */
static void write_plain_test(winnow__writer *to, const winnow__to_compile *what,
                             const winnow__where_leaf *leaf) {
    const char *const type =
        winnow__unsigned_types[what->program->columns[leaf->column].log2_size];
    winnow__write(to, "%s x0) {\n    return ", type);
    write_tests(to, what, leaf, type, "x0");
}

/* Write a test of an expression's value or bit, which also has to be not null. */
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
                      winnow__element_type(expression->column[i].type), i);
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

/* Write the test of an item, by the leaf's number. */
static void winnow__write_test(winnow__writer *to,
                               const winnow__to_compile *what, unsigned number,
                               const winnow__layout *of) {
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

static const char prelude[] = {
#include "lib/condition/compile/prelude.inc"
};
static const char selecting[] = {
#include "lib/condition/compile/select.inc"
};
static const char reducing[] = {
#include "lib/condition/compile/reduce.inc"
};

enum {
    FEW_BIT_LOADS = 2, /* more than these are not inlined */
    FEW_AGGREGATES = 2 /* more than these are not inlined */
};

static const winnow__where_leaf *leaf_at(const winnow__where_program *program,
                                         unsigned i) {
    return i < program->ops && program->op[i] < WINNOW__WHERE_MOST_LEAVES
               ? &program->leaf[program->op[i]]
               : NULL;
}

/* Do two adjacent leaves test an expression's value, and that it is not null? Then
 * one evaluation answers both. The result is the leaf of the value; else NULL. */
static const winnow__where_leaf *pair_at(const winnow__to_compile *what,
                                         unsigned i) {
    const winnow__where_leaf *const a = leaf_at(what->program, i);
    const winnow__where_leaf *const b = leaf_at(what->program, i + 1);
    if (a == NULL || b == NULL)
        return NULL;
    const winnow__where_column *const columns = what->program->columns;
    const bool a_is_validity = columns[a->column].is_validity;
    if (winnow__computed(what, a->column) == NULL ||
        columns[a->column].tested != columns[b->column].tested ||
        a_is_validity == columns[b->column].is_validity)
        return NULL;
    const winnow__where_leaf *const validity = a_is_validity ? a : b;
    return validity->negated ? NULL : a_is_validity ? b : a;
}

static void write_pair(winnow__writer *to, const winnow__to_compile *what,
                       const winnow__where_leaf *leaf, bool is_first,
                       const winnow__layout *of) {
    winnow__write(to, "    pass = 0;\n");
    winnow__write_computed_leaf(
        to, what, (unsigned)(leaf - what->program->leaf), is_first, of);
    winnow__write(to, "    live &= valid%u & %spass;\n",
                  winnow__first_with(what->program, leaf->column),
                  leaf->negated ? "~" : "");
}

static void write_operations(winnow__writer *to, const winnow__to_compile *what,
                             const winnow__layout *of) {
    const winnow__where_program *const program = what->program;
    unsigned depth = 0;
    bool is_first = true;
    for (unsigned i = 0; i < program->ops; i++) {
        const unsigned op = program->op[i];
        if (op == WINNOW__WHERE_OPEN) {
            winnow__write(to, "    saved[%u] = live;\n", depth++);
        } else if (op == WINNOW__WHERE_CLOSE) {
            winnow__write(to, "    live = saved[%u] & ~live;\n", --depth);
        } else if (op == WINNOW__WHERE_TURN) {
            winnow__write(to, "    live = saved[%u] & ~live;\n", depth - 1);
        } else if (pair_at(what, i) != NULL) {
            write_pair(to, what, pair_at(what, i++), is_first, of);
            is_first = false;
        } else {
            const winnow__where_leaf *const leaf = &program->leaf[op];
            winnow__write(to, "    pass = 0;\n");
            if (winnow__computed(what, leaf->column) != NULL)
                winnow__write_computed_leaf(to, what, op, is_first, of);
            else
                winnow__write_plain_leaf(to, what, op, is_first);
            winnow__write(to, leaf->negated ? "    live &= ~pass;\n"
                                            : "    live &= pass;\n");
            is_first = false;
        }
    }
}

/* The number of places that load bits. */
static unsigned bit_loads(const winnow__to_compile *what,
                          const winnow__layout *of) {
    unsigned loads = 0;
    for (unsigned l = 0; l < what->program->leaves; l++) {
        const unsigned column = what->program->leaf[l].column;
        const winnow__expression *const expression =
            winnow__computed(what, column);
        if (expression == NULL)
            loads += winnow__reads_bits(&what->program->columns[column]);
        else if (winnow__first_with(what->program, column) == column)
            loads += 1;
        for (unsigned i = 0; expression != NULL && i < expression->columns; i++)
            loads += expression->column[i].type == WINNOW_BIT;
    }
    for (unsigned i = 0; i < of->reads; i++)
        loads += of->read[i].type == WINNOW_BIT ? 2 : 1;
    return loads;
}

char *winnow__write_source(const winnow__to_compile *what) {
    const winnow__layout of = winnow__argument_layout(what);
    winnow__writer made = {.bytes = malloc(1 << 16), .room = 1 << 16};
    /* An enum, not macros, so that names in a body can hide these. */
    winnow__write(&made, "#define WINNOW__LOAD_BITS %s\n",
                  bit_loads(what, &of) > FEW_BIT_LOADS ? "__noinline__"
                                                       : "inline");
    winnow__write(
        &made, "enum { COLUMNS = %u, CONSTANTS = %u, STRIDE = %u };\n",
        of.columns != 0 ? of.columns : 1, of.constants != 0 ? of.constants : 1,
        what->reduction != NULL ? 512 : 128);
    winnow__write(&made, "%.*s", (int)sizeof prelude, prelude);
    if (what->reduction != NULL)
        winnow__write(&made, "#define WINNOW__FINISH %s\n%.*s",
                      what->reduction->number > FEW_AGGREGATES ? "__noinline__"
                                                               : "inline",
                      (int)sizeof reducing, reducing);
    else
        winnow__write(&made, "%.*s", (int)sizeof selecting, selecting);
    for (unsigned c = 0; c < what->program->column_count; c++)
        if (winnow__is_first(what, c) &&
            winnow__computed(what, c)->source != NULL)
            winnow__write_function(&made, winnow__computed(what, c), c);
    winnow__write(&made, "#line 1 \"winnow\"\n");
    for (unsigned l = 0; l < what->program->leaves; l++)
        winnow__write_test(&made, what, l, &of);
    winnow__write(
        &made,
        "__device__ inline u32 decide(const Args &a, u64 chunk, u64 items,\n"
        "                             u32 live, bool by_vectors) {\n"
        "    const u64 first = chunk + 4 * lane();\n"
        "    u32 pass = 0;\n"
        "    u32 saved[%u];\n"
        "    (void)first, (void)items, (void)saved, (void)by_vectors;\n",
        WINNOW__WHERE_DEPTH);
    for (unsigned c = 0; c < what->program->column_count; c++)
        if (winnow__is_first(what, c))
            winnow__write(&made,
                          "    u32 valid%u = 0, known%u = 0;\n"
                          "    (void)valid%u, (void)known%u;\n",
                          c, c, c, c);
    write_operations(&made, what, &of);
    winnow__write(&made, "    return live;\n}\n");
    if (what->reduction != NULL)
        winnow__write_reduction(&made, what, &of);
    return made.bytes;
}

void winnow__write(winnow__writer *to, const char *format, ...) {
    for (;;) {
        if (to->bytes == NULL)
            return;
        va_list arguments;
        va_start(arguments, format);
        const int length = vsnprintf(to->bytes + to->used, to->room - to->used,
                                     format, arguments);
        va_end(arguments);
        if (length >= 0 && (size_t)length < to->room - to->used) {
            to->used += (size_t)length;
            return;
        }
        char *const more = realloc(to->bytes, 2 * to->room);
        if (more == NULL)
            free(to->bytes);
        to->bytes = more;
        to->room *= 2;
    }
}
