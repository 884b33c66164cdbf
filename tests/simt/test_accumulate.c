/*
 * Which way AUTO takes on a device of one multiprocessor or a few, how many
 * kernels a call launches, what they leave to each other, and schedules.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <criterion/criterion.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/accumulate/accumulate_ways.h"
#include "data.h"
#include "reduced.h"
#include "simt/simt.h"
#include "suite.h"

static void open_small(struct backend *backend) {
    simt_settings.multiprocessors = 1;
    backend_open_gpu(backend);
}

static void expect_way(struct accumulate t, const struct backend *backend,
                       winnow__way expected) {
    int32_t way = 77;

    t.beyond = false;
    t.value_type = WINNOW_FLOAT32;
    MUST(accumulated_run_way(&t, backend, &way, report));
    cr_assert_eq(way, (int32_t)expected, "keys %d below %llu: way %d",
                 (int)t.keys, (unsigned long long)t.bound, (int)way);
}

/* The kernels that a call launches. */
static unsigned launches_of(const struct accumulate *t,
                            const struct backend *backend) {
    const unsigned before = simt_calls("cudaLaunchKernelExC");

    MUST(accumulated_run_way(t, backend, NULL, report));
    return simt_calls("cudaLaunchKernelExC") - before;
}

/* Which way blocks take that look at their keys. */
Test(accumulate, chosen_long_gpu) {
    static const struct {
        enum keys keys;
        uint64_t bound;
        unsigned components;
        winnow__way way;
        uint64_t n;
    } cases[] = {
        {KEYS_UNIFORM, 1 << 20, 1, WINNOW__WAY_ATOMIC, 40000},
        {KEYS_SORTED, 12000, 1, WINNOW__WAY_RUNS, 40000},
        {KEYS_RUNS, 1 << 20, 1, WINNOW__WAY_RUNS, 40000},
        {KEYS_FEW, 1 << 20, 1, WINNOW__WAY_SHARED, 40000},
        {KEYS_ONE, 1 << 20, 1, WINNOW__WAY_SHARED, 40000},
        {KEYS_SKEWED, 20000, 1, WINNOW__WAY_SHARED, 40000},
        /* Fewer items in a part than slots to flush. */
        {KEYS_FEW, 20000, 1, WINNOW__WAY_WARP, 18000},
        {KEYS_MIXED, 1 << 20, 1, WINNOW__WAY_WARP, 40000},
        /* A slot for each; in a common copy, by the keys. */
        {KEYS_UNIFORM, 1024, 1, WINNOW__WAY_SHARED, 40000},
        {KEYS_UNIFORM, 1024, 9, WINNOW__WAY_SHARED, 40000},
        {KEYS_RUNS, 1024, 9, WINNOW__WAY_RUNS, 40000},
        {KEYS_SORTED, 3000, 1, WINNOW__WAY_RUNS, 40000},
        /* More runs in a part than slots. */
        {KEYS_SORTED, 1024, 9, WINNOW__WAY_SHARED, 40000},
        {KEYS_MIXED, 4096, 1, WINNOW__WAY_SHARED, 40000},
        /* The same with all of a multiprocessor's memory. */
        {KEYS_UNIFORM, 5000, 9, WINNOW__WAY_SHARED, 40000},
        {KEYS_UNIFORM, 30000, 1, WINNOW__WAY_SHARED, 90000},
        /* Slots for the first keys. */
        {KEYS_UNIFORM, 30000, 1, WINNOW__WAY_SHARED, 85000},
        {KEYS_UNIFORM, 130000, 1, WINNOW__WAY_SHARED, 90000},
        {KEYS_UNIFORM, 140000, 1, WINNOW__WAY_ATOMIC, 90000},
        {KEYS_SORTED, 130000, 1, WINNOW__WAY_RUNS, 260000},
        {KEYS_SKEWED, 130000, 1, WINNOW__WAY_SHARED, 90000},
        {KEYS_ONE, 130000, 1, WINNOW__WAY_SHARED, 90000},
        /* One component at a time. */
        {KEYS_UNIFORM, 30000, 2, WINNOW__WAY_SHARED, 90000},
        {KEYS_UNIFORM, 30000, 5, WINNOW__WAY_SHARED, 90000},
        {KEYS_SORTED, 30000, 5, WINNOW__WAY_RUNS, 90000},
        /* A few components at a time. */
        {KEYS_UNIFORM, 13000, 9, WINNOW__WAY_SHARED, 40000},
        {KEYS_SORTED, 13000, 9, WINNOW__WAY_RUNS, 40000},
        /* Too few items for that: the first keys, or too few of them. */
        {KEYS_UNIFORM, 14000, 9, WINNOW__WAY_SHARED, 40000},
        {KEYS_UNIFORM, 70000, 9, WINNOW__WAY_ATOMIC, 40000},
    };
    struct backend backend;

    open_small(&backend);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct accumulate t = ACCUMULATE_INIT;

        t.n = cases[i].n;
        t.keys = cases[i].keys;
        t.bound = cases[i].bound;
        t.components = cases[i].components;
        expect_way(t, &backend, cases[i].way);
    }
    backend_close(&backend);
}

/* Interleaved values are not read again for a single component. */
Test(accumulate, chosen_interleaved_gpu) {
    struct accumulate t = ACCUMULATE_INIT;
    struct backend backend;

    open_small(&backend);
    t.values_layout = INTERLEAVED;
    t.n = 90000;
    t.bound = 30000; /* nor for sums of the first keys */
    t.components = 2;
    expect_way(t, &backend, WINNOW__WAY_ATOMIC);
    t.bound = 26000;
    t.components = 4;
    expect_way(t, &backend, WINNOW__WAY_SHARED);
    backend_close(&backend);
    /* Keys are so frequent that a cache of one component would be of use. */
    simt_settings.shared_per_block = 32 << 10;
    open_small(&backend);
    t.n = 40000;
    t.bound = 3500;
    t.components = 2;
    expect_way(t, &backend, WINNOW__WAY_ATOMIC);
    backend_close(&backend);
}

/* Blocks that look again, and take another way then. */
Test(accumulate, epochs_long_gpu) {
    struct accumulate t = ACCUMULATE_INIT;
    struct backend backend;

    open_small(&backend);
    t.n = reduced_mode() ? 290000 : 1000003;
    t.keys = KEYS_TURNS;
    t.bound = 1 << 20;
    t.value_type = WINNOW_INT64;
    MUST(accumulated_run_way(&t, &backend, NULL, report));
    /* And in several launches, the first of which adds what is in runs. */
    t.bound = 13000;
    t.value_type = WINNOW_INT32;
    t.components = 9;
    t.beyond = false; /* would cut the runs */
    MUST(accumulated_run_way(&t, &backend, NULL, report));
    /* And with sums of the first keys, in all parts or in some. */
    t.bound = 100000;
    t.components = 1;
    t.beyond = true;
    for (t.keys = KEYS_UNIFORM; t.keys <= KEYS_HALVES; t.keys += KEYS_HALVES)
        MUST(accumulated_run_way(&t, &backend, NULL, report));
    backend_close(&backend);
}

/* Sums that all warps of a block add to, of all components or of a few at a
 * time: keys of all kinds, so that rows add alone, by runs and by keys. */
Test(accumulate, common_long_gpu) {
    struct backend backend;

    open_small(&backend);
    for (unsigned v = 0; v < VALUE_TYPES; v++)
        for (unsigned k = 0; k < KEYS_KINDS; k++) {
            struct accumulate t = ACCUMULATE_INIT;

            t.n = 24500;
            t.keys = (enum keys)k;
            t.bound = k % 4 == 2 ? 8000 : 2500;
            t.value_type = accumulated_value_types[v];
            t.components = k % 2 ? 1 : 9;
            t.key_type = v % 2 ? WINNOW_UINT32 : WINNOW_UINT64;
            t.way = WINNOW__WAY_SHARED;
            MUST(accumulated_run_way(&t, &backend, NULL, report));
        }
    backend_close(&backend);
}

/* The atomics of a call without a workspace: no call clears the stream's
 * cursor. */
static uint64_t updates_of(struct accumulate t, enum keys keys,
                           const struct backend *backend) {
    const uint64_t before = simt_updates();

    t.keys = keys;
    t.seed = 1;
    MUST(accumulated_run_way(&t, backend, NULL, report));
    return simt_updates() - before;
}

/* Keys in runs, so few that each warp has a copy of all sums: a run is added to
 * the copy by one lane in each row. Runs that cross rows, warps and blocks;
 * shorter ones, with keys beyond the bound between them; aligned ones; and one
 * of all keys. */
Test(accumulate, own_runs_gpu) {
    struct backend backend;

    open_small(&backend);
    for (unsigned i = 0; i < 6; i++) {
        struct accumulate t = ACCUMULATE_INIT;

        t.value_type = i % 2 ? WINNOW_FLOAT64 : WINNOW_FLOAT32;
        t.components = 1 + i / 2 * 3 / 2; /* 1, 2, 4 */
        t.bound = 1600 / (1 + i % 2) / t.components;
        t.key_type = i % 3 ? WINNOW_UINT32 : WINNOW_UINT64;
        t.values_layout = INTERLEAVED; /* several: rows */
        t.way = WINNOW__WAY_SHARED;
        t.n = 3 * t.bound;
        updates_of(t, KEYS_SORTED, &backend);
        t.way = i < 3 ? WINNOW__WAY_AUTO : WINNOW__WAY_SHARED;
        t.beyond = false;
        t.n = 27 * t.bound + 5;
        updates_of(t, KEYS_RUNS, &backend);
        updates_of(t, KEYS_ONE, &backend);
        /* A row has up to three of these, and each block adds its sums to
         * global memory. A sample takes few. */
        const uint64_t sums = t.bound * t.components;
        const uint64_t rows = t.n * t.components / 32;
        const uint64_t updates = updates_of(t, KEYS_SORTED, &backend);
        cr_assert_geq(updates, rows + sums * 3 / 4, "case %u", i);
        cr_assert_leq(updates, 3 * rows + 2 * sums, "case %u", i);
    }
    backend_close(&backend);
}

/* The runs of equal keys, in pieces of 128 items. */
static uint64_t count_runs(const struct accumulate *t, enum keys keys) {
    uint64_t runs = 0, last = 0;

    for (uint64_t i = 0; i < t->n; i++) {
        const uint64_t key = accumulated_key(keys, t->bound, t->n, i, 1);

        runs += i % 128 == 0 || key != last;
        last = key;
    }
    return runs;
}

/* A warp takes an atomic for each run of 128 items: runs that end within a
 * lane's items, between lanes, and between warps, of aligned arrays and others.
 */
Test(accumulate, run_updates_gpu) {
    static const enum keys kinds[] = {KEYS_SORTED, KEYS_RUNS, KEYS_ONE,
                                      KEYS_SHORT, KEYS_UNIFORM};
    struct backend backend;

    open_small(&backend);
    for (unsigned i = 0; i < 40; i++) {
        struct accumulate t = ACCUMULATE_INIT;
        const enum keys keys = kinds[i / 8];

        t.n = 40000 - i;
        t.bound = i % 2 ? 60 : 8000;
        t.components = 1 + i % 8 / 4 * (i % 3);
        t.key_type = i % 4 < 2 ? WINNOW_UINT32 : WINNOW_UINT64;
        t.value_type = accumulated_value_types[i % VALUE_TYPES];
        t.aligned_keys = i % 8 != 0;
        t.aligned_values = i % 8 != 1;
        t.beyond = false;
        t.way = WINNOW__WAY_RUNS;
        const uint64_t runs = count_runs(&t, keys) * t.components;
        cr_assert_eq(updates_of(t, keys, &backend), runs, "case %u", i);
        /* Beside those AUTO takes a few for samples, and where sums are in
         * shared memory, one for each. */
        t.way = WINNOW__WAY_AUTO;
        if (keys == KEYS_SORTED || (keys == KEYS_RUNS && i % 2 == 0)) {
            const uint64_t updates = updates_of(t, keys, &backend);
            cr_assert_geq(updates, runs, "case %u", i);
            cr_assert_leq(updates,
                          runs + 512 + (i % 2) * 2 * t.bound * t.components,
                          "case %u", i);
        }
    }
    backend_close(&backend);
}

/* Runs so long that several warps of a sample are in one, where there are no
 * sums in shared memory: these are no frequent keys. */
Test(accumulate, long_runs_gpu) {
    struct accumulate t = ACCUMULATE_INIT;
    struct backend backend;

    simt_settings.shared_per_block = 6 << 10;
    open_small(&backend);
    t.n = 40000;
    t.bound = 12;
    t.beyond = false;
    t.aligned_keys = t.aligned_values = true;
    cr_assert_leq(updates_of(t, KEYS_SORTED, &backend),
                  count_runs(&t, KEYS_SORTED) + 512);
    backend_close(&backend);
}

/* Parts in runs, and others beside them, with keys beyond the bound: by a
 * launch of their own, to global memory, to copies of all sums, and to one. */
Test(accumulate, runs_long_gpu) {
    static const uint64_t bounds[] = {150, 3000, 40000};
    struct backend backend;

    open_small(&backend);
    for (unsigned v = 0; v < VALUE_TYPES; v++)
        for (unsigned k = v % 2; k < KEYS_KINDS; k += 2) {
            struct accumulate t = ACCUMULATE_INIT;

            t.n = 30001 + 3 * k + v;
            t.keys = (enum keys)k;
            t.bound = bounds[(v / 2 + k) % 3];
            t.value_type = accumulated_value_types[v];
            t.components = k % 4 == 0 ? 3 : 1;
            t.key_type = k % 2 ? WINNOW_UINT32 : WINNOW_UINT64;
            t.aligned_keys = k % 5 != 1;
            t.aligned_values = k % 5 != 2;
            t.beyond = v / 2 % 2;
            t.seed = v;
            t.sums_layout = (enum layout)(k % 2);
            t.way = t.bound == bounds[0] && v < 2 ? WINNOW__WAY_SHARED
                                                  : WINNOW__WAY_AUTO;
            MUST(accumulated_run_way(&t, &backend, NULL, report));
        }
    backend_close(&backend);
}

/* Sums of the first keys in shared memory, of the others in global memory: keys
 * of all kinds, of which frequent ones take a cache. Several components take
 * one launch. */
Test(accumulate, front_long_gpu) {
    struct backend backend;

    open_small(&backend);
    for (unsigned v = 0; v < VALUE_TYPES; v++)
        for (unsigned k = 0; k < KEYS_KINDS; k++) {
            struct accumulate t = ACCUMULATE_INIT;

            t.n = 24500;
            t.keys = (enum keys)k;
            t.bound = 30000 + 1000 * v;
            t.value_type = accumulated_value_types[v];
            t.components = k % 2 ? 1 : 3;
            t.key_type = v % 2 ? WINNOW_UINT32 : WINNOW_UINT64;
            t.way = k < 4 ? WINNOW__WAY_AUTO : WINNOW__WAY_SHARED;
            t.sums_layout = (enum layout)(v % 2);
            t.beyond = v % 3 != 0;
            t.seed = v;
            /* AUTO has one for parts in runs. */
            cr_assert_eq(launches_of(&t, &backend), k < 4 ? 3u : 2u);
        }
    backend_close(&backend);
}

/* The same by several blocks. */
Test(accumulate, front_blocks_gpu) {
    struct accumulate t = ACCUMULATE_INIT;
    struct backend backend;

    simt_settings.multiprocessors = 3;
    backend_open_gpu(&backend);
    t.n = 75000;
    t.bound = 36000;
    for (t.components = 1; t.components <= 3; t.components += 2)
        for (t.keys = KEYS_UNIFORM; t.keys <= KEYS_HALVES;
             t.keys += KEYS_HALVES) {
            cr_assert_eq(launches_of(&t, &backend), 3u);
        }
    backend_close(&backend);
}

/* Several components divided among blocks: a block has several parts of one,
 * parts of two, or all of several. All parts are left to these sums, or some
 * are. */
Test(accumulate, front_components_long_gpu) {
    static const struct {
        int blocks;
        unsigned components;
    } cases[] = {{1, 16}, {2, 3}, {3, 2}, {3, 4}, {4, 3}, {5, 2}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        for (int some = 0; some <= 1; some++) {
            struct accumulate t = ACCUMULATE_INIT;
            struct backend backend;

            simt_settings.shared_per_block = 48 << 10;
            simt_settings.multiprocessors = cases[i].blocks;
            backend_open_gpu(&backend);
            t.components = cases[i].components;
            t.seed = 10 + i;
            t.bound = 6000;
            t.n = 2048 * 2 * (uint64_t)cases[i].blocks - 700;
            t.way = WINNOW__WAY_SHARED;
            t.keys = some ? KEYS_HALVES : KEYS_UNIFORM;
            t.value_type = accumulated_value_types[i % VALUE_TYPES];
            t.sums_layout = (enum layout)some;
            cr_assert_eq(launches_of(&t, &backend), 2u);
            backend_close(&backend);
        }
}

/* A block adds its sums to global memory when it turns to another component,
 * not after each part. */
Test(accumulate, front_flushes_gpu) {
    struct accumulate t = ACCUMULATE_INIT;
    struct backend backend;

    simt_settings.multiprocessors = 3;
    backend_open_gpu(&backend);
    t.n = 104000;
    t.bound = 14000; /* all have sums in shared memory */
    t.components = 3;
    t.value_type = WINNOW_INT64;
    t.beyond = false;
    /* An atomic for each item, one for each sum, and the samples'. */
    cr_assert_leq(updates_of(t, KEYS_UNIFORM, &backend),
                  (t.n + t.bound) * t.components + 12 * 1024);
    backend_close(&backend);
}

/* CUDA refuses the shared memory of one of the kernels: nothing is enqueued.
 * The second one is for the sums of the first keys, or for runs. */
Test(accumulate, shared_refused_gpu) {
    struct backend backend;

    open_small(&backend);
    for (unsigned i = 0; i < 4; i++) {
        const unsigned calls = i % 2;
        struct accumulate t = ACCUMULATE_INIT;
        struct accumulated a;

        t.n = i < 2 ? 24500 : 30000;
        t.bound = i < 2 ? 30000 : 300;
        accumulated_open(&t, &backend, &a);
        memcpy(a.expected, a.out, accumulated_bytes(&t));
        t.beyond = false; /* nobody writes how many there are */
        const unsigned before = simt_calls("cudaLaunchKernelExC");
        simt_fail("cudaFuncSetAttribute", cudaErrorInvalidValue, calls);
        cr_assert_eq(accumulated_enqueue(&t, &backend, &a, NULL, 0),
                     WINNOW_ERR_CUDA);
        cr_assert_eq(simt_calls("cudaLaunchKernelExC"), before);
        cr_assert_null(backend_wait(&backend));
        MUST(accumulated_check(&t, &backend, &a, report));
        accumulated_close(&backend, &a);
    }
    backend_close(&backend);
}

/* Call number `calls` of a function of CUDA's fails, if there is one. Returns
 * whether there was. */
static bool fail_once(const struct accumulate *t, const struct backend *backend,
                      const char *function, unsigned calls, unsigned *late) {
    const unsigned before = simt_calls(function);
    struct accumulated a;

    accumulated_open(t, backend, &a);
    simt_fail(function, cudaErrorMemoryAllocation, calls);
    const winnow_status status = accumulated_enqueue(t, backend, &a, NULL, 0);
    const bool failed = simt_calls(function) > before + calls;
    simt_fail(function, cudaSuccess, 0);
    cr_assert_null(backend_wait(backend));
    if (status == WINNOW_ERR_CUDA) {
        cr_assert_str_eq(function, "cudaLaunchKernelExC");
        cr_assert_not_null(strstr(winnow_last_error(), "were enqueued before"),
                           "%s", winnow_last_error());
        ++*late;
    } else {
        if (status != WINNOW_OK) {
            cr_assert_eq(status, WINNOW_ERR_MEMORY);
            memcpy(a.expected, a.out, accumulated_bytes(t));
        }
        struct accumulate untouched = *t;
        untouched.beyond = t->beyond && status == WINNOW_OK;
        MUST(accumulated_check(&untouched, backend, &a, report));
    }
    accumulated_close(backend, &a);
    return failed;
}

/* Any call of CUDA's fails: nothing is added, or all is; but after the first
 * launch the status says that some may be. Kernels are loaded, and given their
 * shared memory, before it. */
Test(accumulate, failures_gpu) {
    static const char *const functions[] = {
        "cudaLaunchKernelExC",     "cudaLaunchKernel",
        "cudaFuncSetAttribute",    "cudaFuncGetAttributes",
        "cudaMallocFromPoolAsync", "cudaFreeAsync"};
    /* A few components at a time; the first keys, and runs. */
    static const struct {
        uint64_t n, bound;
        unsigned components, late, prepared;
        int shared;
    } cases[] = {{8300, 2000, 6, 2, 1, 24 << 10},
                 {24500, 30000, 1, 2, 3, 227 << 10}};

    for (unsigned c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        unsigned late = 0, prepared = 0;

        for (unsigned f = 0; f < sizeof(functions) / sizeof(functions[0]); f++)
            for (unsigned calls = 0;; calls++) {
                struct accumulate t = ACCUMULATE_INIT;
                struct backend backend;

                t.n = cases[c].n;
                t.bound = cases[c].bound;
                t.components = cases[c].components;
                simt_settings.shared_per_block = cases[c].shared;
                open_small(&backend);
                const bool failed =
                    fail_once(&t, &backend, functions[f], calls, &late);
                backend_close(&backend);
                if (!failed)
                    break;
                prepared += f == 2 || f == 3;
            }
        cr_assert_eq(late, cases[c].late, "case %u: %u", c, late);
        cr_assert_eq(prepared, cases[c].prepared, "case %u: %u", c, prepared);
    }
}

/* Which calls have a launch for sums of the first keys, and one for parts in
 * runs. */
Test(accumulate, launches_gpu) {
    static const struct {
        uint64_t n, bound;
        unsigned components, launches;
        enum layout layout;
        winnow__way way;
    } cases[] = {
        /* For the first keys; one more of AUTO for parts in runs. */
        {90000, 130000, 1, 3, COLUMNS, WINNOW__WAY_AUTO},
        {90000, 130000, 1, 3, INTERLEAVED, WINNOW__WAY_AUTO},
        {90000, 130000, 2, 2, COLUMNS, WINNOW__WAY_SHARED},
        {90000, 130000, 2, 1, INTERLEAVED, WINNOW__WAY_AUTO},
        /* There is a slot for each. */
        {90000, 30000, 1, 2, COLUMNS, WINNOW__WAY_AUTO},
        /* Too few items or slots for that many keys; the caller's way. */
        {85000, 130000, 1, 2, COLUMNS, WINNOW__WAY_AUTO},
        {140000, 180000, 1, 2, COLUMNS, WINNOW__WAY_AUTO},
        {6000, 3500, 12, 1, COLUMNS, WINNOW__WAY_AUTO},
        {90000, 130000, 1, 1, COLUMNS, WINNOW__WAY_RUNS},
        /* For parts in runs. */
        {28673, 60000, 1, 2, COLUMNS, WINNOW__WAY_AUTO},
        {28673, 300, 1, 2, COLUMNS, WINNOW__WAY_AUTO},
        {28673, 60000, 3, 2, COLUMNS, WINNOW__WAY_AUTO},
        {28673, 60000, 1, 2, INTERLEAVED, WINNOW__WAY_AUTO},
        {28673, 300, 1, 2, COLUMNS, WINNOW__WAY_SHARED},
        /* Few tiles; values that are no neighbours; a cache; another way. */
        {28672, 60000, 1, 1, COLUMNS, WINNOW__WAY_AUTO},
        {28673, 60000, 3, 1, INTERLEAVED, WINNOW__WAY_AUTO},
        {28673, 60000, 1, 1, COLUMNS, WINNOW__WAY_SHARED},
        {28673, 60000, 1, 1, COLUMNS, WINNOW__WAY_RUNS},
        {28673, 60000, 1, 1, COLUMNS, WINNOW__WAY_WARP},
    };
    struct backend backend;

    open_small(&backend);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct accumulate t = ACCUMULATE_INIT;

        t.n = cases[i].n;
        t.bound = cases[i].bound;
        t.components = cases[i].components;
        t.values_layout = cases[i].layout;
        t.way = cases[i].way;
        cr_assert_eq(launches_of(&t, &backend), cases[i].launches, "case %zu",
                     i);
    }
    backend_close(&backend);
}

/* Launches to which nothing is left do not look at the keys: sorted ones take
 * as many atomics as where all are added to global memory, also after a call
 * that left something. */
Test(accumulate, nothing_left_gpu) {
    /* Windows of sums, components, the first keys. */
    static const struct {
        uint64_t n, bound;
        unsigned components;
        int shared, cache;
    } cases[] = {{66000, 60000, 1, 48 << 10, 100 << 10},
                 {40000, 13000, 9, 227 << 10, 50 << 20},
                 {170000, 60000, 2, 227 << 10, 50 << 20}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct accumulate t = ACCUMULATE_INIT;
        struct backend backend;

        t.n = cases[i].n;
        t.bound = cases[i].bound;
        t.components = cases[i].components;
        t.beyond = false;
        simt_settings.shared_per_block = cases[i].shared;
        simt_settings.cache_bytes = cases[i].cache;
        open_small(&backend);
        const uint64_t others = updates_of(t, KEYS_UNIFORM, &backend);
        const uint64_t sorted = updates_of(t, KEYS_SORTED, &backend);
        cr_assert_eq(updates_of(t, KEYS_UNIFORM, &backend), others, "case %zu",
                     i);
        cr_assert_eq(updates_of(t, KEYS_SORTED, &backend), sorted, "case %zu",
                     i);
        /* In the first case, too, though keys hardly repeat. */
        t.way = i == 0 ? WINNOW__WAY_ATOMIC : WINNOW__WAY_RUNS;
        const uint64_t runs = updates_of(t, KEYS_SORTED, &backend);
        /* A sample takes 1024 atomics at most. Uniform keys have three in the
         * first case: one in each window, none for parts in runs. */
        if (i == 0)
            cr_assert_leq(others, t.n + 3 * 2 * 1024 + 64);
        cr_assert_leq(sorted - runs, i == 1 ? 1024u : 2 * 1024u, "case %zu", i);
        backend_close(&backend);
    }
}

/* Sums that are larger than the L2 cache, added to in windows: keys of all
 * kinds, of which some are spread over all windows and others are added by the
 * first launch. */
Test(accumulate, windows_long_gpu) {
    for (unsigned v = 0; v < VALUE_TYPES; v++)
        for (unsigned k = 0; k < KEYS_KINDS; k++) {
            struct accumulate t = ACCUMULATE_INIT;
            struct backend backend;

            t.value_type = accumulated_value_types[v];
            t.keys = (enum keys)k;
            t.key_type = (v + k) % 2 ? WINNOW_UINT32 : WINNOW_UINT64;
            t.components = 1 + v % 2;
            t.bound = 60000 + 500 * k;
            t.n = 66000; /* two samples of a block */
            t.beyond = k % 2;
            t.seed = v;
            simt_settings.shared_per_block = 48 << 10;
            simt_settings.cache_bytes =
                (int)(t.bound * t.components * winnow_type_size(t.value_type));
            open_small(&backend);
            cr_assert_eq(launches_of(&t, &backend), 4u);
            backend_close(&backend);
        }
}

/* Which calls add to sums in windows. */
Test(accumulate, window_launches_gpu) {
    static const struct {
        uint64_t n, bound;
        unsigned components, launches;
        int cache;
        winnow__way way;
    } cases[] = {
        /* One more for parts in runs, where a block has that many tiles. */
        {66000, 60000, 1, 2, 400 << 10, WINNOW__WAY_AUTO},
        {66000, 60000, 1, 3, 350 << 10, WINNOW__WAY_AUTO},
        {66000, 60000, 1, 11, 55 << 10, WINNOW__WAY_AUTO},
        /* Keys and values would be read too often. */
        {66000, 60000, 1, 2, 40 << 10, WINNOW__WAY_AUTO},
        {66000, 60000, 9, 2, 400 << 10, WINNOW__WAY_AUTO},
        /* Hardly any sector twice. */
        {14500, 60000, 1, 1, 100 << 10, WINNOW__WAY_AUTO},
        /* Few tiles; the caller's way; sums in shared memory. */
        {6000, 20000, 1, 1, 50 << 10, WINNOW__WAY_AUTO},
        {66000, 60000, 1, 1, 100 << 10, WINNOW__WAY_RUNS},
        {66000, 5000, 1, 2, 10 << 10, WINNOW__WAY_AUTO},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct accumulate t = ACCUMULATE_INIT;
        struct backend backend;

        t.n = cases[i].n;
        t.bound = cases[i].bound;
        t.components = cases[i].components;
        t.way = cases[i].way;
        simt_settings.shared_per_block = 48 << 10;
        simt_settings.cache_bytes = cases[i].cache;
        open_small(&backend);
        cr_assert_eq(launches_of(&t, &backend), cases[i].launches, "case %zu",
                     i);
        backend_close(&backend);
    }
}

/* Several tiles of a block, by every way, under many schedules. */
Test(accumulate, schedules_gpu) {
    const unsigned seeds = simt_trials(40);
    struct backend backend;

    open_small(&backend);
    for (unsigned s = 0; s < seeds; s++) {
        const uint64_t seed = simt_first_seed(7000) + s;
        struct accumulate t = ACCUMULATE_INIT;

        simt_seed(seed);
        simt_pattern(~seed);
        t.seed = seed;
        t.n = 4096 * (1 + seed % 3) + data_random(seed, 0) % 2048;
        t.n += data_random(seed, 5) % 2 * 28672; /* a launch for runs */
        t.aligned_keys = data_random(seed, 6) % 4 != 0;
        t.aligned_values = data_random(seed, 7) % 4 != 0;
        t.keys = (enum keys)(data_random(seed, 1) % KEYS_KINDS);
        t.bound = 1 + data_random(seed, 2) % (seed % 2 ? 3000 : 50000);
        t.value_type =
            accumulated_value_types[data_random(seed, 3) % VALUE_TYPES];
        t.key_type = seed % 5 == 0 ? WINNOW_UINT64 : WINNOW_UINT32;
        t.components = 1 + (unsigned)(data_random(seed, 4) % 3);
        t.sums_layout = (enum layout)(seed % 2);
        t.way = (int)(seed % 5);
        t.wide_sums = data_random(seed, 8) % 4 == 0;
        t.counted = data_random(seed, 9) % 2 != 0;
        t.items = data_random(seed, 10) % (t.n + t.n / 4);
        MUST(accumulated_run_way(&t, &backend, NULL, report));
    }
    backend_close(&backend);
}

/* Keys that do not fit in 32 bits: an output that is mostly never touched. */
Test(accumulate, wide_keys_gpu) {
    enum {
        N = 3000
    };
    const uint64_t bound = (UINT64_C(1) << 32) + 10;
    const size_t bytes = bound * sizeof(int32_t);
    uint64_t *const keys = must_alloc(N * sizeof(*keys));
    uint32_t *const narrow = must_alloc(N * sizeof(*narrow));
    int32_t *const values = must_alloc(N * sizeof(*values));
    int32_t *const out =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    winnow_in wanted = {.type = WINNOW_UINT64, .d_base = keys};
    const winnow_in from = {.type = WINNOW_INT32, .d_base = values};
    const winnow_out to = {.type = WINNOW_INT32, .d_base = out};
    struct backend backend;
    uint64_t beyond = 77;

    cr_assert_neq(out, MAP_FAILED);
    simt_settings.pageable = true;
    backend_open_gpu(&backend);
    for (uint64_t i = 0; i < N; i++) {
        /* 9, and the same 2^32 above, and the last of 32 bits, and beyond */
        static const uint64_t used[] = {9, (UINT64_C(1) << 32) + 9, UINT32_MAX,
                                        (UINT64_C(1) << 32) + 10, UINT64_MAX};
        keys[i] = used[i * i % 5];
        values[i] = (int32_t)i;
    }
    for (int way = 0; way <= WINNOW__WAY_SHARED; way++) {
        int32_t expected[3] = {0};
        uint64_t out_of = 0;

        memset(out + 9, 0, 4);
        memset(out + UINT32_MAX, 0, 4);
        memset(out + bound - 1, 0, 4);
        for (uint64_t i = 0; i < N; i++) {
            expected[0] += keys[i] == 9 ? values[i] : 0;
            expected[1] += keys[i] == bound - 1 ? values[i] : 0;
            expected[2] += keys[i] == UINT32_MAX ? values[i] : 0;
            out_of += keys[i] >= bound;
        }
        winnow__accumulation details = {.key_bound = bound,
                                        .components = 1,
                                        .values = &from,
                                        .sums = &to,
                                        .beyond = &beyond,
                                        .way = (winnow__way)way};
        cr_assert_eq(
            winnow__accumulate_call(backend.context, &wanted, N, &details,
                                    WINNOW_LAUNCH(.stream = backend.stream)),
            WINNOW_OK, "%s", winnow_last_error());
        cr_assert_null(backend_wait(&backend));
        cr_assert_eq(out[9], expected[0], "way %d", way);
        cr_assert_eq(out[bound - 1], expected[1], "way %d", way);
        cr_assert_eq(out[UINT32_MAX], expected[2], "way %d", way);
        cr_assert_eq(beyond, out_of, "way %d", way);
    }
    /* Keys of 4 bytes are all below this bound. */
    for (uint64_t i = 0; i < N; i++)
        narrow[i] = i % 2 ? UINT32_MAX : 9;
    memset(out + 9, 0, 4);
    memset(out + UINT32_MAX, 0, 4);
    wanted = (winnow_in){.type = WINNOW_UINT32, .d_base = narrow};
    cr_assert_eq(winnow_accumulate_by_key(
                     backend.context, &wanted, &from, 1, N, bound, &to, &beyond,
                     WINNOW_LAUNCH(.stream = backend.stream)),
                 WINNOW_OK, "%s", winnow_last_error());
    cr_assert_null(backend_wait(&backend));
    cr_assert_eq(out[9], N / 2 * (N / 2 - 1));
    cr_assert_eq(out[UINT32_MAX], N / 2 * (N / 2));
    cr_assert_eq(beyond, 0u);
    backend_close(&backend);
    free(narrow);
    munmap(out, bytes);
    free(keys);
    free(values);
}

/* A device whose blocks have little shared memory, or none to spare. */
Test(accumulate, little_shared_gpu) {
    static const int kibibytes[] = {48, 16, 12};

    for (size_t i = 0; i < 3; i++) {
        struct accumulate t = ACCUMULATE_INIT;
        struct backend backend;

        simt_settings.shared_per_block = kibibytes[i] << 10;
        open_small(&backend);
        t.n = 20000;
        t.components = 16;
        t.value_type = WINNOW_FLOAT64;
        t.bound = 3000;
        t.keys = KEYS_FEW;
        MUST(accumulated_run_way(&t, &backend, NULL, report));
        t.way = WINNOW__WAY_SHARED;
        if (kibibytes[i] == 48) {
            MUST(accumulated_run_way(&t, &backend, NULL, report));
        } else {
            struct report refused = {{0}};
            cr_assert(!accumulated_run_way(&t, &backend, NULL, &refused));
            cr_assert_not_null(strstr(refused.text,
                                      "the device has no shared memory for the "
                                      "sums of WINNOW__WAY_SHARED"));
        }
        backend_close(&backend);
    }
}
