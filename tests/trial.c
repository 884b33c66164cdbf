/*
 * One input on a backend and everything to run calls on it and check them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "trial.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "element.h"
#include "multiset.h"

/* Offsets in the region of results, each with poison on both sides. */
#define COUNT_AT 64
#define STRATEGY_AT 128
#define SELECTIVITY_AT 192
#define RESULTS_BYTES 256

/* The workspace query's promise for unordered calls, counts and estimates. */
#define SMALL_WORKSPACE 4096

/* Has the call options, and an output? */
static bool has_output(const struct trial_call *call) {
    return call->operation == COPY_IF || call->operation == COPY_INDEX;
}

/* "..., in <what the call was>": every failure ends in this. */
static bool blame(const struct trial *trial, const struct trial_call *call,
                  struct report *report) {
    static const char *const operations[] = {"copy_if", "count_if", "estimate",
                                             "copy_index_if"};
    const size_t used = strlen(report->text);
    char rule[128], options[128] = "";

    rule_describe(&trial->rule, rule, sizeof(rule));
    if (has_output(call))
        snprintf(options, sizeof(options), ", %s, asked for %s, hint %g",
                 winnow_strategy_name(call->row->strategy),
                 winnow_order_name(call->row->order), call->hint);
    snprintf(report->text + used, sizeof(report->text) - used,
             " -- %s %s%s: %s, n %" PRIu64 " of %" PRIu64
             ", d_in + %u, d_out + %u%s, pattern %s, seed %" PRIu64
             ", capacity %" PRIu64 "%s, workspace %s",
             trial->backend->name, operations[call->operation], options, rule,
             call->n, trial->n, trial->in_offset, call->out_offset,
             call->in_place ? " in place" : "", trial->pattern->name,
             trial->seed, call->capacity, call->no_out ? " d_out NULL" : "",
             trial->workspace_given ? "given" : "of the context");
    return false;
}

/* Fill the input, ask the oracle, and put the input on the backend. */
static void load(struct trial *trial) {
    const size_t front = trial->in_offset * trial->size;

    data_fill(&trial->rule, trial->pattern, trial->seed, trial->n,
              trial->input);
    oracle_filter(&trial->rule, trial->input, trial->n, trial->expected,
                  trial->kept);
    region_write(&trial->in, front, trial->input, trial->n * trial->size);
    free(trial->sorted);
    trial->sorted = NULL;
}

void trial_open(struct trial *trial, const struct backend *backend,
                const struct rule *rule, const struct pattern *pattern,
                uint64_t seed, uint64_t n, unsigned in_offset) {
    const size_t size = element_size(rule->type);
    winnow_status status;

    *trial = (struct trial){.backend = backend,
                            .rule = *rule,
                            .pattern = pattern,
                            .seed = seed,
                            .n = n,
                            .size = size,
                            .in_offset = in_offset};
    status = rule_create(rule, &trial->predicate);
    if (status != WINNOW_OK) {
        fprintf(stderr, "no predicate: %s: %s\n", winnow_status_name(status),
                winnow_last_error());
        abort();
    }
    region_open(&trial->in, backend, (in_offset + n) * size);
    region_open(&trial->out, backend,
                2 * REGION_GUARD + (n + TRIAL_OFFSETS) * size);
    region_open(&trial->results, backend, RESULTS_BYTES);
    trial->input = must_alloc(n * size);
    trial->expected = must_alloc(n * size);
    trial->kept = must_alloc((n + 1) * sizeof(*trial->kept));
    region_poison(&trial->in, trial->in.bytes);
    load(trial);
}

void trial_reload(struct trial *trial, const struct pattern *pattern,
                  uint64_t seed) {
    trial->pattern = pattern;
    trial->seed = seed;
    load(trial);
}

bool trial_close(struct trial *trial, struct report *report) {
    const size_t front = trial->in_offset * trial->size;
    bool ok;

    region_fetch(&trial->in, trial->in.bytes);
    ok =
        region_untouched(&trial->in, "d_in", front, 0, trial->in.bytes, report);
    winnow_predicate_destroy(trial->predicate);
    region_close(&trial->in);
    region_close(&trial->out);
    region_close(&trial->results);
    region_close(&trial->workspace);
    free(trial->input);
    free(trial->expected);
    free(trial->kept);
    free(trial->sorted);
    return ok;
}

static winnow_options options_of(const struct trial *trial,
                                 const struct trial_call *call) {
    winnow_options options = WINNOW_OPTIONS_INIT;

    options.order = call->row->order;
    options.strategy = call->row->strategy;
    options.selectivity = call->hint;
    options.capacity = call->capacity;
    options.d_strategy = (int32_t *)(trial->results.base + STRATEGY_AT);
    return options;
}

static winnow_type index_type(const struct trial_call *call) {
    return call->wide ? WINNOW_UINT64 : WINNOW_UINT32;
}

/* Bytes of an element of the output. */
static size_t out_size(const struct trial *trial,
                       const struct trial_call *call) {
    if (call->operation == COPY_INDEX)
        return call->wide ? 8 : 4;
    return trial->size;
}

static winnow_status query(const struct trial *trial,
                           const struct trial_call *call, size_t *bytes_p) {
    winnow_context *context = trial->backend->context;
    winnow_options options;

    switch (call->operation) {
    case COPY_IF:
        options = options_of(trial, call);
        return winnow_copy_if_workspace(context, trial->predicate, call->n,
                                        &options, bytes_p);
    case COPY_INDEX:
        options = options_of(trial, call);
        return winnow_copy_index_if_workspace(context, trial->predicate,
                                              call->n, index_type(call),
                                              &options, bytes_p);
    case COUNT_IF:
        return winnow_count_if_workspace(context, trial->predicate, call->n,
                                         bytes_p);
    case ESTIMATE:
        return winnow_estimate_selectivity_workspace(context, trial->predicate,
                                                     call->n, bytes_p);
    }
    abort();
}

static size_t out_front(const struct trial *trial,
                        const struct trial_call *call) {
    return REGION_GUARD + call->out_offset * out_size(trial, call);
}

/* How much of the region of the output a call is watched over. */
static size_t out_window(const struct trial *trial,
                         const struct trial_call *call) {
    return out_front(trial, call) + call->n * out_size(trial, call) +
           REGION_GUARD;
}

bool trial_prepare(struct trial *trial, const struct trial_call *call,
                   struct report *report) {
    const bool small =
        !has_output(call) ||
        (!call->tuned && call->row->order == WINNOW_UNORDERED &&
         !call->row->stable && call->row->strategy != WINNOW_SOFTWARE_ATOMIC);
    size_t bytes = SIZE_MAX;
    winnow_status status = query(trial, call, &bytes);

    trial->workspace_given = call->workspace == WORKSPACE_ALTERNATE
                                 ? trial->calls++ & 1
                                 : call->workspace == WORKSPACE_GIVEN;
    if (status != WINNOW_OK) {
        report_fail(report, "workspace query: %s: %s",
                    winnow_status_name(status), winnow_last_error());
        return blame(trial, call, report);
    }
    if (small && bytes > SMALL_WORKSPACE) {
        report_fail(report, "a workspace of %zu bytes is wanted, more than %d",
                    bytes, SMALL_WORKSPACE);
        return blame(trial, call, report);
    }
    trial->workspace_bytes = bytes;
    if (trial->workspace.bytes < bytes + 2 * REGION_GUARD) {
        region_close(&trial->workspace);
        region_open(&trial->workspace, trial->backend,
                    bytes + 2 * REGION_GUARD);
    }
    region_poison(&trial->workspace, bytes + 2 * REGION_GUARD);
    region_poison(&trial->results, RESULTS_BYTES);
    if (trial->out.bytes < out_window(trial, call)) {
        region_close(&trial->out);
        region_open(&trial->out, trial->backend, out_window(trial, call));
    }
    region_poison(&trial->out, out_window(trial, call));
    if (call->in_place)
        region_write(&trial->out, out_front(trial, call), trial->input,
                     call->n * trial->size);
    return true;
}

bool trial_enqueue(struct trial *trial, const struct trial_call *call,
                   struct report *report) {
    winnow_context *context = trial->backend->context;
    const winnow_stream stream = trial->backend->stream;
    unsigned char *out = trial->out.base + out_front(trial, call);
    const unsigned char *in =
        call->in_place ? out : trial->in.base + trial->in_offset * trial->size;
    unsigned char *results = trial->results.base;
    uint64_t *count = (uint64_t *)(results + COUNT_AT);
    double *selectivity = (double *)(results + SELECTIVITY_AT);
    void *workspace = NULL;
    size_t bytes = 0;
    winnow_status status = WINNOW_ERR_ARGUMENT;
    winnow_options options;

    if (trial->workspace_given) {
        workspace = trial->workspace.base + REGION_GUARD;
        bytes = trial->workspace_bytes;
    }
    switch (call->operation) {
    case COPY_IF:
        options = options_of(trial, call);
        status = winnow_copy_if(context, trial->predicate, in, call->n,
                                call->no_out ? NULL : out, count, &options,
                                workspace, bytes, stream);
        break;
    case COPY_INDEX:
        options = options_of(trial, call);
        status =
            winnow_copy_index_if(context, trial->predicate, in, call->n,
                                 index_type(call), call->no_out ? NULL : out,
                                 count, &options, workspace, bytes, stream);
        break;
    case COUNT_IF:
        status = winnow_count_if(context, trial->predicate, in, call->n, count,
                                 workspace, bytes, stream);
        break;
    case ESTIMATE:
        status =
            winnow_estimate_selectivity(context, trial->predicate, in, call->n,
                                        selectivity, workspace, bytes, stream);
        break;
    }
    if (status == WINNOW_OK)
        return true;
    report_fail(report, "%s: %s", winnow_status_name(status),
                winnow_last_error());
    return blame(trial, call, report);
}

static bool check_stable(const struct trial *trial, const unsigned char *out,
                         uint64_t written, struct report *report) {
    const size_t size = trial->size;
    uint64_t i = 0;

    if (memcmp(out, trial->expected, written * size) == 0)
        return true;
    while (memcmp(out + i * size, trial->expected + i * size, size) == 0)
        i++;
    return report_fail(
        report, "survivor %" PRIu64 " is 0x%" PRIx64 ", wanted 0x%" PRIx64, i,
        element_load(trial->rule.type, out + i * size),
        element_load(trial->rule.type, trial->expected + i * size));
}

static bool check_unordered(struct trial *trial, uint64_t n,
                            const unsigned char *out, uint64_t written,
                            struct report *report) {
    const uint64_t kept = trial->kept[n];
    uint64_t *got = multiset_sort(trial->rule.type, out, written);
    bool ok;

    if (!trial->sorted || trial->sorted_n != n) {
        free(trial->sorted);
        trial->sorted = multiset_sort(trial->rule.type, trial->expected, kept);
        trial->sorted_n = n;
    }
    /* As many as there are, each with its partner: then the two are equal. */
    ok = multiset_contains(trial->sorted, kept, got, written);
    free(got);
    if (ok)
        return true;
    return report_fail(
        report, "the output is not %" PRIu64 " of the %" PRIu64 " survivors",
        written, kept);
}

winnow_strategy trial_strategy_seen(const struct trial *trial) {
    int32_t ran;

    memcpy(&ran, trial->results.seen + STRATEGY_AT, sizeof(ran));
    return (winnow_strategy)ran;
}

/* *d_strategy: what was asked for, or what can give the order asked for. */
static bool check_strategy(const struct trial *trial,
                           const struct trial_call *call,
                           struct report *report) {
    const winnow_strategy ran = trial_strategy_seen(trial);

    if (call->row->strategy != WINNOW_AUTO) {
        if (ran == call->row->strategy)
            return true;
    } else {
        FOR_EACH_STRATEGY(row, trial->backend->gpu)
        if (row->strategy == ran && ran != WINNOW_AUTO &&
            (row->order == call->row->order || row->stable))
            return true;
    }
    return report_fail(report, "*d_strategy is %d (%s)", (int)ran,
                       winnow_strategy_name(ran));
}

/* Nothing but the `used` bytes from `at` on was written. */
static bool check_results(const struct trial *trial,
                          const struct trial_call *call,
                          struct report *report) {
    static const struct {
        const char *name;
        size_t at, bytes;
        bool used[4]; /* by operation */
    } slots[] = {
        {"d_count", COUNT_AT, 8, {true, true, false, true}},
        {"d_strategy", STRATEGY_AT, 4, {true, false, false, true}},
        {"d_selectivity", SELECTIVITY_AT, 8, {false, false, true, false}},
    };
    size_t from = 0;

    for (size_t i = 0; i < 3; i++) {
        if (!slots[i].used[call->operation])
            continue;
        if (!region_untouched(&trial->results, slots[i].name, slots[i].at, from,
                              slots[i].at, report))
            return false;
        from = slots[i].at + slots[i].bytes;
    }
    return region_untouched(&trial->results, "after the results", from, from,
                            RESULTS_BYTES, report);
}

static bool check_count(const struct trial *trial,
                        const struct trial_call *call, struct report *report) {
    const uint64_t kept = trial->kept[call->n];
    uint64_t count;

    memcpy(&count, trial->results.seen + COUNT_AT, sizeof(count));
    if (count == kept)
        return true;
    return report_fail(report, "*d_count is %" PRIu64 ", wanted %" PRIu64,
                       count, kept);
}

static bool check_estimate(const struct trial *trial,
                           const struct trial_call *call,
                           struct report *report) {
    const double truth =
        call->n ? (double)trial->kept[call->n] / (double)call->n : 0;
    /* Exact, but for the last bit of the division. */
    const double tolerance =
        call->n <= TRIAL_EXACT_ESTIMATE ? 1e-15 : call->tolerance;
    double estimate;

    memcpy(&estimate, trial->results.seen + SELECTIVITY_AT, sizeof(estimate));
    if (fabs(estimate - truth) <= tolerance) /* false for a NaN */
        return true;
    return report_fail(report,
                       "*d_selectivity is %.17g, wanted %.17g within %g",
                       estimate, truth, tolerance);
}

/* Of the input's survivors, each one once; in order, if it is stable. */
static bool check_indices(const struct trial *trial,
                          const struct trial_call *call,
                          const unsigned char *out, uint64_t written,
                          struct report *report) {
    unsigned char *const seen = calloc(call->n + 1, 1);
    uint64_t previous = 0;
    bool ok = true;

    for (uint64_t i = 0; i < written && ok; i++) {
        uint64_t index = 0;

        memcpy(&index, out + i * out_size(trial, call), out_size(trial, call));
        ok = index < call->n && trial->kept[index] != trial->kept[index + 1] &&
             !seen[index] &&
             (!call->row->stable ||
              (index >= previous && trial->kept[index] == i));
        if (!ok)
            report_fail(report, "d_indices[%" PRIu64 "] is %" PRIu64, i, index);
        else
            seen[index] = 1;
        previous = index;
    }
    free(seen);
    return ok;
}

static bool check_output(struct trial *trial, const struct trial_call *call,
                         struct report *report) {
    const uint64_t kept = trial->kept[call->n];
    const uint64_t written = kept < call->capacity ? kept : call->capacity;
    const size_t front = out_front(trial, call);
    const unsigned char *out = trial->out.seen + front;

    return (call->operation == COPY_INDEX
                ? check_indices(trial, call, out, written, report)
            : call->row->stable
                ? check_stable(trial, out, written, report)
                : check_unordered(trial, call->n, out, written, report)) &&
           region_untouched(&trial->out, "d_out", front, 0, front, report) &&
           region_untouched(&trial->out, "d_out", front,
                            front + written * out_size(trial, call),
                            out_window(trial, call), report);
}

bool trial_check(struct trial *trial, const struct trial_call *call,
                 struct report *report) {
    const size_t workspace_end = REGION_GUARD + trial->workspace_bytes;
    /* Not handed to the call, or of the caller's size: see what was written. */
    const size_t free_from =
        trial->workspace_given ? workspace_end : REGION_GUARD;
    const char *error = backend_wait(trial->backend);
    bool ok;

    if (error) {
        report_fail(report, "the work failed on the device: %s", error);
        return blame(trial, call, report);
    }
    region_fetch(&trial->results, RESULTS_BYTES);
    region_fetch(&trial->workspace, workspace_end + REGION_GUARD);
    ok = check_results(trial, call, report) &&
         region_untouched(&trial->workspace, "d_workspace", REGION_GUARD, 0,
                          REGION_GUARD, report) &&
         region_untouched(&trial->workspace, "d_workspace", REGION_GUARD,
                          free_from, workspace_end + REGION_GUARD, report);
    if (ok && call->operation == ESTIMATE)
        ok = check_estimate(trial, call, report);
    if (ok && call->operation != ESTIMATE)
        ok = check_count(trial, call, report);
    if (ok && has_output(call)) {
        region_fetch(&trial->out, out_window(trial, call));
        ok = check_strategy(trial, call, report) &&
             check_output(trial, call, report);
    }
    return ok || blame(trial, call, report);
}

bool trial_run(struct trial *trial, const struct trial_call *call,
               struct report *report) {
    return trial_prepare(trial, call, report) &&
           trial_enqueue(trial, call, report) &&
           trial_check(trial, call, report);
}

bool trial_run_in_place_too(struct trial *trial, const struct trial_call *call,
                            struct report *report) {
    struct trial_call again = *call;

    again.in_place = call->row->order == WINNOW_STABLE;
    return trial_run(trial, call, report) && trial_run(trial, &again, report);
}

const unsigned char *trial_selectivity_seen(const struct trial *trial) {
    return trial->results.seen + SELECTIVITY_AT;
}
