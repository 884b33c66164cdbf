/*
 * The experiments' kernels, called from C. Each function enqueues on the stream
 * and returns a cudaError_t as an int.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_BENCH_SEEDS_KERNELS_H
#define WINNOW_BENCH_SEEDS_KERNELS_H

#include <winnow.h>

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef unsigned long long seeds_count;

/* ------------------------------------------------------------------- filter */

typedef enum seeds_filter_form {
    SEEDS_FILTER_GLOBAL,      /* an atomic for each survivor, */
    SEEDS_FILTER_GLOBAL_EACH, /* that the compiler does not aggregate */
    SEEDS_FILTER_SHARED,     /* an atomic on shared memory, one for the block */
    SEEDS_FILTER_WARP,       /* one for each warp */
    SEEDS_FILTER_WARP_GROUP, /* the same in words of cooperative groups */
    SEEDS_FILTER_WARP_SHARED /* one for each warp, on shared memory */
} seeds_filter_form;
#define SEEDS_FILTER_FORMS 6

/* The elements below 0, in any order; *d_count is 0 before. */
int seeds_gpu_filter(seeds_filter_form form, const int32_t *d_in, uint64_t n,
                     int32_t *d_out, seeds_count *d_count,
                     winnow_stream stream);

/* ---------------------------------------------------------------- particles */

#define SEEDS_COMPONENTS 9

typedef enum seeds_particles_form {
    SEEDS_PARTICLES_ATOMIC, /* an atomic for each component of each particle */
    SEEDS_PARTICLES_VOTES,  /* for each cell in a warp; peers by votes, */
    SEEDS_PARTICLES_MATCH   /* or by __match_any_sync */
} seeds_particles_form;
#define SEEDS_PARTICLES_FORMS 3

/* sums[9 * cell + c] += values[c * n + i] for each particle i of the cell. */
int seeds_gpu_particles_float(seeds_particles_form form,
                              const uint32_t *d_cells, const float *d_values,
                              uint64_t n, float *d_sums, winnow_stream stream);
int seeds_gpu_particles_double(seeds_particles_form form,
                               const uint32_t *d_cells, const double *d_values,
                               uint64_t n, double *d_sums,
                               winnow_stream stream);

/* ------------------------------------------------------------------ minimum */

/* *d_minimum is one of the elements before. An atomic for each element; a tree
 * in each block, and an atomic for each block. */
int seeds_gpu_minimum_atomic(const int32_t *d_in, uint64_t n,
                             int32_t *d_minimum, winnow_stream stream);
int seeds_gpu_minimum_tree_atomic(const int32_t *d_in, uint64_t n,
                                  int32_t *d_minimum, winnow_stream stream);
/* The same with a part of several tiles for each block. */
int seeds_gpu_minimum_parts_atomic(const int32_t *d_in, uint64_t n,
                                   int32_t *d_minimum, winnow_stream stream);
/* In place of the atomics a second kernel, of one block. d_scratch: as below.
 */
int seeds_gpu_minimum_parts(const int32_t *d_in, uint64_t n, int32_t *d_minimum,
                            int32_t *d_scratch, winnow_stream stream);
/* A tree in each block, again over the minima of the blocks until one is left.
 * d_scratch: seeds_minimum_scratch(n) elements. */
int seeds_gpu_minimum_passes(const int32_t *d_in, uint64_t n,
                             int32_t *d_minimum, int32_t *d_scratch,
                             winnow_stream stream);
uint64_t seeds_minimum_scratch(uint64_t n);

/* -------------------------------------------------------------- prefix sums */

typedef enum seeds_prefix_form {
    SEEDS_PREFIX_SHARED,   /* running values in shared memory */
    SEEDS_PREFIX_REGISTER, /* in registers, handed on through shared memory */
    SEEDS_PREFIX_SHUFFLE
} seeds_prefix_form;
#define SEEDS_PREFIX_FORMS 3

/* Of each 32 elements: inclusive sums, modulo 2^32. */
int seeds_gpu_prefix_blocks(seeds_prefix_form form, const uint32_t *d_in,
                            uint64_t n, uint32_t *d_out, winnow_stream stream);
/* Of the whole array. d_scratch: seeds_prefix_scratch(n) elements. */
int seeds_gpu_prefix_array(seeds_prefix_form form, const uint32_t *d_in,
                           uint64_t n, uint32_t *d_out, uint32_t *d_scratch,
                           winnow_stream stream);
uint64_t seeds_prefix_scratch(uint64_t n);
/* Of the whole array, by one block. */
int seeds_gpu_prefix_one_block(seeds_prefix_form form, const uint32_t *d_in,
                               uint64_t n, uint32_t *d_out,
                               winnow_stream stream);

/* ------------------------------------------------- a copy kernel and atomics
 */

typedef enum seeds_copy_form {
    SEEDS_COPY,
    SEEDS_COPY_NEVER, /* with an atomic that is not executed */
    SEEDS_COPY_ATOMIC /* that every thread executes */
} seeds_copy_form;
#define SEEDS_COPY_FORMS 3

int seeds_gpu_copy(seeds_copy_form form, const float *d_in, uint64_t n,
                   float *d_out, seeds_count *d_count, winnow_stream stream);

typedef enum seeds_impact_form {
    SEEDS_IMPACT_ATOMIC, /* each thread adds its number to *d_count */
    SEEDS_IMPACT_MEMORY, /* each thread writes *d_count to its element */
    SEEDS_IMPACT_BOTH    /* the one and then the other */
} seeds_impact_form;
#define SEEDS_IMPACT_FORMS 3
#define SEEDS_IMPACT_THREADS 256

int seeds_gpu_impact(seeds_impact_form form, unsigned blocks,
                     seeds_count *d_count, seeds_count *d_out,
                     winnow_stream stream);

/* ----------------------------------------------- system and software atomics
 */

typedef enum seeds_add_form {
    SEEDS_ADD_SYSTEM,     /* atomicAdd() */
    SEEDS_ADD_AGGREGATED, /* one for each warp */
    SEEDS_ADD_SOFTWARE    /* winnow/software_atomic.cuh */
} seeds_add_form;
#define SEEDS_ADD_FORMS 3

/* What a software atomic's blocks share: seeds_software_bytes() bytes, 0 before
 * the first launch. One launch at a time uses it. */
uint64_t seeds_software_bytes(unsigned clients, unsigned threads);

/* Each thread adds its number to *d_count; d_out, unless NULL, gets what was
 * there before. threads: 32 or 256. */
int seeds_gpu_add(seeds_add_form form, unsigned blocks, unsigned threads,
                  seeds_count *d_count, seeds_count *d_out, void *d_software,
                  winnow_stream stream);

/* Chains in which each access waits for the one before: in global memory, and
 * atomics on shared and on global memory. d_word: 8 bytes, 0 before. */
typedef enum seeds_chain {
    SEEDS_CHAIN_MEMORY,
    SEEDS_CHAIN_SHARED_ATOMIC,
    SEEDS_CHAIN_GLOBAL_ATOMIC
} seeds_chain;
#define SEEDS_CHAINS 3
int seeds_gpu_chain(seeds_chain chain, unsigned length, seeds_count *d_word,
                    winnow_stream stream);

/* ----------------------------------------------------------- scalar product */

typedef enum seeds_product_form {
    SEEDS_PRODUCT_THREAD, /* an atomic for each thread, */
    SEEDS_PRODUCT_WARP,   /* warp, */
    SEEDS_PRODUCT_TILE,   /* block, */
    SEEDS_PRODUCT_SOFTWARE
} seeds_product_form;
#define SEEDS_PRODUCT_FORMS 4
#define SEEDS_PRODUCT_THREADS 256

/* *d_sum += the sum of x[i] * y[i], an element for each thread. */
int seeds_gpu_scalar_product(seeds_product_form form, unsigned blocks,
                             const uint32_t *d_x, const uint32_t *d_y,
                             seeds_count *d_sum, void *d_software,
                             winnow_stream stream);

/* ------------------------------------------------------- MapReduce's output */

/* Where the records of a map go, and how room is made for them. */
typedef enum seeds_map_form {
    SEEDS_MAP_TWO_PASS, /* count, prefix sums, map again and write: Mars */
    SEEDS_MAP_THREAD,   /* one pass, with an atomic for each record, */
    SEEDS_MAP_WARP,     /* for each warp, */
    SEEDS_MAP_TILE,     /* for each tile of a block */
    SEEDS_MAP_SOFTWARE  /* one pass, with a software atomic */
} seeds_map_form;
#define SEEDS_MAP_FORMS 5
/* Client blocks of a software atomic, at most: as many as were measured. */
#define SEEDS_MAP_CLIENTS 128
#define SEEDS_MAP_THREADS 256

typedef struct seeds_map_output {
    void *d_records;
    seeds_count *d_count; /* 0 before, but for two passes */
    uint32_t *d_counts;   /* of two passes: seeds_map_counts() elements */
    void *d_software;     /* seeds_software_bytes() of the above */
} seeds_map_output;
/* tasks_per_thread: of the map, below. */
uint64_t seeds_map_counts(uint64_t tasks, unsigned tasks_per_thread);

/* Z = X Y, of side * side elements: a record for each element of Z. */
typedef struct seeds_element {
    uint32_t index;
    float value;
} seeds_element;
#define SEEDS_MATRIX_TASKS 1
int seeds_gpu_matrix_product(seeds_map_form form, const float *d_x,
                             const float *d_y, uint32_t side,
                             const seeds_map_output *output,
                             winnow_stream stream);

/* The nearest centroid of each point: a record for each point. */
typedef struct seeds_assignment {
    uint32_t cluster;
    uint32_t point;
} seeds_assignment;
#define SEEDS_CLUSTERS 32
#define SEEDS_DIMENSIONS 8
#define SEEDS_K_MEANS_TASKS 1
int seeds_gpu_k_means(seeds_map_form form, const float *d_points,
                      const float *d_centroids, uint64_t n,
                      const seeds_map_output *output, winnow_stream stream);

/* Where the keyword occurs in the text: a record, of 4 bytes, for each place.
 */
#define SEEDS_KEYWORD 16
typedef struct seeds_keyword {
    char text[SEEDS_KEYWORD];
    uint32_t length;
} seeds_keyword;
#define SEEDS_MATCH_TASKS 16
int seeds_gpu_string_match(seeds_map_form form, const char *d_text, uint64_t n,
                           seeds_keyword keyword,
                           const seeds_map_output *output,
                           winnow_stream stream);
/* Those of the candidates where the keyword occurs. */
int seeds_gpu_match_candidates(const char *d_text, uint64_t n,
                               seeds_keyword keyword,
                               const uint32_t *d_candidates,
                               const uint64_t *d_candidate_count,
                               uint64_t capacity, uint32_t *d_positions,
                               seeds_count *d_count, winnow_stream stream);

#ifdef __cplusplus
}
#endif

#endif
