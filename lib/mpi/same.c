/*
 * Arguments that have to be the same on all ranks. Before anything is sent, the
 * ranks compare a hash of them. If the hashes differ, the ranks find the
 * argument: rank 0 broadcasts its values, then the first rank with another
 * value does.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ranks.h"

#include <stdio.h>

enum {
    MOST = WINNOW__MPI_MOST_SAME + WINNOW__RANKS_MOST_COLUMNS,
    MOST_LETTERS = 64 /* of a name, or of a value as text */
};

/* Lists MOST values on every rank; missing ones are 0. */
static void list_values(const winnow__mpi_same *same, uint64_t values[MOST]) {
    for (unsigned i = 0; i < WINNOW__MPI_MOST_SAME; i++)
        values[i] = same->of[i].name != NULL ? same->of[i].value : 0;
    for (unsigned c = 0; c < WINNOW__RANKS_MOST_COLUMNS; c++)
        values[WINNOW__MPI_MOST_SAME + c] =
            c < same->number ? same->moves[c].element_bytes : 0;
}

uint64_t winnow__mpi_hash_same(const winnow__mpi_same *same) {
    uint64_t hash = 0;
    for (unsigned i = 0; i < WINNOW__MPI_MOST_SAME; i++)
        hash = winnow__ranks_mix(
            hash, same->of[i].name != NULL ? same->of[i].value : 0);
    for (unsigned c = 0; c < same->number; c++)
        hash = winnow__ranks_mix(hash, same->moves[c].element_bytes);
    return hash;
}

uint64_t winnow__mpi_hash_text(const char *text) {
    uint64_t hash = 0;
    for (const char *c = text; *c != '\0'; c++)
        hash = winnow__ranks_mix(hash, (unsigned char)*c);
    return hash;
}

winnow__mpi_same winnow__mpi_same_columns(const winnow_move *moves,
                                          unsigned number) {
    return (winnow__mpi_same){
        .of = {{"move_count", number, WINNOW__MPI_NUMBER}},
        .moves = moves,
        .number = number};
}

/* ----------------------------------------------------------------- what differs */

static void name_of(const winnow__mpi_same *same, unsigned i, char *text) {
    if (i < WINNOW__MPI_MOST_SAME) /* no name: ranks made different calls */
        snprintf(text, MOST_LETTERS, "%s",
                 same->of[i].name != NULL ? same->of[i].name : "an argument");
    else
        snprintf(text, MOST_LETTERS, "moves[%u].element_bytes",
                 i - WINNOW__MPI_MOST_SAME);
}

static void text_of(winnow__mpi_kind kind, uint64_t value, char *text) {
    const unsigned long long number = value;
    if (kind == WINNOW__MPI_TYPE)
        snprintf(text, MOST_LETTERS, "%s",
                 winnow_type_name((winnow_type)value));
    else if (kind == WINNOW__MPI_POINTER)
        snprintf(text, MOST_LETTERS, "%s", value != 0 ? "a list" : "NULL");
    else
        snprintf(text, MOST_LETTERS,
                 kind == WINNOW__MPI_FLAGS ? "0x%llx" : "%llu", number);
}

static winnow_status say(const winnow__mpi_same *same, unsigned i, int rank,
                         uint64_t first, uint64_t other) {
    const winnow__mpi_kind kind =
        i < WINNOW__MPI_MOST_SAME ? same->of[i].kind : WINNOW__MPI_NUMBER;
    char name[MOST_LETTERS], texts[2][MOST_LETTERS];
    name_of(same, i, name);
    if (kind == WINNOW__MPI_TEXT) /* only its hash is known */
        return winnow__ranks_refuse(
            "the ranks' arguments differ: %s on rank %d is "
            "not that on rank 0",
            name, rank);
    text_of(kind, first, texts[0]);
    text_of(kind, other, texts[1]);
    return winnow__ranks_refuse(
        "the ranks' arguments differ: %s is %s on rank 0 and %s on rank %d",
        name, texts[0], texts[1], rank);
}

winnow_status winnow__mpi_differ(const winnow_mpi *mpi,
                                 const winnow__mpi_same *same) {
    uint64_t mine[MOST], first[MOST], told[2];
    unsigned i = 0;
    int other;
    list_values(same, mine);
    list_values(same, first);
    WINNOW__TRY(
        WINNOW__MPI(MPI_Bcast(first, MOST, MPI_UINT64_T, 0, mpi->comm)));
    while (i < MOST && mine[i] == first[i])
        i++;
    const int rank = i < MOST ? mpi->rank : mpi->ranks;
    WINNOW__TRY(WINNOW__MPI(
        MPI_Allreduce(&rank, &other, 1, MPI_INT, MPI_MIN, mpi->comm)));
    /* Some rank has another value, since the hashes differ. */
    told[0] = i;
    told[1] = i < MOST ? mine[i] : 0;
    WINNOW__TRY(
        WINNOW__MPI(MPI_Bcast(told, 2, MPI_UINT64_T, other, mpi->comm)));
    return say(same, (unsigned)told[0], other, first[told[0]], told[1]);
}
