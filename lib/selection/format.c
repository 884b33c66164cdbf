/*
 * The size of a selection, its parts, and how its kernels are launched.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format.h"
#include "core/round.h"
#include "core/status.h"

#ifdef WINNOW_CUDA
#include "cuda/launch.h"

extern const winnow__kernel winnow__selection_scan;
#endif

/* ------------------------------------------------------------------ format */

static uint64_t count_tiles(uint64_t n) {
    return n / WINNOW__SELECTION_TILE + (n % WINNOW__SELECTION_TILE != 0);
}

static uint64_t keep_bytes(uint64_t tiles) {
    return tiles * WINNOW__SELECTION_WORDS * sizeof(uint32_t);
}

static uint64_t before_bytes(uint64_t tiles) {
    return winnow__round_up((tiles + 1) * sizeof(uint64_t), 16);
}

uint64_t winnow__selection_needed(uint64_t n) {
    const uint64_t tiles = count_tiles(n);
    return keep_bytes(tiles) + before_bytes(tiles) +
           winnow__round_up(tiles * sizeof(uint16_t), 16);
}

winnow__selection winnow__selection_at(const void *start, uint64_t n) {
    const uint64_t tiles = count_tiles(n);
    unsigned char *const at = (unsigned char *)(uintptr_t)start;
    return (winnow__selection){
        .keep = (uint32_t *)(void *)at,
        .before = (unsigned long long *)(void *)(at + keep_bytes(tiles)),
        .counts =
            (uint16_t *)(void *)(at + keep_bytes(tiles) + before_bytes(tiles)),
        .n = n,
        .tiles = tiles};
}

winnow__range winnow__selection_range(const char *name, const void *start,
                                      uint64_t n, bool written) {
    return (winnow__range){.name = name,
                           .start = start,
                           .bytes = winnow__selection_needed(n),
                           .alignment = 16,
                           .wanted = true,
                           .measure = "n",
                           .written = written};
}

/* ------------------------------------------------------------------ checks */

static winnow_status check_size(uint64_t n) {
    if (n > WINNOW__SELECTION_MOST)
        return winnow__unsupported(
            "n is %llu: a selection has at most 2^42 items",
            (unsigned long long)n);
    return WINNOW_OK;
}

winnow_status winnow__check_selection(winnow__query *query) {
    if (query->type == NULL)
        query->type = winnow__type(WINNOW_UINT8);
    return check_size(query->n);
}

winnow_status winnow_selection_bytes(uint64_t n, size_t *bytes_p) {
    WINNOW__TRY(check_size(n));
    WINNOW__TRY(winnow__need(bytes_p, "bytes_p"));
    *bytes_p = winnow__selection_needed(n);
    return WINNOW_OK;
}

/* ------------------------------------------------------------------- masks */

static uint64_t bytes_before(const winnow_mask *mask) {
    return mask->kind == WINNOW_MASK_BITS ? mask->offset / 8 : mask->offset;
}

bool winnow__has_flags(const winnow_mask *mask, uint64_t n) {
    return bytes_before(mask) <= UINTPTR_MAX - (uintptr_t)mask->d_flags &&
           mask->offset <= UINT64_MAX - n;
}

winnow_status winnow__check_flags(const char *prefix, const winnow_mask *mask,
                                  uint64_t n) {
    if (mask->kind != WINNOW_MASK_BYTES && mask->kind != WINNOW_MASK_BITS)
        return winnow__refuse("%skind %d is no winnow_mask_kind", prefix,
                              (int)mask->kind);
    if (!winnow__has_flags(mask, n))
        return winnow__refuse(
            "%soffset is %llu: that runs past the end of the address space",
            prefix, (unsigned long long)mask->offset);
    return WINNOW_OK;
}

winnow_status winnow__check_mask(const winnow_mask *mask, uint64_t n) {
    return mask == NULL ? winnow__refuse("mask is NULL")
                        : winnow__check_flags("mask->", mask, n);
}

const void *winnow__mask_start(const winnow_mask *mask) {
    return mask->d_flags == NULL
               ? NULL
               : (const void *)((uintptr_t)mask->d_flags + bytes_before(mask));
}

winnow__range winnow__mask_range(const char *name, const winnow_mask *mask,
                                 uint64_t n) {
    return (winnow__range){.name = name,
                           .start = winnow__mask_start(mask),
                           .given = mask->d_flags,
                           .bytes = n == 0 ? 0
                                    : mask->kind == WINNOW_MASK_BITS
                                        ? (mask->offset % 8 + n + 7) / 8
                                        : n,
                           .alignment = 1,
                           .wanted = n != 0,
                           .measure = "n"};
}

/* ----------------------------------------------------------------- kernels */

#ifdef WINNOW_CUDA
static unsigned blocks_for(uint64_t tiles, unsigned tiles_per_block) {
    return (unsigned)((tiles + tiles_per_block - 1) / tiles_per_block);
}

winnow_status winnow__launch_scan(const winnow__selection *to,
                                  winnow_stream stream) {
    /* The element after the last tile's `before` is written, too. */
    const uint64_t steps = to->tiles / WINNOW__SCAN_STEP + 1;
    const uint64_t per_block =
        (steps + WINNOW__SCAN_BLOCKS - 1) / WINNOW__SCAN_BLOCKS;
    const winnow__scan_args args = {
        .selection = *to, .tiles_per_block = per_block * WINNOW__SCAN_STEP};
    return winnow__launch(&winnow__selection_scan,
                          blocks_for(steps, (unsigned)per_block), &args,
                          stream);
}

winnow_status winnow__launch_and_scan(const winnow__kernel *kernel,
                                      unsigned tiles_per_block,
                                      const void *args,
                                      const winnow__selection *to,
                                      winnow_stream stream) {
    if (to->tiles != 0)
        WINNOW__TRY(winnow__launch(
            kernel, blocks_for(to->tiles, tiles_per_block), args, stream));
    return winnow__launch_scan(to, stream);
}

winnow_status winnow__launch_source(const winnow__call *call,
                                    const winnow__kernel *kernel,
                                    unsigned tiles_per_block, const void *args,
                                    const winnow__selection *to) {
    const bool clusters = winnow__cuda(call->query.context)->clusters;
    const unsigned blocks = blocks_for(to->tiles, tiles_per_block);
    const winnow__plan plan = {.kernel = kernel,
                               .blocks = blocks,
                               .mode = blocks > 1 ? WINNOW__CLUSTER
                                                  : WINNOW__TILE_PER_BLOCK};
    winnow_status status = WINNOW_OK;
    bool refused = blocks == 0 || to->tiles > WINNOW__FEW_TILES ||
                   blocks > (clusters ? WINNOW__FEW_BLOCKS : 1);
    if (!refused)
        status = winnow__launch_plan(call, &plan, args, &refused);
    return refused ? winnow__launch_and_scan(kernel, tiles_per_block, args, to,
                                             call->query.launch.stream)
                   : status;
}

winnow_status winnow__launch_advance(const winnow__selection *from,
                                     uint64_t *position, uint64_t capacity,
                                     winnow_stream stream) {
    const winnow__deliver_args args = {.total = &from->before[from->tiles],
                                       .position =
                                           (unsigned long long *)position,
                                       .capacity = capacity};
    return position == NULL
               ? WINNOW_OK
               : winnow__launch(&winnow__deliver, 1, &args, stream);
}

winnow_status winnow__launch_rows(const winnow__kernel *kernel,
                                  unsigned log2_rows, const void *args,
                                  const winnow__selection *from,
                                  winnow_stream stream) {
    const uint64_t blocks = from->tiles * (WINNOW__SELECTION_TILE >> log2_rows);
    return winnow__launch(kernel, blocks != 0 ? (unsigned)blocks : 1, args,
                          stream);
}

winnow_status winnow__launch_sink(const winnow__kernel *kernel,
                                  unsigned tiles_per_block, const void *args,
                                  const winnow__selection *from,
                                  winnow_stream stream) {
    const unsigned blocks = blocks_for(from->tiles, tiles_per_block);
    return winnow__launch(kernel, blocks != 0 ? blocks : 1, args, stream);
}
#endif
