/*
 * winnow on MPI: functions that place the survivors of many ranks, distribute
 * them evenly, send them to the ranks that they belong to, and move items from
 * rank to rank in place.
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A separate library, libwinnow-mpi, on top of libwinnow and the MPI that it
 * was built with. Begin with winnow_mpi(7).
 *
 * Conventions in addition to those of winnow.h
 *   - All functions are collective: all ranks of the communicator call the same
 *     functions in the same order. All ranks return the same status. If the
 *     arguments of one rank are wrong, or if arguments that must be the same on
 *     all ranks differ, no rank sends anything.
 *   - They call MPI only in the thread that calls them.
 *   - They return when their work is done. Arrays are in host or device memory.
 *     They do not wait for streams: all work that writes to arrays has to be
 *     done before the call.
 *   - A rank whose `mpi` is NULL takes no part, and only this rank fails.
 *   - If MPI fails (WINNOW_ERR_COMMUNICATION), or CUDA fails while messages are
 *     sent, other ranks may wait for ever.
 */
#ifndef WINNOW_MPI_H
#define WINNOW_MPI_H

#include <mpi.h>
#include <winnow.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A communicator of the library. Only one call at a time may use it. It keeps
 * the host and device memory that calls need until it is destroyed. */
typedef struct winnow_mpi winnow_mpi;

/* How arrays are sent. It may differ between ranks. */
typedef enum winnow_mpi_memory {
    WINNOW_MPI_AUTO = 0,   /* STAGED for device memory, if MPI does not say that
                              it supports it; otherwise DIRECT */
    WINNOW_MPI_STAGED = 1, /* through buffers, two pieces for each direction */
    WINNOW_MPI_DIRECT = 2  /* MPI gets the addresses of the arrays */
} winnow_mpi_memory;

typedef struct winnow_mpi_options {
    size_t size; /* sizeof(winnow_mpi_options) */
    /* The largest number of bytes in a message, 1 to 2^30; 0: 2^22. Larger data
     * are sent in pieces. The same on all ranks. */
    uint64_t piece_bytes;
    winnow_mpi_memory memory;
    uint64_t reserved[4];
} winnow_mpi_options;

/*
 * Make a winnow_mpi for the ranks of a communicator, which is duplicated.
 *
 *   comm     not an intercommunicator; it may be freed after the call.
 *   options  NULL for the defaults.
 *
 * Returns WINNOW_OK; WINNOW_ERR_ARGUMENT: mpi_p is NULL, MPI is not initialised
 * or is finalised, comm is MPI_COMM_NULL or an intercommunicator, or options
 * are wrong or differ; WINNOW_ERR_MEMORY; WINNOW_ERR_COMMUNICATION.
 */
WINNOW_API_CHECKED winnow_status winnow_mpi_create(
    winnow_mpi **mpi_p, MPI_Comm comm, const winnow_mpi_options *options);
/* The same for the Fortran handle of a communicator. In the Fortran module
 * winnow_mpi its name is winnow_mpi_create(). */
WINNOW_API_CHECKED winnow_status winnow_mpi_create_f(
    winnow_mpi **mpi_p, MPI_Fint comm, const winnow_mpi_options *options);
/* Free a winnow_mpi on all ranks, before MPI_Finalize(). NULL is allowed. */
WINNOW_API void winnow_mpi_destroy(winnow_mpi *mpi);

/*
 * Compute the offset of the items of this rank among the items of all ranks,
 * which are in the order of the ranks.
 *
 *   count    the number of items of this rank.
 *   first_p  NULL, or where the call writes the number of items of lower ranks.
 *   total_p  NULL, or where the call writes the number of items of all ranks.
 */
WINNOW_API_CHECKED winnow_status winnow_mpi_place(winnow_mpi *mpi,
                                                  uint64_t count,
                                                  uint64_t *first_p,
                                                  uint64_t *total_p);

/*
 * Distribute items evenly, in order. If P ranks have `total` items, rank r gets
 * total / P items, and one more if r is less than total % P. A rank sends only
 * to the ranks whose shares contain its items, a contiguous piece to each.
 *
 *   n         the number of items of this rank.
 *   moves     1 to 64 columns of elements of 1 to 4096 bytes, read only during
 *             the call. Their number and sizes are the same on all ranks. d_in
 *             has n elements, and d_out has room for `capacity` elements. The
 *             arrays may not overlap.
 *   capacity  the number of elements that the outputs of this rank have room
 *             for.
 *   n_p       where the call writes the size of this rank's share.
 *
 * If the share of a rank is larger than its capacity, all ranks return
 * WINNOW_ERR_ARGUMENT, nothing is sent, and *n_p is still written.
 */
WINNOW_API_CHECKED winnow_status winnow_mpi_balance(winnow_mpi *mpi, uint64_t n,
                                                    const winnow_move *moves,
                                                    unsigned move_count,
                                                    uint64_t capacity,
                                                    uint64_t *n_p);

/*
 * Send each part to its rank: elements offsets[r] to offsets[r + 1] - 1 of d_in
 * go to rank r. winnow_partition_by_key() makes such parts. The elements that a
 * rank receives are in the order of the ranks that sent them, and the elements
 * of one rank keep their order.
 *
 *   offsets       P + 1 numbers, in ascending order, in host memory.
 *   moves         as for winnow_mpi_balance(); d_in has offsets[P] elements.
 *   capacity      the number of elements that the outputs of this rank have
 *                 room for.
 *   from_offsets  NULL, or where the call writes P + 1 numbers: the elements
 *                 from rank r are from_offsets[r] to from_offsets[r + 1] - 1.
 *   n_p           NULL, or where the call writes the number of elements that
 *                 this rank received.
 *
 * If a rank would receive more elements than its capacity, all ranks return
 * WINNOW_ERR_ARGUMENT, nothing is sent, and the numbers are still written.
 */
WINNOW_API_CHECKED winnow_status
winnow_mpi_exchange(winnow_mpi *mpi, const uint64_t *offsets,
                    const winnow_move *moves, unsigned move_count,
                    uint64_t capacity, uint64_t *from_offsets, uint64_t *n_p);

/*
 * Send items that leave a rank to other ranks, in place: the items that arrive
 * take the places of the items that left, as in winnow_fill_holes(). The call
 * moves at most the number of items that leave, or the number that arrive if
 * that is greater. All other items stay where they are.
 *
 *   context          selects and packs items, and fills the holes. It has to be
 *                    able to access the arrays.
 *   d_ranks          the rank that each of the n items goes to. An item stays
 *                    if that is this rank, and is dropped if it is -1.
 *   moves            1 to 64 columns of elements of 1 to 4096 bytes, read only
 *                    during the call. Their number and sizes are the same on
 *                    all ranks. d_out has n elements, and room for `capacity`
 *                    elements; d_in is NULL.
 *   capacity         the number of elements that the columns of this rank have
 *                    room for, at least n.
 *   neighbours       NULL: items may go to any rank. Otherwise the ranks to
 *                    which items may go and from which they may come: each
 *                    once, in any order, without this rank. The call exchanges
 *                    no messages with other ranks. A rank has to be a neighbour
 *                    of its neighbours. The list is NULL on all ranks, or on
 *                    none.
 *   neighbour_count  the number of neighbours; may be 0.
 *   n_p              where the call writes the number of items that this rank
 *                    has afterwards.
 *
 * The items that arrive are in the order of the ranks that sent them, and the
 * items of one rank keep their order. They fill the places of the items that
 * left, in ascending order, and then the places behind the last item. If more
 * items left than arrive, items from the end fill the places that are still
 * free. So the same input gives the same result.
 *
 * If a rank has too little room, all ranks return WINNOW_ERR_ARGUMENT, nothing
 * is sent, and *n_p is still written. It also returns WINNOW_ERR_ARGUMENT if an
 * item goes to a rank that is not in the communicator or is not a neighbour, or
 * a rank is not a neighbour of its neighbour. Errors of the context's calls are
 * returned on all ranks.
 */
WINNOW_API_CHECKED winnow_status winnow_mpi_migrate(
    winnow_mpi *mpi, winnow_context *context, const int32_t *d_ranks,
    uint64_t n, const winnow_move *moves, unsigned move_count,
    uint64_t capacity, const int *neighbours, unsigned neighbour_count,
    uint64_t *n_p);

/*
 * Merge the results of all ranks in the order of the ranks, as
 * winnow_reduction_merge() does. The result has the same bits on all ranks and
 * in every run.
 *
 *   type      the type of the elements. type and wanted are the same on all
 *             ranks. wanted does not have WINNOW_REDUCE_PARTIAL.
 *   partial   the result of this rank, in host memory, from a call with
 *             WINNOW_REDUCE_PARTIAL.
 *   first     the number that is added to the indices of `partial`, such as the
 *             number that winnow_mpi_place() writes.
 *   result_p  may be `partial`.
 */
WINNOW_API_CHECKED winnow_status winnow_mpi_reduce(
    winnow_mpi *mpi, winnow_type type, const winnow_reduction *partial,
    uint64_t first, unsigned wanted, winnow_reduction *result_p);

/*
 * Write the elements of all ranks to one file, in the order of the ranks. They
 * begin behind header_bytes bytes, which the call does not change. If the file
 * has bytes behind the last element, they are cut off. Each rank writes at its
 * own offset, in pieces.
 *
 *   path           the file, which is made if it does not exist. path,
 *                  header_bytes and element_bytes are the same on all ranks.
 *   data           n elements of 1 to 4096 bytes, in host memory.
 *
 * WINNOW_ERR_FILE: a rank cannot open the file or write to it, or there is no
 * room for it; then its contents are undefined.
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
