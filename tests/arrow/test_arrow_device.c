/*
 * Record batches on a device: what they come after, and what comes after them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "arrow_batch.h"
#include "data.h"
#include "reduced.h"
#include "suite.h"

#ifdef WINNOW_CUDA
#include <pthread.h>
#include <time.h>

#include "gate.h"

static winnow_status filter(const struct backend *backend,
                            const struct arrow_batch *batch, const char *text,
                            struct ArrowDeviceArray *out) {
    winnow_condition *const condition = arrow_condition(batch->schema, text);
    const winnow_status status = winnow_filter_arrow(
        backend->context, condition, batch->schema, &batch->in, out,
        WINNOW_LAUNCH(.stream = backend->stream));
    winnow_condition_destroy(condition);
    return status;
}

/* -------------------------------------------------------------------- events */

enum {
    ROWS = 700
};

/* A batch whose buffers are zeros until a stream of the producer's writes them.
 */
struct late {
    struct arrow_batch batch;
    struct ArrowArray true_array; /* on the device, too */
    cudaStream_t stream;
    cudaEvent_t written;
    struct gate gate; /* before the stream's writes */
};

static void write_late(struct late *late, const void *to, const void *from,
                       size_t bytes) {
    void *const buffer = (void *)(uintptr_t)to;
    GPU_MUST(cudaMemset(buffer, 0, bytes));
    GPU_MUST(cudaMemcpyAsync(buffer, from, bytes, cudaMemcpyDeviceToDevice,
                             late->stream));
}

static void open_late(const struct backend *backend, struct late *late,
                      uint64_t seed) {
    struct arrow_batch *const batch = &late->batch;
    arrow_batch_open(backend, batch, arrow_batch_of(arrow_schema("u", "c", 0)),
                     ROWS, &(struct arrow_shape){.seed = seed});
    arrow_upload(backend, batch->schema, &batch->host, &late->true_array);
    late->stream = gpu_stream_create();
    GPU_MUST(cudaEventCreateWithFlags(&late->written, cudaEventDisableTiming));
    gate_close(&late->gate, late->stream);
    for (int i = 0; i < 2; i++) {
        const struct ArrowArray *const to = batch->in.array.children[i];
        const struct ArrowArray *const from = late->true_array.children[i];
        const int32_t *const numbers = batch->host.children[i]->buffers[1];
        write_late(late, to->buffers[1], from->buffers[1],
                   (size_t)(ROWS + i) * sizeof *numbers);
        if (i == 1)
            write_late(late, to->buffers[2], from->buffers[2],
                       (size_t)numbers[ROWS]);
    }
    GPU_MUST(cudaEventRecord(late->written, late->stream));
    batch->in.sync_event = &late->written;
}

static void close_late(const struct backend *backend, struct late *late) {
    gpu_wait(late->stream);
    GPU_MUST(cudaEventDestroy(late->written));
    gpu_stream_destroy(late->stream);
    late->true_array.release(&late->true_array);
    arrow_batch_close(backend, &late->batch);
}

static void *open_soon(void *gate) {
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    gate_open(gate);
    return NULL;
}

/* Copy the output on a stream that waits for its event alone. */
static void compare_late(const struct backend *backend, const struct late *late,
                         const struct ArrowDeviceArray *out) {
    const struct backend consumer = {.name = backend->name,
                                     .gpu = true,
                                     .context = backend->context,
                                     .stream = gpu_stream_create()};
    struct ArrowArray down;
    GPU_MUST(cudaStreamWaitEvent(consumer.stream,
                                 *(const cudaEvent_t *)out->sync_event, 0));
    arrow_download(&consumer, late->batch.schema, &out->array, &down);
    arrow_batch_compare(&late->batch, &down);
    down.release(&down);
    gpu_stream_destroy(consumer.stream);
}

GPU_TEST(arrow_device, events) {
    for (uint64_t seed = 0; seed < 12; seed++) {
        struct late late;
        struct ArrowDeviceArray out;
        pthread_t opener;
        open_late(backend, &late, seed);
        cr_assert_eq(pthread_create(&opener, NULL, open_soon, &late.gate), 0);
        const winnow_status status =
            filter(backend, &late.batch, "k < 50 and c < '~'", &out);
        pthread_join(opener, NULL);
        cr_assert(status == WINNOW_OK, "%s", winnow_last_error());
        compare_late(backend, &late, &out);
        out.array.release(&out.array);
        close_late(backend, &late);
    }
    cr_assert_eq(arrow_unreleased(), 0);
}

/* --------------------------------------------------------------------- views */

/* Consumers read the sizes of an array's buffers without a copy. */
GPU_TEST(arrow_device, sizes_of_views) {
    struct arrow_batch batch;
    struct ArrowDeviceArray out;
    struct cudaPointerAttributes is;
    arrow_batch_open(backend, &batch,
                     arrow_batch_of(arrow_schema("vu", "c", 0)), 100,
                     &(struct arrow_shape){.seed = 4});
    cr_assert(filter(backend, &batch, "k < 50", &out) == WINNOW_OK, "%s",
              winnow_last_error());
    const struct ArrowArray *const c = out.array.children[1];
    const int64_t *const sizes = c->buffers[c->n_buffers - 1];
    GPU_MUST(cudaPointerGetAttributes(&is, sizes));
    cr_assert_eq(is.type, cudaMemoryTypeUnregistered);
    GPU_MUST(cudaPointerGetAttributes(&is, c->buffers[2]));
    cr_assert_eq(is.type, cudaMemoryTypeDevice);
    for (int64_t i = 0; i < c->n_buffers - 3; i++)
        cr_assert_eq(sizes[i], ((const int64_t *)batch.host.children[1]
                                    ->buffers[c->n_buffers - 1])[i]);
    out.array.release(&out.array);
    arrow_batch_close(backend, &batch);
}

/* ------------------------------------------------------------------- offsets */

enum {
    LISTS = 300
};

/* The offsets of the lists of a batch, and the elements that these have. */
static const int32_t *offsets_of(const struct arrow_batch *batch) {
    return batch->host.children[1]->buffers[1];
}

static void put_offset(struct arrow_batch *batch, int64_t i, int32_t value) {
    const int32_t *const to = batch->in.array.children[1]->buffers[1];
    GPU_MUST(cudaMemcpy((void *)(uintptr_t)(to + i), &value, sizeof value,
                        cudaMemcpyHostToDevice));
}

static void open_lists(const struct backend *backend, struct arrow_batch *batch,
                       uint64_t seed) {
    arrow_batch_open(
        backend, batch,
        arrow_batch_of(arrow_schema("+l", "c", 1, arrow_schema("i", "x", 0))),
        LISTS, &(struct arrow_shape){.seed = seed});
}

static void refuse_lists(const struct backend *backend,
                         struct arrow_batch *batch, const char *detail) {
    struct ArrowDeviceArray out;
    cr_assert_eq(filter(backend, batch, "true", &out), WINNOW_ERR_ARGUMENT);
    cr_assert(strstr(winnow_last_error(), detail) != NULL, "'%s' has no '%s'",
              winnow_last_error(), detail);
}

/* The host sees none but the last offset before the call. */
GPU_TEST(arrow_device, offsets_of_lists) {
    struct arrow_batch batch;
    open_lists(backend, &batch, 6);
    const int32_t *const offsets = offsets_of(&batch);
    const int32_t last = offsets[LISTS];
    put_offset(&batch, LISTS, -1);
    refuse_lists(backend, &batch, "'c': offset 300 is -1");
    put_offset(&batch, LISTS, last + 1);
    refuse_lists(backend, &batch, "'c': offset 300 is");
    put_offset(&batch, LISTS, last);
    /* List 10 has the elements of those before it, too. */
    put_offset(&batch, 10, 0);
    refuse_lists(backend, &batch, "'c': offsets descend");
    put_offset(&batch, 10, offsets[10]);
    struct ArrowDeviceArray out;
    cr_assert_eq(filter(backend, &batch, "true", &out), WINNOW_OK, "%s",
                 winnow_last_error());
    out.array.release(&out.array);
    arrow_batch_close(backend, &batch);
    cr_assert_eq(arrow_unreleased(), 0);
}

/* Any offsets give an error, or a batch that is whole. */
GPU_TEST(arrow_device, wild_offsets_of_lists) {
    const unsigned calls = reduced_mode() ? 8 : 30;
    unsigned accepted = 0;
    for (uint64_t seed = 0; seed < calls; seed++) {
        struct arrow_batch batch;
        struct ArrowDeviceArray out;
        open_lists(backend, &batch, seed);
        const uint64_t end = (uint64_t)offsets_of(&batch)[LISTS];
        for (uint64_t i = 0; i < 1 + seed % 3; i++)
            put_offset(&batch, (int64_t)(data_random(seed, i) % (LISTS + 1)),
                       seed % 2 == 0
                           ? (int32_t)data_random(seed, 10 + i)
                           : (int32_t)(data_random(seed, 10 + i) % end));
        const winnow_status status = filter(backend, &batch, "k < 50", &out);
        if (status == WINNOW_OK) {
            struct ArrowArray down;
            arrow_download(backend, batch.schema, &out.array, &down);
            const struct ArrowArray *const lists = down.children[1];
            const int32_t *const packed = lists->buffers[1];
            cr_assert_eq(packed[0], 0);
            for (int64_t i = 0; i < lists->length; i++)
                cr_assert_leq(packed[i], packed[i + 1]);
            cr_assert_eq(packed[lists->length], lists->children[0]->length);
            down.release(&down);
            out.array.release(&out.array);
            accepted++;
        } else {
            cr_assert_eq(status, WINNOW_ERR_ARGUMENT, "%s",
                         winnow_last_error());
        }
        arrow_batch_close(backend, &batch);
    }
    cr_assert(accepted > 0 && accepted < calls, "%u", accepted);
    cr_assert_eq(arrow_unreleased(), 0);
}

/* ------------------------------------------------------------------- capture */

/* The call says what it cannot do, and the capture goes on. */
GPU_TEST(arrow_device, capture) {
    struct arrow_batch batch;
    struct ArrowDeviceArray out = {.device_id = 123};
    cudaGraph_t graph;
    size_t nodes = 0;
    arrow_batch_open(backend, &batch,
                     arrow_batch_of(arrow_schema("vu", "c", 0)), 100,
                     &(struct arrow_shape){.seed = 5});
    GPU_MUST(
        cudaStreamBeginCapture(backend->stream, cudaStreamCaptureModeGlobal));
    const winnow_status status = filter(backend, &batch, "k < 50", &out);
    GPU_MUST(cudaStreamEndCapture(backend->stream, &graph));
    cr_assert_eq(status, WINNOW_ERR_UNSUPPORTED);
    cr_assert(strstr(winnow_last_error(), "the stream is captured") != NULL,
              "%s", winnow_last_error());
    cr_assert_eq(out.device_id, 123);
    GPU_MUST(cudaGraphGetNodes(graph, NULL, &nodes));
    cr_assert_eq(nodes, 0);
    GPU_MUST(cudaGraphDestroy(graph));
    arrow_batch_close(backend, &batch);
}
#endif
