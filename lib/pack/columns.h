/*
 * Columns that a selection packs: what the sinks of one column, of many and the
 * calls that make their selection themselves have in common.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "bits.h"
#include "rows.h"

typedef struct winnow__columns {
    const winnow_move *list;
    unsigned number;
    bool is_single; /* not a list, to the caller: its names are shorter */
    bool may_be_in_place;
    const char *allowed; /* of those that overlap; or NULL: winnow__range */
} winnow__columns;

/* Elements are packed from *launch.d_position on, as many as the query's
 * capacity allows. */
winnow_status winnow__check_columns(const winnow__columns *columns,
                                    const winnow__query *query);
static inline bool winnow__is_of_bits(const winnow_move *move) {
    return move->type == WINNOW_BIT;
}
/* Is a column packed in place? In a plan its addresses may be NULL. */
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
/* The range of `number` elements of a column's output, if it is written, or of its
 * input. */
winnow__range winnow__move_range(const char *name, const winnow_move *move,
                                 uint64_t number, bool written);
/* Is a column packed tile by tile: one of bits, or one that is not in place? */
bool winnow__are_tiles_packed(const winnow__columns *columns);
/* The ranges of the columns and of the count; how many they are. */
int winnow__columns_ranges(const winnow__columns *columns,
                           const winnow__call *call, winnow__range *list);

/* Memory for columns of bits that are packed in place: there they are packed
 * first, and then copied. A multiple of 16. */
uint64_t winnow__bits_in_place_bytes(const winnow__columns *columns,
                                     uint64_t n);
/* The work on the host. */
typedef struct winnow__host_packing {
    const winnow__host_task *task;
    const winnow__selection *from;
    const winnow__columns *columns;
    uint64_t start, room;  /* elements before the output, and of it */
    unsigned char *memory; /* of winnow__bits_in_place_bytes() */
} winnow__host_packing;

/* Before the selection is made, as its maker's sink. A column in place stays as
 * it is until the end. */
winnow__host_packing winnow__begin_packing(const winnow__host_task *task,
                                           const winnow__call *call,
                                           const winnow__columns *columns,
                                           const winnow__selection *from,
                                           void *memory);
/* Of a winnow__host_packing: a winnow__host_tiles. */
void winnow__pack_tiles(void *argument, uint64_t first, uint64_t end);
/* When all tiles are packed: pack columns in place, and write the count. */
void winnow__end_packing(const winnow__host_packing *packing,
                         const winnow__call *call);

/* All of it, by a selection that is there. */
void winnow__pack_on_host(const winnow__host_task *task,
                          const winnow__call *call,
                          const winnow__columns *columns,
                          const winnow__selection *from, void *memory);
/* in_place_host.c: the elements, of `bytes` bytes each, that are kept of
 * `data`; as many as the capacity. */
void winnow__host_pack_in_place(const winnow__host_task *task,
                                const winnow__selection *from, void *data,
                                uint64_t capacity, size_t bytes);

/* What packing needs of a workspace: nothing, unless a column is in place. That
 * of bits is in it. A multiple of 16. */
uint64_t winnow__columns_bytes(const winnow__columns *columns, uint64_t n);
/* memory: of winnow__columns_bytes(), aligned to 16. */
winnow_status winnow__pack_on_device(const winnow__call *call,
                                     const winnow__columns *columns,
                                     const winnow__selection *from,
                                     void *memory);
/* bits_cuda.c: columns of bits, in one launch, and one more for those in place.
 * args has the capacity, the count and the position. memory: of
 * winnow__bits_in_place_bytes(), aligned to 16. */
winnow_status winnow__compact_bits_on_device(const winnow__columns *columns,
                                             const winnow__selection *from,
                                             winnow__compact_bits_args *args,
                                             unsigned char *memory,
                                             winnow_stream stream);
/* What a context knows of sinks. */
typedef struct winnow__sink_blocks {
    uint64_t many; /* before a block takes more tiles; tests set less */
} winnow__sink_blocks;
winnow_status winnow__sink_blocks_of(const winnow_context *context,
                                     winnow__sink_blocks **blocks_p);
/* Have all that sinks ask of a context, which takes memory of the host's:
 * before the first launch of a call that packs with a later one. */
winnow_status winnow__prepare_sinks(const winnow_context *context,
                                    const winnow__columns *columns);
/* How many tiles a block takes: at least as many as it stages together, and
 * more where there are enough for all multiprocessors. */
winnow_status winnow__tiles_per_block(const winnow_context *context,
                                      const winnow__selection *from,
                                      unsigned least, unsigned *tiles_p);
/* The thresholds of the context's profile, for elements of a size. */
winnow_status winnow__pack_limits_of(const winnow_context *context,
                                     unsigned log2_size,
                                     winnow__pack_limits *limits_p);
