/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "options.h"

#include "peer.h"
#include "pipes/names.h"
#include "seeds/names.h"
#include "selections/names.h"
#include "util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <argp.h>

#define COUNT(array) ((unsigned)(sizeof(array) / sizeof(array)[0]))

static const char *const op_names[] = {
    [BENCH_COPY_IF] = "copy_if",
    [BENCH_COPY_INDEX_IF] = "copy_index_if",
    [BENCH_COUNT_IF] = "count_if",
    [BENCH_REDUCE_IF] = "reduce_if",
    [BENCH_REGRET] = "regret",
    [BENCH_HOST_COST] = "host-cost",
    [BENCH_FIGURES] = "figures",
    [BENCH_DEMO] = "demo",
    [BENCH_ACCUMULATE] = "accumulate_by_key",
    [BENCH_TUNE] = "tune",
    [BENCH_SEEDS] = "seeds",
    [BENCH_SELECTIONS] = "selections",
    [BENCH_PIPE] = "pipe",
    [BENCH_SELECT_IF] = "select_if",
    [BENCH_COMPACT] = "compact",
    [BENCH_COPY_FLAGGED] = "copy_flagged",
    [BENCH_PARTITION_IF] = "partition_if",
    [BENCH_PARTITION_TWO] = "partition_two",
    [BENCH_PARTITION] = "partition_by_key",
};
static const char *const seed_names[] = {
#define ENTRY(NAME, FUNCTION) NAME,
    SEEDS_EACH(ENTRY)
#undef ENTRY
};
static const char *const selection_names[] = {
#define ENTRY(NAME, FUNCTION) NAME,
    SELECTIONS_EACH(ENTRY)
#undef ENTRY
};
static const char *const pipe_names[] = {
#define ENTRY(NAME, FUNCTION) NAME,
    PIPES_EACH(ENTRY)
#undef ENTRY
};
static const char *const launch_names[] = {"plain", "series", "graph", "chain"};
static const char *const hint_names[] = {"none", "true", "wrong"};
static const char *const peer_names[] = {"cub", "thrust", "std", "none"};

const char *bench_launch_name(bench_launch launch) {
    return launch_names[__builtin_ctz(launch)];
}

/* Which of the words the text is; `count`: none of them. */
static unsigned find(const char *text, const char *const *words,
                     unsigned count) {
    unsigned i = 0;
    while (i < count && strcmp(text, words[i]) != 0)
        i++;
    return i;
}

/* The place for one more entry of a list that has *count_p. */
static unsigned one_more(unsigned *count_p) {
    if (*count_p == BENCH_LIST)
        bench_fail("a list has more than %d entries", BENCH_LIST);
    return (*count_p)++;
}

/* One function for each option, which is given its argument, or an item of
 * that. False: not understood. */

static bool take_type(bench_options *options, const char *item) {
    bool found = false;
    for (int type = WINNOW_INT8; winnow_type_size((winnow_type)type) != 0;
         type++)
        if (strcmp(item, "all") == 0 ||
            strcmp(item, winnow_type_name((winnow_type)type)) == 0) {
            options->types[one_more(&options->type_count)] = (winnow_type)type;
            found = true;
        }
    return found;
}

static bool take_length(bench_options *options, const char *item,
                        bool in_bytes) {
    uint64_t size;
    if (options->size_count > 0 && options->sizes_in_bytes != in_bytes)
        bench_fail("--sizes and --bytes exclude each other");
    if (!bench_parse_count(item, &size) || size == 0)
        return false;
    options->sizes_in_bytes = in_bytes;
    options->sizes[one_more(&options->size_count)] = size;
    return true;
}

static bool take_size(bench_options *options, const char *item) {
    return take_length(options, item, false);
}

static bool take_bytes(bench_options *options, const char *item) {
    return take_length(options, item, true);
}

static bool parse_number(const char *text, double *number_p) {
    char *end;
    *number_p = strtod(text, &end);
    return end != text && *end == '\0';
}

static bool take_selectivity(bench_options *options, const char *item) {
    double value;
    if (!parse_number(item, &value) || !(value >= 0 && value <= 1))
        return false;
    options->selectivities[one_more(&options->selectivity_count)] = value;
    return true;
}

static bool take_pattern(bench_options *options, const char *item) {
    bench_pattern pattern;
    if (!bench_pattern_parse(item, &pattern))
        return false;
    options->patterns[one_more(&options->pattern_count)] = pattern;
    return true;
}

bool bench_key_pattern_parse(const char *text, bench_key_pattern *pattern_p) {
    *pattern_p = (bench_key_pattern){.run = 1};
    if (strlen(text) >= sizeof pattern_p->name)
        return false;
    strcpy(pattern_p->name, text);
    if (strncmp(text, "runs:", 5) == 0)
        return bench_parse_count(text + 5, &pattern_p->run) &&
               pattern_p->run != 0;
    if (strncmp(text, "zipf:", 5) == 0) {
        pattern_p->shape = BENCH_KEYS_ZIPF;
        return parse_number(text + 5, &pattern_p->exponent) &&
               pattern_p->exponent >= 0 && pattern_p->exponent <= 16;
    }
    static const char *const shapes[] = {[BENCH_KEYS_HASHED] = "uniform",
                                         [BENCH_KEYS_SORTED] = "sorted",
                                         [BENCH_KEYS_HALF] = "half",
                                         [BENCH_KEYS_EVEN] = "even"};
    for (unsigned i = 0; i < COUNT(shapes); i++)
        if (shapes[i] != NULL && strcmp(text, shapes[i]) == 0) {
            pattern_p->shape = (bench_key_shape)i;
            return true;
        }
    return false;
}

static bool take_key_pattern(bench_options *options, const char *item) {
    return bench_key_pattern_parse(
        item, &options->key_patterns[one_more(&options->key_pattern_count)]);
}

static void take_powers(bench_options *options) {
    for (unsigned i = 0; i <= 24; i++)
        options->keys[one_more(&options->key_count)] = UINT64_C(1) << i;
}

static bool take_keys(bench_options *options, const char *item) {
    if (strcmp(item, "powers") == 0) {
        take_powers(options);
        return true;
    }
    uint64_t *const keys = &options->keys[one_more(&options->key_count)];
    return bench_parse_count(item, keys) && *keys != 0 &&
           *keys <= UINT64_C(1) << 32;
}

static bool take_components(bench_options *options, const char *item) {
    uint64_t number;
    if (!bench_parse_count(item, &number) || number == 0 || number > 16)
        return false;
    options->components[one_more(&options->component_count)] = (unsigned)number;
    return true;
}

static bool take_sums(bench_options *options, const char *text) {
    options->columns = strcmp(text, "columns") == 0;
    return options->columns || strcmp(text, "interleaved") == 0;
}

static bool take_strategy(bench_options *options, const char *item) {
    if (strcmp(item, "all") == 0)
        return true;
    /* Every strategy that this library names, later ones included. */
    for (int value = WINNOW_HOST; value < BENCH_LIST; value++) {
        const winnow_strategy strategy = (winnow_strategy)value;
        if (strcmp(item, "unknown") != 0 &&
            strcmp(item, winnow_strategy_name(strategy)) == 0) {
            options->strategies[one_more(&options->strategy_count)] = strategy;
            return true;
        }
    }
    return false;
}

static bool take_order(bench_options *options, const char *text) {
    static const char *const names[] = {"unordered", "stable", "both"};
    options->orders = find(text, names, COUNT(names)) + 1;
    return options->orders <= COUNT(names);
}

static bool take_hint(bench_options *options, const char *item) {
    const unsigned hint = find(item, hint_names, COUNT(hint_names));
    options->hints[one_more(&options->hint_count)] = (bench_hint)hint;
    return hint < COUNT(hint_names);
}

static bool take_peer(bench_options *options, const char *item) {
    const unsigned peer = find(item, peer_names, COUNT(peer_names));
    const unsigned bit = 1u << peer;
    options->peers_given = true;
    if (peer == COUNT(peer_names))
        return false;
    if (strcmp(item, "none") == 0)
        return true;
    if (bit != BENCH_PEER_STD && bench_peer_find(bit) == NULL)
        bench_fail("--peers %s: not in this program; in the source tree, in a "
                   "build with CUDA, 'make bench' makes "
                   "bench/winnow-bench-peers, which has CUB and Thrust",
                   item);
    options->peers |= bit;
    return true;
}

static bool take_workspace(bench_options *options, const char *text) {
    options->pool = strcmp(text, "pool") == 0;
    return options->pool || strcmp(text, "caller") == 0;
}

static bool take_device(bench_options *options, const char *text) {
    uint64_t ordinal = 0;
    options->device_given = true;
    options->device = WINNOW_DEVICE_HOST;
    if (strcmp(text, "host") == 0)
        return true;
    if (!bench_parse_count(text, &ordinal) || ordinal >= 1024)
        return false;
    options->device = (int)ordinal;
    return true;
}

static bool take_threads(bench_options *options, const char *text) {
    uint64_t threads;
    if (!bench_parse_count(text, &threads) || threads == 0 || threads > 256)
        return false;
    options->threads = (unsigned)threads;
    return true;
}

static bool take_launch(bench_options *options, const char *item) {
    const unsigned launch = find(item, launch_names, COUNT(launch_names));
    options->launches |= 1u << launch;
    return launch < COUNT(launch_names);
}

static bool take_cache(bench_options *options, const char *text) {
    static const char *const names[] = {"warm", "cold", "both"};
    options->caches = find(text, names, COUNT(names)) + 1;
    return options->caches <= COUNT(names);
}

static bool take_seconds(bench_options *options, const char *text) {
    return parse_number(text, &options->seconds) && options->seconds > 0 &&
           options->seconds <= 3600;
}

static bool take_json(bench_options *options, const char *text) {
    options->json = text;
    return true;
}

static bool take_explain(bench_options *options, const char *text) {
    (void)text;
    options->explain = true;
    return true;
}

static bool take_quick(bench_options *options, const char *text) {
    (void)text;
    options->quick = true;
    return true;
}

static bool take_output(bench_options *options, const char *text) {
    options->output = text;
    return true;
}

/* After "seeds", "selections" and "pipe" an experiment may stand, by its
 * name. */
static bool take_experiment(bench_options *options, const char *text) {
    const bench_op op = options->op_count > 0
                            ? options->ops[options->op_count - 1]
                            : BENCH_COPY_IF;
    const unsigned seed = find(text, seed_names, COUNT(seed_names));
    const unsigned selection =
        find(text, selection_names, COUNT(selection_names));
    const unsigned pipe = find(text, pipe_names, COUNT(pipe_names));
    if (op == BENCH_SEEDS && seed < COUNT(seed_names))
        options->seeds |= 1u << seed;
    else if (op == BENCH_SELECTIONS && selection < COUNT(selection_names))
        options->selections |= 1u << selection;
    else if (op == BENCH_PIPE && pipe < COUNT(pipe_names))
        options->pipes |= 1u << pipe;
    else
        return false;
    return true;
}

static bool take_op(bench_options *options, const char *text) {
    if (take_experiment(options, text))
        return true;
    const unsigned op = find(text, op_names, COUNT(op_names));
    options->ops[one_more(&options->op_count)] = (bench_op)op;
    return op < COUNT(op_names);
}

/* In the order of --help's sections. An argument that is called LIST is taken
 * item by item; NULL: there is none. Without a name: the heading of a section.
 */
static const struct {
    const char *name;
    const char *argument;
    bool (*take)(bench_options *options, const char *text);
    const char *help;
} known[] = {
    {NULL, NULL, NULL,
     "The grid (LIST: separated by commas; sizes: 1000, 2^20, 64K, 1G):"},
    {"types", "LIST", take_type, "int8 .. float64, or all [uint8,int32,int64]"},
    {"sizes", "LIST", take_size, "elements"},
    {"bytes", "LIST", take_bytes,
     "bytes of input instead [1G; 64M on the host]"},
    {"selectivities", "LIST", take_selectivity,
     "fractions to keep [0,0.001,0.01,0.05,0.1,0.25,0.5,0.75,0.9,0.99,1]"},
    {"patterns", "LIST", take_pattern,
     "uniform, runs:LENGTH, prefix, alternate [uniform]"},
    {NULL, NULL, NULL, "The grid of accumulate_by_key and partition_by_key:"},
    {"keys", "LIST", take_keys,
     "how many keys or parts; powers: of two, 1 to 2^24 "
     "[1,32,1024,2^15,2^20,2^24; 1024,2^20 on the host; "
     "2,16,64,256,1024,4096,65536 parts]"},
    {"key-patterns", "LIST", take_key_pattern,
     "uniform, zipf:EXPONENT, half, even, sorted, runs:LENGTH "
     "[uniform,zipf:1,zipf:1.5,sorted,runs:32; uniform of parts]"},
    {"components", "LIST", take_components, "1 to 16 [1,9]"},
    {"sums", "LAYOUT", take_sums, "columns or interleaved [interleaved]"},
    {NULL, NULL, NULL, "What is measured:"},
    {"strategies", "LIST", take_strategy,
     "all, or names such as auto,cub_scan [all]"},
    {"order", "WHICH", take_order, "unordered, stable or both [both]"},
    {"hint", "LIST", take_hint, "for auto: none, true, wrong [none]"},
    {"peers", "LIST", take_peer,
     "cub, thrust (in winnow-bench-peers, which 'make bench' makes); std on "
     "the host; or none [all]"},
    {"workspace", "WHOSE", take_workspace, "caller or pool [caller]"},
    {"device", "WHICH", take_device,
     "a CUDA ordinal, or host [0 where there is one]"},
    {"threads", "N", take_threads,
     "of the host backend, and of memcpy(), 1 to 256 [all]; or of a "
     "device's pipes [6]"},
    {NULL, NULL, NULL, "How:"},
    {"launch", "LIST", take_launch,
     "plain, series (32 calls), graph, chain (a graph of 32 calls) [plain]"},
    {"cache", "STATE", take_cache,
     "warm, cold or both, where the data fit in twice the L2 cache [both]"},
    {"seconds-per-cell", "S", take_seconds,
     "time for each figure; 7 runs are made at least [0.1; 0.01 for regret]"},
    {"json", "FILE", take_json, "append one JSON object per row"},
    {"explain", NULL, take_explain,
     "print what each call of copy_if and copy_index_if runs, and why"},
    {NULL, NULL, NULL, "For tune:"},
    {"quick", NULL, take_quick, "one minute instead of ten, fewer sizes"},
    {"output", "FILE", take_output,
     "the profile; without it, the user's own, which is then loaded by every "
     "context of the device"},
};

static const char description[] =
    "Measure winnow beside a copy kernel, CUB and Thrust; on the host beside\n"
    "memcpy() and the C++ library.\n"
    "\n"
    "Operations (copy_if where none is given):\n"
    "  copy_if        every strategy and peer at every point of the grid\n"
    "  copy_index_if  the same for indices, of 4 bytes\n"
    "  count_if       the same for counting\n"
    "  reduce_if      the same for count, sum, minimum and maximum together\n"
    "  accumulate_by_key  every way, over keys and components\n"
    "  partition_by_key  over parts, keys alone and with a column\n"
    "  select_if      a selection of the elements that pass\n"
    "  compact        the elements that a selection keeps\n"
    "  copy_flagged   the elements that a mask of bytes flags\n"
    "  partition_if   the elements that pass, and the others behind them\n"
    "  partition_two  the same, and the others in an array of their own\n"
    "  regret         AUTO against the best strategy of each point\n"
    "  host-cost      the host's time for a call\n"
    "  figures        the rows that bench/plot draws; needs --json\n"
    "  tune           measures the device, and writes a tuning profile for it\n"
    "  demo           every strategy on 100 * 2^20 integers, in a small table\n"
    "  seeds [NAME]...  the experiments that the library grew from, on a GPU, "
    "or\n"
    "                 those named: filter, particles, minimum, prefix-sums,\n"
    "                 copy-atomic, atomic-impact, atomic-add, "
    "atomic-add-write,\n"
    "                 matrix-product, k-means, scalar-product, string-match\n"
    "  selections [NAME]...  selections and the calls over them, or those "
    "named:\n"
    "                 chain, masks, ranges, to_mask, expand, columns, "
    "records,\n"
    "                 unique, segments, q6, bits, nullable, strings,\n"
    "                 string_tests, expressions, decimals, fill_holes\n"
    "  pipe [NAME]...  inputs larger than the device, beside plain copies, or "
    "those\n"
    "                 named: pinned, pageable, file, late, devices\n"
    "\vExit status: 0; 1 if any result was wrong; 2 on any other failure.\n"
    "\n"
    "Programs that use the library, and how to compile them:\n" WINNOW_EXAMPLES;

static void take(bench_options *options, unsigned option, char *text) {
    if (known[option].argument == NULL) {
        known[option].take(options, NULL);
        return;
    }
    const bool list = strcmp(known[option].argument, "LIST") == 0;
    for (char *item = text, *next; item != NULL; item = next) {
        next = list ? strchr(item, ',') : NULL;
        if (next != NULL)
            *next++ = '\0';
        if (!known[option].take(options, item))
            bench_fail("--%s: '%s' is not understood; see --help",
                       known[option].name, item);
    }
}

/* An option's key is no character, so that it has no short form; less this, it
 * is a place in known[]. */
#define FIRST_KEY 256

static error_t parse(int key, char *text, struct argp_state *state) {
    bench_options *options = state->input;
    if (key == ARGP_KEY_ARG) {
        if (!take_op(options, text))
            bench_fail("no operation is called '%s'; see --help", text);
    } else if (key >= FIRST_KEY && key < FIRST_KEY + (int)COUNT(known)) {
        take(options, (unsigned)key - FIRST_KEY, text);
    } else {
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static void print_version(FILE *file, struct argp_state *state) {
    (void)state;
    fprintf(file, "winnow-bench %s\n", winnow_version_string());
}

void bench_options_parse(bench_options *options, int argc, char **argv) {
    struct argp_option described[COUNT(known) + 1] = {{0}};
    const struct argp argp = {.options = described,
                              .parser = parse,
                              .args_doc = "[OPERATION]...",
                              .doc = description};
    for (unsigned i = 0; i < COUNT(known); i++) {
        described[i].name = known[i].name;
        described[i].key = known[i].name != NULL ? FIRST_KEY + (int)i : 0;
        described[i].arg = known[i].argument;
        described[i].doc = known[i].help;
    }
    argp_program_version_hook = print_version;
    argp_err_exit_status = BENCH_FAILED;
    *options = (bench_options){0};
    argp_parse(&argp, argc, argv, 0, NULL, options);
    if (options->op_count == 0)
        options->ops[options->op_count++] = BENCH_COPY_IF;
}
