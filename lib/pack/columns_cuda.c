/*
 * Packs columns by a selection on a device: one launch for all columns that
 * have the same kernel.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "columns.h"
#include "auto/choice.h"
#include "cuda/launch.h"
#include "cuda/slot.h"
#include "kernels/core/clear.h"
#include "kernels.h"

typedef struct packing {
    const winnow_context *context;
    const winnow__columns *columns;
    const winnow__selection *from;
    uint64_t capacity;
    uint64_t *position;
    uint64_t *count; /* NULL also after a launch has taken it */
    unsigned char *memory;
    winnow_stream stream;
    bool done[WINNOW__MOST_COLUMNS];
} packing;

/* log2 of the rows of a piece in place. A power of two, so that a tile consists
 * of whole pieces. */
static unsigned log2_rows(size_t element_bytes) {
    unsigned log2 = 0;
    while (2u << log2 <= WINNOW__SELECTION_TILE &&
           (size_t)2 << log2 <= WINNOW__PIECE_BYTES / element_bytes)
        log2++;
    return log2;
}

static uint64_t pieces_of(uint64_t n, unsigned log2) {
    return (n >> log2) + ((n & ((UINT64_C(1) << log2) - 1)) != 0);
}

/* A cursor, and one word for each piece. */
static uint64_t in_place_bytes(uint64_t pieces) {
    return 16 + winnow__round_up(pieces * sizeof(uint32_t), 16);
}

uint64_t winnow__columns_bytes(const winnow__columns *columns, uint64_t n) {
    uint64_t bytes = winnow__bits_in_place_bytes(columns, n);
    for (unsigned c = 0; c < columns->number; c++)
        if (columns->may_be_in_place &&
            !winnow__is_of_bits(&columns->list[c]) &&
            winnow__is_in_place(&columns->list[c]))
            bytes += in_place_bytes(
                pieces_of(n, log2_rows(columns->list[c].element_bytes)));
    return bytes;
}

/* ----------------------------------------------------------------- launches */

/* Can one launch pack both columns? */
static bool go_together(const winnow_move *a, const winnow_move *b) {
    if (winnow__is_of_bits(b))
        return false;
    const winnow__mover of_a = winnow__mover_of(a), of_b = winnow__mover_of(b);
    if (winnow__is_in_place(a) != winnow__is_in_place(b) ||
        of_a.log2_piece != of_b.log2_piece)
        return false;
    return winnow__is_in_place(a)
               ? log2_rows(a->element_bytes) == log2_rows(b->element_bytes)
               : of_a.is_column == of_b.is_column;
}

/* Put all columns that one launch can pack with the first one into the list; return
 * their number. */
static unsigned collect(packing *p, unsigned first, winnow__column *list) {
    const winnow_move *const columns = p->columns->list;
    unsigned number = 0;
    for (unsigned c = first; c < p->columns->number; c++) {
        if (p->done[c] || !go_together(&columns[first], &columns[c]))
            continue;
        p->done[c] = true;
        list[number++] =
            (winnow__column){.in = columns[c].d_in,
                             .out = columns[c].d_out,
                             .shape = winnow__mover_of(&columns[c]).shape};
    }
    return number;
}

/* Only the first launch writes the count. */
static unsigned long long *take_count(packing *p) {
    uint64_t *const count = p->count;
    p->count = NULL;
    return (unsigned long long *)count;
}

/* The number of rows depends on the widest column. */
static winnow_status launch_rows(const packing *p, unsigned log2_piece,
                                 winnow__compact_args *args) {
    unsigned width = 1;
    for (unsigned c = 0; c < args->number; c++)
        if (args->columns[c].shape.width > width)
            width = args->columns[c].shape.width;
    args->log2_rows = winnow__log2_rows((size_t)width << log2_piece);
    return winnow__launch_rows(&winnow__compact_rows[log2_piece],
                               args->log2_rows, args, p->from, p->stream);
}

static winnow_status launch_apart(packing *p, unsigned first) {
    const winnow__mover mover = winnow__mover_of(&p->columns->list[first]);
    winnow__compact_args args = {.from = *p->from,
                                 .capacity = p->capacity,
                                 .count = take_count(p),
                                 .position =
                                     (const unsigned long long *)p->position};
    args.number = collect(p, first, args.columns);
    if (!mover.is_column)
        return launch_rows(p, mover.log2_piece, &args);
    WINNOW__TRY(
        winnow__pack_limits_of(p->context, mover.log2_piece, &args.limits));
    WINNOW__TRY(
        winnow__tiles_per_block(p->context, p->from, mover.tiles, &args.tiles));
    return winnow__launch_sink(&winnow__compact[mover.log2_piece], args.tiles,
                               &args, p->from, p->stream);
}

static winnow_status launch_in_place(packing *p, unsigned first) {
    const winnow_move *const column = &p->columns->list[first];
    winnow__in_place_args args = {.from = *p->from,
                                  .capacity = p->capacity,
                                  .count = take_count(p),
                                  .cursor = (void *)p->memory,
                                  .read = (void *)(p->memory + 16),
                                  .log2_rows =
                                      log2_rows(column->element_bytes)};
    args.pieces = pieces_of(p->from->n, args.log2_rows);
    args.number = collect(p, first, args.columns);
    const uint64_t tasks = args.pieces * args.number;
    p->memory += in_place_bytes(tasks);
    return winnow__launch(
        &winnow__compact_in_place[winnow__mover_of(column).log2_piece],
        tasks == 0                        ? 1
        : tasks < WINNOW__IN_PLACE_BLOCKS ? (unsigned)tasks
                                          : WINNOW__IN_PLACE_BLOCKS,
        &args, p->stream);
}

/* Pack all columns of bits, if there are any. */
static winnow_status launch_bits(packing *p) {
    winnow__compact_bits_args args = {
        .capacity = p->capacity,
        .position = (const unsigned long long *)p->position};
    unsigned char *const memory = p->memory;
    bool any = false;
    for (unsigned c = 0; c < p->columns->number; c++)
        if (winnow__is_of_bits(&p->columns->list[c]))
            any = p->done[c] = true;
    if (!any)
        return WINNOW_OK;
    args.count = take_count(p);
    p->memory += winnow__bits_in_place_bytes(p->columns, p->from->n);
    return winnow__compact_bits_on_device(p->columns, p->from, &args, memory,
                                          p->stream);
}

static winnow_status clear(const packing *p, uint64_t bytes) {
    return bytes == 0
               ? WINNOW_OK
               : winnow__cuda_status(winnow__clear(p->memory, bytes, p->stream),
                                     "clearing the workspace");
}

/* Called before the first column is packed: a column that was packed in place
 * cannot be packed again after an error. */
static winnow_status load_all(const winnow_context *context,
                              const winnow__columns *columns) {
    for (unsigned c = 0; c < columns->number; c++) {
        const winnow_move *const column = &columns->list[c];
        if (winnow__is_of_bits(column)) {
            WINNOW__TRY(winnow__load(context, &winnow__compact_bits));
            WINNOW__TRY(winnow__load(context, &winnow__copy_bits));
            continue;
        }
        const winnow__mover mover = winnow__mover_of(column);
        WINNOW__TRY(winnow__load(
            context, columns->may_be_in_place && winnow__is_in_place(column)
                         ? &winnow__compact_in_place[mover.log2_piece]
                     : mover.is_column
                         ? &winnow__compact[mover.log2_piece]
                         : &winnow__compact_rows[mover.log2_piece]));
    }
    return WINNOW_OK;
}

winnow_status winnow__pack_on_device(const winnow__call *call,
                                     const winnow__columns *columns,
                                     const winnow__selection *from,
                                     void *memory) {
    const winnow_launch *const launch = &call->query.launch;
    packing p = {.context = call->query.context,
                 .columns = columns,
                 .from = from,
                 .capacity = call->query.capacity,
                 .position = launch->d_position,
                 .count = call->count,
                 .memory = memory,
                 .stream = launch->stream};
    WINNOW__TRY(load_all(p.context, columns));
    WINNOW__TRY(launch_bits(&p));
    WINNOW__TRY(clear(&p, winnow__columns_bytes(columns, from->n) -
                              winnow__bits_in_place_bytes(columns, from->n)));
    for (unsigned c = 0; c < columns->number; c++)
        if (!p.done[c])
            WINNOW__TRY(winnow__is_in_place(&columns->list[c]) &&
                                columns->may_be_in_place
                            ? launch_in_place(&p, c)
                            : launch_apart(&p, c));
    return winnow__launch_advance(from, p.position, p.capacity, p.stream);
}

/* ------------------------------------------------------------- thresholds */

static winnow_status fill(const winnow__cuda_context *context, void *slot) {
    enum {
        EACH = 8 /* for each multiprocessor */
    };
    winnow__sink_blocks *const blocks = slot;
    blocks->many = EACH * (uint64_t)context->multiprocessors;
    return WINNOW_OK;
}

winnow_status winnow__sink_blocks_of(const winnow_context *context,
                                     winnow__sink_blocks **blocks_p) {
    static const winnow__slot_kind kind = {.bytes = sizeof(winnow__sink_blocks),
                                           .fill = fill};
    void *slot = NULL;
    WINNOW__TRY(winnow__slot(context, &kind, &slot));
    *blocks_p = slot;
    return WINNOW_OK;
}

winnow_status winnow__tiles_per_block(const winnow_context *context,
                                      const winnow__selection *from,
                                      unsigned least, unsigned *tiles_p) {
    winnow__sink_blocks *blocks;
    unsigned tiles = least;
    WINNOW__TRY(winnow__sink_blocks_of(context, &blocks));
    while (tiles < WINNOW__BATCH_TILES &&
           from->tiles / blocks->many >= 2 * tiles)
        tiles *= 2;
    *tiles_p = tiles;
    return WINNOW_OK;
}

winnow_status winnow__prepare_sinks(const winnow_context *context,
                                    const winnow__columns *columns) {
    winnow__sink_blocks *blocks;
    winnow__pack_limits limits;
    WINNOW__TRY(winnow__sink_blocks_of(context, &blocks));
    WINNOW__TRY(winnow__pack_limits_of(context, 0, &limits));
    return load_all(context, columns);
}

_Static_assert(WINNOW__MOST_GATHERED ==
                   WINNOW__FRACTION_ONE / WINNOW__LEAST_PER_GATHERED,
               "profiles have the kernels' limit");

winnow_status winnow__pack_limits_of(const winnow_context *context,
                                     unsigned log2_size,
                                     winnow__pack_limits *limits_p) {
    static const unsigned tiles[WINNOW__SIZES] = {
        WINNOW__COMPACT_TILES_1, WINNOW__COMPACT_TILES_2,
        WINNOW__COMPACT_TILES_4, WINNOW__COMPACT_TILES_8};
    const uint64_t items = (uint64_t)tiles[log2_size] * WINNOW__SELECTION_TILE;
    const uint64_t vectors = (items << log2_size) / 16 /
                             (WINNOW__SELECTION_THREADS / 32); /* of one warp */
    winnow__packing fractions;
    winnow_status status =
        winnow__chosen_packing(context, log2_size, &fractions);
    *limits_p = (winnow__pack_limits){
        .gather_below = (unsigned)winnow__divide_up(
            items * fractions.gather_below, WINNOW__FRACTION_ONE),
        .skewed_above = (unsigned)(vectors * fractions.skewed_above /
                                   WINNOW__FRACTION_ONE)};
    return status;
}
