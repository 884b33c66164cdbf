/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ranks.h"

winnow_status winnow_mpi_place(winnow_mpi *mpi, uint64_t count,
                               uint64_t *first_p, uint64_t *total_p) {
    uint64_t first = 0, total = 0;
    WINNOW__TRY(winnow__ranks_need(mpi, "mpi"));
    WINNOW__TRY(WINNOW__MPI(
        MPI_Exscan(&count, &first, 1, MPI_UINT64_T, MPI_SUM, mpi->comm)));
    WINNOW__TRY(WINNOW__MPI(
        MPI_Allreduce(&count, &total, 1, MPI_UINT64_T, MPI_SUM, mpi->comm)));
    if (first_p != NULL)
        *first_p = mpi->rank == 0 ? 0 : first; /* undefined on rank 0 */
    if (total_p != NULL)
        *total_p = total;
    return WINNOW_OK;
}
