/*
 * The memory of a block: its threads' stacks, then its shared memory.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_SIMT_MEMORY_HPP
#define WINNOW_TESTS_SIMT_MEMORY_HPP

#include <cstddef>

namespace simt {

#ifdef SIMT_ADDRESSES
constexpr size_t STACK_BYTES = 256 << 10; /* with red zones */
#else
constexpr size_t STACK_BYTES = 64 << 10;
#endif
constexpr size_t SHARED_BYTES = 256 << 10;

unsigned char *take_block_memory(unsigned int threads);
void give_block_memory(unsigned char *memory, unsigned int threads);

/* With AddressSanitizer: may the program touch it? */
void forbid(void *memory, size_t bytes);
void allow(void *memory, size_t bytes);

} // namespace simt

#endif
