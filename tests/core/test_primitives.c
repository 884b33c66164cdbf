/*
 * winnow/device.cuh and winnow/software_atomic.cuh: each function by lanes that
 * have diverged in every way, with few keys and with many, against what it is
 * by definition.
 *
 * Numbers are small, and those of 8 bytes a multiple of one that needs more
 * than 32 bits: so every sum is exact in every type, and is computed here in 64
 * bits.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "primitives.h"
#include "suite.h"
#ifdef WINNOW_SIMT
#include "simt/simt.h"
#endif

enum {
    BLOCKS = 2,
    LANES = 32,
    THREADS = BLOCKS * PRIMITIVE_THREADS,
    COUNTERS = (PRIMITIVE_COMPONENTS + 1) * PRIMITIVE_KEYS,
    MOST_OUT = 10 /* words of 8 bytes for each thread */
};

/* ------------------------------------------------------------------ numbers */

static const size_t number_size[NUMBERS] = {4, 4, 8, 8, 8, 8, 4, 8};
static const char *const number_name[NUMBERS] = {
    "int",       "unsigned",           "long",  "unsigned long",
    "long long", "unsigned long long", "float", "double"};

static bool number_is_signed(enum number type) {
    return type != NUMBER_UINT && type != NUMBER_ULONG && type != NUMBER_ULLONG;
}

static int64_t number_unit(enum number type) {
    return number_size[type] == 8 ? (INT64_C(1) << 33) + 1 : 1;
}

static void put(void *array, size_t i, enum number type, int64_t value) {
    switch (type) {
    case NUMBER_FLOAT:
        ((float *)array)[i] = (float)value;
        break;
    case NUMBER_DOUBLE:
        ((double *)array)[i] = (double)value;
        break;
    default:
        if (number_size[type] == 4)
            ((uint32_t *)array)[i] = (uint32_t)value;
        else
            ((uint64_t *)array)[i] = (uint64_t)value;
    }
}

static int64_t get(const void *array, size_t i, enum number type) {
    switch (type) {
    case NUMBER_INT:
        return ((const int32_t *)array)[i];
    case NUMBER_UINT:
        return ((const uint32_t *)array)[i];
    case NUMBER_FLOAT:
        return (int64_t)((const float *)array)[i];
    case NUMBER_DOUBLE:
        return (int64_t)((const double *)array)[i];
    default:
        return ((const int64_t *)array)[i];
    }
}

/* -------------------------------------------------------------------- lanes */

enum divergence {
    ALL_OF_WAY_1 = 0,
    FIRST_LANES = 1,
    ONE_LANE = 2,
    TWO_WAYS = 3,
    RANDOM = 4,
    RANDOM_IN_TWO_WAYS = 5,
    NOBODY = 6,
    DIVERGENCES = 7
};

static const unsigned distinct_keys[] = {1, 2, 5, 32};
#define KEY_CASES (sizeof(distinct_keys) / sizeof(distinct_keys[0]))

struct lanes {
    uint32_t key[THREADS];
    uint8_t way[THREADS];
    int64_t value[THREADS]; /* units */
    uint64_t seed;
};

static unsigned draw_way(uint64_t seed, unsigned i, enum divergence how) {
    const uint64_t random = data_random(seed, 1000 + i);
    const uint64_t of_warp = data_random(seed, 2000 + i / LANES);

    switch (how) {
    case ALL_OF_WAY_1:
        return 1;
    case FIRST_LANES:
        return i % LANES < of_warp % LANES;
    case ONE_LANE:
        return i % LANES == of_warp % LANES;
    case TWO_WAYS:
        return 1 + (unsigned)(random % 2);
    case RANDOM:
        return (unsigned)(random % 2);
    case RANDOM_IN_TWO_WAYS:
        return (unsigned)(random % WAYS);
    default:
        return 0;
    }
}

/* Values from 1 on, or negative ones where these are asked for. */
static void draw_lanes(struct lanes *lanes, uint64_t seed, enum divergence how,
                       unsigned keys, int sign) {
    lanes->seed = seed;
    for (unsigned i = 0; i < THREADS; i++) {
        lanes->way[i] = (uint8_t)draw_way(seed, i, how);
        /* All of them in each warp, where a warp has that many lanes. */
        lanes->key[i] = (uint32_t)((data_random(seed, 3000 + i) + i) % keys);
        if (keys == LANES)
            lanes->key[i] = (i * 7 + (uint32_t)seed) % LANES;
        lanes->value[i] =
            sign * (1 + (int64_t)(data_random(seed, 4000 + i) % 100));
    }
}

static bool same_warp_and_way(const struct lanes *lanes, unsigned i,
                              unsigned j) {
    return i / LANES == j / LANES && lanes->way[i] == lanes->way[j];
}

/* Do both take part, and are they peers? */
static bool are_peers(const struct lanes *lanes, unsigned i, unsigned j) {
    return same_warp_and_way(lanes, i, j) && lanes->key[i] == lanes->key[j];
}

/* Is it the first of its warp and way, and of its key if these count? */
static bool is_first(const struct lanes *lanes, unsigned i, bool of_key) {
    for (unsigned j = i / LANES * LANES; j < i; j++)
        if (of_key ? are_peers(lanes, i, j) : same_warp_and_way(lanes, i, j))
            return false;
    return lanes->way[i] != 0;
}

/* ----------------------------------------------------------------- a device */

struct device {
    cudaStream_t stream;
    struct primitive_args args;
    uint64_t updates; /* before the launch */
};

static struct device open_device(const struct backend *backend) {
    struct device d = {.stream = backend->stream};

    d.args.keys = (const uint32_t *)gpu_alloc(THREADS * sizeof(uint32_t));
    d.args.ways = (const uint8_t *)gpu_alloc(THREADS);
    d.args.values = gpu_alloc(THREADS * sizeof(struct counted_map));
    d.args.counters = gpu_alloc(COUNTERS * sizeof(struct counted_map));
    d.args.out = gpu_alloc(THREADS * MOST_OUT * sizeof(uint64_t));
    d.args.n = THREADS;
    return d;
}

static void close_device(struct device *d) {
    gpu_free((void *)d->args.keys);
    gpu_free((void *)d->args.ways);
    gpu_free((void *)d->args.values);
    gpu_free(d->args.counters);
    gpu_free(d->args.out);
}

static uint64_t count_updates(void) {
#ifdef WINNOW_SIMT
    return simt_updates();
#else
    return 0;
#endif
}

static void send(struct device *d, const struct lanes *lanes,
                 const void *values, size_t value_bytes, const void *counters,
                 size_t counter_bytes) {
    gpu_copy((void *)d->args.keys, lanes->key, sizeof(lanes->key), d->stream);
    gpu_copy((void *)d->args.ways, lanes->way, sizeof(lanes->way), d->stream);
    gpu_copy((void *)d->args.values, values, value_bytes, d->stream);
    gpu_copy(d->args.counters, counters, counter_bytes, d->stream);
    GPU_MUST(cudaMemsetAsync(d->args.out, 0xcc,
                             THREADS * MOST_OUT * sizeof(uint64_t), d->stream));
    gpu_wait(d->stream);
    d->updates = count_updates();
}

static void receive(struct device *d, void *out, size_t out_bytes,
                    void *counters, size_t counter_bytes) {
    gpu_copy(out, d->args.out, out_bytes, d->stream);
    gpu_copy(counters, d->args.counters, counter_bytes, d->stream);
    gpu_wait(d->stream);
}

/* How many atomics the launch made, where that is known. */
static void expect_updates(const struct device *d, uint64_t least,
                           uint64_t most) {
#ifdef WINNOW_SIMT
    const uint64_t updates = count_updates() - d->updates;

    cr_assert_geq(updates, least, "%d atomics, seed %d", (int)updates,
                  (int)simt_get_seed());
    cr_assert_leq(updates, most, "%d atomics, seed %d", (int)updates,
                  (int)simt_get_seed());
#else
    (void)d;
    (void)least;
    (void)most;
#endif
}

/* -------------------------------------------------------------------- cases */

/* Each seed, divergence and number of keys: calls f. */
typedef void test_body(struct device *d, const struct lanes *lanes,
                       enum number type);

static unsigned seeds_of(unsigned usual) {
#ifdef WINNOW_SIMT
    return simt_trials(usual);
#else
    return usual;
#endif
}

static uint64_t begin_seed(unsigned s) {
#ifdef WINNOW_SIMT
    const uint64_t seed = simt_first_seed(5200) + s;

    simt_seed(seed);
    return seed;
#else
    return 5200 + s;
#endif
}

static void for_lanes(const struct backend *backend, unsigned seeds,
                      unsigned types, test_body *body) {
    struct device d = open_device(backend);
    struct lanes lanes;

    for (unsigned s = 0; s < seeds_of(seeds); s++) {
        const uint64_t seed = begin_seed(s);

        for (unsigned how = 0; how < DIVERGENCES; how++)
            for (size_t k = 0; k < KEY_CASES; k++)
                for (unsigned type = 0; type < types; type++) {
                    /* A type each, where there are enough cases. */
                    if (types == NUMBERS &&
                        (seed + how + k + type) % (NUMBERS / 2) != 0)
                        continue;
                    draw_lanes(&lanes, data_random(seed, how * KEY_CASES + k),
                               (enum divergence)how, distinct_keys[k],
                               number_is_signed((enum number)type) &&
                                       how % 2 != 0
                                   ? -1
                                   : 1);
                    body(&d, &lanes, (enum number)type);
                }
    }
    close_device(&d);
}

/* Values of a type, and counters that begin with 100 units more each. */
struct numbers {
    uint64_t values[THREADS], counters[COUNTERS], out[THREADS * 4];
};

static int64_t first_count(size_t counter) {
    return 100 * (int64_t)counter;
}

static void run_numbers(struct device *d, const struct lanes *lanes,
                        enum number type, enum primitive primitive,
                        unsigned blocks, struct numbers *x) {
    for (unsigned i = 0; i < THREADS; i++)
        put(x->values, i, type, lanes->value[i] * number_unit(type));
    for (size_t c = 0; c < COUNTERS; c++)
        put(x->counters, c, type, first_count(c) * number_unit(type));
    send(d, lanes, x->values, sizeof(x->values), x->counters,
         sizeof(x->counters));
    GPU_MUST(primitive_launch(primitive, type, &d->args, blocks, d->stream));
    receive(d, x->out, sizeof(x->out), x->counters, sizeof(x->counters));
}

/* ---------------------------------------------------------- aggregated adds */

struct addition {
    int64_t old, amount;
};

static int compare_old(const void *a, const void *b) {
    const int64_t x = ((const struct addition *)a)->old;
    const int64_t y = ((const struct addition *)b)->old;

    return (x > y) - (x < y);
}

/*
 * Were these made one after the other, in some order? Amounts are all positive
 * or all negative: so sorted by the values before them, in the one direction or
 * the other, each begins where another one ended.
 */
static void expect_sequence(struct addition *all, size_t number, int64_t first,
                            int64_t last, const char *what) {
    const bool down = number != 0 && all[0].amount < 0;
    int64_t at = first;

    qsort(all, number, sizeof(all[0]), compare_old);
    for (size_t i = 0; i < number; i++) {
        const struct addition *next = &all[down ? number - 1 - i : i];

        cr_assert_eq(next->old, at, "%s: %lld before an addition, not %lld",
                     what, (long long)next->old, (long long)at);
        at += next->amount;
    }
    cr_assert_eq(last, at, "%s: %lld in the end, not %lld", what,
                 (long long)last, (long long)at);
}

/* Which counter does a thread add to? */
enum target {
    BY_KEY,
    BY_WAY,
    ONE
};

static void expect_additions(const struct lanes *lanes, enum number type,
                             const struct numbers *x, enum target target,
                             bool ones, unsigned threads) {
    static struct addition all[THREADS];

    for (unsigned c = 0; c < PRIMITIVE_KEYS; c++) {
        const int64_t unit = ones ? 1 : number_unit(type);
        size_t number = 0;

        for (unsigned i = 0; i < threads; i++) {
            const unsigned counter = target == BY_KEY   ? lanes->key[i]
                                     : target == BY_WAY ? lanes->way[i]
                                                        : 0;

            if (lanes->way[i] == 0 || counter != c)
                continue;
            all[number].old = get(x->out, i, type);
            all[number++].amount = ones ? 1 : lanes->value[i] * unit;
        }
        expect_sequence(all, number, first_count(c) * number_unit(type),
                        get(x->counters, c, type), number_name[type]);
    }
}

static unsigned count_first(const struct lanes *lanes, unsigned threads,
                            bool of_key) {
    unsigned number = 0;

    for (unsigned i = 0; i < threads; i++)
        number += is_first(lanes, i, of_key);
    return number;
}

static unsigned count_active(const struct lanes *lanes, unsigned threads) {
    unsigned number = 0;

    for (unsigned i = 0; i < threads; i++)
        number += lanes->way[i] != 0;
    return number;
}

static void aggregate_any(struct device *d, const struct lanes *lanes,
                          enum number type) {
    static struct numbers x;

    run_numbers(d, lanes, type, PRIMITIVE_INCREMENT, BLOCKS, &x);
    expect_additions(lanes, type, &x, BY_KEY, true, THREADS);
    expect_updates(d, 0, count_active(lanes, THREADS));
    run_numbers(d, lanes, type, PRIMITIVE_ADD, BLOCKS, &x);
    expect_additions(lanes, type, &x, BY_KEY, false, THREADS);
    expect_updates(d, 0, count_active(lanes, THREADS));
    run_numbers(d, lanes, type, PRIMITIVE_ADD_SHARED, 1, &x);
    expect_additions(lanes, type, &x, BY_KEY, false, PRIMITIVE_THREADS);
}

GPU_TEST(primitives, aggregate_any_counters) {
    for_lanes(backend, 6, NUMBERS, aggregate_any);
}

static void aggregate_known(struct device *d, const struct lanes *lanes,
                            enum number type) {
    static struct numbers x;
    const unsigned atomics = count_first(lanes, THREADS, false);

    run_numbers(d, lanes, type, PRIMITIVE_INCREMENT_MASK, BLOCKS, &x);
    expect_additions(lanes, type, &x, BY_WAY, true, THREADS);
    expect_updates(d, atomics, atomics);
    run_numbers(d, lanes, type, PRIMITIVE_ADD_MASK, BLOCKS, &x);
    expect_additions(lanes, type, &x, BY_WAY, false, THREADS);
    expect_updates(d, atomics, atomics);
    run_numbers(d, lanes, type, PRIMITIVE_INCREMENT_GROUP, BLOCKS, &x);
    expect_additions(lanes, type, &x, ONE, true, THREADS);
    run_numbers(d, lanes, type, PRIMITIVE_ADD_GROUP, BLOCKS, &x);
    expect_additions(lanes, type, &x, ONE, false, THREADS);
}

GPU_TEST(primitives, aggregate_by_mask_and_group) {
    for_lanes(backend, 6, NUMBERS, aggregate_known);
}

/* One warp's lanes that are all there make one atomic, sooner or later: a build
 * in which nobody ever comes together would pass the tests above. */
#ifdef WINNOW_SIMT
GPU_TEST(primitives, lanes_come_together) {
    static struct numbers x;
    struct device d = open_device(backend);
    struct lanes lanes;
    uint64_t least = THREADS;

    for (unsigned s = 0; s < 40; s++) {
        uint64_t before;

        simt_seed(s);
        draw_lanes(&lanes, s, ALL_OF_WAY_1, 1, 1);
        before = count_updates();
        run_numbers(&d, &lanes, NUMBER_INT, PRIMITIVE_ADD, BLOCKS, &x);
        if (count_updates() - before < least)
            least = count_updates() - before;
    }
    cr_assert_lt(least, THREADS / 8, "%d atomics", (int)least);
    close_device(&d);
}
#endif

/* -------------------------------------------------------------------- peers */

static void check_match(struct device *d, const struct lanes *lanes,
                        enum number type) {
    static uint32_t out[THREADS][2 * MATCH_KEYS];
    uint32_t nothing[1] = {0};

    (void)type;
    send(d, lanes, nothing, sizeof(nothing), nothing, sizeof(nothing));
    GPU_MUST(primitive_match(&d->args, BLOCKS, d->stream));
    receive(d, out, sizeof(out), nothing, sizeof(nothing));
    for (unsigned i = 0; i < THREADS; i++) {
        uint32_t peers = 0;

        if (lanes->way[i] == 0)
            continue;
        for (unsigned j = i / LANES * LANES; j < (i / LANES + 1) * LANES; j++)
            peers |= (uint32_t)are_peers(lanes, i, j) << j % LANES;
        for (unsigned k = 0; k < 2 * MATCH_KEYS; k++)
            cr_assert_eq(out[i][k], peers, "thread %u, mask %u: %08x, not %08x",
                         i, k, out[i][k], peers);
    }
}

GPU_TEST(primitives, match) {
    for_lanes(backend, 10, 1, check_match);
}

static void check_reduce(struct device *d, const struct lanes *lanes,
                         enum number type) {
    static struct numbers x;
    const int64_t unit = number_unit(type);

    run_numbers(d, lanes, type, PRIMITIVE_REDUCE, BLOCKS, &x);
    for (unsigned i = 0; i < THREADS; i++) {
        int64_t sum = 0, least = INT64_MAX, most = INT64_MIN, upto = 0;

        if (lanes->way[i] == 0)
            continue;
        for (unsigned j = i / LANES * LANES; j < (i / LANES + 1) * LANES; j++) {
            const int64_t value = lanes->value[j] * unit;

            if (!are_peers(lanes, i, j))
                continue;
            sum += value;
            upto += j <= i ? value : 0;
            least = value < least ? value : least;
            most = value > most ? value : most;
        }
        cr_assert_eq(get(x.out, 4 * i, type), sum, "%s", number_name[type]);
        cr_assert_eq(get(x.out, 4 * i + 1, type), least, "%s",
                     number_name[type]);
        cr_assert_eq(get(x.out, 4 * i + 2, type), most, "%s",
                     number_name[type]);
        cr_assert_eq(get(x.out, 4 * i + 3, type), upto, "%s",
                     number_name[type]);
    }
}

GPU_TEST(primitives, reduce) {
    for_lanes(backend, 6, NUMBERS, check_reduce);
}

static void check_accumulate(struct device *d, const struct lanes *lanes,
                             enum number type) {
    static struct numbers x;
    const int64_t unit = number_unit(type);
    const uint64_t atomics = count_first(lanes, THREADS, true);

    run_numbers(d, lanes, type, PRIMITIVE_ACCUMULATE, BLOCKS, &x);
    /* That of a minimum of float and double may have to be tried again. */
    expect_updates(d, atomics * (PRIMITIVE_COMPONENTS + 1),
                   type >= NUMBER_FLOAT ? UINT64_MAX
                                        : atomics * (PRIMITIVE_COMPONENTS + 1));
    for (unsigned key = 0; key < PRIMITIVE_KEYS; key++) {
        const size_t minimum = PRIMITIVE_COMPONENTS * PRIMITIVE_KEYS + key;
        int64_t sum = 0, least = first_count(minimum) * unit;

        for (unsigned i = 0; i < THREADS; i++) {
            if (lanes->way[i] == 0 || lanes->key[i] != key)
                continue;
            sum += lanes->value[i] * unit;
            if (lanes->value[i] * unit < least)
                least = lanes->value[i] * unit;
        }
        for (int c = 0; c < PRIMITIVE_COMPONENTS; c++) {
            const size_t at = (size_t)c * PRIMITIVE_KEYS + key;

            cr_assert_eq(get(x.counters, at, type),
                         first_count(at) * unit + (c + 1) * sum,
                         "%s, key %u, component %d", number_name[type], key, c);
        }
        cr_assert_eq(get(x.counters, minimum, type), least, "%s, key %u",
                     number_name[type], key);
    }
}

GPU_TEST(primitives, accumulate) {
    for_lanes(backend, 6, NUMBERS, check_accumulate);
}

static struct counted_map follow(struct counted_map a, struct counted_map b) {
    return (struct counted_map){a.a * b.a, a.b * b.a + b.b, a.count + b.count};
}

static void expect_map(struct counted_map found, struct counted_map right,
                       const char *what) {
    cr_assert_eq(found.a, right.a, "%s", what);
    cr_assert_eq(found.b, right.b, "%s", what);
    cr_assert_eq(found.count, right.count, "%s", what);
}

static const struct counted_map no_map = {1, 0, 0};

static void expect_maps_of(const struct lanes *lanes,
                           const struct counted_map *values, unsigned i,
                           const struct counted_map *out) {
    struct counted_map all = no_map, upto = no_map, way = no_map,
                       before = no_map;
    const unsigned first = i / LANES * LANES;

    for (unsigned j = first; j < first + LANES; j++) {
        if (are_peers(lanes, i, j)) {
            all = follow(all, values[j]);
            upto = j <= i ? follow(upto, values[j]) : upto;
        }
        /* Of lanes that take no part, the whole warp was scanned. */
        if (j <= i && (lanes->way[i] == 0 || same_warp_and_way(lanes, i, j))) {
            before = way;
            way = follow(way, values[j]);
        }
    }
    expect_map(out[2], way, "a scan");
    if (lanes->way[i] == 0)
        return;
    expect_map(out[0], all, "of all peers");
    expect_map(out[1], upto, "of peers up to this one");
    expect_map(out[3], before, "an exclusive scan");
}

static void check_maps(struct device *d, const struct lanes *lanes,
                       enum number type) {
    static struct counted_map values[THREADS], out[THREADS][4];
    struct map counters[2 * PRIMITIVE_KEYS];

    (void)type;
    for (unsigned i = 0; i < THREADS; i++) {
        values[i].a = (uint32_t)data_random(lanes->seed, 5000 + i);
        values[i].b = (uint32_t)data_random(lanes->seed, 6000 + i);
        values[i].count = 1;
    }
    for (unsigned k = 0; k < 2 * PRIMITIVE_KEYS; k++)
        counters[k] = (struct map){1, k};
    send(d, lanes, values, sizeof(values), counters, sizeof(counters));
    GPU_MUST(primitive_maps(&d->args, BLOCKS, d->stream));
    receive(d, out, sizeof(out), counters, sizeof(counters));
    for (unsigned i = 0; i < THREADS; i++)
        expect_maps_of(lanes, values, i, out[i]);
    for (unsigned k = 0; k < 2 * PRIMITIVE_KEYS; k++) {
        uint32_t sum = k;

        for (unsigned i = 0; i < THREADS; i++)
            if (lanes->way[i] != 0 && lanes->key[i] == k % PRIMITIVE_KEYS)
                sum += values[i].b;
        cr_assert_eq(counters[k].a, 1);
        cr_assert_eq(counters[k].b, sum, "counter %u", k);
    }
}

GPU_TEST(primitives, types_of_a_program) {
    for_lanes(backend, 8, 1, check_maps);
}

/* -------------------------------------------------------------------- scans */

static void check_scan(struct device *d, const struct lanes *lanes,
                       enum number type) {
    static struct numbers x;

    for (enum primitive form = PRIMITIVE_SCAN_SHARED; form <= PRIMITIVE_SCAN;
         form++) {
        int64_t sum[WAYS] = {0};

        run_numbers(d, lanes, type, form, BLOCKS, &x);
        for (unsigned i = 0; i < THREADS; i++) {
            const unsigned way = lanes->way[i];

            if (i % LANES == 0)
                memset(sum, 0, sizeof(sum));
            if (way == 0)
                continue;
            cr_assert_eq(get(x.out, 2 * i + 1, type), sum[way],
                         "%s, form %d, thread %u, exclusive", number_name[type],
                         form, i);
            sum[way] += lanes->value[i] * number_unit(type);
            cr_assert_eq(get(x.out, 2 * i, type), sum[way],
                         "%s, form %d, thread %u, inclusive", number_name[type],
                         form, i);
        }
    }
}

GPU_TEST(primitives, scan_of_a_warp) {
    for_lanes(backend, 6, NUMBERS, check_scan);
}

/* Around blocks of 32, and around as many of these as there are threads. */
static const unsigned array_sizes[] = {
    0,
    1,
    31,
    32,
    33,
    64,
    1000,
    32 * PRIMITIVE_THREADS - 1,
    32 * PRIMITIVE_THREADS,
    32 * PRIMITIVE_THREADS + 1,
    64 * PRIMITIVE_THREADS + 33,
};
enum {
    ARRAY_SIZES = sizeof(array_sizes) / sizeof(array_sizes[0]),
    MOST_ARRAY = 64 * PRIMITIVE_THREADS + 34
};

static void check_array(const struct backend *backend, enum primitive form,
                        enum number type, unsigned n, uint64_t seed) {
    static uint64_t array[MOST_ARRAY];
    struct primitive_args args = {.n = n};
    int64_t sum = 0;

    /* One more, which stays as it is. */
    for (unsigned i = 0; i <= n; i++)
        put(array, i, type,
            (int64_t)(data_random(seed, i) % 100) * number_unit(type));
    args.out = gpu_alloc(sizeof(array));
    gpu_copy(args.out, array, sizeof(array), backend->stream);
    GPU_MUST(primitive_launch(form, type, &args, 1, backend->stream));
    gpu_copy(array, args.out, sizeof(array), backend->stream);
    gpu_wait(backend->stream);
    for (unsigned i = 0; i <= n; i++) {
        const int64_t value =
            (int64_t)(data_random(seed, i) % 100) * number_unit(type);

        sum += value;
        cr_assert_eq(get(array, i, type), i == n ? value : sum,
                     "%s, form %d, element %u of %u", number_name[type], form,
                     i, n);
    }
    gpu_free(args.out);
}

GPU_TEST(primitives, scan_of_an_array) {
    for (unsigned s = 0; s < seeds_of(4); s++) {
        const uint64_t seed = begin_seed(s);

        for (unsigned i = 0; i < ARRAY_SIZES; i++)
            for (enum primitive form = PRIMITIVE_ARRAY_SHARED;
                 form <= PRIMITIVE_ARRAY; form++)
                check_array(backend, form,
                            (enum number)((seed + i + form) % NUMBERS),
                            array_sizes[i], seed);
    }
}

/* ------------------------------------------------------- compare-and-swap */

static void check_cas(struct device *d, const struct lanes *lanes,
                      enum number type) {
    static struct numbers x;
    static struct addition all[THREADS];
    const int64_t unit = number_unit(type);
    int64_t least = first_count(1) * unit, most = first_count(2) * unit;
    size_t number = 0;

    run_numbers(d, lanes, type, PRIMITIVE_CAS, BLOCKS, &x);
    for (unsigned i = 0; i < THREADS; i++) {
        const int64_t value = lanes->value[i] * unit;

        if (lanes->way[i] == 0)
            continue;
        all[number++] = (struct addition){get(x.out, i, type), value};
        least = value < least ? value : least;
        most = value > most ? value : most;
    }
    expect_sequence(all, number, 0, get(x.counters, 0, type),
                    number_name[type]);
    cr_assert_eq(get(x.counters, 1, type), least);
    cr_assert_eq(get(x.counters, 2, type), most);
}

GPU_TEST(primitives, compare_and_swap) {
    for_lanes(backend, 4, NUMBERS, check_cas);
}

static void check_cas_types(struct device *d, const struct lanes *lanes,
                            enum number type) {
    static uint32_t values[THREADS], nothing[1];
    union {
        uint16_t small[4];
        struct map map[2];
    } counters = {.map = {{0x55555555, 0x66666666}, {1, 7}}};
    uint32_t sum = 0;

    (void)type;
    for (unsigned i = 0; i < THREADS; i++) {
        values[i] = (uint32_t)data_random(lanes->seed, 5000 + i);
        sum += lanes->way[i] != 0 ? values[i] : 0;
    }
    send(d, lanes, values, sizeof(values), &counters, sizeof(counters));
    GPU_MUST(primitive_cas(&d->args, BLOCKS, d->stream));
    receive(d, nothing, sizeof(nothing), &counters, sizeof(counters));
    cr_assert_eq(counters.small[0], (uint16_t)(0x5555 + sum));
    cr_assert_eq(counters.small[1], 0x5555);
    cr_assert_eq(counters.map[1].a, 1);
    cr_assert_eq(counters.map[1].b, 7 + sum);
}

GPU_TEST(primitives, compare_and_swap_of_other_sizes) {
    for_lanes(backend, 4, 1, check_cas_types);
}

/* ------------------------------------------------------------------- blocks */

enum {
    MOST_BLOCK = 1024,
    BLOCK_OUT = 6
};

/* Blocks add one after the other, in some order: each has its sum. */
static void expect_block_order(const uint64_t (*out)[BLOCK_OUT], unsigned size,
                               unsigned which, const uint32_t *values,
                               uint64_t first, uint64_t last) {
    struct addition all[BLOCKS];

    for (unsigned b = 0; b < BLOCKS; b++) {
        uint64_t sum = 0;

        for (unsigned i = b * size; i < (b + 1) * size; i++) {
            cr_assert_eq(out[i][which], out[b * size][which] + sum,
                         "counter %u, thread %u of blocks of %u", which - 3, i,
                         size);
            sum += which == 3 ? values[i] : values[i] % 2;
        }
        all[b] = (struct addition){(int64_t)out[b * size][which], (int64_t)sum};
    }
    expect_sequence(all, BLOCKS, (int64_t)first, (int64_t)last, "blocks");
}

static void check_block(const struct backend *backend, unsigned size,
                        uint64_t seed) {
    static uint32_t values[BLOCKS * MOST_BLOCK];
    static uint64_t out[BLOCKS * MOST_BLOCK][BLOCK_OUT];
    uint64_t counters[2] = {UINT64_C(1) << 40, 5};
    struct device d = {.stream = backend->stream};
    uint64_t total[BLOCKS] = {0}, sum = 0;

    d.args.values = gpu_alloc(sizeof(values));
    d.args.counters = gpu_alloc(sizeof(counters));
    d.args.out = gpu_alloc(sizeof(out));
    for (unsigned i = 0; i < BLOCKS * size; i++) {
        /* Odd at the beginning: each block adds something. */
        values[i] = (uint32_t)data_random(seed, i) | (i % size == 0);
        total[i / size] += values[i];
    }
    gpu_copy((void *)d.args.values, values, sizeof(values), d.stream);
    gpu_copy(d.args.counters, counters, sizeof(counters), d.stream);
    d.updates = count_updates();
    GPU_MUST(primitive_block(size, &d.args, BLOCKS, d.stream));
    receive(&d, out, sizeof(out), counters, sizeof(counters));
    expect_updates(&d, 2 * BLOCKS, 2 * BLOCKS);
    for (unsigned i = 0; i < BLOCKS * size; i++) {
        sum = i % size == 0 ? 0 : sum;
        cr_assert_eq(out[i][0], sum, "thread %u of blocks of %u", i, size);
        cr_assert_eq(out[i][5], 3 * sum, "thread %u of blocks of %u", i, size);
        sum += values[i];
        cr_assert_eq(out[i][1], sum, "thread %u of blocks of %u", i, size);
        cr_assert_eq(out[i][2], total[i / size]);
    }
    expect_block_order((const uint64_t(*)[BLOCK_OUT])out, size, 3, values,
                       UINT64_C(1) << 40, counters[0]);
    expect_block_order((const uint64_t(*)[BLOCK_OUT])out, size, 4, values, 5,
                       counters[1]);
    gpu_free((void *)d.args.values);
    gpu_free(d.args.counters);
    gpu_free(d.args.out);
}

GPU_TEST(primitives, block) {
    for (unsigned s = 0; s < seeds_of(10); s++) {
        const uint64_t seed = begin_seed(s);

        for (unsigned i = 0; i < BLOCK_SIZES; i++)
            check_block(backend, primitive_block_sizes[i], seed);
    }
}

/* --------------------------------------------------------------- compaction */

static void check_compact_warp(struct device *d, const struct lanes *lanes,
                               enum number type) {
    static uint32_t values[THREADS], out[2][THREADS], counts[2][THREADS];

    (void)type;
    for (unsigned i = 0; i < THREADS; i++)
        values[i] = (uint32_t)data_random(lanes->seed, 7000 + i);
    memset(counts, 0, sizeof(counts));
    send(d, lanes, values, sizeof(values), counts, sizeof(counts));
    GPU_MUST(primitive_compact(COMPACT_WARP, &d->args, BLOCKS, d->stream));
    receive(d, out, sizeof(out), counts, sizeof(counts));
    for (unsigned warp = 0; warp < THREADS; warp += LANES) {
        unsigned kept[2] = {0, 0};

        for (unsigned i = warp; i < warp + LANES; i++) {
            const unsigned way = lanes->way[i];

            if (way == 0 || values[i] % 2 == 0)
                continue;
            cr_assert_eq(out[way - 1][warp + kept[way - 1]++], values[i]);
        }
        for (unsigned way = 0; way < 2; way++) {
            cr_assert_eq(counts[way][warp], kept[way]);
            for (unsigned i = kept[way]; i < LANES; i++)
                cr_assert_eq(out[way][warp + i], 0xcccccccc);
        }
    }
}

GPU_TEST(primitives, compact_a_warp) {
    for_lanes(backend, 8, 1, check_compact_warp);
}

enum {
    MOST_TILE = 4 * PRIMITIVE_THREADS,
    TILED = BLOCKS * MOST_TILE
};

/* Survivors of a tile, in their order; the number of them. */
static unsigned expect_tile(const uint32_t *values, unsigned first,
                            unsigned last, const uint32_t *out) {
    unsigned kept = 0;

    for (unsigned i = first; i < last; i++)
        if (values[i] % 2 != 0)
            cr_assert_eq(out[kept++], values[i], "element %u", i);
    return kept;
}

static unsigned count_odd(const uint32_t *values, unsigned first,
                          unsigned last) {
    unsigned number = 0;

    for (unsigned i = first; i < last; i++)
        number += values[i] % 2;
    return number;
}

static void expect_appended(const uint32_t *values, unsigned n,
                            const uint32_t *out, uint32_t total) {
    const unsigned first = count_odd(values, 0, n < MOST_TILE ? n : MOST_TILE);
    const unsigned all = count_odd(values, 0, n);

    cr_assert_eq(total, 10 + all);
    /* Two tiles, in either order. */
    for (unsigned order = 0; order < 2; order++) {
        const uint32_t *const of_first =
            out + 10 + (order == 0 ? 0 : all - first);
        const uint32_t *const of_second = out + 10 + (order == 0 ? first : 0);
        unsigned in_first = 0, in_second = 0;
        bool right = true;

        for (unsigned i = 0; i < n; i++) {
            if (values[i] % 2 == 0)
                continue;
            right &= values[i] == (i < MOST_TILE ? of_first[in_first++]
                                                 : of_second[in_second++]);
        }
        if (right)
            return;
    }
    cr_assert(false, "neither the one tile first nor the other");
}

static void check_tiles(const struct backend *backend, uint64_t seed,
                        enum compaction compaction, unsigned n,
                        unsigned chance) {
    static uint32_t values[TILED], out[TILED + 10], counts[THREADS];
    const unsigned tile =
        compaction == COMPACT_TILE_1 ? PRIMITIVE_THREADS : MOST_TILE;
    struct primitive_args args = {.n = n};

    for (unsigned i = 0; i < TILED; i++)
        values[i] = i << 1 | (data_random(seed, i) % 100 < chance);
    memset(counts, 0, sizeof(counts));
    counts[0] = 10;
    args.values = gpu_alloc(sizeof(values));
    args.out = gpu_alloc(sizeof(out));
    args.counters = gpu_alloc(sizeof(counts));
    gpu_copy((void *)args.values, values, sizeof(values), backend->stream);
    gpu_copy(args.counters, counts, sizeof(counts), backend->stream);
    GPU_MUST(cudaMemsetAsync(args.out, 0, sizeof(out), backend->stream));
    GPU_MUST(primitive_compact(compaction, &args, BLOCKS, backend->stream));
    gpu_copy(out, args.out, sizeof(out), backend->stream);
    gpu_copy(counts, args.counters, sizeof(counts), backend->stream);
    gpu_wait(backend->stream);
    if (compaction == APPEND_TILE_4) {
        expect_appended(values, n, out, counts[0]);
    } else {
        for (unsigned b = 0; b < BLOCKS; b++) {
            const unsigned end = (b + 1) * tile < n ? (b + 1) * tile : n;
            const unsigned kept =
                b * tile < n
                    ? expect_tile(values, b * tile, end, out + b * tile)
                    : 0;

            for (unsigned i = 0; i < PRIMITIVE_THREADS; i++)
                cr_assert_eq(counts[b * PRIMITIVE_THREADS + i], kept);
            for (unsigned i = kept; i < tile; i++)
                cr_assert_eq(out[b * tile + i], 0);
        }
    }
    gpu_free((void *)args.values);
    gpu_free(args.out);
    gpu_free(args.counters);
}

GPU_TEST(primitives, compact_tiles) {
    static const unsigned chances[] = {0, 1, 50, 99, 100};

    for (unsigned s = 0; s < seeds_of(6); s++) {
        const uint64_t seed = begin_seed(s);

        for (size_t c = 0; c < sizeof(chances) / sizeof(chances[0]); c++)
            for (enum compaction what = COMPACT_TILE_1; what <= APPEND_TILE_4;
                 what++) {
                const unsigned tiles = what == COMPACT_TILE_1 ? THREADS : TILED;

                check_tiles(backend, seed, what, tiles, chances[c]);
                check_tiles(backend, seed, what,
                            (unsigned)(data_random(seed, 9000 + c) % tiles),
                            chances[c]);
            }
    }
}

/* ---------------------------------------------------------- software atomic */

enum {
#ifdef WINNOW_SIMT
    MOST_CLIENTS = 18, /* more requests than a warp has lanes */
#else
    MOST_CLIENTS = 200,
#endif
    ROUNDS = 3,
    SOFTWARE_COUNTERS = 2 * SOFTWARE_SMALL,
    MOST_REQUESTS = MOST_CLIENTS * SOFTWARE_THREADS * ROUNDS
};

struct requests {
    uint32_t key[MOST_REQUESTS], value[MOST_REQUESTS];
    uint8_t way[MOST_REQUESTS];
    uint64_t out[MOST_REQUESTS];
    size_t number;
};

struct software_counters {
    uint32_t small[SOFTWARE_SMALL];
    uint64_t large[SOFTWARE_COUNTERS - SOFTWARE_SMALL];
};

static uint64_t small_begin(unsigned counter) {
    return 1000 * counter;
}

static uint64_t large_begin(unsigned counter) {
    return (UINT64_C(1) << 32) - 100 * counter;
}

static void draw_requests(struct requests *r, uint64_t seed, unsigned clients,
                          unsigned keys, unsigned chance) {
    r->number = (size_t)clients * SOFTWARE_THREADS * ROUNDS;
    for (size_t i = 0; i < r->number; i++) {
        /* Small counters and large ones. */
        const uint64_t key = data_random(seed, 3 * i) % keys;

        r->key[i] = (uint32_t)(key / 2 + key % 2 * SOFTWARE_SMALL);
        r->value[i] = 1 + (uint32_t)(data_random(seed, 3 * i + 1) % 1000);
        r->way[i] = data_random(seed, 3 * i + 2) % 100 < chance;
    }
}

static void expect_requests(const struct requests *r,
                            const struct software_counters *c) {
    static struct addition all[MOST_REQUESTS];

    for (unsigned key = 0; key < SOFTWARE_COUNTERS; key++) {
        const bool small = key < SOFTWARE_SMALL;
        const unsigned which = small ? key : key - SOFTWARE_SMALL;
        size_t number = 0;

        for (size_t i = 0; i < r->number; i++)
            if (r->way[i] != 0 && r->key[i] == key)
                all[number++] = (struct addition){
                    (int64_t)r->out[i],
                    small ? r->value[i] : (int64_t)r->value[i] << 20};
        expect_sequence(
            all, number,
            (int64_t)(small ? small_begin(which) : large_begin(which)),
            (int64_t)(small ? c->small[which] : c->large[which]),
            small ? "a counter of 4 bytes" : "a counter of 8 bytes");
    }
}

static void run_software(const struct backend *backend, struct requests *r,
                         unsigned clients, int by_ticket, void *memory) {
    const cudaStream_t stream = backend->stream;
    struct software_counters c;
    struct software_args args = {
        .memory = memory, .clients = clients, .rounds = ROUNDS};
    const uint64_t bytes = software_memory(clients);
    uint8_t *const left = (uint8_t *)malloc(bytes);

    for (unsigned i = 0; i < SOFTWARE_SMALL; i++) {
        c.small[i] = (uint32_t)small_begin(i);
        c.large[i] = large_begin(i);
    }
    args.lanes.n = (uint64_t)clients * SOFTWARE_THREADS;
    args.lanes.keys = (const uint32_t *)gpu_alloc(sizeof(r->key));
    args.lanes.ways = (const uint8_t *)gpu_alloc(sizeof(r->way));
    args.lanes.values = gpu_alloc(sizeof(r->value));
    args.lanes.out = gpu_alloc(sizeof(r->out));
    args.lanes.counters = gpu_alloc(sizeof(c));
    gpu_copy((void *)args.lanes.keys, r->key, sizeof(r->key), stream);
    gpu_copy((void *)args.lanes.ways, r->way, sizeof(r->way), stream);
    gpu_copy((void *)args.lanes.values, r->value, sizeof(r->value), stream);
    gpu_copy(args.lanes.counters, &c, sizeof(c), stream);
    GPU_MUST(software_launch(&args, by_ticket, stream));
    gpu_copy(r->out, args.lanes.out, sizeof(r->out), stream);
    gpu_copy(&c, args.lanes.counters, sizeof(c), stream);
    gpu_copy(left, memory, bytes, stream);
    gpu_wait(stream);
    expect_requests(r, &c);
    /* Marks and ticket are 0 again. */
    for (uint64_t slot = 0; slot + 32 < bytes; slot += 32)
        cr_assert_eq(*(const uint32_t *)(left + slot + 24), 0);
    cr_assert_eq(*(const uint32_t *)(left + bytes - 32), 0);
    free(left);
    gpu_free((void *)args.lanes.keys);
    gpu_free((void *)args.lanes.ways);
    gpu_free((void *)args.lanes.values);
    gpu_free(args.lanes.out);
    gpu_free(args.lanes.counters);
}

/* How many blocks of a plain launch run at a time, on the CPU device. */
static void set_resident(int blocks) {
#ifdef WINNOW_SIMT
    simt_settings.resident = blocks;
#else
    (void)blocks;
#endif
}

static void check_software(const struct backend *backend, int by_ticket,
                           unsigned most) {
    static const unsigned keys[] = {1, 2, 5, SOFTWARE_COUNTERS};
    static const unsigned chances[] = {100, 50, 3};
    static struct requests r;
    void *const memory = gpu_alloc(software_memory(MOST_CLIENTS));

    for (unsigned s = 0; s < seeds_of(8); s++) {
        const uint64_t seed = begin_seed(s);
        /* Many at times: each thread of the CPU device is a fiber. */
        const unsigned clients =
            seed % 4 == 0
                ? most
                : 1 + (unsigned)(data_random(seed, 1) % (most < 5 ? most : 5));

        /* The coordinator, and a client at least. */
        set_resident(2 + (int)(data_random(seed, 3) % 8));
        draw_requests(&r, seed, clients, keys[seed % 4],
                      chances[data_random(seed, 2) % 3]);
        GPU_MUST(cudaMemsetAsync(memory, 0, software_memory(MOST_CLIENTS),
                                 backend->stream));
        /* The second time as the first has left it. */
        run_software(backend, &r, clients, by_ticket, memory);
        run_software(backend, &r, clients, by_ticket, memory);
    }
    gpu_free(memory);
}

/* The coordinator is block 0, and all blocks run at once. */
GPU_TEST(software_atomic, by_index) {
    unsigned most;

    GPU_MUST(software_most_clients(&most));
    check_software(backend, 0, most < MOST_CLIENTS ? most : MOST_CLIENTS);
}

/* The coordinator is whoever comes first, and a few blocks run at once. */
GPU_TEST(software_atomic, by_ticket) {
    check_software(backend, 1, MOST_CLIENTS);
}
