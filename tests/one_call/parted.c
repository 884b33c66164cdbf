/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "element.h"
#include "oracle.h"
#include "parted.h"

#define POISON 0xa5

enum {
    GUARD = 64, /* bytes around an array */
    IN = 0,
    KEPT = 1,
    REJECTED = 2,
    NUMBERS = 3
};

static const char *const names[PARTED_ARRAYS] = {
    "the input", "what is kept", "what is rejected", "the numbers"};

/* Where an array begins, in memory with guards. */
static unsigned char *array_of(const struct parted *parted,
                               unsigned char *const memory[PARTED_ARRAYS],
                               int array) {
    const struct parted_call *const c = &parted->call;
    const unsigned ahead[PARTED_ARRAYS] = {c->in_ahead, c->kept_ahead,
                                           c->rejected_ahead, 0};

    return memory[array] + GUARD + ahead[array] * element_size(c->rule.type);
}

/* The oracle. */
static void expect(struct parted *parted) {
    const struct parted_call *const c = &parted->call;
    const size_t size = element_size(c->rule.type);
    const unsigned char *from = array_of(parted, parted->expected, IN);
    unsigned char *kept = array_of(parted, parted->expected, KEPT);
    unsigned char *rejected = array_of(parted, parted->expected, REJECTED);
    const uint64_t n = c->limited ? c->n / 2 : c->n;
    uint64_t counts[2] = {0, 0};

    for (uint64_t i = 0; i < n; i++, from += size)
        if (oracle_keeps(&c->rule, element_load(c->rule.type, from))) {
            memcpy(kept, from, size);
            kept += size;
            counts[0]++;
        } else {
            memcpy(rejected, from, size);
            rejected += size;
            counts[1]++;
        }
    if (c->counted)
        memcpy(array_of(parted, parted->expected, NUMBERS), counts, 16);
}

void parted_open(struct parted *parted, const struct backend *backend,
                 const struct parted_call *call) {
    const uint64_t half = call->n / 2;

    *parted = (struct parted){
        .backend = backend,
        .call = *call,
        .bytes = (call->n + 16) * element_size(call->rule.type) + 2 * GUARD};
    if (rule_create(&call->rule, &parted->predicate) != WINNOW_OK)
        abort();
    for (int a = 0; a < PARTED_ARRAYS; a++) {
        parted->device[a] = backend_alloc(backend, parted->bytes);
        parted->expected[a] = must_alloc(parted->bytes);
        memset(parted->expected[a], POISON, parted->bytes);
    }
    data_fill(&call->rule, call->pattern, call->seed, call->n,
              array_of(parted, parted->expected, IN));
    memcpy(array_of(parted, parted->expected, NUMBERS) + 16, &half, 8);
    for (int a = 0; a < PARTED_ARRAYS; a++)
        backend_upload(backend, parted->device[a], parted->expected[a],
                       parted->bytes);
    if (call->workspace_bytes != 0)
        parted->workspace = backend_alloc(backend, call->workspace_bytes);
    expect(parted);
}

winnow_status parted_enqueue(const struct parted *parted) {
    const struct parted_call *const c = &parted->call;
    uint64_t *const numbers =
        (uint64_t *)(void *)array_of(parted, parted->device, NUMBERS);

    return winnow_partition_if(
        parted->backend->context, parted->predicate, c->rule.type,
        array_of(parted, parted->device, IN), c->n,
        array_of(parted, parted->device, KEPT),
        array_of(parted, parted->device, REJECTED), c->counted ? numbers : NULL,
        WINNOW_LAUNCH(.stream = parted->backend->stream,
                      .d_workspace = parted->workspace,
                      .workspace_bytes = c->workspace_bytes,
                      .d_n = c->limited ? numbers + 2 : NULL));
}

size_t parted_plan(const struct backend *backend,
                   const struct parted_call *call) {
    winnow_plan plan = {.size = sizeof(plan)};
    winnow_predicate *predicate;

    if (rule_create(&call->rule, &predicate) != WINNOW_OK ||
        winnow_partition_if(backend->context, predicate, call->rule.type, NULL,
                            call->n, NULL, NULL, NULL,
                            WINNOW_LAUNCH(.plan = &plan)) != WINNOW_OK)
        abort();
    winnow_predicate_destroy(predicate);
    return plan.workspace_bytes;
}

static bool check(const struct parted *parted, int array,
                  struct report *report) {
    const struct parted_call *const c = &parted->call;
    unsigned char *const seen = must_alloc(parted->bytes);
    size_t byte = 0;
    char rule[128];

    backend_download(parted->backend, seen, parted->device[array],
                     parted->bytes);
    while (byte < parted->bytes && seen[byte] == parted->expected[array][byte])
        byte++;
    free(seen);
    if (byte == parted->bytes)
        return true;
    rule_describe(&c->rule, rule, sizeof(rule));
    return report_fail(report,
                       "seed %llu, %llu of %s, %s, %u, %u and %u ahead: %s "
                       "differs at byte %zu of %zu",
                       (unsigned long long)c->seed, (unsigned long long)c->n,
                       rule, c->pattern->name, c->in_ahead, c->kept_ahead,
                       c->rejected_ahead, names[array], byte, parted->bytes);
}

bool parted_close(struct parted *parted, struct report *report) {
    const char *const error = backend_wait(parted->backend);
    bool ok = error == NULL || report_fail(report, "%s", error);

    for (int a = 0; a < PARTED_ARRAYS; a++) {
        ok = ok && check(parted, a, report);
        backend_free(parted->backend, parted->device[a]);
        free(parted->expected[a]);
    }
    if (parted->workspace != NULL)
        backend_free(parted->backend, parted->workspace);
    winnow_predicate_destroy(parted->predicate);
    return ok;
}

bool parted_run(const struct backend *backend, const struct parted_call *call,
                struct report *report) {
    struct parted parted;
    bool ok = true;

    parted_open(&parted, backend, call);
    if (parted_enqueue(&parted) != WINNOW_OK)
        ok = report_fail(report, "%s", winnow_last_error());
    return parted_close(&parted, report) && ok;
}
