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

/* How many tiles of the kernel the input has. If the input is not located: the most
 * it can have. */
uint64_t winnow__count_tiles(const winnow__kernel *kernel,
                             const winnow__input *input,
                             const winnow__constraints *constraints);
uint64_t winnow__most_tiles(const winnow__kernel *kernel,
                            const winnow__input *input);
/* Striped tiles begin at any element, other tiles at a vector. */
static inline bool winnow__is_striped(const winnow__kernel *kernel,
                                      const winnow__input *input) {
    return kernel->vector_bytes == input->item_bytes;
}

/* Can one launch of the kernel take this number of elements? */
winnow_status winnow__check_tiles(const winnow__kernel *kernel,
                                  const winnow__input *input);

/* ---- plan.c: a look-back, for any number of tiles */

/* The plan of TILE_SCAN's kernel in a shape for any number of tiles; and whether
 * the device and the kernel support it. */
winnow_status winnow__plan_look_back(const winnow__input *input,
                                     const winnow__constraints *constraints,
                                     winnow__shape shape, winnow__plan *plan);
bool winnow__can_look_back(const winnow__input *input, winnow__shape shape);
/* The bytes of a word for each tile. */
size_t winnow__state_bytes(const winnow__kernel *kernel,
                           const winnow__input *input);
/* Does copy_if take this input in large tiles, too? Operations that can also use a
 * selection run in one pass only for such inputs. */
bool winnow__is_one_pass(const winnow__input *input, winnow__shape shape);

/* ---- small.c: inputs of few tiles. *possible_p: whether there is such a plan. */

/* One block, whose tile has room for the input. */
bool winnow__plan_block(const winnow__input *input, winnow__ladder ladder,
                        winnow__plan *plan);
/* One cluster, in the first shape of the ladder that is possible. `last`: the last
 * shape to try if memory is ready. */
winnow_status winnow__plan_cluster(const winnow__input *input,
                                   const winnow__constraints *constraints,
                                   winnow__ladder ladder, winnow__shape last,
                                   winnow__plan *plan, bool *possible_p);
/* Blocks that run together and exchange counts through memory. */
winnow_status winnow__plan_one_wave(const winnow__input *input,
                                    const winnow__constraints *constraints,
                                    winnow__ladder ladder, winnow__plan *plan,
                                    bool *possible_p);
/* The same three, in a given shape. A cluster only if the device supports it. */
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
 * Should the launch of the next kernel be triggered early, while the tiles are
 * counted? Its blocks then wait where these blocks leave room. If there is room for
 * half of them, they crowd some multiprocessors, and the others have little to do
 * (bench/NOTES.md has the times). Striped tiles are small: their kernel triggers
 * early only if its blocks fill the device, so that the next kernel's blocks begin
 * as they end.
 */
bool winnow__triggers_early(bool is_striped, uint64_t blocks, uint64_t most);

#endif
