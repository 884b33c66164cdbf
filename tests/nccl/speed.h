/*
 * How fast libwinnow-nccl is: what the measurements have in common. A thread for
 * each GPU; what goes wrong ends the program.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_NCCL_SPEED_H
#define WINNOW_TESTS_NCCL_SPEED_H

#include "ranked.h"

enum {
    SPEED_WAYS = 2,       /* winnow_nccl_way */
    SPEED_MOST_RUNS = 51, /* whose median is taken */
    SPEED_PIECES = 8,     /* of partition and exchange */
    SPEED_ROW = 16        /* numbers of a list of offsets, and room */
};

#define SPEED_MIB (UINT64_C(1) << 20)
/* Of an exchange. */
#define SPEED_MOST_PAIR (512 * SPEED_MIB)
/* Of partition and exchange: keys of 4 bytes, with 8 bytes each. */
#define SPEED_ITEMS (UINT64_C(1) << 27)
#define SPEED_PIECE (SPEED_ITEMS / SPEED_PIECES)
/* Room for what comes to a rank of a piece: about SPEED_PIECE, at random. */
#define SPEED_ROOM (SPEED_PIECE + 65536)
/* Of a filter: numbers of 4 bytes, 1 GiB. */
#define SPEED_FILTERED (UINT64_C(1) << 28)

/* What a thread has. */
typedef struct speed_rank {
    const ranked_rank *r;
    int rank, ranks;
    cudaStream_t stream;            /* ranks meet here; of high priority */
    cudaStream_t front;             /* partitions */
    cudaEvent_t begin, end;         /* of a measurement */
    cudaEvent_t ready;              /* what is in `stream` has been done */
    cudaEvent_t done[SPEED_PIECES]; /* a piece is partitioned */
    winnow_context *context;
    winnow_predicate *kept[2]; /* 1% and 50% of random numbers of 32 bits */
    winnow_nccl *nccl[SPEED_WAYS];
    unsigned char *d_in, *d_parts;
    unsigned char *d_out[SPEED_WAYS]; /* that of PEER: by winnow_nccl_alloc() */
    uint64_t *d_offsets, *d_from;     /* a row for each piece, and one more */
    uint64_t *d_count;                /* and the place of it, two numbers */
    void *d_workspace;
    size_t workspace_bytes;
    unsigned char *staging; /* pinned memory of the host */
} speed_rank;

#define SPEED_STAGING (64 * SPEED_MIB)

/* Two numbers below 2^32, of which kept[] keeps those that are less. */
extern const uint32_t speed_bounds[2];

/* ------------------------------------------------------------------ errors */

/* Say so, and end the program: other ranks may be waiting for this one. */
_Noreturn void speed_stop(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
void speed_cuda(cudaError_t error, const char *call);
void speed_nccl(const speed_rank *s, ncclResult_t result, const char *call);
void speed_winnow(winnow_status status, const char *call);
#define SPEED_CUDA(CALL) speed_cuda(CALL, #CALL)
#define SPEED_NCCL(S, CALL) speed_nccl(S, CALL, #CALL)
#define SPEED_WINNOW(CALL) speed_winnow(CALL, #CALL)

/* ------------------------------------------------------------------- ranks */

/* All ranks have come here. */
void speed_meet(const speed_rank *s);
/* The largest of all ranks' numbers. All of them call it. */
double speed_slowest(const speed_rank *s, double own);
/* The streams' end. */
void speed_wait(const speed_rank *s);
/* What is measured now, for a program that hangs. */
void speed_enter(const speed_rank *s, const char *phase);
/* The calls that did not wait have met no error. */
void speed_check_late(const speed_rank *s);

/* Through the staging memory, of SPEED_STAGING bytes at most; they wait. */
void speed_put(const speed_rank *s, void *d_to, size_t bytes);
void speed_get(const speed_rank *s, const void *d_from, size_t bytes);
/* A few numbers. */
void speed_put_numbers(const speed_rank *s, uint64_t *d_to,
                       const uint64_t *from, size_t number);
void speed_get_numbers(const speed_rank *s, uint64_t *to,
                       const uint64_t *d_from, size_t number);

/* A number that looks random, of another one: no two have the same. */
static inline uint64_t speed_mix(uint64_t x) {
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* The name of element i of a rank: not the same at any other. */
static inline uint64_t speed_name(int rank, uint64_t i) {
    return (uint64_t)(rank + 1) << 56 | i;
}

/* ------------------------------------------------------------ measurements */

typedef struct speed_case {
    void (*call)(const speed_rank *s, const void *argument);
    const void *argument;
    /* So many calls one after the other, timed by events, behind one that is not
     * timed and brings the ranks together. 0: one call and its wait, by the
     * host's clock. */
    unsigned batch;
    bool alone;   /* by rank 0, while others are idle */
    double taken; /* the result: seconds of a call, at the slowest rank */
    double runs[SPEED_MOST_RUNS];
} speed_case;

/* The median of a number of runs of each case, which take turns. */
void speed_run(const speed_rank *s, speed_case *cases, unsigned number,
               unsigned runs);

/* Tables. */
void speed_exchange(const speed_rank *s);
void speed_filter(const speed_rank *s);
void speed_partition(const speed_rank *s);

/* All of them, on this number of GPUs: the program's exit status. */
int speed_main(int ranks);

#endif
