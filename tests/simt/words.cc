/*
 * Words that several threads look at: atomics, fences, and what they order.
 *
 * The order is that of PTX's memory model, seen from what an execution did. A
 * release, at some scope, is recorded in the clocks of its word: one for all
 * devices, one for the thread's own, one for its cluster, one for its block, as
 * far as the scope goes. An acquire reads the clocks that its own scope reaches. So the two
 * synchronise if each is in the scope of the other. A plain store to the word
 * empties all clocks; other updates add to them.
 *
 * A fence and a relaxed access make an order together. What a thread had done
 * when it came to a fence is kept by a ghost, which no later work belongs to;
 * when the thread writes a word, the ghost releases. Another ghost acquires at
 * each word that the thread reads; a fence acquires from that one.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "machine.hpp"

#include <unordered_map>

namespace simt {

namespace {

/* Of one block, one cluster, one device, or all of them. */
struct Meeting {
    Scope scope;
    uint64_t number; /* which block, cluster or device */
    order::Point point;
};

struct Word {
    std::vector<Meeting> meetings;
};

std::unordered_map<const void *, Word> &words() {
    static auto *const words = new std::unordered_map<const void *, Word>;
    return *words;
}

order::Point find(const Word &word, Scope scope, uint64_t number) {
    for (const Meeting &meeting : word.meetings)
        if (meeting.scope == scope && meeting.number == number)
            return meeting.point;
    return nullptr;
}

/* The current fiber releases, as the thread. */
void release_word(const void *address, const Scopes &scopes, Scope scope) {
    for (int s = BLOCK; s <= scope; s++) {
        const auto at = static_cast<Scope>(s);
        const uint64_t number = scopes.number[at];
        order::Point point;
        {
            const order::Outside outside;
            Word &word = words()[address];
            point = find(word, at, number);
            if (point == nullptr) {
                point = order::new_point();
                word.meetings.push_back({at, number, point});
            }
        }
        order::release(point);
    }
}

void acquire_word(const void *address, const Scopes &scopes, Scope scope) {
    const auto known = words().find(address);
    if (known == words().end())
        return;
    for (int s = BLOCK; s <= scope; s++) {
        const auto at = static_cast<Scope>(s);
        const order::Point point = find(known->second, at, scopes.number[at]);
        if (point != nullptr)
            order::acquire(point);
    }
}

/* A store: what others released here is not seen with it. */
void empty_word(const void *address) {
    const order::Outside outside;
    words().erase(address);
}

/* Run as one of the thread's ghosts. */
template <class F>
void as_ghost(order::Fiber &ghost, F f) {
    if (ghost == nullptr)
        ghost = order::take_fiber();
    order::switch_to(ghost);
    f();
    order::switch_to(self->strand.fiber);
}

/* Before a thread writes a word. */
void before_write(const void *address, Order order, Scope scope) {
    if (!order::ENABLED)
        return;
    Thread &thread = *self;
    if (order == RELEASE || order == ACQUIRE_RELEASE)
        release_word(address, scopes_of(thread), scope);
    for (int s = BLOCK; s <= SYSTEM; s++)
        if (thread.fenced.of[s] != nullptr)
            as_ghost(thread.fenced.of[s], [&] {
                release_word(address, scopes_of(thread),
                             std::min(static_cast<Scope>(s), scope));
            });
}

/* After it has read one. */
void after_read(const void *address, Order order, Scope scope) {
    if (!order::ENABLED)
        return;
    Thread &thread = *self;
    if (words().find(address) == words().end())
        return; /* nobody has released anything there */
    if (order == ACQUIRE || order == ACQUIRE_RELEASE) {
        acquire_word(address, scopes_of(thread), scope);
        return;
    }
    for (int s = BLOCK; s <= SYSTEM; s++)
        as_ghost(thread.seen.of[s], [&] {
            acquire_word(address, scopes_of(thread),
                         std::min(static_cast<Scope>(s), scope));
        });
}

uint64_t updates = 0; /* made so far */

void check_aligned(const void *word, size_t bytes) {
    if (reinterpret_cast<uintptr_t>(word) % bytes != 0)
        fail("block %u, thread %u: a word of %zu bytes at %p is not aligned",
             self->block->index, self->index, bytes, word);
}

} // namespace

Scopes scopes_of(const Thread &thread) {
    const Block *const block = thread.block;
    const auto number = [](const void *of) {
        return reinterpret_cast<uintptr_t>(of);
    };
    const auto device = static_cast<uint64_t>(block->grid->launch.device);
    return {{number(block), number(block->cluster.get()), device, 0}};
}

void fence(Scope scope) {
    Thread &thread = *self;
    maybe_yield();
    if (!order::ENABLED)
        return;
    const auto hand_on = [](order::Fiber from, order::Fiber to) {
        const order::Point point = order::new_point();
        order::switch_to(from);
        order::release(point);
        order::switch_to(to);
        order::acquire(point);
        order::switch_to(self->strand.fiber);
    };
    for (int s = BLOCK; s <= scope; s++)
        if (thread.seen.of[s] != nullptr)
            hand_on(thread.seen.of[s], thread.strand.fiber);
    if (thread.fenced.of[scope] == nullptr)
        thread.fenced.of[scope] = order::take_fiber();
    hand_on(thread.strand.fiber, thread.fenced.of[scope]);
}

uint64_t load_word(const void *word, size_t bytes, Order order, Scope scope) {
    check_aligned(word, bytes);
    check_access(word, bytes, false);
    maybe_yield();
    const uint64_t value = order::load_word(word, bytes);
    after_read(word, order, scope);
    looked();
    return value;
}

void store_word(void *word, size_t bytes, uint64_t value, Order order,
                Scope scope) {
    check_aligned(word, bytes);
    check_access(word, bytes, true);
    maybe_yield();
    if (order::ENABLED)
        empty_word(word);
    before_write(word, order, scope);
    order::store_word(word, bytes, value);
    epoch++;
}

uint64_t update_word(void *word, size_t bytes, Update *update,
                     const uint64_t *operands, Order order, Scope scope) {
    check_aligned(word, bytes);
    check_access(word, bytes, true);
    maybe_yield();
    const uint64_t old = order::load_word(word, bytes);
    uint64_t value = 0;
    if (update(old, operands, &value)) {
        updates++;
        before_write(word, order, scope);
        order::store_word(word, bytes, value);
        epoch++;
    }
    after_read(word, order, scope);
    return old;
}

void release_as(const void *address, const Scopes &scopes, Scope scope) {
    if (order::ENABLED)
        release_word(address, scopes, scope);
}

void acquire_as(const void *address, const Scopes &scopes, Scope scope) {
    if (order::ENABLED)
        acquire_word(address, scopes, scope);
}

void forget_words() {
    const order::Outside outside;
    words().clear();
}

} // namespace simt

extern "C" uint64_t simt_updates(void) {
    return simt::updates;
}
