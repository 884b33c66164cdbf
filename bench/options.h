/*
 * The command line.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_BENCH_OPTIONS_H
#define WINNOW_BENCH_OPTIONS_H

#include "data.h"

#include <winnow.h>

#include <stdbool.h>

/* Most entries of a list; a longer one is refused. */
#define BENCH_LIST 64

typedef enum bench_op {
    BENCH_COPY_IF,
    BENCH_COPY_INDEX_IF,
    BENCH_COUNT_IF,
    BENCH_REDUCE_IF,
    BENCH_PARTITION,
    BENCH_SELECT_IF,
    BENCH_COMPACT,
    BENCH_COPY_FLAGGED,
    BENCH_PARTITION_IF,
    BENCH_PARTITION_TWO,
    BENCH_REGRET,
    BENCH_HOST_COST,
    BENCH_FIGURES,
    BENCH_DEMO,
    BENCH_ACCUMULATE,
    BENCH_TUNE,
    BENCH_SEEDS,
    BENCH_SELECTIONS,
    BENCH_PIPE,
    BENCH_COMPACT_COLUMNS /* of host-cost alone, and without a name */
} bench_op;

/* How keys are distributed. "uniform" is hashed with runs of 1. */
typedef enum bench_key_shape {
    BENCH_KEYS_HASHED,
    BENCH_KEYS_ZIPF,
    BENCH_KEYS_SORTED,
    BENCH_KEYS_HALF, /* half of them are one key */
    BENCH_KEYS_EVEN  /* no key is odd */
} bench_key_shape;

typedef struct bench_key_pattern {
    bench_key_shape shape;
    uint64_t run;
    double exponent;
    char name[32];
} bench_key_pattern;

typedef enum bench_hint {
    BENCH_HINT_NONE,
    BENCH_HINT_TRUE, /* the fraction that is kept */
    BENCH_HINT_WRONG /* next to 0, or 1, whichever is farther from it */
} bench_hint;

enum {
    BENCH_PEER_CUB = 1,
    BENCH_PEER_THRUST = 2,
    BENCH_PEER_STD = 4
};
/* Which orders, launches and cache states to measure: bits. */
enum {
    BENCH_UNORDERED = 1,
    BENCH_STABLE = 2
};
typedef enum bench_launch {
    BENCH_PLAIN = 1,
    BENCH_SERIES = 2, /* many calls, one after the other */
    BENCH_GRAPH = 4,  /* a graph of the call */
    BENCH_CHAIN = 8   /* a graph of many calls, one after the other */
} bench_launch;
enum {
    BENCH_WARM = 1,
    BENCH_COLD = 2
};

typedef struct bench_options {
    bench_op ops[BENCH_LIST];
    unsigned op_count;
    unsigned seeds;      /* experiments, as bits; 0: all */
    unsigned selections; /* the same */
    unsigned pipes;
    winnow_type types[BENCH_LIST];
    unsigned type_count;
    uint64_t sizes[BENCH_LIST]; /* elements, or bytes of input */
    unsigned size_count;
    bool sizes_in_bytes;
    double selectivities[BENCH_LIST];
    unsigned selectivity_count;
    bench_pattern patterns[BENCH_LIST];
    unsigned pattern_count;
    winnow_strategy strategies[BENCH_LIST];
    unsigned strategy_count; /* 0: all that the context offers */
    bench_hint hints[BENCH_LIST];
    unsigned hint_count;
    bench_key_pattern key_patterns[BENCH_LIST];
    unsigned key_pattern_count;
    uint64_t keys[BENCH_LIST]; /* how many there are */
    unsigned key_count;
    unsigned components[BENCH_LIST];
    unsigned component_count;
    bool columns; /* the layout of sums; else interleaved */
    unsigned orders;
    unsigned launches;
    unsigned caches;
    unsigned peers;
    bool peers_given;
    bool pool; /* workspace from the context's pool */
    double seconds;
    const char *json;
    bool explain;       /* print what each call runs, and why */
    bool quick;         /* tune: within a minute */
    const char *output; /* tune: the profile; NULL: the user's own */
    unsigned threads;   /* of the host backend, and of pipes; 0: as many as they
                           take */
    bool device_given;
    int device;
} bench_options;

/* Exits on --help, --version and bad usage. */
void bench_options_parse(bench_options *options, int argc, char **argv);

/*
 * Fill what the command line left open with what `op` is about. Returns a
 * copy, since one command line can name several operations.
 */
bench_options bench_options_for(const bench_options *given, bench_op op,
                                bool on_host);

/* "uniform", "zipf:EXPONENT", "sorted" or "runs:LENGTH". */
bool bench_key_pattern_parse(const char *text, bench_key_pattern *pattern_p);

const char *bench_launch_name(bench_launch launch);

#endif
