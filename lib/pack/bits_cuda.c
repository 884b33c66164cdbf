/*
 * Columns of bits on a device.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "columns.h"
#include "split.h"
#include "cuda/launch.h"
#include "kernels.h"

static winnow__bit_array array_of(winnow__bits bits) {
    return (winnow__bit_array){.start = bits.start, .skip = bits.skip};
}

/* One warp for each tile, and one block for the ends of the outputs. */
static winnow_status launch_tiles(const winnow__kernel *kernel,
                                  const void *args,
                                  const winnow__selection *from,
                                  winnow_stream stream) {
    return winnow__launch(
        kernel,
        (unsigned)winnow__divide_up(from->tiles, WINNOW__SOURCE_TILES) + 1,
        args, stream);
}

winnow_status winnow__compact_bits_on_device(const winnow__columns *columns,
                                             const winnow__selection *from,
                                             winnow__compact_bits_args *args,
                                             unsigned char *memory,
                                             winnow_stream stream) {
    winnow__copy_bits_args copy = {.total = &from->before[from->tiles],
                                   .capacity = args->capacity};
    args->from = *from;
    for (unsigned c = 0; c < columns->number; c++) {
        const winnow_move *const move = &columns->list[c];
        winnow__bit_column column;
        if (!winnow__is_of_bits(move))
            continue;
        column.in = array_of(winnow__bits_in(move));
        column.out = array_of(winnow__bits_out(move));
        if (columns->may_be_in_place && winnow__is_in_place(move)) {
            const winnow__bit_array out = column.out;
            column.out.start = memory + (uintptr_t)out.start % 16;
            copy.columns[copy.number++] =
                (winnow__bit_column){.in = column.out, .out = out};
            memory += winnow__packed_bits_bytes(from->n);
        }
        args->columns[args->number++] = column;
    }
    WINNOW__TRY(launch_tiles(&winnow__compact_bits, args, from, stream));
    const uint64_t vectors = from->n / 32 / WINNOW__SELECTION_THREADS + 1;
    if (copy.number != 0)
        WINNOW__TRY(winnow__launch(&winnow__copy_bits,
                                   vectors < WINNOW__COPY_BITS_BLOCKS
                                       ? (unsigned)vectors
                                       : WINNOW__COPY_BITS_BLOCKS,
                                   &copy, stream));
    return WINNOW_OK;
}

winnow_status winnow__split_bits_on_device(const winnow__split *split,
                                           const winnow__selection *from,
                                           const winnow_launch *launch) {
    const winnow__split_bits_args args = {
        .from = *from,
        .in = array_of(winnow__bits_at(split->in.d_base, split->in.offset)),
        .kept =
            array_of(winnow__bits_at(split->kept.d_base, split->kept.offset)),
        .rejected = array_of(
            winnow__bits_at(split->rejected.d_base, split->rejected.offset)),
        .capacity = split->capacity,
        .rejected_capacity = split->rejected_capacity,
        .counts = (unsigned long long *)split->counts,
        .items = (const unsigned long long *)launch->d_n};
    return launch_tiles(&winnow__split_bits, &args, from, launch->stream);
}

winnow_status winnow__spread_bits_on_device(const winnow__bit_spread *spread,
                                            const winnow__selection *from,
                                            const uint64_t *d_n,
                                            winnow_stream stream) {
    const winnow__expand_bits_args args = {
        .from = *from,
        .in = array_of(spread->in),
        .out = array_of(spread->out),
        .available = spread->available,
        .items = (const unsigned long long *)d_n,
        .fill = spread->fill == WINNOW__FILL_NONE   ? WINNOW__BITS_LEFT_ALONE
                : spread->fill == WINNOW__FILL_ONES ? 1
                                                    : 0};
    /* The output's words are aligned as memory is, so there is one more tile. */
    return winnow__launch(&winnow__expand_bits,
                          (unsigned)(from->tiles / WINNOW__SOURCE_TILES) + 1,
                          &args, stream);
}
