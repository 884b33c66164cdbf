/*
 * Errors, and how all ranks agree on the same one.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ranks.h"

#include <string.h>

winnow_status winnow__mpi_status(int error, const char *call) {
    char text[MPI_MAX_ERROR_STRING + 1];
    int length = 0;
    if (error == MPI_SUCCESS)
        return WINNOW_OK;
    if (MPI_Error_string(error, text, &length) != MPI_SUCCESS)
        length = 0;
    return winnow__ranks_fail(WINNOW_ERR_COMMUNICATION, "%.*s: %.*s",
                              (int)strcspn(call, "("), call, length, text);
}

enum {
    WORST, /* a status, and in the lower half the rank that has it */
    SAME,
    OTHERWISE, /* a hash and its complement: by the maximum of both the ranks
                  know whether all hashes are equal */
    SHORT,     /* 0, or a number that is greatest for the lowest short rank */
    NUMBERS
};

winnow_status winnow__mpi_agree(const winnow_mpi *mpi,
                                const winnow__mpi_word *word, int *short_p) {
    const uint64_t same = word->status == WINNOW_OK && word->same != NULL
                              ? winnow__mpi_hash_same(word->same)
                              : 0;
    const uint64_t mine[NUMBERS] = {
        [WORST] = (uint64_t)word->status << 32 | (uint32_t)mpi->rank,
        [SAME] = same,
        [OTHERWISE] = word->status == WINNOW_OK ? ~same : 0,
        [SHORT] =
            winnow__mpi_is_short(word) ? UINT64_MAX - (uint32_t)mpi->rank : 0};
    uint64_t all[NUMBERS];
    WINNOW__TRY(WINNOW__MPI(
        MPI_Allreduce(mine, all, NUMBERS, MPI_UINT64_T, MPI_MAX, mpi->comm)));
    const winnow_status worst = (winnow_status)(all[WORST] >> 32);
    if (worst != WINNOW_OK) {
        /* A rank with an error of its own keeps its own detail. */
        return word->status == worst
                   ? worst
                   : winnow__ranks_fail_elsewhere(worst, (unsigned)all[WORST]);
    }
    if (all[SAME] != ~all[OTHERWISE])
        return winnow__mpi_differ(mpi, word->same);
    if (short_p != NULL)
        *short_p = all[SHORT] != 0 ? (int)(UINT64_MAX - all[SHORT]) : -1;
    return WINNOW_OK;
}

/* A short rank reports itself; the others report the first short rank. */
winnow_status winnow__mpi_short(const winnow_mpi *mpi,
                                const winnow__mpi_word *word, int short_rank) {
    uint64_t of[2] = {word->needed, word->capacity};
    WINNOW__TRY(
        WINNOW__MPI(MPI_Bcast(of, 2, MPI_UINT64_T, short_rank, mpi->comm)));
    const bool is_mine = winnow__mpi_is_short(word);
    return winnow__ranks_fail_short(
        (unsigned)(is_mine ? mpi->rank : short_rank),
        is_mine ? word->needed : of[0], is_mine ? word->capacity : of[1]);
}
