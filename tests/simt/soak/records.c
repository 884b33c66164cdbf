/*
 * Records by a field of theirs, alone: the host looks at what is packed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "soak.h"

#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "selection/format.h"

enum {
    TILE = WINNOW__SELECTION_TILE,
    MOST = TILE + 600,
    BYTES = 12 /* of a record, at most */
};

/* Records by a field of theirs, in two kernels; appended. */
static bool run_field(const struct backend *backend, unsigned number,
                      uint64_t seed, struct report *report) {
    static const size_t sizes[] = {5, BYTES, 8, 9};
    const uint64_t n = TILE + 1 + soak_draw(seed, 20, 500);
    const size_t size = sizes[soak_draw(seed, 21, 4)];
    const size_t field = soak_draw(seed, 22, size - 3);
    const uint64_t there = soak_draw(seed, 23, 3) ? n : n - n / 5;
    const uint32_t zero = 0;
    static uint8_t keep[MOST];
    static unsigned char data[MOST * BYTES], *d_in;
    static unsigned char *d_out, out[(MOST + 4) * BYTES];
    static uint64_t *d_numbers;
    uint64_t numbers[2] = {there, 3}, at = 3;
    winnow_predicate *predicate;

    (void)number;
    if (d_out == NULL) {
        d_in = backend_alloc(backend, sizeof(data));
        d_out = backend_alloc(backend, sizeof(out));
        d_numbers = backend_alloc(backend, sizeof(numbers));
    }
    soak_keep(seed, n, keep);
    for (size_t i = 0; i < n * size; i++)
        data[i] = (unsigned char)data_random(seed, i);
    for (uint64_t i = 0; i < n; i++)
        memset(data + i * size + field, keep[i] ? 7 : 0, 4);
    backend_upload(backend, d_in, data, n * size);
    memset(out, 0x5a, (n + 4) * size);
    backend_upload(backend, d_out, out, (n + 4) * size);
    backend_upload(backend, d_numbers, numbers, sizeof(numbers));
    if (winnow_predicate_compare(&predicate, WINNOW_UINT32, WINNOW_NE, &zero) !=
        WINNOW_OK)
        abort();
    const winnow_status status = winnow_copy_columns_if(
        backend->context, predicate,
        &(winnow_in){.type = WINNOW_UINT32,
                     .d_base = d_in + field,
                     .stride_bytes = (int64_t)size},
        n, &(winnow_move){.d_in = d_in, .d_out = d_out, .element_bytes = size},
        1, n + 3, NULL,
        WINNOW_LAUNCH(.stream = backend->stream, .d_n = d_numbers,
                      .d_position = d_numbers + 1));
    winnow_predicate_destroy(predicate);
    if (!soak_done(backend, status, report))
        return false;
    backend_download(backend, out, d_out, (n + 4) * size);
    backend_download(backend, numbers, d_numbers, sizeof(numbers));
    for (uint64_t i = 0; i < there; i++)
        if (keep[i] && memcmp(out + at++ * size, data + i * size, size) != 0)
            return report_fail(report, "record %llu is wrong",
                               (unsigned long long)i);
    if (numbers[1] != at || out[at * size] != 0x5a)
        return report_fail(report, "the records end at %llu, not %llu",
                           (unsigned long long)numbers[1],
                           (unsigned long long)at);
    return true;
}

void soak_records(void) {
    soak_add(SOAK_USUAL, run_field, 0, "records by a field");
}
