/*
 * What the calls on MPI share.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_MPI_RANKS_H
#define WINNOW_LIB_MPI_RANKS_H

#include "memory.h"

#include <winnow_mpi.h>

#include <stdbool.h>

enum {
    WINNOW__MPI_MOST_COLUMNS = 64
};

/* What memory is for that is kept from call to call. */
typedef enum winnow__mpi_use {
    WINNOW__MPI_REQUESTS,
    WINNOW__MPI_STAGED_OUT, /* two pieces that go, */
    WINNOW__MPI_STAGED_IN,  /* and two that come */
    WINNOW__MPI_COUNT,      /* the rest is winnow_mpi_migrate()'s: leavers.h */
    WINNOW__MPI_STAY,
    WINNOW__MPI_LEAVE,
    WINNOW__MPI_PACKED,
    WINNOW__MPI_SORTED,
    WINNOW__MPI_ARRIVED,
    WINNOW__MPI_USES
} winnow__mpi_use;

typedef struct winnow__mpi_room {
    void *memory;
    size_t bytes;
    winnow__mpi_memory about;
    bool on_host;
} winnow__mpi_room;

struct winnow_mpi {
    MPI_Comm comm; /* of its own; its errors are returned */
    int rank, ranks;
    uint64_t piece_bytes;
    winnow_mpi_memory memory; /* of the options */
    bool is_cuda_aware;       /* MPI is */
    /* Room for ranks + 1 numbers each, so that no call fails for want of
     * memory before it has told the others. */
    uint64_t *send,
        *receive;          /* offsets: of what goes to a rank, comes from it */
    uint64_t *numbers[2];  /* of a call's own */
    MPI_Request *requests; /* two for each rank */
    winnow__mpi_room rooms[WINNOW__MPI_USES];
};

/* ---- rooms.c */

/* Memory for a use, as winnow__mpi_alloc() makes it: that of an earlier call, if
 * it is large enough. What it has is lost. NULL for 0 bytes. */
winnow_status winnow__mpi_take(winnow_mpi *mpi, winnow__mpi_use use,
                               const winnow__mpi_memory *about, bool on_host,
                               size_t bytes, void **memory_p);
void winnow__mpi_free_rooms(winnow_mpi *mpi);

/* ---- agree.c */

/* Set the detail; return the status. */
winnow_status winnow__mpi_fail(winnow_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Of a return value of MPI's: `call` is what it came from. */
winnow_status winnow__mpi_status(int error, const char *call);

/* What a rank tells the others before anything is sent. */
typedef struct winnow__mpi_word {
    winnow_status status; /* of its arguments, or of its memory */
    uint64_t same;        /* a hash of the arguments that have to agree */
    bool is_short;        /* it has less room than it needs */
} winnow__mpi_word;
/*
 * The same status on all ranks: that of the worst of them, or an error where
 * `same` differs. *is_short_p: is one of them short? It is written on success.
 */
winnow_status winnow__mpi_agree(const winnow_mpi *mpi,
                                const winnow__mpi_word *word, bool *is_short_p);
/* Where a rank is short: an error. `needed` and `capacity` are this rank's. */
winnow_status winnow__mpi_short(uint64_t needed, uint64_t capacity);

/* ---- columns.c */

winnow_status winnow__mpi_check_columns(const winnow_move *moves,
                                        unsigned number);
/* Of columns that are checked, when it is known how many elements go and come:
 * are they there, and apart? */
winnow_status winnow__mpi_check_memory(const winnow_move *moves,
                                       unsigned number, uint64_t sent,
                                       uint64_t received);
/* Of what has to agree. */
uint64_t winnow__mpi_hash(const winnow_move *moves, unsigned number);

/* ---- messages.c */

/* Elements mpi->send[r] to mpi->send[r + 1] of each column go to rank r, and
 * those that come from it go to mpi->receive[r]. */
typedef struct winnow__mpi_messages {
    MPI_Request *requests;
    /* Of columns that MPI cannot reach: room for two pieces that go, and for two
     * that come. */
    unsigned char *out, *in;
    size_t stage_bytes; /* of a piece */
    bool staged[WINNOW__MPI_MOST_COLUMNS];
    winnow__mpi_memory memory[WINNOW__MPI_MOST_COLUMNS]; /* of each column */
} winnow__mpi_messages;
/* Before the ranks agree: have memory for them. */
winnow_status winnow__mpi_prepare(winnow_mpi *mpi, const winnow_move *moves,
                                  unsigned number,
                                  winnow__mpi_messages *messages);
winnow_status winnow__mpi_send(const winnow_mpi *mpi, const winnow_move *moves,
                               unsigned number,
                               const winnow__mpi_messages *messages);

#endif
