/*
 * How much a call divides its work into; how many threads it takes on the host;
 * and what it does without memory for what a context keeps.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/launch.h"
#include "data.h"
#include "suite.h"
#include "tasks.h"

Test(resources, divided_up) {
    cr_assert_eq(winnow__divide_up(0, 3), 0u);
    cr_assert_eq(winnow__divide_up(1, 3), 1u);
    cr_assert_eq(winnow__divide_up(3, 3), 1u);
    cr_assert_eq(winnow__divide_up(4, 3), 2u);
    cr_assert_eq(winnow__divide_up(7, 3), 3u);
    cr_assert_eq(winnow__divide_up(UINT64_MAX, 1), UINT64_MAX);
    cr_assert_eq(winnow__divide_up(UINT64_MAX, 2), UINT64_C(1) << 63);
}

/* ----------------------------------------------------- threads of the host */

/* Bytes packed in place, of which one of each `each` is kept. Returns how many
 * threads were started. */
static unsigned pack(uint64_t n, uint64_t each) {
    unsigned char *const keep = must_alloc(n);
    struct backend backend;
    void *selection;
    size_t bytes;
    const unsigned before = count_threads();
    unsigned after;

    backend_open_host(&backend);
    for (uint64_t i = 0; i < n; i++)
        keep[i] = i % each == 1;
    cr_assert_eq(winnow_selection_bytes(n, &bytes), WINNOW_OK);
    selection = backend_alloc(&backend, bytes);
    cr_assert_eq(winnow_context_set_threads(backend.context, 1), WINNOW_OK);
    cr_assert_eq(winnow_select_flagged(backend.context,
                                       &(winnow_mask){.d_flags = keep}, n,
                                       selection, bytes, NULL),
                 WINNOW_OK, "%s", winnow_last_error());
    cr_assert_eq(winnow_context_set_threads(backend.context, 3), WINNOW_OK);
    const winnow_move move = {.d_in = keep, .d_out = keep, .element_bytes = 1};
    cr_assert_eq(winnow_compact_columns(backend.context, selection, n, &move, 1,
                                        WINNOW_NO_LIMIT, NULL, NULL),
                 WINNOW_OK, "%s", winnow_last_error());
    after = count_threads();
    for (uint64_t i = 0; i < n / each; i++)
        cr_assert_eq(keep[i], 1);
    backend_free(&backend, selection);
    backend_close(&backend);
    free(keep);
    cr_assert(threads_become(before), "threads outlive their context");
    return after - before;
}

/* One for each MiB that is read: the lines that the survivors lie in, and a bit
 * for each item. */
Test(resources, threads_of_packing_in_place) {
    if (count_threads() == 0)
        cr_skip_test("no /proc/self/task");
    cr_assert_eq(pack(4 << 20, 16), 2u);
    cr_assert_eq(pack(4 << 20, 200), 0u);
    cr_assert_eq(pack(8 << 20, 8 << 10), 0u);
}

/* ------------------------------------------------------- without memory */

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) &&                    \
    !defined(__SANITIZE_THREAD__)
void *__libc_calloc(size_t number, size_t bytes);

/* How many allocations by calloc() there will be before the one that fails;
 * below 0: none fails any more. */
static atomic_long until_failure = -1;

/* In place of the C library's, also for libwinnow. */
void *calloc(size_t number, size_t bytes) {
    if (atomic_load(&until_failure) >= 0 &&
        atomic_fetch_sub(&until_failure, 1) == 0)
        return NULL;
    return __libc_calloc(number, bytes);
}

/* The first call with a context, which makes what the context keeps; each of
 * its allocations fails once. */
Test(resources, no_memory_for_unique) {
    bool failed = true, refused = false;

    for (long k = 0; failed; k++) {
        struct backend backend;
        int32_t *d_in, *d_out;
        uint64_t *d_count;
        winnow_status status;

        backend_open_gpu(&backend);
        d_in = backend_alloc(&backend, 400);
        d_out = backend_alloc(&backend, 400);
        d_count = backend_alloc(&backend, 8);
        backend_upload(&backend, d_in, (const int32_t[100]){0}, 400);
        atomic_store(&until_failure, k);
        status = winnow_unique(
            backend.context, &(winnow_in){.element_bytes = 4, .d_base = d_in},
            100, NULL,
            &(winnow_move){.d_in = d_in, .d_out = d_out, .element_bytes = 4}, 1,
            100, d_count, WINNOW_LAUNCH(.stream = backend.stream));
        failed = atomic_exchange(&until_failure, -1) < 0;
        cr_assert(status == (failed ? WINNOW_ERR_MEMORY : WINNOW_OK),
                  "allocation %ld: %s", k, winnow_last_error());
        refused = refused || failed;
        backend_free(&backend, d_in);
        backend_free(&backend, d_out);
        backend_free(&backend, d_count);
        backend_close(&backend);
    }
    cr_assert(refused, "it allocates nothing");
}
#endif
