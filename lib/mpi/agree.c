/*
 * Errors, and that all ranks have the same.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ranks.h"

#include <stdarg.h>
#include <stdio.h>

winnow_status winnow__mpi_fail(winnow_status status, const char *format, ...) {
    char detail[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(detail, sizeof detail, format, arguments);
    va_end(arguments);
    return winnow_set_last_error(status, detail);
}

winnow_status winnow__mpi_status(int error, const char *call) {
    char text[MPI_MAX_ERROR_STRING + 1];
    int length = 0;
    if (error == MPI_SUCCESS)
        return WINNOW_OK;
    if (MPI_Error_string(error, text, &length) != MPI_SUCCESS)
        length = 0;
    return winnow__mpi_fail(WINNOW_ERR_COMMUNICATION, "%s: %.*s", call, length,
                            text);
}

enum {
    WORST, /* a status, and below it the rank that has it */
    SAME,
    OTHERWISE, /* a hash, and its complement: the most of both tell
                        whether all are equal */
    SHORT,
    NUMBERS
};

winnow_status winnow__mpi_agree(const winnow_mpi *mpi,
                                const winnow__mpi_word *word,
                                bool *is_short_p) {
    const uint64_t mine[NUMBERS] = {
        [WORST] = (uint64_t)word->status << 32 | (uint32_t)mpi->rank,
        [SAME] = word->status == WINNOW_OK ? word->same : 0,
        [OTHERWISE] = word->status == WINNOW_OK ? ~word->same : 0,
        [SHORT] = word->is_short};
    uint64_t all[NUMBERS];
    const winnow_status status = winnow__mpi_status(
        MPI_Allreduce(mine, all, NUMBERS, MPI_UINT64_T, MPI_MAX, mpi->comm),
        "MPI_Allreduce");
    if (status != WINNOW_OK)
        return status;
    const winnow_status worst = (winnow_status)(all[WORST] >> 32);
    if (worst != WINNOW_OK) {
        /* Its own error has its own detail. */
        return word->status == worst
                   ? worst
                   : winnow__mpi_fail(worst,
                                      "rank %u has %s: its winnow_last_error() "
                                      "says why",
                                      (unsigned)all[WORST],
                                      winnow_status_name(worst));
    }
    if (all[SAME] != ~all[OTHERWISE])
        return winnow__mpi_fail(
            WINNOW_ERR_ARGUMENT,
            "the ranks' arguments differ where they have to be the same: the "
            "number of columns, their element_bytes, piece_bytes, a path, a "
            "header, a type, what is wanted, or whether there are neighbours");
    *is_short_p = all[SHORT] != 0;
    return WINNOW_OK;
}

winnow_status winnow__mpi_short(uint64_t needed, uint64_t capacity) {
    return needed > capacity
               ? winnow__mpi_fail(WINNOW_ERR_ARGUMENT,
                                  "capacity is %llu: %llu elements need room",
                                  (unsigned long long)capacity,
                                  (unsigned long long)needed)
               : winnow__mpi_fail(WINNOW_ERR_ARGUMENT,
                                  "the capacity of another rank is less than "
                                  "what comes to it");
}
