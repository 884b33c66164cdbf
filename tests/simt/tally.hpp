/*
 * Which kernels have run: see tally.cc.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_SIMT_TALLY_HPP
#define WINNOW_TESTS_SIMT_TALLY_HPP

namespace simt {

void count_run(const void *kernel, unsigned int blocks);

} // namespace simt

#endif
