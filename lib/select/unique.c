/*
 * winnow_select_unique: a selection of the first or the last item of each run
 * of equal keys.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "core/array.h"
#include "core/status.h"
#include "selection/select.h"
#include "sources.h"

#include <string.h>

#ifdef WINNOW_CUDA
#include "kernels.h"
#endif

/* ------------------------------------------------------------------ checks */

static winnow_status check_options(const winnow_unique_options *options,
                                   winnow_type type) {
    if (options->keep != WINNOW_UNIQUE_FIRST &&
        options->keep != WINNOW_UNIQUE_LAST)
        return winnow__refuse("options->keep %d is no winnow_unique_keep",
                              (int)options->keep);
    if ((int)options->equality < WINNOW_EQUAL_BITS ||
        (int)options->equality > WINNOW_EQUAL_NAN)
        return winnow__refuse("options->equality %d is no winnow_equality",
                              (int)options->equality);
    if (options->reserved[0] != 0 || options->reserved[1] != 0)
        return winnow__refuse("options->reserved is not 0");
    if (options->equality != WINNOW_EQUAL_BITS && type == WINNOW_OPAQUE)
        return winnow__refuse("options->equality is of values, and keys->type "
                              "is WINNOW_OPAQUE: wanted the type of the keys, "
                              "or WINNOW_EQUAL_BITS");
    return WINNOW_OK;
}

static const winnow__array_name keys_name = {.name = "keys"};

static winnow_status check_keys(const winnow_in *keys, uint64_t n) {
    WINNOW__TRY(winnow__check_in(keys_name, keys));
    const size_t bytes = winnow__element_bytes(keys->type, keys->element_bytes);
    if (bytes > WINNOW__MOST_KEY_BYTES)
        return winnow__refuse("keys->element_bytes is %zu: wanted 1 to %d",
                              bytes, WINNOW__MOST_KEY_BYTES);
    if (keys->stride_bytes < 0)
        return winnow__unsupported(
            "keys->stride_bytes is %lld: keys of a negative "
            "stride are not offered",
            (long long)keys->stride_bytes);
    if (winnow__stride_of(keys) < (int64_t)bytes)
        return winnow__refuse("keys->stride_bytes is %lld: a key has %zu bytes",
                              (long long)keys->stride_bytes, bytes);
    return winnow__check_extent(keys_name, keys, n);
}

winnow_status winnow__take_unique(const winnow_in *keys,
                                  const winnow_unique_options *options,
                                  uint64_t n, winnow__unique *unique_p) {
    WINNOW__TRY(check_keys(keys, n));
    *unique_p = (winnow__unique){
        .keys = *keys, .options = {.size = sizeof(winnow_unique_options)}};
    unique_p->keys.stride_bytes = winnow__stride_of(keys);
    unique_p->keys.element_bytes =
        (uint32_t)winnow__element_bytes(keys->type, keys->element_bytes);
    if (options != NULL)
        WINNOW__TRY(winnow__take_struct(
            "options", "winnow_unique_options",
            offsetof(winnow_unique_options, reserved), options,
            &unique_p->options, sizeof unique_p->options));
    return check_options(&unique_p->options, keys->type);
}

static int ranges(const void *of, const winnow__call *call,
                  winnow__range *list) {
    const winnow__unique *const unique = of;
    *list = winnow__in_range(keys_name, &unique->keys, call->query.n);
    list->name = "keys->d_base";
    return 1;
}

/* Are the keys floats that are compared by value? Equal integers have equal bits. */
static winnow__key_values values_of(const winnow__unique *unique) {
    const winnow_unique_options *const options = &unique->options;
    if (options->equality == WINNOW_EQUAL_BITS)
        return (winnow__key_values){.infinity = 0};
    const winnow__type_info *const type = winnow__type(unique->keys.type);
    return (winnow__key_values){.sign = winnow__sign_bit(type),
                                .infinity = type->infinity,
                                .nan_differs =
                                    options->equality == WINNOW_EQUAL_VALUES};
}

/* ----------------------------------------------------------------- the host */

typedef struct host_work {
    const winnow__host_loops *loops;
    const unsigned char *keys;
    size_t stride, bytes;
    bool tails;
    winnow__key_values values;
    winnow__selection to; /* its n is the number of items */
} host_work;

/* Canonical bits, the same for equal values: +0 for both zeros, one NaN for all
 * NaNs. */
static inline uint64_t canonical(const winnow__key_values *values,
                                 uint64_t key) {
    const uint64_t magnitude = key & ~values->sign;
    if (values->infinity == 0)
        return key;
    if (magnitude == 0)
        return 0;
    return magnitude > values->infinity ? values->infinity + 1 : key;
}

/* Do two keys in canonical form differ? */
static inline bool differ(const winnow__key_values *values, uint64_t a,
                          uint64_t b) {
    return a != b || (values->nan_differs && values->infinity != 0 &&
                      b == values->infinity + 1);
}

/* A bit for each of `number` keys, at most 32: does it differ from the key before it,
 * which exists? */
#define DEFINE_WORD(BITS)                                                      \
    static uint32_t word_##BITS(const host_work *work,                         \
                                const unsigned char *key, unsigned number) {   \
        const winnow__key_values values = work->values;                        \
        uint##BITS##_t x;                                                      \
        uint32_t word = 0;                                                     \
        memcpy(&x, key - work->stride, sizeof x);                              \
        uint64_t before = canonical(&values, x);                               \
        for (unsigned i = 0; i < number; i++) {                                \
            memcpy(&x, key + i * work->stride, sizeof x);                      \
            const uint64_t here = canonical(&values, x);                       \
            word |= (uint32_t)differ(&values, before, here) << i;              \
            before = here;                                                     \
        }                                                                      \
        return word;                                                           \
    }
DEFINE_WORD(8)
DEFINE_WORD(16)
DEFINE_WORD(32)
DEFINE_WORD(64)

static uint32_t word_of_any(const host_work *work, const unsigned char *key,
                            unsigned number) {
    uint32_t word = 0;
    for (unsigned i = 0; i < number; i++, key += work->stride)
        word |= (uint32_t)(memcmp(key - work->stride, key, work->bytes) != 0)
                << i;
    return word;
}

/* The same for items from `first` on. Item 0 counts as different from the one
 * before. */
static uint32_t differences(const host_work *work, uint64_t first,
                            unsigned number) {
    const unsigned ahead = first == 0 && number != 0;
    const unsigned char *const key =
        work->keys + (first + ahead) * work->stride;
    uint32_t word;
    number -= ahead;
    switch (number == 0 ? 0 : work->bytes) {
    case 0:
        word = 0;
        break;
    case 1:
        word = word_8(work, key, number);
        break;
    case 2:
        word = word_16(work, key, number);
        break;
    case 4:
        word = word_32(work, key, number);
        break;
    case 8:
        word = word_64(work, key, number);
        break;
    default:
        word = word_of_any(work, key, number);
    }
    return word << ahead | ahead;
}

static void select_tile(void *argument, uint64_t tile, unsigned char *buffer) {
    const host_work *const work = argument;
    (void)buffer;
    uint32_t *const words = work->to.keep + tile * WINNOW__SELECTION_WORDS;
    for (unsigned w = 0; w < WINNOW__SELECTION_WORDS; w++) {
        const uint64_t first = tile * WINNOW__SELECTION_TILE + 32 * w;
        const uint64_t left = work->to.n > first ? work->to.n - first : 0;
        const unsigned items = left < 32 ? (unsigned)left : 32;
        if (!work->tails || items == 0) {
            words[w] = differences(work, first, items);
            continue;
        }
        /* A tail is an item whose key is not that of the next one. */
        const unsigned next = left == items ? items - 1 : items;
        words[w] = differences(work, first + 1, next);
        if (next < items)
            words[w] |= UINT32_C(1) << next;
    }
    winnow__host_count_tile(work->loops, &work->to, tile);
}

static void make_on_host(const void *of, const winnow__call *call,
                         const winnow__host_task *task, void *selection,
                         void *memory, const winnow__host_sink *sink) {
    const winnow__unique *const unique = of;
    (void)call;
    (void)memory;
    host_work work = {.loops = task->loops,
                      .keys = unique->keys.d_base,
                      .stride = (size_t)unique->keys.stride_bytes,
                      .bytes = unique->keys.element_bytes,
                      .tails = unique->options.keep == WINNOW_UNIQUE_LAST,
                      .values = values_of(unique),
                      .to = winnow__task_selection(task, selection)};
    winnow__host_make(task, &work.to, select_tile, &work, sink);
}

/* ----------------------------------------------------------------- a device */

#ifdef WINNOW_CUDA
static winnow_status make_on_device(const void *of, const winnow__call *call,
                                    void *selection, void *memory) {
    const winnow_launch *const launch = &call->query.launch;
    const winnow__unique *const unique = of;
    (void)memory;
    const winnow_in *const keys = &unique->keys;
    const size_t all = (uintptr_t)keys->d_base | (size_t)keys->stride_bytes |
                       keys->element_bytes | WINNOW__MOST_KEY_BYTES;
    const unsigned log2 = (unsigned)__builtin_ctzll(all); /* of a piece */
    const winnow__select_unique_args args = {
        .keys = keys->d_base,
        .n = (const unsigned long long *)launch->d_n,
        .tails = unique->options.keep == WINNOW_UNIQUE_LAST,
        .values = values_of(unique),
        .to = winnow__selection_at(selection, call->query.n),
        .stride = (uint64_t)keys->stride_bytes >> log2,
        .width = keys->element_bytes >> log2};
    const bool is_column = args.stride == 1 && log2 < WINNOW__SIZES;
    return winnow__launch_and_scan(
        is_column ? &winnow__select_unique[log2][args.values.infinity != 0]
                  : &winnow__select_unique_records[log2],
        WINNOW__SOURCE_TILES, &args, &args.to, launch->stream);
}
#endif

/* `heads`: keys are compared by their bits, and an item is kept if its key is not
 * that of the item before it. */
winnow__source winnow__source_of_runs(const winnow__unique *unique) {
    static const winnow__source_kind kind = {
        .ranges = ranges,
        .host = make_on_host,
        .device = WINNOW__IF_CUDA(make_on_device),
    };
    const bool heads = unique->options.keep == WINNOW_UNIQUE_FIRST &&
                       values_of(unique).infinity == 0;
    return (winnow__source){.kind = &kind,
                            .of = unique,
                            .key = heads ? &unique->keys : NULL,
                            .heads = heads};
}

/* ---------------------------------------------------------------------- API */

winnow_status winnow_select_unique(winnow_context *context,
                                   const winnow_in *keys, uint64_t n,
                                   const winnow_unique_options *options,
                                   void *d_selection, size_t selection_bytes,
                                   const winnow_launch *launch) {
    static const winnow__operation operation =
        WINNOW__SELECT("select_unique", WINNOW__NO_PREDICATE, 0);
    winnow__unique unique;
    WINNOW__TRY(winnow__take_unique(keys, options, n, &unique));
    const winnow__source source = winnow__source_of_runs(&unique);
    const winnow__selecting d = {.bytes = selection_bytes};
    winnow__call call = {.query = {.operation = &operation,
                                   .context = context,
                                   .n = n,
                                   .source = &source,
                                   .details = &d},
                         .in = keys->d_base,
                         .out = d_selection};
    return winnow__do(&call, launch);
}
