/*
 * For tests without a GPU: a library to be loaded before libwinnow. Contexts of
 * "GPUs" 0 and 1 are the host's, and each call notes the device and the stream that
 * it was given. Memory of the host stands for that of the GPU.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

#include <winnow/arrow.h>

#define MOST_CALLS 256

struct note {
    char name[40];
    int64_t device;
    int64_t stream;
    int64_t order;
    int64_t has_n;
};
struct note stand_in_notes[MOST_CALLS];
int64_t stand_in_count;
/* How many of the next calls find no memory. */
int64_t stand_in_failures;
/* Which stream was last made to wait for which, and how often. */
int64_t stand_in_order[2];
int64_t stand_in_orders;

static winnow_context *contexts[3];

static void *next(const char *name) {
    return dlsym(RTLD_NEXT, name);
}

winnow_status winnow_context_create(winnow_context **context_p, int device) {
    winnow_status (*const create)(winnow_context **, int) =
        (winnow_status(*)(winnow_context **, int))next("winnow_context_create");
    if (device > 1)
        return create(context_p, device);
    const winnow_status status = create(context_p, WINNOW_DEVICE_HOST);
    if (!status)
        contexts[device + 1] = *context_p;
    return status;
}

/* Note a call; the launch for the host. */
static winnow_launch noted(const char *name, const winnow_context *context,
                           const winnow_launch *launch) {
    winnow_launch plain = *launch;
    struct note *const note = &stand_in_notes[stand_in_count++ % MOST_CALLS];
    strncpy(note->name, name, sizeof note->name - 1);
    for (int i = 0; i < 3; i++)
        if (contexts[i] == context)
            note->device = i - 1;
    note->stream = (int64_t)(intptr_t)launch->stream;
    note->order = launch->order;
    note->has_n = launch->d_n != NULL;
    plain.stream = NULL;
    return plain;
}

winnow_status winnow_condition_prepare(winnow_context *context,
                                       const winnow_condition *condition) {
    const winnow_launch launch = {0};
    winnow_status (*const prepare)(winnow_context *, const winnow_condition *) =
        (winnow_status(*)(winnow_context *, const winnow_condition *))next(
            "winnow_condition_prepare");
    noted("winnow_condition_prepare", context, &launch);
    return prepare(context, condition);
}

#define CALL(name, parameters, ...)                                            \
    winnow_status name parameters {                                            \
        winnow_status(*const real) parameters =                                \
            (winnow_status(*) parameters)next(#name);                          \
        const winnow_launch plain = noted(#name, context, launch);             \
        if (stand_in_failures > 0 && stand_in_failures--)                      \
            return WINNOW_ERR_MEMORY;                                          \
        return real(__VA_ARGS__, &plain);                                      \
    }

CALL(winnow_copy_if,
     (winnow_context * context, const winnow_predicate *predicate,
      winnow_type type, const void *d_in, uint64_t n, void *d_out,
      uint64_t capacity, uint64_t *d_count, const winnow_launch *launch),
     context, predicate, type, d_in, n, d_out, capacity, d_count)
CALL(winnow_copy_index_if,
     (winnow_context * context, const winnow_predicate *predicate,
      winnow_type type, const void *d_in, uint64_t n, winnow_type index_type,
      void *d_indices, uint64_t capacity, uint64_t *d_count,
      const winnow_launch *launch),
     context, predicate, type, d_in, n, index_type, d_indices, capacity,
     d_count)
CALL(winnow_count_if,
     (winnow_context * context, const winnow_predicate *predicate,
      winnow_type type, const void *d_in, uint64_t n, uint64_t *d_count,
      const winnow_launch *launch),
     context, predicate, type, d_in, n, d_count)
CALL(winnow_reduce_if,
     (winnow_context * context, const winnow_predicate *predicate,
      winnow_type type, const void *d_in, uint64_t n, unsigned wanted,
      winnow_reduction *d_result, const winnow_launch *launch),
     context, predicate, type, d_in, n, wanted, d_result)
CALL(winnow_select_where,
     (winnow_context * context, const winnow_condition *condition,
      const winnow_in *columns, unsigned column_count, uint64_t n,
      void *d_selection, size_t selection_bytes, const winnow_launch *launch),
     context, condition, columns, column_count, n, d_selection, selection_bytes)
CALL(winnow_select_flagged,
     (winnow_context * context, const winnow_mask *mask, uint64_t n,
      void *d_selection, size_t selection_bytes, const winnow_launch *launch),
     context, mask, n, d_selection, selection_bytes)
CALL(winnow_selection_combine,
     (winnow_context * context, winnow_combine combine, const void *d_a,
      const void *d_b, uint64_t n, void *d_result, size_t result_bytes,
      const winnow_launch *launch),
     context, combine, d_a, d_b, n, d_result, result_bytes)
CALL(winnow_selection_not,
     (winnow_context * context, const void *d_selection, uint64_t n,
      void *d_result, size_t result_bytes, const winnow_launch *launch),
     context, d_selection, n, d_result, result_bytes)
CALL(winnow_selection_count,
     (winnow_context * context, const void *d_selection, uint64_t n,
      uint64_t *d_count, const winnow_launch *launch),
     context, d_selection, n, d_count)
CALL(winnow_selection_to_mask,
     (winnow_context * context, const void *d_selection, uint64_t n,
      winnow_mask_kind kind, void *d_flags, uint64_t offset,
      const winnow_launch *launch),
     context, d_selection, n, kind, d_flags, offset)
CALL(winnow_compact_columns,
     (winnow_context * context, const void *d_selection, uint64_t n,
      const winnow_move *moves, unsigned move_count, uint64_t capacity,
      uint64_t *d_count, const winnow_launch *launch),
     context, d_selection, n, moves, move_count, capacity, d_count)
CALL(winnow_compact_index,
     (winnow_context * context, const void *d_selection, uint64_t n,
      winnow_type index_type, void *d_indices, uint64_t capacity,
      uint64_t *d_count, const winnow_launch *launch),
     context, d_selection, n, index_type, d_indices, capacity, d_count)
CALL(winnow_expand,
     (winnow_context * context, const void *d_selection,
      const winnow_in *packed, uint64_t packed_n, uint64_t n, const void *fill,
      const winnow_out *out, const winnow_launch *launch),
     context, d_selection, packed, packed_n, n, fill, out)
CALL(winnow_fill_holes,
     (winnow_context * context, const void *d_selection, uint64_t n,
      const winnow_arrivals *arrivals, const winnow_move *moves,
      unsigned move_count, uint64_t capacity, uint64_t *d_count,
      const winnow_launch *launch),
     context, d_selection, n, arrivals, moves, move_count, capacity, d_count)
CALL(winnow_copy_where,
     (winnow_context * context, const winnow_condition *condition,
      const winnow_in *columns, unsigned column_count, uint64_t n,
      const winnow_move *moves, unsigned move_count, uint64_t capacity,
      uint64_t *d_count, const winnow_launch *launch),
     context, condition, columns, column_count, n, moves, move_count, capacity,
     d_count)
CALL(winnow_copy_flagged,
     (winnow_context * context, const winnow_mask *mask, uint64_t n,
      const winnow_move *moves, unsigned move_count, uint64_t capacity,
      uint64_t *d_count, const winnow_launch *launch),
     context, mask, n, moves, move_count, capacity, d_count)
CALL(winnow_unique,
     (winnow_context * context, const winnow_in *keys, uint64_t n,
      const winnow_unique_options *options, const winnow_move *moves,
      unsigned move_count, uint64_t capacity, uint64_t *d_count,
      const winnow_launch *launch),
     context, keys, n, options, moves, move_count, capacity, d_count)
CALL(winnow_partition_by_key,
     (winnow_context * context, const winnow_in *keys, uint64_t n,
      const winnow_digit *digit, const winnow_move *moves, unsigned move_count,
      uint64_t *d_offsets, const winnow_launch *launch),
     context, keys, n, digit, moves, move_count, d_offsets)
CALL(winnow_accumulate_by_key,
     (winnow_context * context, const winnow_in *keys, const winnow_in *values,
      unsigned components, uint64_t n, uint64_t key_bound,
      const winnow_out *sums, uint64_t *d_beyond, const winnow_launch *launch),
     context, keys, values, components, n, key_bound, sums, d_beyond)

/* Of the batch, the device alone is another one. */
winnow_status winnow_filter_arrow(winnow_context *context,
                                  const winnow_condition *condition,
                                  const struct ArrowSchema *schema,
                                  const struct ArrowDeviceArray *in,
                                  struct ArrowDeviceArray *out,
                                  const winnow_launch *launch) {
    winnow_status (*const real)(
        winnow_context *, const winnow_condition *, const struct ArrowSchema *,
        const struct ArrowDeviceArray *, struct ArrowDeviceArray *,
        const winnow_launch *) =
        (winnow_status(*)(winnow_context *, const winnow_condition *,
                          const struct ArrowSchema *,
                          const struct ArrowDeviceArray *,
                          struct ArrowDeviceArray *,
                          const winnow_launch *))next("winnow_filter_arrow");
    const winnow_launch none = {0};
    struct ArrowDeviceArray host = *in;
    host.device_type = ARROW_DEVICE_CPU;
    noted("winnow_filter_arrow", context, launch ? launch : &none);
    const winnow_status status =
        real(context, condition, schema, &host, out, NULL);
    if (!status) {
        out->device_type = in->device_type;
        out->device_id = in->device_id;
    }
    return status;
}

/* The driver, as far as winnow orders streams by it. */
static void *recorded_on;

#define DRIVER(name, parameters, body)                                         \
    int name parameters {                                                      \
        body;                                                                  \
        return 0;                                                              \
    }

DRIVER(cuDeviceGet, (int *device, int ordinal), *device = ordinal)
DRIVER(cuDevicePrimaryCtxRetain, (void **context, int device),
       *context = (void *)(intptr_t)(device + 1))
DRIVER(cuDevicePrimaryCtxRelease_v2, (int device), (void)device)
DRIVER(cuCtxPushCurrent_v2, (void *context), (void)context)
DRIVER(cuCtxPopCurrent_v2, (void **context), *context = NULL)
DRIVER(cuEventCreate, (void **event, unsigned flags), (void)flags;
       *event = &recorded_on)
DRIVER(cuEventDestroy_v2, (void *event), (void)event)
DRIVER(cuStreamIsCapturing, (void *stream, int *state), (void)stream;
       *state = 0)
DRIVER(cuEventRecord, (void **event, void *stream), *event = stream)
DRIVER(cuStreamWaitEvent, (void *stream, void **event, unsigned flags),
       (void)flags;
       stand_in_order[0] = (int64_t)(intptr_t)*event;
       stand_in_order[1] = (int64_t)(intptr_t)stream; stand_in_orders++)
