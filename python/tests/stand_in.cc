/*
 * A stand-in for GPUs, for tests without a GPU. Load this library before
 * libwinnow. It creates contexts of the host for GPUs 0 and 1, and records the
 * device and the stream of each call. Memory of the host stands for memory of a
 * GPU.
 *
 * With stand_in_delays each call waits in the queue of its stream until
 * stand_in_run(). That function lets one stream run as far ahead of the others
 * as events allow. Arguments in host memory are copied at once, as a kernel
 * launch does; arrays on the device are not.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <deque>
#include <functional>
#include <map>
#include <type_traits>
#include <vector>

#include <winnow/arrow.h>

extern "C" {

#define MOST_CALLS 256

struct note {
    char name[40];
    int64_t device;
    int64_t stream;
    int64_t order;
    int64_t has_n;
    int64_t workspace; /* bytes */
};
struct note stand_in_notes[MOST_CALLS];
int64_t stand_in_count;
/* The number of next calls that fail for lack of memory. */
int64_t stand_in_failures;
/* Whether calls are delayed, and the workspace size in their plans. */
int64_t stand_in_delays;
int64_t stand_in_workspace;
/* The two streams of the last order, and the number of orders. */
int64_t stand_in_order[2];
int64_t stand_in_orders;

static winnow_context *contexts[3];
}

template <class Function>
static Function *next(const char *name) {
    return reinterpret_cast<Function *>(dlsym(RTLD_NEXT, name));
}

/* ------------------------------------------------------------------- streams */

/* An event: a point in a stream, after its first `steps` steps. */
struct place {
    int64_t stream;
    uint64_t steps;
};

struct step {
    std::function<void()> run;
    place after; /* the step runs after this point; 0 steps: at any time */
};

struct queue {
    std::deque<step> steps;
    uint64_t done = 0;
};

static std::map<int64_t, queue> queues;
static std::vector<void *> copies; /* arguments of delayed calls */
static std::vector<std::function<void()>> ending; /* to call after these */

static bool may_run(const queue &of) {
    const place &after = of.steps.front().after;
    return queues[after.stream].done >= after.steps;
}

static bool run_one(queue &of) {
    if (of.steps.empty() || !may_run(of))
        return false;
    of.steps.front().run();
    of.steps.pop_front();
    of.done++;
    return true;
}

static uint64_t length(const queue &of) {
    return of.done + of.steps.size();
}

/* Copy `count` items in host memory for a delayed call. */
template <class Item>
static const Item *hold(const Item *from, size_t count) {
    if (!stand_in_delays || from == nullptr)
        return from;
    void *const copy = malloc(count * sizeof *from + 1);
    memcpy(copy, from, count * sizeof *from);
    copies.push_back(copy);
    return static_cast<const Item *>(copy);
}

static const void *hold_bytes(const void *from, size_t bytes) {
    return hold(static_cast<const char *>(from), bytes);
}

static winnow_status pass(const winnow_launch *launch,
                          std::function<winnow_status()> call) {
    if (!stand_in_delays)
        return call();
    queues[(int64_t)(intptr_t)launch->stream].steps.push_back(
        {[call] { call(); }, {0, 0}});
    return WINNOW_OK;
}

extern "C" {

/* Run all delayed calls, those of the stream `first` as early as is allowed. */
void stand_in_run(int64_t first) {
    bool again = true;
    while (again) {
        again = false;
        while (run_one(queues[first]))
            again = true;
        for (auto &each : queues)
            if (!again && run_one(each.second))
                again = true;
    }
    for (void *const copy : copies)
        free(copy);
    for (const auto &end : ending)
        end();
    copies.clear();
    ending.clear();
    queues.clear();
}

/* Overwrite freed memory after the current steps of its stream, as a new owner
 * of the memory may. */
void stand_in_refill(int64_t stream, void *memory, size_t bytes) {
    queues[stream].steps.push_back(
        {[memory, bytes] { memset(memory, 0xa5, bytes); }, {0, 0}});
}

void winnow_condition_destroy(winnow_condition *condition) {
    const auto real = next<void(winnow_condition *)>(__func__);
    if (!stand_in_delays)
        return real(condition);
    ending.push_back([real, condition] { real(condition); });
}

void winnow_predicate_destroy(winnow_predicate *predicate) {
    const auto real = next<void(winnow_predicate *)>(__func__);
    if (!stand_in_delays)
        return real(predicate);
    ending.push_back([real, predicate] { real(predicate); });
}

winnow_status winnow_context_create(winnow_context **context_p, int device) {
    const auto create =
        next<winnow_status(winnow_context **, int)>("winnow_context_create");
    if (device > 1)
        return create(context_p, device);
    const winnow_status status = create(context_p, WINNOW_DEVICE_HOST);
    if (!status)
        contexts[device + 1] = *context_p;
    return status;
}

/* Record a call, and return its launch for the host. */
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
    note->workspace = (int64_t)launch->workspace_bytes;
    plain.stream = NULL;
    plain.d_workspace = NULL;
    plain.workspace_bytes = 0;
    return plain;
}

winnow_status winnow_condition_prepare(winnow_context *context,
                                       const winnow_condition *condition) {
    const winnow_launch launch = {};
    const auto prepare =
        next<winnow_status(winnow_context *, const winnow_condition *)>(
            "winnow_condition_prepare");
    noted("winnow_condition_prepare", context, &launch);
    return prepare(context, condition);
}

/* A call of the library. A test sets the workspace size of its plan. */
#define CALL(name, parameters, ...)                                            \
    winnow_status name parameters {                                            \
        const auto real = next<winnow_status parameters>(#name);               \
        if (launch->plan) {                                                    \
            launch->plan->workspace_bytes = (size_t)stand_in_workspace;        \
            return WINNOW_OK;                                                  \
        }                                                                      \
        const winnow_launch plain = noted(#name, context, launch);             \
        if (stand_in_failures > 0 && stand_in_failures--)                      \
            return WINNOW_ERR_MEMORY;                                          \
        return pass(launch, std::bind(real, __VA_ARGS__, hold(&plain, 1)));    \
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
     context, condition, hold(columns, column_count), column_count, n,
     d_selection, selection_bytes)
CALL(winnow_select_flagged,
     (winnow_context * context, const winnow_mask *mask, uint64_t n,
      void *d_selection, size_t selection_bytes, const winnow_launch *launch),
     context, hold(mask, 1), n, d_selection, selection_bytes)
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
     context, d_selection, n, hold(moves, move_count), move_count, capacity,
     d_count)
CALL(winnow_compact_index,
     (winnow_context * context, const void *d_selection, uint64_t n,
      winnow_type index_type, void *d_indices, uint64_t capacity,
      uint64_t *d_count, const winnow_launch *launch),
     context, d_selection, n, index_type, d_indices, capacity, d_count)
CALL(winnow_expand,
     (winnow_context * context, const void *d_selection,
      const winnow_in *packed, uint64_t packed_n, uint64_t n, const void *fill,
      const winnow_out *out, const winnow_launch *launch),
     context, d_selection, hold(packed, 1), packed_n, n,
     hold_bytes(fill, out->element_bytes), hold(out, 1))
CALL(winnow_fill,
     (winnow_context * context, const uint64_t *d_count, uint64_t n,
      const void *fill, const winnow_out *out, const winnow_launch *launch),
     context, d_count, n, hold_bytes(fill, out->element_bytes), hold(out, 1))
CALL(winnow_fill_holes,
     (winnow_context * context, const void *d_selection, uint64_t n,
      const winnow_arrivals *arrivals, const winnow_move *moves,
      unsigned move_count, uint64_t capacity, uint64_t *d_count,
      const winnow_launch *launch),
     context, d_selection, n, hold(arrivals, 1), hold(moves, move_count),
     move_count, capacity, d_count)
CALL(winnow_copy_where,
     (winnow_context * context, const winnow_condition *condition,
      const winnow_in *columns, unsigned column_count, uint64_t n,
      const winnow_move *moves, unsigned move_count, uint64_t capacity,
      uint64_t *d_count, const winnow_launch *launch),
     context, condition, hold(columns, column_count), column_count, n,
     hold(moves, move_count), move_count, capacity, d_count)
CALL(winnow_copy_flagged,
     (winnow_context * context, const winnow_mask *mask, uint64_t n,
      const winnow_move *moves, unsigned move_count, uint64_t capacity,
      uint64_t *d_count, const winnow_launch *launch),
     context, hold(mask, 1), n, hold(moves, move_count), move_count, capacity,
     d_count)
CALL(winnow_unique,
     (winnow_context * context, const winnow_in *keys, uint64_t n,
      const winnow_unique_options *options, const winnow_move *moves,
      unsigned move_count, uint64_t capacity, uint64_t *d_count,
      const winnow_launch *launch),
     context, hold(keys, 1), n, hold(options, 1), hold(moves, move_count),
     move_count, capacity, d_count)
CALL(winnow_partition_by_key,
     (winnow_context * context, const winnow_in *keys, uint64_t n,
      const winnow_digit *digit, const winnow_move *moves, unsigned move_count,
      uint64_t *d_offsets, const winnow_launch *launch),
     context, hold(keys, 1), n, hold(digit, 1), hold(moves, move_count),
     move_count, d_offsets)
CALL(winnow_partition_blocks,
     (winnow_context * context, const winnow_in *keys, uint64_t n,
      const winnow_digit *digit, const winnow_blocks *blocks,
      const winnow_move *moves, unsigned move_count, uint64_t *d_offsets,
      const winnow_launch *launch),
     context, hold(keys, 1), n, hold(digit, 1), hold(blocks, 1),
     hold(moves, move_count), move_count, d_offsets)
CALL(winnow_accumulate_by_key,
     (winnow_context * context, const winnow_in *keys, const winnow_in *values,
      unsigned components, uint64_t n, uint64_t key_bound,
      const winnow_out *sums, uint64_t *d_beyond, const winnow_launch *launch),
     context, hold(keys, 1), hold(values, components), components, n, key_bound,
     hold(sums, components), d_beyond)
CALL(winnow_reduce_where,
     (winnow_context * context, const winnow_condition *condition,
      const winnow_in *columns, unsigned column_count, uint64_t n,
      const winnow_aggregate *aggregates, unsigned aggregate_count,
      winnow_reduction *d_results, const winnow_launch *launch),
     context, condition, hold(columns, column_count), column_count, n,
     hold(aggregates, aggregate_count), aggregate_count, d_results)

/* Filter a batch on the host, and set its device to that of the input. */
winnow_status winnow_filter_arrow(winnow_context *context,
                                  const winnow_condition *condition,
                                  const struct ArrowSchema *schema,
                                  const struct ArrowDeviceArray *in,
                                  struct ArrowDeviceArray *out,
                                  const winnow_launch *launch) {
    const auto real = next<decltype(winnow_filter_arrow)>(__func__);
    const winnow_launch none = {};
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

/* The functions of the CUDA driver by which winnow orders streams. */
static place recorded;

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
       *event = &recorded)
DRIVER(cuEventDestroy_v2, (void *event), (void)event)
DRIVER(cuStreamIsCapturing, (void *stream, int *state), (void)stream;
       *state = 0)
DRIVER(cuEventRecord, (place * event, int64_t stream),
       *event = (place{stream, length(queues[stream])}))
DRIVER(cuStreamWaitEvent, (int64_t stream, const place *event, unsigned flags),
       (void)flags;
       queues[stream].steps.push_back({[] {}, *event});
       stand_in_order[0] = event->stream; stand_in_order[1] = stream;
       stand_in_orders++)
}
