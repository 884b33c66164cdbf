/*
 * What the calls over MPI share.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "ranks/ranks.h"

#include <winnow_mpi.h>
#include <stdbool.h>

/* ---- memory.c: the memory of arrays, and the library's own memory. */
typedef struct winnow__mpi_memory {
    bool is_cuda;   /* known to CUDA: of a device, managed, or pinned */
    bool is_device; /* of a device, or managed */
    int device;
} winnow__mpi_memory;

/* Finds the memory that an address is in. NULL counts as pageable memory. */
winnow_status winnow__mpi_find_memory(const void *memory,
                                      winnow__mpi_memory *about_p);
/* Allocates memory for work on arrays in memory like `about`. on_host: the host
 * can access it. NULL for 0 bytes. */
winnow_status winnow__mpi_alloc(const winnow__mpi_memory *about, bool on_host,
                                size_t bytes, void **memory_p);
void winnow__mpi_free(const winnow__mpi_memory *about, bool on_host,
                      void *memory);
/* Copies after all work on the default stream, and waits for the copy. */
winnow_status winnow__mpi_copy(const winnow__mpi_memory *about, void *to,
                               const void *from, size_t bytes);
/* The same without waiting; winnow__mpi_await_copies() waits. */
winnow_status winnow__mpi_start_copy(const winnow__mpi_memory *about, void *to,
                                     const void *from, size_t bytes);
winnow_status winnow__mpi_await_copies(const winnow__mpi_memory *about);
/* Does MPI accept addresses of device memory? */
bool winnow__mpi_is_cuda_aware(void);

/* The uses of memory that is kept between calls. */
typedef enum winnow__mpi_use {
    WINNOW__MPI_REQUESTS,
    WINNOW__MPI_STAGED_OUT, /* two pieces to send, */
    WINNOW__MPI_STAGED_IN,  /* and two received ones */
    WINNOW__MPI_COUNT,      /* this and the rest: winnow_mpi_migrate() */
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
    MPI_Comm comm; /* a duplicate; its errors are returned */
    int rank, ranks;
    uint64_t piece_bytes;
    winnow_mpi_memory memory; /* of the options */
    bool is_cuda_aware;       /* is MPI? */
    /* Room for ranks + 1 numbers each. It is allocated in advance: so no call
     * lacks memory before it has agreed with the other ranks. */
    uint64_t *send, *receive; /* offsets by rank */
    uint64_t *numbers[2];     /* for any use in a call */
    MPI_Request *requests;    /* two for each rank */
    winnow__mpi_room rooms[WINNOW__MPI_USES];
};

/* ---- rooms.c */

/* Memory for a use, as from winnow__mpi_alloc(). Memory of an earlier call is
 * reused if it is large enough; its contents are lost. NULL for 0 bytes. */
winnow_status winnow__mpi_take(winnow_mpi *mpi, winnow__mpi_use use,
                               const winnow__mpi_memory *about, bool on_host,
                               size_t bytes, void **memory_p);
void winnow__mpi_free_rooms(winnow_mpi *mpi);

/* ---- same.c */

typedef enum winnow__mpi_kind {
    WINNOW__MPI_NUMBER,
    WINNOW__MPI_TYPE,
    WINNOW__MPI_FLAGS,
    WINNOW__MPI_TEXT,    /* the value is its winnow__mpi_hash_text() */
    WINNOW__MPI_POINTER, /* the value is 0 for NULL, else 1 */
} winnow__mpi_kind;

enum {
    WINNOW__MPI_MOST_SAME = 3
};
/* The arguments of a call that have to be equal on all ranks. */
typedef struct winnow__mpi_same {
    struct {
        const char *name; /* NULL: no more */
        uint64_t value;
        winnow__mpi_kind kind;
    } of[WINNOW__MPI_MOST_SAME];
    const winnow_move *moves; /* their element_bytes have to be equal, too */
    unsigned number;          /* of moves */
} winnow__mpi_same;
/* Equal arguments have equal hashes. */
uint64_t winnow__mpi_hash_same(const winnow__mpi_same *same);
uint64_t winnow__mpi_hash_text(const char *text);
/* The arguments of columns. They may be invalid. */
winnow__mpi_same winnow__mpi_same_columns(const winnow_move *moves,
                                          unsigned number);
/* If all ranks know that arguments differ: the error, which says where. */
winnow_status winnow__mpi_differ(const winnow_mpi *mpi,
                                 const winnow__mpi_same *same);

/* ---- agree.c */

/* The status for a return value of MPI. `call` is the call's text; it begins
 * with the function's name. */
winnow_status winnow__mpi_status(int error, const char *call);
#define WINNOW__MPI(CALL) winnow__mpi_status(CALL, #CALL)

/* What a rank contributes to an agreement. */
typedef struct winnow__mpi_word {
    winnow_status status; /* of its arguments, or of its memory */
    /* NULL: nothing has to be equal. Ignored if the status is an error. */
    const winnow__mpi_same *same;
    uint64_t needed,
        capacity; /* elements; a rank is short if more are needed */
} winnow__mpi_word;
static inline bool winnow__mpi_is_short(const winnow__mpi_word *word) {
    return word->needed > word->capacity;
}
/*
 * Returns the same status on all ranks: the worst of all, or an error if `same`
 * differs. On success *short_p is the first rank that is short, or -1. It may
 * be NULL if no rank can be short.
 */
winnow_status winnow__mpi_agree(const winnow_mpi *mpi,
                                const winnow__mpi_word *word, int *short_p);
/* The error when a rank is short. All ranks know the first short one. */
winnow_status winnow__mpi_short(const winnow_mpi *mpi,
                                const winnow__mpi_word *word, int short_rank);

/* ---- messages.c */

/* Of each column elements mpi->send[r] to mpi->send[r + 1] - 1 go to rank r.
 * Elements from rank r go to mpi->receive[r] and further. */
typedef struct winnow__mpi_messages {
    MPI_Request *requests;
    /* For columns that MPI cannot access: two pieces each way. */
    unsigned char *out, *in;
    size_t stage_bytes; /* of a piece */
    bool staged[WINNOW__RANKS_MOST_COLUMNS];
    winnow__mpi_memory memory[WINNOW__RANKS_MOST_COLUMNS];
} winnow__mpi_messages;
/* Allocates what the messages need, before the ranks agree. */
winnow_status winnow__mpi_prepare(winnow_mpi *mpi, const winnow_move *moves,
                                  unsigned number,
                                  winnow__mpi_messages *messages);
winnow_status winnow__mpi_send(const winnow_mpi *mpi, const winnow_move *moves,
                               unsigned number,
                               const winnow__mpi_messages *messages);
