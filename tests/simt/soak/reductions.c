/*
 * Reductions into several parts, a block each: of elements, and of expressions where
 * a condition holds.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "soak.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/aggregate/aggregated.h"
#include "element.h"
#include "tests/reduce/reductions.h"
#include "rules.h"
#include "simt/reduce_parts.h"

static bool run_reduce(const struct backend *backend, unsigned number,
                       uint64_t seed, struct report *report) {
    const winnow_type type = element_type(soak_draw(seed, 40, ELEMENT_TYPES));
    const uint64_t tile = 32768 / element_size(type);
    const uint64_t n = tile + 1 + soak_draw(seed, 41, tile / 4);
    unsigned wanted = 1 + (unsigned)soak_draw(seed, 42, 15);
    struct rule rules[RULES_KINDS];
    struct reduction r;
    bool ok;

    (void)number;
    if (wanted & REDUCE_ENDS)
        wanted |= WINNOW_REDUCE_INDEX;
    rules_kinds(type, rules);
    reduction_open(&r, backend, &rules[soak_draw(seed, 43, RULES_KINDS)],
                   soak_draw(seed, 44, 4) == 0,
                   &patterns[soak_draw(seed, 45, PATTERNS)],
                   soak_draw(seed, 46, 2) != 0, seed, n,
                   (unsigned)soak_draw(seed, 47, 16 / element_size(type)));
    r.parts = 2 + soak_draw(seed, 48, 3);
    r.call = reduce_parts;
    if (soak_draw(seed, 49, 3) == 0)
        r.d_n = soak_draw(seed, 50, n + 2);
    ok = reduction_run(&r, n, wanted, soak_draw(seed, 51, 2) != 0, report);
    reduction_close(&r);
    return ok;
}

/* --------------------------------------------------------------- expressions */

enum {
    MOST = 2 * 4096 + 700,
    AGGREGATES = 4
};

static const winnow_field fields[] = {{.name = "k", .type = WINNOW_INT32},
                                      {.name = "x", .type = WINNOW_FLOAT32}};

/* By a kernel that is compiled at run time, by NVRTC's double; or, where the
 * condition has a set, by the interpreter. */
enum {
    COMPILED = 1,
    WAYS
};

static struct table {
    int32_t k[MOST];
    float x[MOST];
    struct aggregated_item items[AGGREGATES][MOST];
    winnow_in columns[2];
    winnow_condition *conditions[WAYS];
    winnow_aggregate list[AGGREGATES];
    winnow_reduction *d_results;
} table;

static const struct {
    const char *text;
    enum aggregated_kind kind;
} wanted_of[AGGREGATES] = {{"k * 3 + 1", AGGREGATED_SIGNED},
                           {"x * 2.5", AGGREGATED_FLOATS},
                           {"k - 7", AGGREGATED_SIGNED},
                           {NULL, AGGREGATED_SIGNED}};

/* What no item is. */
static winnow_condition *make_set(void) {
    char text[400];
    size_t length = (size_t)snprintf(text, sizeof(text), "not k in (5000");
    winnow_condition *set;

    for (int i = 1; i < 40; i++)
        length += (size_t)snprintf(text + length, sizeof(text) - length, ", %d",
                                   5000 + i * i * 7);
    snprintf(text + length, sizeof(text) - length, ")");
    if (winnow_condition_parse(&set, fields, 2, text) != WINNOW_OK)
        abort();
    return set;
}

static void open_conditions(void) {
    winnow_condition **const conditions = table.conditions;
    winnow_condition *const set = make_set();

    if (winnow_condition_parse(&conditions[COMPILED], fields, 2,
                               "k % 3 <> 1") != WINNOW_OK ||
        winnow_condition_and(&conditions[0], conditions[COMPILED], set) !=
            WINNOW_OK)
        abort();
    winnow_condition_destroy(set);
}

static void open_table(const struct backend *backend) {
    enum {
        ALL = 31
    };

    for (unsigned c = 0; c < 2; c++)
        table.columns[c] = (winnow_in){
            .type = fields[c].type, .d_base = backend_alloc(backend, MOST * 4)};
    table.d_results =
        backend_alloc(backend, AGGREGATES * sizeof(winnow_reduction));
    open_conditions();
    for (unsigned a = 0; a < AGGREGATES; a++) {
        winnow_expression *expression = NULL;

        if (wanted_of[a].text != NULL &&
            winnow_expression_parse(&expression, fields, 2,
                                    wanted_of[a].text) != WINNOW_OK)
            abort();
        table.list[a] = (winnow_aggregate){
            .expression = expression,
            .wanted = expression != NULL ? ALL : WINNOW_REDUCE_COUNT};
    }
}

static void fill_table(const struct backend *backend, uint64_t n,
                       uint64_t seed) {
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t any = data_random(seed, i);
        const bool passes = (any % 2000) % 3 != 1;

        table.k[i] = (int32_t)(any % 2000);
        table.x[i] = (float)(any >> 20 & 0xffff) / 7 - 900;
        for (unsigned a = 0; a < AGGREGATES; a++)
            table.items[a][i].counts = passes;
        table.items[0][i].i = 3 * (int64_t)table.k[i] + 1;
        table.items[1][i].d = (double)(table.x[i] * 2.5f); /* of float32 */
        table.items[2][i].i = (int64_t)table.k[i] - 7;
    }
    backend_upload(backend, (void *)(uintptr_t)table.columns[0].d_base, table.k,
                   n * 4);
    backend_upload(backend, (void *)(uintptr_t)table.columns[1].d_base, table.x,
                   n * 4);
}

static bool run_where(const struct backend *backend, unsigned number,
                      uint64_t seed, struct report *report) {
    /* A part has whole tiles, of 32768 bytes of float64. */
    const uint64_t n = 4096 + 1 + soak_draw(seed, 40, 600);
    /* A kernel is compiled for each list. */
    const unsigned first =
        number == COMPILED ? 0 : (unsigned)soak_draw(seed, 41, AGGREGATES);
    const unsigned count =
        number == COMPILED
            ? AGGREGATES
            : 1 + (unsigned)soak_draw(seed, 42, AGGREGATES - first);
    winnow_reduction seen[AGGREGATES];

    if (table.d_results == NULL)
        open_table(backend);
    if (winnow_context_set_compile(backend->context, WINNOW_COMPILE_BEFORE) !=
        WINNOW_OK)
        return report_fail(report, "%s", winnow_last_error());
    fill_table(backend, n, seed);
    if (!soak_done(
            backend,
            winnow_reduce_where(backend->context, table.conditions[number],
                                table.columns, 2, n, table.list + first, count,
                                table.d_results,
                                WINNOW_LAUNCH(.stream = backend->stream)),
            report))
        return false;
    backend_download(backend, seen, table.d_results, count * sizeof(seen[0]));
    for (unsigned a = 0; a < count; a++) {
        const winnow_reduction expected = aggregated_expected(
            table.items[first + a], n, wanted_of[first + a].kind,
            table.list[first + a].wanted, 4096);

        if (!aggregated_check(&seen[a], &expected, report))
            return false;
    }
    return true;
}

void soak_reductions(void) {
    soak_add(SOAK_USUAL, run_reduce, 0, "reduce_if");
    soak_add(SOAK_USUAL, run_where, 0, "reduce_where");
    soak_add(SOAK_USUAL, run_where, COMPILED, "reduce_where, compiled");
}
