/*
 * What a rank of a test may not go on without: then it ends all of them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_MPI_MUST_H
#define WINNOW_TESTS_MPI_MUST_H

#include <winnow_mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks; /* of MPI_COMM_WORLD */

#define CHECK(condition)                                                       \
    do {                                                                       \
        if (!(condition)) {                                                    \
            fprintf(stderr, "rank %d of %d: %s:%d: %s -- %s\n", rank, ranks,   \
                    __FILE__, __LINE__, #condition, winnow_last_error());      \
            MPI_Abort(MPI_COMM_WORLD, 1);                                      \
        }                                                                      \
    } while (0)

/* Not zeros: nobody has written to it. */
static void *must_alloc(size_t bytes) {
    void *const memory = malloc(bytes + 1);

    CHECK(memory != NULL);
    memset(memory, 0x5a, bytes + 1);
    return memory;
}

#endif
