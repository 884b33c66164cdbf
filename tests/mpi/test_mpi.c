/*
 * libwinnow-mpi on the ranks that there are. Each rank knows what every rank
 * has, and works out alone what has to come to it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "must.h"

#ifdef TEST_ON_DEVICE
#include <cuda_runtime_api.h>
#endif
#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <unistd.h>

__extension__ typedef __int128 wide;

static uint64_t hash(uint64_t a, uint64_t b) {
    uint64_t x = (a + 1) * UINT64_C(0x9e3779b97f4a7c15) ^ (b + 7);

    x ^= x >> 31;
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    return x ^ x >> 29;
}

/* Arrays that are sent, and what works on them: on the CPU device, whose memory
 * this program reaches as well, or on the host. */
#ifdef TEST_ON_DEVICE
enum {
    DEVICE = 0
};

static void *array_alloc(size_t bytes) {
    void *memory = NULL;

    CHECK(cudaMalloc(&memory, bytes + 1) == cudaSuccess);
    memset(memory, 0x5a, bytes + 1);
    return memory;
}

static void array_free(void *memory) {
    CHECK(cudaFree(memory) == cudaSuccess);
}
#else
enum {
    DEVICE = WINNOW_DEVICE_HOST
};

static void *array_alloc(size_t bytes) {
    return must_alloc(bytes);
}

static void array_free(void *memory) {
    free(memory);
}
#endif

/* ---------------------------------------------------------------- columns */

enum {
    COLUMNS = 3,
    MARGIN = 8 /* elements of an output that nobody writes */
};

static const size_t sizes[COLUMNS] = {1, 4, 24};

struct columns {
    winnow_move moves[COLUMNS];
    unsigned char *in[COLUMNS], *out[COLUMNS];
};

/* An element of a column, from a number. */
static void set_element(unsigned char *columns, size_t bytes, uint64_t at,
                        uint64_t value) {
    for (size_t b = 0; b < bytes; b++)
        columns[at * bytes + b] = (unsigned char)hash(value, b);
}

static bool has_element(const unsigned char *column, size_t bytes, uint64_t at,
                        uint64_t value) {
    for (size_t b = 0; b < bytes; b++)
        if (column[at * bytes + b] != (unsigned char)hash(value, b))
            return false;
    return true;
}

static struct columns open_columns(uint64_t n, uint64_t room) {
    struct columns columns = {0};

    for (unsigned c = 0; c < COLUMNS; c++) {
        columns.in[c] = array_alloc(n * sizes[c]);
        columns.out[c] = array_alloc((room + MARGIN) * sizes[c]);
        columns.moves[c] = (winnow_move){.d_in = columns.in[c],
                                         .d_out = columns.out[c],
                                         .element_bytes = sizes[c]};
    }
    return columns;
}

static void close_columns(struct columns *columns) {
    for (unsigned c = 0; c < COLUMNS; c++) {
        array_free(columns->in[c]);
        array_free(columns->out[c]);
    }
}

/* Nothing was written to an output from an element on. */
static void check_untouched(const struct columns *columns, uint64_t from,
                            uint64_t to) {
    for (unsigned c = 0; c < COLUMNS; c++)
        for (uint64_t i = from * sizes[c]; i < to * sizes[c]; i++)
            CHECK(columns->out[c][i] == 0x5a);
}

/* ------------------------------------------------------------------ place */

enum pattern {
    EVEN,
    EMPTY,
    FIRST_HAS_ALL,
    LAST_HAS_ALL,
    SOME,
    PATTERNS
};

static uint64_t count_of(enum pattern pattern, int r) {
    switch (pattern) {
    case EVEN:
        return 100;
    case FIRST_HAS_ALL:
        return r == 0 ? 1000 : 0;
    case LAST_HAS_ALL:
        return r == ranks - 1 ? 1001 : 0;
    case SOME:
        return r == 1 ? 0 : hash(3, (uint64_t)r) % 700;
    default:
        return 0;
    }
}

static uint64_t first_of(enum pattern pattern, int r) {
    uint64_t first = 0;

    for (int i = 0; i < r; i++)
        first += count_of(pattern, i);
    return first;
}

static void test_place(winnow_mpi *mpi) {
    for (enum pattern p = EVEN; p < PATTERNS; p++) {
        uint64_t first = 77, total = 77;

        CHECK(winnow_mpi_place(mpi, count_of(p, rank), &first, &total) ==
              WINNOW_OK);
        CHECK(first == first_of(p, rank) && total == first_of(p, ranks));
        CHECK(winnow_mpi_place(mpi, 1, NULL, NULL) == WINNOW_OK);
    }
}

/* ---------------------------------------------------------------- balance */

static uint64_t share_of(uint64_t total, int r) {
    return total / (uint64_t)ranks +
           ((uint64_t)r < total % (uint64_t)ranks ? 1 : 0);
}

static void run_balance(winnow_mpi *mpi, enum pattern pattern) {
    const uint64_t n = count_of(pattern, rank), first = first_of(pattern, rank);
    const uint64_t total = first_of(pattern, ranks);
    const uint64_t share = share_of(total, rank);
    struct columns columns = open_columns(n, share);
    uint64_t begin = 0, got = 77;

    for (int r = 0; r < rank; r++)
        begin += share_of(total, r);
    for (unsigned c = 0; c < COLUMNS; c++)
        for (uint64_t i = 0; i < n; i++)
            set_element(columns.in[c], sizes[c], i, first + i);
    CHECK(winnow_mpi_balance(mpi, n, columns.moves, COLUMNS, share, &got) ==
          WINNOW_OK);
    CHECK(got == share);
    for (unsigned c = 0; c < COLUMNS; c++)
        for (uint64_t i = 0; i < share; i++)
            CHECK(has_element(columns.out[c], sizes[c], i, begin + i));
    check_untouched(&columns, share, share + MARGIN);
    close_columns(&columns);
}

/* --------------------------------------------------------------- exchange */

enum spread {
    SPREAD,
    TO_ONE,
    TO_NONE,
    TO_SELF,
    SPREADS
};

/* Elements that go from one rank to another. */
static uint64_t sent(enum spread spread, int from, int to) {
    switch (spread) {
    case SPREAD:
        return from == 1 ? 0 : hash((uint64_t)from, (uint64_t)to) % 90;
    case TO_ONE:
        return to == ranks / 2 ? 60 : 0;
    case TO_SELF:
        return from == to ? 33 : 0;
    default:
        return 0;
    }
}

static uint64_t value_of(int from, int to, uint64_t i) {
    return hash((uint64_t)from * 64 + (uint64_t)to, i);
}

static uint64_t come(enum spread spread) {
    uint64_t number = 0;

    for (int r = 0; r < ranks; r++)
        number += sent(spread, r, rank);
    return number;
}

/* Its columns, with what this rank sends. */
static struct columns open_exchange(enum spread spread, uint64_t *offsets) {
    struct columns columns;

    offsets[0] = 0;
    for (int r = 0; r < ranks; r++)
        offsets[r + 1] = offsets[r] + sent(spread, rank, r);
    columns = open_columns(offsets[ranks], come(spread));
    for (unsigned c = 0; c < COLUMNS; c++)
        for (int r = 0; r < ranks; r++)
            for (uint64_t i = 0; i < sent(spread, rank, r); i++)
                set_element(columns.in[c], sizes[c], offsets[r] + i,
                            value_of(rank, r, i));
    return columns;
}

static void check_exchange(const struct columns *columns, enum spread spread,
                           const uint64_t *from_offsets) {
    uint64_t at = 0;

    for (int r = 0; r < ranks; r++) {
        CHECK(from_offsets[r] == at);
        for (unsigned c = 0; c < COLUMNS; c++)
            for (uint64_t i = 0; i < sent(spread, r, rank); i++)
                CHECK(has_element(columns->out[c], sizes[c], at + i,
                                  value_of(r, rank, i)));
        at += sent(spread, r, rank);
    }
    CHECK(from_offsets[ranks] == at);
    check_untouched(columns, at, at + MARGIN);
}

static void run_exchange(winnow_mpi *mpi, enum spread spread) {
    uint64_t *const offsets = must_alloc(2 * ((size_t)ranks + 1) * 8);
    uint64_t *const from = offsets + ranks + 1, got = 77;
    struct columns columns = open_exchange(spread, offsets);

    CHECK(winnow_mpi_exchange(mpi, offsets, columns.moves, COLUMNS,
                              come(spread), from, &got) == WINNOW_OK);
    CHECK(got == come(spread));
    check_exchange(&columns, spread, from);
    close_columns(&columns);
    free(offsets);
}

/* ---------------------------------------------------------------- migrate */

/* Where items of a rank go. */
enum route {
    TO_ANY,     /* to all ranks, or nowhere; most stay */
    TO_NEXT,    /* a few, to the ranks beside this one */
    ALL_TO_ONE, /* everything, to one rank */
    ALL_LEAVE,  /* rank 0 keeps nothing, and nothing comes to it */
    NOBODY,     /* all stay */
    FROM_FEW,   /* ranks without an item beside others */
    ROUTES
};

static uint64_t items_of(enum route route, int r) {
    switch (route) {
    case FROM_FEW:
        return r % 3 == 0 ? 500 : 0;
    case ALL_TO_ONE:
        return 60 + (uint64_t)r;
    default:
        return 300 + hash(5, (uint64_t)r) % 400;
    }
}

static int destination(enum route route, int r, uint64_t i) {
    const uint64_t h = hash((uint64_t)r + 1000, i);

    switch (route) {
    case TO_ANY:
    case FROM_FEW:
        return h % 10 == 0  ? -1
               : h % 10 < 4 ? (int)(h / 16 % (uint64_t)ranks)
                            : r;
    case TO_NEXT:
        return h % 20 == 0   ? (r + 1) % ranks
               : h % 20 == 1 ? (r + ranks - 1) % ranks
                             : r;
    case ALL_TO_ONE:
        return ranks / 2;
    case ALL_LEAVE:
        return r == 0 ? (ranks > 1 ? ranks - 1 : -1) : r;
    default:
        return r;
    }
}

/* The values of items that a rank has afterwards, by the words of the manual:
 * arrivals fill what is free, and then the last that stay. */
static uint64_t *expected(enum route route, uint64_t *n_p) {
    const uint64_t n = items_of(route, rank);
    uint64_t come = 0, kept = 0, most, at = 0, back;

    for (int r = 0; r < ranks; r++)
        for (uint64_t i = 0; i < items_of(route, r); i++)
            come += r != rank && destination(route, r, i) == rank;
    for (uint64_t i = 0; i < n; i++)
        kept += destination(route, rank, i) == rank;
    most = kept + come;
    uint64_t *const out = must_alloc((n + come + 1) * sizeof *out);
    uint64_t *const arrived = must_alloc((come + n + 1) * sizeof *arrived);
    bool *const is_free = must_alloc(n + come + 1);

    for (int r = 0; r < ranks; r++)
        for (uint64_t i = 0; i < items_of(route, r); i++)
            if (r != rank && destination(route, r, i) == rank)
                arrived[at++] = value_of(r, 0, i);
    for (uint64_t i = 0; i < n + come; i++) {
        is_free[i] = i >= n || destination(route, rank, i) != rank;
        out[i] = value_of(rank, 0, i);
    }
    /* Behind the arrivals: those that stay, from place `most` on. */
    for (back = most; back < n; back++)
        if (!is_free[back])
            arrived[at++] = out[back];
    at = 0;
    for (uint64_t i = 0; i < most; i++)
        if (is_free[i])
            out[i] = arrived[at++];
    *n_p = most;
    free(arrived);
    free(is_free);
    return out;
}

struct migration {
    struct columns columns; /* out: the items, in place */
    int32_t *ranks;
    uint64_t n;
};

static struct migration open_migration(enum route route, uint64_t room) {
    struct migration m = {.n = items_of(route, rank)};

    m.columns = open_columns(0, room);
    m.ranks = array_alloc(m.n * sizeof(*m.ranks));
    for (unsigned c = 0; c < COLUMNS; c++) {
        m.columns.moves[c].d_in = NULL;
        for (uint64_t i = 0; i < m.n; i++)
            set_element(m.columns.out[c], sizes[c], i, value_of(rank, 0, i));
    }
    for (uint64_t i = 0; i < m.n; i++)
        m.ranks[i] = destination(route, rank, i);
    return m;
}

static void close_migration(struct migration *m) {
    close_columns(&m->columns);
    array_free(m->ranks);
}

/* The ranks beside this one: none, one or two. */
static unsigned beside(int *list) {
    const int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
    unsigned number = 0;

    if (next != rank)
        list[number++] = next;
    if (last != next)
        list[number++] = last;
    return number;
}

static void run_migrate(winnow_mpi *mpi, winnow_context *context,
                        enum route route, bool known) {
    uint64_t most = 0, got = 77;
    uint64_t *const values = expected(route, &most);
    const uint64_t n = items_of(route, rank), room = most > n ? most : n;
    struct migration m = open_migration(route, room);
    int list[2];
    const unsigned number = beside(list);

    CHECK(winnow_mpi_migrate(mpi, context, m.ranks, n, m.columns.moves, COLUMNS,
                             room, known ? list : NULL, known ? number : 0,
                             &got) == WINNOW_OK);
    CHECK(got == most);
    for (unsigned c = 0; c < COLUMNS; c++)
        for (uint64_t i = 0; i < most; i++)
            CHECK(has_element(m.columns.out[c], sizes[c], i, values[i]));
    check_untouched(&m.columns, room, room + MARGIN);
    close_migration(&m);
    free(values);
}

/* Items are as they were. */
static void check_unmoved(const struct migration *m) {
    for (unsigned c = 0; c < COLUMNS; c++)
        for (uint64_t i = 0; i < m->n; i++)
            CHECK(has_element(m->columns.out[c], sizes[c], i,
                              value_of(rank, 0, i)));
}

static void test_refused_migrate(winnow_mpi *mpi, winnow_context *context) {
    const int wrong = ranks / 2;
    const bool is_wrong = rank == wrong;
    const enum route route = ALL_TO_ONE; /* to `wrong` */
    uint64_t total = 0, got = 77;
    int list[2];
    const unsigned number = beside(list);

    for (int r = 0; r < ranks; r++)
        total += items_of(route, r);
    struct migration m = open_migration(route, total);
    winnow_move *const moves = m.columns.moves;
#define MIGRATE(CAPACITY, LIST, NUMBER)                                        \
    winnow_mpi_migrate(mpi, context, m.ranks, m.n, moves, COLUMNS, CAPACITY,   \
                       LIST, NUMBER, &got)
    if (ranks > 1) {
        CHECK(MIGRATE(is_wrong ? total - 1 : total, NULL, 0) ==
              WINNOW_ERR_ARGUMENT);
        CHECK(got == (is_wrong ? total : 0));
        CHECK(strstr(winnow_last_error(), "capacity") != NULL);
        got = 77;
        moves[1].element_bytes = is_wrong ? 2 : 4;
        CHECK(MIGRATE(total, NULL, 0) == WINNOW_ERR_ARGUMENT && got == 77);
        CHECK(strstr(winnow_last_error(), "differ"));
        moves[1].element_bytes = 4;
        CHECK(MIGRATE(total, is_wrong ? list : NULL, is_wrong ? number : 0) ==
              WINNOW_ERR_ARGUMENT);
        CHECK(strstr(winnow_last_error(), "differ") && got == 77);
        /* One whose neighbours do not name it, and nothing to send. */
        for (uint64_t i = 0; i < m.n; i++)
            m.ranks[i] = rank;
        CHECK(MIGRATE(total, list, is_wrong ? number : 0) ==
              WINNOW_ERR_ARGUMENT);
        CHECK(strstr(winnow_last_error(), "do not name rank") && got == 77);
        for (uint64_t i = 0; i < m.n; i++)
            m.ranks[i] = wrong;
    }
    if (ranks > 3) { /* items for one that is no neighbour */
        CHECK(MIGRATE(total, list, number) == WINNOW_ERR_ARGUMENT && got == 77);
    }
    if (is_wrong)
        list[0] = rank; /* no neighbour of its own */
    CHECK(MIGRATE(total, list, is_wrong ? 1 : 0) == WINNOW_ERR_ARGUMENT);
    list[0] = list[1] = is_wrong ? (rank + 1) % ranks : 0;
    CHECK(MIGRATE(total, list, is_wrong ? 2 : 0) == WINNOW_ERR_ARGUMENT);
    list[0] = is_wrong ? ranks : 0;
    CHECK(MIGRATE(total, list, is_wrong ? 1 : 0) == WINNOW_ERR_ARGUMENT);
    if (is_wrong)
        m.ranks[3] = ranks;
    CHECK(MIGRATE(total, NULL, 0) == WINNOW_ERR_ARGUMENT && got == 77);
    CHECK(strstr(winnow_last_error(),
                 is_wrong ? "d_ranks of an item" : "winnow_last_error()"));
    if (is_wrong)
        m.ranks[3] = -2;
    CHECK(MIGRATE(total, NULL, 0) == WINNOW_ERR_ARGUMENT && got == 77);
    m.ranks[3] = wrong;
    if (is_wrong)
        moves[2].d_in = m.ranks;
    CHECK(MIGRATE(total, NULL, 0) == WINNOW_ERR_ARGUMENT && got == 77);
    moves[2].d_in = NULL;
    if (is_wrong)
        moves[2].d_out = moves[1].d_out;
    CHECK(MIGRATE(total, NULL, 0) == WINNOW_ERR_ARGUMENT && got == 77);
    moves[2].d_out = m.columns.out[2];
    CHECK(MIGRATE(is_wrong ? m.n - 1 : total, NULL, 0) == WINNOW_ERR_ARGUMENT);
    CHECK(winnow_mpi_migrate(mpi, is_wrong ? NULL : context, m.ranks, m.n,
                             moves, COLUMNS, total, NULL, 0,
                             &got) == WINNOW_ERR_ARGUMENT);
    CHECK(winnow_mpi_migrate(mpi, context, is_wrong ? NULL : m.ranks, m.n,
                             moves, COLUMNS, total, NULL, 0,
                             &got) == WINNOW_ERR_ARGUMENT);
    CHECK(winnow_mpi_migrate(mpi, context, m.ranks, m.n, moves, COLUMNS, total,
                             NULL, 0,
                             is_wrong ? NULL : &got) == WINNOW_ERR_ARGUMENT);
    CHECK(winnow_mpi_migrate(NULL, context, m.ranks, m.n, moves, COLUMNS, total,
                             NULL, 0, &got) == WINNOW_ERR_ARGUMENT);
    CHECK(got == 77);
    check_unmoved(&m);
    check_untouched(&m.columns, m.n, total + MARGIN);
    CHECK(MIGRATE(total, NULL, 0) == WINNOW_OK);
    CHECK(got == (is_wrong ? total : 0));
#undef MIGRATE
    close_migration(&m);
}

/* The ranks of the items may be a column that moves. */
static void test_migrate_ranks(winnow_mpi *mpi, winnow_context *context) {
    const uint64_t n = 40;
    const uint64_t room = n * (uint64_t)ranks;
    int32_t *const to = array_alloc(room * sizeof(*to));
    const winnow_move move = {.d_out = to, .element_bytes = sizeof(*to)};
    uint64_t got = 0, all = 0;

    for (uint64_t i = 0; i < n; i++)
        to[i] = (int32_t)(hash((uint64_t)rank, i) % (uint64_t)ranks);
    CHECK(winnow_mpi_migrate(mpi, context, to, n, &move, 1, room, NULL, 0,
                             &got) == WINNOW_OK);
    for (uint64_t i = 0; i < got; i++)
        CHECK(to[i] == rank);
    CHECK(winnow_mpi_place(mpi, got, NULL, &all) == WINNOW_OK);
    CHECK(all == room);
    /* Without an array on any rank. */
    CHECK(winnow_mpi_migrate(mpi, context, NULL, 0,
                             &(winnow_move){.element_bytes = sizeof(*to)}, 1, 0,
                             NULL, 0, &got) == WINNOW_OK);
    CHECK(got == 0);
    array_free(to);
}

static void test_migrate(winnow_mpi *mpi) {
    winnow_context *context = NULL;

    CHECK(winnow_context_create(&context, DEVICE) == WINNOW_OK);
    if (DEVICE == WINNOW_DEVICE_HOST)
        CHECK(winnow_context_set_threads(context, 1) == WINNOW_OK);
    for (enum route r = TO_ANY; r < ROUTES; r++)
        run_migrate(mpi, context, r, false);
    run_migrate(mpi, context, TO_NEXT, true);
    run_migrate(mpi, context, NOBODY, true);
    test_migrate_ranks(mpi, context);
    test_refused_migrate(mpi, context);
    winnow_context_destroy(context);
}

/* ----------------------------------------------------------------- reduce */

static winnow_reduction reduce_decimal(winnow_context *context, int64_t x) {
    const winnow_field field = {.name = "x", .type = WINNOW_INT64};
    const winnow_in in = {.type = WINNOW_INT64, .d_base = &x};
    winnow_aggregate sum = {.wanted =
                                WINNOW_REDUCE_SUM | WINNOW_REDUCE_PARTIAL};
    winnow_expression *made = NULL;
    winnow_reduction partial;

    CHECK(winnow_expression_parse(&made, &field, 1,
                                  "cast(x as decimal(38, 0)) * "
                                  "9999999999999999999") == WINNOW_OK);
    sum.expression = made;
    CHECK(winnow_reduce_where(context, NULL, &in, 1, 1, &sum, 1, &partial,
                              NULL) == WINNOW_OK);
    winnow_expression_destroy(made);
    return partial;
}

/* Of decimals, a number of nearly 10^38 on each rank: of both signs, or all above
 * 0, where two are more than 38 digits. */
static void test_reduce_decimals(winnow_mpi *mpi, winnow_context *context,
                                 bool both_signs) {
    const int64_t mine =
        rank % 2 != 0 && both_signs ? INT64_MIN + 7 + rank : INT64_MAX - rank;
    const winnow_reduction partial = reduce_decimal(context, mine);
    const bool is_none = !both_signs && ranks > 1;
    winnow_reduction all;
    wide units = 0;

    CHECK(winnow_mpi_reduce(mpi, WINNOW_INT128, &partial, 0, WINNOW_REDUCE_SUM,
                            &all) == WINNOW_OK);
    for (int r = 0; r < ranks && !is_none; r++)
        units += r % 2 != 0 ? INT64_MIN + 7 + r : INT64_MAX - r;
    units *= (wide)UINT64_C(9999999999999999999);
    if (is_none) {
        CHECK(all.sum.uint64 == 0 && all.overflow == UINT64_C(1) << 63);
        CHECK(all.mean != all.mean);
    } else {
        CHECK(all.sum.uint64 == (uint64_t)units);
        CHECK(all.overflow == (uint64_t)(units >> 64));
        CHECK(all.mean == (double)units / ranks);
    }
}

/* Sums of all ranks: halves that overflow, where the whole does not. */
static void test_reduce(winnow_mpi *mpi) {
    const unsigned wanted = WINNOW_REDUCE_SUM | WINNOW_REDUCE_MINIMUM |
                            WINNOW_REDUCE_MAXIMUM | WINNOW_REDUCE_INDEX;
    const int wrong = ranks / 2;
    const bool is_wrong = rank == wrong;
    /* Rank r: 2^63 - 1 - r and 2, and -2^63 and r from the odd ones. */
    const int64_t mine[2] = {rank % 2 == 0 ? INT64_MAX - rank : INT64_MIN,
                             rank % 2 == 0 ? 2 : rank};
    double value = 1.0 / (1 + rank), sum = 0;
    winnow_reduction partial, all, *results;
    winnow_context *context = NULL;
    wide exact = 0;

    CHECK(winnow_context_create(&context, WINNOW_DEVICE_HOST) == WINNOW_OK);
    CHECK(winnow_reduce_if(context, NULL, WINNOW_INT64, mine, 2,
                           wanted | WINNOW_REDUCE_PARTIAL, &partial,
                           NULL) == WINNOW_OK);
    CHECK(winnow_mpi_reduce(mpi, WINNOW_INT64, &partial, 2 * (uint64_t)rank,
                            wanted, &all) == WINNOW_OK);
    for (int r = 0; r < ranks; r++) {
        exact += r % 2 == 0 ? (wide)INT64_MAX - r : (wide)INT64_MIN;
        exact += r % 2 == 0 ? 2 : r;
    }
    CHECK(all.count == 2 * (uint64_t)ranks);
    CHECK(all.sum.uint64 == (uint64_t)exact);
    CHECK(all.overflow == (exact > INT64_MAX || exact < INT64_MIN));
    CHECK(all.mean == (double)exact / (2.0 * ranks));
    CHECK(all.maximum_index == 0 && all.maximum.int64 == INT64_MAX);
    CHECK(all.minimum_index == (ranks > 1 ? 2 : 1));
    /* Floats, in the order of the ranks: the same bits everywhere. */
    CHECK(winnow_reduce_if(context, NULL, WINNOW_FLOAT64, &value, 1,
                           WINNOW_REDUCE_SUM | WINNOW_REDUCE_PARTIAL, &partial,
                           NULL) == WINNOW_OK);
    CHECK(winnow_mpi_reduce(mpi, WINNOW_FLOAT64, &partial, 0, WINNOW_REDUCE_SUM,
                            &partial) == WINNOW_OK);
    for (int r = 0; r < ranks; r++)
        sum += 1.0 / (1 + r);
    CHECK(memcmp(&partial.sum.float64, &sum, sizeof(sum)) == 0);
    results = must_alloc((size_t)ranks * sizeof(*results));
    MPI_Allgather(&partial, sizeof(partial), MPI_BYTE, results, sizeof(partial),
                  MPI_BYTE, MPI_COMM_WORLD);
    for (int r = 0; r < ranks; r++)
        CHECK(memcmp(&results[r], &partial, sizeof(partial)) == 0);
    free(results);
    all.count = 77;
    CHECK(winnow_mpi_reduce(mpi, WINNOW_INT64, is_wrong ? NULL : &partial, 0,
                            wanted, &all) == WINNOW_ERR_ARGUMENT);
    CHECK(winnow_mpi_reduce(mpi, WINNOW_INT64, &partial, 0,
                            is_wrong ? 0 : wanted,
                            &all) == WINNOW_ERR_ARGUMENT);
    CHECK(winnow_mpi_reduce(mpi, WINNOW_INT64, &partial, 0,
                            is_wrong ? wanted | WINNOW_REDUCE_PARTIAL : wanted,
                            &all) == WINNOW_ERR_ARGUMENT);
    if (ranks > 1)
        CHECK(winnow_mpi_reduce(mpi, is_wrong ? WINNOW_INT8 : WINNOW_INT64,
                                &partial, 0, wanted,
                                &all) == WINNOW_ERR_ARGUMENT);
    CHECK(winnow_mpi_reduce(mpi, WINNOW_INT64, &partial, 0, wanted,
                            is_wrong ? NULL : &all) == WINNOW_ERR_ARGUMENT);
    CHECK(winnow_mpi_reduce(NULL, WINNOW_INT64, &partial, 0, wanted, &all) ==
          WINNOW_ERR_ARGUMENT);
    CHECK(all.count == 77);
    test_reduce_decimals(mpi, context, true);
    test_reduce_decimals(mpi, context, false);
    winnow_context_destroy(context);
}

/* ------------------------------------------------------------------ write */

/* Behind a header that is there, over a file that is longer. */
static void run_write(winnow_mpi *mpi, enum pattern pattern, size_t bytes) {
    static const char path[] = "test_mpi.tmp";
    enum {
        HEADER = 7
    };
    const uint64_t n = count_of(pattern, rank), first = first_of(pattern, rank);
    const uint64_t total = first_of(pattern, ranks);
    unsigned char *const data = must_alloc(n * bytes);
    unsigned char *const seen = must_alloc(HEADER + total * bytes + 10);

    for (uint64_t i = 0; i < n; i++)
        set_element(data, bytes, i, first + i);
    if (rank == 0) {
        FILE *const file = fopen(path, "wb");

        CHECK(file != NULL);
        CHECK(fwrite(seen, 1, HEADER + total * bytes + 10, file) != 0);
        fclose(file);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(winnow_mpi_write(mpi, path, HEADER, data, n, bytes) == WINNOW_OK);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        FILE *const file = fopen(path, "rb");

        CHECK(file != NULL);
        CHECK(fread(seen, 1, HEADER + total * bytes + 10, file) ==
              HEADER + total * bytes);
        fclose(file);
        for (int i = 0; i < HEADER; i++)
            CHECK(seen[i] == 0x5a);
        for (uint64_t i = 0; i < total; i++)
            CHECK(has_element(seen + HEADER, bytes, i, i));
        remove(path);
    }
    free(seen);
    free(data);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* On one rank, which is in another folder, the file cannot be made. */
static void test_no_file_on_one(winnow_mpi *mpi, int wrong) {
    const char item = 1;
    char folder[4096];

    CHECK(getcwd(folder, sizeof folder) != NULL);
    if (rank == wrong)
        CHECK(chdir("/proc/self") == 0);
    CHECK(winnow_mpi_write(mpi, "test_mpi.tmp", 0, &item, 1, 1) ==
          WINNOW_ERR_FILE);
    CHECK(strstr(winnow_last_error(),
                 rank == wrong ? "MPI_File_open" : "winnow_last_error()"));
    CHECK(chdir(folder) == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        remove("test_mpi.tmp");
}

/* A file may not grow on one rank, as on a full disk. */
static void test_no_room_on_one(winnow_mpi *mpi, int wrong) {
    enum {
        HEADER = 4096
    };
    const char item = 1;
    struct rlimit before, least;

    CHECK(getrlimit(RLIMIT_FSIZE, &before) == 0);
    least = before;
    least.rlim_cur = HEADER;
    signal(SIGXFSZ, SIG_IGN);
    if (rank == wrong)
        CHECK(setrlimit(RLIMIT_FSIZE, &least) == 0);
    CHECK(winnow_mpi_write(mpi, "test_mpi.tmp", HEADER, &item, 1, 1) ==
          WINNOW_ERR_FILE);
    CHECK(setrlimit(RLIMIT_FSIZE, &before) == 0);
    signal(SIGXFSZ, SIG_DFL);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        remove("test_mpi.tmp");
}

static void test_refused_write(winnow_mpi *mpi) {
    const int wrong = ranks / 2;
    const char item = 1;

    CHECK(winnow_mpi_write(mpi, "no/such/folder", 0, &item, 1, 1) ==
          WINNOW_ERR_FILE);
    CHECK(winnow_mpi_write(mpi, rank == wrong ? NULL : "test_mpi.tmp", 0, &item,
                           1, 1) == WINNOW_ERR_ARGUMENT);
    CHECK(winnow_mpi_write(mpi, "test_mpi.tmp", 0, rank == wrong ? NULL : &item,
                           1, 1) == WINNOW_ERR_ARGUMENT);
    CHECK(winnow_mpi_write(mpi, "test_mpi.tmp", 0, &item, 1,
                           rank == wrong ? 0 : 1) == WINNOW_ERR_ARGUMENT);
    if (ranks > 1) {
        CHECK(winnow_mpi_write(mpi, "test_mpi.tmp", rank == wrong ? 1 : 0,
                               &item, 1, 1) == WINNOW_ERR_ARGUMENT);
        CHECK(winnow_mpi_write(
                  mpi, rank == wrong ? "test_mpi.other" : "test_mpi.tmp", 0,
                  &item, 1, 1) == WINNOW_ERR_ARGUMENT);
        CHECK(strstr(winnow_last_error(), "path"));
    }
    CHECK(winnow_mpi_write(NULL, "test_mpi.tmp", 0, &item, 1, 1) ==
          WINNOW_ERR_ARGUMENT);
    if (rank == 0)
        CHECK(fopen("test_mpi.tmp", "rb") == NULL);
    test_no_file_on_one(mpi, wrong);
    test_no_room_on_one(mpi, wrong);
}

/* ----------------------------------------------------------------- errors */

/* The same call, wrong on one rank: an error on all, and nothing is sent. */
static void test_refused(winnow_mpi *mpi) {
    const int wrong = ranks / 2;
    uint64_t *const offsets = must_alloc(2 * ((size_t)ranks + 1) * 8);
    uint64_t *const from = offsets + ranks + 1, got = 77, n;
    struct columns columns = open_exchange(SPREAD, offsets);
    winnow_move *const move = &columns.moves[1];

    n = come(SPREAD);
#define EXCHANGE(CAPACITY)                                                     \
    winnow_mpi_exchange(mpi, offsets, columns.moves, COLUMNS, CAPACITY, from,  \
                        &got)
    /* Too little room: the numbers are written. */
    CHECK(EXCHANGE(rank == wrong ? n - 1 : n) == WINNOW_ERR_ARGUMENT);
    CHECK(got == n && from[ranks] == n);
    CHECK(strstr(winnow_last_error(), "capacity") != NULL);
    got = 77;
    if (rank == wrong)
        move->element_bytes = 0;
    CHECK(EXCHANGE(n) == WINNOW_ERR_ARGUMENT && got == 77);
    CHECK(strstr(winnow_last_error(),
                 rank == wrong ? "element_bytes is 0" : "winnow_last_error()"));
    move->element_bytes = rank == wrong && ranks > 1 ? 2 : 4;
    if (ranks > 1) {
        CHECK(EXCHANGE(n) == WINNOW_ERR_ARGUMENT && got == 77);
        CHECK(strstr(winnow_last_error(), "differ"));
    }
    move->element_bytes = 4;
    if (rank == wrong)
        move->type = WINNOW_BIT;
    CHECK(EXCHANGE(n) == WINNOW_ERR_UNSUPPORTED && got == 77);
    move->type = WINNOW_OPAQUE;
    if (rank == wrong)
        offsets[0] = offsets[1] + 1;
    CHECK(EXCHANGE(n) == WINNOW_ERR_ARGUMENT && got == 77);
    offsets[0] = 0;
    if (rank == wrong)
        move->d_out = columns.out[0];
    if (ranks > 2) {
        CHECK(EXCHANGE(n) == WINNOW_ERR_ARGUMENT && got == 77);
        CHECK(strstr(winnow_last_error(),
                     rank == wrong ? "overlap" : "winnow_last_error()"));
    }
    move->d_out = columns.out[1];
    CHECK(winnow_mpi_exchange(mpi, offsets,
                              rank == wrong ? NULL : columns.moves, COLUMNS, n,
                              from, &got) == WINNOW_ERR_ARGUMENT);
    CHECK(winnow_mpi_exchange(mpi, rank == wrong ? NULL : offsets,
                              columns.moves, COLUMNS, n, from,
                              &got) == WINNOW_ERR_ARGUMENT);
    check_untouched(&columns, 0, n + MARGIN);
    /* And it works after all of that. */
    CHECK(EXCHANGE(n) == WINNOW_OK);
    check_exchange(&columns, SPREAD, from);
#undef EXCHANGE
    close_columns(&columns);
    free(offsets);
}

static void test_refused_balance(winnow_mpi *mpi) {
    const int wrong = ranks - 1;
    const uint64_t n = count_of(FIRST_HAS_ALL, rank);
    const uint64_t share = share_of(1000, rank);
    struct columns columns = open_columns(n, share);
    uint64_t got = 77;

    CHECK(winnow_mpi_balance(mpi, n, columns.moves, COLUMNS,
                             rank == wrong ? share - 1 : share,
                             &got) == WINNOW_ERR_ARGUMENT);
    CHECK(got == share);
    CHECK(winnow_mpi_balance(mpi, n, columns.moves, COLUMNS, share,
                             rank == wrong ? NULL : &got) ==
          WINNOW_ERR_ARGUMENT);
    check_untouched(&columns, 0, share + MARGIN);
    close_columns(&columns);
}

/* Of the ranks that are even, and of the others. */
static void test_intercommunicator(void) {
    winnow_mpi *mpi = NULL;
    MPI_Comm half, both;

    if (ranks == 1)
        return;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 1, &both);
    CHECK(winnow_mpi_create(&mpi, both, NULL) == WINNOW_ERR_ARGUMENT);
    CHECK(strstr(winnow_last_error(), "intercommunicator") && mpi == NULL);
    MPI_Comm_free(&both);
    MPI_Comm_free(&half);
}

static void test_create(void) {
    const uint64_t least = (uint64_t)rank + 1;
    winnow_mpi *mpi = NULL;

    CHECK(winnow_mpi_create(NULL, MPI_COMM_WORLD, NULL) == WINNOW_ERR_ARGUMENT);
    CHECK(winnow_mpi_create(&mpi, MPI_COMM_NULL, NULL) == WINNOW_ERR_ARGUMENT);
    CHECK(winnow_mpi_create(&mpi, MPI_COMM_WORLD,
                            &(winnow_mpi_options){
                                .size = sizeof(winnow_mpi_options),
                                .piece_bytes = (UINT64_C(1) << 30) + least}) ==
          WINNOW_ERR_ARGUMENT);
    if (ranks > 1)
        CHECK(winnow_mpi_create(
                  &mpi, MPI_COMM_WORLD,
                  &(winnow_mpi_options){.size = sizeof(winnow_mpi_options),
                                        .piece_bytes = least}) ==
              WINNOW_ERR_ARGUMENT);
    CHECK(winnow_mpi_create(
              &mpi, MPI_COMM_WORLD,
              &(winnow_mpi_options){
                  .size = rank == 0 ? 8 : sizeof(winnow_mpi_options)}) ==
          WINNOW_ERR_ARGUMENT);
    CHECK(winnow_mpi_create(
              &mpi, MPI_COMM_WORLD,
              &(winnow_mpi_options){.size = sizeof(winnow_mpi_options),
                                    .memory = (winnow_mpi_memory)3}) ==
          WINNOW_ERR_ARGUMENT);
    CHECK(winnow_mpi_create_f(&mpi, MPI_Comm_c2f(MPI_COMM_NULL), NULL) ==
          WINNOW_ERR_ARGUMENT);
    CHECK(winnow_mpi_create_f(NULL, MPI_Comm_c2f(MPI_COMM_WORLD), NULL) ==
          WINNOW_ERR_ARGUMENT);
    CHECK(mpi == NULL);
    CHECK(winnow_mpi_create_f(&mpi, MPI_Comm_c2f(MPI_COMM_WORLD), NULL) ==
          WINNOW_OK);
    test_place(mpi);
    winnow_mpi_destroy(mpi);
    winnow_mpi_destroy(NULL);
    CHECK(winnow_mpi_place(NULL, 0, NULL, NULL) == WINNOW_ERR_ARGUMENT);
    CHECK(winnow_mpi_balance(NULL, 0, NULL, 0, 0, NULL) == WINNOW_ERR_ARGUMENT);
    CHECK(winnow_mpi_exchange(NULL, NULL, NULL, 0, 0, NULL, NULL) ==
          WINNOW_ERR_ARGUMENT);
}

/* Two levels on two communicators: to the place of the destination on its host,
 * and then to its host. What comes is the same, in another order.
 *
 *   each  ranks of a host, at most MOST_ON_HOST
 */
static void test_levels(int each) {
    enum {
        MOST_ON_HOST = 3
    };
    const int host = rank / each, place = rank % each, hosts = ranks / each;
    struct item {
        uint32_t to, from;
    } * mine, *met, *got;
    uint64_t near[MOST_ON_HOST + 1] = {0}, far[64] = {0}, n = 0, m = 0;
    uint8_t *const seen = must_alloc((size_t)ranks);
    winnow_mpi *inside = NULL, *rail = NULL;
    MPI_Comm in_host, on_rail;

    MPI_Comm_split(MPI_COMM_WORLD, host, place, &in_host);
    MPI_Comm_split(MPI_COMM_WORLD, place, host, &on_rail);
    CHECK(winnow_mpi_create(&inside, in_host, NULL) == WINNOW_OK);
    CHECK(winnow_mpi_create(&rail, on_rail, NULL) == WINNOW_OK);
    mine = must_alloc((size_t)ranks * sizeof(*mine));
    met = must_alloc((size_t)ranks * sizeof(*met));
    got = must_alloc((size_t)ranks * sizeof(*got));
    /* One to each rank, by the place of the destination on its host. */
    for (int p = 0; p < each; p++)
        for (int h = 0; h < hosts; h++)
            mine[n++] = (struct item){(uint32_t)(h * each + p), (uint32_t)rank};
    for (int p = 0; p <= each; p++)
        near[p] = (uint64_t)(p * hosts);
    CHECK(winnow_mpi_exchange(inside, near,
                              &(winnow_move){.d_in = mine,
                                             .d_out = met,
                                             .element_bytes = sizeof(*mine)},
                              1, (uint64_t)ranks, NULL, &m) == WINNOW_OK);
    CHECK(m == (uint64_t)ranks);
    /* By host. */
    n = 0;
    for (int h = 0; h < hosts; h++) {
        for (uint64_t i = 0; i < m; i++)
            if ((int)met[i].to / each == h)
                mine[n++] = met[i];
        far[h + 1] = n;
    }
    CHECK(winnow_mpi_exchange(rail, far,
                              &(winnow_move){.d_in = mine,
                                             .d_out = got,
                                             .element_bytes = sizeof(*mine)},
                              1, (uint64_t)ranks, NULL, &m) == WINNOW_OK);
    CHECK(m == (uint64_t)ranks);
    memset(seen, 0, (size_t)ranks);
    for (uint64_t i = 0; i < m; i++) {
        CHECK(got[i].to == (uint32_t)rank && !seen[got[i].from]);
        seen[got[i].from] = 1;
    }
    winnow_mpi_destroy(inside);
    winnow_mpi_destroy(rail);
    MPI_Comm_free(&in_host);
    MPI_Comm_free(&on_rail);
    free(mine);
    free(met);
    free(got);
    free(seen);
}

/* More than 2^31 bytes from the first rank to the last. Run by hand. */
static void test_large(winnow_mpi *mpi) {
    const uint64_t n = (UINT64_C(1) << 31) / 8 + 1000;
    const uint64_t goes = rank == 0 ? n : 0;
    const uint64_t comes = rank == ranks - 1 ? n : 0;
    uint64_t *const in = must_alloc(goes * 8), *const out =
                                                   must_alloc(comes * 8);
    uint64_t *const offsets = must_alloc(((size_t)ranks + 1) * 8), got = 0;

    for (uint64_t i = 0; i < goes; i++)
        in[i] = hash(0, i);
    for (int r = 0; r <= ranks; r++)
        offsets[r] = r == ranks ? goes : 0;
    CHECK(winnow_mpi_exchange(
              mpi, offsets,
              &(winnow_move){.d_in = in, .d_out = out, .element_bytes = 8}, 1,
              comes, NULL, &got) == WINNOW_OK);
    CHECK(got == comes);
    for (uint64_t i = 0; i < comes; i++)
        CHECK(out[i] == hash(0, i));
    free(offsets);
    free(in);
    free(out);
}

/* As many from the first rank to the last by migrate, and the others stay. */
static void test_large_migrate(winnow_mpi *mpi) {
    const uint64_t moved = (UINT64_C(1) << 31) / 8 + 1000;
    const uint64_t n = rank == 0 ? moved + 3 : 2;
    const uint64_t stays = rank != 0 || ranks == 1 ? n : 3;
    const uint64_t comes = rank == ranks - 1 && ranks > 1 ? moved : 0;
    const uint64_t room = n > stays + comes ? n : stays + comes;
    uint64_t *const items = must_alloc(room * 8), got = n, before = 0;
    int32_t *const to = must_alloc(n * sizeof(*to));
    uint64_t sum = 0, wanted = 0;
    winnow_context *context = NULL;

    CHECK(winnow_context_create(&context, WINNOW_DEVICE_HOST) == WINNOW_OK);
    /* The last three of the first rank stay. */
    for (uint64_t i = 0; i < n; i++) {
        items[i] = hash((uint64_t)rank, i);
        to[i] = rank == 0 && i < moved ? ranks - 1 : rank;
        wanted += ranks == 1 || to[i] == rank ? items[i] : 0;
    }
    for (uint64_t i = 0; i < comes; i++)
        wanted += hash(0, i);
    CHECK(winnow_mpi_migrate(mpi, context, to, n,
                             &(winnow_move){.d_out = items, .element_bytes = 8},
                             1, room, NULL, 0, &got) == WINNOW_OK);
    CHECK(got == stays + comes);
    for (uint64_t i = 0; i < got; i++)
        sum += items[i];
    CHECK(sum == wanted);
    /* What came lies together, in the order that it was sent in. */
    while (comes != 0 && before < got && items[before] != hash(0, 0))
        before++;
    CHECK(comes == 0 || before + comes <= got);
    for (uint64_t i = 0; i < comes; i++)
        CHECK(items[before + i] == hash(0, i));
    winnow_context_destroy(context);
    free(to);
    free(items);
}

static void run_all(uint64_t piece_bytes, winnow_mpi_memory memory) {
    const winnow_mpi_options options = {
        .size = sizeof(options), .piece_bytes = piece_bytes, .memory = memory};
    winnow_mpi *mpi = NULL;

    CHECK(winnow_mpi_create(&mpi, MPI_COMM_WORLD, &options) == WINNOW_OK);
    test_place(mpi);
    for (enum pattern p = EVEN; p < PATTERNS; p++)
        run_balance(mpi, p);
    for (enum spread s = SPREAD; s < SPREADS; s++)
        run_exchange(mpi, s);
    test_migrate(mpi);
    test_refused(mpi);
    test_refused_balance(mpi);
    test_reduce(mpi);
    for (enum pattern p = EVEN; p < PATTERNS; p++)
        run_write(mpi, p, p == EVEN ? 1 : 24);
    test_refused_write(mpi);
    winnow_mpi_destroy(mpi);
}

/* Of one rank, while the others wait. */
static void abort_one(bool migrates) {
    winnow_context *context = NULL;
    winnow_mpi *mpi = NULL;
    int32_t item = 0;
    uint64_t n;

    CHECK(winnow_mpi_create(&mpi, MPI_COMM_WORLD, NULL) == WINNOW_OK);
    CHECK(winnow_context_create(&context, WINNOW_DEVICE_HOST) == WINNOW_OK);
    if (rank == ranks - 1)
        abort();
    if (migrates)
        (void)!winnow_mpi_migrate(
            mpi, context, &item, 1,
            &(winnow_move){.d_out = &item, .element_bytes = sizeof(item)}, 1, 1,
            NULL, 0, &n);
    else
        (void)!winnow_mpi_place(mpi, 1, NULL, NULL);
    winnow_context_destroy(context);
    winnow_mpi_destroy(mpi);
}

int main(int argc, char **argv) {
    const char *const what = argc > 1 ? argv[1] : "";
    winnow_mpi *mpi = NULL;

    rank = ranks = 0;
    CHECK(winnow_mpi_create(&mpi, MPI_COMM_WORLD, NULL) ==
          WINNOW_ERR_ARGUMENT); /* before MPI_Init() */
    CHECK(winnow_mpi_create_f(&mpi, 0, NULL) == WINNOW_ERR_ARGUMENT);
    CHECK(strstr(winnow_last_error(), "not initialised") != NULL);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (strcmp(what, "abort") == 0) {
        abort_one(argc > 2);
    } else if (strcmp(what, "large") == 0) {
        for (unsigned m = 0; m < 2; m++) {
            CHECK(winnow_mpi_create(
                      &mpi, MPI_COMM_WORLD,
                      &(winnow_mpi_options){
                          .size = sizeof(winnow_mpi_options),
                          .memory = m == 0 ? WINNOW_MPI_DIRECT
                                           : WINNOW_MPI_STAGED}) == WINNOW_OK);
            test_large(mpi);
            test_large_migrate(mpi);
            winnow_mpi_destroy(mpi);
        }
    } else {
        test_create();
        test_intercommunicator();
        run_all(0, WINNOW_MPI_AUTO);
        run_all(64, WINNOW_MPI_DIRECT);
        run_all(64, WINNOW_MPI_STAGED);
        /* Some stage, and others do not. */
        run_all(100, rank % 2 == 0 ? WINNOW_MPI_STAGED : WINNOW_MPI_DIRECT);
        for (int each = 2; each <= 3; each++)
            if (ranks % each == 0)
                test_levels(each);
    }
    MPI_Finalize();
    return 0;
}
