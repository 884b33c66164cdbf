/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "contender.h"

#include "peer.h"
#include "reduce.h"
#include "util.h"

#include <stdio.h>
#include <string.h>

static const char *const op_names[] = {[BENCH_COPY_IF] = "copy_if",
                                       [BENCH_COPY_INDEX_IF] = "copy_index_if",
                                       [BENCH_COUNT_IF] = "count_if",
                                       [BENCH_REDUCE_IF] = "reduce_if",
                                       [BENCH_SELECT_IF] = "select_if",
                                       [BENCH_COMPACT] = "compact",
                                       [BENCH_COMPACT_COLUMNS] =
                                           "compact_columns",
                                       [BENCH_COPY_FLAGGED] = "copy_flagged",
                                       [BENCH_PARTITION_IF] = "partition_if",
                                       [BENCH_PARTITION_TWO] = "partition_two"};

const char *bench_contender_op(const bench_contender *contender) {
    return op_names[contender->op];
}

/* Has the operation orders, strategies and hints? */
static bool has_strategies(bench_op op) {
    return op == BENCH_COPY_IF || op == BENCH_COPY_INDEX_IF;
}

static bool is_sink(bench_op op) {
    return op == BENCH_COMPACT || op == BENCH_COMPACT_COLUMNS;
}

/* Does it write elements or indices? */
static bool has_output(bench_op op) {
    return op != BENCH_COUNT_IF && op != BENCH_REDUCE_IF &&
           op != BENCH_SELECT_IF;
}

static winnow_move move_of(const bench_contender *c) {
    const bench_run *run = c->run;
    return (winnow_move){.d_in = run->d_in,
                         .d_out = run->d_out,
                         .element_bytes = c->cell->data.size};
}

static winnow_status call_sink(const bench_contender *c,
                               const winnow_launch *launch) {
    const bench_run *run = c->run;
    const uint64_t n = c->cell->n;
    const winnow_move move = move_of(c);
    if (c->op == BENCH_COMPACT_COLUMNS)
        return winnow_compact_columns(run->context, run->d_selection, n, &move,
                                      1, WINNOW_NO_LIMIT, run->d_count, launch);
    return winnow_compact(run->context, run->d_selection, run->d_in, n,
                          move.element_bytes, run->d_out, WINNOW_NO_LIMIT,
                          run->d_count, launch);
}

static winnow_status call_flagged(const bench_contender *c,
                                  const winnow_launch *launch) {
    const bench_run *run = c->run;
    const winnow_move move = move_of(c);
    const winnow_mask mask = {WINNOW_MASK_BYTES, run->d_flags, 0};
    return winnow_copy_flagged(run->context, &mask, c->cell->n, &move, 1,
                               WINNOW_NO_LIMIT, run->d_count, launch);
}

/* What the library does for this contender; state is the contender. */
static winnow_status call(const void *state, const winnow_launch *launch) {
    const bench_contender *c = state;
    const bench_run *run = c->run;
    winnow_context *const context = run->context;
    const winnow_predicate *const predicate = c->cell->predicate;
    const winnow_type type = c->cell->type;
    const uint64_t n = c->cell->n;
    switch (c->op) {
    case BENCH_REDUCE_IF:
        return bench_reduce(c, launch);
    case BENCH_SELECT_IF:
        return winnow_select_if(context, predicate, type, run->d_in, n,
                                run->d_selection, run->selection_bytes, launch);
    case BENCH_COMPACT:
    case BENCH_COMPACT_COLUMNS:
        return call_sink(c, launch);
    case BENCH_COPY_FLAGGED:
        return call_flagged(c, launch);
    case BENCH_PARTITION_IF:
    case BENCH_PARTITION_TWO:
        return winnow_partition_if(context, predicate, type, run->d_in, n,
                                   run->d_out, run->d_rejected, run->d_count,
                                   launch);
    case BENCH_COUNT_IF:
        return winnow_count_if(context, predicate, type, run->d_in, n,
                               run->d_count, launch);
    case BENCH_COPY_INDEX_IF:
        return winnow_copy_index_if(context, predicate, type, run->d_in, n,
                                    WINNOW_UINT32, run->d_out, WINNOW_NO_LIMIT,
                                    run->d_count, launch);
    default:
        return winnow_copy_if(context, predicate, type, run->d_in, n,
                              run->d_out, WINNOW_NO_LIMIT, run->d_count,
                              launch);
    }
}

/* The workspace may have moved since the contender was made. */
static void run_ours(void *state, winnow_stream stream) {
    const bench_contender *c = state;
    winnow_launch launch = c->launch;
    if (!c->run->options.pool && c->run->d_workspace != NULL) {
        launch.d_workspace = c->run->d_workspace;
        launch.workspace_bytes = c->workspace_bytes;
    }
    bench_enqueue(call, op_names[c->op], c, launch, stream);
}

static winnow_status query(bench_contender *c) {
    winnow_plan plan;
    const winnow_status status = bench_plan(call, c, c->launch, &plan);
    c->workspace_bytes = plan.workspace_bytes;
    return status;
}

/* Whether the library offers this order from this strategy on this context. */
static bool offered(bench_contender *c, winnow_strategy strategy,
                    winnow_order order) {
    c->launch.strategy = strategy;
    c->launch.order = order;
    const winnow_status status = query(c);
    if (status == WINNOW_ERR_UNSUPPORTED || status == WINNOW_ERR_ARGUMENT)
        return false;
    bench_check(status, "a plan");
    return true;
}

/* Of nothing kept: a hint of 0 would say that it is unknown. */
#define LEAST_HINT 1e-9

static double hint_value(bench_hint hint, const bench_cell *cell) {
    const double kept = (double)cell->expected.kept / (double)cell->n;
    switch (hint) {
    case BENCH_HINT_NONE:
        break;
    case BENCH_HINT_TRUE:
        return kept > 0 ? kept : LEAST_HINT;
    case BENCH_HINT_WRONG:
        return kept < 0.5 ? 1 : LEAST_HINT;
    }
    return 0;
}

typedef struct bench_list_builder {
    bench_contender *list;
    unsigned count;
    bench_contender blank;
} bench_list_builder;

static void append(bench_list_builder *builder,
                   const bench_contender *contender) {
    if (builder->count == BENCH_CONTENDERS)
        bench_fail("more than %d contenders", BENCH_CONTENDERS);
    bench_run_reserve_workspace(contender->run, contender->workspace_bytes);
    builder->list[builder->count++] = *contender;
}

static void append_peers(bench_list_builder *builder) {
    const unsigned wanted = builder->blank.run->options.peers;
    for (unsigned bit = BENCH_PEER_CUB; bit <= BENCH_PEER_STD; bit *= 2) {
        bench_contender c = builder->blank;
        c.peer = bench_peer_find(bit);
        if (!(wanted & bit) || c.peer == NULL || !c.peer->offers(&c))
            continue;
        c.peer->open(&c);
        append(builder, &c);
    }
}

static void append_auto(bench_list_builder *builder) {
    const bench_run *run = builder->blank.run;
    const unsigned order_bits[] = {BENCH_UNORDERED, BENCH_STABLE};
    const winnow_order orders[] = {WINNOW_UNORDERED, WINNOW_STABLE};
    for (unsigned i = 0; i < 2; i++) {
        bench_contender c = builder->blank;
        if (!(run->options.orders & order_bits[i]))
            continue;
        c.launch.order = orders[i];
        bench_check(query(&c), "a plan");
        for (unsigned h = 0; h < run->options.hint_count; h++) {
            c.hint = run->options.hints[h];
            c.launch.selectivity = hint_value(c.hint, c.cell);
            append(builder, &c);
        }
    }
}

/*
 * A named strategy is measured in its own order, the strongest it gives.
 * Returns whether the context offers it at all.
 */
static bool append_named(bench_list_builder *builder,
                         winnow_strategy strategy) {
    const unsigned orders = builder->blank.run->options.orders;
    bench_contender c = builder->blank;
    unsigned bit = BENCH_STABLE;
    if (!offered(&c, strategy, WINNOW_STABLE)) {
        bit = BENCH_UNORDERED;
        if (!offered(&c, strategy, WINNOW_UNORDERED))
            return false;
    }
    if (orders & bit)
        append(builder, &c);
    return true;
}

static void append_strategies(bench_list_builder *builder) {
    const bench_options *options = &builder->blank.run->options;
    if (options->strategy_count == 0) {
        append_auto(builder);
        for (int value = WINNOW_HOST; value < BENCH_LIST; value++) {
            const winnow_strategy strategy = (winnow_strategy)value;
            if (strategy != WINNOW_AUTO &&
                strcmp(winnow_strategy_name(strategy), "unknown") != 0)
                append_named(builder, strategy);
        }
        return;
    }
    for (unsigned i = 0; i < options->strategy_count; i++)
        if (options->strategies[i] == WINNOW_AUTO)
            append_auto(builder);
        else if (!append_named(builder, options->strategies[i]))
            bench_fail("--strategies %s: %s",
                       winnow_strategy_name(options->strategies[i]),
                       winnow_last_error());
}

/* What a sink works on is made before it is timed: a selection, or flags of a
 * byte each. */
static void make_selection(bench_run *run, const bench_cell *cell) {
    bench_run_reserve_selection(run, cell);
    bench_check(winnow_select_if(run->context, cell->predicate, cell->type,
                                 run->d_in, cell->n, run->d_selection,
                                 run->selection_bytes,
                                 WINNOW_LAUNCH(.stream = run->platform.stream)),
                "winnow_select_if");
    run->platform.synchronize();
}

static void make_flags(bench_run *run, const bench_cell *cell) {
    make_selection(run, cell);
    bench_check(
        winnow_selection_to_mask(run->context, run->d_selection, cell->n,
                                 WINNOW_MASK_BYTES, run->d_flags, 0,
                                 WINNOW_LAUNCH(.stream = run->platform.stream)),
        "winnow_selection_to_mask");
    run->platform.synchronize();
}

unsigned bench_contenders(bench_run *run, const bench_cell *cell, bench_op op,
                          bench_contender list[BENCH_CONTENDERS]) {
    bench_list_builder builder = {
        .list = list,
        .blank = {.run = run,
                  .cell = cell,
                  .op = op,
                  .launch = {.size = sizeof(winnow_launch)}},
    };
    if (op == BENCH_SELECT_IF || is_sink(op))
        make_selection(run, cell);
    if (op == BENCH_COPY_FLAGGED)
        make_flags(run, cell);
    append_peers(&builder);
    if (!has_strategies(op)) {
        bench_contender c = builder.blank;
        c.launch.order = WINNOW_STABLE; /* as its output is */
        bench_check(query(&c), "a plan");
        append(&builder, &c);
    } else {
        append_strategies(&builder);
    }
    return builder.count;
}

static bool count_is_right(const bench_contender *c) {
    uint64_t count = c->host_count;
    if (!c->count_on_host)
        c->run->platform.fetch(&count, c->run->d_count, sizeof count);
    return count == c->cell->expected.kept;
}

/* Bytes of an element of the output. */
static size_t output_size(const bench_contender *c) {
    return c->op == BENCH_COPY_INDEX_IF ? c->run->index_bytes
                                        : c->cell->data.size;
}

/* What the output has to hold: of indices, data whose elements they are. */
static bench_data output_of(const bench_contender *c,
                            bench_expected *expected_p) {
    bench_data data = c->cell->data;
    *expected_p = c->cell->expected;
    if (c->op == BENCH_COPY_INDEX_IF) {
        data.size = c->run->index_bytes;
        data.indices = true;
        c->run->platform.expect(&data, c->run->d_bases, expected_p);
    }
    return data;
}

/* What of ours does not pass: whatever is in the input and not in the output.
 * CUB has it behind the survivors. */
static bool rejects_are_right(const bench_contender *c) {
    const bench_run *run = c->run;
    const bench_cell *cell = c->cell;
    if (c->peer != NULL || c->op != BENCH_PARTITION_TWO)
        return true;
    return run->platform.sum(run->d_rejected, cell->data.size,
                             cell->n - cell->expected.kept) ==
           run->platform.sum(run->d_in, cell->data.size, cell->n) -
               cell->expected.sum;
}

static bool output_is_right(const bench_contender *c) {
    const bench_run *run = c->run;
    const bench_platform *platform = &run->platform;
    bench_expected expected;
    const bench_data data = output_of(c, &expected);
    if (c->peer == NULL && c->launch.order == WINNOW_UNORDERED)
        return platform->sum(run->d_out, data.size, expected.kept) ==
               expected.sum;
    return platform->misplaced(&data, run->d_bases, run->d_out) == 0;
}

/* Poison the outputs, run the job once, and look at every element it made. */
static bool job_is_right(bench_contender *c, const bench_job *job,
                         unsigned arrays) {
    bench_run *run = c->run;
    const bench_platform *platform = &run->platform;
    const size_t bytes = (size_t)c->cell->n * output_size(c);
    const unsigned outputs = has_output(c->op) ? arrays : 0;
    platform->poison(run->d_count, sizeof *run->d_count);
    for (unsigned i = outputs; i-- > 0;) {
        bench_run_take_arrays(run, i);
        platform->poison(run->d_out, bytes);
        if (run->d_rejected != NULL)
            platform->poison(run->d_rejected, bytes);
    }
    c->host_count = UINT64_MAX;
    job->run(job->state, platform->stream);
    if (c->op == BENCH_SELECT_IF)
        bench_check(
            winnow_selection_count(run->context, run->d_selection, c->cell->n,
                                   run->d_count,
                                   WINNOW_LAUNCH(.stream = platform->stream)),
            "winnow_selection_count");
    platform->synchronize();

    bool right = count_is_right(c);
    if (c->op == BENCH_REDUCE_IF)
        right = bench_reduction_is_right(c) && right;
    for (unsigned i = outputs; i-- > 0;) {
        bench_run_take_arrays(run, i);
        right = right && output_is_right(c) && rejects_are_right(c);
    }
    return right;
}

static const char *fetch_chosen(bench_contender *c) {
    int32_t strategy;
    c->run->platform.fetch(&strategy, c->run->d_strategy, sizeof strategy);
    return winnow_strategy_name((winnow_strategy)strategy);
}

void bench_contender_prepare(bench_contender *c) {
    bench_run *run = c->run;
    const bench_job plain = {c->peer != NULL ? c->peer->run : run_ours, c, 1};
    const bool reports = c->peer == NULL && has_strategies(c->op);
    /* Asked which strategy ran only here: the timed calls do without. */
    c->launch.d_strategy = reports ? run->d_strategy : NULL;
    c->right = job_is_right(c, &plain, 1);
    c->chosen = reports ? fetch_chosen(c) : NULL;
    c->launch.d_strategy = NULL;
    c->job = plain;
    if (c->cell->launch != BENCH_PLAIN) {
        c->job = bench_launched(run, c->cell, &plain);
        c->right =
            job_is_right(c, &c->job, bench_arrays(run, c->cell)) && c->right;
    }
}

void bench_contender_release(bench_contender *contender) {
    bench_launched_release(contender->run, contender->cell, &contender->job);
}

double bench_contender_hint(const bench_contender *contender) {
    const double hint = contender->launch.selectivity;
    return bench_contender_is_auto(contender) && hint > 0 ? hint : -1;
}

bool bench_contender_is_auto(const bench_contender *contender) {
    return contender->peer == NULL && has_strategies(contender->op) &&
           contender->launch.strategy == WINNOW_AUTO;
}

const char *bench_contender_peer(const bench_contender *contender) {
    return contender->peer != NULL ? contender->peer->name() : NULL;
}

uint64_t bench_contender_bytes(const bench_contender *contender) {
    const bench_cell *cell = contender->cell;
    const uint64_t input = cell->n * cell->data.size;
    const uint64_t written = cell->expected.kept * output_size(contender);
    switch (contender->op) {
    case BENCH_COUNT_IF:
    case BENCH_REDUCE_IF:
        return input;
    case BENCH_SELECT_IF:
        return input + cell->n / 8;
    case BENCH_COMPACT:
    case BENCH_COMPACT_COLUMNS:
        return cell->n / 8 + 2 * written; /* no others need be read */
    case BENCH_COPY_FLAGGED:
        return cell->n + 2 * written;
    case BENCH_PARTITION_IF:
    case BENCH_PARTITION_TWO:
        return 2 * input;
    default:
        return input + written;
    }
}

/* What the call runs, by the library's own account. */
void bench_contender_explain(const bench_contender *c) {
    char text[4096];
    winnow_plan plan = {
        .size = sizeof plan, .text = text, .text_bytes = sizeof text};
    winnow_launch launch = c->launch;
    if (c->peer != NULL || !has_strategies(c->op))
        return;
    launch.plan = &plan;
    bench_check(call(c, &launch), "a plan");
    printf("%s\n", text);
}

/* What was asked for; NULL: there is nothing to ask for. */
static const char *strategy_name(const bench_contender *c) {
    if (c->peer != NULL)
        return NULL;
    return has_strategies(c->op) ? winnow_strategy_name(c->launch.strategy)
                                 : NULL;
}

bench_row bench_contender_row(const bench_contender *c,
                              const bench_times *times,
                              const bench_baseline *baseline, double cub_s) {
    const bench_cell *cell = c->cell;
    const bool ours = c->peer == NULL;
    return (bench_row){
        .op = op_names[c->op],
        .order = !has_output(c->op) ? NULL
                 : ours             ? winnow_order_name(c->launch.order)
                                    : winnow_order_name(WINNOW_STABLE),
        .strategy = strategy_name(c),
        .chosen = c->chosen,
        .peer = bench_contender_peer(c),
        .type = cell->type,
        .n = cell->n,
        .selectivity = cell->selectivity,
        .pattern = cell->pattern->name,
        .kept = cell->expected.kept,
        .bytes = bench_contender_bytes(c),
        .cache = bench_cell_cache(c->run, cell),
        .launch = bench_launch_name(cell->launch),
        .workspace = !ours                  ? NULL
                     : c->run->options.pool ? "pool"
                                            : "caller",
        .hint = bench_contender_hint(c),
        .times = *times,
        .copy_s = baseline->copy_s,
        .copy_fraction =
            baseline->copy_s > 0 ? baseline->copy_s / times->midmean : -1,
        .empty_s = baseline->empty_s,
        .clock_s = baseline->clock_s,
        .cub_s = cub_s,
        .right = c->right,
    };
}

void bench_contender_report(const bench_contender *c, const bench_times *times,
                            const bench_baseline *baseline, double cub_s) {
    const bench_row row = bench_contender_row(c, times, baseline, cub_s);
    bench_report_row(&c->run->report, &row);
}
