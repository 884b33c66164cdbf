/*
 * winnow on MPI: what was filtered on many ranks is placed, shared out evenly,
 * and brought to the ranks that it belongs to.
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A library of its own, libwinnow-mpi, over libwinnow and the MPI that it was
 * built with. winnow_mpi(7) is where to begin.
 *
 * Conventions, beside those of winnow.h
 *   - All functions but winnow_mpi_destroy() are collective: all ranks of the
 *     communicator call the same one, in the same order. All return the same
 *     status. Where one rank's arguments are wrong, or those that have to agree
 *     do not, no rank sends anything.
 *   - They return when their work is done. Arrays are in the host's memory.
 *   - A rank where `mpi` is NULL takes no part, and fails alone; and where MPI
 *     itself fails (WINNOW_ERR_COMMUNICATION) other ranks may wait.
 */
#ifndef WINNOW_MPI_H
#define WINNOW_MPI_H

#include <mpi.h>
#include <winnow.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A communicator of the library's own. One call at a time. */
typedef struct winnow_mpi winnow_mpi;

typedef struct winnow_mpi_options {
    size_t size; /* sizeof(winnow_mpi_options) */
    /* The most bytes of a message: what is larger is sent in pieces. 1 to 2^30;
     * 0: 2^28. The same on all ranks. */
    uint64_t piece_bytes;
    uint64_t reserved[4];
} winnow_mpi_options;

/*
 * Make one for the ranks of a communicator, which is duplicated.
 *
 *   options  NULL for the defaults.
 *
 * Returns WINNOW_OK; WINNOW_ERR_ARGUMENT: mpi_p is NULL, MPI is not initialised
 * or finalised, comm is MPI_COMM_NULL, or options make no sense or differ;
 * WINNOW_ERR_MEMORY; WINNOW_ERR_COMMUNICATION.
 */
WINNOW_API_CHECKED winnow_status winnow_mpi_create(
    winnow_mpi **mpi_p, MPI_Comm comm, const winnow_mpi_options *options);
/* Free it, before MPI_Finalize(), on all ranks. NULL is allowed. */
WINNOW_API void winnow_mpi_destroy(winnow_mpi *mpi);

/*
 * Where the items of this rank stand among those of all: behind those of lower
 * ranks.
 *
 *   count    items of this rank.
 *   first_p  NULL, or the number of items of lower ranks.
 *   total_p  NULL, or the number of items of all ranks.
 */
WINNOW_API_CHECKED winnow_status winnow_mpi_place(winnow_mpi *mpi,
                                                  uint64_t count,
                                                  uint64_t *first_p,
                                                  uint64_t *total_p);

/*
 * Share items out evenly, in their order: of `total` items rank r of P gets
 * total / P, and one more if r is less than total % P. A rank sends contiguous
 * pieces to those ranks alone whose shares its items are in.
 *
 *   n         items of this rank.
 *   moves     1 to 64 columns of elements of 1 to 4096 bytes, in use during the
 *             call: the same number and the same sizes on all ranks. d_in has n
 *             elements, and d_out room for `capacity`; all of them apart.
 *   capacity  of this rank.
 *   n_p       its share.
 *
 * Where a rank's share is above its capacity all ranks return
 * WINNOW_ERR_ARGUMENT, nothing is sent, and *n_p is written all the same.
 */
WINNOW_API_CHECKED winnow_status winnow_mpi_balance(winnow_mpi *mpi, uint64_t n,
                                                    const winnow_move *moves,
                                                    unsigned move_count,
                                                    uint64_t capacity,
                                                    uint64_t *n_p);

/*
 * Bring each part to its rank: elements offsets[r] to offsets[r + 1] - 1 of
 * d_in, as winnow_partition_by_key() writes them, go to rank r. What arrives
 * lies in d_out by the ranks that it came from, in ascending order, and of each
 * in the sender's order.
 *
 *   offsets       P + 1 numbers, in ascending order, in the memory of the host.
 *   moves         as for winnow_mpi_balance(); d_in has offsets[P] elements.
 *   capacity      of this rank.
 *   from_offsets  NULL, or P + 1 numbers: what came from rank r lies at
 *                 from_offsets[r] to from_offsets[r + 1] - 1.
 *   n_p           NULL, or the number of elements that came.
 *
 * Where what comes to a rank is more than its capacity all ranks return
 * WINNOW_ERR_ARGUMENT, nothing is sent, and the numbers are written all the
 * same.
 */
WINNOW_API_CHECKED winnow_status
winnow_mpi_exchange(winnow_mpi *mpi, const uint64_t *offsets,
                    const winnow_move *moves, unsigned move_count,
                    uint64_t capacity, uint64_t *from_offsets, uint64_t *n_p);

/*
 * Write one file: the elements of the ranks, in ascending order, behind
 * header_bytes bytes, which the call leaves as they are. What a file has behind
 * the last element is cut off. Each rank writes at its own place, in pieces.
 *
 *   path           of the file, which is made where there is none; the same on
 *                  all ranks, and so are header_bytes and element_bytes.
 *   data           n elements of 1 to 4096 bytes.
 *
 * Returns WINNOW_ERR_FILE where the file cannot be opened or written: then it
 * may have any contents.
 */
WINNOW_API_CHECKED winnow_status winnow_mpi_write(winnow_mpi *mpi,
                                                  const char *path,
                                                  uint64_t header_bytes,
                                                  const void *data, uint64_t n,
                                                  size_t element_bytes);

#ifdef __cplusplus
}
#endif

#endif
