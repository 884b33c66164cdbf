/*
 * What is printed when a test has failed on the CPU device.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_SIMT_REPORT_HPP
#define WINNOW_TESTS_SIMT_REPORT_HPP

#include "machine.hpp"

namespace simt::report {

/* A thread that cannot go on, and the calls that it is in. */
struct Stopped {
    const Thread *thread;
    void *frames[12];
    int number;
};

/* The one that looks where it is. */
extern Stopped *looking;
void look();

[[noreturn]] void print(const char *why, const std::vector<Stopped> &all,
                        const std::vector<Grid *> &grids);

} // namespace simt::report

#endif
