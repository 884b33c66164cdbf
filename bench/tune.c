/*
 * Measuring a tuning profile for the device at hand: every strategy and every
 * shape at every point of a grid, the fit (fit.c), and the file.
 *
 * A shape is measured as it will be chosen: by a context of its own, which has
 * loaded a profile that names it. A first, short round leaves out what is much
 * slower than the fastest; a second one times the rest in turn, run by run.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fit.h"
#include "kernels/tile/shapes.h"
#include "timing.h"
#include "progress.h"
#include "run.h"
#include "auto/place.h"
#include "util.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FIRST_RUNS 3
#define SECOND_RUNS 5
/* Slower than the fastest by more than this in the first round: out. */
#define STILL_IN 1.25
/* Of the time for a point, what the second round may take: data and the first
 * round take the rest. */
#define SHARE 0.6
#define SECONDS 540.0
#define QUICK_SECONDS 50.0
/* After that nothing more is measured. */
#define GRACE 1.1

enum {
    OPS = 2,
    ORDERS = 2,
    SIZES = 4
};
static const bench_op ops[OPS] = {BENCH_COPY_IF, BENCH_COPY_INDEX_IF};
static const char *const op_names[OPS] = {"copy_if", "copy_index_if"};

/* A strategy, in a shape, or in those that the library takes by the size. */
typedef struct tuner_candidate {
    winnow_strategy strategy;
    const char *shape;       /* NULL: by size */
    winnow_context *context; /* NULL: the run's */
} tuner_candidate;

/* A call that is timed. */
typedef struct tuner_job {
    bench_run *run;
    const bench_cell *cell;
    bench_op op;
    winnow_context *context;
    winnow_launch launch; /* without workspace and stream */
    size_t workspace_bytes;
} tuner_job;

typedef struct tuner {
    bench_run *run;
    unsigned op;             /* which of ops */
    winnow_context *chooser; /* for what a choice takes */
    tuner_candidate candidates[OPS][ORDERS][FIT_CANDIDATES];
    fit_table tables[OPS][ORDERS][SIZES];
    char path[64]; /* of the profiles that are tried */
    double deadline, seconds;
    unsigned left, skipped; /* points */
} tuner;

/* ---------------------------------------------------------------- profiles */

static void write_head(FILE *file, const bench_platform *platform) {
    char date[16];
    const time_t now = time(NULL);
    struct tm day;
    if (gmtime_r(&now, &day) == NULL ||
        strftime(date, sizeof date, "%Y-%m-%d", &day) == 0)
        bench_fail("no date");
    fprintf(file,
            "winnow-tuning 1\n"
            "device %s\n"
            "compute %d.%d\n"
            "multiprocessors %u\n"
            "driver %s\n"
            "date %s\n",
            platform->device, platform->major, platform->minor,
            platform->multiprocessors, platform->driver, date);
}

static FILE *open_tried(const tuner *t) {
    FILE *file = fopen(t->path, "w");
    if (file == NULL)
        bench_fail("%s: %s", t->path, strerror(errno));
    write_head(file, &t->run->platform);
    return file;
}

/* Have a context run one candidate. False: the library refuses that. */
static bool load_one(const tuner *t, const fit_table *table,
                     const fit_candidate *candidate, uint64_t n,
                     winnow_context *context) {
    FILE *file = open_tried(t);
    fprintf(file, "%s %s %u %" PRIu64 " %" PRIu64 " 0 1 %s %s\nend 1\n",
            table->operation, table->order, table->bytes, n, n,
            candidate->strategy, candidate->shape);
    if (fclose(file) != 0)
        bench_fail("%s: %s", t->path, strerror(errno));
    return winnow_context_tune(context, t->path) == WINNOW_OK;
}

/* Have it choose between the default and another, so that it takes the default
 * for a selectivity. */
static void load_choice(const tuner *t, const fit_table *table, uint64_t n,
                        double selectivity, winnow_context *context) {
    const bool stable = strcmp(table->order, "stable") == 0;
    const char *const usual = table->candidates[0].strategy;
    const char *const other = stable ? "cub_scan" : "warp_shared";
    const bool first = selectivity < 0.5;
    FILE *file = open_tried(t);
    const char *const both[] = {first ? usual : other, first ? other : usual};
    const char *const ends[] = {"0", first ? "0.75" : "0.25", "1"};
    for (int i = 0; i < 2; i++)
        fprintf(file, "%s %s %u %" PRIu64 " %" PRIu64 " %s %s %s by_size\n",
                table->operation, table->order, table->bytes, n, n, ends[i],
                ends[i + 1], both[i]);
    fprintf(file, "end 2\n");
    if (fclose(file) != 0)
        bench_fail("%s: %s", t->path, strerror(errno));
    bench_check(winnow_context_tune(context, t->path), "winnow_context_tune");
}

/* -------------------------------------------------------------- candidates */

static void add_candidate(tuner *t, unsigned op, unsigned order,
                          winnow_strategy strategy, const char *shape) {
    fit_table *const first = &t->tables[op][order][0];
    const unsigned i = first->candidate_count;
    tuner_candidate *const candidate = &t->candidates[op][order][i];
    if (i == FIT_CANDIDATES)
        bench_fail("more than %d strategies and shapes", FIT_CANDIDATES);
    *candidate = (tuner_candidate){.strategy = strategy, .shape = shape};
    if (shape != NULL)
        bench_check(winnow_context_create(&candidate->context,
                                          t->run->platform.ordinal),
                    "winnow_context_create");
    for (unsigned size = 0; size < SIZES; size++) {
        fit_table *const table = &t->tables[op][order][size];
        table->candidates[i] = (fit_candidate){
            winnow_strategy_name(strategy), shape != NULL ? shape : "by_size"};
        table->candidate_count = i + 1;
    }
}

/* Of which strategy a shape is, in an order; WINNOW_AUTO: of none. One block
 * and one cluster are the same for either. */
static winnow_strategy strategy_of(winnow__ladder ladder, unsigned op,
                                   winnow_order order) {
    static const winnow__ladder ladders[OPS][5] = {
        {WINNOW__SINGLE_BLOCK, WINNOW__ONE_CLUSTER, WINNOW__AGGREGATED,
         WINNOW__ONE_WAVE, WINNOW__LOOK_BACK},
        {WINNOW__INDEX_SINGLE_BLOCK, WINNOW__INDEX_CLUSTER,
         WINNOW__INDEX_AGGREGATED, WINNOW__INDEX_ONE_WAVE,
         WINNOW__INDEX_LOOK_BACK}};
    unsigned i = 0;
    while (i < 5 && ladders[op][i] != ladder)
        i++;
    if (i == 5 || (i == 2 && order == WINNOW_STABLE))
        return WINNOW_AUTO;
    return i == 2 || (i < 2 && order == WINNOW_UNORDERED)
               ? WINNOW_TILE_AGGREGATED
               : WINNOW_TILE_SCAN;
}

static void add_shapes(tuner *t, unsigned op, winnow_order order) {
    static const struct {
        const char *name;
        winnow__ladder ladder;
    } shapes[] = {
#define WINNOW__NAME_SHAPE(NAME, LADDER, ...) {#NAME, WINNOW__##LADDER},
        WINNOW__SHAPES(WINNOW__NAME_SHAPE)
#undef WINNOW__NAME_SHAPE
    };
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        const winnow_strategy strategy =
            strategy_of(shapes[i].ladder, op, order);
        if (strategy != WINNOW_AUTO)
            add_candidate(t, op, order, strategy, shapes[i].name);
    }
}

/* The first is what the library takes without a profile. */
static void add_all(tuner *t, unsigned op, winnow_order order) {
    const winnow_strategy usual =
        order == WINNOW_STABLE ? WINNOW_TILE_SCAN : WINNOW_TILE_AGGREGATED;
    add_candidate(t, op, order, usual, NULL);
    for (int s = WINNOW_GLOBAL_ATOMIC; s <= WINNOW_TILE_SCAN; s++)
        if (s != usual && (order == WINNOW_UNORDERED || s == WINNOW_CUB_SCAN))
            add_candidate(t, op, order, (winnow_strategy)s, NULL);
    add_shapes(t, op, order);
}

static void open_tuner(tuner *t, bench_run *run) {
    const bench_options *const o = &run->options;
    t->run = run;
    strcpy(t->path, "/tmp/winnow-tune-XXXXXX");
    const int descriptor = mkstemp(t->path);
    if (descriptor < 0)
        bench_fail("%s: %s", t->path, strerror(errno));
    close(descriptor);
    bench_check(winnow_context_create(&t->chooser, run->platform.ordinal),
                "winnow_context_create");
    /* Whatever it has loaded is what is measured anew. */
    bench_check(winnow_context_tune(run->context, NULL), "winnow_context_tune");
    for (unsigned op = 0; op < OPS; op++)
        for (unsigned order = 0; order < ORDERS; order++) {
            for (unsigned size = 0; size < SIZES; size++) {
                fit_table *const table = &t->tables[op][order][size];
                table->operation = op_names[op];
                table->order = winnow_order_name((winnow_order)order);
                table->bytes = 1u << size;
                table->selectivity_count = o->selectivity_count;
                memcpy(table->selectivities, o->selectivities,
                       o->selectivity_count * sizeof *o->selectivities);
            }
            add_all(t, op, (winnow_order)order);
        }
}

static void close_tuner(tuner *t) {
    for (unsigned op = 0; op < OPS; op++)
        for (unsigned order = 0; order < ORDERS; order++)
            for (unsigned i = 0; i < FIT_CANDIDATES; i++)
                winnow_context_destroy(t->candidates[op][order][i].context);
    winnow_context_destroy(t->chooser);
    unlink(t->path);
}

/* --------------------------------------------------------------- measuring */

static winnow_status call(const void *state, const winnow_launch *launch) {
    const tuner_job *const job = state;
    const bench_run *const run = job->run;
    const bench_cell *const cell = job->cell;
    if (job->op == BENCH_COPY_INDEX_IF)
        return winnow_copy_index_if(
            job->context, cell->predicate, cell->type, run->d_in, cell->n,
            WINNOW_UINT32, run->d_out, WINNOW_NO_LIMIT, run->d_count, launch);
    return winnow_copy_if(job->context, cell->predicate, cell->type, run->d_in,
                          cell->n, run->d_out, WINNOW_NO_LIMIT, run->d_count,
                          launch);
}

static winnow_status ask_workspace(tuner_job *job) {
    winnow_plan plan;
    const winnow_status status = bench_plan(call, job, job->launch, &plan);
    job->workspace_bytes = plan.workspace_bytes;
    return status;
}

static void run_job(void *state, winnow_stream stream) {
    const tuner_job *const job = state;
    winnow_launch launch = job->launch;
    launch.d_workspace = job->run->d_workspace;
    launch.workspace_bytes = job->workspace_bytes;
    bench_enqueue(call, "a call of tune", job, launch, stream);
}

/* A figure of a wrong result is none. */
static void check_job(tuner_job *job, const char *strategy, const char *shape) {
    const bench_platform *const platform = &job->run->platform;
    uint64_t count;
    platform->poison(job->run->d_count, sizeof *job->run->d_count);
    run_job(job, platform->stream);
    platform->synchronize();
    platform->fetch(&count, job->run->d_count, sizeof count);
    if (count != job->cell->expected.kept)
        bench_fail("%s, %s: the count of %" PRIu64 " elements is wrong",
                   strategy, shape, job->cell->n);
}

/* False: there is no such call. */
static bool prepare(const tuner *t, const fit_table *table, unsigned order,
                    unsigned i, const bench_cell *cell, tuner_job *job) {
    const tuner_candidate *const candidate = &t->candidates[t->op][order][i];
    *job = (tuner_job){.run = t->run,
                       .cell = cell,
                       .op = ops[t->op],
                       .context = t->run->context,
                       .launch = {.size = sizeof(winnow_launch)}};
    job->launch.order = (winnow_order)order;
    /* A stable strategy gives any order, and is named for its own. */
    if (candidate->shape == NULL)
        job->launch.strategy = candidate->strategy;
    else if (load_one(t, table, &table->candidates[i], cell->n,
                      candidate->context))
        job->context = candidate->context;
    else
        return false;
    const winnow_status status = ask_workspace(job);
    if (status == WINNOW_ERR_UNSUPPORTED)
        return false;
    bench_check(status, "a plan");
    bench_run_reserve_workspace(t->run, job->workspace_bytes);
    return true;
}

/* The row for the cell's n. */
static fit_row *find_row(fit_table *table, uint64_t n) {
    fit_row *row = &table->rows[table->row_count];
    if (table->row_count > 0 && row[-1].n == n)
        return &row[-1];
    table->row_count++;
    row->n = n;
    row->choice_s = 0;
    for (unsigned s = 0; s < FIT_SELECTIVITIES; s++)
        for (unsigned c = 0; c < FIT_CANDIDATES; c++)
            row->seconds[s][c] = -1;
    return row;
}

static unsigned which_selectivity(const fit_table *table, double selectivity) {
    unsigned s = 0;
    while (table->selectivities[s] != selectivity)
        s++;
    return s;
}

/* All candidates, a few runs each; *least_p: the fastest's time. */
static void first_round(tuner *t, const fit_table *table, unsigned order,
                        const bench_cell *cell, tuner_job *list,
                        double *seconds, double *least_p) {
    *least_p = -1;
    for (unsigned i = 0; i < table->candidate_count; i++) {
        bench_times times;
        const bench_job job = {run_job, &list[i], 1};
        seconds[i] = -1;
        if (!prepare(t, table, order, i, cell, &list[i]))
            continue;
        check_job(&list[i], table->candidates[i].strategy,
                  table->candidates[i].shape);
        bench_measure(&t->run->platform, &job, 1, false, 0, FIRST_RUNS, &times);
        seconds[i] = times.midmean;
        if (*least_p < 0 || seconds[i] < *least_p)
            *least_p = seconds[i];
    }
}

/* Those that are left, the default, and a choice between it and another. */
static void second_round(tuner *t, const fit_table *table, unsigned order,
                         const bench_cell *cell, tuner_job *list,
                         double *seconds, double least, double *choice_s_p) {
    bench_job jobs[FIT_CANDIDATES + 1];
    unsigned which[FIT_CANDIDATES + 1], count = 0;
    bench_times times[FIT_CANDIDATES + 1];
    tuner_job choice = {.run = t->run,
                        .cell = cell,
                        .op = ops[t->op],
                        .context = t->chooser,
                        .launch = {.size = sizeof(winnow_launch)}};
    for (unsigned i = 0; i < table->candidate_count; i++)
        if (seconds[i] >= 0 && (i == 0 || seconds[i] <= STILL_IN * least)) {
            which[count] = i;
            jobs[count++] = (bench_job){run_job, &list[i], 1};
        }
    load_choice(t, table, cell->n, cell->selectivity, t->chooser);
    choice.launch.order = (winnow_order)order;
    bench_check(ask_workspace(&choice), "a plan");
    bench_run_reserve_workspace(t->run, choice.workspace_bytes);
    jobs[count] = (bench_job){run_job, &choice, 1};
    bench_measure(&t->run->platform, jobs, count + 1, false,
                  t->seconds / (count + 1), SECOND_RUNS, times);
    for (unsigned i = 0; i < count; i++)
        seconds[which[i]] = times[i].midmean;
    *choice_s_p = times[count].midmean - times[0].midmean;
}

static void measure_order(tuner *t, unsigned order, const bench_cell *cell) {
    const unsigned size = (unsigned)__builtin_ctz(cell->data.size);
    fit_table *const table = &t->tables[t->op][order][size];
    fit_row *const row = find_row(table, cell->n);
    const unsigned s = which_selectivity(table, cell->selectivity);
    tuner_job list[FIT_CANDIDATES];
    double seconds[FIT_CANDIDATES], least, choice_s;
    first_round(t, table, order, cell, list, seconds, &least);
    second_round(t, table, order, cell, list, seconds, least, &choice_s);
    memcpy(row->seconds[s], seconds, table->candidate_count * sizeof *seconds);
    /* The most of all selectivities. */
    if (choice_s > row->choice_s)
        row->choice_s = choice_s;
}

static void visit(bench_run *run, const bench_cell *cell, void *user) {
    tuner *const t = user;
    const double now = bench_now();
    (void)run;
    const unsigned points = t->left--;
    if (now > t->deadline) {
        t->skipped++;
        return;
    }
    t->seconds = SHARE * (t->deadline - now) / (points * ORDERS);
    for (unsigned order = 0; order < ORDERS; order++)
        measure_order(t, order, cell);
}

/* -------------------------------------------------------------------- file */

/* A candidate ends where the library says so. */
static bool takes(void *user, const fit_table *table, unsigned candidate,
                  uint64_t n) {
    tuner *const t = user;
    return load_one(t, table, &table->candidates[candidate], n, t->chooser);
}

/* The directory of a file, and those above it. */
static void make_directories(const char *path) {
    char part[PATH_MAX];
    for (const char *slash = strchr(path + 1, '/'); slash != NULL;
         slash = strchr(slash + 1, '/')) {
        snprintf(part, sizeof part, "%.*s", (int)(slash - path), path);
        if (mkdir(part, 0700) != 0 && errno != EEXIST)
            bench_fail("%s: %s", part, strerror(errno));
    }
}

/* In a file beside it, which then takes its name: a reader finds the one or the
 * other, and never a part. */
static void write_profile(tuner *t, const char *path) {
    char made[PATH_MAX];
    unsigned lines = 0;
    const int length = snprintf(made, sizeof made, "%s.new", path);
    if (length < 0 || (size_t)length >= sizeof made)
        bench_fail("%s: the name is too long", path);
    FILE *file = fopen(made, "w");
    if (file == NULL)
        bench_fail("%s: %s", made, strerror(errno));
    write_head(file, &t->run->platform);
    for (unsigned op = 0; op < OPS; op++)
        for (unsigned order = 0; order < ORDERS; order++)
            for (unsigned size = 0; size < SIZES; size++)
                lines += fit_write(file, &t->tables[op][order][size], takes, t);
    fprintf(file, "end %u\n", lines);
    if (fclose(file) != 0)
        bench_fail("%s: %s", made, strerror(errno));
    bench_check(winnow_context_tune(t->run->context, made),
                "winnow_context_tune, of the profile that was made");
    if (rename(made, path) != 0)
        bench_fail("%s: %s", path, strerror(errno));
    printf("%s: %u %s\n", path, lines, lines == 1 ? "entry" : "entries");
    if (lines == 0)
        printf("Nothing was faster by 3%% than what is built in.\n");
    if (t->skipped != 0)
        printf("%u points were left out, for want of time.\n", t->skipped);
}

/* ------------------------------------------------------------------- grid */

static void check_grid(const bench_options *o) {
    unsigned seen = 0;
    if (o->selectivity_count > FIT_SELECTIVITIES || o->size_count > FIT_ROWS)
        bench_fail("tune: at most %d selectivities and %d sizes",
                   FIT_SELECTIVITIES, FIT_ROWS);
    for (unsigned i = 1; i < o->selectivity_count; i++)
        if (o->selectivities[i] <= o->selectivities[i - 1])
            bench_fail("tune: --selectivities have to ascend");
    for (unsigned i = 1; i < o->size_count; i++)
        if (o->sizes[i] <= o->sizes[i - 1])
            bench_fail("tune: --sizes have to ascend");
    for (unsigned i = 0; i < o->type_count; i++) {
        const unsigned bit = (unsigned)winnow_type_size(o->types[i]);
        if (seen & bit)
            bench_fail("tune: --types has two of %u bytes", bit);
        seen |= bit;
    }
    if (o->pattern_count != 1 || o->sizes_in_bytes || o->caches == 3 ||
        o->launches != BENCH_PLAIN)
        bench_fail("tune takes one pattern, --sizes, one state of the caches, "
                   "and plain launches");
}

void bench_run_tune(bench_run *run) {
    const bench_options *const o = &run->options;
    char own[PATH_MAX];
    const char *path = o->output;
    if (run->platform.ordinal == WINNOW_DEVICE_HOST)
        bench_fail("tune: a profile is for a CUDA device, and there is none");
    if (path == NULL) {
        if (!winnow__user_profile_path(run->platform.device, own, sizeof own))
            bench_fail("tune: neither XDG_CONFIG_HOME nor HOME is set: name "
                       "the profile with --output");
        path = own;
        make_directories(path);
    }
    check_grid(o);
    tuner *const t = bench_alloc(sizeof *t);
    memset(t, 0, sizeof *t);
    open_tuner(t, run);
    t->deadline = bench_now() + (o->quick ? QUICK_SECONDS : SECONDS) * GRACE;
    t->left = OPS * o->type_count * o->size_count * o->selectivity_count;
    for (t->op = 0; t->op < OPS; t->op++) {
        run->index_bytes = ops[t->op] == BENCH_COPY_INDEX_IF ? 4 : 0;
        bench_run_each_cell(run, visit, t);
    }
    run->index_bytes = 0;
    write_profile(t, path);
    close_tuner(t);
    free(t);
}
