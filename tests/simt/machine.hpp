/*
 * The machine: blocks of fibers on multiprocessors, run one fiber at a time.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_SIMT_MACHINE_HPP
#define WINNOW_TESTS_SIMT_MACHINE_HPP

#include "device.hpp"
#include "memory.hpp"
#include "order.hpp"
#include "random.hpp"
#include "simt.h"

#include <map>
#include <memory>
#include <vector>

namespace simt {

struct Block;
struct Grid;

constexpr unsigned int WARP = 32;
constexpr unsigned int MOST_WARPS = 32;

/* ------------------------------------------------------------------ kernels */

struct Kernel {
    const void *address = nullptr;
    Invoker *invoker = nullptr;
    std::vector<size_t> sizes; /* of its arguments */
    /* Where each shared variable lies: the same in all blocks. */
    std::map<const void *, uint32_t> variables;
    uint32_t shared_bytes = 0;
    uint32_t shared_end = 64; /* with what keeps them apart */
    size_t told_dynamic = 0; /* by cudaFuncSetAttribute() */
    bool large_clusters = false;
};

/* Of dynamic shared memory. A kernel's variables count as well, until it is told. */
inline bool is_too_much(const Kernel &kernel, size_t dynamic) {
    return kernel.told_dynamic != 0
               ? dynamic > kernel.told_dynamic
               : dynamic != 0 && dynamic + kernel.shared_bytes > 48 << 10;
}

/* NULL: that is no kernel. */
Kernel *find_kernel(const void *address);

/* ------------------------------------------------------------------- threads
 */

enum State : uint8_t {
    READY,
    WAITING, /* until another thread wakes it */
    POLLING, /* it looks in vain: until some word is written */
    ENDED
};

/* An order that a relaxed access and a fence make together: what the fence
 * releases, or what accesses before it have seen. See words.cc. */
struct Ghosts {
    order::Fiber of[SYSTEM + 1] = {};
};

/* Asynchronous copies that a thread has under way, at most. */
constexpr unsigned int MOST_COPIES = 32;

/* A copy that a thread has begun and need not be done. */
struct Copy {
    void *to;
    const void *from;
    size_t bytes;
};

/* Bulk copies of a thread whose reads it has not waited for, at most; and one
 * of them. */
constexpr unsigned int MOST_BULK_COPIES = 8;

struct BulkCopy {
    Copy copy;
    order::Point after; /* it was begun */
    bool committed, done;
};

struct Thread {
    /* Of all threads of every block: what is not said here is not set. */
    Thread() {
    }

    /* What every turn of a thread looks at. */
    alignas(64) void *context = nullptr; /* Boost's */
    Block *block = nullptr;
    unsigned int index = 0;
    State state = READY;
    uint8_t wants = 0;               /* whose value it wants */
    const char *waits_for = nullptr; /* NULL: it has not begun */
    uint64_t offer = 0;              /* to the lanes that it waits for */
    uint64_t result = 0;             /* of what it waits for */
    order::Point acquires = nullptr; /* when it goes on */
    Thread *next_waiting = nullptr;  /* at the same barrier */

    Place where{};
    Strand strand;
    unsigned int waits_number = 0;
    unsigned int looks = 0;     /* since then: */
    uint64_t epoch = 0;         /* when it looked last */
    void *fake_stack = nullptr; /* AddressSanitizer's */
    Ghosts fenced, seen;
    order::Fiber inits = nullptr;         /* as `fenced`, of mbarriers alone */
    order::Point cluster_point = nullptr; /* of the barrier it arrived at */
    uint64_t cluster_generation = 0;
    Copy copies[MOST_COPIES];
    unsigned int number_of_copies = 0;
    BulkCopy bulk[MOST_BULK_COPIES];
    unsigned int bulk_copies = 0;
    bool bulk_is_over = true; /* it has waited for all */
    order::Point bulk_read = nullptr, bulk_written = nullptr;

    unsigned int lane() const {
        return index % WARP;
    }
};

/* --------------------------------------------------------------------- warps
 */

/* Lanes that come together with the same mask. */
struct Gathering {
    uint32_t mask; /* 0: it is free */
    uint32_t arrived;
    Collective kind;
    order::Point point;
};

/* Lanes that have come to the same __activemask(). */
struct Converging {
    const void *call = nullptr; /* NULL: it is free */
    uint32_t arrived = 0;
};

struct Warp {
    Warp() {
    }

    uint32_t ready = 0, polling = 0, ended = 0; /* lanes */
    Gathering gatherings[WARP]; /* the first `opened` have been set */
    unsigned int opened = 0;
    Converging converging[4];
};

/* -------------------------------------------------------------------- blocks
 */

/* Threads that wait for the same; nothing is allocated while kernels run. */
class Waiting {
  public:
    void add(Thread &thread);
    /* They go on, after the point, each with the result. */
    void wake_all(order::Point point, int result);
    bool is_empty() const {
        return first_ == nullptr;
    }

  private:
    Thread *first_ = nullptr;
};

struct Barrier {
    unsigned int expected = 0, arrived = 0; /* threads */
    uint64_t generation = 0;
    order::Point point = nullptr;
    Waiting waiting;
};

/* A variable that the block has used. */
struct Variable {
    const void *key;
    uint32_t offset;
};

struct Cluster {
    std::vector<Block *> blocks; /* NULL: it has ended */
    Barrier barrier;
    unsigned int live = 0; /* threads */
};

struct Block {
    Grid *grid = nullptr;
    unsigned int index = 0;
    std::vector<Thread> threads;
    unsigned int live = 0;
    Warp warps[MOST_WARPS];
    uint32_t ready = 0; /* warps with lanes that are */
    uint64_t epoch = 0; /* when it was last seen that nothing is ready */
    Barrier barriers[16];
    int predicates[2] = {0, 0}; /* of block_barrier(): how many, of how many */
    bool triggered = false;
    std::shared_ptr<Cluster> cluster;
    unsigned int multiprocessor = 0;
    unsigned char *shared = nullptr;
    /* Of bulk copies: what they see of shared memory comes before the point. */
    order::Point fenced_shared = nullptr;
    order::Fiber reading_engine = nullptr, writing_engine = nullptr;
    Variable variables[32];
    unsigned int number_of_variables = 0;

    Warp &warp(const Thread &thread) {
        return warps[thread.index / WARP];
    }
};

/* --------------------------------------------------------------------- grids
 */

struct Launch {
    Kernel *kernel = nullptr;
    unsigned int blocks = 0, threads = 0;
    size_t shared_bytes = 0;
    unsigned int cluster = 1;
    bool cooperative = false;
    int device = 0;
    unsigned int multiprocessors = 0; /* 0: all of the device's */
    std::vector<std::vector<unsigned char>> arguments;
};

/* How the seed has a grid run. */
struct Policy {
    unsigned int resident;    /* blocks at a time */
    unsigned int stop;        /* chances of 256: at an access */
    unsigned int next_block;  /* after a lane's turn */
    unsigned int next_warp;   /* likewise */
    unsigned int lanes;       /* 0: lowest first, 1: highest, 2: any */
    unsigned int block_order; /* likewise */
};

struct Grid {
    Launch launch;
    Policy policy;
    std::vector<unsigned int> not_begun; /* first blocks of clusters, the next
                                            one last */
    std::vector<Block *> resident;
    unsigned int ended = 0, triggered = 0; /* blocks; the latter or ended */
    /* What its threads come after. */
    std::vector<order::Point> acquires;
    /* And what else, once they have waited for it: see runtime.cc. */
    bool waits = false;
    std::vector<order::Point> awaited;
    Waiting waiting;
    order::Point end = nullptr; /* all threads come before it */

    bool is_over() const {
        return ended == launch.blocks;
    }
    bool has_triggered() const {
        return triggered == launch.blocks;
    }
};

/* Can a device hold a block of these at all? */
bool has_room(const Launch &launch);

/* How many, on one multiprocessor. */
unsigned int most_resident(const Kernel &kernel, unsigned int threads,
                           size_t shared_bytes);

/* Its blocks may begin. The grid must last until it is over. */
void begin(Grid &grid);

/* What it waited for is over: `awaited` is set. */
void go_on(Grid &grid);

/* Let threads run for a while. False: none can, whatever else there is. */
bool run();

/* As above, and none will: say where each waits, and end the program. */
[[noreturn]] void report_stuck(const char *why);

/* ------------------------------------------- for the parts of the machine */

extern Thread *self;   /* the thread that runs; NULL on the host's side */
extern uint64_t epoch; /* how many times a word was written */

Random &chance();
Random &pattern();

/* In a thread: wait until wake(); stay ready but let others run; perhaps. */
void wait(const char *what, unsigned int number = 0);
void wake(Thread &thread);
void yield();
void maybe_yield();
/* It has looked at a word of others': let others run, if that was in vain. */
void looked();

/* Fill memory with what uninitialised memory holds. */
void make_uninitialised(void *memory, size_t bytes);

/* Print what is wrong, with the seed, and end the program. */
[[noreturn]] void fail(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/* Is the memory there, to be read or written by a part of the machine? */
void check_access(const void *memory, size_t bytes, bool writes);

/* A block's shared memory, with what keeps variables apart; taken, and given
 * back, which fails if dynamic shared memory was written beyond its end. */
void open_shared(Block &block);
void close_shared(Block &block);

/* A thread ends: those who waited for it need not. */
void leave_warp(Thread &thread);
void leave_block(Thread &thread);
void leave_cluster(Thread &thread);
/* What a thread began and did not wait for is done. */
void finish_copies(Thread &thread);
/* It must have waited for these. */
void check_bulk_copies(const Thread &thread);

/* An order for what one thread hands to another. */
void acquire_all(const std::vector<order::Point> &points);

/* The block, the cluster, the device and the system that a thread belongs to;
 * also when it has ended. */
struct Scopes {
    uint64_t number[SYSTEM + 1];
};
Scopes scopes_of(const Thread &thread);

/* An update of a word by somebody else than a thread: see words.cc. */
void release_as(const void *word, const Scopes &scopes, Scope scope);
void acquire_as(const void *word, const Scopes &scopes, Scope scope);

/* Stores on their way to another block: carry out one. False: none is. */
bool deliver_store();
/* Words and barriers are forgotten; the device is idle. */
void forget_words();
void forget_mbarriers(const Block &block);

} // namespace simt

#endif
