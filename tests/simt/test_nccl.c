/*
 * libwinnow-nccl among devices of the CPU device, over NCCL's double.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "nccl/kernels.h"
#include "nccl/ranked.h"
#include "nccl/ranks.h"
#include "nccl_process.h"
#include "particles_nccl.h"
#include "simt.h"
#include "suite.h"

/* Ranks 1 to 4, with a device each. */
static bool open_ranks(ranked *all, int ranks, struct report *report) {
    simt_settings.devices = ranks;
    return ranked_open(all, ranks, report);
}

static winnow_nccl_options in_pieces(uint64_t bytes) {
    return (winnow_nccl_options){.size = sizeof(winnow_nccl_options),
                                 .piece_bytes = bytes};
}

static winnow_nccl_options peer_options(void) {
    return (winnow_nccl_options){.size = sizeof(winnow_nccl_options),
                                 .way = WINNOW_NCCL_PEER};
}

/* Few blocks push. Before there are threads. */
static winnow_nccl_options by_peers(void) {
    simt_settings.multiprocessors = 4;
    return peer_options();
}

/* By NCCL's messages, and by stores to peers. */
static void run_both_ways(int ranks, bool (*body)(ranked_rank *),
                          const void *argument) {
    const winnow_nccl_options peers = by_peers();
    ranked all;
    MUST(open_ranks(&all, ranks, report));
    MUST(ranked_run_open(&all, NULL, body, argument, report));
    MUST(ranked_run_open(&all, &peers, body, argument, report));
    ranked_close(&all);
}

Test(nccl, place_gpu) {
    for (int ranks = 1; ranks <= 4; ranks++)
        for (int spread = 0; spread < RANKED_SPREADS; spread++) {
            const ranked_exchange e = {
                .spread = (ranked_spread)spread, .seed = 5, .scale = 9};
            run_both_ways(ranks, ranked_check_place, &e);
        }
}

/* Every spread, under many schedules, all sizes of elements; in one piece and in
 * many. */
Test(nccl, exchange_gpu) {
    const uint64_t first = simt_first_seed(1);
    const unsigned trials = simt_trials(8);
    for (uint64_t seed = first; seed < first + trials; seed++)
        for (int spread = 0; spread < RANKED_SPREADS; spread++) {
            const winnow_nccl_options small = in_pieces(64);
            const ranked_exchange e = {.spread = (ranked_spread)spread,
                                       .seed = seed,
                                       .columns = seed % 2 ? RANKED_COLUMNS : 3,
                                       .scale = 2 + seed % 3,
                                       .spare = seed % 3,
                                       .wrong_rank = -1};
            ranked all;
            simt_seed(seed);
            MUST(open_ranks(&all, 1 + (int)(seed % 4), report));
            MUST(ranked_run_open(&all, seed % 3 ? NULL : &small,
                                 ranked_check_exchange, &e, report));
            ranked_close(&all);
        }
}

Test(nccl, peers_gpu) {
    const winnow_nccl_options options = by_peers();
    const uint64_t first = simt_first_seed(1);
    const unsigned trials = simt_trials(8);
    for (uint64_t seed = first; seed < first + trials; seed++)
        for (int spread = 0; spread < RANKED_SPREADS; spread++) {
            const ranked_exchange e = {.spread = (ranked_spread)spread,
                                       .seed = seed,
                                       .way = WINNOW_NCCL_PEER,
                                       .columns = seed % 2 ? RANKED_COLUMNS : 3,
                                       .scale = 2 + seed % 3,
                                       .spare = seed % 3,
                                       .wrong_rank = -1};
            ranked all;
            simt_seed(seed);
            nccl_processes = seed % 3 == 0;
            MUST(open_ranks(&all, 1 + (int)(seed % 4), report));
            MUST(ranked_run_open(&all, &options, ranked_check_exchange, &e,
                                 report));
            cr_assert_eq(simt_open_handles(), 0u);
            ranked_close(&all);
        }
}

Test(nccl, graph_gpu) {
    const winnow_nccl_options options = by_peers();
    const uint64_t first = simt_first_seed(1);
    const unsigned trials = simt_trials(6);
    for (uint64_t seed = first; seed < first + trials; seed++) {
        const ranked_exchange e = {.spread = RANKED_SKEWED,
                                   .seed = seed,
                                   .way = WINNOW_NCCL_PEER,
                                   .columns = 3,
                                   .scale = 3,
                                   .wrong_rank = -1};
        ranked all;
        simt_seed(seed);
        MUST(open_ranks(&all, 2 + (int)(seed % 3), report));
        MUST(ranked_run_open(&all, &options, ranked_check_graph, &e, report));
        ranked_close(&all);
    }
}

/* A body of each way, of each spread and under many schedules. */
static void run_both(bool (*body)(ranked_rank *), unsigned tried) {
    const winnow_nccl_options peers = by_peers(), small = in_pieces(64);
    const uint64_t first = simt_first_seed(1);
    const unsigned trials = simt_trials(tried);
    for (uint64_t seed = first; seed < first + trials; seed++)
        for (int spread = 0; spread < RANKED_SPREADS; spread++) {
            ranked_exchange e = {.spread = (ranked_spread)spread,
                                 .seed = seed,
                                 .columns = seed % 2 ? 3 : RANKED_COLUMNS,
                                 .scale = (seed + (uint64_t)spread) % 4,
                                 .spare = seed % 3,
                                 .wrong_rank = -1};
            ranked all;
            simt_seed(seed);
            MUST(open_ranks(&all, 1 + (int)(seed % 4), report));
            MUST(ranked_run_open(&all, seed % 3 ? NULL : &small, body, &e,
                                 report));
            e.way = WINNOW_NCCL_PEER;
            MUST(ranked_run_open(&all, &peers, body, &e, report));
            ranked_close(&all);
        }
}

Test(nccl, balance_gpu) {
    run_both(ranked_check_balance, 8);
}

Test(nccl, balance_graph_long_gpu) {
    run_both(ranked_check_balance_graph, 2);
}

Test(nccl, reduce_long_gpu) {
    run_both(ranked_check_reduce, 3);
}

Test(nccl, reduce_graph_long_gpu) {
    run_both(ranked_check_reduce_graph, 4);
}

/* One rank's mistake is the error of all, nobody hangs, and nothing is written. */
Test(nccl, mistakes_long_gpu) {
    const winnow_nccl_options peers = by_peers();
    for (int wrong = 0; wrong < RANKED_WRONGS; wrong++)
        for (int rank = 0; rank < 3; rank += 2) {
            ranked_exchange e = {.spread = RANKED_EVEN,
                                 .seed = 11,
                                 .columns = 4,
                                 .scale = 2,
                                 .wrong_rank = rank};
            ranked all;
            memcpy(&e.wrong, &wrong, sizeof wrong);
            MUST(open_ranks(&all, 3, report));
            for (int way = 0; way < 2; way++) {
                const winnow_nccl_options *const options = way ? &peers : NULL;
                e.way = way ? WINNOW_NCCL_PEER : WINNOW_NCCL_EXACT;
                MUST(ranked_run_open(&all, options, ranked_check_exchange, &e,
                                     report));
                MUST(ranked_run_open(&all, options, ranked_check_balance, &e,
                                     report));
                if (ranked_is_of_reductions(wrong))
                    MUST(ranked_run_open(&all, options, ranked_check_reduce, &e,
                                         report));
            }
            ranked_close(&all);
        }
}

Test(nccl, example_long_gpu) {
    for (int devices = 1; devices <= 3; devices++) {
        simt_settings.devices = devices;
        cr_assert_eq(particles_nccl(), 0, "on %d devices", devices);
    }
}

/* --------------------------------------------------------------- many ranks */

enum {
    MANY = 300, /* more than a block has threads */
    WORDS = WINNOW__NCCL_REDUCE_WORDS
};

/* This is one of several ranks, and the others' words are there already. */
static bool share_among_many(ranked_rank *r) {
    const unsigned rank = MANY - 13;
    uint64_t counts[MANY], offsets[MANY + 1], total = 0, first = 0, begin = 0;
    uint64_t *const d_counts = ranked_alloc(r, sizeof counts + sizeof offsets);
    for (unsigned i = 0; i < MANY; i++) {
        counts[i] = ranked_random(3, i) % 50;
        first += i < rank ? counts[i] : 0;
        total += counts[i];
    }
    const winnow__nccl_parts_args args = {.counts = d_counts,
                                          .offsets = d_counts + MANY,
                                          .rank = rank,
                                          .ranks = MANY};
    ranked_put(r, d_counts, counts, sizeof counts);
    bool passed = winnow__nccl_launch(&winnow__nccl_parts, 1, &args,
                                      r->stream) == WINNOW_OK;
    ranked_get(r, offsets, d_counts + MANY, sizeof offsets);
    for (unsigned i = 0; i <= MANY && passed; i++) {
        /* Item `item` of this rank is the first of share i. */
        const uint64_t item = begin <= first ? 0 : begin - first;
        if (offsets[i] != (item < counts[rank] ? item : counts[rank]))
            passed = report_fail(r->report, "share %u begins at item %llu", i,
                                 (unsigned long long)offsets[i]);
        begin += total / MANY + (i < total % MANY ? 1 : 0);
    }
    ranked_free(r, d_counts);
    return passed;
}

static bool reduce_among_many(ranked_rank *r) {
    static uint64_t words[MANY * WORDS];
    static winnow_reduction partials[MANY];
    static uint64_t firsts[MANY];
    winnow_reduction merged, got[2], ones;
    winnow__nccl_late *const late = ranked_alloc(r, sizeof *late);
    const size_t bytes = sizeof words + sizeof got;
    uint64_t *const d_words = ranked_alloc(r, bytes);
    winnow__nccl_reduce_args args = {.round = {.rank = 7, .ranks = MANY},
                                     .words = d_words,
                                     .late = late,
                                     .type = {.is_float = true},
                                     .wanted = WINNOW_REDUCE_SUM |
                                               WINNOW_REDUCE_MINIMUM |
                                               WINNOW_REDUCE_INDEX};
    for (unsigned i = 0; i < MANY; i++) {
        const double value = (double)ranked_random(5, i) / (double)(i % 7 + 1);
        firsts[i] = 10 * i;
        partials[i] = (winnow_reduction){.count = 1,
                                         .sum.float64 = value,
                                         .minimum.float64 = -value,
                                         .minimum_index = i % 3};
        words[i * WORDS + WINNOW__NCCL_FIRST] = firsts[i];
        memcpy(&words[i * WORDS + WINNOW__NCCL_RESULT], &partials[i],
               sizeof partials[i]);
    }
    bool passed =
        winnow_reduction_merge(WINNOW_FLOAT64, NULL, NULL, 0, args.wanted,
                               &args.nothing) == WINNOW_OK &&
        winnow_reduction_merge(WINNOW_FLOAT64, partials, firsts, MANY,
                               args.wanted, &merged) == WINNOW_OK;
    for (unsigned i = 0; i < 2 && passed; i++) {
        words[(MANY - 5) * WORDS + WINNOW__NCCL_FAULT] =
            i == 0 ? WINNOW__NCCL_FINE : WINNOW__NCCL_BEYOND;
        args.result = (void *)(d_words + MANY * WORDS);
        args.result += i;
        ranked_put(r, d_words, words, sizeof words);
        passed = winnow__nccl_launch(&winnow__nccl_merge, 1, &args,
                                     r->stream) == WINNOW_OK;
    }
    winnow__nccl_late told;
    ranked_get(r, got, d_words + MANY * WORDS, sizeof got);
    ranked_get(r, &told, late, sizeof told);
    memset(&ones, 0xff, sizeof ones);
    passed = passed && memcmp(&got[0], &merged, sizeof merged) == 0 &&
             memcmp(&got[1], &ones, sizeof ones) == 0 &&
             told.fault == WINNOW__NCCL_BEYOND && told.fault_rank == MANY - 5;
    ranked_free(r, late);
    ranked_free(r, d_words);
    return passed || report_fail(r->report, "sum %g and not %g, rank %llu",
                                 got[0].sum.float64, merged.sum.float64,
                                 (unsigned long long)told.fault_rank);
}

Test(nccl, many_gpu) {
    ranked all;
    MUST(open_ranks(&all, 1, report));
    MUST(ranked_run(&all, share_among_many, NULL, report));
    MUST(ranked_run(&all, reduce_among_many, NULL, report));
    ranked_close(&all);
}

/* ------------------------------------------------------------------ failures */

static bool expect(ranked_rank *r, winnow_status got, winnow_status wanted,
                   const char *text) {
    return (got == wanted && strstr(winnow_last_error(), text) != NULL) ||
           report_fail(r->report, "rank %d: %s, \"%s\"", r->rank,
                       winnow_status_name(got), winnow_last_error());
}

/* Ranks whose options differ. */
static bool open_differently(ranked_rank *r) {
    const winnow_nccl_options options = in_pieces((uint64_t)r->rank + 1);
    winnow_nccl *nccl = NULL;
    const winnow_status status = winnow_nccl_create(&nccl, r->comm, &options);
    return expect(r, status, WINNOW_ERR_ARGUMENT,
                  "piece_bytes is 1 on rank 0 and 2 on rank 1");
}

/* The last rank has wrong ones. */
static bool open_wrongly(ranked_rank *r) {
    const bool mine = r->rank == r->all->ranks - 1;
    const winnow_nccl_options options = in_pieces(mine ? 1u << 30 : 0);
    winnow_nccl *nccl = NULL;
    const winnow_status status = winnow_nccl_create(&nccl, r->comm, &options);
    return expect(r, status, WINNOW_ERR_ARGUMENT,
                  mine ? "piece_bytes is 1073741824" : "rank 1 has");
}

Test(nccl, options_gpu) {
    ranked all;
    MUST(open_ranks(&all, 2, report));
    MUST(ranked_run(&all, open_differently, NULL, report));
    MUST(ranked_run(&all, open_wrongly, NULL, report));
    ranked_close(&all);
}

/* Ranks that do not reach each other: on hosts of their own, or as their devices
 * say. */
static bool open_far_peers(ranked_rank *r) {
    const winnow_nccl_options options = peer_options();
    winnow_nccl *nccl = NULL;
    const winnow_status status = winnow_nccl_create(&nccl, r->comm, &options);
    return expect(r, status, WINNOW_ERR_UNSUPPORTED, "");
}

/* Memory for peers, where there is no use for it; outputs that are elsewhere. */
static bool check_memory(ranked_rank *r) {
    const winnow_launch launch = {.size = sizeof launch, .stream = r->stream};
    const winnow_nccl_options options = peer_options();
    uint64_t *const d_memory = ranked_alloc(r, 64);
    const winnow_move move = {
        .d_in = d_memory, .d_out = d_memory + 4, .element_bytes = 8};
    const uint64_t offsets[] = {0, 0, 0};
    void *memory = NULL;
    bool passed = expect(r, winnow_nccl_alloc(r->nccl, 8, &memory),
                         WINNOW_ERR_UNSUPPORTED, "WINNOW_NCCL_PEER");
    winnow_nccl_destroy(r->nccl);
    r->nccl = NULL;
    passed =
        passed && winnow_nccl_create(&r->nccl, r->comm, &options) == WINNOW_OK;
    ranked_put(r, d_memory, offsets, sizeof offsets);
    passed =
        passed &&
        expect(r, winnow_nccl_alloc(r->nccl, 8, r->rank ? NULL : &memory),
               WINNOW_ERR_ARGUMENT, r->rank ? "NULL" : "rank 1 has") &&
        winnow_nccl_alloc(r->nccl, SIZE_MAX, &memory) == WINNOW_ERR_MEMORY &&
        expect(
            r,
            winnow_nccl_exchange(r->nccl, d_memory, &move, 1, 1, NULL, &launch),
            WINNOW_ERR_ARGUMENT, "winnow_nccl_alloc");
    ranked_wait(r);
    passed = passed && winnow_nccl_async_error(r->nccl) == WINNOW_ERR_ARGUMENT;
    ranked_free(r, d_memory);
    return passed ||
           report_fail(r->report, "rank %d: %s", r->rank, winnow_last_error());
}

/* Nobody stores to what is not aligned, not even that there is an error. */
static bool check_unaligned(ranked_rank *r) {
    const winnow_launch launch = {.size = sizeof launch, .stream = r->stream};
    unsigned char got[24], untouched[24], *const d_memory = ranked_alloc(r, 64);
    const winnow_move move = {.element_bytes = 8};
    memset(untouched, 0x5a, sizeof untouched);
    ranked_put(r, d_memory + 40, untouched, sizeof untouched);
    bool passed =
        expect(r,
               winnow_nccl_exchange(
                   r->nccl, (const uint64_t *)(void *)d_memory, &move, 1, 0,
                   (uint64_t *)(void *)(d_memory + 44), &launch),
               WINNOW_ERR_ARGUMENT, "not 8-byte aligned") &&
        expect(r,
               winnow_nccl_balance(
                   r->nccl, (const uint64_t *)(void *)(d_memory + 12), &move, 1,
                   0, (uint64_t *)(void *)d_memory, &launch),
               WINNOW_ERR_ARGUMENT, "d_count is NULL, or not 8-byte aligned");
    ranked_get(r, got, d_memory + 40, sizeof got);
    passed = passed && (memcmp(got, untouched, sizeof got) == 0 ||
                        report_fail(r->report, "offsets are written"));
    ranked_free(r, d_memory);
    return passed;
}

Test(nccl, unaligned_gpu) {
    run_both_ways(1, check_unaligned, NULL);
}

Test(nccl, memory_gpu) {
    ranked all;
    MUST(open_ranks(&all, 2, report));
    nccl_hosts = true;
    MUST(ranked_run(&all, open_far_peers, NULL, report));
    nccl_hosts = false;
    simt_settings.peers = false;
    MUST(ranked_run(&all, open_far_peers, NULL, report));
    simt_settings.peers = true;
    MUST(ranked_run_open(&all, NULL, check_memory, NULL, report));
    ranked_close(&all);
}

/* ------------------------------------------------------------------- details */

/* At once, or later: an argument's error, with this text. */
__attribute__((format(printf, 3, 4))) static bool
says(ranked_rank *r, winnow_status status, const char *format, ...) {
    char text[160];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (r->nccl->way == WINNOW_NCCL_PEER && status == WINNOW_OK) {
        ranked_wait(r);
        status = winnow_nccl_async_error(r->nccl);
    }
    return expect(r, status, WINNOW_ERR_ARGUMENT, text);
}

/* Nothing is sent, by columns of which those of one rank differ. */
static bool say_columns(ranked_rank *r, int odd) {
    enum {
        MOST = 6
    };
    const winnow_launch launch = {.size = sizeof launch, .stream = r->stream};
    const bool is_odd = r->rank == odd;
    const int other = odd == 0 ? 1 : odd;
    uint64_t offsets[8] = {0}, *const d_offsets = ranked_alloc(r, 64);
    winnow_move moves[MOST];
    ranked_put(r, d_offsets, offsets, sizeof offsets);
    for (unsigned c = 0; c < MOST; c++)
        moves[c] = (winnow_move){.element_bytes = 4096 - c};
#define EXCHANGE(NUMBER)                                                       \
    winnow_nccl_exchange(r->nccl, d_offsets, moves, NUMBER, 0, NULL, &launch)
    bool passed = says(r, EXCHANGE(is_odd ? 2 : 6),
                       "move_count is %d on rank 0 and %d on rank %d",
                       odd == 0 ? 2 : 6, odd == 0 ? 6 : 2, other);
    moves[3].element_bytes = is_odd ? 1 : 4096;
    passed = passed &&
             says(r, EXCHANGE(4),
                  "moves[3].element_bytes is %d on rank 0 and %d on rank %d",
                  odd == 0 ? 1 : 4096, odd == 0 ? 4096 : 1, other) &&
             says(r, EXCHANGE(6),
                  "element_bytes of moves on rank %d are not those on rank 0",
                  other) &&
             EXCHANGE(3) == WINNOW_OK;
#undef EXCHANGE
    ranked_wait(r);
    ranked_free(r, d_offsets);
    return passed;
}

static bool say_results(ranked_rank *r, int odd) {
    const winnow_launch launch = {.size = sizeof launch, .stream = r->stream};
    const bool is_odd = r->rank == odd;
    const int other = odd == 0 ? 1 : odd;
    const winnow_reduction nothing = {0};
    winnow_reduction *const d_result = ranked_alloc(r, sizeof *d_result);
    ranked_put(r, d_result, &nothing, sizeof nothing);
    bool passed = winnow_nccl_reduce(
                      r->nccl, is_odd ? WINNOW_INT8 : WINNOW_INT64, d_result,
                      NULL, WINNOW_REDUCE_SUM, d_result, &launch) == WINNOW_OK;
    ranked_wait(r);
    passed = passed && says(r, winnow_nccl_async_error(r->nccl),
                            "type is %s on rank 0 and %s on rank %d",
                            odd == 0 ? "int8" : "int64",
                            odd == 0 ? "int64" : "int8", other);
    passed = passed && winnow_nccl_reduce(r->nccl, WINNOW_INT8, d_result, NULL,
                                          is_odd ? WINNOW_REDUCE_SUM
                                                 : WINNOW_REDUCE_MINIMUM,
                                          d_result, &launch) == WINNOW_OK;
    ranked_wait(r);
    passed = passed &&
             says(r, winnow_nccl_async_error(r->nccl),
                  "wanted is 0x%x on rank 0 and 0x%x on rank %d",
                  odd == 0 ? WINNOW_REDUCE_SUM : WINNOW_REDUCE_MINIMUM,
                  odd == 0 ? WINNOW_REDUCE_MINIMUM : WINNOW_REDUCE_SUM, other);
    ranked_free(r, d_result);
    return passed;
}

/* Shares of 3, 2 and 2 elements: there is room for 1 on one rank, and on those
 * from rank `odd` on, each of which says so of itself. */
static bool say_short(ranked_rank *r, int odd) {
    const winnow_launch launch = {.size = sizeof launch, .stream = r->stream};
    const uint64_t count = r->rank == 0 ? 7 : 0;
    uint64_t *const d_numbers = ranked_alloc(r, 128);
    void *d_out = NULL;
    bool passed = true;
    if (r->nccl->way == WINNOW_NCCL_PEER)
        passed = winnow_nccl_alloc(r->nccl, 64, &d_out) == WINNOW_OK;
    else
        d_out = ranked_alloc(r, 64);
    const winnow_move move = {
        .d_in = d_numbers + 1, .d_out = d_out, .element_bytes = 8};
    ranked_put(r, d_numbers, &count, sizeof count);
    for (int several = 0; several < 2 && passed; several++) {
        const bool is_short = several ? r->rank >= odd : r->rank == odd;
        const int named = several && is_short ? r->rank : odd;
        passed =
            says(r,
                 winnow_nccl_balance(r->nccl, d_numbers, &move, 1,
                                     is_short ? 1 : 3, d_numbers + 15, &launch),
                 "capacity is 1 on rank %d, where %d elements need room", named,
                 named == 0 ? 3 : 2);
    }
    ranked_wait(r);
    if (r->nccl->way != WINNOW_NCCL_PEER)
        ranked_free(r, d_out);
    ranked_free(r, d_numbers);
    return passed;
}

static bool check_details(ranked_rank *r) {
    for (int odd = 0; odd < 3; odd++)
        if (!say_columns(r, odd) || !say_results(r, odd) || !say_short(r, odd))
            return false;
    return true;
}

Test(nccl, details_gpu) {
    run_both_ways(3, check_details, NULL);
}

/* Of two errors that nobody asked about the last one is told, whichever it is. */
static bool check_last(ranked_rank *r) {
    winnow_plan plan;
    const winnow_launch launch = {.size = sizeof launch, .stream = r->stream};
    winnow_launch planned = launch;
    const uint64_t count = 2;
    uint64_t *const d_numbers = ranked_alloc(r, 64);
    const winnow_move move = {.d_in = d_numbers, .element_bytes = 8};
    bool passed = true;
    char text[64];
    snprintf(text, sizeof text,
             "capacity is 0 on rank %d, where 2 elements need room", r->rank);
    planned.plan = &plan;
    ranked_put(r, d_numbers, &count, sizeof count);
    for (int i = 0; i < 3 && passed; i++) {
        /* Short twice, with an error between that is another. */
        passed =
            winnow_nccl_balance(r->nccl, d_numbers, &move, 1, 0, d_numbers + 2,
                                i == 1 ? &planned : &launch) ==
            (i == 1 ? WINNOW_ERR_UNSUPPORTED : WINNOW_OK);
        ranked_wait(r);
        if (i != 0 && passed)
            passed =
                expect(r, winnow_nccl_async_error(r->nccl),
                       i == 1 ? WINNOW_ERR_UNSUPPORTED : WINNOW_ERR_ARGUMENT,
                       i == 1 ? "WINNOW_ERR_UNSUPPORTED" : text);
    }
    ranked_free(r, d_numbers);
    return passed;
}

Test(nccl, last_gpu) {
    const winnow_nccl_options peers = by_peers();
    ranked all;
    MUST(open_ranks(&all, 2, report));
    MUST(ranked_run_open(&all, &peers, check_last, NULL, report));
    ranked_close(&all);
}

/* A call that waits for the host is refused while its stream captures, and the
 * capture goes on: a graph of what was enqueued around the call has its run. */
typedef struct captured {
    uint64_t *d_numbers; /* offsets, and two numbers that are copied */
    winnow_move move;
    bool balances;
} captured;

static winnow_status call_in_capture(ranked_rank *r, const void *argument,
                                     const winnow_launch *launch) {
    const captured *const c = argument;
    const size_t bytes = sizeof *c->d_numbers;
    cudaError_t error =
        cudaMemcpyAsync(c->d_numbers + 6, c->d_numbers + 4, bytes,
                        cudaMemcpyDeviceToDevice, r->stream);
    const winnow_status status =
        c->balances ? winnow_nccl_balance(r->nccl, c->d_numbers, &c->move, 1, 1,
                                          NULL, launch)
                    : winnow_nccl_exchange(r->nccl, c->d_numbers, &c->move, 1,
                                           1, NULL, launch);
    const bool refused = expect(r, status, WINNOW_ERR_UNSUPPORTED, "capturing");
    if (error == cudaSuccess)
        error = cudaMemcpyAsync(c->d_numbers + 7, c->d_numbers + 5, bytes,
                                cudaMemcpyDeviceToDevice, r->stream);
    return refused && error == cudaSuccess ? WINNOW_OK : WINNOW_ERR_CUDA;
}

static bool refuse_capture(ranked_rank *r) {
    const winnow_launch launch = {.size = sizeof launch, .stream = r->stream};
    const uint64_t numbers[8] = {0, 0, 0, 0, 11, 12, 0, 0};
    uint64_t *const d_numbers = ranked_alloc(r, sizeof numbers);
    bool passed = true;
    for (int balances = 0; balances < 2 && passed; balances++) {
        const captured c = {.d_numbers = d_numbers,
                            .move = {.d_in = d_numbers + 2,
                                     .d_out = d_numbers + 3,
                                     .element_bytes = 8},
                            .balances = balances != 0};
        uint64_t got[2];
        cudaGraphExec_t exec;
        ranked_put(r, d_numbers, numbers, sizeof numbers);
        passed = ranked_capture(r, call_in_capture, &c, &exec) == WINNOW_OK;
        if (!passed)
            break;
        ranked_replay(r, exec);
        ranked_get(r, got, d_numbers + 6, sizeof got);
        ranked_graph_free(exec);
        passed =
            (got[0] == 11 && got[1] == 12) ||
            report_fail(r->report, "rank %d: the graph lacks a copy", r->rank);
        /* The communicator, too, goes on. */
        passed =
            passed && expect(r,
                             winnow_nccl_exchange(r->nccl, d_numbers, &c.move,
                                                  1, 1, NULL, &launch),
                             WINNOW_OK, "");
    }
    ranked_wait(r);
    ranked_free(r, d_numbers);
    return passed;
}

Test(nccl, refused_capture_gpu) {
    ranked all;
    MUST(open_ranks(&all, 2, report));
    MUST(ranked_run_open(&all, NULL, refuse_capture, NULL, report));
    ranked_close(&all);
}

/* A communicator that NCCL has given up, in a call that waits and in one that
 * only asks: what is returned is its error, and no call waits for ever. */
static bool lose_communicator(ranked_rank *r) {
    const winnow_nccl_way way = *(const winnow_nccl_way *)r->argument;
    const winnow_nccl_options options = {.size = sizeof options, .way = way};
    const char *const text = "remote process exited or there was a network "
                             "error: the double's last words";
    const winnow_launch launch = {.size = sizeof launch, .stream = r->stream};
    uint64_t *const d_numbers = ranked_alloc(r, 4 * sizeof *d_numbers);
    const uint64_t numbers[4] = {0, 0, 0, 0};
    const winnow_move move = {
        .d_in = d_numbers + 2, .d_out = d_numbers + 3, .element_bytes = 8};
    winnow_nccl *nccl = NULL;
    ranked_put(r, d_numbers, numbers, sizeof numbers);
    nccl_break(r->comm, ncclRemoteError);
    bool passed =
        expect(r, winnow_nccl_async_error(r->nccl), WINNOW_ERR_COMMUNICATION,
               text) &&
        (way == WINNOW_NCCL_PEER ||
         expect(r,
                winnow_nccl_exchange(r->nccl, d_numbers, &move, 1, 1, NULL,
                                     &launch),
                WINNOW_ERR_COMMUNICATION, text)) &&
        expect(r, winnow_nccl_place(r->nccl, d_numbers, NULL, NULL, &launch),
               way == WINNOW_NCCL_PEER ? WINNOW_OK : WINNOW_ERR_COMMUNICATION,
               "");
    /* What follows frees memory: the peers have to be done with it. */
    ranked_wait(r);
    passed = passed &&
             expect(r, winnow_nccl_create(&nccl, r->comm, &options),
                    WINNOW_ERR_COMMUNICATION, text) &&
             nccl == NULL;
    winnow_nccl_destroy(r->nccl); /* does not wait either */
    r->nccl = NULL;
    nccl_break(r->comm, ncclSuccess);
    ranked_free(r, d_numbers);
    return passed;
}

Test(nccl, lost_communicator_gpu) {
    for (winnow_nccl_way way = WINNOW_NCCL_EXACT; way <= WINNOW_NCCL_PEER;
         way++) {
        const winnow_nccl_options options = {.size = sizeof options,
                                             .way = way};
        ranked all;
        nccl_processes = true;
        MUST(open_ranks(&all, 2, report));
        MUST(ranked_run_open(&all, &options, lose_communicator, &way, report));
        cr_assert_eq(simt_open_handles(), 0u);
        ranked_close(&all);
    }
}

/* Calls of CUDA's and NCCL's that fail once, on rank 1 alone. */
typedef struct alone {
    const char *function;
    unsigned first; /* call of it whose failure the other ranks can hear of */
    unsigned calls; /* of it, to the last */
    int unheard; /* the call without which this rank knows of no result; or -1 */
    unsigned after; /* this time */
} alone;

/* All return an error, or rank 1 alone. */
static bool expect_alone(ranked_rank *r, winnow_status status) {
    const alone *const a = r->argument;
    const bool unheard = r->rank != 1 && (int)a->after == a->unheard;
    return (status == WINNOW_OK) == unheard ||
           report_fail(r->report, "rank %d: %s after %u calls of %s: \"%s\"",
                       r->rank, winnow_status_name(status), a->after,
                       a->function, winnow_last_error());
}

/* Each rank gets the other's word, in memory that it has or just got. */
static bool swap_words(ranked_rank *r, void *d_out) {
    const winnow_launch launch = {.size = sizeof launch, .stream = r->stream};
    const uint64_t mine = (uint64_t)r->rank, theirs = 1 - mine;
    const uint64_t numbers[] = {0, mine, 1, 70 + mine};
    uint64_t got = 0, *const d_numbers = ranked_alloc(r, sizeof numbers);
    const winnow_move move = {
        .d_in = d_numbers + 3, .d_out = d_out, .element_bytes = 8};
    ranked_put(r, d_numbers, numbers, sizeof numbers);
    bool passed = expect(
        r, winnow_nccl_exchange(r->nccl, d_numbers, &move, 1, 1, NULL, &launch),
        WINNOW_OK, "");
    ranked_wait(r);
    passed =
        passed && expect(r, winnow_nccl_async_error(r->nccl), WINNOW_OK, "");
    if (passed)
        ranked_get(r, &got, d_out, sizeof got);
    ranked_free(r, d_numbers);
    return passed && (got == 70 + theirs ||
                      report_fail(r->report, "rank %d: %llu came", r->rank,
                                  (unsigned long long)got));
}

static bool alloc_alone(ranked_rank *r) {
    const alone *const a = r->argument;
    void *memory = NULL, *next = NULL;
    if (r->rank == 1)
        simt_fail_on(1, a->function, 2, a->after);
    const bool passed =
        expect_alone(r, winnow_nccl_alloc(r->nccl, 100, &memory));
    /* The other rank counts on these calls, whatever this one has found. */
    const bool allocated =
        expect(r, winnow_nccl_alloc(r->nccl, 8, &next), WINNOW_OK, "");
    return swap_words(r, next) && passed && allocated &&
           swap_words(r, memory != NULL ? memory : next);
}

/* A rank that is alone with its winnow_nccl breaks the communicator: else it
 * would wait for the other before it frees anything. */
static bool create_alone(ranked_rank *r) {
    const alone *const a = r->argument;
    const winnow_nccl_options options = peer_options();
    if (r->rank == 1)
        simt_fail_on(1, a->function, 2, a->after);
    const winnow_status status =
        winnow_nccl_create(&r->nccl, r->comm, &options);
    if (r->nccl != NULL)
        nccl_break(r->comm, ncclRemoteError);
    winnow_nccl_destroy(r->nccl);
    nccl_break(r->comm, ncclSuccess);
    return expect_alone(r, status);
}

static void fail_alone(const alone *calls, size_t number,
                       bool (*body)(ranked_rank *), bool opens) {
    const winnow_nccl_options options = by_peers();
    for (size_t i = 0; i < number; i++) {
        alone a = calls[i];
        for (a.after = a.first; a.after < a.calls; a.after++) {
            ranked all;
            MUST(open_ranks(&all, 2, report));
            MUST(opens ? ranked_run_open(&all, &options, body, &a, report)
                       : ranked_run(&all, body, &a, report));
            cr_assert_eq(simt_open_handles(), 0u, "%s", a.function);
            ranked_close(&all);
        }
    }
}

Test(nccl, alloc_alone_gpu) {
    static const alone here[] = {
        {.function = "cudaMalloc", .calls = 1, .unheard = -1},
        {.function = "ncclAllGather", .calls = 2, .unheard = -1},
        {.function = "cudaMemcpyAsync", .calls = 5, .unheard = 4}};
    static const alone others[] = {
        {.function = "cudaMalloc", .calls = 1, .unheard = -1},
        {.function = "cudaIpcGetMemHandle", .calls = 1, .unheard = -1},
        {.function = "ncclAllGather", .calls = 2, .unheard = -1},
        {.function = "cudaIpcOpenMemHandle", .calls = 1, .unheard = -1},
        {.function = "cudaMemcpyAsync", .calls = 5, .unheard = 4},
        {.function = "cudaStreamQuery", .calls = 1, .unheard = -1}};
    fail_alone(here, sizeof here / sizeof here[0], alloc_alone, true);
    nccl_processes = true;
    fail_alone(others, sizeof others / sizeof others[0], alloc_alone, true);
}

Test(nccl, create_alone_gpu) {
    static const alone calls[] = {
        {.function = "cudaMallocHost", .first = 1, .calls = 2, .unheard = -1},
        {.function = "cudaMalloc", .first = 1, .calls = 3, .unheard = -1},
        {.function = "cudaMemset", .calls = 1, .unheard = -1},
        {.function = "cudaDeviceGetAttribute", .calls = 2, .unheard = -1},
        {.function = "cudaMemsetAsync", .first = 1, .calls = 2, .unheard = -1},
        {.function = "ncclAllGather", .calls = 3, .unheard = -1},
        {.function = "cudaMemcpyAsync", .calls = 7, .unheard = 6}};
    static const alone access = {
        .function = "cudaDeviceEnablePeerAccess", .calls = 1, .unheard = -1};
    fail_alone(&access, 1, create_alone, false);
    nccl_processes = true;
    fail_alone(calls, sizeof calls / sizeof calls[0], create_alone, false);
}

/* Rank 1 never calls: it breaks rank 0's communicator when that waits. */
static bool wait_in_vain(ranked_rank *r) {
    const winnow_launch launch = {.size = sizeof launch, .stream = r->stream};
    const uint64_t numbers[3] = {0, 0, 0};
    uint64_t *const d_numbers = ranked_alloc(r, 4 * sizeof *d_numbers);
    const winnow_move move = {.d_out = d_numbers + 3, .element_bytes = 8};
    /* Both have made their calls of winnow_nccl_create(). */
    const unsigned before = simt_calls("ncclAllReduce");
    static _Atomic int here;
    bool passed = true;
    ranked_put(r, d_numbers, numbers, sizeof numbers);
    for (here++; here < 2;)
        (void)cudaStreamQuery(r->stream);
    if (r->rank == 0)
        passed = expect(r,
                        winnow_nccl_exchange(r->nccl, d_numbers, &move, 1, 1,
                                             NULL, &launch),
                        WINNOW_ERR_COMMUNICATION, ": remote process");
    while (r->rank == 1 && simt_calls("ncclAllReduce") == before)
        (void)cudaStreamQuery(r->stream);
    if (r->rank == 1)
        nccl_break(r->all->comms[0], ncclRemoteError);
    ranked_wait(r);
    ranked_free(r, d_numbers);
    return passed;
}

Test(nccl, broken_while_waiting_gpu) {
    ranked all;
    MUST(open_ranks(&all, 2, report));
    MUST(ranked_run_open(&all, NULL, wait_in_vain, NULL, report));
    ranked_close(&all);
}

/* Each call of NCCL's fails once, on the only rank: what is returned says which,
 * and the next call works. */
static bool fail_once(ranked_rank *r) {
    const char *const name = r->argument;
    const winnow_launch launch = {.size = sizeof launch, .stream = r->stream};
    uint64_t *const d_numbers = ranked_alloc(r, 4 * sizeof *d_numbers);
    const uint64_t numbers[4] = {0, 2, 0, 0};
    unsigned char *const d_data = ranked_alloc(r, 16);
    const winnow_move move = {
        .d_in = d_data, .d_out = d_data + 8, .element_bytes = 1};
    bool passed = true;
    ranked_put(r, d_numbers, numbers, sizeof numbers);
    for (unsigned after = 0; passed && after < 3; after++) {
        winnow_status status = WINNOW_OK;
        const unsigned before = simt_calls(name);
        simt_fail(name, ncclSystemError, after);
        for (int i = 0; i < 4 && status == WINNOW_OK; i++) {
            status = winnow_nccl_exchange(r->nccl, d_numbers, &move, 1, 4,
                                          d_numbers + 2, &launch);
            if (status == WINNOW_OK)
                status = winnow_nccl_place(r->nccl, d_numbers + 1, NULL, NULL,
                                           &launch);
        }
        passed = simt_calls(name) > before + after &&
                 expect(r, status, WINNOW_ERR_COMMUNICATION,
                        "unhandled system error: the double's last words");
        simt_fail(name, 0, 0);
        ranked_wait(r);
        if (passed)
            passed = winnow_nccl_exchange(r->nccl, d_numbers, &move, 1, 4, NULL,
                                          &launch) == WINNOW_OK;
        ranked_wait(r);
    }
    ranked_free(r, d_numbers);
    ranked_free(r, d_data);
    return passed ||
           report_fail(r->report, "%s: %s", name, winnow_last_error());
}

Test(nccl, failures_gpu) {
    static const char *const names[] = {"ncclGroupStart", "ncclGroupEnd",
                                        "ncclSend",       "ncclRecv",
                                        "ncclAllReduce",  "ncclAllGather"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        ranked all;
        MUST(open_ranks(&all, 1, report));
        MUST(ranked_run_open(&all, NULL, fail_once, names[i], report));
        ranked_close(&all);
    }
}
