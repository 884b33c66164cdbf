/*
 * Ranks of NCCL in one process, a thread each; what each of them has, and what
 * has to come to it. The tests run on the CPU device and on GPUs.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_NCCL_RANKED_H
#define WINNOW_TESTS_NCCL_RANKED_H

#include <cuda_runtime_api.h>
#include <winnow_nccl.h>

#include <stdbool.h>

#include "report.h"

enum {
    RANKED_MOST = 8, /* ranks */
    RANKED_COLUMNS = 17,
    RANKED_MARGIN = 8 /* elements of an output that nobody writes */
};

typedef struct ranked {
    int ranks, devices; /* rank r has device r % devices */
    int first, end;     /* ranks of this process */
    ncclComm_t comms[RANKED_MOST];
} ranked;

/* Of devices 0 to ranks - 1. */
bool ranked_open(ranked *all, int ranks, struct report *report);
void ranked_close(ranked *all);

/* What a thread has of its rank. */
typedef struct ranked_rank {
    ranked *all;
    int rank;
    ncclComm_t comm;
    cudaStream_t stream;
    void *elsewhere;   /* memory of another device; of one alone, of the host */
    winnow_nccl *nccl; /* NULL, until the body makes one */
    const void *argument;
    struct report *report;
} ranked_rank;

/* A body in a thread for each rank. Each of them has a stream, and another
 * device than its own is current. */
bool ranked_run(ranked *all, bool (*body)(ranked_rank *), const void *argument,
                struct report *report);
/* As ranked_run(), where each has a winnow_nccl with these options. */
bool ranked_run_open(ranked *all, const winnow_nccl_options *options,
                     bool (*body)(ranked_rank *), const void *argument,
                     struct report *report);

/* Memory of the rank's device; copies to and from it, and the stream's end,
 * after which another device is current once more. */
void *ranked_alloc(const ranked_rank *r, size_t bytes);
void ranked_free(const ranked_rank *r, void *memory);
void ranked_put(const ranked_rank *r, void *d_to, const void *from,
                size_t bytes);
void ranked_get(const ranked_rank *r, void *to, const void *d_from,
                size_t bytes);
void ranked_wait(const ranked_rank *r);

/* A graph of what a call enqueues on the rank's stream, if it returns WINNOW_OK.
 * Its run, to the end. */
typedef winnow_status ranked_call(ranked_rank *r, const void *argument,
                                  const winnow_launch *launch);
winnow_status ranked_capture(ranked_rank *r, ranked_call *enqueue,
                             const void *argument, cudaGraphExec_t *exec_p);
void ranked_replay(const ranked_rank *r, cudaGraphExec_t exec);
void ranked_graph_free(cudaGraphExec_t exec);

/* The same for the same numbers. */
uint64_t ranked_random(uint64_t a, uint64_t b);

/* How many elements go from one rank to another. */
typedef enum ranked_spread {
    RANKED_EVEN,
    RANKED_SKEWED,
    RANKED_TO_ONE,
    RANKED_FROM_ONE,
    RANKED_NOTHING,
    RANKED_TO_SELF,
    RANKED_SPREADS
} ranked_spread;

/* An exchange, the same at all ranks but for what `wrong_rank` does. */
typedef struct ranked_exchange {
    ranked_spread spread;
    uint64_t seed;
    winnow_nccl_way way; /* of the winnow_nccl that it runs with */
    unsigned columns;    /* of 1, 2, ... bytes; at most RANKED_COLUMNS */
    uint64_t scale;      /* of the numbers of elements */
    uint64_t spare;      /* room beyond what comes */
    /* What one rank does wrong, and what all return then. */
    int wrong_rank; /* -1: none */
    enum {
        RANKED_SHORT,
        RANKED_DESCENDING,
        RANKED_NULL_IN,
        RANKED_NULL_OUT,
        RANKED_OVERLAP,
        RANKED_OTHER_SIZE,
        RANKED_FEWER,
        RANKED_BITS,
        RANKED_UNALIGNED,
        RANKED_PLANNED,
        RANKED_OUTPUTS,   /* two of them overlap */
        RANKED_FOREIGN,   /* an output that is memory of no communicator */
        RANKED_PLAIN,     /* the host's memory */
        RANKED_ELSEWHERE, /* memory of another device */
        RANKED_WRONGS
    } wrong;
} ranked_exchange;

/* The host's plain memory. */
void *ranked_plain(void);
/* Can a rank do this in a reduction? */
bool ranked_is_of_reductions(int wrong);

uint64_t ranked_count(const ranked_exchange *e, int ranks, int from, int to);

/* A body for ranked_run_open(): an exchange, whose argument is that struct. */
bool ranked_check_exchange(ranked_rank *r);
/* Likewise, in a graph that runs several times: of WINNOW_NCCL_PEER. */
bool ranked_check_graph(ranked_rank *r);
/* Likewise: the place of `seed`-dependent counts. */
bool ranked_check_place(ranked_rank *r);
/* Likewise: equal shares of as many items as go to the middle rank; of a scale of
 * 0, of two. In place of RANKED_DESCENDING there is no count, and what is not
 * aligned is where the share goes. */
bool ranked_check_balance(ranked_rank *r);
/* Likewise, in a graph, which WINNOW_NCCL_EXACT refuses. */
bool ranked_check_balance_graph(ranked_rank *r);
/* Likewise: results of ranks, of all types of numbers; of a scale of 0, of no
 * items. */
bool ranked_check_reduce(ranked_rank *r);
/* Likewise, in a graph. */
bool ranked_check_reduce_graph(ranked_rank *r);

#endif
