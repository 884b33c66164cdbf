/*
 * What the ranks tell each other before anything is sent, and what the host
 * hands to the kernels of it. Plain C, included by both sides.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_NCCL_ARGS_H
#define WINNOW_KERNELS_NCCL_ARGS_H

#include "kernels/core/args.h"

/* Threads of a block; each kernel that looks at the ranks is one block. */
#define WINNOW__NCCL_THREADS 256

/* What is wrong with a rank's call. */
typedef enum winnow__nccl_fault {
    WINNOW__NCCL_FINE = 0,
    WINNOW__NCCL_DESCENDING = 1, /* its offsets */
    WINNOW__NCCL_BEYOND = 2,     /* it sends more than d_in may have */
    WINNOW__NCCL_HOST = 3        /* a winnow_status, added to this */
} winnow__nccl_fault;

/* From a rank to another. */
typedef struct winnow__nccl_word {
    uint64_t count; /* of elements that it sends; 0 where it has a fault */
    uint64_t same;  /* a hash of the arguments that have to agree */
    uint64_t fault;
} winnow__nccl_word;

/* The argument of words.cu: a word for each rank. */
typedef struct winnow__nccl_words_args {
    const uint64_t *offsets; /* ranks + 1; NULL: the host found a fault */
    uint64_t *send;          /* a copy of them */
    winnow__nccl_word *words;
    uint64_t most; /* elements that may be sent */
    uint64_t same;
    uint64_t fault; /* that the host found */
    unsigned int ranks;
} winnow__nccl_words_args;

/* What a rank makes of the words of all. */
typedef struct winnow__nccl_verdict {
    uint64_t needed;     /* elements that come to it */
    uint64_t fault;      /* of the first rank that has one, */
    uint64_t fault_rank; /* which is this one */
    uint64_t differs;    /* 1: the hashes do */
    uint64_t is_short;   /* 1: there is less room; then, of any rank */
} winnow__nccl_verdict;

/* The argument of judge.cu. */
typedef struct winnow__nccl_judge_args {
    const winnow__nccl_word *words; /* from each rank */
    uint64_t *receive;              /* ranks + 1 offsets of what comes */
    winnow__nccl_verdict *verdict;
    uint64_t capacity;
    unsigned int ranks;
} winnow__nccl_judge_args;

/* The argument of tell.cu: the host hears it, and so does the caller. */
typedef struct winnow__nccl_tell_args {
    const winnow__nccl_verdict *verdict;
    const uint64_t *send, *receive;
    winnow__nccl_verdict *host_verdict;
    uint64_t *host_send, *host_receive;
    uint64_t *from_offsets; /* NULL, or the caller's */
    unsigned int ranks;
} winnow__nccl_tell_args;

/* The argument of place.cu. */
typedef struct winnow__nccl_place_args {
    const uint64_t *counts; /* of the ranks */
    uint64_t *first;        /* NULL, or the caller's */
    uint64_t *total;
    unsigned int rank, ranks;
} winnow__nccl_place_args;

#endif
