/*
 * Two filters, one over the survivors of the other: the number of survivors
 * stays on the device, beside calls that are given it by the host. The second
 * keeps half of what the first kept.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "selections.h"

#include "../util.h"

#include <string.h>

#define BYTES sizeof(int32_t)

typedef enum form {
    FIRST,
    SECOND,
    BOTH,
    FORMS
} form;

static const char *const names[FORMS] = {
    [FIRST] = "the first filter",
    [SECOND] = "the second, its size known to the host",
    [BOTH] = "both, the size on the device",
};

typedef struct chain {
    bench_lab *lab;
    form form;
    uint64_t n, kept[2];
    uint64_t sum[2]; /* of the survivors */
    winnow_predicate *predicate[2];
    int32_t *d_in, *d_out[2];
    void *d_selection;
    size_t selection_bytes;
    uint64_t *d_count; /* of both filters */
} chain;

static void filter(const chain *c, unsigned which, uint64_t n,
                   const uint64_t *d_n, winnow_stream stream) {
    winnow_context *const context = c->lab->run->context;
    const int32_t *const d_in = which == 0 ? c->d_in : c->d_out[0];
    bench_check(winnow_select_if(context, c->predicate[which], d_in, n,
                                 c->d_selection, c->selection_bytes, d_n,
                                 stream),
                "winnow_select_if");
    bench_check(winnow_compact(context, c->d_selection, d_in, n, BYTES,
                               c->d_out[which], WINNOW_NO_LIMIT, NULL,
                               &c->d_count[which], stream),
                "winnow_compact");
}

static void run(void *state, winnow_stream stream) {
    const chain *c = state;
    if (c->form != SECOND)
        filter(c, 0, c->n, NULL, stream);
    if (c->form == SECOND)
        filter(c, 1, c->kept[0], NULL, stream);
    else if (c->form == BOTH)
        filter(c, 1, c->n, c->d_count, stream);
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

/* The first filter keeps this share of all. */
static void set_share(chain *c, const int32_t *in, double share) {
    for (unsigned which = 0; which < 2; which++, share /= 2) {
        const int32_t bound = lab_bound(share);
        bench_check(winnow_predicate_compare(&c->predicate[which], WINNOW_INT32,
                                             WINNOW_LT, &bound),
                    "winnow_predicate_compare");
        expect(c, which, in, bound);
    }
    c->form = FIRST;
    run(c, c->lab->run->platform.stream); /* the second's input */
}

void selections_chain(bench_lab *lab) {
    static const uint64_t usual[] = {UINT64_C(1) << 28};
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
            for (c.form = FIRST; c.form < FORMS; c.form++) {
                const uint64_t bytes[FORMS] = {
                    [FIRST] = (c.n + c.kept[0]) * BYTES,
                    [SECOND] = (c.kept[0] + c.kept[1]) * BYTES,
                    [BOTH] = (c.n + 2 * c.kept[0] + c.kept[1]) * BYTES};
                const lab_row row = {.variant = names[c.form],
                                     .type = "int32",
                                     .n = c.n,
                                     .x_name = "kept",
                                     .x = shares[s],
                                     .bytes = bytes[c.form],
                                     .copy_s = lab_copy(lab, bytes[c.form])};
                lab_measure(lab, &row, &(lab_variant){run, right, &c, false});
            }
            for (unsigned which = 0; which < 2; which++)
                winnow_predicate_destroy(c.predicate[which]);
        }
        lab_free(lab);
    }
}
