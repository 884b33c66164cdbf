/*
 * Two filters, one over the survivors of the other: the count of the first is
 * the number of items of the second, and stays on the device. Beside that each
 * filter alone, with a number that the host knows. The second keeps half of what
 * the first kept.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "selections.h"

#include "../util.h"

#include <stdio.h>

#define BYTES sizeof(int32_t)

typedef enum form {
    FIRST,
    SECOND,
    BOTH,
    FORMS
} form;

static const char *const names[FORMS] = {
    [FIRST] = "the first",
    [SECOND] = "the second",
    [BOTH] = "both",
};

/* What a filter is. */
typedef struct way {
    const char *name;
    bool copies; /* in one call */
    winnow_order order;
} way;

static const way ways[] = {
    {"select, compact", false, WINNOW_STABLE},
    {"copy_if, unordered", true, WINNOW_UNORDERED},
    {"copy_if, stable", true, WINNOW_STABLE},
};
#define WAYS (sizeof ways / sizeof ways[0])

typedef struct chain {
    bench_lab *lab;
    const way *way;
    form form;
    uint64_t n, kept[2];
    uint64_t sum[2]; /* of the survivors */
    winnow_predicate *predicate[2];
    int32_t *d_in, *d_out[2];
    void *d_selection;
    size_t selection_bytes;
    uint64_t *d_count; /* of both filters */
    void *d_workspace;
    size_t workspace_bytes;
} chain;

/* One filter: of the input, or of what the other one kept. */
typedef struct filter {
    const chain *chain;
    unsigned which;
    uint64_t n;
} filter;

static const int32_t *input(const filter *f) {
    return f->which == 0 ? f->chain->d_in : f->chain->d_out[0];
}

static winnow_status call_select(const void *state,
                                 const winnow_launch *launch) {
    const filter *f = state;
    const chain *c = f->chain;
    return winnow_select_if(c->lab->run->context, c->predicate[f->which],
                            WINNOW_INT32, input(f), f->n, c->d_selection,
                            c->selection_bytes, launch);
}

static winnow_status call_compact(const void *state,
                                  const winnow_launch *launch) {
    const filter *f = state;
    const chain *c = f->chain;
    return winnow_compact(c->lab->run->context, c->d_selection, input(f), f->n,
                          BYTES, c->d_out[f->which], WINNOW_NO_LIMIT,
                          &c->d_count[f->which], launch);
}

static winnow_status call_copy(const void *state, const winnow_launch *launch) {
    const filter *f = state;
    const chain *c = f->chain;
    return winnow_copy_if(c->lab->run->context, c->predicate[f->which],
                          WINNOW_INT32, input(f), f->n, c->d_out[f->which],
                          WINNOW_NO_LIMIT, &c->d_count[f->which], launch);
}

static winnow_launch launch_of(const chain *c, const uint64_t *d_n) {
    winnow_launch launch = {.size = sizeof launch, .d_n = d_n};
    launch.order = c->way->order;
    launch.d_workspace = c->d_workspace;
    launch.workspace_bytes = c->workspace_bytes;
    return launch;
}

static void run_filter(const chain *c, unsigned which, uint64_t n,
                       const uint64_t *d_n, winnow_stream stream) {
    const winnow_launch launch = launch_of(c, d_n);
    const filter f = {c, which, n};
    if (c->way->copies) {
        bench_enqueue(call_copy, "winnow_copy_if", &f, launch, stream);
        return;
    }
    bench_enqueue(call_select, "winnow_select_if", &f, launch, stream);
    /* The selection keeps no item from *d_n on. */
    bench_enqueue(call_compact, "winnow_compact", &f, launch_of(c, NULL),
                  stream);
}

/* The second's number of items is the word that the first counts in. */
static void run(void *state, winnow_stream stream) {
    const chain *c = state;
    if (c->form != SECOND)
        run_filter(c, 0, c->n, NULL, stream);
    if (c->form == SECOND)
        run_filter(c, 1, c->kept[0], NULL, stream);
    else if (c->form == BOTH)
        run_filter(c, 1, c->n, c->d_count, stream);
}

static bool is_right(const chain *c, unsigned which) {
    const bench_platform *const platform = &c->lab->run->platform;
    uint64_t count;
    lab_fetch(c->lab, &count, &c->d_count[which], sizeof count);
    return count == c->kept[which] &&
           platform->sum(c->d_out[which], BYTES, count) == c->sum[which];
}

static bool right(void *state) {
    const chain *c = state;
    return (c->form == SECOND || is_right(c, 0)) &&
           (c->form == FIRST || is_right(c, 1));
}

/* Everything below the bound is kept, by the host's reckoning. */
static void expect(chain *c, unsigned which, const int32_t *in, int32_t bound) {
    c->kept[which] = c->sum[which] = 0;
    for (uint64_t i = 0; i < c->n; i++) {
        if (in[i] >= bound)
            continue;
        c->kept[which]++;
        c->sum[which] += bench_scramble((uint32_t)in[i]);
    }
}

static void make_input(chain *c) {
    int32_t *const in = lab_host(c->lab, c->n * BYTES);
    for (uint64_t i = 0; i < c->n; i++)
        in[i] = (int32_t)(uint32_t)lab_random(11, i);
    c->d_in = lab_send(c->lab, in, c->n * BYTES);
    for (unsigned which = 0; which < 2; which++)
        c->d_out[which] = lab_device(c->lab, c->n * BYTES);
    c->d_count = lab_device(c->lab, 2 * sizeof *c->d_count);
    bench_check(winnow_selection_bytes(c->n, &c->selection_bytes),
                "winnow_selection_bytes");
    c->d_selection = lab_device(c->lab, c->selection_bytes);
}

static void ask(chain *c, bench_call *call, uint64_t n, const uint64_t *d_n) {
    const filter f = {c, 0, n};
    winnow_plan plan;
    bench_check(bench_plan(call, &f, launch_of(c, d_n), &plan),
                "a plan of a filter");
    if (plan.workspace_bytes > c->workspace_bytes)
        c->workspace_bytes = plan.workspace_bytes;
}

/* The most that any of the calls asks for: fewer items may need more. */
static void make_workspace(chain *c) {
    const size_t before = c->workspace_bytes;
    for (unsigned w = 0; w < WAYS; w++) {
        bench_call *const call = ways[w].copies ? call_copy : call_select;
        c->way = &ways[w];
        ask(c, call, c->n, NULL);
        ask(c, call, c->kept[0], NULL);
        ask(c, call, c->n, c->d_count);
        if (!c->way->copies)
            ask(c, call_compact, c->n, NULL);
    }
    if (c->workspace_bytes > before)
        c->d_workspace = lab_device(c->lab, c->workspace_bytes);
}

/* The first filter keeps this share of all. */
static void set_share(chain *c, const int32_t *in, double share) {
    for (unsigned which = 0; which < 2; which++, share /= 2) {
        const int32_t bound = lab_bound(share);
        bench_check(winnow_predicate_compare(&c->predicate[which], WINNOW_INT32,
                                             WINNOW_LT, &bound),
                    "winnow_predicate_compare");
        expect(c, which, in, bound);
    }
}

static void measure(chain *c, double share) {
    const uint64_t bytes[FORMS] = {
        [FIRST] = (c->n + c->kept[0]) * BYTES,
        [SECOND] = (c->kept[0] + c->kept[1]) * BYTES,
        [BOTH] = (c->n + 2 * c->kept[0] + c->kept[1]) * BYTES};
    char name[96];
    c->form = FIRST;
    run(c, c->lab->run->platform.stream); /* the second's input */
    for (c->form = FIRST; c->form < FORMS; c->form++) {
        snprintf(name, sizeof name, "%s: %s", c->way->name, names[c->form]);
        const lab_row row = {.variant = name,
                             .type = "int32",
                             .n = c->n,
                             .x_name = "kept",
                             .x = share,
                             .bytes = bytes[c->form],
                             .copy_s = lab_copy(c->lab, bytes[c->form])};
        lab_measure(c->lab, &row, &(lab_variant){run, right, c, false});
    }
}

void selections_chain(bench_lab *lab) {
    static const uint64_t usual[] = {UINT64_C(1) << 20, UINT64_C(1) << 28};
    static const double usual_shares[] = {0.01, 0.1, 0.5, 0.9};
    const uint64_t *sizes;
    const double *shares;
    const unsigned count = LAB_SIZES(lab, usual, &sizes);
    const unsigned share_count = LAB_SHARES(lab, usual_shares, &shares);
    for (unsigned i = 0; i < count; i++) {
        chain c = {.lab = lab, .n = sizes[i]};
        make_input(&c);
        for (unsigned s = 0; s < share_count; s++) {
            set_share(&c, lab->host[0], shares[s]);
            make_workspace(&c);
            for (unsigned w = 0; w < WAYS; w++) {
                c.way = &ways[w];
                measure(&c, shares[s]);
            }
            for (unsigned which = 0; which < 2; which++)
                winnow_predicate_destroy(c.predicate[which]);
        }
        lab_free(lab);
    }
}
