/*
 * What the threads of a block do together: barriers, and shared memory.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "machine.hpp"
#include "memory.hpp"

#include <cstring>

namespace simt {

void Waiting::add(Thread &thread) {
    thread.next_waiting = first_;
    first_ = &thread;
}

void Waiting::wake_all(order::Point point, int result) {
    for (Thread *thread = first_; thread != nullptr;) {
        Thread *const next = thread->next_waiting;
        thread->acquires = point;
        thread->result = static_cast<uint64_t>(result);
        wake(*thread);
        thread = next;
    }
    first_ = nullptr;
}

namespace {

/* The generation that fills up now is over. */
void complete(Barrier &barrier, int result = 0) {
    barrier.waiting.wake_all(barrier.point, result);
    barrier.arrived = barrier.expected = 0;
    barrier.point = nullptr;
}

/* One thread more; true: it was the last. */
bool arrive(Barrier &barrier, unsigned int name, unsigned int threads) {
    if (barrier.arrived == 0) {
        barrier.expected = threads;
        barrier.point = order::new_point();
    }
    if (name != 0 && barrier.expected != threads)
        fail("block %u, thread %u comes to barrier %u for %u threads; others "
             "came for %u",
             self->block->index, self->index, name, threads, barrier.expected);
    order::release(barrier.point);
    return ++barrier.arrived == barrier.expected;
}

} // namespace

void barrier_sync(unsigned int name, unsigned int threads) {
    Barrier &barrier = self->block->barriers[name % 16];
    const bool last = arrive(barrier, name, threads);
    const order::Point point = barrier.point;
    if (last) {
        complete(barrier);
        order::acquire(point);
        maybe_yield();
        return;
    }
    barrier.waiting.add(*self);
    wait("barrier", name);
}

void barrier_arrive(unsigned int name, unsigned int threads) {
    Barrier &barrier = self->block->barriers[name % 16];
    if (arrive(barrier, name, threads))
        complete(barrier);
    maybe_yield();
}

int block_barrier(Count count, int predicate) {
    Thread &thread = *self;
    Block &block = *thread.block;
    Barrier &barrier = block.barriers[0];
    if (barrier.arrived == 0)
        block.predicates[0] = block.predicates[1] = 0;
    block.predicates[0] += predicate != 0;
    block.predicates[1]++;
    const auto result = [&] {
        const int met = block.predicates[0], of = block.predicates[1];
        return count == COUNT ? met
               : count == AND ? met == of
               : count == OR  ? met != 0
                              : 0;
    };
    const bool last = arrive(barrier, 0, block.live);
    const order::Point point = barrier.point;
    if (!last) {
        barrier.waiting.add(thread);
        wait("__syncthreads");
        return static_cast<int>(thread.result);
    }
    const int answer = result();
    complete(barrier, answer);
    order::acquire(point);
    maybe_yield();
    return answer;
}

void leave_block(Thread &thread) {
    Block &block = *thread.block;
    Barrier &barrier = block.barriers[0];
    block.live--;
    if (barrier.arrived != 0) {
        barrier.expected = block.live;
        if (barrier.arrived == barrier.expected)
            complete(barrier, block.predicates[0]);
    }
    if (block.live == 0)
        for (unsigned int name = 1; name < 16; name++)
            if (block.barriers[name].arrived != 0)
                fail("block %u ends while barrier %u lacks threads",
                     block.index, name);
}

/* ------------------------------------------------------------ shared memory */

namespace {

/* No variable lies there, and nobody writes to it. */
constexpr uint32_t RED_BYTES = 64;
constexpr unsigned char RED = 0x5c;

/* Where a variable lies, in all blocks of the kernel: apart from the others,
 * and above the dynamic shared memory. */
uint32_t offset_of(const void *key, size_t bytes, size_t alignment) {
    constexpr uint32_t MOST = 48 << 10;
    const order::Outside outside;
    Kernel &kernel = *self->block->grid->launch.kernel;
    const auto known = kernel.variables.find(key);
    if (known != kernel.variables.end())
        return known->second;
    const auto offset = static_cast<uint32_t>(
        (kernel.shared_end + alignment - 1) & ~(alignment - 1));
    kernel.variables[key] = offset;
    kernel.shared_bytes += static_cast<uint32_t>(bytes);
    kernel.shared_end = offset + static_cast<uint32_t>(bytes) + RED_BYTES;
    if (kernel.shared_bytes > MOST)
        fail("a kernel has more than %u bytes of shared variables", MOST);
    if (is_too_much(kernel, self->block->grid->launch.shared_bytes))
        fail("a kernel has %u bytes of shared variables beside its dynamic "
             "shared memory: more than it may have before "
             "cudaFuncSetAttribute()",
             kernel.shared_bytes);
    return offset;
}

} // namespace

namespace {

/* What lies before all variables: dynamic shared memory, and a red zone. */
size_t dynamic_bytes(const Block &block) {
    constexpr size_t ALIGNMENT = 1024;
    return (block.grid->launch.shared_bytes + RED_BYTES + ALIGNMENT - 1) &
           ~(ALIGNMENT - 1);
}

size_t shared_room(const Block &block) {
    return dynamic_bytes(block) + STATIC_BYTES;
}

} // namespace

void open_shared(Block &block) {
    const size_t bytes = block.grid->launch.shared_bytes;
    block.shared = take_memory(shared_room(block));
    allow(block.shared, shared_room(block));
    make_uninitialised(block.shared, bytes);
    std::memset(block.shared + bytes, RED, RED_BYTES);
    forbid(block.shared + bytes, shared_room(block) - bytes);
}

void close_shared(Block &block) {
    const size_t bytes = block.grid->launch.shared_bytes;
    allow(block.shared, shared_room(block));
    for (size_t i = 0; i < RED_BYTES; i++)
        if (block.shared[bytes + i] != RED)
            fail("block %u wrote to byte %zu of %zu bytes of dynamic shared "
                 "memory",
                 block.index, bytes + i, bytes);
    give_memory(block.shared, shared_room(block));
}

void *shared_variable(const void *key, size_t bytes, size_t alignment) {
    Block &block = *self->block;
    for (unsigned int i = 0; i < block.number_of_variables; i++)
        if (block.variables[i].key == key)
            return block.shared + block.variables[i].offset;
    const uint32_t offset = static_cast<uint32_t>(
        dynamic_bytes(block) + offset_of(key, bytes, alignment));
    if (block.number_of_variables == 32)
        fail("a kernel has more than 32 shared variables");
    block.variables[block.number_of_variables++] = {key, offset};
    unsigned char *const variable = block.shared + offset;
    allow(variable, bytes);
    make_uninitialised(variable, bytes);
    return variable;
}

unsigned char *dynamic_shared() {
    return self->block->shared;
}

uint32_t shared_address(const void *variable) {
    return static_cast<uint32_t>(static_cast<const unsigned char *>(variable) -
                                 self->block->shared);
}

void *shared_pointer(uint32_t address) {
    return self->block->shared + address;
}

/* ------------------------------------------------------- asynchronous copies
 */

namespace {

void carry_out(const Copy &copy) {
    check_access(copy.from, copy.bytes, false);
    check_access(copy.to, copy.bytes, true);
    order::read(copy.from, copy.bytes);
    order::write(copy.to, copy.bytes);
    auto *const to = static_cast<volatile unsigned char *>(copy.to);
    const auto *const from = static_cast<const unsigned char *>(copy.from);
    for (size_t i = 0; i < copy.bytes; i++)
        to[i] = from[i];
}

} // namespace

/* At once, or as late as can be. */
void copy_async(void *to, const void *from, size_t bytes) {
    const Copy copy = {to, from, bytes};
    if ((bytes != 4 && bytes != 8 && bytes != 16) ||
        reinterpret_cast<uintptr_t>(to) % bytes != 0 ||
        reinterpret_cast<uintptr_t>(from) % bytes != 0)
        fail("an asynchronous copy of %zu bytes, or one that is not aligned",
             bytes);
    if (chance().chance(128))
        carry_out(copy);
    else if (self->number_of_copies == MOST_COPIES)
        fail("a thread has begun more than %u copies", MOST_COPIES);
    else
        self->copies[self->number_of_copies++] = copy;
}

void copy_async_wait() {
    finish_copies(*self);
}

void finish_copies(Thread &thread) {
    for (unsigned int i = 0; i < thread.number_of_copies; i++)
        carry_out(thread.copies[i]);
    thread.number_of_copies = 0;
}

} // namespace simt
