/*
 * Records packed by a field of theirs, beside CUB: DeviceSelect::If over an
 * array of structs, or over their indices, with a kernel that gathers the
 * records. The keys are int32, 8 bytes into a record. A size is the bytes of
 * all records.
 *
 * The bytes that have to be moved: the records that are kept, read and written;
 * of the others the sector of 32 bytes with the key, or all of a record below
 * 128 bytes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "outcome.h"
#include "selections.h"

#include "../util.h"

#include <stdio.h>

#define KEY_OFFSET 8
#define SECTOR 32
#define WHOLE_BELOW 128

typedef enum form {
    WINNOW,
    CUB_STRUCTS,
    CUB_INDICES,
    FORMS
} form;

typedef struct records {
    bench_lab *lab;
    const selections_cub *cub; /* or NULL */
    form form;
    size_t bytes_each;
    selections_chosen chosen;
    uint64_t sum;
    uint64_t bytes; /* of input */
    char *in, *d_in, *d_out;
    winnow_predicate *predicate;
    int32_t bound;
    winnow_launch launch;
    void *d_temp;
    size_t temp_bytes;
    uint32_t *d_indices;
    uint64_t *d_count;
} records;

static winnow_status call(const void *state, const winnow_launch *launch) {
    const records *r = state;
    const winnow_in key = {.type = WINNOW_INT32,
                           .d_base = r->d_in + KEY_OFFSET,
                           .stride_bytes = (int64_t)r->bytes_each};
    const winnow_move move = {
        .d_in = r->d_in, .d_out = r->d_out, .element_bytes = r->bytes_each};
    return winnow_copy_columns_if(r->lab->run->context, r->predicate, &key,
                                  r->chosen.n, &move, 1, WINNOW_NO_LIMIT,
                                  r->d_count, launch);
}

static void run_structs(records *r, winnow_stream stream) {
    selections_must(r->cub->select_records(r->bytes_each, r->bound, r->d_temp,
                                           &r->temp_bytes, r->d_in, r->chosen.n,
                                           r->d_out, r->d_count, stream),
                    "cub::DeviceSelect::If");
}

static void run_indices(records *r, winnow_stream stream) {
    selections_must(r->cub->select_record_indices(
                        r->bytes_each, r->bound, r->d_temp, &r->temp_bytes,
                        r->d_in, r->chosen.n, r->d_indices, r->d_count, stream),
                    "cub::DeviceSelect::If over a counting iterator");
    if (r->d_temp != NULL)
        selections_must(r->cub->gather_records(r->bytes_each, r->d_in,
                                               r->d_indices, r->d_count,
                                               r->d_out, stream),
                        "a kernel that gathers records");
}

static void run(void *state, winnow_stream stream) {
    records *r = state;
    if (r->form == WINNOW)
        bench_enqueue(call, "winnow_copy_columns_if", r, r->launch, stream);
    else if (r->form == CUB_STRUCTS)
        run_structs(r, stream);
    else
        run_indices(r, stream);
}

static bool right(void *state) {
    const records *r = state;
    return selections_same(r->lab, r->d_count, &r->chosen.kept,
                           sizeof r->chosen.kept) &&
           selections_packed(&r->chosen, r->lab, r->in, r->bytes_each, r->sum,
                             r->d_out);
}

/* For records of all sizes. */
static void make_input(records *r) {
    uint64_t *const words = lab_host(r->lab, r->bytes);
#pragma omp parallel for
    for (uint64_t i = 0; i < r->bytes / 8; i++)
        words[i] = lab_random(17, i);
    r->in = (char *)words;
    r->d_in = lab_send(r->lab, words, r->bytes);
    r->d_out = lab_device(r->lab, r->bytes);
    r->d_count = lab_device(r->lab, sizeof *r->d_count);
}

static void reserve_temp(records *r) {
    const winnow_stream stream = r->lab->run->platform.stream;
    r->d_temp = NULL;
    run_structs(r, stream);
    const size_t structs = r->temp_bytes;
    run_indices(r, stream);
    if (structs > r->temp_bytes)
        r->temp_bytes = structs;
    r->d_temp = lab_device(r->lab, r->temp_bytes);
    r->d_indices = lab_device(r->lab, r->chosen.n * sizeof *r->d_indices);
}

static void set_size(records *r, size_t bytes_each) {
    r->bytes_each = bytes_each;
    selections_chosen_init(&r->chosen, r->lab, r->bytes / bytes_each);
    r->launch = (winnow_launch){.size = sizeof r->launch};
    if (r->cub != NULL)
        reserve_temp(r);
}

static void set_share(records *r, double share) {
    r->bound = lab_bound(share);
    bench_check(winnow_predicate_compare(&r->predicate, WINNOW_INT32, WINNOW_LT,
                                         &r->bound),
                "winnow_predicate_compare");
    selections_below(&r->chosen, (const int32_t *)(r->in + KEY_OFFSET),
                     r->bytes_each / sizeof(int32_t), r->bound);
    r->sum = selections_sum(&r->chosen, r->in, r->bytes_each);
}

static uint64_t moved(const records *r) {
    const uint64_t kept = r->chosen.kept * r->bytes_each;
    if (r->bytes_each < WHOLE_BELOW)
        return r->chosen.n * r->bytes_each + kept;
    return (r->chosen.n - r->chosen.kept) * SECTOR + 2 * kept;
}

static void measure(records *r, double share) {
    static const char *const calls[FORMS] = {[WINNOW] =
                                                 "winnow_copy_columns_if",
                                             [CUB_STRUCTS] = "DeviceSelect::If",
                                             [CUB_INDICES] = "indices, gather"};
    const uint64_t bytes = moved(r);
    char name[64];
    snprintf(name, sizeof name, "%zu bytes, %s%s%s", r->bytes_each,
             r->form == WINNOW ? "" : r->cub->name(),
             r->form == WINNOW ? "" : " ", calls[r->form]);
    const lab_row row = {.variant = name,
                         .type = "int32",
                         .n = r->chosen.n,
                         .x_name = "kept",
                         .x = share,
                         .bytes = bytes,
                         .results_p = &r->chosen.kept,
                         .copy_s = lab_copy(r->lab, bytes)};
    lab_measure(r->lab, &row, &(lab_variant){run, right, r, false});
}

static void measure_size(records *r, const double *shares,
                         unsigned share_count) {
    for (unsigned s = 0; s < share_count; s++) {
        set_share(r, shares[s]);
        if (r->launch.d_workspace == NULL)
            lab_plan(r->lab, call, "a plan of winnow_copy_columns_if", r,
                     &r->launch);
        for (r->form = WINNOW; r->form < FORMS; r->form++)
            if (r->form == WINNOW || r->cub != NULL)
                measure(r, shares[s]);
        winnow_predicate_destroy(r->predicate);
    }
}

void selections_records(bench_lab *lab) {
    static const uint64_t usual[] = {UINT64_C(1) << 30};
    static const double usual_shares[] = {0.001, 0.01, 0.1, 0.5, 0.9};
    static const size_t each[] = {16, 32, 128, 1024, 4096};
    const uint64_t *sizes;
    const double *shares;
    const unsigned count = LAB_SIZES(lab, usual, &sizes);
    const unsigned share_count = LAB_SHARES(lab, usual_shares, &shares);
    for (unsigned i = 0; i < count; i++) {
        const uint64_t least = each[sizeof each / sizeof each[0] - 1];
        records r = {.lab = lab,
                     .cub = selections_cub_of(lab),
                     .bytes = sizes[i] > least ? sizes[i] / 8 * 8 : least};
        make_input(&r);
        for (unsigned k = 0; k < sizeof each / sizeof each[0]; k++) {
            set_size(&r, each[k]);
            measure_size(&r, shares, share_count);
        }
        lab_free(lab);
    }
}
