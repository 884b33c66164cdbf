/* SPDX-License-Identifier: Apache-2.0 */
#include "memory.hpp"
#include "machine.hpp"

#include <map>
#include <sys/mman.h>

#ifdef SIMT_ADDRESSES
#include <sanitizer/asan_interface.h>
#endif

namespace simt {

namespace {

size_t bytes_of(unsigned int threads) {
    return threads * STACK_BYTES + SHARED_BYTES;
}

unsigned char *map_memory(size_t bytes) {
    void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        fail("no memory for a block of the CPU device");
    return static_cast<unsigned char *>(memory);
}

/* By bytes. What ThreadSanitizer knows of memory it forgets when that is
 * unmapped: then nothing is kept. */
std::multimap<size_t, unsigned char *> kept;

} // namespace

unsigned char *take_block_memory(unsigned int threads) {
    const size_t bytes = bytes_of(threads);
    const auto found = kept.find(bytes);
    if (found == kept.end())
        return map_memory(bytes);
    unsigned char *const memory = found->second;
    kept.erase(found);
    return memory;
}

void give_block_memory(unsigned char *memory, unsigned int threads) {
    const size_t bytes = bytes_of(threads);
    if (order::ENABLED) {
        munmap(memory, bytes);
    } else {
        allow(memory, bytes);
        kept.emplace(bytes, memory);
    }
}

#ifdef SIMT_ADDRESSES

void forbid(void *memory, size_t bytes) {
    __asan_poison_memory_region(memory, bytes);
}

void allow(void *memory, size_t bytes) {
    __asan_unpoison_memory_region(memory, bytes);
}

extern "C" {
void __asan_report_load_n(void *address, size_t bytes);
void __asan_report_store_n(void *address, size_t bytes);
}

void check_access(const void *memory, size_t bytes, bool writes) {
    void *const bad =
        __asan_region_is_poisoned(const_cast<void *>(memory), bytes);
    if (bad == nullptr)
        return;
    if (writes)
        __asan_report_store_n(bad, bytes);
    else
        __asan_report_load_n(bad, bytes);
}

#else

void forbid(void *, size_t) {
}

void allow(void *, size_t) {
}

void check_access(const void *, size_t, bool) {
}

#endif

/* Word by word: it is done for every thread. */
void make_uninitialised(void *memory, size_t bytes) {
    auto *const to = static_cast<volatile uint64_t *>(memory);
    const uint64_t word = pattern().next();
    for (size_t i = 0; i < bytes / sizeof word; i++)
        to[i] = word;
    auto *const rest = static_cast<volatile unsigned char *>(memory);
    for (size_t i = bytes / sizeof word * sizeof word; i < bytes; i++)
        rest[i] = static_cast<unsigned char>(word >> 8 * (i % sizeof word));
}

} // namespace simt
