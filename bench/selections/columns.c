/*
 * Several columns packed by a predicate on the first, beside CUB: a kernel
 * makes flags of the key, and DeviceSelect::Flagged packs each column by them;
 * or DeviceSelect::If packs rows, by a zip iterator over the columns. These
 * have 4 and 8 bytes in turn. A size is the bytes of all columns.
 *
 * The bytes that have to be moved: the key column once, of each other column
 * the sectors of 32 bytes that have an element that is kept, and all that is
 * kept once more, written.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "outcome.h"
#include "selections.h"

#include "../util.h"

#include <stdio.h>

#define MOST 13
#define ALIGNMENT 256

typedef enum form {
    WINNOW,
    CUB_FLAGS,
    CUB_ZIP,
    FORMS
} form;

typedef struct columns {
    bench_lab *lab;
    const selections_cub *cub; /* or NULL */
    form form;
    unsigned number;
    selections_chosen chosen;
    uint64_t bytes; /* of input */
    char *in, *d_in, *d_out;
    size_t offset[MOST]; /* of each column, in these */
    uint64_t sum[MOST];
    winnow_predicate *predicate;
    int32_t bound;
    winnow_launch launch;
    void *d_temp;
    size_t temp_bytes;
    uint8_t *d_flags;
    uint64_t *d_count;
} columns;

static size_t width(unsigned column) {
    return column % 2 == 0 ? 4 : 8;
}

static size_t row_bytes(unsigned number) {
    size_t bytes = 0;
    for (unsigned c = 0; c < number; c++)
        bytes += width(c);
    return bytes;
}

static winnow_status call(const void *state, const winnow_launch *launch) {
    const columns *t = state;
    const winnow_in key = {.type = WINNOW_INT32, .d_base = t->d_in};
    winnow_move moves[MOST];
    for (unsigned c = 0; c < t->number; c++)
        moves[c] = (winnow_move){.d_in = t->d_in + t->offset[c],
                                 .d_out = t->d_out + t->offset[c],
                                 .element_bytes = width(c)};
    return winnow_copy_columns_if(t->lab->run->context, t->predicate, &key,
                                  t->chosen.n, moves, t->number,
                                  WINNOW_NO_LIMIT, t->d_count, launch);
}

static void run_flagged(columns *t, unsigned column, winnow_stream stream) {
    const winnow_type type = width(column) == 4 ? WINNOW_INT32 : WINNOW_INT64;
    selections_must(t->cub->flagged(type, t->d_flags, t->d_temp, &t->temp_bytes,
                                    t->d_in + t->offset[column], t->chosen.n,
                                    t->d_out + t->offset[column], t->d_count,
                                    stream),
                    "cub::DeviceSelect::Flagged");
}

static void run_flags(columns *t, winnow_stream stream) {
    selections_must(t->cub->make_flags(t->bound, (const int32_t *)t->d_in,
                                       t->chosen.n, t->d_flags, stream),
                    "a kernel that makes flags");
    for (unsigned c = 0; c < t->number; c++)
        run_flagged(t, c, stream);
}

static void run_zip(columns *t, winnow_stream stream) {
    const void *d_in[MOST];
    void *d_out[MOST];
    for (unsigned c = 0; c < t->number; c++) {
        d_in[c] = t->d_in + t->offset[c];
        d_out[c] = t->d_out + t->offset[c];
    }
    selections_must(t->cub->select_rows(t->number, t->bound, t->d_temp,
                                        &t->temp_bytes, d_in, t->chosen.n,
                                        d_out, t->d_count, stream),
                    "cub::DeviceSelect::If over a zip iterator");
}

static void run(void *state, winnow_stream stream) {
    columns *t = state;
    if (t->form == WINNOW)
        bench_enqueue(call, "winnow_copy_columns_if", t, t->launch, stream);
    else if (t->form == CUB_FLAGS)
        run_flags(t, stream);
    else
        run_zip(t, stream);
}

static bool right(void *state) {
    const columns *t = state;
    if (!selections_same(t->lab, t->d_count, &t->chosen.kept,
                         sizeof t->chosen.kept))
        return false;
    for (unsigned c = 0; c < t->number; c++)
        if (!selections_packed(&t->chosen, t->lab, t->in + t->offset[c],
                               width(c), t->sum[c], t->d_out + t->offset[c]))
            return false;
    return true;
}

/* For all numbers of columns. */
static void make_input(columns *t) {
    const size_t bytes = t->bytes / 8 * 8 + (size_t)MOST * ALIGNMENT + 4096;
    uint64_t *const words = lab_host(t->lab, bytes);
#pragma omp parallel for
    for (uint64_t i = 0; i < bytes / 8; i++)
        words[i] = lab_random(16, i);
    t->in = (char *)words;
    t->d_in = lab_send(t->lab, words, bytes);
    t->d_out = lab_device(t->lab, bytes);
    t->d_count = lab_device(t->lab, sizeof *t->d_count);
}

/* The temporary memory that rows need, or a column of 8 bytes, or of 4. */
static void reserve_temp(columns *t) {
    const winnow_stream stream = t->lab->run->platform.stream;
    t->d_temp = NULL;
    run_zip(t, stream);
    size_t most = t->temp_bytes;
    for (unsigned c = 0; c < 2; c++) {
        run_flagged(t, c, stream);
        most = t->temp_bytes > most ? t->temp_bytes : most;
    }
    t->temp_bytes = most;
    t->d_temp = lab_device(t->lab, most);
    t->d_flags = lab_device(t->lab, t->chosen.n);
}

static void set_number(columns *t, unsigned number) {
    const uint64_t n = t->bytes / row_bytes(number);
    size_t offset = 0;
    t->number = number;
    t->launch = (winnow_launch){.size = sizeof t->launch};
    selections_chosen_init(&t->chosen, t->lab, n > 0 ? n : 1);
    for (unsigned c = 0; c < number; c++) {
        t->offset[c] = offset;
        offset +=
            (t->chosen.n * width(c) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
    if (t->cub != NULL)
        reserve_temp(t);
}

static void set_share(columns *t, double share) {
    t->bound = lab_bound(share);
    bench_check(winnow_predicate_compare(&t->predicate, WINNOW_INT32, WINNOW_LT,
                                         &t->bound),
                "winnow_predicate_compare");
    selections_below(&t->chosen, (const int32_t *)t->in, 1, t->bound);
    for (unsigned c = 0; c < t->number; c++)
        t->sum[c] = selections_sum(&t->chosen, t->in + t->offset[c], width(c));
}

static uint64_t bytes_to_move(const columns *t) {
    uint64_t bytes =
        t->chosen.n * width(0) + t->chosen.kept * row_bytes(t->number);
    for (unsigned c = 1; c < t->number; c++)
        bytes += 32 * selections_sectors(&t->chosen, width(c));
    return bytes;
}

static void measure(columns *t, double share) {
    const uint64_t bytes = bytes_to_move(t);
    char name[64];
    if (t->form == WINNOW)
        snprintf(name, sizeof name, "%u columns, winnow_copy_columns_if",
                 t->number);
    else
        snprintf(name, sizeof name, "%u columns, %s %s", t->number,
                 t->form == CUB_FLAGS ? "flags and" : "a zip iterator and",
                 t->cub->name());
    const lab_row row = {.variant = name,
                         .type = "mixed",
                         .n = t->chosen.n,
                         .x_name = "kept",
                         .x = share,
                         .bytes = bytes,
                         .results_p = &t->chosen.kept,
                         .copy_s = lab_copy(t->lab, bytes)};
    lab_measure(t->lab, &row, &(lab_variant){run, right, t, false});
}

static void measure_number(columns *t, const double *shares,
                           unsigned share_count) {
    for (unsigned s = 0; s < share_count; s++) {
        set_share(t, shares[s]);
        if (t->launch.d_workspace == NULL)
            lab_plan(t->lab, call, "a plan of winnow_copy_columns_if", t,
                     &t->launch);
        for (t->form = WINNOW; t->form < FORMS; t->form++)
            if (t->form == WINNOW || t->cub != NULL)
                measure(t, shares[s]);
        winnow_predicate_destroy(t->predicate);
    }
}

void selections_columns(bench_lab *lab) {
    static const uint64_t usual[] = {UINT64_C(1) << 30};
    static const double usual_shares[] = {0.001, 0.01, 0.1, 0.5, 0.9};
    static const unsigned numbers[] = {2, 4, MOST};
    const uint64_t *sizes;
    const double *shares;
    const unsigned count = LAB_SIZES(lab, usual, &sizes);
    const unsigned share_count = LAB_SHARES(lab, usual_shares, &shares);
    for (unsigned i = 0; i < count; i++) {
        columns t = {
            .lab = lab, .cub = selections_cub_of(lab), .bytes = sizes[i]};
        make_input(&t);
        for (unsigned k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
            set_number(&t, numbers[k]);
            measure_number(&t, shares, share_count);
        }
        lab_free(lab);
    }
}
