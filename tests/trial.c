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
#define POSITION_AT 256
#define N_AT 320
#define RESULTS_BYTES 384

/* A plan's promise for unordered calls, counts and estimates. */
#define SMALL_WORKSPACE 4096

/* Has the call strategies, and an output? */
static bool has_output(const struct trial_call *call) {
    return call->operation == COPY_IF || call->operation == COPY_INDEX;
}

/* How many elements are looked at. */
static uint64_t looked_at(const struct trial_call *call) {
    return call->bound != BOUND_NONE && call->d_n < call->n ? call->d_n
                                                            : call->n;
}

/* "..., in <what the call was>": every failure ends in this. */
static bool blame(const struct trial *trial, const struct trial_call *call,
                  struct report *report) {
    static const char *const operations[] = {"copy_if", "count_if", "estimate",
                                             "copy_index_if"};
    const size_t used = strlen(report->text);
    char rule[128], options[128] = "", bound[64] = "", position[64] = "";

    rule_describe(&trial->rule, rule, sizeof(rule));
    if (has_output(call))
        snprintf(options, sizeof(options), ", %s, asked for %s, hint %g",
                 winnow_strategy_name(call->row->strategy),
                 winnow_order_name(call->row->order), call->hint);
    if (call->bound != BOUND_NONE)
        snprintf(bound, sizeof(bound), ", *d_n %" PRIu64 "%s", call->d_n,
                 call->bound == BOUND_IN_COUNT ? " in *d_count" : "");
    if (call->placed)
        snprintf(position, sizeof(position), ", *d_position %" PRIu64,
                 call->position);
    snprintf(report->text + used, sizeof(report->text) - used,
             " -- %s %s%s: %s, n %" PRIu64 " of %" PRIu64
             "%s, d_in + %u, d_out + %u%s%s, pattern %s, seed %" PRIu64
             ", capacity %" PRIu64 "%s%s, workspace %s",
             trial->backend->name, operations[call->operation], options, rule,
             call->n, trial->n, bound, trial->in_offset, call->out_offset,
             call->in_place ? " in place" : "", position, trial->pattern->name,
             trial->seed, call->capacity, call->no_out ? " d_out NULL" : "",
             call->no_count ? " d_count NULL" : "",
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

static void *result(const struct trial *trial, size_t at) {
    return trial->results.base + at;
}

static winnow_launch launch_of(const struct trial *trial,
                               const struct trial_call *call) {
    winnow_launch launch = {.size = sizeof(launch),
                            .stream = trial->backend->stream};

    if (call->bound != BOUND_NONE)
        launch.d_n =
            result(trial, call->bound == BOUND_IN_COUNT ? COUNT_AT : N_AT);
    if (call->placed)
        launch.d_position = result(trial, POSITION_AT);
    if (has_output(call)) {
        launch.order = call->row->order;
        launch.strategy = call->row->strategy;
        launch.selectivity = call->hint;
        launch.d_strategy = result(trial, STRATEGY_AT);
    }
    return launch;
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

/* With other memory than the trial's, or none: for a plan. */
static winnow_status make_call(const struct trial *trial,
                               const struct trial_call *call, const void *in,
                               void *out, uint64_t *count, double *selectivity,
                               const winnow_launch *launch) {
    winnow_context *const context = trial->backend->context;
    const winnow_type type = trial->rule.type;

    switch (call->operation) {
    case COPY_IF:
        return winnow_copy_if(context, trial->predicate, type, in, call->n, out,
                              call->capacity, count, launch);
    case COPY_INDEX:
        return winnow_copy_index_if(context, trial->predicate, type, in,
                                    call->n, index_type(call), out,
                                    call->capacity, count, launch);
    case COUNT_IF:
        return winnow_count_if(context, trial->predicate, type, in, call->n,
                               count, launch);
    case ESTIMATE:
        return winnow_estimate_selectivity(context, trial->predicate, type, in,
                                           call->n, selectivity, launch);
    }
    abort();
}

/* In place is all that a plan knows of the arrays. */
static winnow_status ask_plan(const struct trial *trial,
                              const struct trial_call *call, size_t *bytes_p) {
    winnow_plan plan = {.size = sizeof(plan)};
    winnow_launch launch = launch_of(trial, call);
    void *const array = call->in_place ? trial->out.base : NULL;
    winnow_status status;

    launch.plan = &plan;
    status = make_call(trial, call, array, array, NULL, NULL, &launch);
    if (status == WINNOW_OK)
        *bytes_p = plan.workspace_bytes;
    return status;
}

static size_t out_front(const struct trial *trial,
                        const struct trial_call *call) {
    return REGION_GUARD + call->out_offset * out_size(trial, call);
}

/* How much of the region of the output a call is watched over. */
static size_t out_window(const struct trial *trial,
                         const struct trial_call *call) {
    const uint64_t ahead = call->placed ? call->position : 0;

    return out_front(trial, call) + (ahead + call->n) * out_size(trial, call) +
           REGION_GUARD;
}

bool trial_prepare(struct trial *trial, const struct trial_call *call,
                   struct report *report) {
    const bool small =
        !has_output(call) ||
        (!call->tuned && call->bound == BOUND_NONE && !call->placed &&
         call->row->order == WINNOW_UNORDERED && !call->row->stable &&
         call->row->strategy != WINNOW_SOFTWARE_ATOMIC);
    size_t bytes = SIZE_MAX;
    winnow_status status = ask_plan(trial, call, &bytes);

    trial->workspace_given = call->workspace == WORKSPACE_ALTERNATE
                                 ? trial->calls++ & 1
                                 : call->workspace == WORKSPACE_GIVEN;
    if (status != WINNOW_OK) {
        report_fail(report, "the plan: %s: %s", winnow_status_name(status),
                    winnow_last_error());
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
    if (call->bound != BOUND_NONE)
        region_write(&trial->results,
                     call->bound == BOUND_IN_COUNT ? COUNT_AT : N_AT,
                     &call->d_n, sizeof(call->d_n));
    if (call->placed)
        region_write(&trial->results, POSITION_AT, &call->position,
                     sizeof(call->position));
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
    unsigned char *out = trial->out.base + out_front(trial, call);
    const unsigned char *in =
        call->in_place ? out : trial->in.base + trial->in_offset * trial->size;
    winnow_launch launch = launch_of(trial, call);
    winnow_status status;

    if (trial->workspace_given) {
        launch.d_workspace = trial->workspace.base + REGION_GUARD;
        launch.workspace_bytes = trial->workspace_bytes;
    }
    status = make_call(trial, call, in, call->no_out ? NULL : out,
                       call->no_count ? NULL : result(trial, COUNT_AT),
                       result(trial, SELECTIVITY_AT), &launch);
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

/* Nothing but the results was written. */
static bool check_results(const struct trial *trial,
                          const struct trial_call *call,
                          struct report *report) {
    const struct {
        const char *name;
        size_t at, bytes;
        bool used;
    } slots[] = {
        {"d_count", COUNT_AT, 8,
         call->operation != ESTIMATE && !call->no_count},
        {"d_strategy", STRATEGY_AT, 4, has_output(call)},
        {"d_selectivity", SELECTIVITY_AT, 8, call->operation == ESTIMATE},
        {"d_position", POSITION_AT, 8, call->placed},
    };
    size_t from = 0;

    for (size_t i = 0; i < sizeof(slots) / sizeof(slots[0]); i++) {
        if (!slots[i].used)
            continue;
        if (!region_untouched(&trial->results, slots[i].name, slots[i].at, from,
                              slots[i].at, report))
            return false;
        from = slots[i].at + slots[i].bytes;
    }
    return region_untouched(&trial->results, "after the results", from, from,
                            RESULTS_BYTES, report);
}

/* How many elements are written. */
static uint64_t written_by(const struct trial *trial,
                           const struct trial_call *call) {
    const uint64_t kept = trial->kept[looked_at(call)];
    const uint64_t ahead = call->placed ? call->position : 0;
    const uint64_t room = call->capacity > ahead ? call->capacity - ahead : 0;

    return kept < room ? kept : room;
}

static bool check_word(const struct trial *trial, const char *name, size_t at,
                       uint64_t wanted, struct report *report) {
    uint64_t seen;

    memcpy(&seen, trial->results.seen + at, sizeof(seen));
    return seen == wanted ||
           report_fail(report, "*%s is %" PRIu64 ", wanted %" PRIu64, name,
                       seen, wanted);
}

static bool check_count(const struct trial *trial,
                        const struct trial_call *call, struct report *report) {
    return (call->no_count ||
            check_word(trial, "d_count", COUNT_AT, trial->kept[looked_at(call)],
                       report)) &&
           (!call->placed ||
            check_word(trial, "d_position", POSITION_AT,
                       call->position + written_by(trial, call), report));
}

static bool check_estimate(const struct trial *trial,
                           const struct trial_call *call,
                           struct report *report) {
    const uint64_t n = looked_at(call);
    const double truth = n ? (double)trial->kept[n] / (double)n : 0;
    /* Exact, but for the last bit of the division. */
    const double tolerance =
        n <= TRIAL_EXACT_ESTIMATE ? 1e-15 : call->tolerance;
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
        ok = index < looked_at(call) &&
             trial->kept[index] != trial->kept[index + 1] && !seen[index] &&
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
    const uint64_t written = written_by(trial, call);
    const size_t front =
        out_front(trial, call) +
        (call->placed ? call->position * out_size(trial, call) : 0);
    const unsigned char *out = trial->out.seen + front;

    return (call->operation == COPY_INDEX
                ? check_indices(trial, call, out, written, report)
            : call->row->stable ? check_stable(trial, out, written, report)
                                : check_unordered(trial, looked_at(call), out,
                                                  written, report)) &&
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
