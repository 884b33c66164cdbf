/*
 * winnow-bench as it is installed: without CUB and Thrust.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "peer.h"

const bench_peer bench_gpu_peers[2];
