/*
 * The CPU device, as tests see it: CUDA's runtime (include/) on a machine that
 * runs kernels on the CPU. Here is what a test may set or ask beyond CUDA.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_SIMT_H
#define WINNOW_TESTS_SIMT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ----------------------------------------------------------------- schedules
 */

/*
 * What comes next is drawn from a seed: which lane, warp and block runs, where
 * it is stopped, in which order blocks begin and how many at a time, when
 * copies and kernels that may overlap do. The seed is WINNOW_SIMT_SEED's at
 * first, or 1. With one host thread, a seed repeats a run exactly.
 */
void simt_seed(uint64_t seed);
uint64_t simt_get_seed(void);

/* What uninitialised memory holds is drawn from a seed of its own:
 * WINNOW_SIMT_PATTERN's, or 1. */
void simt_pattern(uint64_t seed);

/* Which seeds a test should try that tries many: `usual`, or
 * WINNOW_SIMT_SEED's, and those after it; and how many: `usual`, of which
 * WINNOW_TESTS=short tries 8, or as WINNOW_SIMT_TRIALS says. */
uint64_t simt_first_seed(uint64_t usual);
unsigned simt_trials(unsigned usual);

/* ------------------------------------------------------------------- devices
 */

struct simt_settings {
    int devices;
    const char *name;    /* of each device */
    int major, minor;    /* compute capability */
    int ptx_version;     /* of the kernels' code */
    int multiprocessors; /* of each device, with room for */
    int threads;         /* threads of a block, */
    int blocks;          /* blocks, */
    int shared_bytes;    /* and bytes of shared memory */
    int shared_per_block;
    int cache_bytes;    /* of the L2 cache */
    int most_cluster;   /* blocks; 0: the device has no clusters */
    bool cooperative;   /* launches are possible */
    bool pageable;      /* the host's plain memory is reached */
    bool peers;         /* devices reach each other's memory */
    bool overlap;       /* kernels may begin early */
    int resident;       /* blocks of a grid at a time; 0: by the seed */
    uint64_t cub_items; /* that CUB takes */
    const char *lacks;  /* a function that the driver has not, or NULL */
};

/* What is set holds from the next call of CUDA's on. */
extern struct simt_settings simt_settings;

/* The next call of a function of CUDA's fails, after `calls` that do not. */
void simt_fail(const char *function, int error, unsigned calls);
/* Likewise, where calls count alone that are made while that device is current;
 * -1: any. */
void simt_fail_on(int device, const char *function, int error, unsigned calls);

/* The next call of any function fails, after `calls` that do not: where it
 * allocates for want of memory. Below 0: none does. */
void simt_fail_any(int calls);
/* The same, where it fails by this error, whatever it does. */
void simt_fail_any_by(int calls, int error);
/* The function whose call has failed since then, or NULL. */
const char *simt_failed(void);

/* How often a function was called, and the device that was current when it was
 * last; -1: none was. */
unsigned simt_calls(const char *function);
int simt_device(const char *function);

/* The next memory that cudaMalloc() or cudaMallocHost() gives lies there, where
 * the test has room for it: beside other memory, say. */
void simt_place(void *memory);

/* The device that the last memory pool was made for; -1: there was none. */
int simt_pool_device(void);

/* Memory of other processes that is open. */
unsigned simt_open_handles(void);

/* Pieces of mapped memory that something is mapped to, or holds a handle of. */
unsigned simt_pieces(void);

/* Launches that were allowed to begin before what they come after has ended,
 * whether the device can do so or not. */
unsigned simt_early_launches(void);

/* Blocks that have run so far, and the kernels they were of. */
uint64_t simt_blocks_run(void);

/* How often a kernel, namespace::name, has run so far, with any arguments of a
 * template; and how often with more than one block. */
uint64_t simt_runs(const char *kernel, uint64_t *of_several_blocks_p);

/* Atomic updates that kernels have made so far, without those in vain. */
uint64_t simt_updates(void);

/* Bulk copies that they have begun so far. */
uint64_t simt_bulk_copies(void);

#ifdef __cplusplus
}
#endif

#endif
