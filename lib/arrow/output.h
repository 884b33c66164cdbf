/*
 * The arrays that a filter hands to its caller: memory, and its release.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "device.h"

/*
 * Make an array of zeros that owns nothing yet, with room for buffers, children
 * and a dictionary, and with its release. Each array that is put in a place of
 * its own, and has its release, is released with it. So an array may be released
 * at any time, also half done.
 */
winnow_status winnow__arrow_make(winnow__arrow_place *place,
                                 struct ArrowArray *out, unsigned buffers,
                                 unsigned children, bool dictionary);

/* Give an array a buffer of `bytes` bytes and of any contents, of which the last
 * 64, in the padding, too, are 0. */
winnow_status winnow__arrow_buffer(winnow__arrow_place *place,
                                   struct ArrowArray *out, unsigned number,
                                   uint64_t bytes, void **buffer_p);
/* Free a buffer of an array, on the host or in the order of the call's stream. */
void winnow__arrow_drop_buffer(winnow__arrow_place *place,
                               struct ArrowArray *out, unsigned number);
/* Make places for `number` buffers of views' bytes, and behind them their sizes.
 * These are in memory of the host, wherever the array is: consumers read them
 * to know the buffers. */
winnow_status winnow__arrow_view_buffers(struct ArrowArray *out,
                                         unsigned number, int64_t **sizes_p);
/* Move an input's array into an output, whose buffers from number 2 on it owns
 * from here on, and become the output's. */
winnow_status winnow__arrow_keep(struct ArrowArray *out,
                                 struct ArrowArray *kept);

/* Move it to another place. */
void winnow__arrow_move(struct ArrowArray *from, struct ArrowArray *to);
