/*
 * The CPU backend: the same calls on host pointers. They return when done.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "core/context.h"
#include "core/explain.h"
#include "core/status.h"
#include "task.h"

#include <stdlib.h>
#include <unistd.h>

typedef struct winnow__host_context {
    winnow_context base;
    const winnow__host_loops *loops;
    const winnow__host_bit_loops *bit_loops;
    winnow__team *team;
    uint64_t streamed_bytes;
} winnow__host_context;

/* The number of items. *launch.d_n may be the word that gets the call's count,
 * so it is read before anything is written. */
static uint64_t items_of(const winnow__call *call) {
    const uint64_t *const d_n = call->query.launch.d_n;
    return d_n != NULL && *d_n < call->query.n ? *d_n : call->query.n;
}

static winnow__host_task task_of(const winnow__call *call) {
    const winnow__host_context *context =
        (const winnow__host_context *)call->query.context;
    return (winnow__host_task){.loops = context->loops,
                               .bit_loops = context->bit_loops,
                               .team = context->team,
                               .streamed_bytes = context->streamed_bytes,
                               .predicate = call->query.predicate,
                               .in = call->in,
                               .n = items_of(call),
                               .bound = call->query.n};
}

winnow__team *winnow__host_team(const winnow_context *context) {
    return ((const winnow__host_context *)context)->team;
}

const winnow__host_loops *winnow__host_loops_of(const winnow_context *context) {
    return ((const winnow__host_context *)context)->loops;
}

static winnow_status workspace(const winnow__query *query, size_t *bytes_p) {
    const winnow__operation *const operation = query->operation;
    *bytes_p = operation->host_bytes != NULL ? operation->host_bytes(query) : 0;
    return WINNOW_OK;
}

/* The memory is the caller's workspace, or allocated. Small calls allocate
 * none. */
static winnow_status run_with_memory(const winnow__call *call,
                                     winnow__host_task *task) {
    enum {
        SMALL = 4096
    };
    _Alignas(16) unsigned char small[SMALL];
    void *allocated = NULL;
    size_t bytes;
    winnow_status status = workspace(&call->query, &bytes);
    if (status == WINNOW_OK)
        status = winnow__check_workspace_bytes(call, bytes);
    if (status != WINNOW_OK)
        return status;
    task->memory = call->query.launch.d_workspace;
    if (task->memory == NULL)
        task->memory = bytes <= SMALL ? small : (allocated = malloc(bytes));
    if (task->memory == NULL)
        return winnow__fail(WINNOW_ERR_MEMORY,
                            "no host memory: winnow_%s needs %zu bytes",
                            call->query.operation->name, bytes);
    status = call->query.operation->run_on_host(call, task);
    free(allocated);
    return status;
}

static winnow_status run(const winnow__call *call) {
    winnow__host_task task = task_of(call);
    if (call->query.launch.stream != NULL)
        return winnow__refuse("launch->stream is not NULL, and the context is "
                              "WINNOW_DEVICE_HOST");
    WINNOW__TRY(call->query.operation->host_bytes != NULL
                    ? run_with_memory(call, &task)
                    : call->query.operation->run_on_host(call, &task));
    if (call->query.launch.d_strategy != NULL)
        *call->query.launch.d_strategy = WINNOW_HOST;
    return WINNOW_OK;
}

static winnow_status supports(const winnow__query *query) {
    if (query->launch.strategy != WINNOW_AUTO &&
        query->launch.strategy != WINNOW_HOST)
        return winnow__unsupported(
            "strategy %s needs a GPU, and the context is WINNOW_DEVICE_HOST",
            winnow_strategy_name(query->launch.strategy));
    return WINNOW_OK;
}

static winnow_status explain(const winnow__query *query, winnow__text *text,
                             winnow_strategy *strategy_p) {
    *strategy_p = WINNOW_HOST;
    winnow__add_call(text, query);
    winnow__add_text(text, "device: the CPU\n"
                           "strategy: host\n"
                           "launches: 0\n"
                           "workspace: 0 bytes\n"
                           "why: a context of WINNOW_DEVICE_HOST has one\n");
    return WINNOW_OK;
}

static void set_threads(winnow_context *context, unsigned threads) {
    winnow__team_set_threads(((winnow__host_context *)context)->team, threads);
}

static void destroy(winnow_context *context) {
    winnow__team_destroy(((winnow__host_context *)context)->team);
    free(context);
}

static const winnow__backend backend = {
    .is_host = true,
    .supports = supports,
    .workspace = workspace,
    .run = run,
    .explain = explain,
    .set_threads = set_threads,
    .destroy = destroy,
};

/* If the caches do not hold the input, ordinary stores of the output would push
 * out what they hold. */
static uint64_t streamed_bytes(void) {
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    long cache = 0;
#ifdef _SC_LEVEL3_CACHE_SIZE
    cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
#endif
    return winnow__host_streamed_bytes(cache > 0 ? (uint64_t)cache : 0,
                                       cpus > 0 ? (unsigned)cpus : 1);
}

winnow_status winnow__host_create(winnow_context **context_p) {
    const winnow__host_loops *loops;
    WINNOW__TRY(winnow__host_loops_choose(&loops));
    winnow__host_context *context = malloc(sizeof *context);
    winnow__team *team = winnow__team_create(WINNOW__HOST_BUFFER);
    if (context == NULL || team == NULL) {
        free(context);
        if (team != NULL)
            winnow__team_destroy(team);
        return winnow__no_memory("a context");
    }
    *context = (winnow__host_context){
        .base.backend = &backend,
        .loops = loops,
        .bit_loops = winnow__host_bit_loops_choose(loops->isa),
        .team = team,
        .streamed_bytes = streamed_bytes()};
    *context_p = &context->base;
    return WINNOW_OK;
}
