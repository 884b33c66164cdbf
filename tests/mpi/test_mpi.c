/*
 * libwinnow-mpi on the ranks that there are. Each rank knows what every rank
 * has, and works out alone what has to come to it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <winnow_mpi.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks;

#define CHECK(condition)                                                       \
    do {                                                                       \
        if (!(condition)) {                                                    \
            fprintf(stderr, "rank %d of %d: %s:%d: %s -- %s\n", rank, ranks,   \
                    __FILE__, __LINE__, #condition, winnow_last_error());      \
            MPI_Abort(MPI_COMM_WORLD, 1);                                      \
        }                                                                      \
    } while (0)

static uint64_t hash(uint64_t a, uint64_t b) {
    uint64_t x = (a + 1) * UINT64_C(0x9e3779b97f4a7c15) ^ (b + 7);

    x ^= x >> 31;
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    return x ^ x >> 29;
}

static void *must_alloc(size_t bytes) {
    void *const memory = malloc(bytes + 1);

    CHECK(memory != NULL);
    memset(memory, 0x5a, bytes + 1);
    return memory;
}

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
        columns.in[c] = must_alloc(n * sizes[c]);
        columns.out[c] = must_alloc((room + MARGIN) * sizes[c]);
        columns.moves[c] = (winnow_move){.d_in = columns.in[c],
                                         .d_out = columns.out[c],
                                         .element_bytes = sizes[c]};
    }
    return columns;
}

static void close_columns(struct columns *columns) {
    for (unsigned c = 0; c < COLUMNS; c++) {
        free(columns->in[c]);
        free(columns->out[c]);
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
    if (ranks > 1)
        CHECK(winnow_mpi_write(mpi, "test_mpi.tmp", rank == wrong ? 1 : 0,
                               &item, 1, 1) == WINNOW_ERR_ARGUMENT);
    CHECK(winnow_mpi_write(NULL, "test_mpi.tmp", 0, &item, 1, 1) ==
          WINNOW_ERR_ARGUMENT);
    if (rank == 0)
        CHECK(fopen("test_mpi.tmp", "rb") == NULL);
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
    CHECK(mpi == NULL);
    winnow_mpi_destroy(NULL);
    CHECK(winnow_mpi_place(NULL, 0, NULL, NULL) == WINNOW_ERR_ARGUMENT);
    CHECK(winnow_mpi_balance(NULL, 0, NULL, 0, 0, NULL) == WINNOW_ERR_ARGUMENT);
    CHECK(winnow_mpi_exchange(NULL, NULL, NULL, 0, 0, NULL, NULL) ==
          WINNOW_ERR_ARGUMENT);
}

/* Two levels on two communicators: to the place of the destination on its host,
 * and then to its host. What comes is the same, in another order. */
static void test_levels(void) {
    enum {
        EACH = 2 /* ranks of a host */
    };
    const int host = rank / EACH, place = rank % EACH, hosts = ranks / EACH;
    struct item {
        uint32_t to, from;
    } * mine, *met, *got;
    uint64_t near[EACH + 1] = {0}, far[64] = {0}, n = 0, m = 0;
    uint8_t *const seen = must_alloc((size_t)ranks);
    winnow_mpi *inside = NULL, *rail = NULL;
    MPI_Comm in_host, on_rail;

    MPI_Comm_split(MPI_COMM_WORLD, host, place, &in_host);
    MPI_Comm_split(MPI_COMM_WORLD, place, host, &on_rail);
    CHECK(winnow_mpi_create(&inside, in_host, NULL) == WINNOW_OK);
    CHECK(winnow_mpi_create(&rail, on_rail, NULL) == WINNOW_OK);
    mine = must_alloc((size_t)ranks * sizeof(*mine));
    met = must_alloc((size_t)ranks * EACH * sizeof(*met));
    got = must_alloc((size_t)ranks * EACH * sizeof(*got));
    /* One to each rank, by the place of the destination on its host. */
    for (int p = 0; p < EACH; p++)
        for (int h = 0; h < hosts; h++)
            mine[n++] = (struct item){(uint32_t)(h * EACH + p), (uint32_t)rank};
    for (int p = 0; p <= EACH; p++)
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
            if ((int)met[i].to / EACH == h)
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

/* More than 2^31 bytes to a neighbour. Run by hand. */
static void test_large(winnow_mpi *mpi) {
    const uint64_t n = (UINT64_C(1) << 31) / 8 + 1000;
    const int to = (rank + 1) % ranks;
    uint64_t *const in = must_alloc(n * 8), *const out = must_alloc(n * 8);
    uint64_t *const offsets = must_alloc(((size_t)ranks + 1) * 8), got = 0;
    const uint64_t from = (uint64_t)(rank + ranks - 1) % (uint64_t)ranks;

    for (uint64_t i = 0; i < n; i++)
        in[i] = hash((uint64_t)rank, i);
    for (int r = 0; r <= ranks; r++)
        offsets[r] = r > to ? n : 0;
    CHECK(winnow_mpi_exchange(
              mpi, offsets,
              &(winnow_move){.d_in = in, .d_out = out, .element_bytes = 8}, 1,
              n, NULL, &got) == WINNOW_OK);
    CHECK(got == n);
    for (uint64_t i = 0; i < n; i++)
        CHECK(out[i] == hash(from, i));
    free(offsets);
    free(in);
    free(out);
}

static void run_all(uint64_t piece_bytes) {
    const winnow_mpi_options options = {.size = sizeof(options),
                                        .piece_bytes = piece_bytes};
    winnow_mpi *mpi = NULL;

    CHECK(winnow_mpi_create(&mpi, MPI_COMM_WORLD, &options) == WINNOW_OK);
    test_place(mpi);
    for (enum pattern p = EVEN; p < PATTERNS; p++)
        run_balance(mpi, p);
    for (enum spread s = SPREAD; s < SPREADS; s++)
        run_exchange(mpi, s);
    test_refused(mpi);
    test_refused_balance(mpi);
    for (enum pattern p = EVEN; p < PATTERNS; p++)
        run_write(mpi, p, p == EVEN ? 1 : 24);
    test_refused_write(mpi);
    winnow_mpi_destroy(mpi);
}

/* Of one rank, while the others wait. */
static void abort_one(void) {
    winnow_mpi *mpi = NULL;

    CHECK(winnow_mpi_create(&mpi, MPI_COMM_WORLD, NULL) == WINNOW_OK);
    if (rank == ranks - 1)
        abort();
    (void)!winnow_mpi_place(mpi, 1, NULL, NULL);
    winnow_mpi_destroy(mpi);
}

int main(int argc, char **argv) {
    const char *const what = argc > 1 ? argv[1] : "";
    winnow_mpi *mpi = NULL;

    rank = ranks = 0;
    CHECK(winnow_mpi_create(&mpi, MPI_COMM_WORLD, NULL) ==
          WINNOW_ERR_ARGUMENT); /* before MPI_Init() */
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (strcmp(what, "abort") == 0) {
        abort_one();
    } else if (strcmp(what, "large") == 0) {
        CHECK(winnow_mpi_create(&mpi, MPI_COMM_WORLD, NULL) == WINNOW_OK);
        test_large(mpi);
        winnow_mpi_destroy(mpi);
    } else {
        test_create();
        run_all(0);
        run_all(64);
        if (ranks % 2 == 0)
            test_levels();
    }
    MPI_Finalize();
    return 0;
}
