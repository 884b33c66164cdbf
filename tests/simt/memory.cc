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

namespace {

struct Strands {
    /* ThreadSanitizer takes 8128 threads, and ghosts are some of them. */
    static constexpr size_t MOST = order::ENABLED ? 5000 : size_t(1) << 20;
    std::vector<Strand> unused, used;
    size_t made = 0;
};

Strands &strands() {
    static auto *const strands = new Strands;
    return *strands;
}

Strand make_strand() {
    /* Below the first, for what a sanitizer has to say. */
    constexpr size_t AT_A_TIME = 64, BELOW = 256 << 10;
    Strands &s = strands();
    unsigned char *const stacks = map_memory(BELOW + AT_A_TIME * STACK_BYTES);
    /* The first stacks, which most kernels do with, in large pages: threads take
     * turns, each with its own stack. */
    constexpr size_t MOST_LARGE = 2048;
    if (!order::ENABLED && s.made < MOST_LARGE)
        madvise(stacks, BELOW + AT_A_TIME * STACK_BYTES, MADV_HUGEPAGE);
    for (size_t i = 0; i < AT_A_TIME; i++)
        s.unused.push_back(
            {order::make_fiber(), stacks + BELOW + i * STACK_BYTES});
    s.made += AT_A_TIME;
    const Strand strand = s.unused.back();
    s.unused.pop_back();
    return strand;
}

} // namespace

Strand take_strand() {
    Strands &s = strands();
    if (s.unused.empty() && s.made < Strands::MOST)
        return make_strand();
    std::vector<Strand> &from = s.unused.empty() ? s.used : s.unused;
    const Strand strand = from.back();
    from.pop_back();
    return strand;
}

void give_strand(Strand strand, void *end) {
    auto *const from = static_cast<unsigned char *>(end);
    allow(from, static_cast<size_t>(strand.stack + STACK_BYTES - from));
    (order::ENABLED ? strands().used : strands().unused).push_back(strand);
}

bool has_strands(size_t number) {
    const Strands &s = strands();
    const size_t to_make = Strands::MOST - s.made;
    return s.unused.size() + s.used.size() + to_make >= number;
}

void forget_strands() {
    Strands &s = strands();
    s.unused.insert(s.unused.end(), s.used.begin(), s.used.end());
    s.used.clear();
}

unsigned char *take_memory(size_t bytes) {
    const auto found = kept.find(bytes);
    if (found == kept.end())
        return map_memory(bytes);
    unsigned char *const memory = found->second;
    kept.erase(found);
    return memory;
}

void give_memory(void *memory, size_t bytes) {
    if (order::ENABLED) {
        munmap(memory, bytes);
    } else {
        allow(memory, bytes);
        kept.emplace(bytes, static_cast<unsigned char *>(memory));
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

/* In vectors: it is done for every thread. */
void make_uninitialised(void *memory, size_t bytes) {
    using Vector [[gnu::vector_size(16), gnu::aligned(1)]] = uint64_t;
    const uint64_t word = pattern().next();
    const Vector vector = {word, word};
    auto *const to = static_cast<unsigned char *>(memory);
    size_t i = 0;
    for (; i + sizeof vector <= bytes; i += sizeof vector)
        *reinterpret_cast<volatile Vector *>(to + i) = vector;
    for (volatile unsigned char *const rest = to; i < bytes; i++)
        rest[i] = static_cast<unsigned char>(word >> 8 * (i % sizeof word));
}

} // namespace simt
