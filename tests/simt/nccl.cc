/*
 * NCCL's double: a communicator among devices of the CPU device, in one process.
 *
 * Calls of a group are one piece of work on a stream: a function of the host,
 * which offers what it sends, waits for what it receives, and ends when all of
 * it has been taken. Messages of a pair of ranks are matched in their order, as
 * NCCL does, and have to be of one size. A group that nobody answers ends the
 * program: with NCCL it would hang.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "runtime.hpp"

#include <nccl.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <vector>

namespace {

/* What is offered from a rank to another. */
struct Offer {
    const void *from;
    size_t bytes;
    bool taken = false;
};

/* The ranks of a communicator. */
struct World {
    std::mutex mutex;
    std::condition_variable changed;
    std::map<std::pair<int, int>, std::deque<Offer *>> offers; /* from, to */
    int left = 0; /* communicators that are not destroyed */
};

enum Kind {
    SEND,
    RECEIVE,
    GATHER,
    REDUCE
};

struct Call {
    Kind kind;
    const void *from;
    void *to;
    size_t bytes;
    int peer;
    ncclRedOp_t operation;
    ncclComm_t comm;
    cudaStream_t stream;
};

/* The calls of a group on a stream. */
struct Group {
    std::vector<Call> calls;
};

thread_local int depth;
thread_local std::vector<Call> grouped;
thread_local ncclResult_t group_result; /* of a call in it that failed */

} // namespace

struct ncclComm {
    World *world;
    int rank, ranks, device;
    std::atomic<ncclResult_t> broken; /* and why */
};

namespace {

/* A receive, and where it is put when all that is sent has been taken. */
struct Receive {
    int from;
    void *to;
    size_t bytes;
};

class Exchange {
  public:
    explicit Exchange(const Group &group)
        : comm_(*group.calls[0].comm), group_(group) {
        for (const Call &call : group.calls)
            add(call);
    }

    void run() {
        std::unique_lock<std::mutex> lock(comm_.world->mutex);
        for (auto &[to, offer] : sends_)
            comm_.world->offers[{comm_.rank, to}].push_back(&offer);
        comm_.world->changed.notify_all();
        bool ends = true;
        for (const Receive &receive : receives_)
            ends = ends && take(receive, lock);
        for (auto &send : sends_)
            ends = ends && wait(lock, [&] { return send.second.taken; });
        if (!ends)
            return give_up();
        lock.unlock();
        for (size_t i = 0; i < group_.calls.size(); i++)
            if (group_.calls[i].kind == REDUCE)
                reduce(group_.calls[i], gathered_[i]);
    }

  private:
    const ncclComm &comm_;
    const Group &group_;
    std::deque<std::pair<int, Offer>> sends_;
    std::deque<Receive> receives_;
    std::deque<std::vector<uint64_t>> gathered_; /* of each call */

    void add(const Call &call) {
        gathered_.emplace_back();
        if (call.kind == SEND)
            sends_.push_back({call.peer, {call.from, call.bytes}});
        if (call.kind == RECEIVE)
            receives_.push_back({call.peer, call.to, call.bytes});
        if (call.kind == SEND || call.kind == RECEIVE)
            return;
        const auto ranks = static_cast<size_t>(comm_.ranks);
        const size_t words = call.bytes / sizeof(uint64_t);
        unsigned char *to = static_cast<unsigned char *>(call.to);
        if (call.kind == REDUCE) {
            gathered_.back().resize(ranks * words);
            to = reinterpret_cast<unsigned char *>(gathered_.back().data());
        }
        for (int r = 0; r < comm_.ranks; r++) {
            sends_.push_back({r, {call.from, call.bytes}});
            receives_.push_back(
                {r, to + static_cast<size_t>(r) * call.bytes, call.bytes});
        }
    }

    /* Of a communicator that is broken. */
    void give_up() {
        for (auto &[to, offer] : sends_) {
            std::deque<Offer *> &offers = comm_.world->offers[{comm_.rank, to}];
            const auto end = std::remove(offers.begin(), offers.end(), &offer);
            offers.erase(end, offers.end());
        }
    }

    /* Unless the communicator breaks meanwhile. */
    template <class Condition>
    bool wait(std::unique_lock<std::mutex> &lock, Condition condition) {
        constexpr std::chrono::seconds LONG(100);
        const auto is_broken = [&] { return comm_.broken != ncclSuccess; };
        if (!comm_.world->changed.wait_for(
                lock, LONG, [&] { return is_broken() || condition(); }))
            simt::fail("rank %d of a communicator waits for ever", comm_.rank);
        return condition();
    }

    bool take(const Receive &receive, std::unique_lock<std::mutex> &lock) {
        std::deque<Offer *> &offers =
            comm_.world->offers[{receive.from, comm_.rank}];
        if (!wait(lock, [&] { return !offers.empty(); }))
            return false;
        Offer &offer = *offers.front();
        offers.pop_front();
        if (offer.bytes != receive.bytes)
            simt::fail("rank %d receives %zu bytes, and rank %d sends %zu",
                       comm_.rank, receive.bytes, receive.from, offer.bytes);
        if (offer.from != receive.to)
            std::memmove(receive.to, offer.from, offer.bytes);
        offer.taken = true;
        comm_.world->changed.notify_all();
        return true;
    }

    void reduce(const Call &call, const std::vector<uint64_t> &all) {
        const size_t words = call.bytes / sizeof(uint64_t);
        auto *const to = static_cast<uint64_t *>(call.to);
        for (size_t w = 0; w < words; w++) {
            uint64_t value = all[w];
            for (size_t i = w + words; i < all.size(); i += words)
                value = call.operation == ncclMax ? std::max(value, all[i])
                                                  : value + all[i];
            to[w] = value;
        }
    }
};

/* Groups last: a graph may have them run again. */
std::deque<Group> &groups() {
    static auto *const all = new std::deque<Group>;
    return *all;
}

Group &new_group() {
    static std::mutex mutex;
    const std::lock_guard<std::mutex> lock(mutex);
    return groups().emplace_back();
}

void run_group(void *argument) {
    Exchange(*static_cast<Group *>(argument)).run();
}

ncclResult_t enqueue_all() {
    std::vector<Call> calls;
    std::swap(calls, grouped);
    while (!calls.empty()) {
        Group &group = new_group();
        const Call first = calls[0];
        std::vector<Call> others;
        for (const Call &call : calls)
            (call.comm == first.comm && call.stream == first.stream
                 ? group.calls
                 : others)
                .push_back(call);
        calls = others;
        if (cudaLaunchHostFunc(first.stream, run_group, &group) != cudaSuccess)
            return ncclUnhandledCudaError;
    }
    return ncclSuccess;
}

size_t size_of(ncclDataType_t type) {
    return type == ncclUint8 ? 1 : 8;
}

/* A group with a call that failed does nothing. */
ncclResult_t fail(ncclResult_t result) {
    if (depth != 0)
        group_result = result;
    return result;
}

ncclResult_t enqueue(const Call &call) {
    if (call.peer < 0 || call.peer >= call.comm->ranks)
        return ncclInvalidArgument;
    if (call.comm->broken != ncclSuccess)
        return fail(call.comm->broken);
    grouped.push_back(call);
    return depth == 0 ? enqueue_all() : ncclSuccess;
}

int injected(const char *function) {
    const simt::Lock lock;
    return simt::called(function);
}

} // namespace

#define NCCL_CALL(NAME)                                                        \
    if (const int error = injected(#NAME))                                     \
    return fail(static_cast<ncclResult_t>(error))

extern "C" {

const char *ncclGetErrorString(ncclResult_t result) {
    return result == ncclSuccess       ? "no error"
           : result == ncclSystemError ? "unhandled system error"
           : result == ncclRemoteError
               ? "remote process exited or there was a network error"
               : "another error";
}

const char *ncclGetLastError(ncclComm_t) {
    return "the double's last words";
}

ncclResult_t ncclCommInitAll(ncclComm_t *comms, int ranks, const int *devices) {
    World *const world = new World;
    world->left = ranks;
    for (int r = 0; r < ranks; r++)
        comms[r] = new ncclComm{world, r, ranks, devices ? devices[r] : r,
                                ncclSuccess};
    return ncclSuccess;
}

ncclResult_t ncclCommDestroy(ncclComm_t comm) {
    if (--comm->world->left == 0)
        delete comm->world;
    delete comm;
    return ncclSuccess;
}

void nccl_break(ncclComm_t comm, ncclResult_t result) {
    const std::lock_guard<std::mutex> lock(comm->world->mutex);
    comm->broken = result;
    comm->world->changed.notify_all();
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *result) {
    *result = comm->broken;
    NCCL_CALL(ncclCommGetAsyncError);
    return ncclSuccess;
}

ncclResult_t ncclCommCount(const ncclComm_t comm, int *ranks) {
    NCCL_CALL(ncclCommCount);
    *ranks = comm->ranks;
    return ncclSuccess;
}

ncclResult_t ncclCommCuDevice(const ncclComm_t comm, int *device) {
    NCCL_CALL(ncclCommCuDevice);
    *device = comm->device;
    return ncclSuccess;
}

ncclResult_t ncclCommUserRank(const ncclComm_t comm, int *rank) {
    NCCL_CALL(ncclCommUserRank);
    *rank = comm->rank;
    return ncclSuccess;
}

ncclResult_t ncclGroupStart(void) {
    NCCL_CALL(ncclGroupStart);
    depth++;
    return ncclSuccess;
}

ncclResult_t ncclGroupEnd(void) {
    if (depth == 0)
        return ncclInvalidUsage;
    if (const int error = injected("ncclGroupEnd"))
        fail(static_cast<ncclResult_t>(error));
    if (--depth != 0)
        return group_result;
    const ncclResult_t result = group_result;
    group_result = ncclSuccess;
    if (result == ncclSuccess)
        return enqueue_all();
    grouped.clear();
    return result;
}

ncclResult_t ncclSend(const void *from, size_t count, ncclDataType_t type,
                      int peer, ncclComm_t comm, cudaStream_t stream) {
    NCCL_CALL(ncclSend);
    return enqueue({SEND, from, nullptr, count * size_of(type), peer, ncclSum,
                    comm, stream});
}

ncclResult_t ncclRecv(void *to, size_t count, ncclDataType_t type, int peer,
                      ncclComm_t comm, cudaStream_t stream) {
    NCCL_CALL(ncclRecv);
    return enqueue({RECEIVE, nullptr, to, count * size_of(type), peer, ncclSum,
                    comm, stream});
}

ncclResult_t ncclAllGather(const void *from, void *to, size_t count,
                           ncclDataType_t type, ncclComm_t comm,
                           cudaStream_t stream) {
    NCCL_CALL(ncclAllGather);
    return enqueue(
        {GATHER, from, to, count * size_of(type), 0, ncclSum, comm, stream});
}

ncclResult_t ncclAllReduce(const void *from, void *to, size_t count,
                           ncclDataType_t, ncclRedOp_t operation,
                           ncclComm_t comm, cudaStream_t stream) {
    NCCL_CALL(ncclAllReduce);
    return enqueue({REDUCE, from, to, count * sizeof(uint64_t), 0, operation,
                    comm, stream});
}

} // extern "C"
