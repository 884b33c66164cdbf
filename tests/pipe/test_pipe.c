/*
 * Pipes: what comes out of them, whatever is fed to them and how, and what they
 * say of errors.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "data.h"
#include "piped.h"
#include "reduced.h"
#include "suite.h"

/* Every kind of input with every kind of output, in chunks of a few items and
 * of many, in pieces from one item on. */
BACKEND_TEST(pipe, all_ways) {
    static const uint64_t chunks[] = {1, 700, 5000, 60000, 0};
    static const uint64_t sizes[] = {0, 1, 63, 1000, 5003};
    const uint64_t item_bytes = sizeof(int32_t) + sizeof(struct piped_record);
    const uint64_t most_chunks = reduced_mode() ? 5 : 300;
    unsigned number = 0;
    for (int feed = 0; feed < PIPED_FEEDS; feed++)
        for (int target = 0; target < PIPED_TARGETS; target++) {
            const uint64_t chunk = chunks[number % 5];
            const uint64_t most = most_chunks * (chunk / item_bytes + 1);
            const uint64_t size = sizes[(number / 2) % 5];
            struct piped piped = {
                .backend = backend,
                .n = chunk != 0 && size > most ? most : size,
                .seed = number + 1,
                .threshold = (int)(number * 37 % 101),
                .feed = (enum piped_feed)feed,
                .target = (enum piped_target)target,
                .piece = number % 3 == 0   ? 0
                         : number % 3 == 1 ? 1
                                           : 300,
                .without_selection = number % 4 == 3,
                .options = {.chunk_bytes = chunk,
                            .buffers = number % 7 == 6 ? 2 : 0,
                            .threads = number % 5 == 4}};
            struct report report = {{0}};
            cr_assert(piped_check(&piped, &report),
                      "feed %d, target %d, chunk %llu, n %llu: %s", feed,
                      target, (unsigned long long)chunk,
                      (unsigned long long)piped.n, report.text);
            number++;
        }
}

/* Files that are mapped, and memory that is registered; each where it has a
 * meaning, and where it has none. */
BACKEND_TEST(pipe, flags) {
    static const uint32_t flags[] = {WINNOW_PIPE_MAP, WINNOW_PIPE_REGISTER,
                                     WINNOW_PIPE_REGISTER |
                                         WINNOW_PIPE_ASYNCHRONOUS};
    for (int feed = 0; feed < PIPED_FEEDS; feed++)
        for (unsigned f = 0; f < 3; f++) {
            const struct piped piped = {
                .backend = backend,
                .n = 3000,
                .seed = f + 1,
                .threshold = 50,
                .feed = (enum piped_feed)feed,
                .target = PIPED_TO_MEMORY,
                .piece = feed % 2 == 0 ? 1500 : 0,
                .without_selection = f != 0,
                .options = {.chunk_bytes = 9000, .flags = flags[f]}};
            struct report report = {{0}};
            cr_assert(piped_check(&piped, &report), "feed %d, flags %#x: %s",
                      feed, (unsigned)flags[f], report.text);
        }
}

/* A capacity cuts what is in memory, and the count is the true one. */
BACKEND_TEST(pipe, capacity) {
    for (int target = PIPED_TO_MEMORY; target <= PIPED_TO_DEVICE; target++)
        for (uint64_t capacity = 1; capacity < 1000;
             capacity = 5 * capacity + 2)
            MUST(
                piped_check(&(struct piped){.backend = backend,
                                            .n = 900,
                                            .seed = 7,
                                            .threshold = 50,
                                            .target = (enum piped_target)target,
                                            .capacity = capacity,
                                            .options = {.chunk_bytes = 8000}},
                            report));
}

/* ------------------------------------------------------------------- errors */

/* Of one input of int32, of which those below 50 are kept. */
static winnow_pipe *open_pipe(const struct backend *backend,
                              winnow_condition **condition_p,
                              const winnow_pipe_output *output,
                              winnow_pipe_options options) {
    const winnow_field field = {.name = "x", .type = WINNOW_INT32};
    const winnow_pipe_column column = {.type = WINNOW_INT32};
    const winnow_pipe_input input = {.element_bytes = 4};
    winnow_pipe *pipe = NULL;
    options.size = sizeof options;
    cr_assert_eq(winnow_condition_parse(condition_p, &field, 1, "x < 50"),
                 WINNOW_OK);
    cr_assert_eq(winnow_pipe_create(&pipe, backend->context, *condition_p,
                                    &column, 1, &input, 1, output, 1, &options),
                 WINNOW_OK, "%s", winnow_last_error());
    return pipe;
}

static void close_pipe(winnow_pipe *pipe, winnow_condition *condition) {
    winnow_pipe_destroy(pipe);
    winnow_condition_destroy(condition);
}

enum {
    N = 4000
};

static int32_t *make_numbers(void) {
    int32_t *const numbers = must_alloc(N * sizeof *numbers);
    for (int i = 0; i < N; i++)
        numbers[i] = i % 100;
    return numbers;
}

/* How many of the first items are kept. */
static uint64_t kept_of(uint64_t items) {
    const uint64_t rest = items % 100;
    return items / 100 * 50 + (rest < 50 ? rest : 50);
}

/* Feed all and finish; the first error is the pipe's ever after. */
static winnow_status run(winnow_pipe *pipe, const int32_t *numbers) {
    const void *const inputs[] = {numbers};
    winnow_pipe_state state = {.size = sizeof state};
    winnow_status status = winnow_pipe_feed(pipe, inputs, N);
    if (status == WINNOW_OK)
        status = winnow_pipe_finish(pipe, NULL);
    if (status == WINNOW_OK)
        return status;
    char detail[512];
    snprintf(detail, sizeof detail, "%s", winnow_last_error());
    cr_assert_eq(winnow_pipe_feed(pipe, inputs, N), status);
    cr_assert_str_eq(winnow_last_error(), detail);
    cr_assert_eq(winnow_pipe_finish(pipe, NULL), status);
    cr_assert_eq(winnow_pipe_get_state(pipe, &state), WINNOW_OK);
    cr_assert(state.items <= state.fed && state.fed <= N);
    cr_assert_eq(state.kept, kept_of(state.items));
    return status;
}

struct stop {
    unsigned calls, after;
    uint64_t items;
};

static int stop_progress(void *user, const winnow_pipe_state *state) {
    struct stop *const stop = user;
    cr_assert(state->items >= stop->items);
    stop->items = state->items;
    return stop->calls++ == stop->after;
}

static int stop_write(void *user, const void *elements, uint64_t n) {
    struct stop *const stop = user;
    (void)elements;
    cr_assert(n > 0);
    return stop->calls++ == stop->after;
}

static int stop_read(void *user, void *const *elements, uint64_t n,
                     uint64_t *n_p) {
    struct stop *const stop = user;
    memset(elements[0], 0, n * 4);
    *n_p = stop->after == 99 ? n + 1 : n;
    return stop->calls++ == stop->after;
}

BACKEND_TEST(pipe, stopped) {
    int32_t *const numbers = make_numbers();
    int32_t *const out = must_alloc(N * sizeof *out);
    for (unsigned after = 0; after < 4; after++) {
        struct stop stop = {.after = after};
        winnow_condition *condition;
        const winnow_pipe_output to_function = {.target =
                                                    WINNOW_PIPE_TO_FUNCTION,
                                                .write = stop_write,
                                                .user = &stop};
        const winnow_pipe_output to_memory = {.memory = out, .capacity = N};
        winnow_pipe *pipe =
            open_pipe(backend, &condition, &to_function,
                      (winnow_pipe_options){.chunk_bytes = 800});
        cr_assert_eq(run(pipe, numbers), WINNOW_ERR_STOPPED);
        cr_assert_eq(stop.calls, after + 1);
        close_pipe(pipe, condition);

        stop = (struct stop){.after = after};
        pipe = open_pipe(backend, &condition, &to_memory,
                         (winnow_pipe_options){.chunk_bytes = 800});
        cr_assert_eq(winnow_pipe_feed_read(pipe, stop_read, &stop),
                     WINNOW_ERR_STOPPED);
        close_pipe(pipe, condition);
    }
    struct stop stop = {.after = 0};
    winnow_condition *condition;
    const winnow_pipe_output to_memory = {.memory = out, .capacity = N};
    winnow_pipe *pipe = open_pipe(
        backend, &condition, &to_memory,
        (winnow_pipe_options){
            .chunk_bytes = 800, .progress = stop_progress, .user = &stop});
    cr_assert_eq(run(pipe, numbers), WINNOW_ERR_STOPPED);
    for (uint64_t k = 0; k < kept_of(stop.items); k++)
        cr_assert_eq(out[k], (int32_t)(k / 50 * 0 + k % 50));
    close_pipe(pipe, condition);

    stop = (struct stop){.after = 99};
    pipe = open_pipe(backend, &condition, &to_memory,
                     (winnow_pipe_options){.chunk_bytes = 800});
    cr_assert_eq(winnow_pipe_feed_read(pipe, stop_read, &stop),
                 WINNOW_ERR_ARGUMENT);
    close_pipe(pipe, condition);
    free(out);
    free(numbers);
}

/* A pipe whose reader is gone, and a disk that is full. */
BACKEND_TEST(pipe, no_room) {
    int32_t *const numbers = make_numbers();
    const int full = open("/dev/full", O_WRONLY);
    int ends[2];
    signal(SIGPIPE, SIG_IGN);
    cr_assert_eq(pipe(ends), 0);
    close(ends[0]);
    for (int k = 0; k < (full < 0 ? 1 : 2); k++) {
        winnow_pipe_state state = {.size = sizeof state};
        winnow_condition *condition;
        const winnow_pipe_output output = {.target = WINNOW_PIPE_TO_STREAM,
                                           .fd = k == 0 ? ends[1] : full};
        winnow_pipe *pipe =
            open_pipe(backend, &condition, &output,
                      (winnow_pipe_options){.chunk_bytes = 800});
        cr_assert_eq(run(pipe, numbers), WINNOW_ERR_FILE);
        cr_assert_eq(winnow_pipe_get_state(pipe, &state), WINNOW_OK);
        cr_assert_eq(state.error_number, k == 0 ? EPIPE : ENOSPC);
        cr_assert_eq(state.failed, WINNOW_PIPE_FAILED_OUTPUT);
        cr_assert_eq(state.items, 0u);
        close_pipe(pipe, condition);
    }
    close(ends[1]);
    if (full >= 0)
        close(full);
    free(numbers);
}

/* Files that end too early, or cannot be read. */
BACKEND_TEST(pipe, short_files) {
    int32_t *const numbers = make_numbers();
    int32_t *const out = must_alloc(N * sizeof *out);
    const winnow_pipe_output output = {.memory = out, .capacity = N};
    FILE *const file = tmpfile();
    cr_assert(file != NULL && fwrite(numbers, 4, 1000, file) == 1000 &&
              fwrite("abc", 1, 3, file) == 3 && fflush(file) == 0);
    for (int k = 0; k < 6; k++) {
        const winnow_pipe_file input = {
            .fd = k == 5 ? -1 : fileno(file), .in_order = k % 2, .offset = 0};
        winnow_pipe_state state = {.size = sizeof state};
        winnow_condition *condition;
        winnow_pipe *pipe =
            open_pipe(backend, &condition, &output,
                      (winnow_pipe_options){.chunk_bytes = 800});
        cr_assert_eq(lseek(fileno(file), 0, SEEK_SET), 0);
        const uint64_t n = k < 2 ? 1001 : k < 4 ? WINNOW_NO_LIMIT : 2000;
        cr_assert_eq(winnow_pipe_feed_file(pipe, &input, n), WINNOW_ERR_FILE,
                     "case %d: %s", k, winnow_last_error());
        cr_assert_eq(winnow_pipe_finish(pipe, NULL), WINNOW_ERR_FILE);
        cr_assert_eq(winnow_pipe_get_state(pipe, &state), WINNOW_OK);
        cr_assert_eq(state.error_number, k == 5 ? EBADF : 0);
        cr_assert_eq(state.failed, 0u);
        cr_assert(state.items <= 1000 && state.kept == kept_of(state.items));
        close_pipe(pipe, condition);
    }
    fclose(file);
    free(out);
    free(numbers);
}

static winnow_status create(const struct backend *backend,
                            const winnow_pipe_column *column,
                            const winnow_pipe_input *input,
                            const winnow_pipe_output *output,
                            const winnow_pipe_options *options) {
    const winnow_field field = {.name = "x", .type = WINNOW_INT32};
    winnow_condition *condition;
    winnow_pipe *pipe = NULL;
    cr_assert_eq(winnow_condition_parse(&condition, &field, 1, "x < 50"),
                 WINNOW_OK);
    winnow_status status =
        winnow_pipe_create(&pipe, backend->context, condition, column, 1, input,
                           1, output, 1, options);
    winnow_pipe_destroy(pipe);
    winnow_condition_destroy(condition);
    return status;
}

BACKEND_TEST(pipe, wrong_arguments) {
    char memory[8];
    const winnow_pipe_column good_column = {.type = WINNOW_INT32};
    const winnow_pipe_input good_input = {.element_bytes = 4};
    const winnow_pipe_output good_output = {.memory = memory, .capacity = 2};
    const winnow_pipe_options good = {.size = sizeof good};
    static const struct {
        winnow_pipe_column column;
        winnow_pipe_input input;
        winnow_pipe_output output;
        winnow_pipe_options options;
        winnow_status status;
        const char *text;
    } cases[] = {
        {.column = {.type = WINNOW_INT64}, .text = "offset_bytes"},
        {.column = {.type = WINNOW_INT16}, .text = "columns[0]"},
        {.column = {.type = WINNOW_BIT},
         .status = WINNOW_ERR_UNSUPPORTED,
         .text = "columns[0].type is bit"},
        {.column = {.type = WINNOW_INT32, .offset_bytes = 1},
         .text = "offset_bytes"},
        {.column = {.type = WINNOW_INT32, .input = 1}, .text = "input is 1"},
        {.column = {.type = WINNOW_OPAQUE, .reserved = {1}}, .text = "columns"},
        {.column = {.type = WINNOW_INT32, .reserved = {0, 1}},
         .text = "reserved"},
        {.input = {.element_bytes = 5000}, .text = "inputs[0].element_bytes"},
        {.input = {.element_bytes = 4, .reserved = {1}}, .text = "reserved"},
        {.output = {.kind = (winnow_pipe_kind)3}, .text = "outputs[0].kind"},
        {.output = {.target = (winnow_pipe_target)4},
         .text = "outputs[0].target"},
        {.output = {.input = 1}, .text = "outputs[0].input"},
        {.output = {.capacity = 1}, .text = "outputs[0].memory"},
        {.output = {.target = WINNOW_PIPE_TO_FUNCTION},
         .text = "outputs[0].write"},
        {.options = {.size = 8}, .text = "options->size"},
        {.options = {.size = sizeof(winnow_pipe_options), .buffers = 1},
         .text = "options->buffers"},
        {.options = {.size = sizeof(winnow_pipe_options), .flags = 8},
         .status = WINNOW_ERR_UNSUPPORTED,
         .text = "options->flags"},
        {.options = {.size = sizeof(winnow_pipe_options),
                     .fetch = (winnow_pipe_fetch)3},
         .text = "options->fetch"},
        {.options = {.size = sizeof(winnow_pipe_options), .selectivity = 2},
         .text = "options->selectivity"},
        {.options = {.size = sizeof(winnow_pipe_options), .reserved = {1}},
         .text = "options->reserved"},
    };
    cr_assert_eq(
        create(backend, &good_column, &good_input, &good_output, &good),
        WINNOW_OK, "%s", winnow_last_error());
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        const bool has_column = k < 7, has_input = k >= 7 && k < 9,
                   has_output = k >= 9 && k < 14;
        const winnow_status status =
            create(backend, has_column ? &cases[k].column : &good_column,
                   has_input ? &cases[k].input : &good_input,
                   has_output ? &cases[k].output : &good_output,
                   k >= 14 ? &cases[k].options : NULL);
        cr_assert_eq(status,
                     cases[k].status != WINNOW_OK ? cases[k].status
                                                  : WINNOW_ERR_ARGUMENT,
                     "case %zu: %s", k, winnow_last_error());
        cr_assert(strstr(winnow_last_error(), cases[k].text) != NULL,
                  "case %zu: %s", k, winnow_last_error());
    }
    winnow_pipe_destroy(NULL);
    cr_assert_eq(winnow_pipe_feed(NULL, NULL, 0), WINNOW_ERR_ARGUMENT);
    cr_assert_eq(winnow_pipe_finish(NULL, NULL), WINNOW_ERR_ARGUMENT);
    cr_assert_eq(winnow_pipe_get_state(NULL, NULL), WINNOW_ERR_ARGUMENT);
}

/* What has ended takes nothing more. */
BACKEND_TEST(pipe, ended) {
    int32_t *const numbers = make_numbers();
    winnow_condition *condition;
    const winnow_pipe_output output = {0}; /* without room: it is counted */
    winnow_pipe *const pipe =
        open_pipe(backend, &condition, &output, (winnow_pipe_options){0});
    const void *const inputs[] = {numbers};
    uint64_t count;
    cr_assert_eq(winnow_pipe_feed(pipe, NULL, 1), WINNOW_ERR_ARGUMENT);
    cr_assert_eq(winnow_pipe_feed(pipe, inputs, UINT64_MAX / 4),
                 WINNOW_ERR_ARGUMENT);
    cr_assert_eq(winnow_pipe_feed(pipe, inputs, N), WINNOW_OK, "%s",
                 winnow_last_error());
    cr_assert_eq(winnow_pipe_finish(pipe, &count), WINNOW_OK);
    cr_assert_eq(count, kept_of(N));
    cr_assert_eq(winnow_pipe_finish(pipe, &count), WINNOW_ERR_ARGUMENT);
    cr_assert_eq(winnow_pipe_feed(pipe, inputs, N), WINNOW_ERR_ARGUMENT);
    close_pipe(pipe, condition);
    free(numbers);
}

#ifndef WINNOW_SIMT
/* A page that the first thread to write it waits for. What is done by then. */
static void *slow_page;
static long page_bytes;
static winnow_pipe *slow_pipe;
static winnow_pipe_state slow_state;

static void be_slow(int signal_number) {
    const struct timespec time = {.tv_nsec = 50000000};
    (void)signal_number;
    nanosleep(&time, NULL);
    slow_state.size = sizeof slow_state;
    if (winnow_pipe_get_state(slow_pipe, &slow_state) != WINNOW_OK)
        _exit(1);
    if (mprotect(slow_page, (size_t)page_bytes, PROT_READ | PROT_WRITE) != 0)
        _exit(1);
}

/* A thread is slow to write what is kept of the first piece, while another
 * writes others. Nothing is done until the first is. */
Test(pipe, slow_output_host) {
    struct backend backend;
    int32_t *const numbers = make_numbers();
    winnow_condition *condition;
    uint64_t count = 0;
    backend_open_host(&backend);
    cr_assert_eq(winnow_context_set_threads(backend.context, 2), WINNOW_OK);
    page_bytes = sysconf(_SC_PAGESIZE);
    unsigned char *const memory =
        mmap(NULL, (size_t)page_bytes + N * sizeof(int32_t),
             PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert(memory != MAP_FAILED);
    int32_t *const out = (int32_t *)(memory + page_bytes) - 4;
    slow_page = memory;
    cr_assert_eq(mprotect(memory, (size_t)page_bytes, PROT_NONE), 0);
    cr_assert_eq(
        sigaction(SIGSEGV, &(struct sigaction){.sa_handler = be_slow}, NULL),
        0);
    const winnow_pipe_output output = {.memory = out, .capacity = N};
    winnow_pipe *const pipe =
        open_pipe(&backend, &condition, &output,
                  (winnow_pipe_options){.chunk_bytes = 4 * sizeof(int32_t)});
    const void *const inputs[] = {numbers};
    slow_pipe = pipe;
    cr_assert_eq(winnow_pipe_feed(pipe, inputs, N), WINNOW_OK, "%s",
                 winnow_last_error());
    cr_assert_eq(slow_state.items, 0, "%llu",
                 (unsigned long long)slow_state.items);
    cr_assert_gt(slow_state.fed, 0);
    cr_assert_eq(winnow_pipe_finish(pipe, &count), WINNOW_OK);
    cr_assert_eq(count, kept_of(N), "%llu", (unsigned long long)count);
    for (uint64_t i = 0, k = 0; i < N; i++)
        if (numbers[i] < 50) {
            cr_assert_eq(out[k], numbers[i]);
            k++;
        }
    close_pipe(pipe, condition);
    munmap(memory, (size_t)page_bytes + N * sizeof(int32_t));
    backend_close(&backend);
    free(numbers);
}
#endif
