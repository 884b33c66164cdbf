/*
 * Columns that a selection packs: the common part of sinks for one column,
 * sinks for several, and calls that make their selection themselves.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "bits.h"
#include "rows.h"

typedef struct winnow__columns {
    const winnow_move *list;
    unsigned number;
    bool is_single; /* the caller passes one: messages have no "moves" */
    bool may_be_in_place;
    const char *allowed; /* the message of winnow__range.allowed; or NULL */
} winnow__columns;

/* Elements are packed from *launch.d_position on, up to the query's capacity. */
winnow_status winnow__check_columns(const winnow__columns *columns,
                                    const winnow__query *query);
static inline bool winnow__is_of_bits(const winnow_move *move) {
    return move->type == WINNOW_BIT;
}
/* Is a column packed in place? In plan mode its addresses may be NULL. */
static inline bool winnow__is_in_place(const winnow_move *move) {
    return move->d_in == move->d_out && move->d_in != NULL &&
           move->in_offset == move->out_offset;
}
static inline winnow__bits winnow__bits_in(const winnow_move *move) {
    return winnow__bits_at(move->d_in, move->in_offset);
}
static inline winnow__bits winnow__bits_out(const winnow_move *move) {
    return winnow__bits_at(move->d_out, move->out_offset);
}
/* The range of `number` elements of a column: of its output if `written`, else
 * of its input. */
winnow__range winnow__move_range(const char *name, const winnow_move *move,
                                 uint64_t number, bool written);
/* Is any column packed tile by tile: a column of bits, or one that is not in place? */
bool winnow__are_tiles_packed(const winnow__columns *columns);
/* Store the ranges of the columns and of the count; return their number. */
int winnow__columns_ranges(const winnow__columns *columns,
                           const winnow__call *call, winnow__range *list);

/* Bytes of memory for columns of bits that are packed in place: they are packed
 * into it, and then copied back. A multiple of 16. */
uint64_t winnow__bits_in_place_bytes(const winnow__columns *columns,
                                     uint64_t n);
/* The work on the host. */
typedef struct winnow__host_packing {
    const winnow__host_task *task;
    const winnow__selection *from;
    const winnow__columns *columns;
    uint64_t start, room;  /* elements before the output; room in it */
    unsigned char *memory; /* winnow__bits_in_place_bytes() */
} winnow__host_packing;

/* Called before the selection is made; it is then a sink of winnow__host_make().
 * A column in place is not changed before winnow__end_packing(). */
winnow__host_packing winnow__begin_packing(const winnow__host_task *task,
                                           const winnow__call *call,
                                           const winnow__columns *columns,
                                           const winnow__selection *from,
                                           void *memory);
/* A winnow__host_tiles. argument: a winnow__host_packing. */
void winnow__pack_tiles(void *argument, uint64_t first, uint64_t end);
/* Called after all tiles are packed: packs columns in place, and writes the count. */
void winnow__end_packing(const winnow__host_packing *packing,
                         const winnow__call *call);

/* Does all of this, by a selection that exists. */
void winnow__pack_on_host(const winnow__host_task *task,
                          const winnow__call *call,
                          const winnow__columns *columns,
                          const winnow__selection *from, void *memory);
/* in_place_host.c: pack the kept elements of `data`, of `bytes` bytes each, up
 * to the capacity. */
void winnow__host_pack_in_place(const winnow__host_task *task,
                                const winnow__selection *from, void *data,
                                uint64_t capacity, size_t bytes);

/* Bytes of workspace for packing, a multiple of 16: 0 unless a column is in
 * place. Includes winnow__bits_in_place_bytes(). */
uint64_t winnow__columns_bytes(const winnow__columns *columns, uint64_t n);
/* memory: winnow__columns_bytes(), aligned to 16. */
winnow_status winnow__pack_on_device(const winnow__call *call,
                                     const winnow__columns *columns,
                                     const winnow__selection *from,
                                     void *memory);
/* bits_cuda.c: pack the columns of bits, in one launch, and in one more if a
 * column is in place. args has the capacity, the count and the position.
 * memory: winnow__bits_in_place_bytes(), aligned to 16. */
winnow_status winnow__compact_bits_on_device(const winnow__columns *columns,
                                             const winnow__selection *from,
                                             winnow__compact_bits_args *args,
                                             unsigned char *memory,
                                             winnow_stream stream);
/* A context's data for sinks. */
typedef struct winnow__sink_blocks {
    uint64_t many; /* with more, a block takes more tiles; tests set less */
} winnow__sink_blocks;
winnow_status winnow__sink_blocks_of(const winnow_context *context,
                                     winnow__sink_blocks **blocks_p);
/* Load all that sinks need from a context, which allocates host memory. Called
 * before the first launch of a call that packs in a later one. */
winnow_status winnow__prepare_sinks(const winnow_context *context,
                                    const winnow__columns *columns);
/* The number of tiles for a block: at least `least`, which it stages together,
 * and more if there are enough tiles for all multiprocessors. */
winnow_status winnow__tiles_per_block(const winnow_context *context,
                                      const winnow__selection *from,
                                      unsigned least, unsigned *tiles_p);
/* The thresholds of the context's profile for a size of elements. */
winnow_status winnow__pack_limits_of(const winnow_context *context,
                                     unsigned log2_size,
                                     winnow__pack_limits *limits_p);
