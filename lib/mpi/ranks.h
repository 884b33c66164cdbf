/*
 * What the calls on MPI share.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "ranks/ranks.h"

#include <winnow_mpi.h>
#include <stdbool.h>

/* ---- memory.c: what memory arrays are in, and memory of the library's own. */
typedef struct winnow__mpi_memory {
    bool is_cuda;   /* CUDA knows it: a device's, managed, or pinned */
    bool is_device; /* a device's, or managed */
    int device;
} winnow__mpi_memory;

/* What memory an address is in. NULL counts as pageable memory. */
winnow_status winnow__mpi_find_memory(const void *memory,
                                      winnow__mpi_memory *about_p);
/* Memory for work on arrays that lie as `about` says; on_host: the host reaches
 * it, too. NULL for 0 bytes. */
winnow_status winnow__mpi_alloc(const winnow__mpi_memory *about, bool on_host,
                                size_t bytes, void **memory_p);
void winnow__mpi_free(const winnow__mpi_memory *about, bool on_host,
                      void *memory);
/* Copy after all work on the default stream, and wait for the copy. */
winnow_status winnow__mpi_copy(const winnow__mpi_memory *about, void *to,
                               const void *from, size_t bytes);
/* The same without waiting; winnow__mpi_await_copies() waits. */
winnow_status winnow__mpi_start_copy(const winnow__mpi_memory *about, void *to,
                                     const void *from, size_t bytes);
winnow_status winnow__mpi_await_copies(const winnow__mpi_memory *about);
/* Does MPI accept addresses of device memory? */
bool winnow__mpi_is_cuda_aware(void);

/* The uses of memory that is kept from call to call. */
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

/* Memory for a use, as from winnow__mpi_alloc(). That of an earlier call is reused if
 * it is large enough; its contents are lost. NULL for 0 bytes. */
winnow_status winnow__mpi_take(winnow_mpi *mpi, winnow__mpi_use use,
                               const winnow__mpi_memory *about, bool on_host,
                               size_t bytes, void **memory_p);
void winnow__mpi_free_rooms(winnow_mpi *mpi);

/* ---- same.c */

typedef enum winnow__mpi_kind {
    WINNOW__MPI_NUMBER,
    WINNOW__MPI_TYPE,
    WINNOW__MPI_FLAGS,
    WINNOW__MPI_TEXT,    /* its winnow__mpi_hash_text() */
    WINNOW__MPI_POINTER, /* is it NULL? 0 or 1 */
} winnow__mpi_kind;

enum {
    WINNOW__MPI_MOST_SAME = 3
};
/* The arguments of a call that have to be the same on all ranks. */
typedef struct winnow__mpi_same {
    struct {
        const char *name; /* NULL: no more */
        uint64_t value;
        winnow__mpi_kind kind;
    } of[WINNOW__MPI_MOST_SAME];
    const winnow_move *moves; /* whose element_bytes have to be */
    unsigned number;          /* of them */
} winnow__mpi_same;
/* Equal arguments have equal hashes. */
uint64_t winnow__mpi_hash_same(const winnow__mpi_same *same);
uint64_t winnow__mpi_hash_text(const char *text);
/* The arguments of columns. `moves` may be wrong. */
winnow__mpi_same winnow__mpi_same_columns(const winnow_move *moves,
                                          unsigned number);
/* All ranks know that something differs: an error that says what, and on which rank. */
winnow_status winnow__mpi_differ(const winnow_mpi *mpi,
                                 const winnow__mpi_same *same);

/* ---- agree.c */

/* The status for a return value of MPI. `call` is the text of the call, which begins
 * with the function's name. */
winnow_status winnow__mpi_status(int error, const char *call);
#define WINNOW__MPI(CALL) winnow__mpi_status(CALL, #CALL)

/* What a rank tells the others before anything is sent. */
typedef struct winnow__mpi_word {
    winnow_status status; /* of its arguments, or of its memory */
    /* NULL: none have to agree. Not looked at where the status is an error. */
    const winnow__mpi_same *same;
    uint64_t needed,
        capacity; /* elements: of more than it has room, it is short */
} winnow__mpi_word;
static inline bool winnow__mpi_is_short(const winnow__mpi_word *word) {
    return word->needed > word->capacity;
}
/*
 * Returns the same status on all ranks: the worst of all, or an error if `same`
 * differs. *short_p: the first rank that is short, or -1; set on success. NULL if no
 * rank can be short.
 */
winnow_status winnow__mpi_agree(const winnow_mpi *mpi,
                                const winnow__mpi_word *word, int *short_p);
/* The error when a rank is short. All ranks know the first that is. */
winnow_status winnow__mpi_short(const winnow_mpi *mpi,
                                const winnow__mpi_word *word, int short_rank);

/* ---- messages.c */

/* Elements mpi->send[r] to mpi->send[r + 1] of each column go to rank r. Those that
 * come from rank r go to mpi->receive[r]. */
typedef struct winnow__mpi_messages {
    MPI_Request *requests;
    /* Of columns that MPI cannot reach: room for two pieces that go, and for two
     * that come. */
    unsigned char *out, *in;
    size_t stage_bytes; /* of a piece */
    bool staged[WINNOW__RANKS_MOST_COLUMNS];
    winnow__mpi_memory memory[WINNOW__RANKS_MOST_COLUMNS]; /* of each column */
} winnow__mpi_messages;
/* Allocate what the messages need, before the ranks agree. */
winnow_status winnow__mpi_prepare(winnow_mpi *mpi, const winnow_move *moves,
                                  unsigned number,
                                  winnow__mpi_messages *messages);
winnow_status winnow__mpi_send(const winnow_mpi *mpi, const winnow_move *moves,
                               unsigned number,
                               const winnow__mpi_messages *messages);
