/*
 * A filter over segments, which are of equal size or of Zipf's: beside the same
 * filter without segments, and beside a call for each segment.
 *
 * All elements and offsets have to be read; the survivors, and where those of
 * each segment begin, are written. A call for each segment knows nothing of the
 * counts before it, and so leaves its survivors where its segment begins.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "segments.h"

#include "../util.h"
#include "outcome.h"
#include "selections.h"

#include <stdio.h>

static winnow_status call_segmented(const void *state,
                                    const winnow_launch *launch) {
    const segments *c = state;
    const winnow_segments described = {.type = WINNOW_UINT32,
                                       .count = c->number,
                                       .d_offsets = c->d_offsets,
                                       .d_out_offsets = c->d_out_offsets};
    return winnow_segmented_copy_if(
        c->lab->run->context, c->predicate, WINNOW_INT32, c->d_in, c->n,
        &described, c->d_out, WINNOW_NO_LIMIT, c->d_counts, launch);
}

static void run_segmented(void *state, winnow_stream stream) {
    const segments *c = state;
    bench_enqueue(call_segmented, "winnow_segmented_copy_if", c, c->launch,
                  stream);
}

/* Elements from `first` on. */
typedef struct part {
    const segments *c;
    uint64_t first, n;
    uint64_t *d_count;
} part;

static winnow_status call_copy(const void *state, const winnow_launch *launch) {
    const part *p = state;
    const segments *c = p->c;
    return winnow_copy_if(c->lab->run->context, c->predicate, WINNOW_INT32,
                          c->d_in + p->first, p->n, c->d_out + p->first,
                          WINNOW_NO_LIMIT, p->d_count, launch);
}

static void copy_if(const segments *c, uint64_t first, uint64_t n,
                    uint64_t *d_count, winnow_stream stream) {
    const part p = {c, first, n, d_count};
    bench_enqueue(call_copy, "winnow_copy_if", &p, c->launch, stream);
}

static void run_unsegmented(void *state, winnow_stream stream) {
    const segments *c = state;
    copy_if(c, 0, c->n, c->d_counts, stream);
}

static uint64_t size_of(const segments *c, uint64_t segment) {
    return c->offsets[segment + 1] - c->offsets[segment];
}

static void run_calls(void *state, winnow_stream stream) {
    const segments *c = state;
    for (uint64_t s = 0; s < c->number; s++)
        if (size_of(c, s) > 0)
            copy_if(c, c->offsets[s], size_of(c, s), &c->d_counts[s], stream);
}

static void run_cub(void *state, winnow_stream stream) {
    segments *c = state;
    for (uint64_t s = 0; s < c->number; s++)
        if (size_of(c, s) > 0)
            selections_must(
                c->cub->select_if(c->threshold, c->d_temp, &c->temp_bytes,
                                  c->d_in + c->offsets[s], size_of(c, s),
                                  c->d_out + c->offsets[s], &c->d_counts[s],
                                  stream),
                "cub::DeviceSelect::If");
}

/* ------------------------------------------------------------------ results */

static bool right_unsegmented(void *state) {
    const segments *c = state;
    const bool count_right =
        selections_same(c->lab, c->d_counts, &c->kept, sizeof c->kept);
    return selections_same(c->lab, c->d_out, c->expected,
                           c->kept * SEGMENTS_BYTES) &&
           count_right;
}

static bool right_segmented(void *state) {
    const segments *c = state;
    const bool offsets_right =
        selections_same(c->lab, c->d_out_offsets, c->out_offsets,
                        (c->number + 1) * sizeof *c->out_offsets);
    return right_unsegmented(state) && offsets_right;
}

static bool right_calls(void *state) {
    const segments *c = state;
    bool all_right = true;
    for (uint64_t s = 0; s < c->number; s++) {
        const uint64_t before = c->out_offsets[s];
        const uint64_t count = c->out_offsets[s + 1] - before;
        if (size_of(c, s) == 0)
            continue;
        if (!selections_same(c->lab, &c->d_counts[s], &count, sizeof count) ||
            !selections_same(c->lab, c->d_out + c->offsets[s],
                             c->expected + before, count * SEGMENTS_BYTES))
            all_right = false;
    }
    return all_right;
}

/* The most that the calls ask for. Segments as many as there may be. */
static void make_workspace(segments *c) {
    const part all = {c, 0, c->n, c->d_counts};
    winnow_plan segmented, plain;
    c->number = c->n < SEGMENTS_MOST ? c->n : SEGMENTS_MOST;
    bench_check(bench_plan(call_segmented, c, c->launch, &segmented),
                "a plan of winnow_segmented_copy_if");
    bench_check(bench_plan(call_copy, &all, c->launch, &plain),
                "a plan of winnow_copy_if");
    c->launch.workspace_bytes =
        segmented.workspace_bytes > plain.workspace_bytes
            ? segmented.workspace_bytes
            : plain.workspace_bytes;
    c->launch.d_workspace = lab_device(c->lab, c->launch.workspace_bytes);
    if (c->cub == NULL)
        return;
    selections_must(c->cub->select_if(c->threshold, NULL, &c->temp_bytes,
                                      c->d_in, c->n, c->d_out, c->d_counts,
                                      c->lab->run->platform.stream),
                    "cub::DeviceSelect::If");
    c->d_temp = lab_device(c->lab, c->temp_bytes);
}

/* ---------------------------------------------------------------- measuring */

/* `what`, of segments of these sizes; sizes NULL: without segments. */
static void measure(segments *c, const char *what, const char *sizes,
                    double share, const lab_variant *variant) {
    char name[128];
    snprintf(name, sizeof name, "%s%s%s, %g kept", what,
             sizes != NULL ? ", " : "", sizes != NULL ? sizes : "", share);
    lab_row row = {.variant = name,
                   .type = "int32",
                   .n = c->n,
                   .x_name = sizes != NULL ? "segments" : NULL,
                   .x = (double)c->number,
                   .results_p = &c->kept};
    row.bytes = (c->n + c->kept) * SEGMENTS_BYTES;
    if (sizes != NULL)
        row.bytes += 2 * (c->number + 1) * sizeof *c->offsets;
    row.copy_s = lab_copy(c->lab, row.bytes);
    lab_measure(c->lab, &row, variant);
}

static void measure_sizes(segments *c, bool by_zipf, double share) {
    const char *const sizes = by_zipf ? "zipf" : "equal";
    char cub[64];
    segments_make_offsets(c, by_zipf);
    measure(c, "winnow_segmented_copy_if", sizes, share,
            &(lab_variant){run_segmented, right_segmented, c, false});
    if (c->number > SEGMENTS_MOST_CALLS)
        return;
    measure(c, "a call per segment", sizes, share,
            &(lab_variant){run_calls, right_calls, c, false});
    if (c->cub == NULL)
        return;
    snprintf(cub, sizeof cub, "%s If per segment", c->cub->name());
    measure(c, cub, sizes, share,
            &(lab_variant){run_cub, right_calls, c, false});
}

/* No more segments than elements. */
static void measure_share(segments *c, double share) {
    static const uint64_t numbers[] = {1,       1 << 5,  1 << 10,
                                       1 << 16, 1 << 20, SEGMENTS_MOST};
    segments_set_share(c, share);
    if (c->launch.d_workspace == NULL)
        make_workspace(c);
    measure(c, "unsegmented", NULL, share,
            &(lab_variant){run_unsegmented, right_unsegmented, c, false});
    for (unsigned k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
        c->number = numbers[k];
        if (c->number > c->n)
            break;
        measure_sizes(c, false, share);
        if (c->number > 1)
            measure_sizes(c, true, share);
    }
    winnow_predicate_destroy(c->predicate);
}

void selections_segments(bench_lab *lab) {
    static const uint64_t usual[] = {UINT64_C(1) << 28};
    static const double usual_shares[] = {0.1, 0.5};
    const uint64_t *sizes;
    const double *shares;
    const unsigned count = LAB_SIZES(lab, usual, &sizes);
    const unsigned share_count = LAB_SHARES(lab, usual_shares, &shares);
    for (unsigned i = 0; i < count; i++) {
        segments c = {
            .lab = lab,
            .cub = selections_cub_of(lab),
            .n = sizes[i],
            .launch = {.size = sizeof c.launch, .order = WINNOW_STABLE}};
        if (c.n > UINT32_MAX)
            bench_fail("segments: more than 2^32 - 1 elements");
        segments_open(&c);
        for (unsigned s = 0; s < share_count; s++)
            measure_share(&c, shares[s]);
        lab_free(lab);
    }
}
