/*
 * What the lanes of a warp do together.
 *
 * A barrier (SYNC) orders memory; votes and shuffles only hand on values, and
 * are not taken for more.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "machine.hpp"

namespace simt {

namespace {

const char *name_of(Collective kind) {
    switch (kind) {
    case SYNC:
        return "__syncwarp";
    case BALLOT:
        return "a vote";
    case SHUFFLE:
        return "a shuffle";
    case MATCH_ANY:
    case MATCH_ALL:
        return "a match";
    default:
        return "a reduction";
    }
}

Gathering &find(Warp &warp, Collective kind, uint32_t mask) {
    Gathering *unused = nullptr;
    for (unsigned int i = 0; i < warp.opened; i++) {
        Gathering &g = warp.gatherings[i];
        if (g.mask == mask) {
            if (g.kind != kind)
                fail("block %u, thread %u comes to %s where others of mask "
                     "%08x came to %s",
                     self->block->index, self->index, name_of(kind), mask,
                     name_of(g.kind));
            return g;
        }
        if (g.mask == 0)
            unused = &g;
    }
    if (unused == nullptr && warp.opened == WARP)
        fail("block %u: a warp's lanes wait with too many masks",
             self->block->index);
    if (unused == nullptr)
        unused = &warp.gatherings[warp.opened++];
    unused->mask = mask;
    unused->arrived = 0;
    unused->kind = kind;
    unused->point = kind == SYNC ? order::new_point() : nullptr;
    return *unused;
}

int64_t as_signed(uint64_t value) {
    return static_cast<int32_t>(static_cast<uint32_t>(value));
}

uint64_t reduce(Collective kind, uint64_t a, uint64_t b) {
    switch (kind) {
    case REDUCE_ADD:
        return (a + b) & 0xffffffffu;
    case REDUCE_MIN:
        return std::min(a, b);
    case REDUCE_MAX:
        return std::max(a, b);
    case REDUCE_AND:
        return a & b;
    case REDUCE_OR:
        return a | b;
    case REDUCE_XOR:
        return a ^ b;
    case REDUCE_MIN_SIGNED:
        return as_signed(b) < as_signed(a) ? b : a;
    default:
        return as_signed(a) < as_signed(b) ? b : a;
    }
}

/* What a lane gets, of the warp's 32 that begin there. */
uint64_t result_of(const Gathering &g, const Thread *lanes, unsigned int lane) {
    uint64_t result = 0;
    bool first = true;
    if (g.kind == SHUFFLE) /* of a lane that is not there: anything */
        return g.arrived >> lanes[lane].wants & 1
                   ? lanes[lanes[lane].wants].offer
                   : pattern().next();
    for (unsigned int i = 0; i < WARP; i++) {
        if (!(g.arrived >> i & 1))
            continue;
        switch (g.kind) {
        case SYNC:
        case SHUFFLE:
            break;
        case BALLOT:
            result |= lanes[i].offer << i;
            break;
        case MATCH_ANY:
            result |= static_cast<uint64_t>(lanes[i].offer == lanes[lane].offer)
                      << i;
            break;
        case MATCH_ALL:
            if (lanes[i].offer != lanes[lane].offer)
                return 0;
            result |= uint64_t(1) << i;
            break;
        default:
            result =
                first ? lanes[i].offer : reduce(g.kind, result, lanes[i].offer);
        }
        first = false;
    }
    return result;
}

/* All who are to come have: hand out the results. `own`: the lane that runs,
 * which did not stop; or WARP. */
void complete(Block &block, Gathering &g, unsigned int first_thread,
              unsigned int own) {
    const bool same = g.kind != SHUFFLE && g.kind != MATCH_ANY;
    const unsigned int any = static_cast<unsigned>(__builtin_ctz(g.arrived));
    Thread *const lanes = &block.threads[first_thread];
    const uint64_t shared = same ? result_of(g, lanes, any) : 0;
    for (unsigned int i = 0; i < WARP; i++) {
        if (!(g.arrived >> i & 1))
            continue;
        Thread &thread = lanes[i];
        thread.result = same ? shared : result_of(g, lanes, i);
        if (i == own)
            continue;
        thread.acquires = g.point;
        wake(thread);
    }
    g.mask = 0;
}

bool is_complete(const Warp &warp, const Gathering &g) {
    return g.mask != 0 && ((g.arrived | warp.ended) & g.mask) == g.mask;
}

} // namespace

uint64_t collective(Collective kind, uint32_t mask, uint64_t value,
                    unsigned int from) {
    Thread &thread = *self;
    Warp &warp = thread.block->warp(thread);
    const unsigned int lane = thread.lane();
    if (!(mask >> lane & 1))
        fail("block %u, thread %u comes to %s with mask %08x, which leaves it "
             "out",
             thread.block->index, thread.index, name_of(kind), mask);
    Gathering &g = find(warp, kind, mask);
    const order::Point point = g.point;
    if (kind == SYNC)
        order::release(point);
    g.arrived |= 1u << lane;
    thread.offer = value;
    thread.wants = static_cast<uint8_t>(from % WARP);
    if (!is_complete(warp, g)) {
        wait(name_of(kind));
    } else {
        complete(*thread.block, g, thread.index - lane, lane);
        if (kind == SYNC)
            order::acquire(point);
    }
    return thread.result;
}

namespace {

/* The lanes that gather at a call, or room for them; NULL: there is none. */
Converging *find_converging(Warp &warp, const void *call) {
    Converging *unused = nullptr;
    for (Converging &c : warp.converging) {
        if (c.call == call)
            return &c;
        if (c.call == nullptr)
            unused = &c;
    }
    return unused;
}

} // namespace

/*
 * Lanes that a GPU runs together get a mask of each other; which do, is not
 * known, and may be any that come to the call. The first that comes lets others
 * run for a while, and takes those who have come to the same call meanwhile.
 */
uint32_t active_mask() {
    Thread &thread = *self;
    Block &block = *thread.block;
    const uint32_t own = 1u << thread.lane();
    const void *const call = __builtin_return_address(0);
    Converging *const c = find_converging(block.warp(thread), call);
    if (c == nullptr)
        return own;
    if (c->call != nullptr) {
        c->arrived |= own;
        wait("others at __activemask");
        return static_cast<uint32_t>(thread.result);
    }
    *c = {call, own};
    constexpr unsigned int TURNS[] = {0, 4, 40, 400};
    for (unsigned int i = TURNS[chance().below(4)]; i != 0; i--)
        yield();
    const uint32_t mask = c->arrived;
    c->call = nullptr;
    for (unsigned int i = 0; i < WARP; i++) {
        if (!((mask & ~own) >> i & 1))
            continue;
        Thread &other = block.threads[thread.index - thread.lane() + i];
        other.result = mask;
        wake(other);
    }
    return mask;
}

void leave_warp(Thread &thread) {
    Block &block = *thread.block;
    Warp &warp = block.warp(thread);
    const uint32_t bit = 1u << thread.lane();
    warp.ready &= ~bit;
    warp.ended |= bit;
    if (warp.ready == 0)
        block.ready &= ~(1u << thread.index / WARP);
    for (unsigned int i = 0; i < warp.opened; i++)
        if (is_complete(warp, warp.gatherings[i]))
            complete(block, warp.gatherings[i], thread.index - thread.lane(),
                     WARP);
}

} // namespace simt
