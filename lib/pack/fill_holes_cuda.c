/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fill_holes.h"
#include "columns.h"
#include "cuda/launch.h"
#include "kernels.h"

/* At most as many blocks as run together. There are at most `arrived` arrivals,
 * and n / 2 survivors that move, since each needs a hole. */
static winnow_status choose_blocks(const winnow_context *context, uint64_t n,
                                   uint64_t arrived, unsigned *blocks_p) {
    winnow__sink_blocks *blocks;
    WINNOW__TRY(winnow__sink_blocks_of(context, &blocks));
    const uint64_t wanted = winnow__divide_up(arrived, WINNOW__FILLERS) +
                            winnow__divide_up(n / 2, WINNOW__FILLERS);
    *blocks_p = wanted == 0             ? 1
                : wanted < blocks->many ? (unsigned)wanted
                                        : (unsigned)blocks->many;
    return WINNOW_OK;
}

/* List the first column that is not done, and all others of the same size of
 * pieces. 0: all are done. */
static unsigned collect(const winnow__filling *filling, bool *done,
                        unsigned *log2_piece_p, winnow__column *list) {
    unsigned number = 0;
    for (unsigned c = 0; c < filling->number; c++) {
        const winnow_move *const move = &filling->moves[c];
        const winnow__mover mover = winnow__mover_of(move);
        if (done[c] || (number != 0 && mover.log2_piece != *log2_piece_p))
            continue;
        done[c] = true;
        *log2_piece_p = mover.log2_piece;
        list[number++] = (winnow__column){
            .in = move->d_in, .out = move->d_out, .shape = mover.shape};
    }
    return number;
}

/* Before the first launch: after an error, moved elements cannot move again. */
static winnow_status load_all(const winnow_context *context,
                              const winnow__filling *filling) {
    WINNOW__TRY(winnow__load(context, &winnow__count_holes));
    for (unsigned c = 0; c < filling->number; c++)
        WINNOW__TRY(winnow__load(
            context, &winnow__fill_holes[winnow__mover_of(&filling->moves[c])
                                             .log2_piece]));
    return WINNOW_OK;
}

winnow_status winnow__fill_holes_on_device(const winnow__call *call,
                                           const winnow__selection *from,
                                           void *memory) {
    const winnow_context *const context = call->query.context;
    const winnow_launch *const launch = &call->query.launch;
    const winnow__filling *const filling = winnow__filling_of(&call->query);
    const winnow__count_holes_args counted = {
        .from = *from,
        .items = (const unsigned long long *)launch->d_n,
        .most_arrived = filling->arrived,
        .arrived = (const unsigned long long *)filling->d_arrived,
        .capacity = filling->capacity,
        .count = (unsigned long long *)call->count,
        .holes = memory};
    winnow__fill_holes_args args = {.from = *from, .holes = memory};
    bool done[WINNOW__MOST_COLUMNS] = {false};
    unsigned blocks, log2_piece = 0;
    WINNOW__TRY(choose_blocks(context, from->n, filling->arrived, &blocks));
    WINNOW__TRY(load_all(context, filling));
    WINNOW__TRY(
        winnow__launch(&winnow__count_holes, 1, &counted, launch->stream));
    while ((args.number = collect(filling, done, &log2_piece, args.columns)) !=
           0)
        WINNOW__TRY(winnow__launch(&winnow__fill_holes[log2_piece], blocks,
                                   &args, launch->stream));
    return WINNOW_OK;
}
