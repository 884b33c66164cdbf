/*
 * The memory of blocks: of each its threads' stacks, then its shared memory.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_SIMT_MEMORY_HPP
#define WINNOW_TESTS_SIMT_MEMORY_HPP

#include "order.hpp"

#include <cstddef>

namespace simt {

/* An odd number of cache lines beyond a power of two: else the tops of all
 * stacks lie in the same few sets of a cache. */
constexpr size_t APART = 17 * 64;
#ifdef SIMT_ADDRESSES
constexpr size_t STACK_BYTES = (256 << 10) + APART; /* with red zones */
#else
constexpr size_t STACK_BYTES = (64 << 10) + APART;
#endif
/* Of a block: room for its shared variables, and what keeps them apart. */
constexpr size_t STATIC_BYTES = 52 << 10;

/* A stack, and what ThreadSanitizer takes for the thread that uses it: always
 * the same one, so that it need not forget what was on the stack before. */
struct Strand {
    order::Fiber fiber = nullptr;
    unsigned char *stack = nullptr;
};

/* Of those that nobody uses; better one that nobody has used since the device
 * was idle. */
Strand take_strand();
/* `end` is the end of what is still on its stack. */
void give_strand(Strand strand, void *end);
bool has_strands(size_t number);
void forget_strands();

/* Whole pages, which nobody is known to have touched. */
unsigned char *take_memory(size_t bytes);
void give_memory(void *memory, size_t bytes);

/* With AddressSanitizer: may the program touch it? */
void forbid(void *memory, size_t bytes);
void allow(void *memory, size_t bytes);

} // namespace simt

#endif
