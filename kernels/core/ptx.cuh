/*
 * Features of a device that standard C++ lacks: PTX, addresses of shared
 * memory, shared variables. Each has two bodies: one for a GPU, and one for the
 * CPU device of the tests (tests/simt/), which runs the same kernels without a
 * GPU. The rest of kernels/ is the same for both.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <cstddef>
#include <cstdint>

#ifdef __CUDACC__
#include <cuda_pipeline_primitives.h>
#define WINNOW__BODY(GPU, CPU) GPU
#else
#include "simt/port.hpp" /* and what winnow/device.cuh asks for */
#define WINNOW__BODY(GPU, CPU) CPU
#endif

/* Instructions of compute capability 9.0; older devices do nothing instead. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define WINNOW__BODY_90(GPU, CPU) GPU
#else
#define WINNOW__BODY_90(GPU, CPU) WINNOW__BODY(, CPU)
#endif

/* The instructions that order accesses, and have no operands. */
#define WINNOW__ORDER_90(NAME, PTX)                                            \
    __device__ __forceinline__ void NAME() {                                   \
        WINNOW__BODY_90(asm volatile(PTX : : : "memory");, simt::NAME();)      \
    }

/* A function that the compiler must not inline. */
#define WINNOW__NOINLINE WINNOW__BODY(__noinline__, __attribute__((noinline)))

/*
 * A block's variable in shared memory has a name and a type. A block's dynamic
 * shared memory is an array of bytes, aligned to 16 bytes.
 */
#ifdef __CUDACC__
#define WINNOW__SHARED(NAME, ...) __shared__ __VA_ARGS__ NAME
#define WINNOW__DYNAMIC_SHARED(NAME)                                           \
    extern __shared__ __align__(16) unsigned char NAME[]
#else
#define WINNOW__SHARED(NAME, ...)                                              \
    static char NAME##_key;                                                    \
    auto &NAME = simt::shared_variable<__VA_ARGS__>(&NAME##_key)
#define WINNOW__DYNAMIC_SHARED(NAME)                                           \
    unsigned char *const NAME = simt::dynamic_shared()
#endif

/* The address by which the host launches a kernel: a constant on a GPU. */
#ifdef __CUDACC__
#define WINNOW__KERNEL(...) reinterpret_cast<const void *>(&__VA_ARGS__)
#else
#define WINNOW__KERNEL(...)                                                    \
    (simt::announce(&__VA_ARGS__), reinterpret_cast<const void *>(&__VA_ARGS__))
#endif

/* Define a kernel, or a table of kernels, for the host. A value follows. */
#define WINNOW__FOR_HOST(...)                                                  \
    extern "C" const winnow__kernel __VA_ARGS__;                               \
    const winnow__kernel __VA_ARGS__
/* An entry: the members of winnow__kernel after the first, and the kernel. */
#define WINNOW__ENTRY(THREADS, TILE_BYTES, VECTOR_BYTES, SHARED_BYTES, ...)    \
    {                                                                          \
        WINNOW__KERNEL(__VA_ARGS__), THREADS, TILE_BYTES, VECTOR_BYTES,        \
            SHARED_BYTES                                                       \
    }
/* A table of entries for elements of each size. */
#define WINNOW__OF_COLUMNS(ENTRY, F)                                           \
    {                                                                          \
        ENTRY(F<uint8_t>), ENTRY(F<uint16_t>), ENTRY(F<uint32_t>),             \
            ENTRY(F<uint64_t>)                                                 \
    }

namespace winnow {

/* ------------------------------------------------------------------- warps */

/* The lanes below this one, as bits. */
__device__ __forceinline__ unsigned int lanes_below() {
    unsigned int mask;
    WINNOW__BODY(asm("mov.u32 %0, %%lanemask_lt;"
                     : "=r"(mask));
                 , mask = simt::lanes_below();)
    return mask;
}

/* The sum of x over the warp, in every lane. */
__device__ __forceinline__ unsigned int reduce_add(unsigned int x) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    return __reduce_add_sync(0xffffffffu, x);
#else
#pragma unroll
    for (unsigned int step = 16; step != 0; step /= 2)
        x += __shfl_xor_sync(0xffffffffu, x, step);
    return x;
#endif
}

/* The bits that any lane of the warp has, in every lane. */
__device__ __forceinline__ unsigned int reduce_or(unsigned int x) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    return __reduce_or_sync(0xffffffffu, x);
#else
#pragma unroll
    for (unsigned int step = 16; step != 0; step /= 2)
        x |= __shfl_xor_sync(0xffffffffu, x, step);
    return x;
#endif
}

/*
 * The lanes whose word has this bit set. Called by all lanes of a warp. It
 * takes one instruction before the vote; the compiler would generate three.
 */
__device__ __forceinline__ unsigned int lanes_with_bit(unsigned int word,
                                                       unsigned int bit) {
    unsigned int lanes;
    WINNOW__BODY(asm volatile("{\n\t"
                              ".reg .pred p;\n\t"
                              ".reg .b32 t;\n\t"
                              "and.b32 t, %1, %2;\n\t"
                              "setp.ne.u32 p, t, 0;\n\t"
                              "vote.sync.ballot.b32 %0, p, 0xffffffff;\n\t"
                              "}"
                              : "=r"(lanes)
                              : "r"(word), "r"(bit));
                 , lanes = __ballot_sync(0xffffffffu, (word & bit) != 0);)
    return lanes;
}

/* The lanes whose word has the same value of this bit as the caller's. */
__device__ __forceinline__ unsigned int lanes_with_same_bit(unsigned int word,
                                                            unsigned int bit) {
    unsigned int lanes;
    WINNOW__BODY(asm volatile("{\n\t"
                              ".reg .pred p;\n\t"
                              ".reg .b32 t;\n\t"
                              "and.b32 t, %1, %2;\n\t"
                              "setp.ne.u32 p, t, 0;\n\t"
                              "selp.b32 t, 0, -1, p;\n\t"
                              "vote.sync.ballot.b32 %0, p, 0xffffffff;\n\t"
                              "xor.b32 %0, %0, t;\n\t"
                              "}"
                              : "=r"(lanes)
                              : "r"(word), "r"(bit));
                 , lanes = __ballot_sync(0xffffffffu, (word & bit) != 0);
                 lanes = (word & bit) != 0 ? lanes : ~lanes;)
    return lanes;
}

/* ------------------------------------------------------- named barriers */

/*
 * Named barriers of a block, 1 to 15, for THREADS of its threads. The threads
 * need not be at the same place of the program. Threads that arrive do not
 * wait. All lanes of a warp make the call together.
 */
template <unsigned int THREADS>
__device__ __forceinline__ void barrier_sync(unsigned int name) {
    WINNOW__BODY(asm volatile("barrier.sync %0, %1;"
                              :
                              : "r"(name), "n"(THREADS)
                              : "memory");
                 , simt::barrier_sync(name, THREADS);)
}

template <unsigned int THREADS>
__device__ __forceinline__ void barrier_arrive(unsigned int name) {
    WINNOW__BODY(asm volatile("barrier.arrive %0, %1;"
                              :
                              : "r"(name), "n"(THREADS)
                              : "memory");
                 , simt::barrier_arrive(name, THREADS);)
}

/* --------------------------------------------- words that blocks exchange */

/* Relaxed accesses at the scope of the device: they order nothing else.
 * add_relaxed() adds a float in global memory by one instruction. A generic
 * atomicAdd() would also have a compare-and-swap loop, for shared memory. */
#define WINNOW__RELAXED(NAME, PTX, WORD, T, C)                                 \
    __device__ __forceinline__ void NAME(WORD *word, T value) {                \
        WINNOW__BODY(asm volatile(PTX " [%0], %1;"                             \
                                  :                                            \
                                  : "l"(word), C(value)                        \
                                  : "memory");                                 \
                     , simt::NAME(word, value);)                               \
    }
WINNOW__RELAXED(store_relaxed, "st.relaxed.gpu.global.u32", uint32_t, uint32_t,
                "r")
WINNOW__RELAXED(store_relaxed, "st.relaxed.gpu.global.u64", unsigned long long,
                uint64_t, "l")
WINNOW__RELAXED(add_relaxed, "red.relaxed.gpu.global.add.u32", uint32_t,
                uint32_t, "r")
WINNOW__RELAXED(add_relaxed, "red.relaxed.gpu.global.add.u64",
                unsigned long long, unsigned long long, "l")
WINNOW__RELAXED(add_relaxed, "red.relaxed.gpu.global.add.f32", float, float,
                "f")
WINNOW__RELAXED(add_relaxed, "red.relaxed.gpu.global.add.f64", double, double,
                "d")
#undef WINNOW__RELAXED

#define WINNOW__LOAD_RELAXED(WORD, T, TYPE, C)                                 \
    __device__ __forceinline__ T load_relaxed(const WORD *word) {              \
        T value;                                                               \
        WINNOW__BODY(asm volatile("ld.relaxed.gpu.global." TYPE " %0, [%1];"   \
                                  : "=" C(value)                               \
                                  : "l"(word)                                  \
                                  : "memory");                                 \
                     , value = simt::load_relaxed(word);)                      \
        return value;                                                          \
    }
WINNOW__LOAD_RELAXED(uint32_t, uint32_t, "u32", "r")
WINNOW__LOAD_RELAXED(unsigned long long, uint64_t, "u64", "l")
#undef WINNOW__LOAD_RELAXED

/*
 * Words that devices exchange, at the scope of the system. A release comes
 * after all earlier accesses of its thread, and after all that the thread has
 * observed. Accesses behind an acquire that reads the released value come after
 * the release.
 */
__device__ __forceinline__ void store_release_system(unsigned long long *word,
                                                     uint64_t value) {
    WINNOW__BODY(asm volatile("st.release.sys.global.u64 [%0], %1;"
                              :
                              : "l"(word), "l"(value)
                              : "memory");
                 , simt::store(word, static_cast<unsigned long long>(value),
                               simt::RELEASE, simt::SYSTEM);)
}

__device__ __forceinline__ uint64_t
load_acquire_system(const unsigned long long *word) {
    uint64_t value;
    WINNOW__BODY(asm volatile("ld.acquire.sys.global.u64 %0, [%1];"
                              : "=l"(value)
                              : "l"(word)
                              : "memory");
                 , value = simt::load(word, simt::ACQUIRE, simt::SYSTEM);)
    return value;
}

/* ------------------------------------------------------------- registers */

/* Make the compiler compute the value here, not later, and not again for every
 * use. (ptxas, which runs after nvcc, still moves instructions.) */
__device__ __forceinline__ void pin(unsigned int &x) {
    WINNOW__BODY(asm volatile("" : "+r"(x));, (void)x;)
}

template <class T>
__device__ __forceinline__ void pin(T *&x) {
    WINNOW__BODY(asm volatile("" : "+l"(x));, (void)x;)
}

/* The value of an IEEE 754 binary16. */
__device__ __forceinline__ float half_to_float(uint16_t bits) {
    float value;
    WINNOW__BODY(asm("cvt.f32.f16 %0, %1;"
                     : "=f"(value)
                     : "h"(bits));
                 , value = simt::half_to_float(bits);)
    return value;
}

/* Select four of the eight bytes of low and high. Each of the lower four hex
 * digits of the selector has a byte's number in three bits; its top bit asks
 * for copies of the byte's sign. The upper 16 bits have no effect.
 * (__byte_perm() copies no signs.)
 */
__device__ __forceinline__ uint32_t permute(uint32_t low, uint32_t high,
                                            uint32_t selector) {
    uint32_t bytes;
    WINNOW__BODY(asm("prmt.b32 %0, %1, %2, %3;"
                     : "=r"(bytes)
                     : "r"(low), "r"(high), "r"(selector));
                 , bytes = simt::permute(low, high, selector);)
    return bytes;
}

/* --------------------------------------------------------- shared memory */

/* The 32-bit address of a variable in shared memory, and the reverse. */
__device__ __forceinline__ uint32_t shared_address(const void *variable) {
    return WINNOW__BODY(
        static_cast<uint32_t>(__cvta_generic_to_shared(variable)),
        simt::shared_address(variable));
}

__device__ __forceinline__ void *shared_pointer(uint32_t address) {
    return WINNOW__BODY(__cvta_shared_to_generic(address),
                        simt::shared_pointer(address));
}

/* Copy 4, 8 or 16 bytes from global to shared memory, without waiting.
 * copy_async_wait() waits for all copies that the thread has begun. */
template <size_t BYTES>
__device__ __forceinline__ void copy_async(void *to, const void *from) {
    WINNOW__BODY(__pipeline_memcpy_async(to, from, BYTES); __pipeline_commit();
                 , simt::copy_async(to, from, BYTES);)
}

__device__ __forceinline__ void copy_async_wait() {
    WINNOW__BODY(__pipeline_wait_prior(0);, simt::copy_async_wait();)
}

/* ----------------------------------------------------------- bulk copies */

/*
 * Copies from shared to global memory by an engine of the multiprocessor, for
 * which the thread does not wait (compute capability 9.0). The size and both
 * addresses are multiples of 16 bytes.
 *
 * The engine sees a thread's writes to shared memory if the thread calls
 * fence_bulk_copies(), and then a barrier comes before the copy. A thread that
 * begins copies commits them. Then it waits until the engine has read shared
 * memory, or until the copies are complete.
 */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
constexpr bool HAS_BULK_COPIES = false;
#else
constexpr bool HAS_BULK_COPIES = true;
#endif

WINNOW__ORDER_90(fence_bulk_copies, "fence.proxy.async.shared::cta;")

__device__ __forceinline__ void bulk_copy(void *to, const void *shared,
                                          unsigned int bytes) {
    WINNOW__BODY_90(
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group "
                     "[%0], [%1], %2;"
                     :
                     : "l"(to), "r"(shared_address(shared)), "r"(bytes)
                     : "memory");
        , simt::bulk_copy(to, shared, bytes);)
}

WINNOW__ORDER_90(commit_bulk_copies, "cp.async.bulk.commit_group;")
WINNOW__ORDER_90(wait_for_bulk_reads, "cp.async.bulk.wait_group.read 0;")
WINNOW__ORDER_90(wait_for_bulk_copies, "cp.async.bulk.wait_group 0;")

/* ---------------------------------------------------------------- caches */

/* Fetch the line of this address into the L2 cache, for a later load. It
 * changes no result, so the CPU device does nothing. */
__device__ __forceinline__ void prefetch(const void *address) {
    WINNOW__BODY(asm volatile("prefetch.global.L2 [%0];"
                              :
                              : "l"(address));
                 , (void)address;)
}

/* Prefetch all lines of `bytes` bytes, with a block of THREADS threads. */
template <unsigned int THREADS>
__device__ __forceinline__ void
prefetch_lines(const void *from, unsigned int bytes, unsigned int thread) {
    constexpr unsigned int LINE = 128; /* bytes */
#pragma unroll 1
    for (unsigned int i = thread * LINE; i < bytes; i += THREADS * LINE)
        prefetch(static_cast<const unsigned char *>(from) + i);
}

/*
 * If wanted, load an element of global memory that is read only once; otherwise
 * x keeps its value. This is one instruction with a predicate. Many loads with
 * a branch each would take more registers than there are.
 */
#define WINNOW__LOAD_IF(T, TYPE, C)                                            \
    __device__ __forceinline__ void load_if(bool wanted, const T *from,        \
                                            T &x) {                            \
        WINNOW__BODY(asm volatile("{\n\t"                                      \
                                  ".reg .pred p;\n\t"                          \
                                  "setp.ne.u32 p, %1, 0;\n\t"                  \
                                  "@p ld.global.cs." TYPE " %0, [%2];\n\t"     \
                                  "}"                                          \
                                  : "+" C(x)                                   \
                                  : "r"(uint32_t(wanted)), "l"(from)           \
                                  : "memory");                                 \
                     , if (wanted) x = *from;)                                 \
    }
WINNOW__LOAD_IF(uint16_t, "u16", "h")
WINNOW__LOAD_IF(uint32_t, "u32", "r")
WINNOW__LOAD_IF(uint64_t, "u64", "l")
#undef WINNOW__LOAD_IF

__device__ __forceinline__ void load_if(bool wanted, const uint8_t *from,
                                        uint8_t &x) {
    WINNOW__BODY(uint32_t word = x;
                 asm volatile("{\n\t"
                              ".reg .pred p;\n\t"
                              "setp.ne.u32 p, %1, 0;\n\t"
                              "@p ld.global.cs.u8 %0, "
                              "[%2];\n\t"
                              "}"
                              : "+r"(word)
                              : "r"(uint32_t(wanted)), "l"(from)
                              : "memory");
                 x = static_cast<uint8_t>(word);, if (wanted) x = *from;)
}

__device__ __forceinline__ void load_if(bool wanted, const uint4 *from,
                                        uint4 &v) {
    WINNOW__BODY(asm volatile("{\n\t"
                              ".reg .pred p;\n\t"
                              "setp.ne.u32 p, %4, 0;\n\t"
                              "@p ld.global.cs.v4.u32 {%0, %1, %2, %3}, "
                              "[%5];\n\t"
                              "}"
                              : "+r"(v.x), "+r"(v.y), "+r"(v.z), "+r"(v.w)
                              : "r"(uint32_t(wanted)), "l"(from)
                              : "memory");
                 , if (wanted) v = *from;)
}

/* -------------------------------------------------------------- clusters */

/* The address, for store_async(), of a variable in a block of the cluster. */
__device__ __forceinline__ uint32_t cluster_address(const void *variable,
                                                    unsigned int block) {
    uint32_t there = 0;
    WINNOW__BODY_90(asm("mapa.shared::cluster.u32 %0, %1, %2;"
                        : "=r"(there)
                        : "r"(shared_address(variable)), "r"(block));
                    , there = simt::cluster_address(variable, block);)
    return there;
}

/* Write a word to another block. When it has arrived, an mbarrier of that block
 * counts its bytes. */
__device__ __forceinline__ void store_async(uint32_t to, uint32_t value,
                                            uint32_t mbarrier) {
    WINNOW__BODY_90(
        asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes"
                     ".u32 [%0], %1, [%2];"
                     :
                     : "r"(to), "r"(value), "r"(mbarrier)
                     : "memory");
        , simt::store_async(to, value, mbarrier);)
}

/* Make a barrier in shared memory at which one thread arrives. Other blocks may
 * use it after a barrier of the cluster. */
__device__ __forceinline__ void mbarrier_init(uint64_t *mbarrier) {
    WINNOW__BODY_90(asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;"
                                 :
                                 : "r"(shared_address(mbarrier))
                                 : "memory");
                    asm volatile("fence.mbarrier_init.release.cluster;"
                                 :
                                 :
                                 : "memory");
                    , simt::mbarrier_init(mbarrier, 1);)
}

/* Arrive, and make the barrier wait for this number of bytes. */
__device__ __forceinline__ void mbarrier_expect(uint64_t *mbarrier,
                                                uint32_t bytes) {
    WINNOW__BODY_90(asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, "
                                 "[%0], %1;"
                                 :
                                 : "r"(shared_address(mbarrier)), "r"(bytes)
                                 : "memory");
                    , simt::mbarrier_expect(mbarrier, bytes);)
}

/* Is the barrier's first phase complete? The call may wait for a while. It is
 * an acquire at the scope of the cluster, of store_async() and of all that its
 * sender did before. */
__device__ __forceinline__ bool mbarrier_try_wait(uint64_t *mbarrier) {
    uint32_t complete = 1;
    WINNOW__BODY_90(asm volatile("{\n\t"
                                 ".reg .pred p;\n\t"
                                 "mbarrier.try_wait.parity.acquire.cluster"
                                 ".shared::cta.b64 p, "
                                 "[%1], 0;\n\t"
                                 "selp.u32 %0, 1, 0, p;\n\t"
                                 "}"
                                 : "=r"(complete)
                                 : "r"(shared_address(mbarrier))
                                 : "memory");
                    , complete =
                          simt::mbarrier_try_wait(mbarrier, 0, simt::CLUSTER);)
    return complete != 0;
}

/* The number of blocks of the cluster; 1 in a launch without clusters. */
__device__ __forceinline__ unsigned int cluster_blocks() {
    unsigned int blocks = 1;
    WINNOW__BODY_90(asm("mov.u32 %0, %%cluster_nctaid.x;"
                        : "=r"(blocks));
                    , blocks = simt::cluster_blocks();)
    return blocks;
}

/* A barrier of all threads of a cluster, in two halves. cluster_arrive()
 * releases the thread's earlier accesses; cluster_arrive_relaxed() orders
 * nothing. */
WINNOW__ORDER_90(cluster_arrive, "barrier.cluster.arrive.release.aligned;")
WINNOW__ORDER_90(cluster_arrive_relaxed,
                 "barrier.cluster.arrive.relaxed.aligned;")
WINNOW__ORDER_90(cluster_wait, "barrier.cluster.wait.acquire.aligned;")

/* ------------------------------------------------------ dependent launch */

/* Wait until all earlier work of the stream is done and visible. In a launch
 * that does not overlap another, the call returns at once. */
WINNOW__ORDER_90(wait_for_stream, "griddepcontrol.wait;")

/* Allow the next kernel to begin when all blocks have called this or ended. */
__device__ __forceinline__ void trigger_dependents() {
    WINNOW__BODY_90(asm volatile("griddepcontrol.launch_dependents;");
                    , simt::trigger_dependents();)
}

} // namespace winnow
