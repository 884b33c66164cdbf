/*
 * Packs strings on a device: the bytes of each tile, a scan of them, offsets
 * and short strings, and finally the long ones.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "strings.h"

#include "columns.h"
#include "cuda/launch.h"
#include "kernels/pack/strings.h"
#include "kernels.h"

static uint64_t sums_bytes(uint64_t tiles) {
    return winnow__round_up(tiles * sizeof(uint64_t), 16);
}

static uint64_t before_bytes(uint64_t tiles) {
    return winnow__round_up((tiles + 1) * sizeof(uint64_t), 16);
}

static uint64_t part_bytes(uint64_t room) {
    const uint64_t least = winnow__divide_up(room, WINNOW__MOST_STRING_PARTS);
    return least < WINNOW__STRING_PART ? WINNOW__STRING_PART : least;
}

/* A long unit has at least four full parts, so at most one part in five is not full. */
static uint64_t long_bytes(uint64_t part, unsigned tiles) {
    const uint64_t least = (uint64_t)WINNOW__LONG_BYTES * tiles;
    return least < 4 * part ? 4 * part : least;
}

static uint64_t most_parts(uint64_t room) {
    const uint64_t full = room / part_bytes(room);
    return full + full / 4 + 1;
}

static void set_data(winnow__strings_args *args, const unsigned char *data,
                     uint64_t size) {
    const unsigned head = (unsigned)(-(uintptr_t)data % 4);
    const uint64_t bytes = size < head ? 0 : (size - head) / 4 * 4;
    args->words = data + head;
    args->head = head;
    args->open =
        bytes < WINNOW__STRING_REACH ? 0 : bytes - WINNOW__STRING_REACH + 1;
}

size_t winnow__strings_device_bytes(const winnow__query *query) {
    const uint64_t tiles = winnow__divide_up(query->n, WINNOW__SELECTION_TILE);
    const uint64_t parts = most_parts(winnow__string_room(query));
    return sums_bytes(tiles) + before_bytes(tiles) + 16 +
           winnow__round_up(parts * sizeof(uint64_t), 16);
}

static winnow_status launch_sums(const winnow__strings_args *args, bool is_wide,
                                 winnow_stream stream) {
    const uint64_t tiles = args->from.tiles;
    const uint64_t blocks = winnow__divide_up(tiles, WINNOW__SOURCE_TILES);
    /* The element after the last tile's is scanned, too. */
    const uint64_t steps = tiles / WINNOW__SCAN_THREADS + 1;
    winnow__strings_args scan = *args;
    WINNOW__TRY(winnow__launch(&winnow__sum_strings[is_wide],
                               blocks != 0 ? (unsigned)blocks : 1, args,
                               stream));
    scan.tiles_per_block =
        winnow__divide_up(steps, WINNOW__SCAN_BLOCKS) * WINNOW__SCAN_THREADS;
    return winnow__launch(
        &winnow__scan_strings,
        (unsigned)winnow__divide_up(steps * WINNOW__SCAN_THREADS,
                                    scan.tiles_per_block),
        &scan, stream);
}

static winnow_status load_all(const winnow_context *context, bool is_wide) {
    WINNOW__TRY(winnow__load(context, &winnow__sum_strings[is_wide]));
    WINNOW__TRY(winnow__load(context, &winnow__scan_strings));
    WINNOW__TRY(winnow__load(context, &winnow__pack_strings[is_wide]));
    return winnow__load(context, &winnow__pack_string_parts[is_wide]);
}

winnow_status winnow__pack_strings_on_device(const winnow__call *call,
                                             const winnow__selection *from,
                                             void *memory) {
    const winnow_context *const context = call->query.context;
    const winnow_stream stream = call->query.launch.stream;
    const winnow__string_packing packing = winnow__string_packing_of(call);
    const bool is_wide = packing.is_wide;
    const uint64_t parts = most_parts(packing.room);
    const uint64_t part = part_bytes(packing.room);
    unsigned char *at = memory;
    winnow__strings_args args = {.from = *from,
                                 .offsets = packing.offsets,
                                 .size = packing.size,
                                 .out_offsets = packing.out_offsets,
                                 .out = packing.out,
                                 .capacity = packing.capacity,
                                 .room = packing.room,
                                 .part_bytes = part,
                                 .counts = (unsigned long long *)call->count};
    winnow__sink_blocks *blocks;
    set_data(&args, packing.data, packing.size);
    args.sums = (unsigned long long *)(void *)at;
    at += sums_bytes(from->tiles);
    args.before = (unsigned long long *)(void *)at;
    at += before_bytes(from->tiles);
    args.part_number = (unsigned long long *)(void *)at;
    args.parts = (unsigned long long *)(void *)(at + 16);
    WINNOW__TRY(load_all(context, is_wide));
    WINNOW__TRY(winnow__sink_blocks_of(context, &blocks));
    WINNOW__TRY(winnow__tiles_per_block(context, from, 1, &args.tiles));
    args.long_bytes = long_bytes(part, args.tiles);
    WINNOW__TRY(launch_sums(&args, is_wide, stream));
    WINNOW__TRY(winnow__launch_sink(&winnow__pack_strings[is_wide], args.tiles,
                                    &args, from, stream));
    if (packing.out == NULL || packing.room <= args.long_bytes)
        return WINNOW_OK;
    return winnow__launch(&winnow__pack_string_parts[is_wide],
                          parts < blocks->many ? (unsigned)parts
                                               : (unsigned)blocks->many,
                          &args, stream);
}
