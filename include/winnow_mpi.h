/*
 * winnow on MPI: what was filtered on many ranks is placed, shared out evenly,
 * and brought to the ranks that it belongs to; what moves from rank to rank
 * leaves and arrives in place.
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A library of its own, libwinnow-mpi, over libwinnow and the MPI that it was
 * built with. winnow_mpi(7) is where to begin.
 *
 * Conventions, beside those of winnow.h
 *   - All functions are collective: all ranks of the communicator call the same
 *     one, in the same order. All return the same status. Where one rank's
 *     arguments are wrong, or those that have to agree do not, no rank sends
 *     anything.
 *   - They call MPI in the thread that makes the call, and in no other.
 *   - They return when their work is done. Arrays are in any memory: the
 *     host's, or a device's. They do not wait for streams: what writes to arrays
 *     has to be done before the call.
 *   - A rank where `mpi` is NULL takes no part, and fails alone; and where MPI
 *     itself fails (WINNOW_ERR_COMMUNICATION), or CUDA when messages are under
 *     way, other ranks may wait.
 */
#ifndef WINNOW_MPI_H
#define WINNOW_MPI_H

#include <mpi.h>
#include <winnow.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A communicator of the library's own. One call at a time. It keeps the memory
 * that calls need, in the host and on devices, until it is destroyed. */
typedef struct winnow_mpi winnow_mpi;

/* How arrays are sent. Ranks may differ. */
typedef enum winnow_mpi_memory {
    WINNOW_MPI_AUTO = 0,   /* a device's memory as STAGED, unless MPI says that
                              it takes it; all other as DIRECT */
    WINNOW_MPI_STAGED = 1, /* through buffers of two pieces each way */
    WINNOW_MPI_DIRECT = 2  /* MPI gets their addresses, and has to know them */
} winnow_mpi_memory;

typedef struct winnow_mpi_options {
    size_t size; /* sizeof(winnow_mpi_options) */
    /* The most bytes of a message: what is larger is sent in pieces. 1 to 2^30;
     * 0: 2^22. The same on all ranks. */
    uint64_t piece_bytes;
    winnow_mpi_memory memory;
    uint64_t reserved[4];
} winnow_mpi_options;

/*
 * Make one for the ranks of a communicator, which is duplicated.
 *
 *   comm     no intercommunicator; it may be freed after the call.
 *   options  NULL for the defaults.
 *
 * Returns WINNOW_OK; WINNOW_ERR_ARGUMENT: mpi_p is NULL, MPI is not initialised
 * or finalised, comm is MPI_COMM_NULL or an intercommunicator, or options make
 * no sense or differ; WINNOW_ERR_MEMORY; WINNOW_ERR_COMMUNICATION.
 */
WINNOW_API_CHECKED winnow_status winnow_mpi_create(
    winnow_mpi **mpi_p, MPI_Comm comm, const winnow_mpi_options *options);
/* The same by Fortran's handle of a communicator; in the module winnow_mpi for
 * Fortran it is winnow_mpi_create(). */
WINNOW_API_CHECKED winnow_status winnow_mpi_create_f(
    winnow_mpi **mpi_p, MPI_Fint comm, const winnow_mpi_options *options);
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
 * Send items that leave to their ranks, in place: those that arrive fill the
 * places of those that left, as winnow_fill_holes() does. No more items are
 * moved than leave, or arrive; all others stay where they are.
 *
 *   context          selects, packs and fills. It reaches the arrays.
 *   d_ranks          of each of the n items the rank that it goes to. This
 *                    rank: it stays. -1: it is dropped.
 *   moves            1 to 64 columns of elements of 1 to 4096 bytes, in use
 *                    during the call: d_out has the n elements, and room for
 *                    `capacity`; d_in is NULL. The same number and the same
 *                    sizes on all ranks.
 *   capacity         of this rank: n at least.
 *   neighbours       NULL: items go to any rank. Or the ranks, without this
 *                    one, that items go to and come from, each once, in any
 *                    order: a rank is a neighbour of its neighbours. Then there
 *                    are no messages with others. NULL on all ranks, or on none.
 *   neighbour_count  of them; may be 0.
 *   n_p              the number of items that this rank has then.
 *
 * The items that arrive stand in the order of the ranks that they come from,
 * and of each in the sender's order, in the places that the items which left
 * have made free, in ascending order, and then behind the last item. Where more
 * left than arrive, items from the end fill the places that are still free. So
 * the same items, in the same order, are in the same places afterwards.
 *
 * Where a rank has too little room all ranks return WINNOW_ERR_ARGUMENT,
 * nothing is sent, and *n_p is written all the same. WINNOW_ERR_ARGUMENT, too,
 * where an item goes to no rank of the communicator, or to one that is no
 * neighbour, and where a rank is not a neighbour of its neighbour. What the
 * context's calls return is returned on all ranks.
 */
WINNOW_API_CHECKED winnow_status winnow_mpi_migrate(
    winnow_mpi *mpi, winnow_context *context, const int32_t *d_ranks,
    uint64_t n, const winnow_move *moves, unsigned move_count,
    uint64_t capacity, const int *neighbours, unsigned neighbour_count,
    uint64_t *n_p);

/*
 * Put the results of all ranks together, as winnow_reduction_merge() does, in
 * the order of the ranks: the same bits on all of them, and at every run.
 *
 *   type      of the elements, and `wanted`, without WINNOW_REDUCE_PARTIAL: the
 *             same on all ranks.
 *   partial   of this rank, in the memory of the host, of a call with
 *             WINNOW_REDUCE_PARTIAL.
 *   first     what is added to its indices: what winnow_mpi_place() writes, for
 *             example.
 *   result_p  may be the partial.
 */
WINNOW_API_CHECKED winnow_status winnow_mpi_reduce(
    winnow_mpi *mpi, winnow_type type, const winnow_reduction *partial,
    uint64_t first, unsigned wanted, winnow_reduction *result_p);

/*
 * Write one file: the elements of the ranks, in ascending order, behind
 * header_bytes bytes, which the call leaves as they are. What a file has behind
 * the last element is cut off. Each rank writes at its own place, in pieces.
 *
 *   path           of the file, which is made where there is none; the same on
 *                  all ranks, and so are header_bytes and element_bytes.
 *   data           n elements of 1 to 4096 bytes, in the memory of the host.
 *
 * Returns WINNOW_ERR_FILE where the file cannot be opened on a rank, or written,
 * or has no room: then it may have any contents.
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
