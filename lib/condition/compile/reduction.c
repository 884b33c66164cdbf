/*
 * Reductions: aggregates of a chunk's items that pass. Aggregates with the same
 * expression share its value. Expressions that are computed together share
 * loads.
 *
 * If many of a warp's items pass, elements are loaded as vectors, several steps
 * at a time. If few pass, each lane loads only elements of its own next items.
 * In both cases a lane takes its items in ascending order.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "writer.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    /* The most bytes that expressions computed together load for an item. */
    MOST_TOGETHER = 32,
    /* At most FEW of a lane's 32 items are few. A lane then takes up to
     * MOST_ITEMS at a time, of up to MOST_ITEM_BYTES. */
    FEW = 8,
    MOST_ITEMS = 4,
    MOST_ITEM_BYTES = 64
};

/* Expressions that are computed together, each as its first aggregate; and the
 * columns that they read, as numbers in the layout. */
typedef struct group {
    unsigned number, columns;
    uint8_t first[WINNOW_MOST_AGGREGATES];
    uint8_t column[WINNOW_CONDITION_MOST_COLUMNS];
    unsigned bytes; /* loaded for each item */
} group;

typedef struct work {
    winnow__writer *to;
    const winnow__reduction *reduction;
    const winnow__layout *of;
} work;

static const winnow__expression *expression_of(const work *w, unsigned i) {
    return w->reduction->aggregate[i].expression;
}

static bool sums(const work *w, unsigned i) {
    return (w->reduction->aggregate[i].wanted & WINNOW_REDUCE_SUM) != 0;
}

static bool has_end(const work *w, unsigned i, int end) {
    return (w->reduction->aggregate[i].wanted & WINNOW_REDUCE_MINIMUM << end) !=
           0;
}

static bool has_ends(const work *w, unsigned i) {
    return has_end(w, i, 0) || has_end(w, i, 1);
}

/* Does any aggregate of the same expression need its values? Else it suffices
 * to know which are null. */
static bool needs_values(const work *w, unsigned first) {
    if (winnow__makes_nulls(&expression_of(w, first)->program))
        return true;
    for (unsigned i = first; i < w->reduction->number; i++)
        if (expression_of(w, i) == expression_of(w, first) &&
            (w->reduction->aggregate[i].wanted &
             ~(unsigned)WINNOW_REDUCE_PARTIAL) != WINNOW_REDUCE_COUNT)
            return true;
    return false;
}

/* ------------------------------------------------------------------- values */

static const char *type_of(const work *w, unsigned read) {
    return winnow__element_type(w->of->read[read].type);
}

/* Write the elements that an expression reads as parameters. */
static void write_parameters(const work *w,
                             const winnow__expression *expression) {
    for (unsigned i = 0; i < expression->columns; i++)
        winnow__write(w->to, ", %s x%u",
                      type_of(w, winnow__place_of_read(
                                     w->of, expression->column[i].column)),
                      i);
}

static void write_value(const work *w, unsigned first) {
    winnow__writer *const to = w->to;
    const winnow__expression *const expression = expression_of(w, first);
    const winnow__value_program *const program = &expression->program;
    const unsigned constants = w->of->aggregate_constant[first];
    uint16_t written[WINNOW__MOST_REGISTERS] = {0};
    winnow__write(to, "__device__ %s Value<%s> value%u(const Args &a",
                  winnow__is_long(expression) ? "__noinline__" : "inline",
                  winnow__value_type_names[program->result_type], first);
    write_parameters(w, expression);
    winnow__write(to, ") {\n    bool ok = true;\n    (void)a;\n");
    for (unsigned i = 0; i < program->steps; i++)
        winnow__write_step(to, expression, constants, i, written);
    winnow__write(to, "    return {");
    winnow__write_operand(to, written, program->result, program->result_type,
                          constants);
    winnow__write(to, ", ok};\n}\n");
}

/* Write how aggregate i adds an item's value, which is not null. */
static void write_added(const work *w, unsigned i) {
    winnow__writer *const to = w->to;
    const winnow__reduce_type *const type = &w->reduction->aggregate[i].type;
    if (sums(w, i) && type->is_float)
        winnow__write(to, "    add(found.sum%u, place, value);\n", i);
    else if (sums(w, i))
        winnow__write(to, "    add(found.sum%u, value ^ u64(0x%" PRIx64 "));\n",
                      i, type->order.bias);
    for (int end = 0; end < 2; end++) {
        if (!has_end(w, i, end))
            continue;
        winnow__write(to, "    lower(found.end%u[%d], ", i, end);
        if (end != 0)
            winnow__write(to, "u64(0x%" PRIx64 ") - ", type->order.last);
        winnow__write(to,
                      type->is_float ? "rank_of(value, 0x%" PRIx64 ")"
                                     : "(value ^ u64(0x%" PRIx64 "))",
                      type->order.bias);
        winnow__write(to, ", item_at(first, at));\n");
    }
}

/* Write a function that adds item `at` of a lane if it is live. */
static void write_add(const work *w, unsigned first) {
    winnow__writer *const to = w->to;
    const winnow__expression *const expression = expression_of(w, first);
    const char *const type =
        w->reduction->aggregate[first].type.is_float ? "f64" : "u64";
    winnow__write(to, "__device__ inline void add%u(const Args &a", first);
    write_parameters(w, expression);
    winnow__write(to,
                  ", u32 at, u32 place, u64 first, u32 &own, Found &found) {\n"
                  "    const auto got = value%u(a",
                  first);
    for (unsigned i = 0; i < expression->columns; i++)
        winnow__write(to, ", x%u", i);
    winnow__write(to,
                  ");\n"
                  "    const bool ok = (own >> at & 1) != 0 && got.ok;\n"
                  "    const %s value = %s(got.value);\n"
                  "    (void)place, (void)first, (void)value;\n",
                  type, type);
    if (winnow__makes_nulls(&expression->program))
        winnow__write(to, "    own &= ~(u32(!ok) << at);\n");
    winnow__write(to, "    if (!ok)\n        return;\n");
    for (unsigned i = first; i < w->reduction->number; i++)
        if (expression_of(w, i) == expression)
            write_added(w, i);
    winnow__write(to, "}\n");
}

/* ------------------------------------------------------------------- groups */

static bool has_column(const group *g, unsigned read) {
    for (unsigned c = 0; c < g->columns; c++)
        if (g->column[c] == read)
            return true;
    return false;
}

static unsigned more_bytes(const work *w, const group *g, unsigned first) {
    const winnow__expression *const expression = expression_of(w, first);
    unsigned bytes = 0;
    for (unsigned i = 0; i < expression->columns; i++)
        if (!has_column(
                g, winnow__place_of_read(w->of, expression->column[i].column)))
            bytes += winnow__loaded_bytes(expression->column[i].type);
    return bytes;
}

static void join(const work *w, group *g, unsigned first) {
    const winnow__expression *const expression = expression_of(w, first);
    g->bytes += more_bytes(w, g, first);
    for (unsigned i = 0; i < expression->columns; i++) {
        const unsigned read =
            winnow__place_of_read(w->of, expression->column[i].column);
        if (!has_column(g, read))
            g->column[g->columns++] = (uint8_t)read;
    }
    g->first[g->number++] = (uint8_t)first;
}

/* Write the bits of the whole chunk: `known`, which elements are not null; `b`,
 * elements that are bits; and each expression's live items. */
static void write_bits(const work *w, const group *g) {
    winnow__writer *const to = w->to;
    for (unsigned c = 0; c < g->columns; c++) {
        const unsigned read = g->column[c];
        const unsigned column = w->of->first_read + 2 * read;
        winnow__write(to,
                      "    const u32 known%u = load_bits(a.column[%u], 0, "
                      "chunk, items, live);\n",
                      read, column + 1);
        if (w->of->read[read].type == WINNOW_BIT)
            winnow__write(to,
                          "    const u32 b%u = load_bits(a.column[%u], 0, "
                          "chunk, items, live);\n",
                          read, column);
    }
    for (unsigned e = 0; e < g->number; e++) {
        const winnow__expression *const expression =
            expression_of(w, g->first[e]);
        winnow__write(to, "    u32 own%u = live", g->first[e]);
        for (unsigned i = 0; i < expression->columns; i++)
            winnow__write(
                to, " & known%u",
                winnow__place_of_read(w->of, expression->column[i].column));
        winnow__write(to, ";\n");
    }
}

/* Write the items that any expression needs. */
static void write_all_own(const work *w, const group *g) {
    winnow__write(w->to, "    const u32 all = 0");
    for (unsigned e = 0; e < g->number; e++)
        winnow__write(w->to, " | own%u", g->first[e]);
    winnow__write(w->to, ";\n");
}

static void write_arrays(const work *w, const group *g, const char *size) {
    for (unsigned c = 0; c < g->columns; c++)
        if (w->of->read[g->column[c]].type != WINNOW_BIT)
            winnow__write(w->to, "        %s x%u%s;\n",
                          type_of(w, g->column[c]), g->column[c], size);
}

/* index: of the elements of item `at`. */
static void write_adds(const work *w, const group *g, const char *index) {
    winnow__writer *const to = w->to;
    for (unsigned e = 0; e < g->number; e++) {
        const unsigned first = g->first[e];
        const winnow__expression *const expression = expression_of(w, first);
        winnow__write(to, "            add%u(a", first);
        for (unsigned i = 0; i < expression->columns; i++) {
            const unsigned read =
                winnow__place_of_read(w->of, expression->column[i].column);
            if (w->of->read[read].type == WINNOW_BIT)
                winnow__write(to, ", (b%u >> at & 1) != 0", read);
            else
                winnow__write(to, ", x%u%s", read, index);
        }
        winnow__write(to, ", at, place, first, own%u, found);\n", first);
    }
}

static void write_vectors(const work *w, const group *g) {
    winnow__writer *const to = w->to;
    const unsigned steps = winnow__steps_for(g->bytes);
    char size[32];
    snprintf(size, sizeof size, "[%u][4]", steps);
    winnow__write(to,
                  "    if (by_vectors && __any_sync(ALL, __popc(all) > %u)) {\n"
                  "#pragma unroll 1\n"
                  "    for (u32 begin = 0; begin < STEPS; begin += %u) {\n",
                  FEW, steps);
    write_arrays(w, g, size);
    winnow__write(
        to,
        "#pragma unroll\n"
        "        for (u32 k = 0; k < %u; k++) {\n"
        "            const u32 want = all >> 4 * (begin + k) & 15;\n"
        "            const u64 item = first + STRIDE * (begin + k);\n",
        steps);
    for (unsigned c = 0; c < g->columns; c++)
        if (w->of->read[g->column[c]].type != WINNOW_BIT)
            winnow__write(
                to,
                "            load_vectors(a.column[%u], item, want, x%u[k]);\n",
                w->of->first_read + 2 * g->column[c], g->column[c]);
    winnow__write(to,
                  "        }\n"
                  "#pragma unroll\n"
                  "        for (u32 i = 0; i < %u; i++) {\n"
                  "            const u32 place = i %% 4;\n"
                  "            const u32 at = 4 * begin + i;\n",
                  4 * steps);
    write_adds(w, g, "[i / 4][i % 4]");
    winnow__write(to, "        }\n    }\n    } else\n");
}

/* Write code for a lane's next items: as many as it has room for; one at a time
 * if elements are not aligned, which a loop loads. */
static void write_few(const work *w, const group *g, bool aligned) {
    winnow__writer *const to = w->to;
    unsigned items = aligned ? MOST_ITEMS : 1;
    char size[32];
    while (items > 1 && items * g->bytes > MOST_ITEM_BYTES)
        items /= 2;
    snprintf(size, sizeof size, "[%u]", items);
    winnow__write(to,
                  "#pragma unroll 1\n"
                  "    for (u32 left = all; left != 0;) {\n"
                  "        u32 place_of%s;\n",
                  size);
    write_arrays(w, g, size);
    winnow__write(to,
                  "#pragma unroll\n"
                  "        for (u32 i = 0; i < %u; i++) {\n"
                  "            const u32 at = left != 0 ? __ffs(i32(left)) - 1 "
                  ": 32;\n"
                  "            place_of[i] = at;\n"
                  "            left &= left - 1;\n",
                  items);
    for (unsigned c = 0; c < g->columns; c++)
        if (w->of->read[g->column[c]].type != WINNOW_BIT)
            winnow__write(to,
                          "            x%u[i] = at < 32 ? load_element<%s, "
                          "%s>(\n"
                          "                a.column[%u], item_at(first, at)) "
                          ": %s();\n",
                          g->column[c], aligned ? "true" : "false",
                          type_of(w, g->column[c]),
                          w->of->first_read + 2 * g->column[c],
                          type_of(w, g->column[c]));
    winnow__write(to,
                  "        }\n"
                  "#pragma unroll\n"
                  "        for (u32 i = 0; i < %u; i++) {\n"
                  "            const u32 at = place_of[i], place = at %% 4;\n"
                  "            if (at == 32)\n"
                  "                break;\n",
                  items);
    write_adds(w, g, "[i]");
    winnow__write(to, "        }\n    }\n");
}

static void write_counts(const work *w, unsigned first) {
    for (unsigned i = first; i < w->reduction->number; i++)
        if (expression_of(w, i) == expression_of(w, first))
            winnow__write(w->to, "    found.count%u += __popc(own%u);\n", i,
                          first);
}

static void write_group(const work *w, const group *g, bool has_values) {
    winnow__write(w->to, "    {\n");
    write_bits(w, g);
    if (has_values) {
        write_all_own(w, g);
        if (g->bytes != 0)
            write_vectors(w, g);
        winnow__write(w->to, "    if (true");
        for (unsigned c = 0; c < g->columns; c++)
            if (w->of->read[g->column[c]].type != WINNOW_BIT)
                winnow__write(w->to, " && a.column[%u].is_aligned",
                              w->of->first_read + 2 * g->column[c]);
        winnow__write(w->to, ") {\n");
        write_few(w, g, true);
        if (g->bytes != 0) {
            winnow__write(w->to, "    } else {\n");
            write_few(w, g, false);
        }
        winnow__write(w->to, "    }\n");
    }
    for (unsigned e = 0; e < g->number; e++)
        write_counts(w, g->first[e]);
    winnow__write(w->to, "    }\n");
}

/* An expression without values has a group of its own. */
static void write_items(const work *w) {
    group g = {0};
    winnow__write(w->to,
                  "__device__ inline void add_items(const Args &a, u64 chunk, "
                  "u64 items,\n"
                  "                                 u32 live, bool by_vectors, "
                  "Found &found) {\n"
                  "    const u64 first = chunk + 4 * lane();\n"
                  "    (void)a, (void)items, (void)by_vectors, (void)first;\n");
    for (unsigned i = 0; i < w->reduction->number; i++) {
        if (expression_of(w, i) == NULL) {
            winnow__write(w->to, "    found.count%u += __popc(live);\n", i);
            continue;
        }
        if (winnow__first_aggregate(w->reduction, i) != i)
            continue;
        if (!needs_values(w, i)) {
            group alone = {0};
            join(w, &alone, i);
            write_group(w, &alone, false);
            continue;
        }
        if (g.number != 0 && g.bytes + more_bytes(w, &g, i) > MOST_TOGETHER) {
            write_group(w, &g, true);
            g = (group){0};
        }
        join(w, &g, i);
    }
    if (g.number != 0)
        write_group(w, &g, true);
    winnow__write(w->to, "}\n");
}

/* -------------------------------------------------------------------- block */

/* Write the results of a thread. */
static void write_found(const work *w) {
    winnow__write(w->to, "struct Found {\n");
    for (unsigned i = 0; i < w->reduction->number; i++) {
        winnow__write(w->to, "    u32 count%u = 0;\n", i);
        if (sums(w, i))
            winnow__write(w->to, "    %s sum%u;\n",
                          w->reduction->aggregate[i].type.is_float ? "Floats"
                                                                   : "Integers",
                          i);
        if (has_ends(w, i))
            winnow__write(w->to, "    End end%u[2];\n", i);
    }
    winnow__write(w->to, "};\n");
}

static void write_finish(const work *w, unsigned i) {
    winnow__writer *const to = w->to;
    const bool floats = sums(w, i) && w->reduction->aggregate[i].type.is_float;
    const bool integers = sums(w, i) && !floats;
    const char *const ends = has_ends(w, i) ? "true" : "false";
    winnow__write(to, "    {\n    Words words = {found.count%u, ", i);
    if (integers)
        winnow__write(to, "found.sum%u.low, found.sum%u.high", i, i);
    else
        winnow__write(to, "0, 0");
    if (has_ends(w, i))
        winnow__write(to,
                      ", found.end%u[0].rank, found.end%u[1].rank,\n"
                      "        found.end%u[0].item, found.end%u[1].item",
                      i, i, i, i);
    winnow__write(to, "};\n    merge_block<%s, %s>(a, words);\n",
                  integers ? "true" : "false", ends);
    if (floats)
        winnow__write(
            to, "    words[1] = bits_as<u64>(fold(a, found.sum%u));\n", i);
    winnow__write(to, "    put_words<%s>(a, %u, words);\n    }\n", ends, i);
}

void winnow__write_reduction(winnow__writer *to, const winnow__to_compile *what,
                             const winnow__layout *of) {
    const work w = {.to = to, .reduction = what->reduction, .of = of};
    write_found(&w);
    for (unsigned i = 0; i < w.reduction->number; i++)
        if (expression_of(&w, i) != NULL &&
            winnow__first_aggregate(w.reduction, i) == i &&
            needs_values(&w, i)) {
            write_value(&w, i);
            write_add(&w, i);
        }
    write_items(&w);
    winnow__write(to,
                  "extern \"C\" __global__ void __launch_bounds__(%d)\n"
                  "    winnow_kernel(const __grid_constant__ Args a) {\n"
                  "    Found found;\n"
                  "    reduce_part(a, found);\n",
                  WINNOW__REDUCING_THREADS);
    for (unsigned i = 0; i < w.reduction->number; i++)
        write_finish(&w, i);
    winnow__write(to, "}\n");
}
