/*
 * Elements that a mask flags, of a byte or of a bit for each, beside CUB with
 * bytes. Flags are independent of each other.
 *
 * The bytes that have to be moved: the mask, the sectors of 32 bytes of the
 * input that have an element that is kept, and the output.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "outcome.h"
#include "selections.h"

#include "../util.h"

#include <stdio.h>

#define BYTES sizeof(int32_t)

typedef enum form {
    BYTE_MASK,
    BIT_MASK,
    CUB,
    FORMS
} form;

typedef struct masks {
    bench_lab *lab;
    const selections_cub *cub; /* or NULL */
    form form;
    selections_chosen chosen;
    uint64_t sum;
    int32_t *in; /* random: the lowest are flagged */
    uint8_t *flags;
    int32_t *d_in, *d_out;
    void *d_mask[2]; /* by winnow_mask_kind */
    winnow_launch launch;
    void *d_temp;
    size_t temp_bytes;
    uint64_t *d_count;
} masks;

static winnow_status call(const void *state, const winnow_launch *launch) {
    const masks *m = state;
    const winnow_mask_kind kind =
        m->form == BIT_MASK ? WINNOW_MASK_BITS : WINNOW_MASK_BYTES;
    const winnow_mask mask = {kind, m->d_mask[kind], 0};
    const winnow_move move = {
        .d_in = m->d_in, .d_out = m->d_out, .element_bytes = BYTES};
    return winnow_copy_flagged(m->lab->run->context, &mask, m->chosen.n, &move,
                               1, WINNOW_NO_LIMIT, m->d_count, launch);
}

static void run_cub(masks *m, winnow_stream stream) {
    selections_must(m->cub->flagged(WINNOW_INT32, m->d_mask[WINNOW_MASK_BYTES],
                                    m->d_temp, &m->temp_bytes, m->d_in,
                                    m->chosen.n, m->d_out, m->d_count, stream),
                    "cub::DeviceSelect::Flagged");
}

static void run(void *state, winnow_stream stream) {
    masks *m = state;
    if (m->form == CUB)
        run_cub(m, stream);
    else
        bench_enqueue(call, "winnow_copy_flagged", m, m->launch, stream);
}

static bool right(void *state) {
    const masks *m = state;
    return selections_same(m->lab, m->d_count, &m->chosen.kept,
                           sizeof m->chosen.kept) &&
           selections_packed(&m->chosen, m->lab, m->in, BYTES, m->sum,
                             m->d_out);
}

static void make_input(masks *m, uint64_t n) {
    m->in = lab_host(m->lab, n * BYTES);
#pragma omp parallel for
    for (uint64_t i = 0; i < n; i++)
        m->in[i] = (int32_t)(uint32_t)lab_random(12, i);
    m->flags = lab_host(m->lab, n);
    selections_chosen_init(&m->chosen, m->lab, n);
    m->d_in = lab_send(m->lab, m->in, n * BYTES);
    m->d_out = lab_device(m->lab, n * BYTES);
    m->d_mask[WINNOW_MASK_BYTES] = lab_device(m->lab, n);
    m->d_mask[WINNOW_MASK_BITS] = lab_device(m->lab, 8 * m->chosen.words);
    m->d_count = lab_device(m->lab, sizeof *m->d_count);
}

static void make_workspaces(masks *m) {
    lab_plan(m->lab, call, "a plan of winnow_copy_flagged", m, &m->launch);
    m->cub = selections_cub_of(m->lab);
    if (m->cub == NULL)
        return;
    run_cub(m, m->lab->run->platform.stream); /* asks for the size */
    m->d_temp = lab_device(m->lab, m->temp_bytes);
}

static void set_share(masks *m, double share) {
    selections_chosen *const chosen = &m->chosen;
    const bench_platform *const platform = &m->lab->run->platform;
    selections_all(chosen);
    selections_narrow(chosen, m->in, 1, INT32_MIN,
                      (uint64_t)(share * 4294967296.0));
#pragma omp parallel for
    for (uint64_t i = 0; i < chosen->n; i++)
        m->flags[i] = chosen->bits[i / 64] >> i % 64 & 1;
    m->sum = selections_sum(chosen, m->in, BYTES);
    platform->store(m->d_mask[WINNOW_MASK_BYTES], m->flags, chosen->n);
    platform->store(m->d_mask[WINNOW_MASK_BITS], chosen->bits,
                    8 * chosen->words);
}

static void measure(masks *m, double share) {
    const selections_chosen *const chosen = &m->chosen;
    const uint64_t mask_bytes =
        m->form == BIT_MASK ? (chosen->n + 7) / 8 : chosen->n;
    const uint64_t bytes = mask_bytes + 32 * selections_sectors(chosen, BYTES) +
                           chosen->kept * BYTES;
    char name[64] = "winnow_copy_flagged, a mask of bytes";
    if (m->form == BIT_MASK)
        snprintf(name, sizeof name, "winnow_copy_flagged, a mask of bits");
    else if (m->form == CUB)
        snprintf(name, sizeof name, "%s, DeviceSelect::Flagged",
                 m->cub->name());
    const lab_row row = {.variant = name,
                         .type = "int32",
                         .n = chosen->n,
                         .x_name = "kept",
                         .x = share,
                         .bytes = bytes,
                         .results_p = &chosen->kept,
                         .copy_s = lab_copy(m->lab, bytes)};
    lab_measure(m->lab, &row, &(lab_variant){run, right, m, false});
}

void selections_masks(bench_lab *lab) {
    static const uint64_t usual[] = {UINT64_C(1) << 28};
    static const double usual_shares[] = {0,   0.001, 0.01, 0.05, 0.1, 0.25,
                                          0.5, 0.75,  0.9,  0.99, 1};
    const uint64_t *sizes;
    const double *shares;
    const unsigned count = LAB_SIZES(lab, usual, &sizes);
    const unsigned share_count = LAB_SHARES(lab, usual_shares, &shares);
    for (unsigned i = 0; i < count; i++) {
        masks m = {.lab = lab, .launch = {.size = sizeof m.launch}};
        make_input(&m, sizes[i]);
        make_workspaces(&m);
        for (unsigned s = 0; s < share_count; s++) {
            set_share(&m, shares[s]);
            for (m.form = BYTE_MASK; m.form < FORMS; m.form++)
                if (m.form != CUB || m.cub != NULL)
                    measure(&m, shares[s]);
        }
        lab_free(lab);
    }
}
