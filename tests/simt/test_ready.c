/*
 * Calls that never wait for a compiler: each operation that takes a condition, with
 * the context's memory, with a workspace and captured, interpreted and compiled, by
 * NVRTC's double (nvrtc.c). Results are the oracle's, bit for bit.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "conditions.h"
#include "gpu.h"
#include "simt/double.h"
#include "simt/simt.h"
#include "suite.h"

enum {
    N = 5000,
    COLUMNS = 3,
    KEYS = 16
};

static const winnow_field fields[COLUMNS] = {
    {.name = "x", .type = WINNOW_FLOAT32},
    {.name = "y", .type = WINNOW_FLOAT64}, /* with nulls */
    {.name = "k", .type = WINNOW_INT32}};

/* What all operations write. */
struct results {
    uint64_t counts[2];
    int32_t kept[N];
    winnow_reduction sum;
    int64_t sums[KEYS];
};

struct table {
    const struct backend *backend;
    winnow_condition *condition;
    winnow_expression *expression;
    float x[N];
    double y[N];
    int32_t k[N];
    uint8_t valid[N / 8 + 1];
    winnow_in in[COLUMNS];
    void *memory[COLUMNS], *d_valid, *d_selection;
    size_t selection_bytes;
    struct results *d_results;
};

static void table_open(struct table *of, const struct backend *backend) {
    const void *const data[COLUMNS] = {of->x, of->y, of->k};
    const size_t bytes[COLUMNS] = {sizeof of->x, sizeof of->y, sizeof of->k};
    uint64_t seed = 80;
    of->backend = backend;
    for (unsigned i = 0; i < N; i++) {
        of->x[i] = (float)draw_next(&seed, 100) - 50;
        of->y[i] = (double)draw_next(&seed, 3000) / 7;
        of->k[i] = (int32_t)draw_next(&seed, KEYS);
    }
    for (unsigned i = 0; i < sizeof of->valid; i++)
        of->valid[i] = (uint8_t)draw_next(&seed, 256);
    for (unsigned c = 0; c < COLUMNS; c++) {
        of->memory[c] = backend_alloc(backend, bytes[c]);
        backend_upload(backend, of->memory[c], data[c], bytes[c]);
        of->in[c] =
            (winnow_in){.d_base = of->memory[c], .type = fields[c].type};
    }
    of->d_valid = backend_alloc(backend, sizeof of->valid);
    backend_upload(backend, of->d_valid, of->valid, sizeof of->valid);
    of->in[1].d_valid = of->d_valid;
    cr_assert_eq(winnow_selection_bytes(N, &of->selection_bytes), WINNOW_OK);
    of->d_selection = backend_alloc(backend, of->selection_bytes);
    of->d_results = backend_alloc(backend, sizeof *of->d_results);
    cr_assert_eq(winnow_condition_parse(&of->condition, fields, COLUMNS,
                                        "x * x < y or k % 5 = 3"),
                 WINNOW_OK, "%s", winnow_last_error());
    cr_assert_eq(
        winnow_expression_parse(&of->expression, fields, COLUMNS, "y * x"),
        WINNOW_OK, "%s", winnow_last_error());
}

static void table_close(struct table *of) {
    winnow_condition_destroy(of->condition);
    winnow_expression_destroy(of->expression);
    for (unsigned c = 0; c < COLUMNS; c++)
        backend_free(of->backend, of->memory[c]);
    backend_free(of->backend, of->d_valid);
    backend_free(of->backend, of->d_selection);
    backend_free(of->backend, of->d_results);
}

static bool is_valid(const struct table *of, unsigned i) {
    return of->valid[i / 8] >> i % 8 & 1;
}

static bool passes(const struct table *of, unsigned i) {
    return (is_valid(of, i) && (double)(of->x[i] * of->x[i]) < of->y[i]) ||
           of->k[i] % 5 == 3;
}

/* -------------------------------------------------------------- operations */

typedef winnow_status operation(const struct table *of,
                                const winnow_launch *launch);

static winnow_status select_where(const struct table *of,
                                  const winnow_launch *launch) {
    return winnow_select_where(of->backend->context, of->condition, of->in,
                               COLUMNS, N, of->d_selection, of->selection_bytes,
                               launch);
}

static winnow_status copy_where(const struct table *of,
                                const winnow_launch *launch) {
    const winnow_move move = {.d_in = of->in[2].d_base,
                              .d_out = of->d_results->kept,
                              .element_bytes = sizeof(int32_t)};
    return winnow_copy_where(of->backend->context, of->condition, of->in,
                             COLUMNS, N, &move, 1, WINNOW_NO_LIMIT,
                             &of->d_results->counts[0], launch);
}

static winnow_status reduce_where(const struct table *of,
                                  const winnow_launch *launch) {
    const winnow_aggregate aggregate = {.expression = of->expression,
                                        .wanted = WINNOW_REDUCE_SUM |
                                                  WINNOW_REDUCE_COUNT};
    return winnow_reduce_where(of->backend->context, of->condition, of->in,
                               COLUMNS, N, &aggregate, 1, &of->d_results->sum,
                               launch);
}

static winnow_status accumulate_where(const struct table *of,
                                      const winnow_launch *launch) {
    const winnow_in key = {.type = WINNOW_UINT32, .d_base = of->in[2].d_base};
    const winnow_in value = {.type = WINNOW_INT32, .d_base = of->in[2].d_base};
    const winnow_out sum = {.type = WINNOW_INT64,
                            .d_base = of->d_results->sums};
    const winnow_accumulation accumulation = {.keys = &key,
                                              .values = &value,
                                              .sums = &sum,
                                              .components = 1,
                                              .key_bound = KEYS};
    return winnow_accumulate_where(of->backend->context, of->condition, of->in,
                                   COLUMNS, N, &accumulation,
                                   &of->d_results->counts[1], launch);
}

static operation *const operations[] = {select_where, copy_where, reduce_where,
                                        accumulate_where};
enum {
    OPERATIONS = sizeof operations / sizeof operations[0]
};

/* ---------------------------------------------------------------- ways to call */

enum way {
    PLAIN,
    WITH_WORKSPACE,
    CAPTURED,
    WAYS
};

static void call_with_workspace(const struct table *of, operation *call) {
    winnow_plan plan = {.size = sizeof plan};
    cr_assert_eq(call(of, WINNOW_LAUNCH(.plan = &plan)), WINNOW_OK, "%s",
                 winnow_last_error());
    void *const workspace = backend_alloc(of->backend, plan.workspace_bytes);
    cr_assert_eq(
        call(of, WINNOW_LAUNCH(.stream = of->backend->stream,
                               .d_workspace = workspace,
                               .workspace_bytes = plan.workspace_bytes)),
        WINNOW_OK, "%s", winnow_last_error());
    cr_assert_null(backend_wait(of->backend));
    backend_free(of->backend, workspace);
}

static void call_captured(const struct table *of, operation *call) {
    const winnow_stream stream = of->backend->stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    GPU_MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    cr_assert_eq(call(of, WINNOW_LAUNCH(.stream = stream)), WINNOW_OK, "%s",
                 winnow_last_error());
    GPU_MUST(cudaStreamEndCapture(stream, &graph));
    GPU_MUST(cudaGraphInstantiate(&exec, graph, 0));
    GPU_MUST(cudaGraphLaunch(exec, stream));
    cr_assert_null(backend_wait(of->backend));
    GPU_MUST(cudaGraphExecDestroy(exec));
    GPU_MUST(cudaGraphDestroy(graph));
}

static void call_all(const struct table *of, enum way way) {
    static const struct results none;
    backend_upload(of->backend, of->d_results, &none, sizeof none);
    for (unsigned i = 0; i < OPERATIONS; i++)
        if (way == WITH_WORKSPACE)
            call_with_workspace(of, operations[i]);
        else if (way == CAPTURED)
            call_captured(of, operations[i]);
        else
            cr_assert_eq(
                operations[i](of, WINNOW_LAUNCH(.stream = of->backend->stream)),
                WINNOW_OK, "%s", winnow_last_error());
    cr_assert_null(backend_wait(of->backend));
}

/* ------------------------------------------------------------------- results */

/* The sum in the stated order is aggregated.c's matter: here its bits are those of
 * the first way, and its count is the oracle's. */
static void check_all(const struct table *of, const char *how,
                      winnow_reduction *first) {
    static struct results seen;
    static int32_t bytes[N];
    int64_t sums[KEYS] = {0};
    uint64_t kept = 0, counted = 0;
    backend_download(of->backend, &seen, of->d_results, sizeof seen);
    for (unsigned i = 0; i < N; i++)
        if (passes(of, i)) {
            bytes[kept++] = of->k[i];
            sums[of->k[i]] += of->k[i];
            counted += is_valid(of, i);
        }
    cr_assert_eq(seen.counts[0], kept, "%s", how);
    cr_assert_eq(seen.counts[1], 0, "%s", how);
    cr_assert(memcmp(seen.kept, bytes, kept * sizeof bytes[0]) == 0, "%s", how);
    cr_assert(memcmp(seen.sums, sums, sizeof sums) == 0, "%s", how);
    cr_assert_eq(seen.sum.count, counted, "%s", how);
    if (first->count == 0)
        *first = seen.sum;
    cr_assert(memcmp(&seen.sum, first, sizeof *first) == 0, "%s", how);
    cr_assert_eq(winnow_compact(of->backend->context, of->d_selection,
                                of->in[2].d_base, N, sizeof(int32_t),
                                of->d_results->kept, WINNOW_NO_LIMIT,
                                &of->d_results->counts[0],
                                WINNOW_LAUNCH(.stream = of->backend->stream)),
                 WINNOW_OK, "%s", winnow_last_error());
    cr_assert_null(backend_wait(of->backend));
    backend_download(of->backend, &seen, of->d_results, sizeof seen);
    cr_assert_eq(seen.counts[0], kept, "%s", how);
    cr_assert(memcmp(seen.kept, bytes, kept * sizeof bytes[0]) == 0, "%s", how);
}

static void check_ways(const struct table *of, unsigned compiled,
                       winnow_reduction *first) {
    static const char *const names[WAYS] = {"plain", "with a workspace",
                                            "captured"};
    for (unsigned way = 0; way < WAYS; way++) {
        call_all(of, (enum way)way);
        check_all(of, names[way], first);
        cr_assert_eq(compilations(), compiled, "%s: %u", names[way],
                     compilations());
    }
}

static void plan_says(const struct table *of, operation *call,
                      const char *what) {
    char text[1000];
    winnow_plan plan = {
        .size = sizeof plan, .text = text, .text_bytes = sizeof text};
    cr_assert_eq(call(of, WINNOW_LAUNCH(.plan = &plan)), WINNOW_OK, "%s",
                 winnow_last_error());
    cr_assert_not_null(strstr(text, what), "%s", text);
}

static void set_compile(const struct backend *backend, winnow_compile compile) {
    cr_assert_eq(winnow_context_set_compile(backend->context, compile),
                 WINNOW_OK, "%s", winnow_last_error());
}

/* --------------------------------------------------------------------- tests */

/* Nothing is compiled until a program says so, and then for all operations. */
GPU_TEST(ready, operations) {
    static struct table table;
    winnow_reduction first = {.count = 0};
    use_double("off");
    table_open(&table, backend);
    for (unsigned i = 0; i < OPERATIONS; i++)
        plan_says(&table, operations[i],
                  "interpreted, since it was not compiled before\n");
    check_ways(&table, 0, &first);
    cr_assert_eq(winnow_condition_prepare(backend->context, table.condition),
                 WINNOW_OK, "%s", winnow_last_error());
    for (unsigned i = 0; i < OPERATIONS; i++)
        plan_says(&table, operations[i], "condition: compiled\n");
    check_ways(&table, 1, &first);
    set_compile(backend, WINNOW_COMPILE_BEFORE);
    plan_says(&table, reduce_where, "reduction: compiled\n");
    check_ways(&table, 2, &first);
    set_compile(backend, WINNOW_COMPILE_READY);
    plan_says(&table, reduce_where, "reduction: compiled\n");
    check_ways(&table, 2, &first);
    table_close(&table);
}

/* What calls compile before they run, and what they then say in a capture. */
GPU_TEST(ready, before) {
    static struct table table;
    winnow_reduction first = {.count = 0};
    cudaGraph_t graph;
    use_double("off");
    table_open(&table, backend);
    set_compile(backend, WINNOW_COMPILE_BEFORE);
    GPU_MUST(
        cudaStreamBeginCapture(backend->stream, cudaStreamCaptureModeRelaxed));
    for (unsigned i = 0; i < OPERATIONS; i++) {
        cr_assert_eq(
            operations[i](&table, WINNOW_LAUNCH(.stream = backend->stream)),
            WINNOW_ERR_UNSUPPORTED, "operation %u: %s", i, winnow_last_error());
        cr_assert_not_null(strstr(winnow_last_error(), "compiled first"), "%s",
                           winnow_last_error());
    }
    GPU_MUST(cudaStreamEndCapture(backend->stream, &graph));
    GPU_MUST(cudaGraphDestroy(graph));
    cr_assert_eq(compilations(), 0);
    call_all(&table, PLAIN);
    check_all(&table, "before", &first);
    cr_assert_eq(compilations(), 2);
    check_ways(&table, 2, &first);
    table_close(&table);
}

static void write_all(const struct backend *backend) {
    static struct table table;
    winnow_reduction first = {.count = 0};
    table_open(&table, backend);
    set_compile(backend, WINNOW_COMPILE_BEFORE);
    call_all(&table, PLAIN);
    check_all(&table, "writing", &first);
    cr_assert_eq(compilations(), 2);
    table_close(&table);
}

/* No compiler is there to be opened. */
static void read_all(const struct backend *backend, enum way way) {
    static struct table table;
    winnow_reduction first = {.count = 0};
    cr_assert_eq(setenv("WINNOW_NVRTC", "/nonexistent", 1), 0);
    table_open(&table, backend);
    call_all(&table, way);
    check_all(&table, "reading", &first);
    for (unsigned i = 0; i < OPERATIONS; i++)
        plan_says(&table, operations[i], ": compiled\n");
    cr_assert_eq(compilations(), 0);
    table_close(&table);
}

/* Calls find on disk what another process has compiled, a captured one, too. */
GPU_TEST(ready, disk) {
    char folder[] = "/tmp/winnow-ready-XXXXXX", command[128];
    cr_assert_not_null(mkdtemp(folder));
    use_double(folder);
    for (unsigned process = 0; process <= WAYS; process++) {
        int status;
        fflush(NULL);
        const pid_t child = fork();
        cr_assert_geq(child, 0);
        if (child == 0 && process == 0)
            write_all(backend);
        else if (child == 0)
            read_all(backend, (enum way)(process - 1));
        if (child == 0)
            _exit(0);
        cr_assert_eq(waitpid(child, &status, 0), child);
        cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "process %u",
                  process);
    }
    snprintf(command, sizeof command, "rm -r %s", folder);
    cr_assert_eq(system(command), 0);
}

struct preparing {
    winnow_context *context;
    const winnow_condition *condition;
    winnow_status status;
};

static void *prepare(void *argument) {
    struct preparing *const of = argument;
    of->status = winnow_condition_prepare(of->context, of->condition);
    return NULL;
}

/* A call does not wait for a thread that compiles its kernel: that one waits for
 * another compilation, which comes behind the call. */
GPU_TEST(ready, while_compiling) {
    static struct table table;
    winnow_reduction first = {.count = 0};
    winnow_condition *other;
    pthread_t thread;
    use_double("off");
    meet(2);
    table_open(&table, backend);
    cr_assert_eq(
        winnow_condition_parse(&other, fields, COLUMNS, "k * x > 9 * y"),
        WINNOW_OK, "%s", winnow_last_error());
    struct preparing of = {backend->context, table.condition, WINNOW_OK};
    cr_assert_eq(pthread_create(&thread, NULL, prepare, &of), 0);
    while (compilations() == 0)
        usleep(1000);
    plan_says(&table, select_where,
              "condition: interpreted, since another thread is making its "
              "kernel\n");
    call_all(&table, PLAIN);
    check_all(&table, "while it is compiled", &first);
    cr_assert_eq(winnow_condition_prepare(backend->context, other), WINNOW_OK,
                 "%s", winnow_last_error());
    cr_assert_eq(pthread_join(thread, NULL), 0);
    cr_assert_eq(of.status, WINNOW_OK);
    plan_says(&table, select_where, "condition: compiled\n");
    check_ways(&table, 2, &first);
    winnow_condition_destroy(other);
    table_close(&table);
}

/* What is never compiled says why. */
GPU_TEST(ready, never) {
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"x < 3 and k = 4", "condition: built in\n"},
        {"x * 2 < 3 and k in (1, 7, 190, 2323, 3434, 45454, 99999, 123456, "
         "555, 777777)",
         "condition: interpreted, since the condition has a set of values\n"}};
    static struct table table;
    use_double("off");
    table_open(&table, backend);
    set_compile(backend, WINNOW_COMPILE_BEFORE);
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        winnow_condition_destroy(table.condition);
        cr_assert_eq(winnow_condition_parse(&table.condition, fields, COLUMNS,
                                            cases[i].text),
                     WINNOW_OK, "%s", winnow_last_error());
        plan_says(&table, select_where, cases[i].says);
    }
    cr_assert_eq(compilations(), 0);
    table_close(&table);
}
