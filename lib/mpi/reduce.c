/*
 * winnow_mpi_reduce: every rank gathers the partials of all ranks and merges
 * them in the order of the ranks, so that all get the same bits.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ranks.h"

#include <stdlib.h>
#include <string.h>

/* The partials of all ranks, followed by the offsets of their indices. */
typedef struct gathered {
    winnow_reduction *partials;
    uint64_t *firsts;
} gathered;

static winnow_status alloc(int ranks, gathered *all) {
    const size_t each = sizeof *all->partials + sizeof *all->firsts;
    all->partials = malloc((size_t)ranks * each);
    if (all->partials == NULL)
        return winnow__ranks_fail(WINNOW_ERR_MEMORY,
                                  "no memory for results of %d ranks", ranks);
    all->firsts = (uint64_t *)(void *)(all->partials + ranks);
    return WINNOW_OK;
}

static winnow_status check(winnow_type type, const winnow_reduction *partial,
                           unsigned wanted, const winnow_reduction *result_p) {
    winnow_reduction tried;
    WINNOW__TRY(winnow__ranks_need(result_p, "result_p"));
    WINNOW__TRY(winnow__ranks_need(partial, "partial"));
    if (wanted & WINNOW_REDUCE_PARTIAL)
        return winnow__ranks_refuse(
            "wanted has WINNOW_REDUCE_PARTIAL: the result "
            "is of all ranks");
    return winnow_reduction_merge(type, partial, NULL, 1, wanted, &tried);
}

static winnow_status gather(const winnow_mpi *mpi,
                            const winnow_reduction *partial, uint64_t first,
                            const gathered *all) {
    enum {
        WORDS = sizeof *partial / sizeof(uint64_t)
    };
    _Static_assert(sizeof *partial % sizeof(uint64_t) == 0, "whole words");
    WINNOW__TRY(
        WINNOW__MPI(MPI_Allgather(partial, WORDS, MPI_UINT64_T, all->partials,
                                  WORDS, MPI_UINT64_T, mpi->comm)));
    return WINNOW__MPI(MPI_Allgather(&first, 1, MPI_UINT64_T, all->firsts, 1,
                                     MPI_UINT64_T, mpi->comm));
}

winnow_status winnow_mpi_reduce(winnow_mpi *mpi, winnow_type type,
                                const winnow_reduction *partial, uint64_t first,
                                unsigned wanted, winnow_reduction *result_p) {
    gathered all = {0};
    WINNOW__TRY(winnow__ranks_need(mpi, "mpi"));
    const winnow__mpi_same same = {
        .of = {{"type", (uint64_t)type, WINNOW__MPI_TYPE},
               {"wanted", wanted, WINNOW__MPI_FLAGS}}};
    winnow__mpi_word word = {.status = check(type, partial, wanted, result_p),
                             .same = &same};
    if (word.status == WINNOW_OK)
        word.status = alloc(mpi->ranks, &all);
    winnow_status status = winnow__mpi_agree(mpi, &word, NULL);
    if (status == WINNOW_OK)
        status = gather(mpi, partial, first, &all);
    if (status == WINNOW_OK)
        status = winnow_reduction_merge(type, all.partials, all.firsts,
                                        (uint64_t)mpi->ranks, wanted, result_p);
    free(all.partials);
    return status;
}
