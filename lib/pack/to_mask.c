/*
 * winnow_selection_to_mask: a selection as a mask of bytes or of bits.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "core/status.h"
#include "selection/sink.h"
#include "cuda/launch.h"
#include "kernels.h"

#include <string.h>

/* The mask to write. */
static const winnow_mask *mask_of(const winnow__query *query) {
    return query->details;
}

static winnow_status check(winnow__query *query) {
    return winnow__check_flags("", mask_of(query), query->n);
}

static int ranges(const winnow__call *call, winnow__range *list) {
    const winnow__query *const query = &call->query;
    list[0] = winnow__mask_range("d_flags", mask_of(query), query->n);
    list[0].written = true;
    return 1;
}

/* ----------------------------------------------------------------- the host */

static void set_bit(unsigned char *mask, uint64_t bit, unsigned value) {
    const unsigned char one = (unsigned char)(1U << bit % 8);
    unsigned char *const byte = &mask[bit / 8];
    *byte = (unsigned char)(value != 0 ? *byte | one : *byte & ~one);
}

typedef struct host_work {
    const winnow__selection *from;
    uint64_t items; /* number of flags to write */
    unsigned char *mask;
    bool is_bits;
    unsigned skip; /* bits in the byte before item 0's */
} host_work;

/* 32 bits of a selection that all exist, from an item on. */
static uint32_t bits_from(const winnow__selection *from, uint64_t item) {
    const uint32_t *const word = &from->keep[item / 32];
    const unsigned shift = item % 32;
    return shift == 0 ? *word : *word >> shift | word[1] << (32 - shift);
}

/* Turn eight bits into bytes of 0 and 1, the lowest first. */
static uint64_t spread(unsigned bits) {
    const uint64_t ones = UINT64_C(0x0101010101010101);
    const uint64_t own = bits * ones & UINT64_C(0x8040201008040201);
    return (own + 0x7f * ones) >> 7 & ones; /* no byte overflows */
}

static void write_bytes(const host_work *work, uint64_t first, uint64_t end) {
    uint64_t i = first; /* a multiple of 32 */
    for (; end - i >= 8; i += 8) {
        const uint64_t eight =
            spread(work->from->keep[i / 32] >> i % 32 & 0xff);
        memcpy(work->mask + i, &eight, sizeof eight);
    }
    for (; i < end; i++)
        work->mask[i] = work->from->keep[i / 32] >> i % 32 & 1;
}

static void write_bits(const host_work *work, uint64_t first, uint64_t end) {
    uint64_t i = first;
    while (i < end) {
        const uint64_t bit = work->skip + i;
        if (bit % 8 == 0 && end - i >= 32) {
            const uint32_t bits = bits_from(work->from, i);
            memcpy(work->mask + bit / 8, &bits, sizeof bits);
            i += 32;
        } else {
            set_bit(work->mask, bit, work->from->keep[i / 32] >> i % 32 & 1);
            i++;
        }
    }
}

/* Writes as many flags as a tile has items. It begins at a whole byte of the
 * mask, so no two threads write to the same byte. */
static void write_tile(void *argument, uint64_t tile) {
    const host_work *const work = argument;
    const uint64_t flag = tile * WINNOW__SELECTION_TILE;
    const uint64_t first = tile == 0 ? 0 : flag - work->skip;
    const uint64_t next = flag + WINNOW__SELECTION_TILE - work->skip;
    const uint64_t end = next < work->items ? next : work->items;
    if (work->is_bits)
        write_bits(work, first, end);
    else
        write_bytes(work, first, end);
}

static void host(const winnow__call *call, const winnow__host_task *task,
                 const winnow__selection *from, void *memory) {
    const winnow_mask *const mask = mask_of(&call->query);
    const bool is_bits = mask->kind == WINNOW_MASK_BITS;
    host_work work = {.from = from,
                      .items = task->bound,
                      .mask = call->out,
                      .is_bits = is_bits,
                      .skip = is_bits ? (unsigned)(mask->offset % 8) : 0};
    (void)memory;
    const uint64_t flags = work.skip + work.items;
    winnow__host_each_tile(
        task, (flags + WINNOW__SELECTION_TILE - 1) / WINNOW__SELECTION_TILE,
        write_tile, &work);
}

/* ----------------------------------------------------------------- a device */

#ifdef WINNOW_CUDA
static winnow_status device(const winnow__call *call,
                            const winnow__selection *from, void *memory) {
    const winnow_mask *const mask = mask_of(&call->query);
    const bool bits = mask->kind == WINNOW_MASK_BITS;
    const unsigned byte_items = bits ? 8 : 1;
    const unsigned vector_items = 16 * byte_items;
    const uintptr_t address = (uintptr_t)call->out;
    const unsigned skip = (unsigned)(address % 16) * byte_items +
                          (bits ? (unsigned)(mask->offset % 8) : 0);
    const uint64_t vectors = (skip + from->n + vector_items - 1) / vector_items;
    const uint64_t wanted =
        (vectors + WINNOW__SELECTION_THREADS - 1) / WINNOW__SELECTION_THREADS;
    const winnow__mask_args args = {.from = *from,
                                    .out = (void *)(address - address % 16),
                                    .vectors = vectors,
                                    .skip = skip};
    (void)memory;
    if (vectors == 0)
        return WINNOW_OK;
    return winnow__launch(&winnow__selection_mask[bits],
                          wanted < WINNOW__MASK_BLOCKS ? (unsigned)wanted
                                                       : WINNOW__MASK_BLOCKS,
                          &args, call->query.launch.stream);
}
#endif

static const winnow__operation operation = WINNOW__SINK_OPERATION(
    "selection_to_mask", 0, .check = check, .ranges = ranges, .host = host,
    .device = WINNOW__IF_CUDA(device));

winnow_status winnow_selection_to_mask(winnow_context *context,
                                       const void *d_selection, uint64_t n,
                                       winnow_mask_kind kind, void *d_flags,
                                       uint64_t offset,
                                       const winnow_launch *launch) {
    const winnow_mask mask = {
        .kind = kind, .d_flags = d_flags, .offset = offset};
    winnow__call call = {.query = {.operation = &operation,
                                   .context = context,
                                   .n = n,
                                   .details = &mask},
                         .in = d_selection,
                         .out = (void *)(uintptr_t)winnow__mask_start(&mask)};
    return winnow__do(&call, launch);
}
