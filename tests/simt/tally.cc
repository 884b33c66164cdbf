/*
 * How often each kernel has run: each time in an order of its own. When the process
 * ends, WINNOW_SIMT_TALLY names a file to which a line is added for each kernel: its
 * name, without the template's arguments; its runs; and those of more than one block.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tally.hpp"
#include "runtime.hpp"
#include "simt.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cxxabi.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <map>
#include <memory>
#include <pthread.h>
#include <string>
#include <unistd.h>
#include <unordered_map>

namespace simt {

namespace {

struct Runs {
    uint64_t all = 0, of_several_blocks = 0;
};

/* By address: one for each set of a template's arguments; each belongs to a
 * name. Pointers to what a map has last. */
struct Tally {
    std::map<std::string, Runs> by_name;
    std::unordered_map<const void *, Runs *> by_address;
};

Tally &tally() {
    static auto *const tally = new Tally;
    return *tally;
}

/* `void ns::name<arguments>(parameters)` is ns::name. */
std::string name_of(const void *kernel) {
    Dl_info symbol;
    if (dladdr(kernel, &symbol) == 0 || symbol.dli_sname == nullptr)
        return "(nameless)"; /* one of the test's own */
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> whole(
        abi::__cxa_demangle(symbol.dli_sname, nullptr, nullptr, &status),
        std::free);
    std::string name = status == 0 ? whole.get() : symbol.dli_sname;
    name.erase(std::min(name.find_first_of("<("), name.size()));
    return name.substr(name.rfind(' ') + 1);
}

/* In one write: other processes add lines to the file, too. */
void add_to_file() {
    std::string lines;
    for (const auto &[name, number] : tally().by_name) {
        char counts[64];
        std::snprintf(counts, sizeof counts, " %" PRIu64 " %" PRIu64 "\n",
                      number.all, number.of_several_blocks);
        lines += name + counts;
    }
    const int file = open(std::getenv("WINNOW_SIMT_TALLY"),
                          O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file < 0 || write(file, lines.data(), lines.size()) !=
                        static_cast<ssize_t>(lines.size()))
        std::perror("simt: WINNOW_SIMT_TALLY");
    close(file);
}

/* A child of fork() has run nothing yet. */
[[maybe_unused]] const bool is_asked_for = [] {
    const char *const file = std::getenv("WINNOW_SIMT_TALLY");
    if (file == nullptr || *file == '\0')
        return false;
    pthread_atfork(nullptr, nullptr, [] { tally() = Tally(); });
    std::atexit(add_to_file);
    return true;
}();

} // namespace

void count_run(const void *kernel, unsigned int blocks) {
    Runs *&number = tally().by_address[kernel];
    if (number == nullptr)
        number = &tally().by_name[name_of(kernel)];
    number->all++;
    number->of_several_blocks += blocks > 1;
}

} // namespace simt

extern "C" uint64_t simt_runs(const char *kernel,
                              uint64_t *of_several_blocks_p) {
    const simt::Lock lock;
    const auto found = simt::tally().by_name.find(kernel);
    const bool is_known = found != simt::tally().by_name.end();
    *of_several_blocks_p = is_known ? found->second.of_several_blocks : 0;
    return is_known ? found->second.all : 0;
}
