/*
 * Which thread runs next, and where: fibers, multiprocessors, chance.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "machine.hpp"
#include "memory.hpp"
#include "report.hpp"
#include "tally.hpp"

#include <boost/context/detail/fcontext.hpp>

#include <cstdlib>
#include <mutex>
#include <unordered_map>

#ifdef SIMT_ADDRESSES
#include <sanitizer/common_interface_defs.h>
#endif

namespace simt {

namespace fcontext = boost::context::detail;

const Place *place;
Thread *self;
uint64_t epoch;

namespace {

/* A room for blocks. */
struct Multiprocessor {
    int threads, blocks, shared_bytes;
};

struct Machine {
    std::vector<Grid *> grids;   /* that have begun */
    std::vector<Block *> blocks; /* that are resident */
    std::vector<std::vector<Multiprocessor>> devices;
    std::unordered_map<const void *, Kernel> kernels;
    uint64_t ticks = 0;   /* time */
    uint64_t moves = 0;   /* threads that were woken, or have ended */
    uint64_t seen = 0;    /* moves and words written, when run() looked last */
    uint64_t in_vain = 0; /* times that run() saw no more of them */
    uint64_t blocks_run = 0;
    bool only_looks = false; /* no thread has anything else to do */
    /* The scheduler's side of a switch. */
    void *context = nullptr;
    order::Fiber fiber = nullptr;
    void *fake_stack = nullptr;
    const void *stack = nullptr;
    size_t stack_bytes = 0;
};

Machine &machine() {
    static Machine *const machine = new Machine;
    return *machine;
}

/* ------------------------------------------------------------------ fibers */

/* From the scheduler to a thread, until that stops. */
void enter(Thread &thread) {
    Machine &m = machine();
    self = &thread;
    place = &thread.where;
    m.ticks++;
#ifdef SIMT_ADDRESSES
    __sanitizer_start_switch_fiber(&m.fake_stack, thread.strand.stack,
                                   STACK_BYTES);
#endif
    order::switch_to(thread.strand.fiber);
    thread.context = fcontext::jump_fcontext(thread.context, nullptr).fctx;
#ifdef SIMT_ADDRESSES
    __sanitizer_finish_switch_fiber(m.fake_stack, nullptr, nullptr);
#endif
    self = nullptr;
}

/* And back. */
void stop(bool for_ever = false) {
    Machine &m = machine();
    [[maybe_unused]] Thread &thread = *self;
#ifdef SIMT_ADDRESSES
    __sanitizer_start_switch_fiber(for_ever ? nullptr : &thread.fake_stack,
                                   m.stack, m.stack_bytes);
#else
    (void)for_ever;
#endif
    order::switch_to(m.fiber);
    m.context = fcontext::jump_fcontext(m.context, nullptr).fctx;
    while (report::looking) {
        report::look();
        m.context = fcontext::jump_fcontext(m.context, nullptr).fctx;
    }
#ifdef SIMT_ADDRESSES
    __sanitizer_finish_switch_fiber(thread.fake_stack, &m.stack,
                                    &m.stack_bytes);
#endif
}

void end_thread(Thread &thread);

void run_thread(fcontext::transfer_t from) {
    Machine &m = machine();
    m.context = from.fctx;
#ifdef SIMT_ADDRESSES
    __sanitizer_finish_switch_fiber(nullptr, &m.stack, &m.stack_bytes);
#endif
    Thread &thread = *self;
    const Launch &launch = thread.block->grid->launch;
    thread.waits_for = "its turn";
    acquire_all(thread.block->grid->acquires);
    void *arguments[16];
    for (size_t i = 0; i < launch.arguments.size(); i++)
        arguments[i] = const_cast<unsigned char *>(launch.arguments[i].data());
    launch.kernel->invoker(launch.kernel->address, arguments);
    end_thread(thread);
    stop(true);
    std::abort(); /* nobody comes back */
}

void end_thread(Thread &thread) {
    finish_copies(thread);
    check_bulk_copies(thread);
    order::release(thread.block->grid->end);
    thread.state = ENDED;
    machine().moves++;
    leave_warp(thread);
    leave_block(thread);
    leave_cluster(thread);
}

/* ------------------------------------------------------------------ chance */

Policy draw_policy(const Launch &launch) {
    static const unsigned int chances[] = {0, 8, 64, 160};
    const auto draw = [](const unsigned int *of, unsigned int number) {
        return of[chance().below(number)];
    };
    Policy policy;
    const unsigned int few = 1 + chance().below(launch.blocks);
    const unsigned int residents[] = {1, 2, few, few, launch.blocks};
    policy.resident = draw(residents, 5);
    if (simt_settings.resident != 0)
        policy.resident = static_cast<unsigned int>(simt_settings.resident);
    policy.stop = draw(chances, 4);
    policy.next_block = draw(chances, 4);
    policy.next_warp = draw(chances, 4);
    policy.lanes = chance().below(3);
    policy.block_order = chance().below(3);
    return policy;
}

/* One of the bits that are set. */
unsigned int pick_bit(uint32_t bits, unsigned int how) {
    if (how == 0)
        return static_cast<unsigned int>(__builtin_ctz(bits));
    if (how == 1)
        return 31u - static_cast<unsigned int>(__builtin_clz(bits));
    for (unsigned int skip = chance().below(
             static_cast<unsigned int>(__builtin_popcount(bits)));
         skip != 0; skip--)
        bits &= bits - 1;
    return static_cast<unsigned int>(__builtin_ctz(bits));
}

/* ------------------------------------------------------------ multiprocessors
 */

std::vector<Multiprocessor> &multiprocessors(const Launch &launch) {
    Machine &m = machine();
    const auto device = static_cast<size_t>(launch.device);
    if (m.devices.size() <= device)
        m.devices.resize(device + 1);
    std::vector<Multiprocessor> &all = m.devices[device];
    const auto wanted = static_cast<size_t>(simt_settings.multiprocessors);
    while (all.size() < wanted) /* more is known of none than its room */
        all.push_back({simt_settings.threads, simt_settings.blocks,
                       simt_settings.shared_bytes});
    return all;
}

size_t usable(const Launch &launch) {
    const auto all = static_cast<size_t>(simt_settings.multiprocessors);
    return launch.multiprocessors != 0 && launch.multiprocessors < all
               ? launch.multiprocessors
               : all;
}

size_t shared_bytes(const Launch &launch) {
    return launch.shared_bytes + launch.kernel->shared_bytes + 1024;
}

bool take_room(const Launch &launch, unsigned int *multiprocessor_p) {
    std::vector<Multiprocessor> &all = multiprocessors(launch);
    const size_t number = usable(launch);
    const unsigned int start = chance().below(static_cast<uint32_t>(number));
    const auto threads = static_cast<int>(launch.threads);
    const auto shared = static_cast<int>(shared_bytes(launch));
    for (size_t i = 0; i < number; i++) {
        const size_t at = (start + i) % number;
        if (all[at].threads < threads || all[at].blocks < 1 ||
            all[at].shared_bytes < shared)
            continue;
        all[at].threads -= threads;
        all[at].blocks--;
        all[at].shared_bytes -= shared;
        *multiprocessor_p = static_cast<unsigned int>(at);
        return true;
    }
    return false;
}

void give_room(const Launch &launch, unsigned int multiprocessor,
               size_t shared) {
    Multiprocessor &room = multiprocessors(launch)[multiprocessor];
    room.threads += static_cast<int>(launch.threads);
    room.blocks++;
    room.shared_bytes += static_cast<int>(shared);
}

/* ------------------------------------------------------------------- blocks */

void open_thread(Block &block, unsigned int i) {
    const Launch &launch = block.grid->launch;
    Thread &thread = block.threads[i];
    thread.where.thread = {i, 0, 0};
    thread.where.block = {block.index, 0, 0};
    thread.where.block_dim = {launch.threads, 1, 1};
    thread.where.grid_dim = {launch.blocks, 1, 1};
    thread.block = &block;
    thread.index = i;
    thread.strand = take_strand();
    unsigned char *const top = thread.strand.stack + STACK_BYTES;
    if (!order::ENABLED) {
        constexpr size_t LIKELY = 2048; /* bytes that a kernel uses */
        make_uninitialised(top - LIKELY, LIKELY);
    }
    thread.context = fcontext::make_fcontext(top, STACK_BYTES, run_thread);
}

/* What a block's room is given back as: known when it was taken. */
std::unordered_map<const Block *, size_t> rooms;

Block *open_block(Grid &grid, unsigned int index, unsigned int multiprocessor) {
    const order::Outside outside;
    const Launch &launch = grid.launch;
    Block *const block = new Block;
    block->grid = &grid;
    block->index = index;
    block->multiprocessor = multiprocessor;
    rooms[block] = shared_bytes(launch);
    open_shared(*block);
    block->live = launch.threads;
    block->threads.resize(launch.threads);
    for (unsigned int i = 0; i < launch.threads; i++)
        open_thread(*block, i);
    for (unsigned int w = 0; w < MOST_WARPS; w++) {
        const unsigned int first = w * WARP;
        const unsigned int lanes = first >= launch.threads
                                       ? 0
                                       : std::min(WARP, launch.threads - first);
        Warp &warp = block->warps[w];
        warp.ready = lanes == WARP ? ~0u : (1u << lanes) - 1;
        warp.ended = ~warp.ready;
        if (lanes != 0)
            block->ready |= 1u << w;
    }
    machine().blocks.push_back(block);
    machine().blocks_run++;
    grid.resident.push_back(block);
    return block;
}

template <class T>
void remove(std::vector<T> &from, T what) {
    from.erase(std::find(from.begin(), from.end(), what));
}

void close_block(Block *block) {
    const order::Outside outside;
    Grid &grid = *block->grid;
    forget_mbarriers(*block);
    close_shared(*block);
    for (const Thread &thread : block->threads)
        give_strand(thread.strand, thread.context);
    give_room(grid.launch, block->multiprocessor, rooms[block]);
    rooms.erase(block);
    remove(machine().blocks, block);
    remove(grid.resident, block);
    grid.ended++;
    if (!block->triggered)
        grid.triggered++;
    if (grid.is_over())
        remove(machine().grids, &grid);
    delete block;
}

/* ---------------------------------------------------------- beginning blocks
 */

/* So many blocks from `first` on, or none of them. */
bool begin_blocks(Grid &grid, unsigned int first, unsigned int number) {
    std::vector<unsigned int> at(number);
    if (!has_strands(size_t(number) * grid.launch.threads))
        return false;
    for (unsigned int i = 0; i < number; i++)
        if (!take_room(grid.launch, &at[i])) {
            while (i-- != 0)
                give_room(grid.launch, at[i], shared_bytes(grid.launch));
            return false;
        }
    std::shared_ptr<Cluster> cluster;
    for (unsigned int i = 0; i < number; i++) {
        Block *const block = open_block(grid, first + i, at[i]);
        if (i % grid.launch.cluster == 0) {
            cluster = std::make_shared<Cluster>();
            cluster->live = grid.launch.cluster * grid.launch.threads;
        }
        block->cluster = cluster;
        cluster->blocks.push_back(block);
    }
    return true;
}

/* All that can begin now. */
bool begin_more(Grid &grid) {
    const Launch &launch = grid.launch;
    bool any = false;
    if (launch.cooperative) {
        if (grid.not_begun.empty() || !begin_blocks(grid, 0, launch.blocks))
            return false;
        grid.not_begun.clear();
        return true;
    }
    while (!grid.not_begun.empty() &&
           (grid.resident.empty() ||
            grid.resident.size() + launch.cluster <= grid.policy.resident) &&
           begin_blocks(grid, grid.not_begun.back(), launch.cluster)) {
        grid.not_begun.pop_back();
        any = true;
    }
    return any;
}

/* ------------------------------------------------------------------ running */

bool has_ready(Block &block) {
    if (block.ready == 0 && block.epoch != epoch) {
        for (unsigned int w = 0; w < MOST_WARPS; w++) {
            Warp &warp = block.warps[w];
            if (warp.polling == 0)
                continue;
            warp.ready |= warp.polling;
            warp.polling = 0;
            block.ready |= 1u << w;
        }
        block.epoch = epoch;
    }
    return block.ready != 0;
}

/* A block that has threads to run; NULL if none has. */
Block *pick_block() {
    std::vector<Block *> &blocks = machine().blocks;
    if (blocks.empty())
        return nullptr;
    const size_t start = chance().below(static_cast<uint32_t>(blocks.size()));
    for (size_t i = 0; i < blocks.size(); i++) {
        Block *const block = blocks[(start + i) % blocks.size()];
        if (has_ready(*block))
            return block;
    }
    return nullptr;
}

/* Its threads, until it ends, none is ready, or chance has another's turn. */
void run_block(Block &block) {
    const Policy &policy = block.grid->policy;
    for (unsigned int turns = 0; block.ready != 0 && turns < 4096;) {
        const unsigned int w = pick_bit(block.ready, policy.lanes);
        Warp &warp = block.warps[w];
        while (warp.ready != 0 && turns++ < 4096) {
            const unsigned int lane = pick_bit(warp.ready, policy.lanes);
            Thread &thread = block.threads[w * WARP + lane];
            thread.state = READY;
            enter(thread);
            if (chance().chance(policy.next_warp))
                break;
        }
        if (warp.ready == 0)
            block.ready &= ~(1u << w);
        if (chance().chance(policy.next_block))
            break;
    }
    if (block.live == 0)
        close_block(&block);
}

/* Those who look in vain look once more. False: there are none. */
bool look_again() {
    bool any = false;
    for (Block *block : machine().blocks) {
        block->epoch = epoch - 1;
        any |= has_ready(*block);
    }
    return any;
}

} // namespace

namespace {

/* Of the kernels that are known: threads announce them outside of CUDA's calls,
 * and nothing is ordered by that. */
class KernelsLock {
  public:
    KernelsLock() {
        order::lock(mutex());
    }
    ~KernelsLock() {
        order::unlock(mutex());
    }
    KernelsLock(const KernelsLock &) = delete;
    KernelsLock &operator=(const KernelsLock &) = delete;

  private:
    static std::mutex &mutex() {
        static auto *const mutex = new std::mutex;
        return *mutex;
    }
};

} // namespace

Kernel *find_kernel(const void *address) {
    const KernelsLock lock;
    const auto found = machine().kernels.find(address);
    return found == machine().kernels.end() ? nullptr : &found->second;
}

void announce(const void *kernel, Invoker *invoker, const size_t *sizes,
              size_t number) {
    const KernelsLock lock;
    Kernel &known = machine().kernels[kernel];
    known.address = kernel;
    known.invoker = invoker;
    known.sizes.assign(sizes, sizes + number);
}

unsigned int most_resident(const Kernel &kernel, unsigned int threads,
                           size_t dynamic) {
    const size_t shared = dynamic + kernel.shared_bytes + 1024;
    const auto most = [](size_t room, size_t each) { return room / each; };
    const size_t by_threads =
        most(static_cast<size_t>(simt_settings.threads), threads);
    const size_t by_shared =
        most(static_cast<size_t>(simt_settings.shared_bytes), shared);
    return static_cast<unsigned int>(std::min(
        {by_threads, by_shared, static_cast<size_t>(simt_settings.blocks)}));
}

bool has_room(const Launch &launch) {
    const unsigned int each =
        most_resident(*launch.kernel, launch.threads, launch.shared_bytes);
    const size_t together = launch.cooperative ? launch.blocks : launch.cluster;
    return each * usable(launch) >= together;
}

void begin(Grid &grid) {
    const Launch &launch = grid.launch;
    if (machine().blocks.empty())
        machine().devices.clear(); /* the settings may be others than before */
    count_run(launch.kernel->address, launch.blocks);
    grid.policy = draw_policy(launch);
    grid.end = order::new_point();
    for (unsigned int i = 0; i < launch.blocks; i += launch.cluster)
        grid.not_begun.push_back(i);
    std::vector<unsigned int> &order = grid.not_begun; /* the last is first */
    if (grid.policy.block_order == 0)
        std::reverse(order.begin(), order.end());
    if (grid.policy.block_order == 2)
        for (size_t i = order.size(); i > 1; i--)
            std::swap(order[i - 1],
                      order[chance().below(static_cast<uint32_t>(i))]);
    machine().grids.push_back(&grid);
}

void go_on(Grid &grid) {
    grid.waits = false;
    grid.waiting.wake_all(nullptr, 0);
}

/* Has nothing moved for longer than any kernel looks at a word before it does
 * something else? */
static bool is_stuck() {
    constexpr uint64_t MOST_LOOKS = 1 << 17;
    Machine &m = machine();
    const uint64_t now = m.moves + epoch;
    m.in_vain = now == m.seen ? m.in_vain + 1 : 0;
    m.seen = now;
    return m.in_vain > MOST_LOOKS * (1 + m.blocks.size());
}

bool run() {
    Machine &m = machine();
    m.fiber = order::current();
    for (Grid *grid : m.grids)
        begin_more(*grid);
    if (chance().chance(128) && deliver_store())
        return true;
    Block *block = pick_block();
    if (block == nullptr && deliver_store())
        return true;
    m.only_looks = block == nullptr && look_again();
    if (m.only_looks)
        block = pick_block();
    if (block == nullptr || is_stuck())
        return false;
    run_block(*block);
    return true;
}

void report_stuck(const char *why) {
    std::vector<report::Stopped> all;
    for (Block *block : machine().blocks)
        for (Thread &thread : block->threads) {
            if (thread.state == ENDED)
                continue;
            all.push_back({&thread, {}, 0});
            if (thread.waits_for == nullptr)
                continue; /* it has not begun */
            report::looking = &all.back();
            thread.context =
                fcontext::jump_fcontext(thread.context, nullptr).fctx;
            report::looking = nullptr;
        }
    report::print(why, all, machine().grids);
}

/* ------------------------------------------------- for the machine's parts */

void wait(const char *what, unsigned int number) {
    Thread &thread = *self;
    Warp &warp = thread.block->warp(thread);
    thread.state = WAITING;
    thread.waits_for = what;
    thread.waits_number = number;
    warp.ready &= ~(1u << thread.lane());
    if (warp.ready == 0)
        thread.block->ready &= ~(1u << thread.index / WARP);
    stop();
    if (thread.acquires != nullptr)
        order::acquire(thread.acquires);
    thread.acquires = nullptr;
    thread.waits_for = "its turn";
}

void wake(Thread &thread) {
    Block &block = *thread.block;
    thread.state = READY;
    block.warp(thread).ready |= 1u << thread.lane();
    block.ready |= 1u << thread.index / WARP;
    machine().moves++;
    machine().only_looks = false;
}

void yield() {
    stop();
}

void maybe_yield() {
    if (chance().chance(self->block->grid->policy.stop))
        stop();
}

void looked() {
    Thread &thread = *self;
    /* Looks, after which others run; a lot where these have nothing to do. */
    const unsigned int in_vain = machine().only_looks ? 1024 : 4;
    if (thread.epoch != epoch) {
        thread.epoch = epoch;
        thread.looks = 0;
    }
    if (++thread.looks % in_vain != 0)
        return;
    Warp &warp = thread.block->warp(thread);
    const uint32_t bit = 1u << thread.lane();
    thread.state = POLLING;
    thread.waits_for = "a word that others write";
    warp.ready &= ~bit;
    warp.polling |= bit;
    thread.block->epoch = epoch;
    if (warp.ready == 0)
        thread.block->ready &= ~(1u << thread.index / WARP);
    stop();
    thread.waits_for = "its turn";
}

void acquire_all(const std::vector<order::Point> &points) {
    for (const order::Point point : points)
        order::acquire(point);
}

uint64_t cycles() {
    maybe_yield();
    return machine().ticks += 64;
}

void trap() {
    fail("a kernel trapped in block %u, thread %u", self->block->index,
         self->index);
}

} // namespace simt

extern "C" uint64_t simt_blocks_run(void) {
    return simt::machine().blocks_run;
}
