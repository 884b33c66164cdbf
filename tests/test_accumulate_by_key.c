/*
 * winnow_accumulate_by_key: every way, type of key and value, layout and number
 * of components, over keys of all kinds; which way AUTO takes; capture in a
 * graph; and what is refused. The truth is a loop over the items. Floats are
 * small integers, so that sums are exact in any order.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <criterion/criterion.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "element.h"
#include "reduced.h"
#include "report.h"
#include "suite.h"

#ifdef WINNOW_SIMT
#include <sys/mman.h>

#include "cut.h"
#include "simt/simt.h"
#endif

/* -------------------------------------------------------------------- keys */

enum keys {
    KEYS_UNIFORM = 0,
    KEYS_FEW = 1,    /* five, far from each other */
    KEYS_SKEWED = 2, /* small ones are frequent */
    KEYS_SORTED = 3,
    KEYS_RUNS = 4, /* of 32 */
    KEYS_ONE = 5,
    KEYS_MIXED = 6,  /* eight in each 32, others in the next 32 */
    KEYS_TURNS = 7,  /* sorted, in runs, in one half, few in the other */
    KEYS_HALVES = 8, /* uniform in one half, few in the other */
    KEYS_SHORT = 9,  /* in runs of three on average */
    KEYS_KINDS = 10
};

static uint64_t draw_key(enum keys kind, uint64_t bound, uint64_t n, uint64_t i,
                         uint64_t seed) {
    const uint64_t random = data_random(seed, i);

    switch (kind) {
    case KEYS_FEW:
        return random % 5 * (bound / 5);
    case KEYS_SKEWED: {
        /* As Zipf's law with an exponent of 1.5: above x with x^-0.5. */
        const double u = (double)((random >> 11) + 1) / 9007199254740992.0;
        const double x = 1 / (u * u);
        return x <= (double)bound ? (uint64_t)x - 1 : random % bound;
    }
    case KEYS_SORTED:
        return (uint64_t)((double)i / (double)n * (double)bound);
    case KEYS_RUNS:
        return data_random(seed, i / 32) % bound;
    case KEYS_ONE:
        return bound - 1;
    case KEYS_MIXED:
        return (i / 32 * 8 + i % 8) % bound;
    case KEYS_TURNS:
        return i < n / 2 ? i / 8 % bound : random % 5 * (bound / 5);
    case KEYS_HALVES:
        return i < n / 2 ? random % bound : random % 5 * (bound / 5);
    case KEYS_SHORT:
        while (i > 0 && data_random(seed + 11, i) % 3 != 0)
            i--;
        return data_random(seed, i) % bound;
    default:
        return random % bound;
    }
}

/* ------------------------------------------------------------------- trials */

struct accumulate {
    winnow_type key_type, value_type;
    unsigned components;
    uint64_t n, bound;
    enum keys keys;
    uint64_t seed;
    bool beyond; /* some keys are; and their number is asked for */
    bool aligned_keys, aligned_values; /* to 16 bytes, all columns */
    winnow_accumulate_options options;
};

/* Arrays lie in one piece of memory each, behind this many bytes and at least
 * as many between columns: odd multiples of an element, so that nothing is
 * aligned to more than that, or 16. */
static size_t gap(const struct accumulate *t) {
    return t->aligned_values ? 16 : 3 * winnow_type_size(t->value_type);
}

static size_t keys_gap(const struct accumulate *t) {
    return t->aligned_keys ? 16 : winnow_type_size(t->key_type);
}

/* From one column to the next. */
static size_t column_bytes(const struct accumulate *t, uint64_t items) {
    const size_t bytes = items * winnow_type_size(t->value_type) + gap(t);

    return t->aligned_values ? (bytes + 15) / 16 * 16 : bytes;
}

static unsigned columns_of(const struct accumulate *t, winnow_layout layout) {
    return layout == WINNOW_COLUMNS ? t->components : 1;
}

/* Where component j of item i is. */
static size_t place(const struct accumulate *t, winnow_layout layout,
                    uint64_t items, uint64_t i, unsigned j) {
    const size_t size = winnow_type_size(t->value_type);

    return layout == WINNOW_COLUMNS
               ? gap(t) + j * column_bytes(t, items) + i * size
               : gap(t) + (i * t->components + j) * size;
}

static size_t bytes_for(const struct accumulate *t, uint64_t items) {
    return gap(t) + t->components * column_bytes(t, items);
}

static void pointers(const struct accumulate *t, winnow_layout layout,
                     uint64_t items, unsigned char *base, void *to[16]) {
    for (unsigned j = 0; j < columns_of(t, layout); j++)
        to[j] = base + place(t, layout, items, 0, j);
}

static void put(winnow_type type, unsigned char *to, uint64_t random) {
    const double small = (double)(random % 17) - 8;
    const float small32 = (float)small;

    if (type == WINNOW_FLOAT32)
        memcpy(to, &small32, sizeof(small32));
    else if (type == WINNOW_FLOAT64)
        memcpy(to, &small, sizeof(small));
    else
        element_store(type, to, random);
}

/* *to += *value */
static void add(winnow_type type, unsigned char *to,
                const unsigned char *value) {
    float a32, b32;
    double a, b;

    if (type == WINNOW_FLOAT32) {
        memcpy(&a32, to, sizeof(a32));
        memcpy(&b32, value, sizeof(b32));
        a32 += b32;
        memcpy(to, &a32, sizeof(a32));
    } else if (type == WINNOW_FLOAT64) {
        memcpy(&a, to, sizeof(a));
        memcpy(&b, value, sizeof(b));
        a += b;
        memcpy(to, &a, sizeof(a));
    } else {
        element_store(type, to,
                      element_load(type, to) + element_load(type, value));
    }
}

struct arrays {
    unsigned char *keys, *values, *out, *expected; /* on the host */
    unsigned char *d_keys, *d_values, *d_out;
    uint64_t *d_beyond;
    int32_t *d_way;
    uint64_t beyond; /* expected */
};

/* One in 13 is not below the bound. */
static void fill_keys(const struct accumulate *t, struct arrays *a) {
    unsigned char *const keys = a->keys + keys_gap(t);
    const size_t size = winnow_type_size(t->key_type);

    for (uint64_t i = 0; i < t->n; i++) {
        uint64_t key = 0;
        const bool beyond =
            t->bound == 0 ||
            (t->beyond && data_random(t->seed + 7, i) % 13 == 0);

        if (!beyond)
            key = draw_key(t->keys, t->bound, t->n, i, t->seed);
        else
            key = i % 2 == 0 ? t->bound : UINT64_MAX;
        element_store(t->key_type, keys + i * size, key);
        key = element_load(t->key_type, keys + i * size);
        a->beyond += key >= t->bound;
        for (unsigned j = 0; j < t->components; j++) {
            unsigned char *const value =
                a->values + place(t, t->options.values_layout, t->n, i, j);

            put(t->value_type, value, data_random(t->seed + 3 + j, i));
            if (key < t->bound)
                add(t->value_type,
                    a->expected +
                        place(t, t->options.out_layout, t->bound, key, j),
                    value);
        }
    }
}

static void open_arrays(const struct accumulate *t,
                        const struct backend *backend, struct arrays *a) {
    const size_t key_bytes = keys_gap(t) + t->n * winnow_type_size(t->key_type);
    const size_t value_bytes = bytes_for(t, t->n);
    const size_t out_bytes = bytes_for(t, t->bound);

    *a = (struct arrays){.keys = must_alloc(key_bytes),
                         .values = must_alloc(value_bytes),
                         .out = must_alloc(out_bytes),
                         .expected = must_alloc(out_bytes),
                         .d_keys = backend_alloc(backend, key_bytes),
                         .d_values = backend_alloc(backend, value_bytes),
                         .d_out = backend_alloc(backend, out_bytes),
                         .d_beyond = backend_alloc(backend, 8),
                         .d_way = backend_alloc(backend, 4)};
    memset(a->keys, 0x5a, key_bytes);
    memset(a->values, 0x5a, value_bytes);
    memset(a->out, 0xa5, out_bytes);
    for (uint64_t key = 0; key < t->bound; key++)
        for (unsigned j = 0; j < t->components; j++)
            put(t->value_type,
                a->out + place(t, t->options.out_layout, t->bound, key, j),
                data_random(t->seed + 99, key * 16 + j));
    memcpy(a->expected, a->out, out_bytes);
    fill_keys(t, a);
    backend_upload(backend, a->d_keys, a->keys, key_bytes);
    backend_upload(backend, a->d_values, a->values, value_bytes);
    backend_upload(backend, a->d_out, a->out, out_bytes);
}

static void close_arrays(const struct backend *backend, struct arrays *a) {
    backend_free(backend, a->d_keys);
    backend_free(backend, a->d_values);
    backend_free(backend, a->d_out);
    backend_free(backend, a->d_beyond);
    backend_free(backend, a->d_way);
    free(a->keys);
    free(a->values);
    free(a->out);
    free(a->expected);
}

static winnow_status enqueue(const struct accumulate *t,
                             const struct backend *backend,
                             const struct arrays *a, void *workspace,
                             size_t bytes) {
    winnow_accumulate_options options = t->options;
    void *values[16], *out[16];

    pointers(t, options.values_layout, t->n, a->d_values, values);
    pointers(t, options.out_layout, t->bound, a->d_out, out);
    options.d_way = a->d_way;
    return winnow_accumulate_by_key(
        backend->context, t->key_type, a->d_keys + keys_gap(t), t->n, t->bound,
        t->value_type, t->components, (const void *const *)values, out,
        t->beyond ? a->d_beyond : NULL, &options, workspace, bytes,
        backend->stream);
}

static bool check_out(const struct accumulate *t, const struct backend *backend,
                      const struct arrays *a, struct report *report) {
    const size_t bytes = bytes_for(t, t->bound);
    uint64_t beyond = 0;
    int32_t way = 77;

    backend_download(backend, a->out, a->d_out, bytes);
    for (size_t i = 0; i < bytes; i++)
        if (a->out[i] != a->expected[i])
            return report_fail(report, "byte %zu of %zu is %02x, not %02x", i,
                               bytes, a->out[i], a->expected[i]);
    backend_download(backend, &beyond, a->d_beyond, sizeof(beyond));
    if (t->beyond && beyond != a->beyond)
        return report_fail(report, "%llu beyond the bound, not %llu",
                           (unsigned long long)beyond,
                           (unsigned long long)a->beyond);
    backend_download(backend, &way, a->d_way, sizeof(way));
    if (!backend->gpu && way != WINNOW_ACCUMULATE_HOST)
        return report_fail(report, "way %d on the host", (int)way);
    if (backend->gpu &&
        (way < WINNOW_ACCUMULATE_AUTO || way > WINNOW_ACCUMULATE_PARTITION ||
         (t->options.way != WINNOW_ACCUMULATE_AUTO &&
          way != (int32_t)t->options.way)))
        return report_fail(report, "way %d", (int)way);
    return true;
}

static bool run_trial(const struct accumulate *t, const struct backend *backend,
                      int32_t *way_p, struct report *report) {
    struct report what = {{0}};
    struct arrays a;
    size_t bytes = 0;
    bool ok = true;

    open_arrays(t, backend, &a);
    if (winnow_accumulate_by_key_workspace(
            backend->context, t->key_type, t->n, t->bound, t->value_type,
            t->components, &t->options, &bytes) != WINNOW_OK)
        ok = report_fail(&what, "workspace: %s", winnow_last_error());
    void *workspace =
        ok && bytes && t->seed % 2 == 0 ? backend_alloc(backend, bytes) : NULL;
    if (ok &&
        enqueue(t, backend, &a, workspace, workspace ? bytes : 0) != WINNOW_OK)
        ok = report_fail(&what, "%s", winnow_last_error());
    const char *error = ok ? backend_wait(backend) : NULL;
    if (error != NULL)
        ok = report_fail(&what, "%s", error);
    if (ok)
        ok = check_out(t, backend, &a, &what);
    if (ok && way_p != NULL)
        backend_download(backend, way_p, a.d_way, sizeof(*way_p));
    if (workspace)
        backend_free(backend, workspace);
    close_arrays(backend, &a);
    return ok || report_fail(
                     report,
                     "%s: keys %d of %s below %llu, n %llu, %u of %s, way "
                     "%d, layouts %d %d, seed %llu: %s",
                     backend->name, (int)t->keys, winnow_type_name(t->key_type),
                     (unsigned long long)t->bound, (unsigned long long)t->n,
                     t->components, winnow_type_name(t->value_type),
                     (int)t->options.way, (int)t->options.values_layout,
                     (int)t->options.out_layout, (unsigned long long)t->seed,
                     what.text);
}

#define ACCUMULATE_INIT                                                        \
    {                                                                          \
        .key_type = WINNOW_UINT32, .value_type = WINNOW_INT32,                 \
        .components = 1, .n = 1000, .bound = 100, .beyond = true,              \
        .options = WINNOW_ACCUMULATE_OPTIONS_INIT                              \
    }

static const winnow_type value_types[] = {WINNOW_INT32,   WINNOW_INT64,
                                          WINNOW_UINT32,  WINNOW_UINT64,
                                          WINNOW_FLOAT32, WINNOW_FLOAT64};
#define VALUE_TYPES (sizeof(value_types) / sizeof(value_types[0]))

/* Every way that the backend has. */
static void run_ways(struct accumulate *t, const struct backend *backend) {
    const int last = backend->gpu ? WINNOW_ACCUMULATE_PARTITION : 0;

    for (int way = 0; way <= last; way++) {
        t->options.way = (winnow_accumulate_way)way;
        t->seed++;
        MUST(run_trial(t, backend, NULL, report));
    }
}

/* ------------------------------------------------------------------- tests */

BACKEND_TEST(accumulate, types) {
    const uint64_t n = reduced_mode() ? 3000 : 300001;

    for (size_t i = 0; i < VALUE_TYPES * 2 * 4; i++) {
        struct accumulate t = ACCUMULATE_INIT;

        t.n = n;
        t.value_type = value_types[i % VALUE_TYPES];
        t.key_type = i / VALUE_TYPES % 2 ? WINNOW_UINT64 : WINNOW_UINT32;
        t.components = i / VALUE_TYPES < 2 ? 1 : 2 + (unsigned)(i % 8);
        t.options.values_layout = (winnow_layout)(i / VALUE_TYPES / 2 % 2);
        t.options.out_layout = (winnow_layout)(i % 2);
        t.keys = KEYS_SKEWED;
        t.bound = 200 + i * 1000;
        run_ways(&t, backend);
    }
}

BACKEND_TEST(accumulate, keys) {
    /* Slots for each key, too few of them, and far too few. */
    static const uint64_t bounds[] = {1, 7, 1024, 5000, 60000};
    const uint64_t n = reduced_mode() ? 4500 : 1000003;

    for (int kind = 0; kind < KEYS_KINDS; kind++)
        for (size_t b = 0; b < sizeof(bounds) / sizeof(bounds[0]); b++) {
            struct accumulate t = ACCUMULATE_INIT;

            t.n = n;
            t.keys = (enum keys)kind;
            t.bound = bounds[b];
            t.beyond = (kind + b) % 2 == 0;
            t.value_type = b % 2 ? WINNOW_FLOAT32 : WINNOW_FLOAT64;
            t.components = kind % 3 == 0 ? 9 : 1;
            run_ways(&t, backend);
        }
}

BACKEND_TEST(accumulate, components) {
    const uint64_t n = reduced_mode() ? 1500 : 100000;

    for (unsigned components = 1; components <= 16; components++)
        for (int layout = 0; layout < 4; layout++) {
            struct accumulate t = ACCUMULATE_INIT;

            t.n = n;
            t.components = components;
            t.bound = components % 2 ? 300 : 30000;
            t.options.values_layout = (winnow_layout)(layout % 2);
            t.options.out_layout = (winnow_layout)(layout / 2);
            t.seed = components;
            if (!reduced_mode() || layout == (int)components % 4)
                run_ways(&t, backend);
        }
}

/* Keys in runs, of arrays that are aligned; so many that blocks of a GPU look
 * at samples and leave runs to a kernel of their own. */
BACKEND_TEST(accumulate, neighbours) {
    static const uint64_t bounds[] = {300, 30000, 1000000};
    static const enum keys kinds[] = {KEYS_SORTED, KEYS_SHORT, KEYS_TURNS,
                                      KEYS_RUNS};
    const uint64_t n = reduced_mode() ? 9000 : backend->gpu ? 5000000 : 300000;

    for (unsigned i = 0; i < 12; i++) {
        struct accumulate t = ACCUMULATE_INIT;

        t.n = n + i;
        t.keys = kinds[i % 4];
        t.bound = bounds[i % 3];
        t.value_type = value_types[i % VALUE_TYPES];
        t.key_type = i % 5 < 2 ? WINNOW_UINT64 : WINNOW_UINT32;
        t.components = 1 + i / 4 % 2;
        t.aligned_keys = t.aligned_values = true;
        t.beyond = i % 3 == 0;
        for (int way = WINNOW_ACCUMULATE_AUTO;
             way <=
             (backend->gpu ? WINNOW_ACCUMULATE_SHARED : WINNOW_ACCUMULATE_AUTO);
             way += WINNOW_ACCUMULATE_RUNS) {
            t.options.way = (winnow_accumulate_way)way;
            MUST(run_trial(&t, backend, NULL, report));
        }
    }
}

/* From so few keys that each warp has a copy of all sums in shared memory, by
 * a copy that several warps share, to none. */
BACKEND_TEST(accumulate, bounds) {
    static const uint64_t bounds[] = {20, 400, 900, 1300, 2500, 5000};

    for (size_t i = 0; i < sizeof(bounds) / sizeof(bounds[0]); i++) {
        struct accumulate t = ACCUMULATE_INIT;

        t.n = reduced_mode() ? 6000 : 100000;
        t.components = i % 2 == 0 ? 9 : 10;
        t.value_type = i % 3 == 0 ? WINNOW_FLOAT64 : WINNOW_FLOAT32;
        t.bound = bounds[i];
        t.seed = 90 + i;
        t.beyond = true;
        t.options.values_layout = i < 3 ? WINNOW_COLUMNS : WINNOW_INTERLEAVED;
        run_ways(&t, backend);
    }
}

BACKEND_TEST(accumulate, sizes) {
    static const uint64_t sizes[] = {0,    1,    31,    32,     33,
                                     511,  2047, 2048,  2049,   4096,
                                     8191, 8193, 70001, 2500001};
    const size_t number = reduced_mode() ? 12 : 14;

    for (size_t i = 0; i < number; i++)
        for (int none = 0; none <= 1; none++) { /* with a bound of 0 */
            struct accumulate t = ACCUMULATE_INIT;

            t.n = sizes[i];
            t.bound = none ? 0 : 77;
            t.value_type = WINNOW_FLOAT32;
            t.components = 1 + (unsigned)i % 3;
            run_ways(&t, backend);
        }
}

/* A call adds to what the one before it left, and counts anew. */
BACKEND_TEST(accumulate, twice) {
    struct accumulate t = ACCUMULATE_INIT;
    struct arrays a;

    t.n = 10000;
    t.options.out_layout = WINNOW_INTERLEAVED;
    t.components = 3;
    open_arrays(&t, backend, &a);
    const uint64_t beyond = a.beyond;
    fill_keys(&t, &a); /* expect the same again */
    a.beyond = beyond;
    for (int i = 0; i < 2; i++)
        cr_assert_eq(enqueue(&t, backend, &a, NULL, 0), WINNOW_OK, "%s",
                     winnow_last_error());
    cr_assert_null(backend_wait(backend));
    MUST(check_out(&t, backend, &a, report));
    close_arrays(backend, &a);
}

#ifdef WINNOW_CUDA
/* Each replay adds to what is there: with the pool's memory, then with a
 * workspace. */
GPU_TEST(accumulate, graph) {
    static const winnow_accumulate_way ways[] = {WINNOW_ACCUMULATE_AUTO,
                                                 WINNOW_ACCUMULATE_PARTITION};

    for (int i = 0; i < 4; i++) {
        struct accumulate t = ACCUMULATE_INIT;
        cudaGraph_t graph;
        cudaGraphExec_t exec;
        struct arrays a;
        size_t bytes = 0;

        t.n = 9000;
        t.keys = KEYS_RUNS;
        t.components = 1 + (unsigned)i / 2;
        t.options.values_layout = WINNOW_INTERLEAVED;
        t.options.way = ways[i % 2];
        open_arrays(&t, backend, &a);
        const uint64_t beyond = a.beyond;
        fill_keys(&t, &a);
        a.beyond = beyond;
        cr_assert_eq(winnow_accumulate_by_key_workspace(
                         backend->context, t.key_type, t.n, t.bound,
                         t.value_type, t.components, &t.options, &bytes),
                     WINNOW_OK);
        if (t.options.way == WINNOW_ACCUMULATE_AUTO)
            cr_assert_leq(bytes, 4096u);
        void *const workspace = i < 2 ? NULL : backend_alloc(backend, bytes);
        GPU_MUST(cudaStreamBeginCapture(backend->stream,
                                        cudaStreamCaptureModeGlobal));
        cr_assert_eq(enqueue(&t, backend, &a, workspace, workspace ? bytes : 0),
                     WINNOW_OK, "%s", winnow_last_error());
        GPU_MUST(cudaStreamEndCapture(backend->stream, &graph));
        GPU_MUST(cudaGraphInstantiate(&exec, graph, 0));
        for (int k = 0; k < 2; k++)
            GPU_MUST(cudaGraphLaunch(exec, backend->stream));
        cr_assert_null(backend_wait(backend));
        MUST(check_out(&t, backend, &a, report));
        GPU_MUST(cudaGraphExecDestroy(exec));
        GPU_MUST(cudaGraphDestroy(graph));
        if (workspace)
            backend_free(backend, workspace);
        close_arrays(backend, &a);
    }
}

/* On a GPU so many items that sums in shared memory are worth it, one component
 * at a time or of the first keys; and so many sums that they are added to in
 * windows: 100 MB of the largest, in the L2 cache of no GPU. The CPU device has
 * tests of its own for these. */
GPU_TEST(accumulate, large) {
#ifdef WINNOW_SIMT
    const uint64_t n = 30000, bounds[] = {3000, 10000, 30000};
#else
    const uint64_t n = UINT64_C(13) << 20,
                   bounds[] = {30000, 100000, UINT64_C(25) << 20};
#endif

    for (int b = 0; b < 3; b++)
        for (int k = 0; k < 3; k++) {
            static const enum keys kinds[] = {KEYS_UNIFORM, KEYS_MIXED,
                                              KEYS_HALVES};
            struct accumulate t = ACCUMULATE_INIT;

            t.n = n;
            t.seed = 3 * b + k;
            t.beyond = k != 2;
            t.keys = kinds[k];
            t.bound = bounds[b];
            t.components = b == 0 ? 2 + k : b == 1 ? 1 + k : 1;
            t.value_type = (b + k) % 2 ? WINNOW_INT32 : WINNOW_FLOAT32;
            MUST(run_trial(&t, backend, NULL, report));
        }
}

/* A workspace for keys and values, or for keys and the items' numbers, full of
 * keys that are below the bound; and one that is a byte too small, with which
 * nothing is written. */
GPU_TEST(accumulate, partition_workspace) {
    const uint64_t n = 50003;

    for (int i = 0; i < 8; i++) {
        const bool interleaved = i & 1, wide = i >> 1 & 1, several = i >> 2;
        struct accumulate t = ACCUMULATE_INIT;
        struct arrays a;
        size_t bytes = 0;
        int32_t way = 77;

        t.n = n;
        t.bound = 50000;
        t.value_type = WINNOW_FLOAT64;
        t.components = several ? 6 : 1;
        t.key_type = wide ? WINNOW_UINT64 : WINNOW_UINT32;
        t.options.values_layout = (winnow_layout)interleaved;
        t.options.way = WINNOW_ACCUMULATE_PARTITION;
        const size_t each = (wide ? 8 : 4) + (!several      ? 8
                                              : interleaved ? 2 * 4
                                                            : 6 * 8);
        cr_assert_eq(winnow_accumulate_by_key_workspace(
                         backend->context, t.key_type, t.n, t.bound,
                         t.value_type, t.components, &t.options, &bytes),
                     WINNOW_OK);
        cr_assert_geq(bytes, n * each);
        cr_assert_leq(bytes, n * each + (4 << 20));
        open_arrays(&t, backend, &a);
        void *const workspace = backend_alloc(backend, bytes);
        void *const zeros = must_alloc(bytes);
        memset(zeros, 0, bytes);
        backend_upload(backend, workspace, zeros, bytes);
        free(zeros);
        backend_upload(backend, a.d_way, &way, sizeof(way));
        cr_assert_eq(enqueue(&t, backend, &a, workspace, bytes - 1),
                     WINNOW_ERR_WORKSPACE);
        cr_assert_null(backend_wait(backend));
        backend_download(backend, &way, a.d_way, sizeof(way));
        cr_assert_eq(way, 77);
        cr_assert_eq(enqueue(&t, backend, &a, workspace, bytes), WINNOW_OK);
        cr_assert_null(backend_wait(backend));
        MUST(check_out(&t, backend, &a, report));
        backend_free(backend, workspace);
        close_arrays(backend, &a);
    }
    size_t bytes = 77;
    winnow_accumulate_options options = WINNOW_ACCUMULATE_OPTIONS_INIT;
    options.way = WINNOW_ACCUMULATE_PARTITION;
    cr_assert_eq(winnow_accumulate_by_key_workspace(
                     backend->context, WINNOW_UINT32, UINT64_MAX / 512, 9,
                     WINNOW_INT32, 1, &options, &bytes),
                 WINNOW_ERR_ARGUMENT);
    cr_assert_eq(strncmp(winnow_last_error(), "n is ", 5), 0);
    cr_assert_eq(bytes, 77u);
    /* All keys of 4 bytes are far below this bound. */
    cr_assert_eq(winnow_accumulate_by_key_workspace(
                     backend->context, WINNOW_UINT32, n, UINT64_C(1) << 40,
                     WINNOW_INT32, 1, &options, &bytes),
                 WINNOW_OK, "%s", winnow_last_error());
}
#endif

/* ---------------------------------------------------------------- the host */

/* With threads: sums in buffers of their own, and slices of the keys. */
Test(accumulate, threads, .timeout = SUITE_TIMEOUT) {
    static const uint64_t bounds[] = {0, 3, 5000, 100000, 1000003};
    struct backend backend;

    backend_open_host(&backend);
    for (unsigned threads = 1; threads <= 7; threads += 3)
        for (size_t b = 0; b < sizeof(bounds) / sizeof(bounds[0]); b++)
            for (size_t v = 0; v < VALUE_TYPES; v++) {
                struct accumulate t = ACCUMULATE_INIT;

                cr_assert_eq(
                    winnow_context_set_threads(backend.context, threads),
                    WINNOW_OK);
                t.n = 600007;
                t.bound = bounds[b];
                t.value_type = value_types[v];
                t.components = 1 + (unsigned)(v % 3);
                t.options.out_layout = (winnow_layout)(v % 2);
                t.keys = (enum keys)(b + v);
                t.seed = b;
                MUST(run_trial(&t, &backend, NULL, report));
            }
    backend_close(&backend);
}

/* ---------------------------------------------------- on one multiprocessor */

#ifdef WINNOW_SIMT
static void open_small(struct backend *backend) {
    simt_settings.multiprocessors = 1;
    backend_open_gpu(backend);
}

static void expect_way(struct accumulate t, const struct backend *backend,
                       winnow_accumulate_way expected) {
    int32_t way = 77;

    t.beyond = false;
    t.value_type = WINNOW_FLOAT32;
    MUST(run_trial(&t, backend, &way, report));
    cr_assert_eq(way, (int32_t)expected, "keys %d below %llu: way %d",
                 (int)t.keys, (unsigned long long)t.bound, (int)way);
}

/* The kernels that a call launches. */
static unsigned launches_of(const struct accumulate *t,
                            const struct backend *backend) {
    const unsigned before = simt_calls("cudaLaunchKernelExC");

    MUST(run_trial(t, backend, NULL, report));
    return simt_calls("cudaLaunchKernelExC") - before;
}

/* Which way blocks take that look at their keys. */
Test(accumulate, chosen_gpu, .timeout = SUITE_TIMEOUT) {
    static const struct {
        enum keys keys;
        uint64_t bound;
        unsigned components;
        winnow_accumulate_way way;
        uint64_t n;
    } cases[] = {
        {KEYS_UNIFORM, 1 << 20, 1, WINNOW_ACCUMULATE_ATOMIC, 40000},
        {KEYS_SORTED, 12000, 1, WINNOW_ACCUMULATE_RUNS, 40000},
        {KEYS_RUNS, 1 << 20, 1, WINNOW_ACCUMULATE_RUNS, 40000},
        {KEYS_FEW, 1 << 20, 1, WINNOW_ACCUMULATE_SHARED, 40000},
        {KEYS_ONE, 1 << 20, 1, WINNOW_ACCUMULATE_SHARED, 40000},
        {KEYS_SKEWED, 20000, 1, WINNOW_ACCUMULATE_SHARED, 40000},
        /* Fewer items in a part than slots to flush. */
        {KEYS_FEW, 20000, 1, WINNOW_ACCUMULATE_WARP, 18000},
        {KEYS_MIXED, 1 << 20, 1, WINNOW_ACCUMULATE_WARP, 40000},
        /* A slot for each; in a common copy, by the keys. */
        {KEYS_UNIFORM, 1024, 1, WINNOW_ACCUMULATE_SHARED, 40000},
        {KEYS_UNIFORM, 1024, 9, WINNOW_ACCUMULATE_SHARED, 40000},
        {KEYS_RUNS, 1024, 9, WINNOW_ACCUMULATE_RUNS, 40000},
        {KEYS_SORTED, 3000, 1, WINNOW_ACCUMULATE_RUNS, 40000},
        /* More runs in a part than slots. */
        {KEYS_SORTED, 1024, 9, WINNOW_ACCUMULATE_SHARED, 40000},
        {KEYS_MIXED, 4096, 1, WINNOW_ACCUMULATE_SHARED, 40000},
        /* The same with all of a multiprocessor's memory. */
        {KEYS_UNIFORM, 5000, 9, WINNOW_ACCUMULATE_SHARED, 40000},
        {KEYS_UNIFORM, 30000, 1, WINNOW_ACCUMULATE_SHARED, 90000},
        /* Slots for the first keys. */
        {KEYS_UNIFORM, 30000, 1, WINNOW_ACCUMULATE_SHARED, 85000},
        {KEYS_UNIFORM, 130000, 1, WINNOW_ACCUMULATE_SHARED, 90000},
        {KEYS_UNIFORM, 140000, 1, WINNOW_ACCUMULATE_ATOMIC, 90000},
        {KEYS_SORTED, 130000, 1, WINNOW_ACCUMULATE_RUNS, 260000},
        {KEYS_SKEWED, 130000, 1, WINNOW_ACCUMULATE_SHARED, 90000},
        {KEYS_ONE, 130000, 1, WINNOW_ACCUMULATE_SHARED, 90000},
        /* One component at a time. */
        {KEYS_UNIFORM, 30000, 2, WINNOW_ACCUMULATE_SHARED, 90000},
        {KEYS_UNIFORM, 30000, 5, WINNOW_ACCUMULATE_SHARED, 90000},
        {KEYS_SORTED, 30000, 5, WINNOW_ACCUMULATE_RUNS, 90000},
        /* A few components at a time. */
        {KEYS_UNIFORM, 13000, 9, WINNOW_ACCUMULATE_SHARED, 40000},
        {KEYS_SORTED, 13000, 9, WINNOW_ACCUMULATE_RUNS, 40000},
        /* Too few items for that: the first keys, or too few of them. */
        {KEYS_UNIFORM, 14000, 9, WINNOW_ACCUMULATE_SHARED, 40000},
        {KEYS_UNIFORM, 70000, 9, WINNOW_ACCUMULATE_ATOMIC, 40000},
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
Test(accumulate, chosen_interleaved_gpu, .timeout = SUITE_TIMEOUT) {
    struct accumulate t = ACCUMULATE_INIT;
    struct backend backend;

    open_small(&backend);
    t.options.values_layout = WINNOW_INTERLEAVED;
    t.n = 90000;
    t.bound = 30000; /* nor for sums of the first keys */
    t.components = 2;
    expect_way(t, &backend, WINNOW_ACCUMULATE_ATOMIC);
    t.bound = 26000;
    t.components = 4;
    expect_way(t, &backend, WINNOW_ACCUMULATE_SHARED);
    backend_close(&backend);
    /* Keys are so frequent that a cache of one component would be of use. */
    simt_settings.shared_per_block = 32 << 10;
    open_small(&backend);
    t.n = 40000;
    t.bound = 3500;
    t.components = 2;
    expect_way(t, &backend, WINNOW_ACCUMULATE_ATOMIC);
    backend_close(&backend);
}

/* Blocks that look again, and take another way then. */
Test(accumulate, epochs_gpu, .timeout = SUITE_TIMEOUT) {
    struct accumulate t = ACCUMULATE_INIT;
    struct backend backend;

    open_small(&backend);
    t.n = reduced_mode() ? 290000 : 1000003;
    t.keys = KEYS_TURNS;
    t.bound = 1 << 20;
    t.value_type = WINNOW_INT64;
    MUST(run_trial(&t, &backend, NULL, report));
    /* And in several launches, the first of which adds what is in runs. */
    t.bound = 13000;
    t.value_type = WINNOW_INT32;
    t.components = 9;
    t.beyond = false; /* would cut the runs */
    MUST(run_trial(&t, &backend, NULL, report));
    /* And with sums of the first keys, in all parts or in some. */
    t.bound = 100000;
    t.components = 1;
    t.beyond = true;
    for (t.keys = KEYS_UNIFORM; t.keys <= KEYS_HALVES; t.keys += KEYS_HALVES)
        MUST(run_trial(&t, &backend, NULL, report));
    backend_close(&backend);
}

/* Sums that all warps of a block add to, of all components or of a few at a
 * time: keys of all kinds, so that rows add alone, by runs and by keys. */
Test(accumulate, common_gpu, .timeout = SUITE_TIMEOUT) {
    struct backend backend;

    open_small(&backend);
    for (unsigned v = 0; v < VALUE_TYPES; v++)
        for (unsigned k = 0; k < KEYS_KINDS; k++) {
            struct accumulate t = ACCUMULATE_INIT;

            t.n = 24500;
            t.keys = (enum keys)k;
            t.bound = k % 4 == 2 ? 8000 : 2500;
            t.value_type = value_types[v];
            t.components = k % 2 ? 1 : 9;
            t.key_type = v % 2 ? WINNOW_UINT32 : WINNOW_UINT64;
            t.options.way = WINNOW_ACCUMULATE_SHARED;
            MUST(run_trial(&t, &backend, NULL, report));
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
    MUST(run_trial(&t, backend, NULL, report));
    return simt_updates() - before;
}

/* Keys in runs, so few that each warp has a copy of all sums: a run is added to
 * the copy by one lane in each row. Runs that cross rows, warps and blocks;
 * shorter ones, with keys beyond the bound between them; aligned ones; and one
 * of all keys. */
Test(accumulate, own_runs_gpu, .timeout = SUITE_TIMEOUT) {
    struct backend backend;

    open_small(&backend);
    for (unsigned i = 0; i < 6; i++) {
        struct accumulate t = ACCUMULATE_INIT;

        t.value_type = i % 2 ? WINNOW_FLOAT64 : WINNOW_FLOAT32;
        t.components = 1 + i / 2 * 3 / 2; /* 1, 2, 4 */
        t.bound = 1600 / (1 + i % 2) / t.components;
        t.key_type = i % 3 ? WINNOW_UINT32 : WINNOW_UINT64;
        t.options.values_layout = WINNOW_INTERLEAVED; /* several: rows */
        t.options.way = WINNOW_ACCUMULATE_SHARED;
        t.n = 3 * t.bound;
        updates_of(t, KEYS_SORTED, &backend);
        t.options.way =
            i < 3 ? WINNOW_ACCUMULATE_AUTO : WINNOW_ACCUMULATE_SHARED;
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
        const uint64_t key = draw_key(keys, t->bound, t->n, i, 1);

        runs += i % 128 == 0 || key != last;
        last = key;
    }
    return runs;
}

/* A warp takes an atomic for each run of 128 items: runs that end within a
 * lane's items, between lanes, and between warps, of aligned arrays and others.
 */
Test(accumulate, run_updates_gpu, .timeout = SUITE_TIMEOUT) {
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
        t.value_type = value_types[i % VALUE_TYPES];
        t.aligned_keys = i % 8 != 0;
        t.aligned_values = i % 8 != 1;
        t.beyond = false;
        t.options.way = WINNOW_ACCUMULATE_RUNS;
        const uint64_t runs = count_runs(&t, keys) * t.components;
        cr_assert_eq(updates_of(t, keys, &backend), runs, "case %u", i);
        /* Beside those AUTO takes a few for samples, and where sums are in
         * shared memory, one for each. */
        t.options.way = WINNOW_ACCUMULATE_AUTO;
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
Test(accumulate, long_runs_gpu, .timeout = SUITE_TIMEOUT) {
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
Test(accumulate, runs_gpu, .timeout = SUITE_TIMEOUT) {
    static const uint64_t bounds[] = {150, 3000, 40000};
    struct backend backend;

    open_small(&backend);
    for (unsigned v = 0; v < VALUE_TYPES; v++)
        for (unsigned k = v % 2; k < KEYS_KINDS; k += 2) {
            struct accumulate t = ACCUMULATE_INIT;

            t.n = 30001 + 3 * k + v;
            t.keys = (enum keys)k;
            t.bound = bounds[(v / 2 + k) % 3];
            t.value_type = value_types[v];
            t.components = k % 4 == 0 ? 3 : 1;
            t.key_type = k % 2 ? WINNOW_UINT32 : WINNOW_UINT64;
            t.aligned_keys = k % 5 != 1;
            t.aligned_values = k % 5 != 2;
            t.beyond = v / 2 % 2;
            t.seed = v;
            t.options.out_layout = (winnow_layout)(k % 2);
            t.options.way = t.bound == bounds[0] && v < 2
                                ? WINNOW_ACCUMULATE_SHARED
                                : WINNOW_ACCUMULATE_AUTO;
            MUST(run_trial(&t, &backend, NULL, report));
        }
    backend_close(&backend);
}

/* Sums of the first keys in shared memory, of the others in global memory: keys
 * of all kinds, of which frequent ones take a cache. Several components take
 * one launch. */
Test(accumulate, front_gpu, .timeout = SUITE_TIMEOUT) {
    struct backend backend;

    open_small(&backend);
    for (unsigned v = 0; v < VALUE_TYPES; v++)
        for (unsigned k = 0; k < KEYS_KINDS; k++) {
            struct accumulate t = ACCUMULATE_INIT;

            t.n = 24500;
            t.keys = (enum keys)k;
            t.bound = 30000 + 1000 * v;
            t.value_type = value_types[v];
            t.components = k % 2 ? 1 : 3;
            t.key_type = v % 2 ? WINNOW_UINT32 : WINNOW_UINT64;
            t.options.way =
                k < 4 ? WINNOW_ACCUMULATE_AUTO : WINNOW_ACCUMULATE_SHARED;
            t.options.out_layout = (winnow_layout)(v % 2);
            t.beyond = v % 3 != 0;
            t.seed = v;
            /* AUTO has one for parts in runs. */
            cr_assert_eq(launches_of(&t, &backend), k < 4 ? 3u : 2u);
        }
    backend_close(&backend);
}

/* The same by several blocks. */
Test(accumulate, front_blocks_gpu, .timeout = SUITE_TIMEOUT) {
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
Test(accumulate, front_components_gpu, .timeout = SUITE_TIMEOUT) {
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
            t.options.way = WINNOW_ACCUMULATE_SHARED;
            t.keys = some ? KEYS_HALVES : KEYS_UNIFORM;
            t.value_type = value_types[i % VALUE_TYPES];
            t.options.out_layout = (winnow_layout)some;
            cr_assert_eq(launches_of(&t, &backend), 2u);
            backend_close(&backend);
        }
}

/* A block adds its sums to global memory when it turns to another component,
 * not after each part. */
Test(accumulate, front_flushes_gpu, .timeout = SUITE_TIMEOUT) {
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
Test(accumulate, shared_refused_gpu, .timeout = SUITE_TIMEOUT) {
    struct backend backend;

    open_small(&backend);
    for (unsigned i = 0; i < 4; i++) {
        const unsigned calls = i % 2;
        struct accumulate t = ACCUMULATE_INIT;
        struct arrays a;

        t.n = i < 2 ? 24500 : 30000;
        t.bound = i < 2 ? 30000 : 300;
        open_arrays(&t, &backend, &a);
        memcpy(a.expected, a.out, bytes_for(&t, t.bound));
        t.beyond = false; /* nobody writes how many there are */
        const int32_t way = WINNOW_ACCUMULATE_AUTO;
        backend_upload(&backend, a.d_way, &way, sizeof(way));
        const unsigned before = simt_calls("cudaLaunchKernelExC");
        simt_fail("cudaFuncSetAttribute", cudaErrorInvalidValue, calls);
        cr_assert_eq(enqueue(&t, &backend, &a, NULL, 0), WINNOW_ERR_CUDA);
        cr_assert_eq(simt_calls("cudaLaunchKernelExC"), before);
        cr_assert_null(backend_wait(&backend));
        MUST(check_out(&t, &backend, &a, report));
        close_arrays(&backend, &a);
    }
    backend_close(&backend);
}

/* Which calls have a launch for sums of the first keys, and one for parts in
 * runs. */
Test(accumulate, launches_gpu, .timeout = SUITE_TIMEOUT) {
    static const struct {
        uint64_t n, bound;
        unsigned components, launches;
        winnow_layout layout;
        winnow_accumulate_way way;
    } cases[] = {
        /* For the first keys; one more of AUTO for parts in runs. */
        {90000, 130000, 1, 3, WINNOW_COLUMNS, WINNOW_ACCUMULATE_AUTO},
        {90000, 130000, 1, 3, WINNOW_INTERLEAVED, WINNOW_ACCUMULATE_AUTO},
        {90000, 130000, 2, 2, WINNOW_COLUMNS, WINNOW_ACCUMULATE_SHARED},
        {90000, 130000, 2, 1, WINNOW_INTERLEAVED, WINNOW_ACCUMULATE_AUTO},
        /* There is a slot for each. */
        {90000, 30000, 1, 2, WINNOW_COLUMNS, WINNOW_ACCUMULATE_AUTO},
        /* Too few items or slots for so many keys; the caller's way. */
        {85000, 130000, 1, 2, WINNOW_COLUMNS, WINNOW_ACCUMULATE_AUTO},
        {140000, 180000, 1, 2, WINNOW_COLUMNS, WINNOW_ACCUMULATE_AUTO},
        {6000, 3500, 12, 1, WINNOW_COLUMNS, WINNOW_ACCUMULATE_AUTO},
        {90000, 130000, 1, 1, WINNOW_COLUMNS, WINNOW_ACCUMULATE_RUNS},
        /* For parts in runs. */
        {28673, 60000, 1, 2, WINNOW_COLUMNS, WINNOW_ACCUMULATE_AUTO},
        {28673, 300, 1, 2, WINNOW_COLUMNS, WINNOW_ACCUMULATE_AUTO},
        {28673, 60000, 3, 2, WINNOW_COLUMNS, WINNOW_ACCUMULATE_AUTO},
        {28673, 60000, 1, 2, WINNOW_INTERLEAVED, WINNOW_ACCUMULATE_AUTO},
        {28673, 300, 1, 2, WINNOW_COLUMNS, WINNOW_ACCUMULATE_SHARED},
        /* Few tiles; values that are no neighbours; a cache; another way. */
        {28672, 60000, 1, 1, WINNOW_COLUMNS, WINNOW_ACCUMULATE_AUTO},
        {28673, 60000, 3, 1, WINNOW_INTERLEAVED, WINNOW_ACCUMULATE_AUTO},
        {28673, 60000, 1, 1, WINNOW_COLUMNS, WINNOW_ACCUMULATE_SHARED},
        {28673, 60000, 1, 1, WINNOW_COLUMNS, WINNOW_ACCUMULATE_RUNS},
        {28673, 60000, 1, 1, WINNOW_COLUMNS, WINNOW_ACCUMULATE_WARP},
    };
    struct backend backend;

    open_small(&backend);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct accumulate t = ACCUMULATE_INIT;

        t.n = cases[i].n;
        t.bound = cases[i].bound;
        t.components = cases[i].components;
        t.options.values_layout = cases[i].layout;
        t.options.way = cases[i].way;
        cr_assert_eq(launches_of(&t, &backend), cases[i].launches, "case %zu",
                     i);
    }
    backend_close(&backend);
}

/* Launches to which nothing is left do not look at the keys: sorted ones take
 * as many atomics as where all are added to global memory, also after a call
 * that left something. */
Test(accumulate, nothing_left_gpu, .timeout = SUITE_TIMEOUT) {
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
        t.options.way =
            i == 0 ? WINNOW_ACCUMULATE_ATOMIC : WINNOW_ACCUMULATE_RUNS;
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
Test(accumulate, windows_gpu, .timeout = SUITE_TIMEOUT) {
    for (unsigned v = 0; v < VALUE_TYPES; v++)
        for (unsigned k = 0; k < KEYS_KINDS; k++) {
            struct accumulate t = ACCUMULATE_INIT;
            struct backend backend;

            t.value_type = value_types[v];
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
Test(accumulate, window_launches_gpu, .timeout = SUITE_TIMEOUT) {
    static const struct {
        uint64_t n, bound;
        unsigned components, launches;
        int cache;
        winnow_accumulate_way way;
    } cases[] = {
        /* One more for parts in runs, where a block has so many tiles. */
        {66000, 60000, 1, 2, 400 << 10, WINNOW_ACCUMULATE_AUTO},
        {66000, 60000, 1, 3, 350 << 10, WINNOW_ACCUMULATE_AUTO},
        {66000, 60000, 1, 11, 55 << 10, WINNOW_ACCUMULATE_AUTO},
        /* Keys and values would be read too often. */
        {66000, 60000, 1, 2, 40 << 10, WINNOW_ACCUMULATE_AUTO},
        {66000, 60000, 9, 2, 400 << 10, WINNOW_ACCUMULATE_AUTO},
        /* Hardly any sector twice. */
        {14500, 60000, 1, 1, 100 << 10, WINNOW_ACCUMULATE_AUTO},
        /* Few tiles; the caller's way; sums in shared memory. */
        {6000, 20000, 1, 1, 50 << 10, WINNOW_ACCUMULATE_AUTO},
        {66000, 60000, 1, 1, 100 << 10, WINNOW_ACCUMULATE_RUNS},
        {66000, 5000, 1, 2, 10 << 10, WINNOW_ACCUMULATE_AUTO},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct accumulate t = ACCUMULATE_INIT;
        struct backend backend;

        t.n = cases[i].n;
        t.bound = cases[i].bound;
        t.components = cases[i].components;
        t.options.way = cases[i].way;
        simt_settings.shared_per_block = 48 << 10;
        simt_settings.cache_bytes = cases[i].cache;
        open_small(&backend);
        cr_assert_eq(launches_of(&t, &backend), cases[i].launches, "case %zu",
                     i);
        backend_close(&backend);
    }
}

/* Several tiles of a block, by every way, under many schedules. */
Test(accumulate, schedules_gpu, .timeout = SUITE_TIMEOUT) {
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
        t.value_type = value_types[data_random(seed, 3) % VALUE_TYPES];
        t.key_type = seed % 5 == 0 ? WINNOW_UINT64 : WINNOW_UINT32;
        t.components = 1 + (unsigned)(data_random(seed, 4) % 3);
        t.options.out_layout = (winnow_layout)(seed % 2);
        t.options.way = (winnow_accumulate_way)(seed % 6);
        MUST(run_trial(&t, &backend, NULL, report));
    }
    backend_close(&backend);
}

/* Partitioned keys under many schedules: ranges of one key and of many, blocks
 * that take two tiles in turn and more, keys beyond the bound inside of the
 * last range and above it, numbers of 4 and of 8 bytes. */
Test(accumulate, partition_schedules_gpu, .timeout = SUITE_TIMEOUT) {
    static const int caches[] = {0, 4 << 10, 256 << 10, 50 << 20};
    const unsigned seeds = simt_trials(24);

    for (unsigned s = 0; s < seeds; s++) {
        const uint64_t seed = simt_first_seed(9000) + s;
        struct accumulate t = ACCUMULATE_INIT;
        struct backend backend;

        simt_settings.multiprocessors = 1 + (int)(seed % 2);
        simt_settings.cache_bytes = caches[data_random(seed, 9) % 4];
        backend_open_gpu(&backend);
        cut_context(&backend)->narrow_items = seed % 3 == 0 ? 1000 : UINT32_MAX;
        simt_seed(seed);
        simt_pattern(~seed);
        t.seed = seed;
        t.n = 2048 * (data_random(seed, 0) % 14) + data_random(seed, 1) % 2048;
        t.keys = (enum keys)(data_random(seed, 2) % KEYS_KINDS);
        t.bound = 1 + data_random(seed, 3) % (seed % 4 == 0 ? 20 : 70000);
        t.value_type = value_types[data_random(seed, 4) % VALUE_TYPES];
        t.key_type = data_random(seed, 5) % 2 ? WINNOW_UINT64 : WINNOW_UINT32;
        t.components = 1 + (unsigned)(data_random(seed, 6) % 10);
        t.options.values_layout = (winnow_layout)(data_random(seed, 7) % 2);
        t.options.out_layout = (winnow_layout)(data_random(seed, 8) % 2);
        t.options.way = WINNOW_ACCUMULATE_PARTITION;
        MUST(run_trial(&t, &backend, NULL, report));
        backend_close(&backend);
    }
}

/* Which kernels: three of a partition in one pass, the items' numbers before
 * them, the sums. A small cache takes more ranges, which take more memory. */
Test(accumulate, partition_launches_gpu, .timeout = SUITE_TIMEOUT) {
    static const struct {
        uint64_t n, bound;
        unsigned components, launches;
        int cache;
    } cases[] = {{0, 1000, 3, 1, 50 << 20},     {5000, 0, 3, 1, 50 << 20},
                 {5000, 1000, 3, 5, 50 << 20},  {5000, 1000, 1, 4, 50 << 20},
                 {5000, 90000, 1, 4, 50 << 20}, {5000, 90000, 1, 4, 1 << 10}};
    size_t bytes[6] = {0};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct accumulate t = ACCUMULATE_INIT;
        struct backend backend;
        struct arrays a;

        simt_settings.cache_bytes = cases[i].cache;
        open_small(&backend);
        t.n = cases[i].n;
        t.bound = cases[i].bound;
        t.components = cases[i].components;
        t.options.values_layout = WINNOW_INTERLEAVED;
        t.options.way = WINNOW_ACCUMULATE_PARTITION;
        cr_assert_eq(winnow_accumulate_by_key_workspace(
                         backend.context, t.key_type, t.n, t.bound,
                         t.value_type, t.components, &t.options, &bytes[i]),
                     WINNOW_OK);
        open_arrays(&t, &backend, &a);
        const unsigned before = simt_calls("cudaLaunchKernelExC");
        cr_assert_eq(enqueue(&t, &backend, &a, NULL, 0), WINNOW_OK, "%s",
                     winnow_last_error());
        cr_assert_eq(simt_calls("cudaLaunchKernelExC") - before,
                     cases[i].launches, "case %zu", i);
        cr_assert_null(backend_wait(&backend));
        MUST(check_out(&t, &backend, &a, report));
        close_arrays(&backend, &a);
        backend_close(&backend);
    }
    cr_assert_leq(bytes[1], 4096u);
    cr_assert_gt(bytes[5], bytes[4]);
}

/* Keys that do not fit in 32 bits: an output that is mostly never touched. */
Test(accumulate, wide_keys_gpu, .timeout = SUITE_TIMEOUT) {
    enum {
        N = 3000
    };
    const uint64_t bound = (UINT64_C(1) << 32) + 10;
    winnow_accumulate_options options = WINNOW_ACCUMULATE_OPTIONS_INIT;
    const size_t bytes = bound * sizeof(int32_t);
    uint64_t *const keys = must_alloc(N * sizeof(*keys));
    uint32_t *const narrow = must_alloc(N * sizeof(*narrow));
    int32_t *const values = must_alloc(N * sizeof(*values));
    int32_t *const out =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    const void *const from[] = {values};
    void *const to[] = {out};
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
    for (int way = 0; way <= WINNOW_ACCUMULATE_PARTITION; way++) {
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
        options.way = (winnow_accumulate_way)way;
        cr_assert_eq(winnow_accumulate_by_key(backend.context, WINNOW_UINT64,
                                              keys, N, bound, WINNOW_INT32, 1,
                                              from, to, &beyond, &options, NULL,
                                              0, backend.stream),
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
    options.way = WINNOW_ACCUMULATE_PARTITION;
    memset(out + 9, 0, 4);
    memset(out + UINT32_MAX, 0, 4);
    cr_assert_eq(winnow_accumulate_by_key(backend.context, WINNOW_UINT32,
                                          narrow, N, bound, WINNOW_INT32, 1,
                                          from, to, &beyond, &options, NULL, 0,
                                          backend.stream),
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
Test(accumulate, little_shared_gpu, .timeout = SUITE_TIMEOUT) {
    static const int kibibytes[] = {48, 16, 12};

    for (size_t i = 0; i < 3; i++) {
        struct accumulate t = ACCUMULATE_INIT;
        struct backend backend;
        size_t bytes = 0;

        simt_settings.shared_per_block = kibibytes[i] << 10;
        open_small(&backend);
        t.n = 20000;
        t.components = 16;
        t.value_type = WINNOW_FLOAT64;
        t.bound = 3000;
        t.keys = KEYS_FEW;
        MUST(run_trial(&t, &backend, NULL, report));
        t.options.way = WINNOW_ACCUMULATE_SHARED;
        if (kibibytes[i] == 48) {
            MUST(run_trial(&t, &backend, NULL, report));
        } else {
            cr_assert_eq(winnow_accumulate_by_key_workspace(
                             backend.context, t.key_type, t.n, t.bound,
                             t.value_type, t.components, &t.options, &bytes),
                         WINNOW_ERR_UNSUPPORTED);
            cr_assert_str_eq(winnow_last_error(),
                             "the device has no shared memory for the sums of "
                             "WINNOW_ACCUMULATE_SHARED");
        }
        backend_close(&backend);
    }
}
#endif

/* ------------------------------------------------------------ what is wrong */

struct bad {
    const char *says; /* the beginning of it */
    winnow_status status;
    winnow_type key_type, value_type;
    uint64_t n, bound;
    unsigned components;
    winnow_accumulate_options options;
    const void *keys, *values[2];
    void *out[2];
    void *beyond;
    void *workspace;
    size_t bytes;
    bool no_values, no_out, no_context;
};

static winnow_status call_bad(const struct bad *b, winnow_context *context) {
    return winnow_accumulate_by_key(
        b->no_context ? NULL : context, b->key_type, b->keys, b->n, b->bound,
        b->value_type, b->components, b->no_values ? NULL : b->values,
        b->no_out ? NULL : b->out, b->beyond, &b->options, b->workspace,
        b->bytes, NULL);
}

Test(accumulate, refused) {
    static _Alignas(16) uint32_t keys[4] = {0, 1, 2, 3};
    static _Alignas(16) int32_t values[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    static _Alignas(16) int32_t out[8], more[8];
    static _Alignas(16) uint64_t beyond = 77;
    winnow_context *context;
    const struct bad good = {.status = WINNOW_ERR_ARGUMENT,
                             .key_type = WINNOW_UINT32,
                             .value_type = WINNOW_INT32,
                             .n = 4,
                             .bound = 4,
                             .components = 2,
                             .options = WINNOW_ACCUMULATE_OPTIONS_INIT,
                             .keys = keys,
                             .values = {values, values + 4},
                             .out = {out, more},
                             .beyond = &beyond};
    struct bad cases[40];
    size_t number = 0, bytes = 0;

#define BAD(text) cases[number] = good, cases[number].says = (text)
#define CASE(text, member, value)                                              \
    (BAD(text), cases[number].member = (value), number++)
    CASE("key_type 2 is neither", key_type, WINNOW_INT32);
    CASE("key_type 99 is neither", key_type, (winnow_type)99);
    CASE("value_type 0 is not summed", value_type, WINNOW_INT8);
    CASE("value_type 8 is not summed", value_type, WINNOW_FLOAT16);
    CASE("value_type 99 is not summed", value_type, (winnow_type)99);
    CASE("components is 0: wanted 1 to 16", components, 0);
    CASE("components is 17: wanted 1 to 16", components, 17);
    CASE("n is ", n, UINT64_MAX / 4 + 1);
    CASE("key_bound is ", bound, UINT64_MAX / 4 + 1);
    CASE("context is NULL", no_context, true);
    CASE("d_keys is NULL", keys, NULL);
    CASE("d_keys (", keys, (const char *)keys + 2);
    CASE("d_values is NULL", no_values, true);
    CASE("d_values[1] is NULL", values[1], NULL);
    CASE("d_values[0] (", values[0], (const char *)values + 1);
    CASE("d_out is NULL", no_out, true);
    CASE("d_out[0] is NULL", out[0], NULL);
    CASE("d_out[1] (", out[1], (char *)more + 2);
    CASE("d_out[0] and d_out[1] overlap", out[1], out + 3);
    CASE("d_values[1] and d_out[0] overlap", out[0], values + 4);
    CASE("d_keys and d_out[0] overlap", out[0], keys);
    CASE("d_beyond (", beyond, (char *)&beyond + 4);
    CASE("d_out[0] and d_beyond overlap", beyond, out);
    CASE("d_out[1] and options->d_way overlap", options.d_way, more);
    CASE("options->size is 0", options.size, 0);
    CASE("options->way 9 is no", options.way, (winnow_accumulate_way)9);
    CASE("options->way -2 is no", options.way, (winnow_accumulate_way)-2);
    CASE("options->values_layout 2 is", options.values_layout,
         (winnow_layout)2);
    CASE("options->out_layout -1 is", options.out_layout, (winnow_layout)-1);
    CASE("d_workspace is NULL", bytes, 16);
    CASE("options->way 3 needs a GPU", options.way, WINNOW_ACCUMULATE_WARP);
    cases[number - 1].status = WINNOW_ERR_UNSUPPORTED;
    CASE("options->way 5 needs a GPU", options.way,
         WINNOW_ACCUMULATE_PARTITION);
    cases[number - 1].status = WINNOW_ERR_UNSUPPORTED;
    CASE("options->way 6 is no", options.way, (winnow_accumulate_way)6);
    /* One pointer to pairs: twice as long. */
    CASE("d_values[0] and d_out[0] overlap", out[0], values + 4);
    cases[number - 1].options.values_layout = WINNOW_INTERLEAVED;
#undef CASE
#undef BAD
    cr_assert_eq(winnow_context_create(&context, WINNOW_DEVICE_HOST),
                 WINNOW_OK);
    for (size_t i = 0; i < number; i++) {
        cr_assert_eq(call_bad(&cases[i], context), cases[i].status, "case %zu",
                     i);
        cr_assert_eq(
            strncmp(winnow_last_error(), cases[i].says, strlen(cases[i].says)),
            0, "case %zu: %s, not %s", i, winnow_last_error(), cases[i].says);
    }
    for (int i = 0; i < 8; i++)
        cr_assert(out[i] == 0 && more[i] == 0);
    cr_assert_eq(beyond, 77u);
    cr_assert_eq(winnow_accumulate_by_key_workspace(
                     context, WINNOW_UINT32, 4, 4, WINNOW_INT32, 2, NULL, NULL),
                 WINNOW_ERR_ARGUMENT);
    cr_assert_str_eq(winnow_last_error(), "bytes_p is NULL");
    cr_assert_eq(winnow_accumulate_by_key_workspace(context, WINNOW_UINT32, 4,
                                                    4, WINNOW_INT32, 2, NULL,
                                                    &bytes),
                 WINNOW_OK);
    cr_assert_eq(bytes, 0u);
    /* As it stands it is right; values may be read twice. */
    struct bad right = good;
    right.values[1] = values;
    cr_assert_eq(call_bad(&right, context), WINNOW_OK);
    cr_assert(out[3] == 1 && more[0] == 1 && out[4] == 0);
    cr_assert_eq(beyond, 0u);
    winnow_context_destroy(context);
}

/* Structures of later programs. */
Test(accumulate, options_size) {
    struct {
        winnow_accumulate_options options;
        uint64_t later;
    } longer = {WINNOW_ACCUMULATE_OPTIONS_INIT, 0};
    winnow_context *context;
    size_t bytes;

    cr_assert_eq(winnow_context_create(&context, WINNOW_DEVICE_HOST),
                 WINNOW_OK);
    longer.options.size = sizeof(longer);
    for (int i = 0; i <= 1; i++) {
        longer.later = (uint64_t)i;
        cr_assert_eq(winnow_accumulate_by_key_workspace(
                         context, WINNOW_UINT32, 4, 4, WINNOW_INT32, 1,
                         &longer.options, &bytes),
                     i ? WINNOW_ERR_ARGUMENT : WINNOW_OK);
    }
    winnow_context_destroy(context);
}
