/*
 * Conditions with sets under many schedules, on devices of all sizes; calls of
 * CUDA's that fail; and which forms of table the tests have looked into.
 *
 * WINNOW_SIMT_TRIALS says how many seeds are tried.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdlib.h>

#include "conditions.h"
#include "gpu.h"
#include "set/tables.h"
#include "tests/condition/set_trees.h"
#include "simt/simt.h"
#include "suite.h"

#define SEEDS 40

/* A device on which blocks go through several tiles each, with room for tables
 * of some size in shared memory, or for none. */
static void set_device(uint64_t *seed) {
    static const int shared[] = {48 << 10, 64 << 10, 99 << 10, 227 << 10};

    simt_settings.multiprocessors = 1 + (int)draw_next(seed, 2);
    simt_settings.blocks = 1 + (int)draw_next(seed, 2);
    simt_settings.shared_per_block = shared[draw_next(seed, 4)];
    simt_settings.shared_bytes = simt_settings.shared_per_block + (1 << 10);
}

/* The tables of the tree, by form; and whether shared memory has no room for
 * them all. */
struct seen {
    unsigned forms[4];
    unsigned over;
};

static void look_at(const struct backend *backend,
                    const winnow_condition *condition, struct seen *seen) {
    static const winnow__table_use use = {0};
    size_t bytes = 0;

    for (unsigned i = 0; i < condition->number; i++) {
        winnow__set_ref ref;

        if (condition->nodes[i].kind != WINNOW__NODE_SET)
            continue;
        cr_assert_eq(winnow__table_of(backend->context, condition->nodes[i].set,
                                      &use, &ref),
                     WINNOW_OK);
        seen->forms[ref.table->form]++;
        bytes += ref.bytes;
    }
    seen->over += bytes > winnow__tables_shared(backend->context);
}

GPU_TEST(where_sets_schedules, devices) {
    const unsigned seeds = simt_trials(SEEDS);
    const uint64_t first = simt_first_seed(8800);
    const struct simt_settings usual = simt_settings;
    struct seen seen = {{0}, 0};

    for (uint64_t i = first; i < first + seeds; i++) {
        uint64_t seed = i;
        const uint64_t n = i % 4 == 0 ? 60000 + draw_next(&seed, 60000)
                                      : draw_next(&seed, 9000);
        const uint64_t limit =
            draw_next(&seed, 3) == 0 ? draw_next(&seed, n + 1) : UINT64_MAX;
        const uint64_t number =
            3 + draw_next(&seed, UINT64_C(16) << 3 * draw_next(&seed, 4));
        const unsigned leaves = 1 + (unsigned)draw_next(&seed, 6);
        uint8_t *const keep = must_alloc(n + 1);
        struct backend other = *backend;
        struct set_table table;
        struct report report = {{0}};
        winnow_condition *condition;

        simt_seed(i);
        simt_pattern(~i);
        set_device(&seed);
        backend_open_gpu(&other);
        set_table_open(&table, &other, n, number, seed);
        condition = set_tree(&table, leaves, number, seed, keep);
        set_ready(&table, limit);
        if (set_select(&table, condition, limit, NULL) != WINNOW_OK)
            cr_assert_fail("WINNOW_SIMT_SEED=%llu: %s", (unsigned long long)i,
                           winnow_last_error());
        look_at(&other, condition, &seen);
        winnow_condition_destroy(condition);
        if (!set_check(&table, keep, limit, &report))
            cr_assert_fail("WINNOW_SIMT_SEED=%llu: %s", (unsigned long long)i,
                           report.text);
        set_table_close(&table);
        backend_close(&other);
        simt_settings = usual;
        free(keep);
    }
    if (seeds < SEEDS)
        return;
    for (unsigned form = 0; form < 4; form++)
        cr_assert_gt(seen.forms[form], 0, "form %u", form);
    cr_assert_gt(seen.over, 0);
}

/* A table with a column whose sets of 2048 values have tables of 64 KiB. */
static void open_perfect(struct set_table *table, const struct backend *backend,
                         uint64_t n) {
    for (uint64_t seed = 0;; seed++) {
        set_table_open(table, backend, n, 2048, seed);
        if (table->columns[0].size == 4 && table->columns[0].kind == 0)
            return;
        set_table_close(table);
    }
}

/* A call whose CUDA calls fail, one after the other, has done nothing, and the
 * next one does all. */
GPU_TEST(where_sets_schedules, failures) {
    static const char *const functions[] = {
        "cudaThreadExchangeStreamCaptureMode",
        "cudaMalloc",
        "cudaStreamCreateWithFlags",
        "cudaMemcpyAsync",
        "cudaStreamSynchronize",
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor",
        "cudaFuncSetAttribute",
        "cudaLaunchKernelExC"};
    const uint64_t n = 300000;
    uint8_t *const keep = must_alloc(n);

    for (unsigned i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        struct backend other = *backend;
        struct set_table table;
        winnow_condition *condition;

        simt_settings.multiprocessors = 1;
        backend_open_gpu(&other);
        open_perfect(&table, &other, n);
        condition = set_leaf(&table, 0, 2048, i, keep);
        set_ready(&table, UINT64_MAX);
        const unsigned launched = simt_calls("cudaLaunchKernelExC");
        simt_fail(functions[i], cudaErrorUnknown, 0);
        cr_assert_eq(set_select(&table, condition, UINT64_MAX, NULL),
                     WINNOW_ERR_CUDA, "%s", functions[i]);
        cr_assert_eq(simt_calls("cudaLaunchKernelExC"), launched + (i == 7),
                     "%s", functions[i]);
        cudaGetLastError();
        cr_assert_eq(set_select(&table, condition, UINT64_MAX, NULL), WINNOW_OK,
                     "%s: %s", functions[i], winnow_last_error());
        MUST(set_check(&table, keep, UINT64_MAX, report));
        winnow_condition_destroy(condition);
        set_table_close(&table);
        backend_close(&other);
    }
    free(keep);
}

/* The same condition for two contexts, one of which goes first; and destroyed
 * while its work waits. */
GPU_TEST(where_sets_schedules, two_contexts) {
    const uint64_t n = 9000;
    uint8_t *const keep = must_alloc(n), *const other_keep = must_alloc(n);

    for (uint64_t seed = 0; seed < simt_trials(10); seed++) {
        struct backend a = *backend, b = *backend;
        struct set_table table_a, table_b;
        winnow_condition *condition, *ignored;

        simt_seed(seed + 1);
        backend_open_gpu(&a);
        backend_open_gpu(&b);
        set_table_open(&table_a, &a, n, 100, seed);
        set_table_open(&table_b, &b, n, 100, seed); /* the same items */
        condition = set_leaf(&table_a, 0, 100, seed, keep);
        ignored = set_leaf(&table_b, 0, 100, seed, other_keep);
        set_ready(&table_a, UINT64_MAX);
        set_ready(&table_b, UINT64_MAX);
        cr_assert_eq(set_select(&table_b, condition, UINT64_MAX, NULL),
                     WINNOW_OK);
        MUST(set_check(&table_b, keep, UINT64_MAX, report));
        set_table_close(&table_b);
        backend_close(&b);
        cr_assert_eq(set_select(&table_a, condition, UINT64_MAX, NULL),
                     WINNOW_OK);
        winnow_condition_destroy(condition);
        winnow_condition_destroy(ignored);
        MUST(set_check(&table_a, keep, UINT64_MAX, report));
        set_table_close(&table_a);
        backend_close(&a);
    }
    free(other_keep);
    free(keep);
}
