/*
 * The kernels of kernels/nccl.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "kernels/core/args.h"

extern const winnow__kernel winnow__nccl_make_words, winnow__nccl_judge,
    winnow__nccl_tell, winnow__nccl_place, winnow__nccl_parts,
    winnow__nccl_tell_partial, winnow__nccl_merge, winnow__nccl_make_offer,
    winnow__nccl_make_even, winnow__nccl_push, winnow__nccl_meet,
    winnow__nccl_peer_place, winnow__nccl_peer_reduce;
