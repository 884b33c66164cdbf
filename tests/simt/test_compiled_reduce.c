/*
 * winnow_reduce_where() by kernels that are compiled at run time, by NVRTC's
 * double (nvrtc.c): all kinds of aggregates in a kernel, of columns of each layout,
 * against aggregated.c; schedules; captures; and what is not compiled.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/aggregate/aggregated.h"
#include "conditions.h"
#include "gpu.h"
#include "simt/double.h"
#include "simt/simt.h"
#include "suite.h"

enum {
    MOST = 9000, /* items */
    COLUMNS = 5,
    AGGREGATES = 9,
    ALL = 31,
    SEEDS = 20
};

static const winnow_field fields[COLUMNS] = {
    {.name = "x", .type = WINNOW_FLOAT32},
    {.name = "y", .type = WINNOW_FLOAT64},
    {.name = "k", .type = WINNOW_INT32},
    {.name = "f", .type = WINNOW_BIT},
    {.name = "u", .type = WINNOW_UINT64}};

/* y and f have nulls. */
struct table {
    const struct backend *backend;
    float x[MOST];
    double y[MOST];
    int32_t k[MOST];
    uint8_t f[MOST / 8 + 1];
    uint64_t u[MOST];
    uint8_t valid[COLUMNS][MOST / 8 + 1];
    void *memory[COLUMNS], *valid_memory[COLUMNS];
    winnow_in in[COLUMNS];
    uint64_t *d_n;
    winnow_reduction *results;
};

static bool bit_of(const uint8_t *bits, uint64_t i) {
    return bits[i / 8] >> i % 8 & 1;
}

static void set_compile(const struct backend *backend, winnow_compile compile) {
    cr_assert_eq(winnow_context_set_compile(backend->context, compile),
                 WINNOW_OK);
}

/* Elements are `shift` bytes into their memory, which is aligned to vectors. */
static void table_open(struct table *of, const struct backend *backend,
                       unsigned shift) {
    const void *const data[COLUMNS] = {of->x, of->y, of->k, of->f, of->u};
    const size_t bytes[COLUMNS] = {sizeof of->x, sizeof of->y, sizeof of->k,
                                   sizeof of->f, sizeof of->u};
    uint64_t seed = 31;
    of->backend = backend;
    set_compile(backend, WINNOW_COMPILE_BEFORE);
    for (unsigned i = 0; i < MOST; i++) {
        of->x[i] = (float)draw_next(&seed, 1000) / 7 - 60;
        of->y[i] = (double)draw_next(&seed, 100000) / 13;
        of->k[i] = (int32_t)draw_next(&seed, 40) - 20;
        of->u[i] = draw_next(&seed, UINT64_MAX);
    }
    for (unsigned i = 0; i < sizeof of->f; i++) {
        of->f[i] = (uint8_t)draw_next(&seed, 256);
        of->valid[1][i] = (uint8_t)(draw_next(&seed, 256) | 0x11);
        of->valid[3][i] = (uint8_t)draw_next(&seed, 256);
    }
    for (unsigned c = 0; c < COLUMNS; c++) {
        of->memory[c] = backend_alloc(backend, bytes[c] + 16);
        of->valid_memory[c] = backend_alloc(backend, sizeof of->valid[c]);
        backend_upload(backend, (char *)of->memory[c] + shift, data[c],
                       bytes[c]);
        backend_upload(backend, of->valid_memory[c], of->valid[c],
                       sizeof of->valid[c]);
        of->in[c] = (winnow_in){.d_base = (char *)of->memory[c] + shift,
                                .type = fields[c].type};
        if (c % 2 == 1)
            of->in[c].d_valid = of->valid_memory[c];
    }
    of->d_n = backend_alloc(backend, sizeof *of->d_n);
    of->results = backend_alloc(backend, AGGREGATES * sizeof of->results[0]);
}

static void table_close(struct table *of) {
    for (unsigned c = 0; c < COLUMNS; c++) {
        backend_free(of->backend, of->memory[c]);
        backend_free(of->backend, of->valid_memory[c]);
    }
    backend_free(of->backend, of->d_n);
    backend_free(of->backend, of->results);
}

static winnow_condition *parse_condition(const char *text) {
    winnow_condition *condition;
    cr_assert_eq(winnow_condition_parse(&condition, fields, COLUMNS, text),
                 WINNOW_OK, "%s", winnow_last_error());
    return condition;
}

/* ------------------------------------------------------------- every aggregate */

/* What they compute, and of them what is wanted. The first has every kind of
 * result, another none but a sum, and so on; two have one expression. */
static const struct {
    const char *text;
    unsigned wanted;
    enum aggregated_kind kind;
} wanted[AGGREGATES] = {
    {"y * x", ALL, AGGREGATED_FLOATS},
    {"k", WINNOW_REDUCE_SUM, AGGREGATED_SIGNED},
    {"u", ALL, AGGREGATED_UNSIGNED},
    {"-x", WINNOW_REDUCE_SUM, AGGREGATED_FLOATS},
    {"100 // k", ALL, AGGREGATED_SIGNED}, /* null by 0; and its code is long */
    {"y", WINNOW_REDUCE_COUNT, AGGREGATED_FLOATS},
    {"x + y", WINNOW_REDUCE_MAXIMUM | WINNOW_REDUCE_INDEX, AGGREGATED_FLOATS},
    {"k", WINNOW_REDUCE_MINIMUM, AGGREGATED_SIGNED},
    {NULL, WINNOW_REDUCE_COUNT, AGGREGATED_SIGNED}};

static int64_t floor_divide(int64_t a, int64_t b) {
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/* In the tests' own words. */
static void value_of(const struct table *of, unsigned aggregate, uint64_t i,
                     struct aggregated_item *item) {
    const bool has_y = bit_of(of->valid[1], i);
    switch (aggregate) {
    case 0:
        item->counts &= has_y;
        item->d = of->y[i] * (double)of->x[i];
        break;
    case 1:
    case 7:
        item->i = of->k[i];
        break;
    case 2:
        item->i = of->u[i];
        break;
    case 3:
        item->d = (double)-of->x[i];
        break;
    case 4:
        item->counts &= of->k[i] != 0;
        item->i = of->k[i] != 0 ? floor_divide(100, of->k[i]) : 0;
        break;
    case 5:
        item->counts &= has_y;
        break;
    case 6:
        item->counts &= has_y;
        item->d = (double)of->x[i] + of->y[i];
        break;
    default: /* items */
        break;
    }
}

/* "k > limit and (x * 2 < y or f)", of which a null is not true. */
static bool passes(const struct table *of, uint64_t i, int32_t limit) {
    return of->k[i] > limit &&
           ((bit_of(of->valid[1], i) && of->x[i] * 2 < of->y[i]) ||
            (bit_of(of->valid[3], i) && bit_of(of->f, i)));
}

struct call {
    struct table *table;
    winnow_condition *condition; /* NULL: every item passes */
    winnow_expression *expression[AGGREGATES];
    winnow_aggregate list[AGGREGATES];
    int32_t limit; /* of k */
};

static void call_open(struct call *of, struct table *table, bool all,
                      int32_t limit) {
    char text[64];
    of->table = table;
    of->limit = limit;
    snprintf(text, sizeof text, "k > %d and (x * 2 < y or f)", (int)limit);
    of->condition = all ? NULL : parse_condition(text);
    for (unsigned a = 0; a < AGGREGATES; a++) {
        of->expression[a] = NULL;
        if (wanted[a].text != NULL)
            cr_assert_eq(winnow_expression_parse(&of->expression[a], fields,
                                                 COLUMNS, wanted[a].text),
                         WINNOW_OK, "%s", winnow_last_error());
        of->list[a] = (winnow_aggregate){.expression = of->expression[a],
                                         .wanted = wanted[a].wanted};
    }
}

static void call_close(struct call *of) {
    winnow_condition_destroy(of->condition);
    for (unsigned a = 0; a < AGGREGATES; a++)
        winnow_expression_destroy(of->expression[a]);
}

static winnow_status enqueue(const struct call *of, uint64_t n,
                             const winnow_launch *launch) {
    return winnow_reduce_where(of->table->backend->context, of->condition,
                               of->table->in, COLUMNS, n, of->list, AGGREGATES,
                               of->table->results, launch);
}

/* Are the results those of the first `items` of n? */
static void check_results(const struct call *of, uint64_t n, uint64_t items) {
    static struct aggregated_item item[MOST];
    winnow_reduction seen[AGGREGATES];
    cr_assert_null(backend_wait(of->table->backend));
    backend_download(of->table->backend, seen, of->table->results, sizeof seen);
    for (unsigned a = 0; a < AGGREGATES; a++) {
        for (uint64_t i = 0; i < n; i++) {
            item[i] = (struct aggregated_item){
                .counts = i < items && (of->condition == NULL ||
                                        passes(of->table, i, of->limit))};
            value_of(of->table, a, i, &item[i]);
        }
        const winnow_reduction expected = aggregated_expected(
            item, n, wanted[a].kind, wanted[a].wanted, 4096);
        MUST(aggregated_check(&seen[a], &expected, report));
    }
}

static void check_call(const struct call *of, uint64_t n, uint64_t limit) {
    struct table *const table = of->table;
    backend_upload(table->backend, table->d_n, &limit, sizeof limit);
    cr_assert_eq(
        enqueue(of, n,
                WINNOW_LAUNCH(.stream = table->backend->stream,
                              .d_n = limit == UINT64_MAX ? NULL : table->d_n)),
        WINNOW_OK, "%s", winnow_last_error());
    check_results(of, n, limit < n ? limit : n);
}

/* Every layout, number of items, and limit, by two kernels: literals are no part
 * of them. */
GPU_TEST(compiled_reduce, SLOW(aggregates)) {
    static const unsigned shifts[] = {0, 8, 1};
    static const uint64_t sizes[] = {0,    1,    127,  129,  512, 4095,
                                     4096, 4097, 7681, 8192, MOST};
    static struct table table;
    struct call call;
    use_double("off");
    for (unsigned s = 0; s < 3; s++) {
        table_open(&table, backend, shifts[s]);
        for (unsigned l = 0; l < 3; l++) {
            /* Few pass, most do, all do. */
            call_open(&call, &table, l == 2, l == 0 ? 18 : -15);
            for (size_t n = 0; n < sizeof sizes / sizeof sizes[0]; n++)
                check_call(&call, sizes[n], UINT64_MAX);
            check_call(&call, MOST, 5000);
            check_call(&call, 4096, MOST);
            call_close(&call);
        }
        table_close(&table);
    }
    cr_assert_eq(compilations(), 2, "%u kernels", compilations());
}

/* Of the smallest elements a lane has 32 at a time, and each is divided by a call:
 * what took NVRTC longest (see check-nvrtc). */
GPU_TEST(compiled_reduce, quotients) {
    static struct table table;
    winnow_expression *expression;
    winnow_reduction seen;
    int64_t sum = 0;
    use_double("off");
    table_open(&table, backend, 0);
    cr_assert_eq(
        winnow_expression_parse(&expression, fields, COLUMNS, "k // 3"),
        WINNOW_OK, "%s", winnow_last_error());
    const winnow_aggregate aggregate = {.expression = expression,
                                        .wanted = ALL};
    cr_assert_eq(winnow_reduce_where(backend->context, NULL, table.in, COLUMNS,
                                     MOST, &aggregate, 1, table.results,
                                     WINNOW_LAUNCH(.stream = backend->stream)),
                 WINNOW_OK, "%s", winnow_last_error());
    cr_assert_null(backend_wait(backend));
    backend_download(backend, &seen, table.results, sizeof seen);
    for (unsigned i = 0; i < MOST; i++)
        sum += (table.k[i] + 30) / 3 - 10;
    cr_assert_eq(seen.count, MOST);
    cr_assert_eq(seen.sum.int64, sum);
    cr_assert_eq(seen.minimum.int64, -7);
    cr_assert_eq(seen.maximum.int64, 6);
    cr_assert_eq(compilations(), 1);
    winnow_expression_destroy(expression);
    table_close(&table);
}

static void skip_items(winnow_in *to, winnow_in column, unsigned items) {
    *to = column;
    if (column.d_valid != NULL)
        to->valid_offset += items;
    if (column.type == WINNOW_BIT)
        to->offset += items;
    else
        to->d_base =
            (const char *)column.d_base + items * winnow_type_size(column.type);
}

/* Partial results of two halves, each of which is one part of the stated order,
 * are merged to those of the whole. */
GPU_TEST(compiled_reduce, partial) {
    enum {
        HALF = 4096
    };
    static const winnow_type types[] = {[AGGREGATED_FLOATS] = WINNOW_FLOAT64,
                                        [AGGREGATED_SIGNED] = WINNOW_INT64,
                                        [AGGREGATED_UNSIGNED] = WINNOW_UINT64};
    static struct table table;
    static winnow_reduction halves[2][AGGREGATES];
    const uint64_t firsts[2] = {0, HALF};
    winnow_reduction merged[AGGREGATES];
    winnow_in whole[COLUMNS];
    struct call call;
    use_double("off");
    table_open(&table, backend, 0);
    call_open(&call, &table, false, -3);
    for (unsigned a = 0; a < AGGREGATES; a++)
        call.list[a].wanted |= WINNOW_REDUCE_PARTIAL;
    memcpy(whole, table.in, sizeof whole);
    for (unsigned h = 0; h < 2; h++) {
        for (unsigned c = 0; c < COLUMNS; c++)
            skip_items(&table.in[c], whole[c], h * HALF);
        cr_assert_eq(
            enqueue(&call, HALF, WINNOW_LAUNCH(.stream = backend->stream)),
            WINNOW_OK, "%s", winnow_last_error());
        cr_assert_null(backend_wait(backend));
        backend_download(backend, halves[h], table.results, sizeof halves[h]);
    }
    memcpy(table.in, whole, sizeof whole);
    for (unsigned a = 0; a < AGGREGATES; a++) {
        const winnow_reduction parts[2] = {halves[0][a], halves[1][a]};
        cr_assert_eq(winnow_reduction_merge(types[wanted[a].kind], parts,
                                            firsts, 2, wanted[a].wanted,
                                            &merged[a]),
                     WINNOW_OK, "%s", winnow_last_error());
    }
    backend_upload(backend, table.results, merged, sizeof merged);
    check_results(&call, 2 * HALF, 2 * HALF);
    cr_assert_eq(compilations(), 1, "%u kernels", compilations());
    call_close(&call);
    table_close(&table);
}

/* Under many schedules, on devices of all sizes. */
GPU_TEST(compiled_reduce, schedules) {
    const unsigned seeds = simt_trials(SEEDS);
    const uint64_t first = simt_first_seed(9100);
    const struct simt_settings usual = simt_settings;
    static struct table table;
    struct call call;
    use_double("off");
    table_open(&table, backend, 0);
    call_open(&call, &table, false, -3);
    for (uint64_t i = first; i < first + seeds; i++) {
        uint64_t seed = i;
        const uint64_t n = draw_next(&seed, MOST + 1);
        simt_seed(i);
        simt_settings.multiprocessors = 1 + (int)draw_next(&seed, 3);
        simt_settings.blocks = 1 + (int)draw_next(&seed, 3);
        check_call(&call, n,
                   draw_next(&seed, 3) == 0 ? draw_next(&seed, n + 1)
                                            : UINT64_MAX);
    }
    simt_settings = usual;
    call_close(&call);
    table_close(&table);
}

/* ------------------------------------------------------------------- captures */

static bool notes_say(const struct backend *backend, const char *what) {
    char notes[2000];
    cr_assert_eq(winnow_context_notes(backend->context, notes, sizeof notes),
                 WINNOW_OK);
    return strstr(notes, what) != NULL;
}

static void capture_and_check(const struct call *of, uint64_t n) {
    const struct backend *const backend = of->table->backend;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    GPU_MUST(
        cudaStreamBeginCapture(backend->stream, cudaStreamCaptureModeRelaxed));
    cr_assert_eq(enqueue(of, n, WINNOW_LAUNCH(.stream = backend->stream)),
                 WINNOW_OK, "%s", winnow_last_error());
    GPU_MUST(cudaStreamEndCapture(backend->stream, &graph));
    GPU_MUST(cudaGraphInstantiate(&exec, graph, 0));
    for (unsigned i = 0; i < 2; i++) {
        GPU_MUST(cudaGraphLaunch(exec, backend->stream));
        check_results(of, n, n);
    }
    GPU_MUST(cudaGraphExecDestroy(exec));
    GPU_MUST(cudaGraphDestroy(graph));
}

static void plan_says(const struct call *of, winnow_plan *plan,
                      const char *what) {
    cr_assert_eq(enqueue(of, MOST, WINNOW_LAUNCH(.plan = plan)), WINNOW_OK,
                 "%s", winnow_last_error());
    cr_assert_not_null(strstr(plan->text, what), "%s", plan->text);
}

/* A capture compiles nothing: it is interpreted, and its graph stays so, or it
 * says what to do before. A plan compiles, where calls do. A call with a workspace
 * of the plan's size runs what was compiled. */
GPU_TEST(compiled_reduce, capture) {
    static struct table table;
    struct call call;
    char text[1000];
    winnow_plan plan = {
        .size = sizeof plan, .text = text, .text_bytes = sizeof text};
    cudaGraph_t graph;
    use_double("off");
    table_open(&table, backend, 0);
    call_open(&call, &table, false, -3);
    cr_assert_eq(winnow_condition_prepare(backend->context, call.condition),
                 WINNOW_OK);
    cr_assert_eq(compilations(), 1, "the condition's own");
    GPU_MUST(
        cudaStreamBeginCapture(backend->stream, cudaStreamCaptureModeRelaxed));
    cr_assert_eq(enqueue(&call, MOST, WINNOW_LAUNCH(.stream = backend->stream)),
                 WINNOW_ERR_UNSUPPORTED);
    cr_assert_not_null(strstr(winnow_last_error(), "make a plan of the call"));
    GPU_MUST(cudaStreamEndCapture(backend->stream, &graph));
    GPU_MUST(cudaGraphDestroy(graph));
    set_compile(backend, WINNOW_COMPILE_READY);
    capture_and_check(&call, MOST);
    plan_says(&call, &plan,
              "reduction: interpreted, since it was not compiled before\n");
    plan_says(&call, &plan, "condition: compiled\n");
    cr_assert_eq(compilations(), 1);
    set_compile(backend, WINNOW_COMPILE_BEFORE);
    plan_says(&call, &plan, "reduction: compiled\n");
    cr_assert_eq(compilations(), 2);
    set_compile(backend, WINNOW_COMPILE_READY);
    const uint64_t before = simt_blocks_run();
    capture_and_check(&call, MOST);
    const uint64_t blocks = simt_blocks_run() - before;
    /* Twice the parts and a block of each aggregate. */
    cr_assert_eq(blocks, 2 * (3 + AGGREGATES), "%llu blocks",
                 (unsigned long long)blocks);
    void *const workspace = backend_alloc(backend, plan.workspace_bytes);
    cr_assert_eq(
        enqueue(&call, MOST,
                WINNOW_LAUNCH(.stream = backend->stream,
                              .d_workspace = workspace,
                              .workspace_bytes = plan.workspace_bytes)),
        WINNOW_OK, "%s", winnow_last_error());
    check_results(&call, MOST, MOST);
    cr_assert_eq(compilations(), 2);
    backend_free(backend, workspace);
    call_close(&call);
    table_close(&table);
}

/* --------------------------------------------------------- what is not compiled */

/* Beside a set, and without a compiler, they are interpreted. */
GPU_TEST(compiled_reduce, interpreted) {
    static struct table table;
    struct call call;
    int32_t values[40];
    winnow_condition *in;
    use_double("off");
    table_open(&table, backend, 0);
    call_open(&call, &table, false, -3);
    for (int i = 0; i < 40; i++)
        values[i] = i < 17 ? i - 2 : 37 * i;
    cr_assert_eq(
        winnow_condition_in(&in, backend->context, 2, WINNOW_INT32, values, 40),
        WINNOW_OK, "%s", winnow_last_error());
    winnow_condition *const before = call.condition;
    cr_assert_eq(winnow_condition_and(&call.condition, before, in), WINNOW_OK);
    /* k > -3 and k < 15 */
    for (unsigned i = 0; i < MOST; i++)
        if (table.k[i] >= 15)
            table.k[i] = 100;
    backend_upload(backend, table.memory[2], table.k, sizeof table.k);
    cr_assert_eq(enqueue(&call, MOST, WINNOW_LAUNCH(.stream = backend->stream)),
                 WINNOW_OK, "%s", winnow_last_error());
    for (unsigned i = 0; i < MOST; i++)
        if (table.k[i] == 100)
            table.k[i] = -20; /* it does not pass */
    check_results(&call, MOST, MOST);
    cr_assert_eq(compilations(), 0);
    winnow_condition_destroy(before);
    winnow_condition_destroy(in);
    call_close(&call);
    table_close(&table);
}

/* A body of source as long as one may be, beside sixteen aggregates: no length of
 * what a kernel is kept by is too much. */
GPU_TEST(compiled_reduce, long_key) {
    enum {
        MOST_AGGREGATES = WINNOW_MOST_AGGREGATES,
        BODY = 8192
    };
    static struct table table;
    static char body[BODY + 1];
    static const char text[] = "return k > 3;";
    winnow_aggregate list[MOST_AGGREGATES];
    winnow_expression *expression[MOST_AGGREGATES];
    winnow_reduction seen[MOST_AGGREGATES];
    winnow_condition *condition;
    use_double("off");
    table_open(&table, backend, 0);
    memset(body, ' ', BODY);
    memcpy(body, text, strlen(text));
    cr_assert_eq(
        winnow_condition_cuda(&condition, body, fields, COLUMNS, NULL, 0),
        WINNOW_OK, "%s", winnow_last_error());
    cr_assert_eq(winnow_condition_prepare(backend->context, condition),
                 WINNOW_OK, "%s", winnow_last_error());
    for (unsigned a = 0; a < MOST_AGGREGATES; a++) {
        char product[32];
        snprintf(product, sizeof product, "k * %u", a + 1);
        cr_assert_eq(
            winnow_expression_parse(&expression[a], fields, COLUMNS, product),
            WINNOW_OK, "%s", winnow_last_error());
        list[a] = (winnow_aggregate){.expression = expression[a],
                                     .wanted = WINNOW_REDUCE_SUM};
    }
    winnow_reduction *const d_results = backend_alloc(backend, sizeof seen);
    cr_assert_eq(winnow_reduce_where(backend->context, condition, table.in,
                                     COLUMNS, MOST, list, MOST_AGGREGATES,
                                     d_results,
                                     WINNOW_LAUNCH(.stream = backend->stream)),
                 WINNOW_OK, "%s", winnow_last_error());
    cr_assert_null(backend_wait(backend));
    backend_download(backend, seen, d_results, sizeof seen);
    for (unsigned a = 0; a < MOST_AGGREGATES; a++) {
        int64_t sum = 0;
        for (unsigned i = 0; i < MOST; i++)
            sum += table.k[i] > 3 ? table.k[i] * (int64_t)(a + 1) : 0;
        cr_assert_eq(seen[a].sum.int64, sum, "aggregate %u", a);
        winnow_expression_destroy(expression[a]);
    }
    cr_assert_eq(compilations(), 2, "the condition's own, and one of all");
    backend_free(backend, d_results);
    winnow_condition_destroy(condition);
    table_close(&table);
}

/* What the compiler refuses is interpreted, with a note. */
GPU_TEST(compiled_reduce, refused) {
    static struct table table;
    struct call call;
    struct backend other = *backend;
    use_double("off");
    simt_settings.minor = 7; /* which no NVRTC compiles for */
    backend_open_gpu(&other);
    table_open(&table, &other, 0);
    call_open(&call, &table, false, -3);
    check_call(&call, MOST, UINT64_MAX);
    cr_assert(notes_say(&other, "a reduction is not compiled: NVRTC"));
    cr_assert_eq(compilations(), 0);
    call_close(&call);
    table_close(&table);
    backend_close(&other);
}
