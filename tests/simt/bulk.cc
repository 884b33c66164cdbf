/*
 * Bulk copies, from shared to global memory, by an engine that is none of the
 * block's threads. It sees what a thread wrote to shared memory when the thread
 * has fenced it; a barrier alone does not do. It reads some time before the
 * thread that began the copy has waited for its reads, and writes some time
 * before that thread has waited for the copy.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "machine.hpp"
#include "memory.hpp"

namespace simt {

namespace {

uint64_t begun = 0; /* copies, so far */

order::Point point_of(order::Point &point) {
    if (point == nullptr)
        point = order::new_point();
    return point;
}

/* As an engine of the thread's block. */
template <class F>
void as_engine(const Thread &thread, order::Fiber &engine, F f) {
    if (engine == nullptr)
        engine = order::take_fiber();
    order::switch_to(engine);
    f();
    order::switch_to(thread.strand.fiber);
}

/* Two engines: that which writes comes after what the thread did before it
 * began the copy, and that which reads does not. */
void carry_out(Thread &thread, BulkCopy &bulk) {
    const Copy &copy = bulk.copy;
    Block &block = *thread.block;
    if (bulk.done)
        return;
    check_access(copy.from, copy.bytes, false);
    check_access(copy.to, copy.bytes, true);
    as_engine(thread, block.reading_engine, [&] {
        order::acquire(point_of(block.fenced_shared));
        order::read(copy.from, copy.bytes);
        order::release(point_of(thread.bulk_read));
    });
    as_engine(thread, block.writing_engine, [&] {
        order::acquire(bulk.after);
        order::write(copy.to, copy.bytes);
        order::release(point_of(thread.bulk_written));
    });
    auto *const to = static_cast<volatile unsigned char *>(copy.to);
    const auto *const from =
        static_cast<const volatile unsigned char *>(copy.from);
    for (size_t i = 0; i < copy.bytes; i++)
        to[i] = from[i];
    bulk.done = true;
}

/* Carry out what is committed, and forget it. */
void finish_committed(Thread &thread) {
    for (unsigned int i = 0; i < thread.bulk_copies; i++)
        if (thread.bulk[i].committed)
            carry_out(thread, thread.bulk[i]);
    unsigned int left = 0;
    for (unsigned int i = 0; i < thread.bulk_copies; i++)
        if (!thread.bulk[i].committed)
            thread.bulk[left++] = thread.bulk[i];
    thread.bulk_copies = left;
}

} // namespace

void fence_bulk_copies() {
    order::release(point_of(self->block->fenced_shared));
}

void bulk_copy(void *to, const void *shared, size_t bytes) {
    Thread &thread = *self;
    if (bytes == 0 || (bytes | reinterpret_cast<uintptr_t>(to) |
                       reinterpret_cast<uintptr_t>(shared)) %
                              16 !=
                          0)
        fail("a bulk copy of %zu bytes, or one that is not aligned", bytes);
    if (thread.bulk_copies == MOST_BULK_COPIES)
        fail("a thread has begun more than %u bulk copies", MOST_BULK_COPIES);
    const order::Point after = order::new_point();
    order::release(after);
    BulkCopy &bulk = thread.bulk[thread.bulk_copies++];
    bulk = {{to, shared, bytes}, after, false, false};
    thread.bulk_is_over = false;
    begun++;
    if (chance().chance(128))
        carry_out(thread, bulk);
    maybe_yield();
}

void commit_bulk_copies() {
    for (unsigned int i = 0; i < self->bulk_copies; i++)
        self->bulk[i].committed = true;
}

void wait_for_bulk_reads() {
    finish_committed(*self);
    order::acquire(point_of(self->bulk_read));
}

void wait_for_bulk_copies() {
    wait_for_bulk_reads();
    order::acquire(point_of(self->bulk_written));
    self->bulk_is_over = self->bulk_copies == 0;
}

void check_bulk_copies(const Thread &thread) {
    if (!thread.bulk_is_over)
        fail("block %u, thread %u ends before a bulk copy of its own",
             thread.block->index, thread.index);
}

} // namespace simt

extern "C" uint64_t simt_bulk_copies(void) {
    return simt::begun;
}
