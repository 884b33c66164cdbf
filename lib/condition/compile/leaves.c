/*
 * Leaves: loops that load items and test each one.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "writer.h"

#include <stdio.h>
#include <string.h>

enum {
    /* Bytes of a lane's registers for elements that are loaded together: 4 KiB for
     * a warp. Kernels of two columns of float64 take 58 registers on sm_90 and do
     * not spill. With 256 bytes they take 92, which halves the number of warps. */
    MOST_LOADED = 128,
    /* Longer programs (in steps) and bodies (in bytes) are written only once,
     * since each copy takes time to compile. */
    LONG_PROGRAM = 16,
    LONG_BODY = 128,
    STEPS = 8 /* of a chunk */
};

/* The items that a leaf's test reads. */
typedef struct reading {
    unsigned number, columns;
    bool is_computed;
    bool is_first; /* all items of a whole chunk are live */
    bool is_long;  /* its test is long: there is one copy of the code */
    struct {
        const char *type; /* NULL: bits of all items */
        unsigned column;  /* of the argument */
    } of[WINNOW__MOST_READ];
} reading;

unsigned winnow__steps_for(unsigned bytes) {
    unsigned steps = STEPS;
    while (steps > 1 && steps * WINNOW__STEP_ITEMS * bytes > MOST_LOADED)
        steps /= 2;
    return steps;
}

/* Write item `at` of a lane: element %index of each x. */
static void write_item(winnow__writer *to, const reading *leaf,
                       const char *index) {
    if (leaf->is_computed)
        winnow__write(to, "                bool ok = true;\n");
    winnow__write(to, "                const bool p = test%u(a", leaf->number);
    for (unsigned i = 0; i < leaf->columns; i++)
        if (leaf->of[i].type != NULL)
            winnow__write(to, ", x%u%s", i, index);
        else
            winnow__write(to, ", (b%u >> at & 1) != 0", i);
    if (leaf->is_computed)
        winnow__write(to, ", (live & valid) >> at & 1, ok");
    winnow__write(to, ");\n"
                      "                pass |= u32(p) << at;\n");
    if (leaf->is_computed)
        winnow__write(to, "                valid &= ~(u32(!ok) << at);\n");
}

static void write_loads(winnow__writer *to, const reading *leaf,
                        const char *kind, const char *step, const char *index,
                        bool are_all) {
    for (unsigned i = 0; i < leaf->columns; i++)
        if (leaf->of[i].type != NULL) {
            winnow__write(
                to, "            load_%s(a.column[%u], first + STRIDE * %s, ",
                kind, leaf->of[i].column, step);
            if (are_all)
                winnow__write(to, "15");
            else
                winnow__write(to, "live >> 4 * %s & 15", step);
            winnow__write(to, ", x%u%s);\n", i, index);
        }
}

static void write_arrays(winnow__writer *to, const reading *leaf,
                         const char *size) {
    for (unsigned i = 0; i < leaf->columns; i++)
        if (leaf->of[i].type != NULL)
            winnow__write(to, "        %s x%u%s;\n", leaf->of[i].type, i, size);
}

/* Write straight code for several steps, so that their loads overlap. */
static void write_steps(winnow__writer *to, const reading *leaf,
                        unsigned steps) {
    char size[32];
    snprintf(size, sizeof size, "[%u][4]", steps);
    winnow__write(to,
                  "#pragma unroll 1\n"
                  "    for (u32 begin = 0; begin < STEPS; begin += %u) {\n",
                  steps);
    write_arrays(to, leaf, size);
    winnow__write(to,
                  "#pragma unroll\n"
                  "        for (u32 k = 0; k < %u; k++) {\n",
                  steps);
    write_loads(to, leaf, "vectors", "(begin + k)", "[k]", leaf->is_first);
    winnow__write(to,
                  "        }\n"
                  "#pragma unroll\n"
                  "        for (u32 k = 0; k < %u; k++) {\n"
                  "#pragma unroll\n"
                  "            for (u32 j = 0; j < 4; j++) {\n"
                  "                const u32 at = 4 * (begin + k) + j;\n",
                  steps);
    write_item(to, leaf, "[k][j]");
    winnow__write(to, "            }\n        }\n    }\n");
}

/* Write a loop over the items. */
static void write_items(winnow__writer *to, const reading *leaf,
                        bool are_vectors) {
    winnow__write(to, "#pragma unroll 1\n"
                      "    for (u32 k = 0; k < STEPS; k++) {\n");
    write_arrays(to, leaf, "[4]");
    if (are_vectors) {
        winnow__write(to, "        if (by_vectors) {\n");
        write_loads(to, leaf, "vectors", "k", "", leaf->is_first);
        winnow__write(to, "        } else {\n");
    }
    write_loads(to, leaf, "elements", "k", "", false);
    if (are_vectors)
        winnow__write(to, "        }\n");
    winnow__write(to, "#pragma unroll 1\n"
                      "        for (u32 j = 0; j < 4; j++) {\n"
                      "                const u32 at = 4 * k + j;\n");
    write_item(to, leaf, "[0]");
    for (unsigned i = 0; i < leaf->columns; i++)
        if (leaf->of[i].type != NULL)
            winnow__write(to, "                shift_in(x%u, x%u[0]);\n", i, i);
    winnow__write(to, "        }\n    }\n");
}

/* `bytes`: loaded for each item. */
static void write_all_items(winnow__writer *to, const reading *leaf,
                            unsigned bytes) {
    if (bytes != 0 && !leaf->is_long) {
        winnow__write(to, "    if (by_vectors) {\n");
        write_steps(to, leaf, winnow__steps_for(bytes));
        winnow__write(to, "    } else\n");
    }
    write_items(to, leaf, bytes != 0 && leaf->is_long);
}

void winnow__write_plain_leaf(winnow__writer *to,
                              const winnow__to_compile *what, unsigned number,
                              bool is_first) {
    const winnow__where_leaf *const leaf = &what->program->leaf[number];
    const winnow__where_column *const column =
        &what->program->columns[leaf->column];
    if (winnow__reads_bits(column)) {
        winnow__write(
            to, "    pass = load_bits(a.column[%u], %u, chunk, items, live);\n",
            leaf->column, leaf->first);
        return;
    }
    const reading reads = {
        .number = number,
        .columns = 1,
        .is_first = is_first,
        .of[0] = {winnow__unsigned_types[column->log2_size], leaf->column}};
    write_all_items(to, &reads, 1u << column->log2_size);
}

/* Write the bits of the whole chunk that an expression reads: columns of bits,
 * and which items have no null element. */
static void write_bits_read(winnow__writer *to,
                            const winnow__expression *expression,
                            unsigned first_column) {
    winnow__write(
        to,
        "    u32 valid = ALL;\n"
        "#pragma unroll 1\n"
        "    for (u32 c = %u; c < %u; c += 2)\n"
        "        valid &= load_bits(a.column[c], 0, chunk, items, live);\n",
        first_column + 1, first_column + 2 * expression->columns);
    for (unsigned i = 0; i < expression->columns; i++)
        if (expression->column[i].type == WINNOW_BIT)
            winnow__write(
                to,
                "    const u32 b%u = load_bits(a.column[%u], 0, chunk, items, "
                "live);\n",
                i, first_column + 2 * i);
}

/* These operations take tens of instructions, or a function call. */
bool winnow__is_long(const winnow__expression *expression) {
#define CODE(NAME, ...) WINNOW__##NAME,
    static const uint8_t long_ones[] = {WINNOW__DIVISIONS(CODE)
                                            WINNOW__DIVIDE_FLOAT32,
                                        WINNOW__DIVIDE_FLOAT64,
                                        WINNOW__SQRT_FLOAT32,
                                        WINNOW__SQRT_FLOAT64,
                                        WINNOW__YEAR,
                                        WINNOW__MONTH,
                                        WINNOW__DAY,
                                        WINNOW__WIDE_TO_FLOAT64,
                                        WINNOW__FLOAT64_TO_LOWER,
                                        WINNOW__FLOAT64_TO_UPPER};
#undef CODE
    const winnow__value_program *const program = &expression->program;
    if (expression->source != NULL)
        return strlen(expression->source->body) > LONG_BODY;
    for (unsigned i = 0; i < program->steps; i++)
        if (memchr(long_ones, program->step[i].code, sizeof long_ones) != NULL)
            return true;
    return program->steps > LONG_PROGRAM;
}

/* Write an expression's test, and which values are null. */
void winnow__write_computed_leaf(winnow__writer *to,
                                 const winnow__to_compile *what,
                                 unsigned number, bool is_first,
                                 const winnow__layout *of) {
    const winnow__where_leaf *const leaf = &what->program->leaf[number];
    const unsigned column = winnow__first_with(what->program, leaf->column);
    const winnow__expression *const expression = winnow__computed(what, column);
    const bool is_validity = what->program->columns[leaf->column].is_validity;
    reading reads = {.number = number,
                     .columns = expression->columns,
                     .is_computed = true,
                     .is_first = is_first,
                     .is_long = winnow__is_long(expression)};
    unsigned bytes = 0;
    for (unsigned i = 0; i < expression->columns; i++) {
        const winnow_type type = expression->column[i].type;
        bytes += winnow__loaded_bytes(type);
        reads.of[i].type =
            type != WINNOW_BIT ? winnow__element_type(type) : NULL;
        reads.of[i].column = of->column[column] + 2 * i;
    }
    if (is_validity && winnow__makes_nulls(&expression->program))
        winnow__write(to, "    if (__any_sync(ALL, live & ~known%u)) {\n",
                      column);
    else
        winnow__write(to, "    {\n");
    write_bits_read(to, expression, of->column[column]);
    if (is_validity && !winnow__makes_nulls(&expression->program)) {
        winnow__write(to, "    pass = valid;\n    }\n");
        return;
    }
    winnow__write(to, "    pass = 0;\n");
    write_all_items(to, &reads, bytes);
    winnow__write(to, "    valid%u = valid;\n    known%u = live;\n    }\n",
                  column, column);
    if (is_validity)
        winnow__write(to, "    pass = valid%u;\n", column);
}
