/*
 * The words that ranks exchange before they send elements, and the arguments of
 * the kernels. Plain C, included by host and device code.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "kernels/reduce/args.h"

/* Threads of a block; each kernel that reads what ranks wrote has one block. */
#define WINNOW__NCCL_THREADS 256
/* Threads of a block of push.cu. */
#define WINNOW__NCCL_PUSH_THREADS 512

/* What is wrong with a rank's call. */
typedef enum winnow__nccl_fault {
    WINNOW__NCCL_FINE = 0,
    WINNOW__NCCL_DESCENDING = 1, /* its offsets descend */
    WINNOW__NCCL_BEYOND = 2,     /* it sends more than d_in may have */
    WINNOW__NCCL_HOST = 3        /* a winnow_status, added to this */
} winnow__nccl_fault;

/* From a rank to another. */
typedef struct winnow__nccl_word {
    uint64_t count; /* elements that it sends; 0 if it has a fault */
    uint64_t same;  /* the arguments that have to agree: lib/nccl/same.c */
    uint64_t fault;
} winnow__nccl_word;

/* The argument of make_words: a word for each rank. */
typedef struct winnow__nccl_words_args {
    const uint64_t *offsets; /* ranks + 1; NULL: the host found a fault */
    uint64_t *send;          /* a copy of them */
    winnow__nccl_word *words;
    uint64_t most; /* elements that may be sent */
    uint64_t same;
    uint64_t fault; /* that the host found */
    unsigned int ranks;
} winnow__nccl_words_args;

/* What a rank concludes from the words of all ranks. */
typedef struct winnow__nccl_verdict {
    uint64_t needed;     /* elements that come to it */
    uint64_t capacity;   /* its own; once agreed, that of the short rank */
    uint64_t fault;      /* of the first rank with a fault */
    uint64_t fault_rank; /* the number of that rank */
    uint64_t
        other; /* the first rank whose `same` is not that of rank 0; or 0 */
    uint64_t same[2]; /* of rank 0 and of `other` */
    /* 0, or ~rank if this rank lacks room; the maximum is the first such
     * rank. */
    uint64_t is_short;
} winnow__nccl_verdict;

/* The argument of parts: equal shares, as offsets of this rank's items. */
typedef struct winnow__nccl_parts_args {
    const uint64_t *counts; /* of the ranks */
    uint64_t *offsets;      /* ranks + 1 */
    unsigned int rank, ranks;
} winnow__nccl_parts_args;

/* The argument of judge. */
typedef struct winnow__nccl_judge_args {
    const winnow__nccl_word *words; /* from each rank */
    uint64_t *receive;              /* ranks + 1 offsets of what comes */
    winnow__nccl_verdict *verdict;
    uint64_t capacity;
    unsigned int rank, ranks;
} winnow__nccl_judge_args;

/* The argument of tell, which reports to the host and to the caller. */
typedef struct winnow__nccl_tell_args {
    const winnow__nccl_verdict *verdict;
    const uint64_t *send, *receive;
    winnow__nccl_verdict *host_verdict;
    uint64_t *host_send, *host_receive;
    uint64_t *from_offsets; /* NULL, or the caller's */
    uint64_t *share;        /* NULL, or the caller's: elements that come */
    unsigned int ranks;
} winnow__nccl_tell_args;

/* ------------------------------------------------- kernels that store to peers
 */

/* The most ranks on one host, and allocations that peers know of. */
#define WINNOW__NCCL_PEERS 32
#define WINNOW__NCCL_ALLOCATIONS 64
#define WINNOW__NCCL_COLUMNS 64

/* A rank's message to another rank in a round, in 64-bit words: these, a count
 * for each rank, and the place of each column. */
#define WINNOW__NCCL_SAME 0
#define WINNOW__NCCL_FAULT 1
#define WINNOW__NCCL_CAPACITY 2
#define WINNOW__NCCL_COUNTS 3
#define WINNOW__NCCL_PLACES (WINNOW__NCCL_COUNTS + WINNOW__NCCL_PEERS)
#define WINNOW__NCCL_MESSAGE (WINNOW__NCCL_PLACES + WINNOW__NCCL_COLUMNS)

/* A place: the number of an allocation, and an offset in bytes below it. */
#define WINNOW__NCCL_OFFSET_BITS 48

/*
 * The memory of a rank to which its peers store; zero at first. It has a flag
 * for each peer: the last round that the peer has reached. It has messages of
 * two rounds: while a rank still reads the messages of round e, its peers may
 * be in round e + 1. No peer is in round e + 2 before this rank has reached e +
 * 1.
 */
typedef struct winnow__nccl_window {
    unsigned long long flags[WINNOW__NCCL_PEERS];
    uint64_t messages[2][WINNOW__NCCL_PEERS][WINNOW__NCCL_MESSAGE];
} winnow__nccl_window;

/* The arguments of a round, for each kernel that waits for its peers. */
typedef struct winnow__nccl_round {
    winnow__nccl_window *const
        *windows;              /* of all ranks, as mapped by this rank */
    unsigned long long *epoch; /* rounds so far, in memory of this rank */
    unsigned int rank, ranks;
} winnow__nccl_round;

/* A rank's plan for push.cu: what goes to each peer. */
typedef struct winnow__nccl_plan {
    uint64_t begin[WINNOW__NCCL_PEERS]; /* elements of the inputs */
    uint64_t count[WINNOW__NCCL_PEERS];
    unsigned char *to[WINNOW__NCCL_PEERS][WINNOW__NCCL_COLUMNS];
} winnow__nccl_plan;

/* A report to the host on a call for which the host did not wait. */
typedef struct winnow__nccl_late {
    uint64_t fault, fault_rank, other, same[2]; /* as in a verdict */
    uint64_t is_short; /* 1: a rank has less room than its share */
    uint64_t short_rank, needed, capacity; /* of this or the first short rank */
} winnow__nccl_late;

/* The argument of offer.cu. */
typedef struct winnow__nccl_offer_args {
    winnow__nccl_round round;
    /* A kernel uses one of the two; NULL: the host found a fault. */
    const uint64_t *offsets; /* ranks + 1 */
    const uint64_t *count;   /* items that are divided into shares */
    uint64_t most;           /* elements that may be sent */
    uint64_t same;
    uint64_t fault;
    uint64_t capacity;
    unsigned char *const *bases; /* of each allocation, for each rank */
    winnow__nccl_plan *plan;
    winnow__nccl_late *late;
    uint64_t *from_offsets; /* NULL, or the caller's */
    uint64_t *share;        /* NULL, or the caller's; used with `count` */
    unsigned int columns;
    uint32_t bytes[WINNOW__NCCL_COLUMNS]; /* of an element */
    uint64_t places[WINNOW__NCCL_COLUMNS];
} winnow__nccl_offer_args;

/* The argument of push.cu; `blocks` is for each peer. */
typedef struct winnow__nccl_push_args {
    const winnow__nccl_plan *plan;
    unsigned int rank, ranks;
    unsigned int blocks;
    unsigned int columns;
    uint32_t bytes[WINNOW__NCCL_COLUMNS];
    const unsigned char *in[WINNOW__NCCL_COLUMNS];
} winnow__nccl_push_args;

/* The argument of peer_place. */
typedef struct winnow__nccl_peer_place_args {
    winnow__nccl_round round;
    const uint64_t *count; /* NULL: 0 */
    uint64_t *first, *total;
} winnow__nccl_peer_place_args;

/* A rank's result, and the number that is added to its indices; as a struct and
 * as the words of a message, behind SAME and FAULT. */
#define WINNOW__NCCL_RESULT_WORDS (sizeof(winnow_reduction) / sizeof(uint64_t))
typedef struct winnow__nccl_result {
    uint64_t first;
    winnow_reduction of;
} winnow__nccl_result;
typedef union winnow__nccl_partial {
    winnow__nccl_result result;
    uint64_t words[1 + WINNOW__NCCL_RESULT_WORDS];
} winnow__nccl_partial;
#define WINNOW__NCCL_FIRST 2
#define WINNOW__NCCL_RESULT (WINNOW__NCCL_FIRST + 1)
#define WINNOW__NCCL_REDUCE_WORDS                                              \
    (WINNOW__NCCL_RESULT + WINNOW__NCCL_RESULT_WORDS)

/* The argument of the kernels of reduce.cu. */
typedef struct winnow__nccl_reduce_args {
    winnow__nccl_round round; /* by NCCL: rank and ranks alone, and */
    uint64_t *words;          /* WINNOW__NCCL_REDUCE_WORDS for each rank */
    const uint64_t *partial;  /* the words of one; NULL: there is a fault */
    const uint64_t *first;    /* NULL: 0 */
    uint64_t same;
    uint64_t fault;
    winnow_reduction nothing; /* the result of no element */
    winnow_reduction *result; /* NULL, or the caller's */
    winnow__nccl_late *late;
    winnow__reduce_type type; /* is_float and is_signed */
    uint32_t wanted;
} winnow__nccl_reduce_args;

/* The argument of place.cu. */
typedef struct winnow__nccl_place_args {
    const uint64_t *counts; /* of the ranks */
    uint64_t *first;        /* NULL, or the caller's */
    uint64_t *total;
    unsigned int rank, ranks;
} winnow__nccl_place_args;
