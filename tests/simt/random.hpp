/*
 * Everything that is left to chance is drawn from one seed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_SIMT_RANDOM_HPP
#define WINNOW_TESTS_SIMT_RANDOM_HPP

#include <cstdint>

namespace simt {

/* splitmix64 (Steele, Lea, Flood, 2014). */
class Random {
  public:
    explicit Random(uint64_t seed) : state_(seed) {
    }

    uint64_t next() {
        uint64_t x = state_ += 0x9e3779b97f4a7c15u;
        x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
        x = (x ^ x >> 27) * 0x94d049bb133111ebu;
        return x ^ x >> 31;
    }

    /* Below a bound that is not 0. */
    uint32_t below(uint32_t bound) {
        return static_cast<uint32_t>((next() >> 32) * bound >> 32);
    }

    /* True this many times of 256. */
    bool chance(unsigned int of_256) {
        return next() >> 56 < of_256;
    }

  private:
    uint64_t state_;
};

} // namespace simt

#endif
