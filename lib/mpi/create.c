/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ranks.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
    /* From 2^21 to 2^30 bytes all sizes are equally fast. A staged piece is
     * copied while the previous piece is sent. */
    USUAL_PIECE = 1 << 22,
    LOG2_MOST_PIECE = 30
};

static winnow_status check_options(const winnow_mpi_options *options,
                                   winnow_mpi *mpi) {
    winnow_mpi_options o = {.size = sizeof o};
    WINNOW__TRY(winnow__ranks_take_options(options, "winnow_mpi_options", &o,
                                           sizeof o));
    WINNOW__TRY(winnow__ranks_check_options(o.reserved, o.piece_bytes,
                                            LOG2_MOST_PIECE));
    if ((unsigned)o.memory > WINNOW_MPI_DIRECT)
        return winnow__ranks_refuse(
            "options->memory %u is no winnow_mpi_memory", (unsigned)o.memory);
    mpi->piece_bytes = o.piece_bytes != 0 ? o.piece_bytes : USUAL_PIECE;
    mpi->memory = o.memory;
    mpi->is_cuda_aware = winnow__mpi_is_cuda_aware();
    return WINNOW_OK;
}

/* Errors that a rank cannot report to the others. */
static winnow_status check_mpi(winnow_mpi **mpi_p, MPI_Comm comm) {
    int begun = 0, ended = 0, is_inter = 0;
    WINNOW__TRY(WINNOW__MPI(MPI_Initialized(&begun)));
    WINNOW__TRY(WINNOW__MPI(MPI_Finalized(&ended)));
    if (!begun || ended)
        return winnow__ranks_refuse("MPI is %s",
                                    begun ? "finalised" : "not initialised");
    if (comm == MPI_COMM_NULL)
        return winnow__ranks_refuse("comm is MPI_COMM_NULL");
    WINNOW__TRY(WINNOW__MPI(MPI_Comm_test_inter(comm, &is_inter)));
    if (is_inter)
        return winnow__ranks_refuse("comm is an intercommunicator");
    return winnow__ranks_need(mpi_p, "mpi_p");
}

static winnow_status open_comm(winnow_mpi *mpi, MPI_Comm comm) {
    WINNOW__TRY(WINNOW__MPI(MPI_Comm_dup(comm, &mpi->comm)));
    WINNOW__TRY(
        WINNOW__MPI(MPI_Comm_set_errhandler(mpi->comm, MPI_ERRORS_RETURN)));
    WINNOW__TRY(WINNOW__MPI(MPI_Comm_rank(mpi->comm, &mpi->rank)));
    return WINNOW__MPI(MPI_Comm_size(mpi->comm, &mpi->ranks));
}

static winnow_status take_memory(winnow_mpi *mpi) {
    const size_t each = (size_t)mpi->ranks + 1;
    uint64_t *const memory = malloc(4 * each * sizeof *memory);
    mpi->send = memory;
    mpi->requests = malloc(2 * each * sizeof *mpi->requests);
    if (memory == NULL || mpi->requests == NULL)
        return winnow__ranks_fail(WINNOW_ERR_MEMORY, "no memory for %d ranks",
                                  mpi->ranks);
    mpi->receive = memory + each;
    mpi->numbers[0] = memory + 2 * each;
    mpi->numbers[1] = memory + 3 * each;
    return WINNOW_OK;
}

winnow_status winnow_mpi_create(winnow_mpi **mpi_p, MPI_Comm comm,
                                const winnow_mpi_options *options) {
    winnow_mpi mpi = {.comm = MPI_COMM_NULL};
    winnow_mpi *made = NULL;
    winnow_status status = check_mpi(mpi_p, comm);
    if (status == WINNOW_OK)
        status = open_comm(&mpi, comm);
    if (status != WINNOW_OK)
        goto failed;
    status = check_options(options, &mpi);
    if (status == WINNOW_OK)
        status = take_memory(&mpi);
    if (status == WINNOW_OK && (made = malloc(sizeof *made)) == NULL)
        status = winnow__ranks_fail(WINNOW_ERR_MEMORY, "no memory");
    const winnow__mpi_same same = {
        .of = {{"piece_bytes", mpi.piece_bytes, WINNOW__MPI_NUMBER}}};
    const winnow__mpi_word word = {.status = status, .same = &same};
    status = winnow__mpi_agree(&mpi, &word, NULL);
    if (status == WINNOW_OK) {
        *made = mpi;
        *mpi_p = made;
        return WINNOW_OK;
    }
failed:
    free(made);
    free(mpi.requests);
    free(mpi.send);
    if (mpi.comm != MPI_COMM_NULL)
        MPI_Comm_free(&mpi.comm);
    return status;
}

void winnow_mpi_destroy(winnow_mpi *mpi) {
    if (mpi == NULL)
        return;
    MPI_Comm_free(&mpi->comm);
    winnow__mpi_free_rooms(mpi);
    free(mpi->requests);
    free(mpi->send);
    free(mpi);
}
