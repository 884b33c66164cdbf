/*
 * What winnow/device.cuh asks for where the compiler is no CUDA compiler: on
 * the CPU device. Comes before that header.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_SIMT_PORT_HPP
#define WINNOW_TESTS_SIMT_PORT_HPP

#include "kernel.hpp"

#define WINNOW_DEVICE_PORT 1

namespace winnow::device::port {

inline unsigned int lane_id() {
    return simt::lane();
}

inline unsigned int lanes_below() {
    return simt::lanes_below();
}

template <class T>
T load_relaxed(const T *word) {
    return simt::load(word);
}

inline unsigned int load_acquire(const unsigned int *word) {
    return simt::load(word, simt::ACQUIRE);
}

inline void store_release(unsigned int *word, unsigned int value) {
    simt::store(word, value, simt::RELEASE);
}

} // namespace winnow::device::port

#endif
