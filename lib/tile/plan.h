/*
 * Plans of the kernels that select in tiles: how many tiles an input has, and
 * how their blocks find their offsets.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#ifdef WINNOW_CUDA

#include "cuda/plan.h"
#include "shapes.h"

/* How many tiles of the kernel's the input has; at most, where it is not
 * located. */
uint64_t winnow__count_tiles(const winnow__kernel *kernel,
                             const winnow__input *input,
                             const winnow__constraints *constraints);
uint64_t winnow__most_tiles(const winnow__kernel *kernel,
                            const winnow__input *input);
/* Striped tiles are cut at elements, others at vectors. */
static inline bool winnow__is_striped(const winnow__kernel *kernel,
                                      const winnow__input *input) {
    return kernel->vector_bytes == input->item_bytes;
}

/* Can one launch of the kernel take that many elements? */
winnow_status winnow__check_tiles(const winnow__kernel *kernel,
                                  const winnow__input *input);

/* ---- plan.c: a look-back, for any number of tiles */

/* TILE_SCAN's kernel in a shape of any number of tiles; and whether the device
 * and the kernel can. */
winnow_status winnow__plan_look_back(const winnow__input *input,
                                     const winnow__constraints *constraints,
                                     winnow__shape shape, winnow__plan *plan);
bool winnow__can_look_back(const winnow__input *input, winnow__shape shape);
/* A word for each tile, in bytes. */
size_t winnow__state_bytes(const winnow__kernel *kernel,
                           const winnow__input *input);
/* Is the input also one that copy_if takes in large tiles? The operations that
 * have such a shape beside a selection take it for these alone. */
bool winnow__is_one_pass(const winnow__input *input, winnow__shape shape);

/* ---- small.c: inputs of few tiles. *possible_p: is there such a plan? */

/* One block, whose tile has room for the input. */
bool winnow__plan_block(const winnow__input *input, winnow__ladder ladder,
                        winnow__plan *plan);
/* One cluster, in the first shape of a ladder that does; `last`: the largest
 * one that is worth it where there is memory. */
winnow_status winnow__plan_cluster(const winnow__input *input,
                                   const winnow__constraints *constraints,
                                   winnow__ladder ladder, winnow__shape last,
                                   winnow__plan *plan, bool *possible_p);
/* Blocks that exchange counts through memory. */
winnow_status winnow__plan_one_wave(const winnow__input *input,
                                    const winnow__constraints *constraints,
                                    winnow__ladder ladder, winnow__plan *plan,
                                    bool *possible_p);
/* The same three in a given shape; of a cluster, where the device can. */
void winnow__plan_block_in(const winnow__input *input, winnow__shape shape,
                           winnow__plan *plan);
winnow_status winnow__plan_cluster_in(const winnow__input *input,
                                      winnow__shape shape, winnow__plan *plan,
                                      bool *possible_p);
winnow_status winnow__plan_one_wave_in(const winnow__input *input,
                                       const winnow__constraints *constraints,
                                       winnow__shape shape, winnow__plan *plan,
                                       bool *possible_p);
/*
 * Should the launch of the next kernel be triggered while the tiles are
 * counted, or later? Its blocks then wait where there is room beside these. If
 * there is room for half of them, they crowd some multiprocessors, and the
 * others have little to do (bench/NOTES.md has the times). Striped tiles are
 * small: there the trigger is early only if they fill the device, so that the
 * next kernel's blocks begin as they end.
 */
bool winnow__triggers_early(bool is_striped, uint64_t blocks, uint64_t most);

#endif
