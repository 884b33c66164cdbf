/*
 * What a call writes where its kernels read: the number of items, if that is
 * the same word as the count, and the position. It comes behind them in the
 * stream, and waits until all of their blocks have ended. So they are free to
 * read the words at any time, and exchange nothing about them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "args.h"
#include "ptx.cuh"

namespace winnow {

__global__ void deliver(const __grid_constant__ winnow__deliver_args args) {
    wait_for_stream();
    const unsigned long long total = *args.total;
    if (args.count != nullptr)
        *args.count = total;
    if (args.position == nullptr)
        return;
    const unsigned long long at = *args.position;
    const unsigned long long room = at < args.capacity ? args.capacity - at : 0;
    *args.position = at + (total < room ? total : room);
}

} // namespace winnow

WINNOW__FOR_HOST(winnow__deliver) = WINNOW__ENTRY(1, 0, 0, 0, winnow::deliver);
