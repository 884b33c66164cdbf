/*
 * What libwinnow-mpi says where the ranks' arguments differ, or one of them is
 * short: on all ranks, which argument, which rank, and both numbers. On two ranks
 * at least.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "must.h"

#include <stdarg.h>
#include <stdbool.h>

enum {
    ITEMS = 10, /* of each rank */
    MOST_COLUMNS = 64
};

static winnow_mpi *mpi;
static bool is_odd; /* this rank is the one that differs */
static int odd;

/* Is it an argument's error, and its detail this one? */
__attribute__((format(printf, 2, 3))) static bool
says(winnow_status status, const char *format, ...) {
    char wanted[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(wanted, sizeof(wanted), format, arguments);
    va_end(arguments);
    if (status == WINNOW_ERR_ARGUMENT &&
        strcmp(winnow_last_error(), wanted) == 0)
        return true;
    fprintf(stderr, "wanted: %s\n", wanted);
    return false;
}

/* Columns of 4 bytes, of which there is room for `ITEMS` elements. */
static int32_t memory[2][MOST_COLUMNS][ITEMS];
static winnow_move moves[MOST_COLUMNS];
static uint64_t *offsets; /* all stay where they are */

static void open_columns(void) {
    offsets = must_alloc(((size_t)ranks + 1) * sizeof(*offsets));
    for (int r = 0; r <= ranks; r++)
        offsets[r] = r > rank ? ITEMS : 0;
    for (unsigned c = 0; c < MOST_COLUMNS; c++)
        moves[c] = (winnow_move){
            .d_in = memory[0][c], .d_out = memory[1][c], .element_bytes = 4};
}

static winnow_status exchange(unsigned columns, uint64_t capacity) {
    return winnow_mpi_exchange(mpi, offsets, moves, columns, capacity, NULL,
                               NULL);
}

static winnow_status balance(unsigned columns, uint64_t n, uint64_t capacity) {
    uint64_t share;

    return winnow_mpi_balance(mpi, n, moves, columns, capacity, &share);
}

/* In place: all of this rank's, to one. */
static winnow_status migrate(int to_rank, unsigned columns, uint64_t capacity,
                             const int *neighbours, unsigned number) {
    static winnow_context *context;
    int32_t to[ITEMS];
    winnow_move in_place[MOST_COLUMNS];
    uint64_t n;

    if (context == NULL)
        CHECK(winnow_context_create(&context, WINNOW_DEVICE_HOST) == WINNOW_OK);
    for (unsigned c = 0; c < MOST_COLUMNS; c++)
        in_place[c] = (winnow_move){.d_out = moves[c].d_out,
                                    .element_bytes = moves[c].element_bytes};
    for (unsigned i = 0; i < ITEMS; i++)
        to[i] = to_rank;
    return winnow_mpi_migrate(mpi, context, to, ITEMS, in_place, columns,
                              capacity, neighbours, number, &n);
}

/* ---------------------------------------------------------------- what differs */

#define DIFFER "the ranks' arguments differ: "

static void test_columns(void) {
    const int list[1] = {odd == 0 ? 1 : 0}; /* no matter which */
    /* The first that differs from rank 0, if that is the odd one, is rank 1. */
    const int other = odd == 0 ? 1 : odd;

    CHECK(says(exchange(is_odd ? 2 : 3, ITEMS),
               DIFFER "move_count is %d on rank 0 and %d on rank %d",
               odd == 0 ? 2 : 3, odd == 0 ? 3 : 2, other));
    CHECK(says(balance(is_odd ? 64 : 3, ITEMS, ITEMS),
               DIFFER "move_count is %d on rank 0 and %d on rank %d",
               odd == 0 ? 64 : 3, odd == 0 ? 3 : 64, other));
    moves[1].element_bytes = is_odd ? 2 : 4;
    CHECK(says(exchange(3, ITEMS),
               DIFFER
               "moves[1].element_bytes is %d on rank 0 and %d on rank %d",
               odd == 0 ? 2 : 4, odd == 0 ? 4 : 2, other));
    CHECK(says(migrate(odd, 3, 100, NULL, 0),
               DIFFER
               "moves[1].element_bytes is %d on rank 0 and %d on rank %d",
               odd == 0 ? 2 : 4, odd == 0 ? 4 : 2, other));
    moves[1].element_bytes = 4;
    moves[63].element_bytes = is_odd ? 1 : 4;
    CHECK(says(balance(64, ITEMS, ITEMS),
               DIFFER
               "moves[63].element_bytes is %d on rank 0 and %d on rank %d",
               odd == 0 ? 1 : 4, odd == 0 ? 4 : 1, other));
    moves[63].element_bytes = 4;
    CHECK(says(migrate(odd, 3, 100, is_odd ? list : NULL, 0),
               DIFFER "neighbours is %s on rank 0 and %s on rank %d",
               odd == 0 ? "a list" : "NULL", odd == 0 ? "NULL" : "a list",
               other));
}

static void test_others(void) {
    const int other = odd == 0 ? 1 : odd;
    winnow_reduction partial = {0};
    winnow_mpi *made = NULL;
    const char item = 1;

    CHECK(says(winnow_mpi_reduce(mpi, is_odd ? WINNOW_INT8 : WINNOW_INT64,
                                 &partial, 0, WINNOW_REDUCE_SUM, &partial),
               DIFFER "type is %s on rank 0 and %s on rank %d",
               odd == 0 ? "int8" : "int64", odd == 0 ? "int64" : "int8",
               other));
    CHECK(says(
        winnow_mpi_reduce(mpi, WINNOW_INT8, &partial, 0,
                          is_odd ? WINNOW_REDUCE_MINIMUM : WINNOW_REDUCE_SUM,
                          &partial),
        DIFFER "wanted is 0x%x on rank 0 and 0x%x on rank %d",
        odd == 0 ? WINNOW_REDUCE_MINIMUM : WINNOW_REDUCE_SUM,
        odd == 0 ? WINNOW_REDUCE_SUM : WINNOW_REDUCE_MINIMUM, other));
    CHECK(says(winnow_mpi_create(
                   &made, MPI_COMM_WORLD,
                   &(winnow_mpi_options){.size = sizeof(winnow_mpi_options),
                                         .piece_bytes = is_odd ? 64 : 0}),
               DIFFER "piece_bytes is %d on rank 0 and %d on rank %d",
               odd == 0 ? 64 : 1 << 22, odd == 0 ? 1 << 22 : 64, other));
    CHECK(made == NULL);
    CHECK(says(
        winnow_mpi_write(mpi, is_odd ? "no/such" : "no/folder", 0, &item, 1, 1),
        DIFFER "path on rank %d is not that on rank 0", other));
    CHECK(says(winnow_mpi_write(mpi, "no/such", is_odd ? 128 : 0, &item, 1, 1),
               DIFFER "header_bytes is %d on rank 0 and %d on rank %d",
               odd == 0 ? 128 : 0, odd == 0 ? 0 : 128, other));
    CHECK(says(winnow_mpi_write(mpi, "no/such", 0, &item, 0, is_odd ? 24 : 1),
               DIFFER "element_bytes is %d on rank 0 and %d on rank %d",
               odd == 0 ? 24 : 1, odd == 0 ? 1 : 24, other));
}

/* More than one differ: the first one of the first rank. */
static void test_several(void) {
    moves[1].element_bytes = rank == 0 ? 4 : 2;
    CHECK(says(exchange(rank == ranks - 1 ? 2 : 3, ITEMS), DIFFER "%s is %s",
               ranks == 2 ? "move_count" : "moves[1].element_bytes",
               ranks == 2 ? "3 on rank 0 and 2 on rank 1"
                          : "4 on rank 0 and 2 on rank 1"));
    moves[1].element_bytes = 4;
}

/* ------------------------------------------------------------ which is short */

#define SHORT "capacity is %d on rank %d, where %d elements need room"

static void test_short(void) {
    const int last = ranks - 1;

    CHECK(says(exchange(3, is_odd ? ITEMS - 3 : ITEMS), SHORT, ITEMS - 3, odd,
               ITEMS));
    CHECK(says(balance(3, rank == 0 ? ITEMS : 0, is_odd ? 0 : ITEMS), SHORT, 0,
               odd, ITEMS / ranks + (odd < ITEMS % ranks)));
    CHECK(says(migrate(odd, 3, is_odd ? ITEMS + 1 : ITEMS, NULL, 0), SHORT,
               ITEMS + 1, odd, ITEMS * ranks));
    /* Several: each knows itself best, and the others the first. */
    CHECK(says(exchange(3, rank == 0 ? ITEMS : (uint64_t)(rank % 7)), SHORT,
               rank == 0 ? 1 : rank % 7, rank == 0 ? 1 : rank, ITEMS));
    CHECK(says(exchange(3, rank == last ? ITEMS : 2), SHORT, 2,
               rank == last ? 0 : rank, ITEMS));
}

/* The odd one names another, which does not name it, and is named by none. */
static void test_one_way(void) {
    const int list[1] = {(odd + 1) % ranks};

    CHECK(says(migrate(rank, 3, 1000, list, is_odd ? 1 : 0),
               "neighbours of rank %d name rank %d, and those of rank %d do "
               "not name rank %d",
               odd, list[0], list[0], odd));
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    CHECK(ranks > 1);
    CHECK(winnow_mpi_create(&mpi, MPI_COMM_WORLD, NULL) == WINNOW_OK);
    open_columns();
    for (odd = 0; odd < ranks; odd++) {
        is_odd = rank == odd;
        test_columns();
        test_others();
        test_short();
        test_one_way();
    }
    test_several();
    /* And it works after all of that. */
    CHECK(exchange(3, ITEMS) == WINNOW_OK);
    winnow_mpi_destroy(mpi);
    free(offsets);
    MPI_Finalize();
    return 0;
}
