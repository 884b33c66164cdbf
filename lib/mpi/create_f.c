/*
 * winnow_mpi_create_f: for Fortran, where communicators are integers.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ranks.h"

/* Without MPI a handle cannot be converted. */
static bool is_running(void) {
    int begun = 0, ended = 0;
    return MPI_Initialized(&begun) == MPI_SUCCESS &&
           MPI_Finalized(&ended) == MPI_SUCCESS && begun && !ended;
}

winnow_status winnow_mpi_create_f(winnow_mpi **mpi_p, MPI_Fint comm,
                                  const winnow_mpi_options *options) {
    return winnow_mpi_create(
        mpi_p, is_running() ? MPI_Comm_f2c(comm) : MPI_COMM_NULL, options);
}
