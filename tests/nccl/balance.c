/*
 * Equal shares: what each rank has to have of the items of all.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ranked.h"

#include <stdlib.h>
#include <string.h>

enum {
    COUNT, /* of the numbers on the device */
    SHARE,
    NUMBERS = 4 /* and room behind them */
};

static const unsigned char UNTOUCHED = 0x5a;

typedef struct balance {
    const ranked_exchange *e;
    uint64_t counts[RANKED_MOST];
    uint64_t begin, share;   /* of this rank */
    uint64_t capacity, room; /* room: of what d_out points to */
    unsigned columns;
    winnow_move moves[RANKED_COLUMNS];
    void *in[RANKED_COLUMNS];
    unsigned char *memory; /* of all outputs */
    size_t bytes;          /* of that */
    uint64_t *d_numbers;
    uint64_t *d_count, *d_share; /* what the call gets */
} balance;

static size_t bytes_of(unsigned column) {
    return column == 16 ? 40 : column + 1;
}

/* Byte b of item i of a rank. */
static unsigned char byte_of(const ranked_exchange *e, int rank,
                             unsigned column, uint64_t i, size_t b) {
    const uint64_t stream = e->seed ^ (uint64_t)rank << 8 ^ column;
    return (unsigned char)(ranked_random(ranked_random(stream, i), b / 8) >>
                           8 * (b % 8));
}

/* Of a part of its items alone. Where a share begins is written out here: the
 * library computes it in another way. */
static void set_counts(const ranked_rank *r, balance *b, uint64_t part) {
    const int ranks = r->all->ranks;
    uint64_t total = 0;
    for (int q = 0; q < ranks; q++) {
        b->counts[q] = b->e->scale == 0
                           ? 2 * (q == ranks / 2)
                           : ranked_count(b->e, ranks, q, ranks / 2);
        b->counts[q] = b->counts[q] * part / 4;
        total += b->counts[q];
    }
    b->begin = b->share = 0;
    for (int q = 0; q <= r->rank; q++) {
        b->begin += b->share;
        b->share = total / (uint64_t)ranks +
                   ((uint64_t)q < total % (uint64_t)ranks ? 1 : 0);
    }
}

static void put_numbers(const ranked_rank *r, const balance *b) {
    uint64_t numbers[NUMBERS];
    memset(numbers, UNTOUCHED, sizeof numbers);
    numbers[COUNT] = b->counts[r->rank];
    ranked_put(r, b->d_numbers, numbers, sizeof numbers);
}

static void clear_outputs(const ranked_rank *r, const balance *b) {
    unsigned char *const host = malloc(b->bytes);
    memset(host, UNTOUCHED, b->bytes);
    ranked_put(r, b->memory, host, b->bytes);
    free(host);
}

static void fill_input(const ranked_rank *r, balance *b, unsigned c) {
    const size_t each = bytes_of(c), at = (b->e->seed + c) % 19;
    const uint64_t n = b->counts[r->rank];
    unsigned char *const host = malloc(n * each + 1);
    for (uint64_t i = 0; i < n * each; i++)
        host[i] = byte_of(b->e, r->rank, c, i / each, i % each);
    b->in[c] = ranked_alloc(r, n * each + at);
    b->moves[c].d_in = (unsigned char *)b->in[c] + at;
    ranked_put(r, (unsigned char *)b->in[c] + at, host, n * each);
    free(host);
}

static bool open_balance(const ranked_rank *r, balance *b) {
    size_t at = 0, starts[RANKED_COLUMNS];
    *b = (balance){.e = r->argument};
    b->columns = b->e->columns;
    set_counts(r, b, 4);
    b->capacity = b->share + b->e->spare;
    b->room = b->capacity + RANKED_MARGIN;
    for (unsigned c = 0; c < b->columns; c++) {
        b->moves[c].element_bytes = bytes_of(c);
        fill_input(r, b, c);
        starts[c] = at + (b->e->seed * 3 + c + (uint64_t)r->rank) % 19;
        at = starts[c] + b->room * bytes_of(c);
    }
    b->bytes = at;
    void *memory = NULL;
    if (b->e->way == WINNOW_NCCL_EXACT)
        memory = ranked_alloc(r, at);
    else if (winnow_nccl_alloc(r->nccl, at, &memory) != WINNOW_OK)
        return report_fail(r->report, "rank %d: alloc: %s", r->rank,
                           winnow_last_error());
    b->memory = memory;
    for (unsigned c = 0; c < b->columns; c++)
        b->moves[c].d_out = b->memory + starts[c];
    b->d_numbers = ranked_alloc(r, NUMBERS * sizeof *b->d_numbers);
    b->d_count = &b->d_numbers[COUNT];
    b->d_share = &b->d_numbers[b->e->seed % 2 ? COUNT : SHARE];
    put_numbers(r, b);
    clear_outputs(r, b);
    return true;
}

static void close_balance(const ranked_rank *r, const balance *b) {
    for (unsigned c = 0; c < b->e->columns; c++)
        ranked_free(r, b->in[c]);
    if (b->e->way == WINNOW_NCCL_EXACT)
        ranked_free(r, b->memory);
    ranked_free(r, b->d_numbers);
}

/* ------------------------------------------------------------------ checks */

/* The first `share` elements of a column are those of the share; what is behind
 * them is as it was. */
static bool check_column(const ranked_rank *r, const balance *b, unsigned c,
                         uint64_t share) {
    const size_t each = bytes_of(c), bytes = b->room * each;
    unsigned char *const host = malloc(bytes);
    uint64_t first = 0; /* of the items of `owner` */
    int owner = 0;
    bool passed = true;
    ranked_get(r, host, b->moves[c].d_out, bytes);
    for (uint64_t k = 0; k < b->room && passed; k++) {
        while (k < share && b->begin + k >= first + b->counts[owner])
            first += b->counts[owner++];
        for (size_t i = 0; i < each && passed; i++)
            if (host[k * each + i] !=
                (k < share ? byte_of(b->e, owner, c, b->begin + k - first, i)
                           : UNTOUCHED))
                passed = report_fail(
                    r->report,
                    "rank %d, column %u: byte %zu of element %llu of a share "
                    "of %llu is wrong",
                    r->rank, c, i, (unsigned long long)k,
                    (unsigned long long)share);
    }
    free(host);
    return passed;
}

static bool check_columns(const ranked_rank *r, const balance *b,
                          uint64_t share) {
    for (unsigned c = 0; c < b->e->columns; c++)
        if (!check_column(r, b, c, share))
            return false;
    return true;
}

static bool check_share(const ranked_rank *r, const uint64_t *d_share,
                        uint64_t wanted) {
    uint64_t got;
    ranked_get(r, &got, d_share, sizeof got);
    return got == wanted ||
           report_fail(r->report, "rank %d: a share of %llu, not %llu", r->rank,
                       (unsigned long long)got, (unsigned long long)wanted);
}

static bool expect(const ranked_rank *r, const balance *b, const char *what,
                   winnow_status got, winnow_status wanted) {
    if (got == wanted && (got == WINNOW_OK || winnow_last_error()[0] != '\0'))
        return true;
    return report_fail(r->report, "rank %d, wrong %d: %s: %s instead of %s: %s",
                       r->rank, (int)b->e->wrong, what, winnow_status_name(got),
                       winnow_status_name(wanted), winnow_last_error());
}

/* -------------------------------------------------------------------- runs */

static winnow_status call(ranked_rank *r, const void *argument,
                          const winnow_launch *launch) {
    const balance *const b = argument;
    return winnow_nccl_balance(r->nccl, b->d_count, b->moves, b->columns,
                               b->capacity, b->d_share, launch);
}

static bool run_right(ranked_rank *r, const balance *b) {
    const winnow_launch launch = {.size = sizeof launch, .stream = r->stream};
    put_numbers(r, b);
    const winnow_status status = call(r, b, &launch);
    ranked_wait(r);
    return expect(r, b, "balance", status, WINNOW_OK) &&
           expect(r, b, "later", winnow_nccl_async_error(r->nccl), WINNOW_OK) &&
           check_columns(r, b, b->share) &&
           check_share(r, b->d_share, b->share);
}

/* Does the host of the rank that is wrong see it? */
static bool is_seen(const ranked_exchange *e) {
    return e->wrong != RANKED_SHORT && e->wrong != RANKED_NULL_IN &&
           e->wrong != RANKED_OVERLAP && e->wrong != RANKED_OTHER_SIZE &&
           e->wrong != RANKED_FEWER;
}

static winnow_status do_wrong(const ranked_rank *r, balance *b,
                              winnow_launch *launch) {
    static winnow_plan plan;
    winnow_move *const last = &b->moves[b->columns - 1];
    switch (b->e->wrong) {
    case RANKED_SHORT:
        b->capacity--;
        break;
    case RANKED_DESCENDING:
        b->d_count = NULL;
        break;
    case RANKED_NULL_IN:
        last->d_in = NULL;
        break;
    case RANKED_NULL_OUT:
        last->d_out = NULL;
        break;
    case RANKED_OVERLAP:
        last->d_in = (unsigned char *)last->d_out + 1;
        break;
    case RANKED_OTHER_SIZE:
        last->element_bytes--;
        break;
    case RANKED_FEWER:
        b->columns--;
        break;
    case RANKED_BITS:
        last->type = WINNOW_BIT;
        return WINNOW_ERR_UNSUPPORTED;
    case RANKED_UNALIGNED:
        b->d_share = (uint64_t *)(void *)((unsigned char *)b->d_share + 4);
        break;
    case RANKED_OUTPUTS:
        last->d_out = (unsigned char *)last[-1].d_out + 1;
        break;
    case RANKED_FOREIGN:
        last->d_out = b->e->way == WINNOW_NCCL_EXACT ? r->elsewhere
                                                     : (void *)b->d_numbers;
        break;
    case RANKED_PLAIN:
        last->d_in = ranked_plain();
        break;
    case RANKED_ELSEWHERE:
        b->d_count = r->elsewhere;
        break;
    default:
        launch->plan = &plan;
        return WINNOW_ERR_UNSUPPORTED;
    }
    return WINNOW_ERR_ARGUMENT;
}

/* What the caller's number is when all is over. */
static uint64_t wrong_share(const ranked_rank *r, const balance *b) {
    uint64_t untouched;
    memset(&untouched, UNTOUCHED, sizeof untouched);
    if (b->e->wrong == RANKED_SHORT)
        return b->share;
    if (b->e->way == WINNOW_NCCL_EXACT)
        return untouched;
    return b->e->wrong == RANKED_UNALIGNED && r->rank == b->e->wrong_rank
               ? untouched
               : UINT64_MAX;
}

static bool run_wrong(ranked_rank *r, const balance *whole) {
    balance b = *whole, tried = *whole;
    winnow_launch launch = {.size = sizeof launch, .stream = r->stream}, other;
    const bool is_exact = b.e->way == WINNOW_NCCL_EXACT;
    const bool mine = r->rank == b.e->wrong_rank;
    other = launch;
    const winnow_status wanted = do_wrong(r, &tried, &other);
    b.d_share = &b.d_numbers[SHARE];
    tried.d_share = tried.d_share == whole->d_share
                        ? b.d_share
                        : (uint64_t *)(void *)((unsigned char *)b.d_share + 4);
    put_numbers(r, &b);
    const winnow_status status =
        mine ? call(r, &tried, &other) : call(r, &b, &launch);
    ranked_wait(r);
    return expect(r, &b, "balance", status,
                  is_exact || (mine && is_seen(b.e)) ? wanted : WINNOW_OK) &&
           expect(r, &b, "later", winnow_nccl_async_error(r->nccl),
                  is_exact ? WINNOW_OK : wanted) &&
           check_columns(r, &b, 0) &&
           check_share(r, b.d_share, wrong_share(r, &b));
}

/* After a wrong call the same one, done right, has to work. */
bool ranked_check_balance(ranked_rank *r) {
    balance b;
    if (!open_balance(r, &b))
        return false;
    const bool passed =
        (b.e->wrong_rank < 0 || run_wrong(r, &b)) && run_right(r, &b);
    close_balance(r, &b);
    return passed;
}

/* The counts that a graph reads are those of its run. */
bool ranked_check_balance_graph(ranked_rank *r) {
    balance b;
    cudaGraphExec_t exec;
    if (!open_balance(r, &b))
        return false;
    const bool is_exact = b.e->way == WINNOW_NCCL_EXACT;
    const winnow_status status = ranked_capture(r, call, &b, &exec);
    bool passed = expect(r, &b, "a capture", status,
                         is_exact ? WINNOW_ERR_UNSUPPORTED : WINNOW_OK);
    for (uint64_t run = 0; run < 3 && status == WINNOW_OK && passed; run++) {
        set_counts(r, &b, (uint64_t[]){4, 3, 0}[run]);
        put_numbers(r, &b);
        clear_outputs(r, &b);
        ranked_replay(r, exec);
        passed =
            check_columns(r, &b, b.share) && check_share(r, b.d_share, b.share);
    }
    set_counts(r, &b, 4);
    clear_outputs(r, &b);
    passed = passed && run_right(r, &b);
    if (status == WINNOW_OK)
        ranked_graph_free(exec);
    close_balance(r, &b);
    return passed;
}
