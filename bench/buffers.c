/*
 * The memory that the contenders share: it grows as cells need it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "run.h"

#include "util.h"

/* Contents are lost. */
static void reserve(bench_run *run, void **buffer_p, size_t *bytes_p,
                    size_t bytes) {
    if (bytes <= *bytes_p)
        return;
    if (*buffer_p != NULL)
        run->platform.release(*buffer_p);
    *buffer_p = run->platform.alloc(bytes);
    *bytes_p = bytes;
    run->platform.poison(*buffer_p, bytes);
}

void bench_run_reserve_workspace(bench_run *run, size_t bytes) {
    reserve(run, &run->d_workspace, &run->workspace_bytes, bytes);
}

void bench_run_reserve_selection(bench_run *run, const bench_cell *cell) {
    size_t bytes;
    bench_check(winnow_selection_bytes(cell->n, &bytes),
                "winnow_selection_bytes");
    reserve(run, &run->d_selection, &run->selection_bytes, bytes);
    reserve(run, &run->d_flags, &run->flag_bytes, (size_t)cell->n);
}

void bench_run_take_arrays(bench_run *run, unsigned which) {
    const size_t offset = which * run->stride;
    run->d_in = (char *)run->d_inputs + offset;
    run->d_out = (char *)run->d_outputs + offset;
    run->d_rejected = run->has_rejects ? (char *)run->d_rejects + offset : NULL;
}

/*
 * Of calls that follow each other all but the first would find in the caches
 * what the last left there: so each gets arrays of its own, as far as there are
 * more of them than the caches can hold.
 */
static unsigned count_arrays(const bench_run *run, size_t bytes,
                             unsigned calls) {
    const size_t much = 2 * run->platform.cache_bytes;
    if (bytes > much)
        return 1; /* never in the caches */
    const size_t enough = much / bytes + 2;
    return enough < calls ? (unsigned)enough : calls;
}

void bench_run_reserve_arrays(bench_run *run, const bench_cell *cell,
                              unsigned calls) {
    /* As far apart as allocations are; and the copy kernel rounds up to whole
     * 16-byte vectors. */
    const size_t line = 256;
    const size_t size =
        run->index_bytes > cell->data.size ? run->index_bytes : cell->data.size;
    /* The copy reads one half of all bytes and writes the other. */
    const size_t beside = (size_t)cell->n * run->beside_bits / 16;
    run->stride = ((size_t)cell->n * size + beside + line - 1) / line * line;
    run->arrays = count_arrays(run, run->stride, calls);
    const size_t bytes = run->stride * run->arrays;
    const size_t bases =
        (size_t)bench_chunk_count(cell->n) * sizeof *run->d_bases;
    size_t out_bytes = run->array_bytes;
    void *d_bases = run->d_bases;
    reserve(run, &run->d_inputs, &run->array_bytes, bytes);
    reserve(run, &run->d_outputs, &out_bytes, bytes);
    if (run->has_rejects)
        reserve(run, &run->d_rejects, &run->reject_bytes, bytes);
    reserve(run, &d_bases, &run->base_bytes, bases);
    run->d_bases = d_bases;
    bench_run_take_arrays(run, 0);
}
