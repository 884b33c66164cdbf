/*
 * Calls of CUDA's functions: the lock, errors, what a test has set.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "runtime.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unordered_map>

namespace {

uint64_t number_of(const char *variable, uint64_t otherwise) {
    const char *const text = std::getenv(variable);
    return text != nullptr && *text != '\0' ? std::strtoull(text, nullptr, 0)
                                            : otherwise;
}

uint64_t seed = number_of("WINNOW_SIMT_SEED", 1);
simt::Random for_schedules(seed);
simt::Random for_patterns(number_of("WINNOW_SIMT_PATTERN", 1));

/* What a test wants of a function. */
struct Wanted {
    unsigned calls = 0; /* so far */
    int device = -1;    /* current at the last of them */
    int error = 0;
    unsigned after = 0; /* calls that do not fail */
    int fails_on = -1;  /* that device, or any */
};

std::unordered_map<std::string, Wanted> &functions() {
    static auto *const functions = new std::unordered_map<std::string, Wanted>;
    return *functions;
}

/* Of any function: calls until one fails, and which it was. */
int until_failure = -1;
int error_of_any = 0; /* or one for what the function does */
const char *failed = nullptr;

/* Threads get it in the order in which they ask: where several make calls, the
 * calls alternate. */
class FairMutex {
  public:
    void lock() {
        std::unique_lock<std::mutex> hold(mutex_);
        const uint64_t turn = next_++;
        turned_.wait(hold, [&] { return turn == serving_; });
    }

    void unlock() {
        const std::lock_guard<std::mutex> hold(mutex_);
        serving_++;
        turned_.notify_all();
    }

  private:
    std::mutex mutex_;
    std::condition_variable turned_;
    uint64_t next_ = 0, serving_ = 0;
};

FairMutex &mutex() {
    static auto *const mutex = new FairMutex;
    return *mutex;
}

/* Before there are threads: the race detector does not see how a static variable
 * is made. */
[[maybe_unused]] FairMutex &made_early = mutex();

thread_local cudaError_t last_error;

} // namespace

/* A small GPU with all that the library makes use of. */
struct simt_settings simt_settings = {
    .devices = 2,
    .name = "CPU device",
    .major = 9,
    .minor = 0,
    .ptx_version = 90,
    .multiprocessors = simt::order::ENABLED ? 2 : 40,
    .threads = 2048,
    .blocks = 32,
    .shared_bytes = 228 << 10,
    .shared_per_block = 227 << 10,
    .cache_bytes = 50 << 20,
    .most_cluster = 16,
    .cooperative = true,
    .pageable = false,
    .peers = true,
    .overlap = true,
    .resident = 0,
    .cub_items = INT64_MAX,
    .lacks = nullptr,
};

void simt_seed(uint64_t new_seed) {
    const simt::Lock lock;
    seed = new_seed;
    for_schedules = simt::Random(seed);
}

uint64_t simt_get_seed(void) {
    return seed;
}

void simt_pattern(uint64_t new_seed) {
    const simt::Lock lock;
    for_patterns = simt::Random(new_seed);
}

uint64_t simt_first_seed(uint64_t usual) {
    return number_of("WINNOW_SIMT_SEED", usual);
}

unsigned simt_trials(unsigned usual) {
    constexpr unsigned SHORT = 8;
    const char *const set = std::getenv("WINNOW_TESTS");
    if (set != nullptr && std::strcmp(set, "short") == 0)
        usual = std::min(usual, SHORT);
    return static_cast<unsigned>(number_of("WINNOW_SIMT_TRIALS", usual));
}

void simt_fail(const char *function, int error, unsigned calls) {
    simt_fail_on(-1, function, error, calls);
}

void simt_fail_on(int device, const char *function, int error, unsigned calls) {
    const simt::Lock lock;
    functions()[function].error = error;
    functions()[function].after = calls;
    functions()[function].fails_on = device;
}

void simt_fail_any(int calls) {
    simt_fail_any_by(calls, 0);
}

void simt_fail_any_by(int calls, int error) {
    const simt::Lock lock;
    until_failure = calls;
    error_of_any = error;
    failed = nullptr;
}

const char *simt_failed(void) {
    const simt::Lock lock;
    return failed;
}

unsigned simt_calls(const char *function) {
    const simt::Lock lock;
    return functions()[function].calls;
}

int simt_device(const char *function) {
    const simt::Lock lock;
    return functions()[function].device;
}

namespace simt {

Random &chance() {
    return for_schedules;
}

Random &pattern() {
    return for_patterns;
}

/* No call is made inside of another. CUDA promises no order among the host's
 * threads, so this lock makes none for the race detector. */
Lock::Lock() {
    order::lock(mutex());
}

Lock::~Lock() {
    order::unlock(mutex());
}

void pause_call() {
    order::unlock(mutex());
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    order::lock(mutex());
}

int called(const char *function) {
    Wanted &wanted = functions()[function];
    wanted.calls++;
    wanted.device =
        current_contexts().empty() ? -1 : current_contexts().back()->device;
    if (until_failure >= 0 && until_failure-- == 0) {
        failed = function;
        if (error_of_any != 0)
            return error_of_any;
        return std::strstr(function, "Alloc") != nullptr ||
                       std::strstr(function, "Malloc") != nullptr
                   ? cudaErrorMemoryAllocation
                   : cudaErrorUnknown;
    }
    const bool counts =
        wanted.fails_on == -1 || wanted.fails_on == wanted.device;
    if (wanted.error == 0 || !counts || wanted.after-- != 0)
        return 0;
    const int error = wanted.error;
    wanted.error = 0;
    return error;
}

cudaError_t say(cudaError_t error) {
    if (error != cudaSuccess && error != cudaErrorNotReady)
        last_error = error;
    return error;
}

} // namespace simt

extern "C" {

cudaError_t cudaGetLastError(void) {
    const cudaError_t error = last_error;
    last_error = cudaSuccess;
    return error;
}

const char *cudaGetErrorName(cudaError_t error) {
    switch (error) {
#define SIMT_ERROR(NAME, NUMBER, TEXT)                                         \
    case NAME:                                                                 \
        return #NAME;
        SIMT_ERRORS(SIMT_ERROR)
#undef SIMT_ERROR
    }
    return "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error) {
    switch (error) {
#define SIMT_ERROR(NAME, NUMBER, TEXT)                                         \
    case NAME:                                                                 \
        return TEXT;
        SIMT_ERRORS(SIMT_ERROR)
#undef SIMT_ERROR
    }
    return "unrecognized error code";
}

} // extern "C"
