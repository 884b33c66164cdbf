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

/* The first of them, up to a number. */
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

/* Lists of an operation; of none there is what all have, or nothing. */
typedef struct list_of_types {
    const winnow_type *of;
    unsigned number;
} list_of_types;
typedef struct list_of_sizes {
    const uint64_t *of;
    unsigned number;
} list_of_sizes;
typedef struct list_of_shares {
    const double *of;
    unsigned number;
} list_of_shares;
#define LIST(array)                                                            \
    { array, COUNT(array) }

typedef struct op_defaults {
    list_of_types types;
    bool in_bytes;           /* the sizes */
    list_of_sizes sizes[2];  /* on a device, on the host */
    unsigned patterns;       /* how many of all */
    list_of_shares share[2]; /* selectivities, likewise */
    int caches;              /* 0: both */
} op_defaults;

/* A host moves bytes some hundred times slower than a GPU. */
static const uint64_t large_bytes[] = {1 << 30, 1 << 26};
static const uint64_t tiny[] = {16, 1024};
static const uint64_t demo_size[] = {UINT64_C(100) << 20};
static const uint64_t regret_sizes[] = {1 << 10, 1 << 14, 1 << 16,
                                        1 << 20, 1 << 24, 1 << 28};
static const uint64_t tuned_sizes[] = {1 << 10, 1 << 12, 1 << 14,
                                       1 << 16, 1 << 18, 1 << 20,
                                       1 << 22, 1 << 24, 1 << 26};
static const uint64_t quick_sizes[] = {1 << 12, 1 << 16, 1 << 20, 1 << 24};

#define LARGE                                                                  \
    {                                                                          \
        .types = LIST(three_types), .in_bytes = true,                          \
        .sizes = {{&large_bytes[0], 1}, {&large_bytes[1], 1}}, .patterns = 1   \
    }
/* Each of their experiments has sizes of its own. */
#define EXPERIMENTS                                                            \
    { .types = {&three_types[1], 1}, .patterns = 1 }
static const op_defaults defaults[] = {
    [BENCH_COPY_IF] = LARGE,
    [BENCH_COPY_INDEX_IF] = LARGE,
    [BENCH_COUNT_IF] = LARGE,
    [BENCH_REDUCE_IF] = LARGE,
    [BENCH_SELECT_IF] = LARGE,
    [BENCH_COMPACT] = LARGE,
    [BENCH_COPY_FLAGGED] = LARGE,
    [BENCH_PARTITION_IF] = LARGE,
    [BENCH_PARTITION_TWO] = LARGE,
    [BENCH_FIGURES] = LARGE,
    [BENCH_PARTITION] = {.types = LIST(key_types),
                         .in_bytes = true,
                         .sizes = {{&large_bytes[0], 1}, {&large_bytes[1], 1}},
                         .patterns = 1,
                         .share = {LIST(half), LIST(half)}},
    [BENCH_REGRET] = {.types = LIST(each_size),
                      .sizes = {LIST(regret_sizes),
                                {regret_sizes, COUNT(regret_sizes) - 2}},
                      .patterns = COUNT(all_patterns)},
    [BENCH_ACCUMULATE] = {.types = LIST(summed_types),
                          .sizes = {{&particles[0], 1}, {&particles[1], 1}}},
    [BENCH_HOST_COST] = {.types = {&three_types[1], 1},
                         .sizes = {LIST(tiny), LIST(tiny)},
                         .patterns = 1,
                         .share = {LIST(half), LIST(half)}},
    [BENCH_TUNE] = {.types = LIST(each_size),
                    .sizes = {LIST(tuned_sizes), LIST(tuned_sizes)},
                    .patterns = 1,
                    .share = {LIST(tuned_selectivities),
                              LIST(tuned_selectivities)},
                    .caches = BENCH_WARM},
    [BENCH_SELECTIONS] = EXPERIMENTS,
    [BENCH_PIPE] = EXPERIMENTS,
    [BENCH_SEEDS] = EXPERIMENTS,
    /* A host takes long: two of the selectivities. */
    [BENCH_DEMO] = {.types = {&three_types[1], 1},
                    .sizes = {LIST(demo_size), LIST(demo_size)},
                    .patterns = 1,
                    .share = {LIST(demo_selectivities),
                              {&demo_selectivities[1], 2}},
                    .caches = BENCH_WARM},
    [BENCH_COMPACT_COLUMNS] = {.patterns = 0},
};
/* Of BENCH_TUNE with --quick. */
static const op_defaults quickly = {
    .types = LIST(each_size),
    .sizes = {LIST(quick_sizes), LIST(quick_sizes)},
    .patterns = 1,
    .share = {LIST(quick_selectivities), LIST(quick_selectivities)},
    .caches = BENCH_WARM};

static void default_hints(bench_options *options, bool all) {
    if (options->hint_count > 0)
        return;
    options->hints[options->hint_count++] = BENCH_HINT_NONE;
    if (all) {
        options->hints[options->hint_count++] = BENCH_HINT_TRUE;
        options->hints[options->hint_count++] = BENCH_HINT_WRONG;
    }
}

bench_options bench_options_for(const bench_options *given, bench_op op,
                                bool on_host) {
    bench_options options = *given;
    const op_defaults *const own =
        op == BENCH_TUNE && options.quick ? &quickly : &defaults[op];
    const list_of_sizes *const sizes = &own->sizes[on_host];
    const list_of_shares *const share = &own->share[on_host];

    default_types(&options, own->types.of, own->types.number);
    if (sizes->number != 0)
        default_sizes(&options, own->in_bytes, sizes->of, sizes->number);
    default_patterns(&options, own->patterns);
    default_selectivities(&options, share->of, share->number);
    if (op == BENCH_PARTITION)
        default_parts(&options);
    if (op == BENCH_ACCUMULATE)
        default_sums(&options, on_host);
    default_hints(&options, op == BENCH_REGRET);
    options.peers_given |= op == BENCH_DEMO;
    if (options.caches == 0)
        options.caches = own->caches;
    /* Their experiments have their own. */
    if (op != BENCH_SELECTIONS && op != BENCH_PIPE)
        default_selectivities(&options, all_selectivities,
                              COUNT(all_selectivities));
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
