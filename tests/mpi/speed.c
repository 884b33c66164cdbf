/*
 * How fast libwinnow-mpi is, beside MPI's own calls on the same bytes, in turns:
 * medians of the times of the slowest rank. Run by hand:
 *
 *     mpirun -n 4 tests/mpi/speed
 *
 * Compiled with TEST_ON_DEVICE and linked with the CUDA runtime, the arrays are
 * in the memory of a GPU: rank r has GPU r modulo their number. MPI's calls then
 * do as a program does whose MPI does not know GPUs: they copy to pinned memory,
 * send that, and copy what came.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "must.h"

#ifdef TEST_ON_DEVICE
#include <cuda_runtime_api.h>
#endif

enum {
    ROUNDS = 15,
    ITEM_BYTES = 64,   /* of what migrates */
    ONE_LEAVES_IN = 20 /* items */
};

/* ----------------------------------------------------------------- memory */

#ifdef TEST_ON_DEVICE
static int device;

static void use_device(void) {
    int devices = 0;

    CHECK(cudaGetDeviceCount(&devices) == cudaSuccess);
    device = rank % devices;
    CHECK(cudaSetDevice(device) == cudaSuccess);
}

static void *array_alloc(size_t bytes) {
    void *memory = NULL;

    CHECK(cudaMalloc(&memory, bytes) == cudaSuccess);
    CHECK(cudaMemset(memory, 0, bytes) == cudaSuccess);
    return memory;
}

static void array_free(void *memory) {
    CHECK(cudaFree(memory) == cudaSuccess);
}

static void *pinned_alloc(size_t bytes) {
    void *memory = NULL;

    CHECK(cudaMallocHost(&memory, bytes) == cudaSuccess);
    return memory;
}

static void pinned_free(void *memory) {
    CHECK(cudaFreeHost(memory) == cudaSuccess);
}

static void copy(void *to, const void *from, size_t bytes) {
    CHECK(cudaMemcpy(to, from, bytes, cudaMemcpyDefault) == cudaSuccess);
}
#else
static const int device = WINNOW_DEVICE_HOST;

static void use_device(void) {
}

static void *array_alloc(size_t bytes) {
    return must_alloc(bytes);
}

static void array_free(void *memory) {
    free(memory);
}

static void *pinned_alloc(size_t bytes) {
    (void)bytes;
    return NULL; /* MPI takes the arrays as they are */
}

static void pinned_free(void *memory) {
    (void)memory;
}

static void copy(void *to, const void *from, size_t bytes) {
    memcpy(to, from, bytes);
}
#endif

/* ------------------------------------------------------------------- time */

static int compare_doubles(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static double median(double times[ROUNDS]) {
    qsort(times, ROUNDS, sizeof(double), compare_doubles);
    return times[ROUNDS / 2];
}

static double begin(void) {
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Wtime();
}

/* Of the slowest rank. */
static double end(double began) {
    double time = MPI_Wtime() - began;

    MPI_Allreduce(MPI_IN_PLACE, &time, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return time;
}

/* --------------------------------------------------------------- exchange */

struct arrays {
    char *in, *out;       /* what is exchanged */
    char *sent, *came;    /* pinned, or NULL */
    size_t bytes;         /* of each of them */
    int *counts, *places; /* equal parts, for MPI */
};

static void peer_exchange(const struct arrays *of) {
    const char *from = of->in;
    char *to = of->out;

    if (of->sent != NULL) {
        copy(of->sent, of->in, of->bytes);
        from = of->sent;
        to = of->came;
    }
    MPI_Alltoallv(from, of->counts, of->places, MPI_BYTE, to, of->counts,
                  of->places, MPI_BYTE, MPI_COMM_WORLD);
    if (of->came != NULL)
        copy(of->out, of->came, of->bytes);
}

static struct arrays open_arrays(uint64_t each) {
    struct arrays of = {.bytes = each * (size_t)ranks};

    of.in = array_alloc(of.bytes);
    of.out = array_alloc(of.bytes);
    of.sent = pinned_alloc(of.bytes);
    of.came = pinned_alloc(of.bytes);
    of.counts = must_alloc((size_t)ranks * sizeof(int));
    of.places = must_alloc((size_t)ranks * sizeof(int));
    for (int r = 0; r < ranks; r++) {
        of.counts[r] = (int)each;
        of.places[r] = (int)(each * (uint64_t)r);
    }
    return of;
}

static void close_arrays(struct arrays *of) {
    array_free(of->in);
    array_free(of->out);
    pinned_free(of->sent);
    pinned_free(of->came);
    free(of->counts);
    free(of->places);
}

static void measure_exchange(winnow_mpi *mpi, uint64_t bytes) {
    const uint64_t each = bytes / (uint64_t)ranks / 8; /* to a rank */
    struct arrays of = open_arrays(each * 8);
    uint64_t *const offsets = must_alloc(((size_t)ranks + 1) * 8);
    const winnow_move move = {
        .d_in = of.in, .d_out = of.out, .element_bytes = 8};
    double times[2][ROUNDS];
    uint64_t got = 0;

    for (int r = 0; r <= ranks; r++)
        offsets[r] = each * (uint64_t)r;
    for (int i = 0; i < 2 * ROUNDS; i++) {
        const double began = begin();

        if (i % 2 == 0)
            peer_exchange(&of);
        else
            CHECK(winnow_mpi_exchange(mpi, offsets, &move, 1, offsets[ranks],
                                      NULL, &got) == WINNOW_OK);
        times[i % 2][i / 2] = end(began);
    }
    const double theirs = median(times[0]), ours = median(times[1]);
    if (rank == 0)
        printf("%d ranks, %llu bytes each: MPI_Alltoallv %.3f ms, "
               "winnow_mpi_exchange %.3f ms, fraction %.2f\n",
               ranks, (unsigned long long)of.bytes, theirs * 1e3, ours * 1e3,
               theirs / ours);
    free(offsets);
    close_arrays(&of);
}

/* ---------------------------------------------------------------- migrate */

/* Items of which one in twenty goes to any other rank, beside MPI_Alltoallv of as
 * many bytes as leave, which says nothing of who leaves and where. */
static void measure_migrate(winnow_mpi *mpi, uint64_t n) {
    const uint64_t room = n + n / 4;
    const uint64_t each = n / ONE_LEAVES_IN / (uint64_t)ranks * ITEM_BYTES;
    struct arrays of = open_arrays(each);
    char *const items = array_alloc(room * ITEM_BYTES);
    int32_t *const d_ranks = array_alloc(room * sizeof(*d_ranks));
    int32_t *const to = must_alloc(room * sizeof(*to));
    const winnow_move move = {.d_out = items, .element_bytes = ITEM_BYTES};
    winnow_context *context = NULL;
    double times[2][ROUNDS];
    uint64_t seed = (uint64_t)rank + 1, now = n;

    CHECK(winnow_context_create(&context, device) == WINNOW_OK);
    for (uint64_t i = 0; i < room; i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
        to[i] = rank;
        if (ranks > 1 && (seed >> 33) % ONE_LEAVES_IN == 0)
            to[i] = (rank + 1 + (int)((seed >> 40) % (uint64_t)(ranks - 1))) %
                    ranks;
    }
    copy(d_ranks, to, room * sizeof(*d_ranks));
    for (int i = 0; i < 2 * ROUNDS; i++) {
        const double began = begin();

        if (i % 2 == 0)
            peer_exchange(&of);
        else
            CHECK(winnow_mpi_migrate(mpi, context, d_ranks, now, &move, 1, room,
                                     NULL, 0, &now) == WINNOW_OK);
        times[i % 2][i / 2] = end(began);
    }
    const double theirs = median(times[0]), ours = median(times[1]);
    if (rank == 0)
        printf("%d ranks, %llu items of %d bytes each, 1 in %d leaves: "
               "MPI_Alltoallv of what leaves %.3f ms, winnow_mpi_migrate "
               "%.3f ms, %.0f million items/s of a rank\n",
               ranks, (unsigned long long)n, ITEM_BYTES, ONE_LEAVES_IN,
               theirs * 1e3, ours * 1e3, 1e-6 * (double)n / ours);
    winnow_context_destroy(context);
    free(to);
    array_free(d_ranks);
    array_free(items);
    close_arrays(&of);
}

int main(int argc, char **argv) {
    winnow_mpi *mpi = NULL;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    use_device();
    CHECK(winnow_mpi_create(&mpi, MPI_COMM_WORLD, NULL) == WINNOW_OK);
    for (uint64_t bytes = 1 << 16; bytes <= 1 << 26; bytes *= 32)
        measure_exchange(mpi, bytes);
    for (uint64_t n = 1 << 14; n <= 1 << 20; n *= 64)
        measure_migrate(mpi, n);
    winnow_mpi_destroy(mpi);
    MPI_Finalize();
    return 0;
}
