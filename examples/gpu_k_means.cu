/*
 * k-means on a GPU: points in the plane, and the centres of their clusters. In
 * each round a kernel finds the nearest centre of each point; then the library
 * adds up the points of each cluster, whose mean is the new centre.
 * examples/k_means.c is the same for the CPU.
 *
 * Exits with 77, which automake counts as skipped, where there is no device.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <winnow.h>

#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstdlib>

constexpr unsigned int POINTS = 3000, CLUSTERS = 3, ROUNDS = 20, THREADS = 256;

/* Columns of numbers: a name for each. */
struct Points {
    float *x, *y, *ones;
};

__global__ void assign(Points points, Points centres,
                       unsigned int *cluster_of) {
    const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= POINTS)
        return;
    unsigned int best = 0;
    float least = 0;
    for (unsigned int c = 0; c < CLUSTERS; c++) {
        const float dx = points.x[i] - centres.x[c];
        const float dy = points.y[i] - centres.y[c];
        const float distance = dx * dx + dy * dy;
        if (c == 0 || distance < least) {
            least = distance;
            best = c;
        }
    }
    cluster_of[i] = best;
}

/* From sums to means, and the sums to 0 for the next round; last: leave them.
 */
__global__ void move(Points sums, Points centres, bool last) {
    const unsigned int c = threadIdx.x;
    if (c >= CLUSTERS || sums.ones[c] == 0)
        return;
    centres.x[c] = sums.x[c] / sums.ones[c];
    centres.y[c] = sums.y[c] / sums.ones[c];
    if (!last)
        sums.x[c] = sums.y[c] = sums.ones[c] = 0;
}

static void cuda(cudaError_t error) {
    if (error != cudaSuccess) {
        std::fprintf(stderr, "gpu_k_means: %s\n", cudaGetErrorString(error));
        std::exit(1);
    }
}

static void must(winnow_status status) {
    if (status != WINNOW_OK) {
        std::fprintf(stderr, "gpu_k_means: %s\n", winnow_last_error());
        std::exit(1);
    }
}

/* Memory that the host and the device share, of zeros. */
template <class T>
static T *allocate(size_t number) {
    void *memory = nullptr;
    cuda(cudaMallocManaged(&memory, number * sizeof(T), cudaMemAttachGlobal));
    cuda(cudaMemset(memory, 0, number * sizeof(T)));
    cuda(cudaDeviceSynchronize());
    return static_cast<T *>(memory);
}

static Points allocate_points(size_t number) {
    return {allocate<float>(number), allocate<float>(number),
            allocate<float>(number)};
}

static void release(Points points) {
    cuda(cudaFree(points.x));
    cuda(cudaFree(points.y));
    cuda(cudaFree(points.ones));
}

/* Around (10, 10), (20, 10) and (10, 30), up to 2 away. */
static void make_points(Points points) {
    static const float around[CLUSTERS][2] = {{10, 10}, {20, 10}, {10, 30}};
    for (unsigned int i = 0; i < POINTS; i++) {
        const unsigned int drawn = i * 2654435761u;
        points.x[i] = around[i % CLUSTERS][0] +
                      static_cast<float>(drawn >> 30) / 0.75f - 2;
        points.y[i] = around[i % CLUSTERS][1] +
                      static_cast<float>(drawn >> 28 & 3) / 0.75f - 2;
        points.ones[i] = 1;
    }
}

static winnow_in input(winnow_type type, const void *base) {
    winnow_in in = {};
    in.type = type;
    in.d_base = base;
    return in;
}

static winnow_out output(winnow_type type, void *base) {
    winnow_out out = {};
    out.type = type;
    out.d_base = base;
    return out;
}

/* Enqueues all rounds; nothing waits for the device in between. */
static void run(winnow_context *context, Points points, Points sums,
                Points centres, unsigned int *cluster_of) {
    const winnow_in keys = input(WINNOW_UINT32, cluster_of);
    const winnow_in values[] = {input(WINNOW_FLOAT32, points.x),
                                input(WINNOW_FLOAT32, points.y),
                                input(WINNOW_FLOAT32, points.ones)};
    const winnow_out out[] = {output(WINNOW_FLOAT32, sums.x),
                              output(WINNOW_FLOAT32, sums.y),
                              output(WINNOW_FLOAT32, sums.ones)};
    constexpr unsigned int BLOCKS = (POINTS + THREADS - 1) / THREADS;
    for (unsigned int round = 0; round < ROUNDS; round++) {
        assign<<<BLOCKS, THREADS>>>(points, centres, cluster_of);
        cuda(cudaGetLastError());
        must(winnow_accumulate_by_key(context, &keys, values, 3, POINTS,
                                      CLUSTERS, out, nullptr, nullptr));
        move<<<1, 32>>>(sums, centres, round == ROUNDS - 1);
        cuda(cudaGetLastError());
    }
}

int main() {
    static const float first[CLUSTERS][2] = {{8, 8}, {22, 9}, {9, 25}};
    winnow_context *context = nullptr;
    const winnow_status status = winnow_context_create(&context, 0);
    if (status == WINNOW_ERR_NO_DEVICE) {
        std::printf("skipped: no CUDA device (%s)\n", winnow_last_error());
        return 77;
    }
    must(status);
    const Points points = allocate_points(POINTS);
    const Points sums = allocate_points(CLUSTERS);
    const Points centres = allocate_points(CLUSTERS);
    unsigned int *const cluster_of = allocate<unsigned int>(POINTS);
    make_points(points);
    for (unsigned int c = 0; c < CLUSTERS; c++) {
        centres.x[c] = first[c][0];
        centres.y[c] = first[c][1];
    }
    run(context, points, sums, centres, cluster_of);
    cuda(cudaDeviceSynchronize());
    bool right = true;
    for (unsigned int c = 0; c < CLUSTERS; c++) {
        std::printf("(%.2f, %.2f), %g points\n",
                    static_cast<double>(centres.x[c]),
                    static_cast<double>(centres.y[c]),
                    static_cast<double>(sums.ones[c]));
        right = right && sums.ones[c] == POINTS / CLUSTERS;
    }
    release(points);
    release(sums);
    release(centres);
    cuda(cudaFree(cluster_of));
    winnow_context_destroy(context);
    return right ? 0 : 1;
}
