/*
 * Making selections from columns, fields of records, and masks.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "source.h"

#include "elements.h"

#include <string.h>

#ifdef WINNOW_CUDA
#include "kernels.h"
#endif

winnow__source winnow__source_of(const winnow_predicate *predicate,
                                 const void *in, const uint64_t *d_n) {
    return (winnow__source){.test = predicate->test,
                            .log2_size = predicate->type->log2_size,
                            .in = in,
                            .d_n = d_n};
}

winnow__source winnow__source_of_mask(const winnow_mask *mask,
                                      const uint64_t *d_n) {
    /* A byte that is not 0. */
    static const winnow__test is_set = {
        .mask = UINT64_MAX, .low = 1, .span = 254};
    const bool is_bits = mask->kind == WINNOW_MASK_BITS;
    return (winnow__source){.test = is_set,
                            .is_bits = is_bits,
                            .in = winnow__mask_start(mask),
                            .skip = is_bits ? (unsigned)(mask->offset % 8) : 0,
                            .d_n = d_n};
}

/* ----------------------------------------------------------------- the host */

typedef struct host_work {
    const winnow__host_loops *loops;
    const winnow__source *source;
    winnow__where_column column; /* of elements */
    winnow__selection to;        /* its n: the items that there are */
    uint64_t mask_bytes;
} host_work;

/* 32 bits of the mask from a byte on, and those after them that a shift needs.
 */
static uint32_t word_of_bits(const host_work *work, uint64_t byte,
                             unsigned left) {
    const unsigned char *const mask = work->source->in;
    uint64_t bits = 0;
    for (unsigned i = 0; i < 5 && byte + i < work->mask_bytes; i++)
        bits |= (uint64_t)mask[byte + i] << 8 * i;
    return (uint32_t)(bits >> work->source->skip) &
           (left >= 32 ? UINT32_MAX : (UINT32_C(1) << left) - 1);
}

static void make_tile(void *argument, uint64_t tile, unsigned char *buffer) {
    const host_work *const work = argument;
    (void)buffer;
    const unsigned items = winnow__tile_items(&work->to, tile);
    const uint64_t first = tile * WINNOW__SELECTION_TILE;
    uint32_t *const words = work->to.keep + tile * WINNOW__SELECTION_WORDS;
    memset(words, 0, WINNOW__SELECTION_WORDS * sizeof *words);
    if (!work->source->is_bits && items != 0) {
        const winnow__span span = {
            .first = first, .items = items, .all = work->to.n};
        winnow__test_elements(work->loops, &work->column, &work->source->test,
                              1, &span, NULL, words);
    }
    for (unsigned item = 0; work->source->is_bits && item < items; item += 32)
        words[item / 32] = word_of_bits(work, (first + item) / 8, items - item);
    winnow__host_count_tile(work->loops, &work->to, tile);
}

void winnow__make_on_host(const winnow__host_task *task,
                          const winnow__source *source, void *selection,
                          const winnow__host_sink *sink) {
    host_work work = {.loops = task->loops,
                      .source = source,
                      .to = winnow__selection_at(selection, task->bound)};
    work.to.n = task->n;
    work.column =
        winnow__elements(source->in,
                         source->stride != 0 ? (uint64_t)source->stride
                                             : UINT64_C(1) << source->log2_size,
                         source->log2_size);
    work.mask_bytes = (source->skip + work.to.n + 7) / 8;
    winnow__host_make(task, &work.to, make_tile, &work, sink);
}

/* ----------------------------------------------------------------- a device */

#ifdef WINNOW_CUDA
static winnow_status make_from_bits(const winnow__source *source,
                                    const winnow__selection *to,
                                    winnow_stream stream) {
    const winnow__select_bits_args args = {
        .mask = source->in,
        .skip = source->skip,
        .to = *to,
        .items = (const unsigned long long *)source->d_n};
    return winnow__launch_source(&winnow__select_bits, WINNOW__SOURCE_TILES,
                                 &args, to, stream);
}

winnow_status winnow__make_on_device(const winnow__source *source, uint64_t n,
                                     void *selection, winnow_stream stream) {
    const winnow__selection to = winnow__selection_at(selection, n);
    if (source->is_bits)
        return make_from_bits(source, &to, stream);
    const winnow__select_args args = {
        .args = {.test = source->test, .in = source->in, .n = n},
        .to = to,
        .items = (const unsigned long long *)source->d_n};
    if (source->stride == 0)
        return winnow__launch_source(&winnow__select_if[source->log2_size],
                                     WINNOW__SOURCE_TILES, &args, &to, stream);
    const uintptr_t places = (uintptr_t)source->in | (uintptr_t)source->stride;
    const winnow__select_field_args fields = {
        .select = args,
        .stride = (uint64_t)source->stride,
        .is_aligned = places % ((uintptr_t)1 << source->log2_size) == 0};
    return winnow__launch_source(&winnow__select_field[source->log2_size], 1,
                                 &fields, &to, stream);
}
#endif
