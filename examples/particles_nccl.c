/*
 * Particles that fly around a ring, which the GPUs of a host have in slices:
 * those that leave a slice go to the GPU that has the next one, by NCCL, and
 * fill the places of those that have left there. One GPU will do. A thread for
 * each; examples/particles_mpi.c is the same with processes, on CPUs.
 *
 * Positions and velocities are integers, so that sums over all GPUs are exact:
 * the number of particles, the sums of their names and of their velocities stay
 * the same, and where each is at the end is known from where it began.
 *
 * Exits with 77, which automake counts as skipped, where there is no device.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <winnow_nccl.h>

#define EACH 2000     /* particles of a GPU, in the beginning */
#define WIDTH 1000000 /* of a slice */
#define STEPS 10
#define FASTEST 150000   /* in a step */
#define STAYS UINT32_MAX /* in place of a rank: goes nowhere */

static void cuda(cudaError_t error) {
    if (error != cudaSuccess) {
        fprintf(stderr, "particles_nccl: %s\n", cudaGetErrorString(error));
        exit(1);
    }
}

static void nccl(ncclResult_t result) {
    if (result != ncclSuccess) {
        fprintf(stderr, "particles_nccl: %s\n", ncclGetErrorString(result));
        exit(1);
    }
}

static void winnow(winnow_status status) {
    if (status != WINNOW_OK) {
        fprintf(stderr, "particles_nccl: %s\n", winnow_last_error());
        exit(1);
    }
}

static void *device_memory(size_t bytes) {
    void *memory = NULL;

    cuda(cudaMalloc(&memory, bytes));
    return memory;
}

static void *host_memory(size_t bytes) {
    void *const memory = malloc(bytes);

    if (memory == NULL)
        exit(1);
    return memory;
}

/* ----------------------------------------------------------------- particles
 */

/* Particles in three columns, of one array each. */
enum {
    NAME,
    X, /* from 0 on, all around the ring */
    VELOCITY,
    COLUMNS
};

/* What a thread has of its GPU. */
struct slice {
    int rank, ranks;
    ncclComm_t comm;
    winnow_context *context;
    winnow_nccl *nccl;
    winnow_predicate *stay;
    winnow_launch launch; /* on this GPU's stream */
    cudaStream_t stream;
    uint64_t n, capacity;
    int64_t *d_columns[COLUMNS];
    int64_t *d_leaving[COLUMNS], *d_arriving[COLUMNS];
    uint32_t *d_ranks; /* where each particle goes, or STAYS */
    void *d_selection; /* of those that stay */
    size_t selection_bytes;
    uint64_t *d_offsets, *d_n;
    winnow_reduction *d_sums;  /* of names, and of velocities */
    int64_t *columns[COLUMNS]; /* for the host */
    uint32_t *to;
    winnow_reduction before[2], after[2];
    int right;
};

static void begin_of(int64_t name, int64_t *x, int64_t *velocity) {
    const uint64_t mixed = ((uint64_t)name + 1) * UINT64_C(0x9e3779b97f4a7c15);

    *x = name / EACH * WIDTH + (int64_t)(mixed % WIDTH);
    *velocity = (int64_t)(mixed >> 40) % FASTEST;
    if (mixed >> 63 != 0)
        *velocity = -*velocity;
}

static int64_t around(int64_t x, int64_t length) {
    return ((x % length) + length) % length;
}

static void put(struct slice *s, void *d_to, const void *from, size_t bytes) {
    cuda(cudaMemcpyAsync(d_to, from, bytes, cudaMemcpyHostToDevice, s->stream));
}

/* And wait: the host has it. */
static void get(struct slice *s, void *to, const void *d_from, size_t bytes) {
    cuda(cudaMemcpyAsync(to, d_from, bytes, cudaMemcpyDeviceToHost, s->stream));
    cuda(cudaStreamSynchronize(s->stream));
}

static void open_slice(struct slice *s) {
    const uint32_t stays = STAYS;

    cuda(cudaSetDevice(s->rank));
    cuda(cudaStreamCreateWithFlags(&s->stream, cudaStreamNonBlocking));
    s->launch = (winnow_launch){.size = sizeof s->launch, .stream = s->stream};
    winnow(winnow_context_create(&s->context, s->rank));
    winnow(winnow_nccl_create(&s->nccl, s->comm, NULL));
    winnow(
        winnow_predicate_compare(&s->stay, WINNOW_UINT32, WINNOW_EQ, &stays));
    s->n = EACH;
    s->capacity = EACH * (uint64_t)s->ranks; /* all may come to one GPU */
    winnow(winnow_selection_bytes(s->capacity, &s->selection_bytes));
    s->d_selection = device_memory(s->selection_bytes);
    for (int c = 0; c < COLUMNS; c++) {
        const size_t bytes = s->capacity * sizeof(int64_t);

        s->d_columns[c] = device_memory(bytes);
        s->d_leaving[c] = device_memory(bytes);
        s->d_arriving[c] = device_memory(bytes);
        s->columns[c] = host_memory(bytes);
    }
    s->d_ranks = device_memory(s->capacity * sizeof *s->d_ranks);
    s->to = host_memory(s->capacity * sizeof *s->to);
    /* A partition has two parts at least. */
    s->d_offsets = device_memory(((size_t)s->ranks + 2) * sizeof *s->d_offsets);
    s->d_n = device_memory(sizeof *s->d_n);
    s->d_sums = device_memory(2 * sizeof *s->d_sums);
    for (uint64_t i = 0; i < s->n; i++) {
        s->columns[NAME][i] = EACH * (int64_t)s->rank + (int64_t)i;
        begin_of(s->columns[NAME][i], &s->columns[X][i],
                 &s->columns[VELOCITY][i]);
    }
    for (int c = 0; c < COLUMNS; c++)
        put(s, s->d_columns[c], s->columns[c], s->n * sizeof(int64_t));
}

static void close_slice(struct slice *s) {
    winnow_nccl_destroy(s->nccl);
    winnow_predicate_destroy(s->stay);
    winnow_context_destroy(s->context);
    for (int c = 0; c < COLUMNS; c++) {
        cuda(cudaFree(s->d_columns[c]));
        cuda(cudaFree(s->d_leaving[c]));
        cuda(cudaFree(s->d_arriving[c]));
        free(s->columns[c]);
    }
    cuda(cudaFree(s->d_ranks));
    cuda(cudaFree(s->d_selection));
    cuda(cudaFree(s->d_offsets));
    cuda(cudaFree(s->d_n));
    cuda(cudaFree(s->d_sums));
    cuda(cudaStreamDestroy(s->stream));
    free(s->to);
}

/* --------------------------------------------------------------------- a step
 */

/* Move, and say where each belongs: a kernel of your own, which this program in C
 * has not. The host does it. */
static void fly(struct slice *s) {
    const int64_t length = (int64_t)WIDTH * s->ranks;
    const size_t bytes = s->n * sizeof(int64_t);

    get(s, s->columns[X], s->d_columns[X], bytes);
    get(s, s->columns[VELOCITY], s->d_columns[VELOCITY], bytes);
    for (uint64_t i = 0; i < s->n; i++) {
        int64_t *const x = &s->columns[X][i];

        *x = around(*x + s->columns[VELOCITY][i], length);
        s->to[i] = (uint32_t)(*x / WIDTH);
        if (s->to[i] == (uint32_t)s->rank)
            s->to[i] = STAYS;
    }
    put(s, s->d_columns[X], s->columns[X], bytes);
    put(s, s->d_ranks, s->to, s->n * sizeof *s->to);
}

/* Bring those that leave to their GPUs, and fill their places. */
static void migrate(struct slice *s) {
    const winnow_in keys = {.type = WINNOW_UINT32, .d_base = s->d_ranks};
    const winnow_digit rank = {.parts = s->ranks > 1 ? (uint32_t)s->ranks : 2};
    /* So many arrive as the last offset says, which the device alone knows. */
    const winnow_arrivals arrivals = {.n = s->capacity,
                                      .d_n = s->d_offsets + s->ranks};
    winnow_move leave[COLUMNS], travel[COLUMNS], fill[COLUMNS];

    for (int c = 0; c < COLUMNS; c++) {
        leave[c] = (winnow_move){.d_in = s->d_columns[c],
                                 .d_out = s->d_leaving[c],
                                 .element_bytes = sizeof(int64_t)};
        travel[c] = leave[c];
        travel[c].d_in = s->d_leaving[c];
        travel[c].d_out = s->d_arriving[c];
        fill[c] = leave[c];
        fill[c].d_in = s->d_arriving[c];
        fill[c].d_out = s->d_columns[c];
    }
    winnow(winnow_select_if(s->context, s->stay, WINNOW_UINT32, s->d_ranks,
                            s->n, s->d_selection, s->selection_bytes,
                            &s->launch));
    /* STAYS is no part: those are written nowhere. */
    winnow(winnow_partition_by_key(s->context, &keys, s->n, &rank, leave,
                                   COLUMNS, s->d_offsets, &s->launch));
    winnow(winnow_nccl_exchange(s->nccl, s->d_offsets, travel, COLUMNS,
                                s->capacity, s->d_offsets, &s->launch));
    winnow(winnow_fill_holes(s->context, s->d_selection, s->n, &arrivals, fill,
                             COLUMNS, s->capacity, s->d_n, &s->launch));
    get(s, &s->n, s->d_n, sizeof s->n);
}

/* --------------------------------------------------------------------- checks
 */

/* The count and the sum of a column, of all GPUs. */
static void add_up(struct slice *s, int column, winnow_type type,
                   winnow_reduction *d_sum) {
    winnow(winnow_reduce_if(s->context, NULL, type, s->d_columns[column], s->n,
                            WINNOW_REDUCE_SUM | WINNOW_REDUCE_PARTIAL, d_sum,
                            &s->launch));
    winnow(winnow_nccl_reduce(s->nccl, type, d_sum, NULL, WINNOW_REDUCE_SUM,
                              d_sum, &s->launch));
}

static void add_up_all(struct slice *s, winnow_reduction *sums) {
    add_up(s, NAME, WINNOW_UINT64, &s->d_sums[0]);
    add_up(s, VELOCITY, WINNOW_INT64, &s->d_sums[1]);
    get(s, sums, s->d_sums, 2 * sizeof *sums);
}

static int is_conserved(const struct slice *s) {
    for (int i = 0; i < 2; i++)
        if (s->before[i].count != s->after[i].count ||
            s->before[i].sum.int64 != s->after[i].sum.int64)
            return 0;
    return s->after[0].count == EACH * (uint64_t)s->ranks;
}

/* Are all particles of this GPU where they have to be? */
static int are_in_place(struct slice *s) {
    const int64_t length = (int64_t)WIDTH * s->ranks;

    for (int c = 0; c < COLUMNS; c++)
        get(s, s->columns[c], s->d_columns[c], s->n * sizeof(int64_t));
    for (uint64_t i = 0; i < s->n; i++) {
        int64_t x, velocity;

        begin_of(s->columns[NAME][i], &x, &velocity);
        if (s->columns[VELOCITY][i] != velocity ||
            s->columns[X][i] != around(x + STEPS * velocity, length) ||
            s->columns[X][i] / WIDTH != s->rank)
            return 0;
    }
    return 1;
}

static void *run(void *argument) {
    struct slice *const s = argument;

    open_slice(s);
    add_up_all(s, s->before);
    for (int step = 0; step < STEPS; step++) {
        fly(s);
        migrate(s);
    }
    add_up_all(s, s->after);
    s->right = is_conserved(s) && are_in_place(s);
    close_slice(s);
    return NULL;
}

int main(void) {
    int ranks = 0, right = 1;

    if (cudaGetDeviceCount(&ranks) != cudaSuccess || ranks == 0) {
        printf("skipped: no CUDA device\n");
        return 77;
    }
    struct slice *const slices = calloc((size_t)ranks, sizeof *slices);
    pthread_t *const threads = host_memory((size_t)ranks * sizeof *threads);
    ncclComm_t *const comms = host_memory((size_t)ranks * sizeof *comms);

    if (slices == NULL)
        return 1;
    nccl(ncclCommInitAll(comms, ranks, NULL)); /* devices 0 to ranks - 1 */
    for (int r = 0; r < ranks; r++) {
        slices[r].rank = r;
        slices[r].ranks = ranks;
        slices[r].comm = comms[r];
        if (pthread_create(&threads[r], NULL, run, &slices[r]) != 0)
            return 1;
    }
    for (int r = 0; r < ranks; r++)
        pthread_join(threads[r], NULL);
    for (int r = 0; r < ranks; r++) {
        right = right && slices[r].right;
        nccl(ncclCommDestroy(comms[r]));
    }
    printf("%llu particles on %d GPUs: after %d steps GPU 0 has %llu, %s\n",
           (unsigned long long)slices[0].after[0].count, ranks, STEPS,
           (unsigned long long)slices[0].n, right ? "all are right" : "WRONG");
    free(comms);
    free(threads);
    free(slices);
    return right ? 0 : 1;
}
