/*
 * Kernels with one mistake each, and without: what the detectors of the CPU
 * device must find.
 *
 * usage: faulty NAME right|wrong [SEED]
 *
 * Exit status 0: the result was right under all seeds, and nothing was found.
 * 3: it was wrong, or differed with what uninitialised memory held. Otherwise a
 * detector has ended the program.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernels/core/ptx.cuh"

#include "simt/port.hpp"
#include "simt/simt.h"

#include <winnow/device.cuh>

#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr unsigned int THREADS = 64, BLOCKS = 4, WORDS = THREADS * BLOCKS;

struct Args {
    unsigned int *data; /* WORDS, at first 1 each */
    unsigned int *flag; /* 0 at first */
    bool wrong;
};

/* The neighbour's value, by shared memory: a barrier is left out. */
__global__ void barrier(Args args) {
    using Values = unsigned int[THREADS];
    WINNOW__SHARED(values, Values);
    const unsigned int i = blockIdx.x * THREADS + threadIdx.x;
    values[threadIdx.x] = args.data[i];
    if (!args.wrong)
        __syncthreads();
    args.data[i] += values[(threadIdx.x + 33) % THREADS];
}

/* Every thread counts: one of them with a plain store. */
__global__ void plain_store(Args args) {
    atomicAdd(args.flag, 0u);
    if (args.wrong && blockIdx.x == 1 && threadIdx.x == 0)
        *args.flag = 5;
    args.data[blockIdx.x * THREADS + threadIdx.x] += 1;
}

/* Block 0 writes what the others read when they see the flag: without a fence
 * on the one side or the other. */
__device__ void hand_on(const Args &args, bool release, bool acquire) {
    if (blockIdx.x == 0) {
        if (threadIdx.x == 0) {
            args.data[0] = 2;
            if (release)
                __threadfence();
            atomicExch(args.flag, 1u);
        }
    } else if (threadIdx.x == 0 && winnow::load_relaxed(args.flag) != 0) {
        if (acquire)
            __threadfence();
        args.data[blockIdx.x] = args.data[0];
    }
}

__global__ void release_fence(Args args) {
    hand_on(args, !args.wrong, true);
}

__global__ void acquire_fence(Args args) {
    hand_on(args, true, !args.wrong);
}

/* A fence for the block alone. */
__global__ void fence_scope(Args args) {
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        args.data[0] = 2;
        if (args.wrong)
            __threadfence_block();
        else
            __threadfence();
        atomicExch(args.flag, 1u);
    } else if (threadIdx.x == 0 && winnow::load_relaxed(args.flag) != 0) {
        __threadfence();
        args.data[blockIdx.x] = args.data[0];
    }
}

/* A number from another block of the cluster: waited for at the scope of the
 * block alone. */
__global__ void wait_scope(Args args) {
    WINNOW__SHARED(arrived, uint64_t);
    WINNOW__SHARED(number, uint32_t);
    if (threadIdx.x == 0) {
        winnow::mbarrier_init(&arrived);
        winnow::mbarrier_expect(&arrived, sizeof number);
    }
    __syncthreads();
    winnow::cluster_arrive_relaxed();
    winnow::cluster_wait();
    if (threadIdx.x == 0) {
        const unsigned int next = (blockIdx.x + 1) % BLOCKS;
        winnow::store_async(winnow::cluster_address(&number, next), 1,
                            winnow::cluster_address(&arrived, next));
    }
    while (!simt::mbarrier_try_wait(&arrived, 0,
                                    args.wrong ? simt::BLOCK : simt::CLUSTER)) {
    }
    args.data[blockIdx.x * THREADS + threadIdx.x] += number;
}

/* One element past the end, of an array. */
__global__ void past_the_end(Args args) {
    const unsigned int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < WORDS + (args.wrong ? 1 : 0))
        args.data[i] += 1;
    if (args.wrong && i == WORDS - 1)
        args.data[WORDS] += 1;
}

/* And of a shared variable. */
__global__ void past_a_shared_variable(Args args) {
    using Values = unsigned int[THREADS];
    WINNOW__SHARED(values, Values);
    Values &all = values;
    volatile unsigned int *const to = all;
    to[threadIdx.x + (args.wrong ? 1 : 0)] = 1;
    __syncthreads();
    args.data[blockIdx.x * THREADS + threadIdx.x] += 1;
}

/* A shared variable that is read before it is written. */
__global__ void uninitialised(Args args) {
    WINNOW__SHARED(value, unsigned int);
    if (!args.wrong && threadIdx.x == 0)
        value = 1;
    __syncthreads();
    args.data[blockIdx.x * THREADS + threadIdx.x] += value;
}

/* A vote that half of the lanes do not come to. */
__global__ void lanes_that_do_not_come(Args args) {
    if (!args.wrong || threadIdx.x % 32 < 16)
        args.data[blockIdx.x * THREADS + threadIdx.x] +=
            __ballot_sync(0xffffffffu, 1) != 0;
    __syncthreads();
}

/* Every block waits for the last one, which need not be resident. */
__global__ void wait_for_a_block(Args args) {
    if (threadIdx.x == 0) {
        const unsigned int before = atomicAdd(args.flag, 1u);
        while (winnow::load_relaxed(args.flag) <
               (args.wrong ? BLOCKS : before)) {
        }
    }
    __syncthreads();
    args.data[blockIdx.x * THREADS + threadIdx.x] += 1;
}

/* An address in shared memory of a block that has ended. */
__global__ void block_that_has_ended(Args args) {
    WINNOW__SHARED(arrived, uint64_t);
    WINNOW__SHARED(number, uint32_t);
    if (threadIdx.x == 0) {
        number = 0;
        winnow::mbarrier_init(&arrived);
        winnow::mbarrier_expect(&arrived, blockIdx.x == 0 ? 0 : sizeof number);
    }
    __syncthreads();
    winnow::cluster_arrive_relaxed();
    winnow::cluster_wait();
    if (blockIdx.x == 0 && threadIdx.x > 0 && threadIdx.x < BLOCKS)
        winnow::store_async(winnow::cluster_address(&number, threadIdx.x), 1,
                            winnow::cluster_address(&arrived, threadIdx.x));
    while (!args.wrong && !winnow::mbarrier_try_wait(&arrived)) {
    }
    args.data[blockIdx.x * THREADS + threadIdx.x] += 1;
}

/* A copy that is not waited for. */
__global__ void copy_not_waited_for(Args args) {
    using Values = unsigned int[THREADS];
    WINNOW__SHARED(values, Values);
    const unsigned int i = blockIdx.x * THREADS + threadIdx.x;
    winnow::copy_async<4>(&values[threadIdx.x], &args.data[i]);
    if (!args.wrong)
        winnow::copy_async_wait();
    const unsigned int value = values[threadIdx.x];
    winnow::copy_async_wait();
    args.data[i] += value;
}

/* A bulk copy of what the block has just written, which then writes something
 * else there; with one of these mistakes. */
enum Mistake {
    NO_FENCE,
    NO_WAIT_FOR_READS,
    NO_COMMIT,
    NO_WAIT
};

template <Mistake MISTAKE>
__global__ void bulk(Args args) {
    struct alignas(16) Values {
        unsigned int of[THREADS];
    };
    WINNOW__SHARED(values, Values);
    unsigned int *const data = args.data + blockIdx.x * THREADS;
    const auto avoids = [&](Mistake m) { return !args.wrong || m != MISTAKE; };
    values.of[threadIdx.x] = 2;
    if (avoids(NO_FENCE))
        winnow::fence_bulk_copies();
    __syncthreads();
    if (threadIdx.x == 0) {
        winnow::bulk_copy(data, values.of, sizeof(Values));
        if (avoids(NO_COMMIT))
            winnow::commit_bulk_copies();
        if (avoids(NO_WAIT_FOR_READS))
            winnow::wait_for_bulk_reads();
    }
    __syncthreads();
    values.of[threadIdx.x] = 3;
    if (threadIdx.x == 0 && avoids(NO_WAIT))
        winnow::wait_for_bulk_copies();
}

/* What the lanes of a warp do together, of which they compare the outcome with
 * what it is by definition; half of them by turns. And atomics of each width.
 */
__global__ void collectives(Args args) {
    const unsigned int lane = threadIdx.x % 32, i = threadIdx.x;
    const unsigned int half = lane % 2 == 0 ? 0x55555555u : 0xaaaaaaaau;
    const unsigned int own = 1u << lane, key = lane / 4;
    unsigned int wrong = 0, sum = 0, least = ~0u, all = ~0u, any = 0, odd = 0;
    for (unsigned int k = lane % 2; k < 32; k += 2) {
        sum += 3 * k;
        least = min(least, k ^ 5);
        all &= k | 1;
        any |= k;
        odd ^= 7 * k;
    }
    wrong |= __reduce_add_sync(half, 3 * lane) != sum;
    wrong |= __reduce_min_sync(half, lane ^ 5) != least;
    wrong |= __reduce_max_sync(half, lane) != 30 + lane % 2;
    wrong |= __reduce_and_sync(half, lane | 1) != all;
    wrong |= __reduce_or_sync(half, lane) != any;
    wrong |= __reduce_xor_sync(half, 7 * lane) != odd;
    wrong |= __reduce_min_sync(half, 15 - static_cast<int>(lane)) !=
             15 - static_cast<int>(30 + lane % 2);
    wrong |= __reduce_max_sync(half, -static_cast<int>(lane)) !=
             -static_cast<int>(lane % 2);
    wrong |= __match_any_sync(half, key) != (half & 0xfu << 4 * key);
    wrong |= __match_any_sync(~0u, uint64_t(key) << 40) != 0xfu << 4 * key;
    int same = -1;
    wrong |= __match_all_sync(half, 9, &same) != half || same != 1;
    wrong |= __match_all_sync(half, lane, &same) != 0 || same != 0;
    wrong |= __ballot_sync(half, lane % 3 == 0) != (half & 0x49249249u);
    wrong |= !__all_sync(half, 1) || __all_sync(~0u, lane != 7);
    wrong |= __any_sync(half, 0) || !__any_sync(~0u, lane == 7);
    wrong |= __shfl_sync(~0u, 5.0 * lane, 9) != 45.0;
    wrong |= __shfl_sync(~0u, lane, 3, 8) != lane / 8 * 8 + 3;
    wrong |= __shfl_up_sync(~0u, lane, 2) != (lane < 2 ? lane : lane - 2);
    wrong |= __shfl_down_sync(~0u, lane, 2) != (lane > 29 ? lane : lane + 2);
    wrong |= __shfl_xor_sync(~0u, lane, 16) != (lane ^ 16);
    wrong |= (__activemask() & own) == 0;

    using Words = unsigned long long[4];
    WINNOW__SHARED(words, Words);
    if (i < 4)
        words[i] = 0;
    __syncthreads();
    auto *const floats = reinterpret_cast<float *>(&words[1]);
    auto *const doubles = reinterpret_cast<double *>(&words[2]);
    auto *const integers = reinterpret_cast<int *>(&words[3]);
    atomicAdd(&words[0], 1ull << 33);
    atomicAdd(floats, 0.5f);
    atomicAdd(doubles, 0.25);
    atomicMin(integers, -static_cast<int>(i));
    atomicMax(integers + 1, static_cast<int>(i));
    __syncthreads();
    wrong |= words[0] != uint64_t(THREADS) << 33 || *floats != THREADS / 2.0f ||
             *doubles != THREADS / 4.0 || integers[0] != 1 - int(THREADS) ||
             integers[1] != THREADS - 1;
    wrong |= __syncthreads_count(i % 4 == 0) != THREADS / 4;
    wrong |= __syncthreads_and(i != 5) || !__syncthreads_or(i == 5);
    __syncthreads();
    if (i == 0)
        words[0] = 7;
    __syncthreads();
    const bool won = atomicCAS(&words[0], 7ull, 100ull + i) == 7;
    wrong |= __syncthreads_count(won) != 1 || words[0] < 100;
    args.data[blockIdx.x * THREADS + i] += wrong == 0 && !args.wrong ? 1 : 0;
}

/* The prefix sum of a warp in shared memory, in the form of programs that are
 * older than compute capability 7.0: the memory is volatile, and nothing orders
 * what the lanes do. */
__device__ unsigned int scan_by_volatile(volatile unsigned int *data,
                                         unsigned int value) {
    data[0] = 0;
    data[32] = value;
    for (int step = 1; step < 32; step *= 2)
        data[32] = data[32] + data[32 - step];
    return data[32];
}

/* And with the running value in a register. */
__device__ unsigned int scan_by_volatile_register(volatile unsigned int *data,
                                                  unsigned int value) {
    data[0] = 0;
    for (int step = 1; step < 32; step *= 2) {
        data[32] = value;
        value += data[32 - step];
    }
    return value;
}

template <bool REGISTER>
__global__ void scan_of_a_warp(Args args) {
    using Scratch = unsigned int[THREADS / 32][winnow::device::SCAN_SCRATCH];
    WINNOW__SHARED(scratch, Scratch);
    const unsigned int lane = threadIdx.x % 32;
    unsigned int *const own = scratch[threadIdx.x / 32];
    unsigned int sum;
    if (args.wrong)
        sum = REGISTER ? scan_by_volatile_register(own + lane, lane)
                       : scan_by_volatile(own + lane, lane);
    else
        sum = REGISTER ? winnow::device::warp_inclusive_scan_register(own, lane)
                       : winnow::device::warp_inclusive_scan_shared(own, lane);
    args.data[blockIdx.x * THREADS + threadIdx.x] +=
        sum == lane * (lane + 1) / 2 ? 1 : 0;
}

struct Fault {
    const char *name;
    void (*kernel)(Args);
    bool cluster;
    bool has_result; /* every word is 2 in the end */
};

const Fault faults[] = {
    {"barrier", barrier, false, true},
    {"plain-store", plain_store, false, true},
    {"release-fence", release_fence, false, false},
    {"acquire-fence", acquire_fence, false, false},
    {"fence-scope", fence_scope, false, false},
    {"wait-scope", wait_scope, true, true},
    {"past-the-end", past_the_end, false, true},
    {"past-a-shared-variable", past_a_shared_variable, false, true},
    {"uninitialised", uninitialised, false, true},
    {"lanes-that-do-not-come", lanes_that_do_not_come, false, true},
    {"wait-for-a-block", wait_for_a_block, false, true},
    {"block-that-has-ended", block_that_has_ended, true, true},
    {"copy-not-waited-for", copy_not_waited_for, false, true},
    {"bulk-copy-without-fence", bulk<NO_FENCE>, false, true},
    {"bulk-copy-not-read", bulk<NO_WAIT_FOR_READS>, false, true},
    {"bulk-copy-not-committed", bulk<NO_COMMIT>, false, true},
    {"bulk-copy-not-waited-for", bulk<NO_WAIT>, false, true},
    {"collectives", collectives, false, true},
    {"scan-without-syncwarp", scan_of_a_warp<false>, false, true},
    {"register-scan-without-syncwarp", scan_of_a_warp<true>, false, true},
};

void must(cudaError_t error, const char *what) {
    if (error == cudaSuccess)
        return;
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    std::exit(1);
}

/* Once; false: the result is wrong. */
bool run(const Fault &fault, bool wrong) {
    unsigned int values[WORDS];
    Args args = {nullptr, nullptr, wrong};
    must(cudaMalloc(reinterpret_cast<void **>(&args.data), sizeof values),
         "cudaMalloc");
    must(cudaMalloc(reinterpret_cast<void **>(&args.flag), 4), "cudaMalloc");
    for (unsigned int &value : values)
        value = 1;
    must(cudaMemcpy(args.data, values, sizeof values, cudaMemcpyDefault),
         "cudaMemcpy");
    must(cudaMemset(args.flag, 0, 4), "cudaMemset");
    cudaLaunchAttribute cluster;
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {BLOCKS, 1, 1};
    simt::announce(fault.kernel);
    const cudaLaunchConfig_t config = {
        {BLOCKS, 1, 1}, {THREADS, 1, 1}, 0,
        nullptr,        &cluster,        fault.cluster ? 1u : 0u};
    void *arguments[] = {&args};
    must(cudaLaunchKernelExC(
             &config, reinterpret_cast<const void *>(fault.kernel), arguments),
         "cudaLaunchKernelExC");
    must(cudaMemcpy(values, args.data, sizeof values, cudaMemcpyDefault),
         "cudaMemcpy");
    must(cudaFree(args.data), "cudaFree");
    must(cudaFree(args.flag), "cudaFree");
    if (fault.has_result)
        for (const unsigned int value : values)
            if (value != 2)
                return false;
    return true;
}

} // namespace

int main(int number, char **arguments) {
    constexpr uint64_t SEEDS = 40;
    if (number == 2 && std::strcmp(arguments[1], "--list") == 0) {
        for (const Fault &fault : faults)
            std::printf("%s\n", fault.name);
        return 0;
    }
    if (number < 3)
        return 2;
    for (const Fault &fault : faults) {
        if (std::strcmp(fault.name, arguments[1]) != 0)
            continue;
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            simt_seed(seed);
            simt_pattern(seed);
            if (!run(fault, std::strcmp(arguments[2], "wrong") == 0)) {
                std::printf("the result is wrong; WINNOW_SIMT_SEED=%d\n",
                            static_cast<int>(seed));
                return 3;
            }
        }
        return 0;
    }
    return 2;
}
