/*
 * Columns that a selection packs: what the sinks of one column, of many and the
 * calls that make their selection themselves have in common.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_PACK_COLUMNS_H
#define WINNOW_LIB_PACK_COLUMNS_H

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
/* Is a column packed in place? In a plan its addresses may be NULL. */
static inline bool winnow__is_in_place(const winnow_move *move) {
    return move->d_in == move->d_out && move->d_in != NULL;
}
/* Is one of the columns not packed in place? */
bool winnow__is_any_apart(const winnow__columns *columns);
/* The ranges of the columns and of the count; how many they are. */
int winnow__columns_ranges(const winnow__columns *columns,
                           const winnow__call *call, winnow__range *list);

/* The work on the host. */
typedef struct winnow__host_packing {
    const winnow__host_task *task;
    const winnow__selection *from;
    const winnow__columns *columns;
    uint64_t start, room; /* elements before the output, and of it */
} winnow__host_packing;

/* Before the selection is made, as its maker's sink. A column in place stays as
 * it is until the end. */
winnow__host_packing winnow__begin_packing(const winnow__host_task *task,
                                           const winnow__call *call,
                                           const winnow__columns *columns,
                                           const winnow__selection *from);
/* Of a winnow__host_packing: a winnow__host_tiles. */
void winnow__pack_tiles(void *argument, uint64_t first, uint64_t end);
/* When all tiles are packed: pack columns in place, and write the count. */
void winnow__end_packing(const winnow__host_packing *packing,
                         const winnow__call *call);

/* All of it, by a selection that is there. */
void winnow__pack_on_host(const winnow__host_task *task,
                          const winnow__call *call,
                          const winnow__columns *columns,
                          const winnow__selection *from);
/* in_place_host.c: the elements, of `bytes` bytes each, that are kept of
 * `data`; as many as the capacity. */
void winnow__host_pack_in_place(const winnow__host_task *task,
                                const winnow__selection *from, void *data,
                                uint64_t capacity, size_t bytes);

#ifdef WINNOW_CUDA
/* What packing needs of a workspace: nothing, unless a column is in place. A
 * multiple of 16. */
uint64_t winnow__columns_bytes(const winnow__columns *columns, uint64_t n);
/* memory: of winnow__columns_bytes(), aligned to 16. */
winnow_status winnow__pack_on_device(const winnow__call *call,
                                     const winnow__columns *columns,
                                     const winnow__selection *from,
                                     void *memory);
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
#endif

#endif
