/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "options.h"

#include "help.h"
#include "peer.h"
#include "util.h"

#include <ctype.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const op_names[] = {
    [BENCH_COPY_IF] = "copy_if", [BENCH_COUNT_IF] = "count_if",
    [BENCH_REGRET] = "regret",   [BENCH_HOST_COST] = "host-cost",
    [BENCH_FIGURES] = "figures", [BENCH_DEMO] = "demo",
};

const char *bench_op_name(bench_op op) {
    return op_names[op];
}

/*
 * Call take(options, item) for each item of a comma-separated list. take
 * returns false for an item it does not know.
 */
static void for_each(bench_options *options, const char *option,
                     const char *list,
                     bool (*take)(bench_options *options, const char *item)) {
    char *copy = bench_alloc(strlen(list) + 1);
    strcpy(copy, list);
    for (char *item = copy, *next; item != NULL; item = next) {
        next = strchr(item, ',');
        if (next != NULL)
            *next++ = '\0';
        if (!take(options, item))
            bench_fail("--%s: '%s' is not understood; see --help", option,
                       item);
    }
    free(copy);
}

/* The place for one more entry of a list that has *count_p. */
static unsigned one_more(unsigned *count_p, const char *what) {
    if (*count_p == BENCH_LIST)
        bench_fail("more than %d %s", BENCH_LIST, what);
    return (*count_p)++;
}

static bool take_type(bench_options *options, const char *item) {
    bool found = false;
    for (int type = 0; winnow_type_size((winnow_type)type) != 0; type++)
        if (strcmp(item, "all") == 0 ||
            strcmp(item, winnow_type_name((winnow_type)type)) == 0) {
            options->types[one_more(&options->type_count, "types")] =
                (winnow_type)type;
            found = true;
        }
    return found;
}

static bool take_size(bench_options *options, const char *item) {
    uint64_t size;
    if (!bench_parse_count(item, &size) || size == 0)
        return false;
    options->sizes[one_more(&options->size_count, "sizes")] = size;
    return true;
}

static bool take_selectivity(bench_options *options, const char *item) {
    char *end;
    const double value = strtod(item, &end);
    if (end == item || *end != '\0' || !(value >= 0 && value <= 1))
        return false;
    options->selectivities[one_more(&options->selectivity_count,
                                    "selectivities")] = value;
    return true;
}

static bool take_pattern(bench_options *options, const char *item) {
    bench_pattern pattern;
    if (!bench_pattern_parse(item, &pattern))
        return false;
    options->patterns[one_more(&options->pattern_count, "patterns")] = pattern;
    return true;
}

static bool take_strategy(bench_options *options, const char *item) {
    /* Every strategy that this library names, later ones included. */
    for (int value = WINNOW_HOST; value < BENCH_LIST; value++) {
        const winnow_strategy strategy = (winnow_strategy)value;
        if (strcmp(item, "unknown") != 0 &&
            strcmp(item, winnow_strategy_name(strategy)) == 0) {
            options
                ->strategies[one_more(&options->strategy_count, "strategies")] =
                strategy;
            return true;
        }
    }
    return false;
}

static bool take_hint(bench_options *options, const char *item) {
    static const char *const names[] = {"none", "true", "wrong"};
    for (unsigned hint = 0; hint < 3; hint++)
        if (strcmp(item, names[hint]) == 0) {
            options->hints[one_more(&options->hint_count, "hints")] =
                (bench_hint)hint;
            return true;
        }
    return false;
}

static bool take_peer(bench_options *options, const char *item) {
    static const char *const names[] = {"cub", "thrust", "std"};
    for (unsigned i = 0; i < 3; i++) {
        const unsigned bit = 1u << i;
        if (strcmp(item, names[i]) != 0)
            continue;
        if (bench_peer_find(bit) == NULL)
            bench_fail("--peers %s: not in this program; in the source tree, "
                       "in a build with CUDA, 'make bench' makes "
                       "bench/winnow-bench-peers, which has CUB and Thrust",
                       item);
        options->peers |= bit;
        return true;
    }
    return strcmp(item, "none") == 0;
}

/* One of two words, or "both". */
static unsigned two_bits(const char *option, const char *text,
                         const char *first, const char *second) {
    if (strcmp(text, first) == 0)
        return 1;
    if (strcmp(text, second) == 0)
        return 2;
    if (strcmp(text, "both") == 0)
        return 3;
    bench_fail("--%s takes %s, %s or both, not '%s'", option, first, second,
               text);
}

static const bench_launch launches[] = {BENCH_PLAIN, BENCH_SERIES, BENCH_GRAPH,
                                        BENCH_CHAIN};

const char *bench_launch_name(bench_launch launch) {
    return launch == BENCH_PLAIN    ? "plain"
           : launch == BENCH_SERIES ? "series"
           : launch == BENCH_GRAPH  ? "graph"
                                    : "chain";
}

static bool take_launch(bench_options *options, const char *item) {
    for (unsigned i = 0; i < sizeof launches / sizeof launches[0]; i++)
        if (strcmp(item, bench_launch_name(launches[i])) == 0) {
            options->launches |= launches[i];
            return true;
        }
    return false;
}

static void set_sizes(bench_options *options, const char *option,
                      const char *list, bool in_bytes) {
    if (options->size_count > 0 && options->sizes_in_bytes != in_bytes)
        bench_fail("--sizes and --bytes exclude each other");
    options->sizes_in_bytes = in_bytes;
    for_each(options, option, list, take_size);
}

static void set_strategies(bench_options *options, const char *list) {
    if (strcmp(list, "all") != 0)
        for_each(options, "strategies", list, take_strategy);
}

static void set_device(bench_options *options, const char *text) {
    uint64_t ordinal = 0;
    options->device_given = true;
    if (strcmp(text, "host") == 0)
        options->device = WINNOW_DEVICE_HOST;
    else if (bench_parse_count(text, &ordinal) && ordinal < 1024)
        options->device = (int)ordinal;
    else
        bench_fail("--device takes a CUDA ordinal or host, not '%s'", text);
}

static void set_threads(bench_options *options, const char *text) {
    uint64_t threads;
    if (!bench_parse_count(text, &threads) || threads == 0 || threads > 256)
        bench_fail("--threads takes 1 to 256, not '%s'", text);
    options->threads = (unsigned)threads;
}

static void set_seconds(bench_options *options, const char *text) {
    char *end;
    options->seconds = strtod(text, &end);
    if (end == text || *end != '\0' ||
        !(options->seconds > 0 && options->seconds <= 3600))
        bench_fail("--seconds-per-cell takes seconds, up to 3600, not '%s'",
                   text);
}

static void set_workspace(bench_options *options, const char *text) {
    options->pool = strcmp(text, "pool") == 0;
    if (!options->pool && strcmp(text, "caller") != 0)
        bench_fail("--workspace takes caller or pool, not '%s'", text);
}

static void set_op(bench_options *options, const char *text) {
    for (unsigned op = 0; op < sizeof op_names / sizeof op_names[0]; op++)
        if (strcmp(text, op_names[op]) == 0) {
            options->ops[one_more(&options->op_count, "operations")] =
                (bench_op)op;
            return;
        }
    bench_fail("no operation is called '%s'; see --help", text);
}

static const struct option long_options[] = {
    {"types", required_argument, NULL, 't'},
    {"sizes", required_argument, NULL, 'n'},
    {"bytes", required_argument, NULL, 'b'},
    {"selectivities", required_argument, NULL, 's'},
    {"patterns", required_argument, NULL, 'p'},
    {"strategies", required_argument, NULL, 'S'},
    {"order", required_argument, NULL, 'o'},
    {"peers", required_argument, NULL, 'P'},
    {"hint", required_argument, NULL, 'H'},
    {"launch", required_argument, NULL, 'l'},
    {"cache", required_argument, NULL, 'c'},
    {"workspace", required_argument, NULL, 'w'},
    {"device", required_argument, NULL, 'd'},
    {"threads", required_argument, NULL, 'N'},
    {"json", required_argument, NULL, 'j'},
    {"seconds-per-cell", required_argument, NULL, 'T'},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, 'V'},
    {NULL, 0, NULL, 0},
};

static void take_option(bench_options *options, int letter, char *text) {
    switch (letter) {
    case 't':
        for_each(options, "types", text, take_type);
        break;
    case 'n':
        set_sizes(options, "sizes", text, false);
        break;
    case 'b':
        set_sizes(options, "bytes", text, true);
        break;
    case 's':
        for_each(options, "selectivities", text, take_selectivity);
        break;
    case 'p':
        for_each(options, "patterns", text, take_pattern);
        break;
    case 'S':
        set_strategies(options, text);
        break;
    case 'o':
        options->orders = two_bits("order", text, "unordered", "stable");
        break;
    case 'P':
        options->peers_given = true;
        for_each(options, "peers", text, take_peer);
        break;
    case 'H':
        for_each(options, "hint", text, take_hint);
        break;
    case 'l':
        for_each(options, "launch", text, take_launch);
        break;
    case 'c':
        options->caches = two_bits("cache", text, "warm", "cold");
        break;
    case 'w':
        set_workspace(options, text);
        break;
    case 'd':
        set_device(options, text);
        break;
    case 'N':
        set_threads(options, text);
        break;
    case 'j':
        options->json = text;
        break;
    case 'T':
        set_seconds(options, text);
        break;
    case 'h':
        fputs(bench_help, stdout);
        exit(EXIT_SUCCESS);
    case 'V':
        printf("winnow-bench %s\n", winnow_version_string());
        exit(EXIT_SUCCESS);
    default: /* getopt_long() has said what is wrong */
        fputs("Try 'winnow-bench --help'.\n", stderr);
        exit(BENCH_FAILED);
    }
}

void bench_options_parse(bench_options *options, int argc, char **argv) {
    int letter;
    *options = (bench_options){0};
    while ((letter = getopt_long(argc, argv, "", long_options, NULL)) != -1)
        take_option(options, letter, optarg);
    for (int i = optind; i < argc; i++)
        set_op(options, argv[i]);
    if (options->op_count == 0)
        set_op(options, "copy_if");
}
