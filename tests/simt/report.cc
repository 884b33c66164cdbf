/* SPDX-License-Identifier: Apache-2.0 */
#include "report.hpp"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <execinfo.h>
#include <string>
#include <unistd.h>

namespace simt {

void fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    std::fprintf(stderr, "simt: ");
    std::vfprintf(stderr, format, arguments);
    std::fprintf(stderr, "\nsimt: WINNOW_SIMT_SEED=%llu repeats it\n",
                 static_cast<unsigned long long>(simt_get_seed()));
    va_end(arguments);
    std::fflush(stderr);
    std::abort();
}

namespace report {

Stopped *looking;

void look() {
    looking->number = backtrace(looking->frames, 12);
}

namespace {

/* Source lines of the calls, innermost first, the machine's own left out. */
std::string lines_of(const Stopped &stopped) {
    std::string lines;
    for (int i = 0; i < stopped.number; i++) {
        Dl_info file;
        if (dladdr(stopped.frames[i], &file) == 0)
            continue;
        char command[512];
        std::snprintf(
            command, sizeof command,
            "addr2line -i -s -e '/proc/%d/exe' %p 2>/dev/null",
            static_cast<int>(getpid()),
            reinterpret_cast<void *>(static_cast<char *>(stopped.frames[i]) -
                                     static_cast<char *>(file.dli_fbase) - 1));
        FILE *const answer = popen(command, "r");
        char line[256];
        while (answer != nullptr && std::fgets(line, sizeof line, answer)) {
            std::string text(line);
            text.erase(text.find_last_not_of("\n") + 1);
            if (text.find(".cu") != std::string::npos ||
                text.find("faulty.cc") != std::string::npos)
                lines += (lines.empty() ? "" : " < ") + text;
        }
        if (answer != nullptr)
            pclose(answer);
    }
    return lines.empty() ? "(no line is known)" : lines;
}

bool is_alike(const Stopped &a, const Stopped &b) {
    if (a.thread->block != b.thread->block || a.number != b.number ||
        a.thread->waits_for != b.thread->waits_for ||
        a.thread->waits_number != b.thread->waits_number)
        return false;
    return std::equal(a.frames, a.frames + a.number, b.frames);
}

void print_group(const std::vector<Stopped> &all, size_t first, size_t end) {
    const Thread &thread = *all[first].thread;
    std::fprintf(stderr, "  block %u, thread %u", thread.block->index,
                 thread.index);
    if (end - first > 1)
        std::fprintf(stderr, " to %u", all[end - 1].thread->index);
    if (thread.waits_for == nullptr) {
        std::fprintf(stderr, ": not begun\n");
        return;
    }
    std::fprintf(stderr, ": waits for %s", thread.waits_for);
    if (thread.waits_number != 0)
        std::fprintf(stderr, " %u", thread.waits_number);
    std::fprintf(stderr, ", %s\n", lines_of(all[first]).c_str());
}

} // namespace

void print(const char *why, const std::vector<Stopped> &all,
           const std::vector<Grid *> &grids) {
    constexpr size_t MOST_GROUPS = 24;
    std::fprintf(stderr, "simt: %s\n", why);
    size_t groups = 0;
    for (size_t i = 0; i < all.size() && groups < MOST_GROUPS; groups++) {
        size_t end = i + 1;
        while (end < all.size() && is_alike(all[i], all[end]))
            end++;
        print_group(all, i, end);
        i = end;
    }
    if (groups == MOST_GROUPS)
        std::fprintf(stderr, "  and others\n");
    for (const Grid *grid : grids)
        std::fprintf(stderr,
                     "  a grid of %u blocks: %zu are resident, %u have ended\n",
                     grid->launch.blocks, grid->resident.size(), grid->ended);
    fail("nothing moves any more");
}

} // namespace report

} // namespace simt
