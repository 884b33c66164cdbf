/*
 * What each operation measures where the command line does not say.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "options.h"

#include "util.h"

#include <stddef.h>

static const double all_selectivities[] = {0,   0.001, 0.01, 0.05, 0.1, 0.25,
                                           0.5, 0.75,  0.9,  0.99, 1};
static const char *const all_patterns[] = {
    "uniform", "runs:32", "runs:1024", "runs:65536", "prefix", "alternate"};
static const double tuned_selectivities[] = {0,   0.01, 0.1, 0.25,
                                             0.5, 0.75, 0.9, 1};
static const double quick_selectivities[] = {0, 0.1, 0.5, 0.9};
static const double half[] = {0.5};
static const double demo_selectivities[] = {0.01, 0.1, 0.5, 0.9};
/* One type for each element size. */
static const winnow_type each_size[] = {WINNOW_UINT8, WINNOW_UINT16,
                                        WINNOW_INT32, WINNOW_INT64};
static const winnow_type key_types[] = {WINNOW_UINT32, WINNOW_UINT64};
static const winnow_type three_types[] = {WINNOW_UINT8, WINNOW_INT32,
                                          WINNOW_INT64};

#define COUNT(array) ((unsigned)(sizeof(array) / sizeof(array)[0]))

static void default_types(bench_options *options, const winnow_type *types,
                          unsigned count) {
    if (options->type_count > 0)
        return;
    for (unsigned i = 0; i < count; i++)
        options->types[i] = types[i];
    options->type_count = count;
}

static void default_patterns(bench_options *options, unsigned count) {
    if (options->pattern_count > 0)
        return;
    for (unsigned i = 0; i < count; i++)
        if (!bench_pattern_parse(all_patterns[i], &options->patterns[i]))
            bench_fail("the default pattern %s is unknown", all_patterns[i]);
    options->pattern_count = count;
}

static void default_sizes(bench_options *options, bool in_bytes,
                          const uint64_t *sizes, unsigned count) {
    if (options->size_count > 0)
        return;
    options->sizes_in_bytes = in_bytes;
    for (unsigned i = 0; i < count; i++)
        options->sizes[i] = sizes[i];
    options->size_count = count;
}

static void default_selectivities(bench_options *options,
                                  const double *selectivities, unsigned count) {
    if (options->selectivity_count > 0)
        return;
    for (unsigned i = 0; i < count; i++)
        options->selectivities[i] = selectivities[i];
    options->selectivity_count = count;
}

/* Of accumulate_by_key: 10 million particles in cells, and their like. */
static const winnow_type summed_types[] = {WINNOW_INT32, WINNOW_FLOAT32,
                                           WINNOW_FLOAT64};
static const uint64_t particles[] = {10000000, 1000000};

static void default_keys(bench_options *options, const uint64_t *keys,
                         unsigned count) {
    if (options->key_count > 0)
        return;
    for (unsigned i = 0; i < count; i++)
        options->keys[i] = keys[i];
    options->key_count = count;
}

static const char *const key_patterns[] = {"uniform", "zipf:1", "zipf:1.5",
                                           "sorted", "runs:32"};

/* The first so many of them. */
static void default_key_patterns(bench_options *options, unsigned count) {
    if (options->key_pattern_count > 0)
        return;
    for (unsigned i = 0; i < count; i++)
        bench_key_pattern_parse(key_patterns[i], &options->key_patterns[i]);
    options->key_pattern_count = count;
}

static void default_sums(bench_options *options, bool on_host) {
    static const uint64_t device[] = {1, 32, 1024, 1 << 15, 1 << 20, 1 << 24};
    static const uint64_t host[] = {1024, 1 << 20};
    if (on_host)
        default_keys(options, host, COUNT(host));
    else
        default_keys(options, device, COUNT(device));
    default_key_patterns(options, COUNT(key_patterns));
    if (options->component_count == 0) {
        options->components[options->component_count++] = 1;
        options->components[options->component_count++] = 9;
    }
}

static void default_parts(bench_options *options) {
    static const uint64_t parts[] = {2, 16, 64, 256, 1024, 4096, 65536};
    default_keys(options, parts, COUNT(parts));
    default_key_patterns(options, 1);
}

bench_options bench_options_for(const bench_options *given, bench_op op,
                                bool on_host) {
    /* A host moves bytes some hundred times slower than a GPU. */
    const uint64_t large_bytes[] = {UINT64_C(1) << (on_host ? 26 : 30)};
    const uint64_t tiny[] = {16, 1024};
    const uint64_t demo_size[] = {UINT64_C(100) << 20};
    const uint64_t regret_sizes[] = {1 << 10, 1 << 14, 1 << 16,
                                     1 << 20, 1 << 24, 1 << 28};
    const uint64_t tuned_sizes[] = {1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18,
                                    1 << 20, 1 << 22, 1 << 24, 1 << 26};
    const uint64_t quick_sizes[] = {1 << 12, 1 << 16, 1 << 20, 1 << 24};
    bench_options options = *given;

    switch (op) {
    case BENCH_COPY_IF:
    case BENCH_COPY_INDEX_IF:
    case BENCH_COUNT_IF:
    case BENCH_REDUCE_IF:
    case BENCH_SELECT_IF:
    case BENCH_COMPACT:
    case BENCH_COPY_FLAGGED:
    case BENCH_PARTITION_IF:
    case BENCH_PARTITION_TWO:
    case BENCH_FIGURES:
        default_types(&options, three_types, COUNT(three_types));
        default_sizes(&options, true, large_bytes, 1);
        default_patterns(&options, 1);
        break;
    case BENCH_PARTITION:
        default_types(&options, key_types, COUNT(key_types));
        default_sizes(&options, true, large_bytes, 1);
        default_patterns(&options, 1);
        default_selectivities(&options, half, 1);
        default_parts(&options);
        break;
    case BENCH_REGRET:
        default_types(&options, each_size, COUNT(each_size));
        default_sizes(&options, false, regret_sizes,
                      COUNT(regret_sizes) - (on_host ? 2 : 0));
        default_patterns(&options, COUNT(all_patterns));
        if (options.hint_count == 0) {
            options.hints[options.hint_count++] = BENCH_HINT_NONE;
            options.hints[options.hint_count++] = BENCH_HINT_TRUE;
            options.hints[options.hint_count++] = BENCH_HINT_WRONG;
        }
        break;
    case BENCH_ACCUMULATE:
        default_types(&options, summed_types, COUNT(summed_types));
        default_sizes(&options, false, &particles[on_host ? 1 : 0], 1);
        default_sums(&options, on_host);
        break;
    case BENCH_HOST_COST:
        default_types(&options, &three_types[1], 1);
        default_sizes(&options, false, tiny, COUNT(tiny));
        default_patterns(&options, 1);
        default_selectivities(&options, half, 1);
        break;
    case BENCH_TUNE:
        default_types(&options, each_size, COUNT(each_size));
        if (options.quick)
            default_sizes(&options, false, quick_sizes, COUNT(quick_sizes));
        else
            default_sizes(&options, false, tuned_sizes, COUNT(tuned_sizes));
        default_patterns(&options, 1);
        if (options.quick)
            default_selectivities(&options, quick_selectivities,
                                  COUNT(quick_selectivities));
        else
            default_selectivities(&options, tuned_selectivities,
                                  COUNT(tuned_selectivities));
        if (options.caches == 0)
            options.caches = BENCH_WARM;
        break;
    case BENCH_COMPACT_COLUMNS:
        break;
    case BENCH_SELECTIONS:
    case BENCH_PIPE:
    case BENCH_SEEDS: /* of which each experiment has sizes of its own */
        default_types(&options, &three_types[1], 1);
        default_patterns(&options, 1);
        break;
    case BENCH_DEMO:
        default_types(&options, &three_types[1], 1);
        default_sizes(&options, false, demo_size, 1);
        default_patterns(&options, 1);
        /* A host takes long: two of them. */
        default_selectivities(&options, &demo_selectivities[on_host ? 1 : 0],
                              on_host ? 2 : 4);
        options.peers_given = true;
        if (options.caches == 0)
            options.caches = BENCH_WARM;
        break;
    }
    /* Their experiments have their own. */
    if (op != BENCH_SELECTIONS && op != BENCH_PIPE)
        default_selectivities(&options, all_selectivities,
                              COUNT(all_selectivities));
    if (options.hint_count == 0)
        options.hints[options.hint_count++] = BENCH_HINT_NONE;
    if (options.orders == 0)
        options.orders = BENCH_UNORDERED | BENCH_STABLE;
    if (options.launches == 0)
        options.launches = BENCH_PLAIN;
    if (options.caches == 0)
        options.caches = BENCH_WARM | BENCH_COLD;
    if (options.seconds == 0)
        options.seconds = op == BENCH_REGRET ? 0.01 : 0.1;
    if (!options.peers_given)
        options.peers =
            on_host ? BENCH_PEER_STD : BENCH_PEER_CUB | BENCH_PEER_THRUST;
    return options;
}
