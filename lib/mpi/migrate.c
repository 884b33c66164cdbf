/*
 * winnow_mpi_migrate: packs and sends leavers; arrivals fill the holes.
 *
 *   leavers.c             find and sort the items that leave
 *   agree.c               has any rank an error?
 *   neighbours.c          exchange counts
 *   agree.c               is there room on all ranks?
 *   messages.c            send and receive
 *   winnow_fill_holes()
 *   agree.c               filling may have failed on a rank
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "leavers.h"

typedef struct migration {
    winnow_mpi *mpi;
    winnow__mpi_items items;
    winnow__mpi_neighbours neighbours;
    uint64_t capacity;
    winnow__mpi_leavers leavers;
    uint64_t arrivals, needed;
    void *arrived; /* context and host can access it */
    winnow_move sent[WINNOW__RANKS_MOST_COLUMNS];   /* sorted -> arrived */
    winnow_move filled[WINNOW__RANKS_MOST_COLUMNS]; /* arrived -> in place */
    winnow__mpi_messages messages;
} migration;

static winnow_status check(const migration *m, const uint64_t *n_p) {
    const winnow__mpi_items *const items = &m->items;
    WINNOW__TRY(winnow__ranks_need(items->context, "context"));
    WINNOW__TRY(winnow__ranks_need(n_p, "n_p"));
    if (items->d_ranks == NULL && items->n != 0)
        return winnow__ranks_refuse("d_ranks is NULL");
    if (m->capacity < items->n)
        return winnow__ranks_refuse(
            "capacity is %llu, less than n, which is %llu",
            (unsigned long long)m->capacity, (unsigned long long)items->n);
    WINNOW__TRY(winnow__ranks_check_columns(items->moves, items->number));
    for (unsigned c = 0; c < items->number; c++)
        if (items->moves[c].d_in != NULL)
            return winnow__ranks_refuse("moves[%u].d_in is not NULL: items are "
                                        "in d_out, and stay there",
                                        c);
    return winnow__ranks_check_memory(items->moves, items->number, 0, items->n);
}

/* The work of this rank alone. */
static winnow_status begin(migration *m, const uint64_t *n_p) {
    uint64_t *const marks = m->mpi->numbers[0];
    WINNOW__TRY(check(m, n_p));
    WINNOW__TRY(winnow__mpi_check_neighbours(m->mpi, &m->neighbours, marks));
    WINNOW__TRY(winnow__mpi_find_leavers(m->mpi, &m->items, &m->leavers));
    return winnow__mpi_sort_leavers(m->mpi, &m->items, marks, &m->leavers);
}

/* Sets mpi->receive: where the items from each rank begin. */
static winnow_status count_arrivals(migration *m) {
    const winnow_mpi *const mpi = m->mpi;
    uint64_t *const go = mpi->numbers[0], *const come = mpi->numbers[1];
    for (int r = 0; r < mpi->ranks; r++)
        go[r] = mpi->send[r + 1] - mpi->send[r];
    WINNOW__TRY(winnow__mpi_exchange_counts(mpi, &m->neighbours, go, come));
    mpi->receive[0] = 0;
    for (int r = 0; r < mpi->ranks; r++)
        mpi->receive[r + 1] = mpi->receive[r] + come[r];
    m->arrivals = mpi->receive[mpi->ranks];
    m->needed = m->items.n - m->leavers.number + m->arrivals;
    return WINNOW_OK;
}

/* Allocates memory for arrivals and messages. */
static winnow_status prepare(migration *m) {
    const winnow__mpi_items *const items = &m->items;
    const uint64_t most = m->needed > items->n ? m->needed : items->n;
    size_t bytes = 0;
    winnow_status status =
        winnow__ranks_check_memory(items->moves, items->number, 0, most);
    for (unsigned c = 0; c < items->number; c++)
        bytes += winnow__mpi_column_bytes(m->arrivals,
                                          items->moves[c].element_bytes);
    if (status == WINNOW_OK)
        status = winnow__mpi_take(m->mpi, WINNOW__MPI_ARRIVED,
                                  &m->leavers.memory, true, bytes, &m->arrived);
    if (status != WINNOW_OK)
        return status;
    size_t from = winnow__mpi_column_bytes(m->leavers.number, sizeof(int32_t));
    size_t to = 0;
    for (unsigned c = 0; c < items->number; c++) {
        const size_t each = items->moves[c].element_bytes;
        unsigned char *const arrived =
            m->arrived != NULL ? (unsigned char *)m->arrived + to : NULL;
        m->sent[c] = (winnow_move){
            .d_in = m->leavers.sorted != NULL ? m->leavers.sorted + from : NULL,
            .d_out = arrived,
            .element_bytes = each};
        m->filled[c] = items->moves[c];
        m->filled[c].d_in = arrived;
        from += winnow__mpi_column_bytes(m->leavers.number, each);
        to += winnow__mpi_column_bytes(m->arrivals, each);
    }
    return winnow__mpi_prepare(m->mpi, m->sent, items->number, &m->messages);
}

static winnow_status fill(const migration *m) {
    const winnow_arrivals arrivals = {.n = m->arrivals};
    const winnow__mpi_leavers *const leavers = &m->leavers;
    uint64_t count = 0;
    if (leavers->number == 0 && m->arrivals == 0)
        return WINNOW_OK;
    WINNOW__TRY(winnow_fill_holes(m->items.context, leavers->stay, m->items.n,
                                  &arrivals, m->filled, m->items.number,
                                  m->capacity, leavers->count, NULL));
    /* The copy waits until the work is done. */
    return winnow__mpi_copy(&leavers->memory, &count, leavers->count,
                            sizeof count);
}

/* The work from the first agreement on. */
static winnow_status run(migration *m, winnow__mpi_word *word, uint64_t *n_p) {
    int short_rank;
    WINNOW__TRY(winnow__mpi_agree(m->mpi, word, NULL));
    if (m->neighbours.list != NULL)
        WINNOW__TRY(winnow__mpi_check_symmetry(m->mpi, &m->neighbours));
    WINNOW__TRY(count_arrivals(m));
    word->needed = m->needed;
    word->capacity = m->capacity;
    word->status = winnow__mpi_is_short(word) ? WINNOW_OK : prepare(m);
    WINNOW__TRY(winnow__mpi_agree(m->mpi, word, &short_rank));
    if (short_rank != -1) {
        *n_p = m->needed;
        return winnow__mpi_short(m->mpi, word, short_rank);
    }
    WINNOW__TRY(
        winnow__mpi_send(m->mpi, m->sent, m->items.number, &m->messages));
    word->status = fill(m);
    WINNOW__TRY(winnow__mpi_agree(m->mpi, word, NULL));
    *n_p = m->needed;
    return WINNOW_OK;
}

winnow_status winnow_mpi_migrate(winnow_mpi *mpi, winnow_context *context,
                                 const int32_t *d_ranks, uint64_t n,
                                 const winnow_move *moves, unsigned move_count,
                                 uint64_t capacity, const int *neighbours,
                                 unsigned neighbour_count, uint64_t *n_p) {
    migration m = {
        .mpi = mpi,
        .items = {.context = context,
                  .d_ranks = d_ranks,
                  .n = n,
                  .moves = moves,
                  .number = move_count},
        .neighbours = {.list = neighbours, .number = neighbour_count},
        .capacity = capacity};
    WINNOW__TRY(winnow__ranks_need(mpi, "mpi"));
    winnow__mpi_same same = winnow__mpi_same_columns(moves, move_count);
    same.of[1].name = "neighbours";
    same.of[1].kind = WINNOW__MPI_POINTER;
    same.of[1].value = neighbours != NULL;
    winnow__mpi_word word = {.status = begin(&m, n_p), .same = &same};
    return run(&m, &word, n_p);
}
