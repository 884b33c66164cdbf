/*
 * The C++ library's algorithms, on the host.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "peer_calls.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <type_traits>

namespace {

template <class T>
uint64_t copy_if(const void *threshold, const void *in, uint64_t n, void *out) {
    const T limit = *static_cast<const T *>(threshold);
    const T *const from = static_cast<const T *>(in);
    T *const to = static_cast<T *>(out);
    const auto below = [limit](T x) { return x < limit; };
    return static_cast<uint64_t>(std::copy_if(from, from + n, to, below) - to);
}

template <class T>
uint64_t count_if(const void *threshold, const void *in, uint64_t n, void *) {
    const T limit = *static_cast<const T *>(threshold);
    const T *const from = static_cast<const T *>(in);
    return static_cast<uint64_t>(
        std::count_if(from, from + n, [limit](T x) { return x < limit; }));
}

/* Count, sum, minimum and maximum. */
template <class T>
struct Reduction {
    using Sum = std::conditional_t<
        std::is_floating_point_v<T>, double,
        std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>;
    uint64_t count = 0;
    Sum sum = 0;
    T minimum = std::numeric_limits<T>::max();
    T maximum = std::numeric_limits<T>::lowest();
};

/* So that the compiler has to find them. */
volatile bool unlikely;

template <class T>
void reduce(const void *threshold, const void *in, uint64_t n,
            uint64_t *count_p, winnow_number *sum_p) {
    const T limit = *static_cast<const T *>(threshold);
    const T *const from = static_cast<const T *>(in);
    const Reduction<T> r = std::accumulate(
        from, from + n, Reduction<T>(), [limit](Reduction<T> all, T x) {
            if (x < limit) {
                all.count++;
                all.sum += x;
                all.minimum = std::min(all.minimum, x);
                all.maximum = std::max(all.maximum, x);
            }
            return all;
        });
    *count_p = r.count;
    unlikely = r.maximum < r.minimum;
    if constexpr (std::is_floating_point_v<T>)
        sum_p->float64 = r.sum;
    else
        sum_p->uint64 = static_cast<uint64_t>(r.sum);
}

using Function = uint64_t(const void *, const void *, uint64_t, void *);

template <class T>
constexpr Function *functions[2] = {copy_if<T>, count_if<T>};

/* NULL: no type of C++'s own. */
Function *find(winnow_type type, bool counting) {
    switch (type) {
    case WINNOW_INT8:
        return functions<int8_t>[counting];
    case WINNOW_INT16:
        return functions<int16_t>[counting];
    case WINNOW_INT32:
        return functions<int32_t>[counting];
    case WINNOW_INT64:
        return functions<int64_t>[counting];
    case WINNOW_UINT8:
        return functions<uint8_t>[counting];
    case WINNOW_UINT16:
        return functions<uint16_t>[counting];
    case WINNOW_UINT32:
        return functions<uint32_t>[counting];
    case WINNOW_UINT64:
        return functions<uint64_t>[counting];
    case WINNOW_FLOAT32:
        return functions<float>[counting];
    case WINNOW_FLOAT64:
        return functions<double>[counting];
    default:
        return nullptr;
    }
}

} // namespace

bool bench_std_offers(winnow_type type) {
    return find(type, false) != nullptr;
}

uint64_t bench_std_run(winnow_type type, const void *threshold, const void *in,
                       uint64_t n, void *out) {
    return find(type, out == nullptr)(threshold, in, n, out);
}

void bench_std_reduce(winnow_type type, const void *threshold, const void *in,
                      uint64_t n, uint64_t *count_p, winnow_number *sum_p) {
    switch (type) {
    case WINNOW_INT8:
        return reduce<int8_t>(threshold, in, n, count_p, sum_p);
    case WINNOW_INT16:
        return reduce<int16_t>(threshold, in, n, count_p, sum_p);
    case WINNOW_INT32:
        return reduce<int32_t>(threshold, in, n, count_p, sum_p);
    case WINNOW_INT64:
        return reduce<int64_t>(threshold, in, n, count_p, sum_p);
    case WINNOW_UINT8:
        return reduce<uint8_t>(threshold, in, n, count_p, sum_p);
    case WINNOW_UINT16:
        return reduce<uint16_t>(threshold, in, n, count_p, sum_p);
    case WINNOW_UINT32:
        return reduce<uint32_t>(threshold, in, n, count_p, sum_p);
    case WINNOW_UINT64:
        return reduce<uint64_t>(threshold, in, n, count_p, sum_p);
    case WINNOW_FLOAT32:
        return reduce<float>(threshold, in, n, count_p, sum_p);
    case WINNOW_FLOAT64:
        return reduce<double>(threshold, in, n, count_p, sum_p);
    default:
        return;
    }
}
