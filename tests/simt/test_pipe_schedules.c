/*
 * Pipes on the CPU device, whose copies and kernels overlap as a seed says; and
 * each call of the runtime fails once.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "tests/pipe/piped.h"
#include "simt.h"
#include "suite.h"

#include <cuda_runtime_api.h>

/* Chunks of 24 items of 16 bytes, all in flight at once. */
static struct piped small_pipe(const struct backend *backend, uint64_t seed) {
    return (struct piped){
        .backend = backend,
        .n = 24 * 7 + 5,
        .seed = seed,
        .threshold = (int)(seed * 29 % 101),
        .without_selection = true,
        .options = {.chunk_bytes = 24 * 16, .buffers = seed % 3 == 2 ? 2 : 3}};
}

/* A wait that is missing is seen in some schedule, for each way that a chunk's
 * memory is filled and emptied. */
GPU_TEST(pipe_schedules, LONG(overlap)) {
    static const struct {
        enum piped_feed feed;
        enum piped_target target;
        uint32_t flags;
    } ways[] = {{PIPED_REACHED, PIPED_TO_REACHED, 0},
                {PIPED_REACHED, PIPED_TO_MEMORY, WINNOW_PIPE_ASYNCHRONOUS},
                {PIPED_MEMORY, PIPED_TO_REACHED, 0},
                {PIPED_MEMORY, PIPED_TO_FUNCTION, 0},
                {PIPED_MEMORY, PIPED_TO_REACHED, WINNOW_PIPE_REGISTER},
                {PIPED_FILE, PIPED_TO_FILE, 0}};
    const uint64_t first = simt_first_seed(1);
    const unsigned trials = simt_trials(20);
    for (uint64_t seed = first; seed < first + trials; seed++)
        for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++) {
            struct piped piped = small_pipe(backend, seed);
            struct report report = {{0}};
            piped.feed = ways[w].feed;
            piped.target = ways[w].target;
            piped.options.flags = ways[w].flags;
            simt_seed(seed);
            cr_assert(piped_check(&piped, &report), "seed %llu, way %zu: %s",
                      (unsigned long long)seed, w, report.text);
        }
}

/* Pieces that are large enough to be copied from where they are. */
GPU_TEST(pipe_schedules, direct) {
    const uint64_t first = simt_first_seed(1);
    const unsigned trials = simt_trials(3);
    for (uint64_t seed = first; seed < first + trials; seed++)
        for (int flags = 0; flags < 2; flags++) {
            struct piped piped = small_pipe(backend, seed);
            piped.n = 5 * 8192 + 77;
            piped.piece = seed % 2 == 0 ? 9000 : 0;
            piped.feed = PIPED_REACHED;
            piped.target = PIPED_TO_REACHED;
            piped.options.chunk_bytes = 8192 * 16;
            piped.options.flags = (uint32_t)flags;
            simt_seed(seed);
            MUST(piped_check(&piped, report));
        }
}

/* Plain memory and files, of which several threads bring several pieces, of
 * several chunks at a time. */
GPU_TEST(pipe_schedules, staged_by_threads) {
    static const enum piped_feed feeds[] = {PIPED_MEMORY, PIPED_FILE};
    const uint64_t first = simt_first_seed(1);
    const unsigned trials = simt_trials(2);
    for (uint64_t seed = first; seed < first + trials; seed++) {
        struct piped piped = small_pipe(backend, seed);
        piped.n = 5 * 40000 + 7777;
        piped.piece = seed % 2 == 0 ? 130000 : 0;
        piped.feed = feeds[seed % 2];
        piped.target = PIPED_TO_REACHED;
        piped.options.chunk_bytes = 40000 * 16;
        piped.options.buffers = 4;
        piped.options.threads = 3;
        simt_seed(seed);
        MUST(piped_check(&piped, report));
    }
}

/* Records that stay in pinned memory until it is known which are kept. */
GPU_TEST(pipe_schedules, late) {
    const uint64_t first = simt_first_seed(1);
    const unsigned trials = simt_trials(10);
    for (uint64_t seed = first; seed < first + trials; seed++) {
        struct piped piped = small_pipe(backend, seed);
        piped.key_alone = true;
        piped.feed = PIPED_REACHED;
        piped.target = PIPED_TO_REACHED;
        piped.piece = seed % 2 == 0 ? 100 : 0;
        piped.options.fetch =
            seed % 3 == 0 ? WINNOW_PIPE_FETCH_AUTO : WINNOW_PIPE_FETCH_LATE;
        piped.options.selectivity = seed % 2 == 0 ? 0.001 : 0;
        simt_seed(seed);
        MUST(piped_check(&piped, report));
    }
}

/* Copies of a run: fewer where records are not copied. */
static unsigned count_copies(const struct backend *backend, int threshold,
                             uint64_t chunk, winnow_pipe_options options) {
    struct piped piped = small_pipe(backend, 1);
    const unsigned before = simt_calls("cudaMemcpyAsync");
    piped.key_alone = true;
    piped.threshold = threshold;
    piped.feed = PIPED_REACHED;
    piped.target = PIPED_TO_MEMORY;
    piped.n = chunk * 7;
    options.chunk_bytes = chunk * 16;
    piped.options = options;
    MUST(piped_check(&piped, report));
    return simt_calls("cudaMemcpyAsync") - before;
}

/* Records of 12 bytes are fetched late below 12 / 199 of what is kept. */
GPU_TEST(pipe_schedules, late_is_chosen) {
    const winnow_pipe_options whole = {.fetch = WINNOW_PIPE_FETCH_WHOLE},
                              late = {.fetch = WINNOW_PIPE_FETCH_LATE},
                              few = {.selectivity = 0.060},
                              more = {.selectivity = 0.061};
    const unsigned all = count_copies(backend, 0, 24, whole);
    cr_assert_eq(all, 14u); /* a key's and a record's for each chunk */
    cr_assert_eq(count_copies(backend, 0, 24, late), 7u);
    cr_assert_eq(count_copies(backend, 0, 24, few), 7u);
    cr_assert_eq(count_copies(backend, 0, 24, more), 14u);
    /* The first two chunks are copied whole, and nothing of them is kept. */
    cr_assert_eq(count_copies(backend, 0, 24, (winnow_pipe_options){0}), 9u);
    cr_assert_eq(count_copies(backend, 100, 24, (winnow_pipe_options){0}),
                 count_copies(backend, 100, 24, whole));
    /* Of larger chunks the first two have 64 items, and six are fetched late;
     * what is left is no chunk, and copied whole. */
    cr_assert_eq(count_copies(backend, 0, 960, (winnow_pipe_options){0}),
                 2u * 2 + 6 + 2);
    cr_assert_eq(count_copies(backend, 0, 960, whole), 14u);
}

/* ------------------------------------------------------------ several devices */

enum {
    DEVICES = 2
};

struct member {
    struct piped piped;
    struct report report;
    bool ok;
};

static void *run_member(void *argument) {
    struct member *const m = argument;
    m->ok = piped_check(&m->piped, &m->report);
    return NULL;
}

/* At once, each from a thread of its own, which has made no device current. */
GPU_TEST(pipe_schedules, two_devices) {
    static const enum piped_feed feeds[] = {PIPED_REACHED, PIPED_MEMORY,
                                            PIPED_FILE};
    struct backend other = {.name = "device 1", .gpu = true};
    const struct backend *const backends[DEVICES] = {backend, &other};
    const uint64_t first = simt_first_seed(1);
    const unsigned trials = simt_trials(6);
    cr_assert_eq(winnow_context_create(&other.context, 1), WINNOW_OK, "%s",
                 winnow_last_error());
    for (uint64_t seed = first; seed < first + trials; seed++) {
        struct member members[DEVICES];
        pthread_t threads[DEVICES];
        simt_seed(seed);
        for (unsigned d = 0; d < DEVICES; d++) {
            members[d] =
                (struct member){.piped = small_pipe(backends[d], seed + d)};
            members[d].piped.feed = feeds[seed % 3];
            members[d].piped.target =
                seed % 2 == 0 ? PIPED_TO_REACHED : PIPED_TO_FILE;
            cr_assert_eq(
                pthread_create(&threads[d], NULL, run_member, &members[d]), 0);
        }
        for (unsigned d = 0; d < DEVICES; d++)
            cr_assert_eq(pthread_join(threads[d], NULL), 0);
        for (unsigned d = 0; d < DEVICES; d++)
            cr_assert(members[d].ok, "seed %llu, device %u: %s",
                      (unsigned long long)seed, d, members[d].report.text);
    }
    winnow_context_destroy(other.context);
}

/* ----------------------------------------------------------------- in a graph */

enum {
    CHUNKS = 4,
    CHUNK = 500
};

/* What winnow_pipe(7) says of graphs: outputs in pinned memory, behind a
 * position that the device carries from chunk to chunk. */
static void capture(const struct backend *backend,
                    const winnow_condition *condition, const int32_t *in,
                    int32_t *d_chunk, int32_t *out, uint64_t *d_position) {
    const winnow_in column = {.type = WINNOW_INT32, .d_base = d_chunk};
    const winnow_move move = {
        .d_in = d_chunk, .d_out = out, .element_bytes = sizeof *out};
    GPU_MUST(
        cudaMemsetAsync(d_position, 0, sizeof *d_position, backend->stream));
    for (int k = 0; k < CHUNKS; k++) {
        GPU_MUST(cudaMemcpyAsync(d_chunk, in + k * CHUNK, CHUNK * sizeof *in,
                                 cudaMemcpyHostToDevice, backend->stream));
        cr_assert_eq(winnow_copy_where(backend->context, condition, &column, 1,
                                       CHUNK, &move, 1, CHUNKS * CHUNK, NULL,
                                       WINNOW_LAUNCH(.stream = backend->stream,
                                                     .d_position = d_position)),
                     WINNOW_OK, "%s", winnow_last_error());
    }
}

GPU_TEST(pipe_schedules, captured) {
    const winnow_field field = {.name = "x", .type = WINNOW_INT32};
    int32_t *const d_chunk = gpu_alloc(CHUNK * sizeof *d_chunk);
    uint64_t *const d_position = gpu_alloc(sizeof *d_position);
    winnow_condition *condition;
    cudaGraphExec_t exec;
    cudaGraph_t graph;
    int32_t *in, *out;
    GPU_MUST(cudaMallocHost((void **)&in, CHUNKS * CHUNK * sizeof *in));
    GPU_MUST(cudaMallocHost((void **)&out, CHUNKS * CHUNK * sizeof *out));
    cr_assert_eq(winnow_condition_parse(&condition, &field, 1, "x < 30"),
                 WINNOW_OK);
    GPU_MUST(
        cudaStreamBeginCapture(backend->stream, cudaStreamCaptureModeGlobal));
    capture(backend, condition, in, d_chunk, out, d_position);
    GPU_MUST(cudaStreamEndCapture(backend->stream, &graph));
    GPU_MUST(cudaGraphInstantiateWithFlags(&exec, graph, 0));
    for (uint64_t run = 1; run <= 3; run++) {
        uint64_t position, kept = 0;
        for (uint64_t i = 0; i < CHUNKS * CHUNK; i++)
            in[i] = (int32_t)(data_random(run, i) % 100);
        simt_seed(run);
        GPU_MUST(cudaGraphLaunch(exec, backend->stream));
        gpu_wait(backend->stream);
        for (uint64_t i = 0; i < CHUNKS * CHUNK; i++)
            if (in[i] < 30)
                cr_assert_eq(out[kept++], in[i]);
        gpu_copy(&position, d_position, sizeof position, backend->stream);
        gpu_wait(backend->stream);
        cr_assert_eq(position, kept);
    }
    GPU_MUST(cudaGraphExecDestroy(exec));
    GPU_MUST(cudaGraphDestroy(graph));
    GPU_MUST(cudaFreeHost(out));
    GPU_MUST(cudaFreeHost(in));
    winnow_condition_destroy(condition);
    gpu_free(d_position);
    gpu_free(d_chunk);
}

enum {
    LAST = CHUNK - 123, /* items of the last chunk */
    ITEMS = (CHUNKS - 1) * CHUNK + LAST
};

/* A graph of one chunk, which is replayed for each: how many items it has is a
 * number that the device reads, as is where its survivors go. */
static cudaGraphExec_t capture_chunk(const struct backend *backend,
                                     const winnow_condition *condition,
                                     const int32_t *d_chunk, int32_t *out,
                                     uint64_t capacity, const uint64_t *d_n,
                                     uint64_t *d_count, uint64_t *d_position) {
    const winnow_in column = {.type = WINNOW_INT32, .d_base = d_chunk};
    const winnow_move move = {
        .d_in = d_chunk, .d_out = out, .element_bytes = sizeof *out};
    cudaGraphExec_t exec;
    cudaGraph_t graph;
    GPU_MUST(
        cudaStreamBeginCapture(backend->stream, cudaStreamCaptureModeGlobal));
    cr_assert_eq(
        winnow_copy_where(backend->context, condition, &column, 1, CHUNK, &move,
                          1, capacity, d_count,
                          WINNOW_LAUNCH(.stream = backend->stream, .d_n = d_n,
                                        .d_position = d_position)),
        WINNOW_OK, "%s", winnow_last_error());
    GPU_MUST(cudaStreamEndCapture(backend->stream, &graph));
    GPU_MUST(cudaGraphInstantiateWithFlags(&exec, graph, 0));
    GPU_MUST(cudaGraphDestroy(graph));
    return exec;
}

/* What is in order, and what is there at all, when `capacity` has room. */
static void check_replayed(const int32_t *in, const int32_t *out,
                           uint64_t capacity, uint64_t counted,
                           uint64_t position) {
    uint64_t kept = 0;
    for (uint64_t i = 0; i < ITEMS; i++) {
        if (in[i] >= 30)
            continue;
        if (kept < capacity)
            cr_assert_eq(out[kept], in[i], "survivor %llu of item %llu",
                         (unsigned long long)kept, (unsigned long long)i);
        kept++;
    }
    const uint64_t written = kept < capacity ? kept : capacity;
    for (uint64_t i = written; i < ITEMS; i++)
        cr_assert_eq(out[i], -1, "survivor %llu is too many",
                     (unsigned long long)i);
    cr_assert_eq(counted, kept);
    cr_assert_eq(position, written);
}

GPU_TEST(pipe_schedules, replayed) {
    static const uint64_t capacities[] = {ITEMS, 333, 1};
    const winnow_field field = {.name = "x", .type = WINNOW_INT32};
    int32_t *const d_chunk = gpu_alloc(CHUNK * sizeof *d_chunk);
    uint64_t *const d_words = gpu_alloc(3 * sizeof *d_words);
    uint64_t *const d_n = d_words, *const d_count = d_words + 1,
                    *const d_position = d_words + 2;
    const cudaStream_t stream = backend->stream;
    winnow_condition *condition;
    int32_t *in, *out;
    uint64_t
        *numbers; /* items of each chunk, then its count, and the position */
    GPU_MUST(cudaMallocHost((void **)&in, ITEMS * sizeof *in));
    GPU_MUST(cudaMallocHost((void **)&out, ITEMS * sizeof *out));
    GPU_MUST(
        cudaMallocHost((void **)&numbers, (2 * CHUNKS + 1) * sizeof *numbers));
    cr_assert_eq(winnow_condition_parse(&condition, &field, 1, "x < 30"),
                 WINNOW_OK);
    for (uint64_t run = 0; run < 3; run++) {
        const uint64_t capacity = capacities[run];
        const cudaGraphExec_t exec =
            capture_chunk(backend, condition, d_chunk, out, capacity, d_n,
                          d_count, d_position);
        uint64_t counted = 0;
        for (uint64_t i = 0; i < ITEMS; i++)
            in[i] = (int32_t)(data_random(run, i) % 100);
        memset(out, 0xff, ITEMS * sizeof *out);
        simt_seed(run);
        GPU_MUST(cudaMemsetAsync(d_position, 0, sizeof *d_position, stream));
        for (int k = 0; k < CHUNKS; k++) {
            numbers[k] = k == CHUNKS - 1 ? LAST : CHUNK;
            GPU_MUST(cudaMemcpyAsync(d_n, &numbers[k], sizeof *d_n,
                                     cudaMemcpyHostToDevice, stream));
            GPU_MUST(cudaMemcpyAsync(d_chunk, in + k * CHUNK,
                                     numbers[k] * sizeof *in,
                                     cudaMemcpyHostToDevice, stream));
            GPU_MUST(cudaGraphLaunch(exec, stream));
            GPU_MUST(cudaMemcpyAsync(&numbers[CHUNKS + k], d_count,
                                     sizeof *d_count, cudaMemcpyDeviceToHost,
                                     stream));
        }
        GPU_MUST(cudaMemcpyAsync(&numbers[2 * CHUNKS], d_position,
                                 sizeof *d_position, cudaMemcpyDeviceToHost,
                                 stream));
        gpu_wait(stream);
        for (int k = 0; k < CHUNKS; k++)
            counted += numbers[CHUNKS + k];
        check_replayed(in, out, capacity, counted, numbers[2 * CHUNKS]);
        GPU_MUST(cudaGraphExecDestroy(exec));
    }
    GPU_MUST(cudaFreeHost(numbers));
    GPU_MUST(cudaFreeHost(out));
    GPU_MUST(cudaFreeHost(in));
    winnow_condition_destroy(condition);
    gpu_free(d_words);
    gpu_free(d_chunk);
}

/* -------------------------------------------------------------------- errors */

static const char *const functions[] = {"cudaMalloc",
                                        "cudaMallocHost",
                                        "cudaMemcpyAsync",
                                        "cudaEventCreateWithFlags",
                                        "cudaEventRecord",
                                        "cudaEventSynchronize",
                                        "cudaStreamWaitEvent",
                                        "cudaStreamCreateWithFlags",
                                        "cudaStreamSynchronize",
                                        "cudaPointerGetAttributes",
                                        "cudaHostRegister",
                                        "cudaHostUnregister",
                                        "cudaThreadExchangeStreamCaptureMode",
                                        "cudaLaunchKernelExC",
                                        "cudaFree",
                                        "cudaFreeHost",
                                        "cudaEventDestroy",
                                        "cudaStreamDestroy"};

/* One pipe of items that begin with a number: those below 20 of 100 are kept.
 * Small items are staged by the thread that feeds; large ones go by pieces,
 * which several threads bring if there are several. */
struct life {
    const struct backend *backend;
    uint64_t n, fed; /* items that there are, and that are said to be */
    uint32_t item_bytes, chunk_items, flags, threads;
    unsigned char *in, *expected;
    uint64_t kept;
    FILE *file; /* that has them; NULL: memory has */
    unsigned char *out;
    uint64_t written; /* says the pipe */
};

static void begin_life(struct life *l) {
    l->in = calloc(l->n, l->item_bytes);
    l->expected = calloc(l->n, l->item_bytes);
    l->out = malloc(l->n * l->item_bytes);
    cr_assert(l->in != NULL && l->expected != NULL && l->out != NULL);
    l->fed = l->n;
    l->kept = 0;
    for (uint64_t i = 0; i < l->n; i++) {
        const int32_t number = (int32_t)(data_random(5, i) % 100);
        unsigned char *const item = l->in + i * l->item_bytes;
        memcpy(item, &number, sizeof number);
        memcpy(item + l->item_bytes - sizeof number, &number, sizeof number);
        if (number < 20)
            memcpy(l->expected + l->kept++ * l->item_bytes, item,
                   l->item_bytes);
    }
}

static void end_life(struct life *l) {
    free(l->out);
    free(l->expected);
    free(l->in);
}

/* Whatever fails: its error, and what it says is written. */
static winnow_status live(struct life *l) {
    const winnow_field field = {.name = "x", .type = WINNOW_INT32};
    const winnow_pipe_column column = {.type = WINNOW_INT32};
    const winnow_pipe_input input = {.element_bytes = l->item_bytes};
    const winnow_pipe_output output = {.memory = l->out, .capacity = l->n};
    const winnow_pipe_options options = {
        .size = sizeof options,
        .chunk_bytes = (uint64_t)l->chunk_items * l->item_bytes,
        .threads = l->threads,
        .flags = l->flags};
    const void *const inputs[] = {l->in};
    const winnow_pipe_file file = {.fd =
                                       l->file == NULL ? -1 : fileno(l->file)};
    winnow_pipe_state state = {.size = sizeof state};
    winnow_condition *condition;
    winnow_pipe *pipe = NULL;
    memset(l->out, 0xff, l->n * l->item_bytes);
    cr_assert_eq(winnow_condition_parse(&condition, &field, 1, "x < 20"),
                 WINNOW_OK);
    winnow_status status =
        winnow_pipe_create(&pipe, l->backend->context, condition, &column, 1,
                           &input, 1, &output, 1, &options);
    if (status == WINNOW_OK)
        status = l->file != NULL ? winnow_pipe_feed_file(pipe, &file, l->fed)
                                 : winnow_pipe_feed(pipe, inputs, l->fed);
    if (status == WINNOW_OK)
        status = winnow_pipe_finish(pipe, NULL);
    l->written = 0;
    if (pipe != NULL) {
        cr_assert_eq(winnow_pipe_get_state(pipe, &state), WINNOW_OK);
        cr_assert(status != WINNOW_OK || state.items == l->n);
        l->written = state.kept;
    }
    winnow_pipe_destroy(pipe);
    winnow_condition_destroy(condition);
    return status;
}

/* What makes a thing, and what ends it: without those that failed, as many. */
static const char *const pairs[][2] = {
    {"cudaMalloc", "cudaFree"},
    {"cudaMallocHost", "cudaFreeHost"},
    {"cudaHostRegister", "cudaHostUnregister"},
    {"cudaEventCreateWithFlags", "cudaEventDestroy"},
    {"cudaStreamCreateWithFlags", "cudaStreamDestroy"}};
enum {
    PAIRS = sizeof pairs / sizeof pairs[0]
};

static void count_alive(unsigned alive[PAIRS]) {
    for (int p = 0; p < PAIRS; p++)
        alive[p] = simt_calls(pairs[p][0]) - simt_calls(pairs[p][1]);
}

static void check_alive(const unsigned before[PAIRS], const char *failed) {
    unsigned alive[PAIRS];
    count_alive(alive);
    for (int p = 0; p < PAIRS; p++) {
        if (failed != NULL && strcmp(failed, pairs[p][0]) == 0)
            alive[p]--;
        cr_assert_eq(alive[p], before[p], "%s fails: of %s, %d are left",
                     failed == NULL ? "nothing" : failed, pairs[p][0],
                     (int)(alive[p] - before[p]));
    }
}

/* Call k of a function fails: there is an error, what is said to be written is,
 * and nothing is left. False: there is no such call. */
static bool live_and_fail(struct life *l, const char *function, unsigned k) {
    const bool frees =
        strstr(function, "Free") != NULL || strstr(function, "Destroy") != NULL;
    const bool allocates = strstr(function, "Malloc") != NULL;
    const unsigned before = simt_calls(function);
    unsigned alive[PAIRS];
    count_alive(alive);
    simt_fail(function,
              allocates ? cudaErrorMemoryAllocation : cudaErrorUnknown, k);
    const winnow_status status = live(l);
    const bool failed = simt_calls(function) - before > k;
    simt_fail(function, cudaSuccess, 0);
    check_alive(alive, failed ? function : NULL);
    cr_assert(status == WINNOW_OK ? !failed || frees || l->written == l->kept
                                  : failed,
              "%s, call %u: %s", function, k, winnow_last_error());
    cr_assert(status == WINNOW_OK ||
                  status == (allocates ? WINNOW_ERR_MEMORY : WINNOW_ERR_CUDA),
              "%s, call %u: %s", function, k, winnow_last_error());
    cr_assert(l->written <= l->kept &&
                  memcmp(l->out, l->expected, l->written * l->item_bytes) == 0,
              "%s, call %u: what is written is wrong", function, k);
    return failed;
}

/* Each call of each function fails once: nothing hangs, and the next pipe
 * works. */
GPU_TEST(pipe_schedules, LONG(each_call_fails)) {
    static const struct {
        uint32_t item_bytes, chunk_items;
    } sizes[] = {{4, 24}, {16, 4096}};
    for (unsigned s = 0; s < 2; s++) {
        struct life l = {.backend = backend,
                         .n = sizes[s].chunk_items * 2 + 3,
                         .item_bytes = sizes[s].item_bytes,
                         .chunk_items = sizes[s].chunk_items,
                         .threads = 1};
        begin_life(&l);
        /* The first call makes what the context keeps. */
        cr_assert_eq(live(&l), WINNOW_OK);
        for (size_t f = 0; f < sizeof functions / sizeof functions[0]; f++) {
            unsigned k = 0;
            bool failed = true;
            l.flags = strstr(functions[f], "egister") != NULL
                          ? WINNOW_PIPE_REGISTER
                          : 0;
            for (; failed; k++) {
                simt_seed(100 * f + k);
                failed = live_and_fail(&l, functions[f], k);
            }
            cr_assert(k > 1, "%s is never called", functions[f]);
        }
        end_life(&l);
    }
}

/* The same where several threads bring pieces, of which any may be the one that
 * fails while the others go on; and a file that ends too early for one. */
GPU_TEST(pipe_schedules, threads_fail) {
    static const char *const called[] = {
        "cudaMallocHost", "cudaEventSynchronize", "cudaMemcpyAsync",
        "cudaEventRecord", "cudaThreadExchangeStreamCaptureMode"};
    struct life l = {.backend = backend,
                     .n = 4 * 4096,
                     .item_bytes = 16,
                     .chunk_items = 4096,
                     .threads = 3};
    begin_life(&l);
    cr_assert_eq(live(&l), WINNOW_OK, "%s", winnow_last_error());
    for (size_t f = 0; f < sizeof called / sizeof called[0]; f++)
        for (unsigned k = 0; live_and_fail(&l, called[f], k); k++)
            ;
    l.file = tmpfile();
    cr_assert(l.file != NULL &&
              fwrite(l.in, l.item_bytes, l.n, l.file) == l.n &&
              fflush(l.file) == 0);
    cr_assert_eq(live(&l), WINNOW_OK, "%s", winnow_last_error());
    cr_assert_eq(l.written, l.kept);
    for (uint64_t missing = 1; missing < 8192; missing *= 30) {
        l.fed = l.n + missing;
        cr_assert_eq(live(&l), WINNOW_ERR_FILE);
        cr_assert(strstr(winnow_last_error(), "ends before element 16384") !=
                      NULL,
                  "%s", winnow_last_error());
        cr_assert(memcmp(l.out, l.expected, l.written * l.item_bytes) == 0);
    }
    fclose(l.file);
    end_life(&l);
}
