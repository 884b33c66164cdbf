/*
 * A pipe under test.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "piped.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "data.h"

#ifdef WINNOW_CUDA
#include "gpu.h"
#endif

enum {
    OUTPUTS = 4, /* keys, records, indices, a mask */
    INPUTS = 2,
    GUARD = 0x5b
};

/* What the items are, and what comes out of them. */
struct items {
    int32_t *key;
    struct piped_record *record;
    uint64_t kept;
    void *expected[OUTPUTS];
    size_t bytes[OUTPUTS]; /* of an element */
    uint64_t count[OUTPUTS];
};

/* An output while it is written. */
struct sink {
    FILE *file;
    unsigned char *memory; /* on the device, or the host's, or what a function
                              has collected */
    size_t room;           /* in bytes */
    size_t bytes;          /* that a function has collected */
    size_t element_bytes;
    bool on_device;
};

static const int least_weight = -9000;

static bool keeps(const struct piped *p, const struct items *items,
                  uint64_t i) {
    return items->key[i] < p->threshold &&
           (p->key_alone || items->record[i].weight > least_weight);
}

static void make_items(const struct piped *p, struct items *items) {
    const uint64_t n = p->n;
    items->key = must_alloc(n * sizeof *items->key + 1);
    items->record = must_alloc(n * sizeof *items->record + 1);
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t bits = data_random(p->seed, i);
        items->key[i] = (int32_t)(bits % 100);
        items->record[i] = (struct piped_record){
            .id = (uint32_t)(bits >> 20),
            .weight = (int16_t)(bits >> 8),
            .rest = {(uint16_t)i, (uint16_t)(bits >> 30), 7}};
    }
    items->kept = 0;
    for (unsigned o = 0; o < OUTPUTS; o++)
        items->expected[o] = must_alloc(n * sizeof *items->record + 1);
    int32_t *const key = items->expected[0];
    struct piped_record *const record = items->expected[1];
    uint64_t *const index = items->expected[2];
    unsigned char *const mask = items->expected[3];
    for (uint64_t i = 0; i < n; i++) {
        mask[i] = keeps(p, items, i);
        if (!mask[i])
            continue;
        key[items->kept] = items->key[i];
        record[items->kept] = items->record[i];
        index[items->kept++] = i;
    }
    const size_t bytes[OUTPUTS] = {sizeof *key, sizeof *record, sizeof *index,
                                   1};
    for (unsigned o = 0; o < OUTPUTS; o++) {
        items->bytes[o] = bytes[o];
        items->count[o] = o == 3 ? n : items->kept;
    }
}

static void free_items(struct items *items) {
    for (unsigned o = 0; o < OUTPUTS; o++)
        free(items->expected[o]);
    free(items->record);
    free(items->key);
}

/* ------------------------------------------------------------------- memory */

#ifdef WINNOW_CUDA
static void *allocate_pinned(size_t bytes) {
    void *memory;
    GPU_MUST(cudaMallocHost(&memory, bytes));
    return memory;
}
#endif

static void *allocate(const struct piped *p, bool reached, bool on_device,
                      size_t bytes) {
#ifdef WINNOW_CUDA
    if (p->backend->gpu && reached)
        return allocate_pinned(bytes + 1);
    if (p->backend->gpu && on_device)
        return gpu_alloc(bytes + 1);
#endif
    (void)p;
    (void)reached;
    (void)on_device;
    return must_alloc(bytes + 1);
}

static void release(const struct piped *p, bool reached, bool on_device,
                    void *memory) {
#ifdef WINNOW_CUDA
    if (p->backend->gpu && reached) {
        GPU_MUST(cudaFreeHost(memory));
        return;
    }
    if (p->backend->gpu && on_device) {
        gpu_free(memory);
        return;
    }
#endif
    (void)p;
    (void)reached;
    (void)on_device;
    free(memory);
}

/* ------------------------------------------------------------------ outputs */

static int collect(void *user, const void *elements, uint64_t n) {
    struct sink *const sink = user;
    const size_t bytes = n * sink->element_bytes;
    if (bytes == 0 || bytes > sink->room - sink->bytes)
        return 1;
    memcpy(sink->memory + sink->bytes, elements, bytes);
    sink->bytes += bytes;
    return 0;
}

static void open_sink(const struct piped *p, const struct items *items,
                      unsigned o, struct sink *sink,
                      winnow_pipe_output *output) {
    const bool to_device =
        p->target == PIPED_TO_DEVICE && o < 2 && p->backend->gpu;
    const uint64_t capacity = p->capacity != 0 ? p->capacity : items->count[o];
    *sink =
        (struct sink){.element_bytes = items->bytes[o], .on_device = to_device};
    *output = (winnow_pipe_output){.kind = o < 2    ? WINNOW_PIPE_ELEMENTS
                                           : o == 2 ? WINNOW_PIPE_INDICES
                                                    : WINNOW_PIPE_MASK,
                                   .input = o < 2 ? o : 0};
    sink->room = items->count[o] * items->bytes[o] + 64;
    switch (p->target) {
    case PIPED_TO_MEMORY:
    case PIPED_TO_REACHED:
    case PIPED_TO_DEVICE:
        sink->memory =
            allocate(p, p->target == PIPED_TO_REACHED, to_device, sink->room);
        unsigned char *const guard = must_alloc(sink->room);
        memset(guard, GUARD, sink->room);
        if (to_device)
            backend_upload(p->backend, sink->memory, guard, sink->room);
        else
            memcpy(sink->memory, guard, sink->room);
        free(guard);
        output->target = WINNOW_PIPE_TO_MEMORY;
        output->memory = sink->memory;
        output->capacity = capacity;
        return;
    case PIPED_TO_FILE:
    case PIPED_TO_STREAM:
        sink->file = tmpfile();
        if (sink->file == NULL || ftruncate(fileno(sink->file), 5) != 0 ||
            lseek(fileno(sink->file), 5, SEEK_SET) != 5)
            abort();
        output->target = p->target == PIPED_TO_FILE ? WINNOW_PIPE_TO_FILE
                                                    : WINNOW_PIPE_TO_STREAM;
        output->fd = fileno(sink->file);
        output->offset = p->target == PIPED_TO_FILE ? 5 : 77;
        return;
    default:
        sink->memory = must_alloc(sink->room);
        output->target = WINNOW_PIPE_TO_FUNCTION;
        output->write = collect;
        output->user = sink;
        return;
    }
}

/* What was written, and how many bytes of it count. */
static unsigned char *contents(const struct piped *p, struct sink *sink,
                               size_t *bytes_p) {
    unsigned char *const all = must_alloc(sink->room);
    *bytes_p = sink->room;
    if (sink->file != NULL) {
        const ssize_t got = pread(fileno(sink->file), all, sink->room, 5);
        *bytes_p = got > 0 ? (size_t)got : 0;
    } else if (p->target == PIPED_TO_FUNCTION) {
        *bytes_p = sink->bytes;
        memcpy(all, sink->memory, sink->bytes);
    } else if (sink->on_device) {
        backend_download(p->backend, all, sink->memory, sink->room);
    } else {
        memcpy(all, sink->memory, sink->room);
    }
    return all;
}

static void close_sink(const struct piped *p, struct sink *sink) {
    if (sink->file != NULL)
        fclose(sink->file);
    else
        release(p,
                p->target == PIPED_TO_REACHED && p->target != PIPED_TO_FUNCTION,
                sink->on_device, sink->memory);
}

static bool check_sink(const struct piped *p, const struct items *items,
                       unsigned o, struct sink *sink, struct report *report) {
    size_t bytes;
    unsigned char *const all = contents(p, sink, &bytes);
    const bool in_memory = p->target <= PIPED_TO_DEVICE;
    uint64_t count = items->count[o];
    if (in_memory && p->capacity != 0 && p->capacity < count)
        count = p->capacity;
    const size_t wanted = count * items->bytes[o];
    bool ok = true;
    if (in_memory) {
        for (size_t i = wanted; i < bytes && ok; i++)
            if (all[i] != GUARD)
                ok = report_fail(report,
                                 "output %u: byte %zu behind %zu is "
                                 "written",
                                 o, i, wanted);
    } else if (bytes != wanted) {
        ok = report_fail(report, "output %u: %zu bytes, and not %zu", o, bytes,
                         wanted);
    }
    for (size_t i = 0; i < wanted && ok; i++)
        if (all[i] != ((const unsigned char *)items->expected[o])[i])
            ok = report_fail(report, "output %u: byte %zu of %zu is wrong", o,
                             i, wanted);
    free(all);
    return ok;
}

/* -------------------------------------------------------------------- feeds */

struct reader {
    const struct items *items;
    uint64_t at, n, seed;
};

static int read_items(void *user, void *const *elements, uint64_t n,
                      uint64_t *n_p) {
    struct reader *const r = user;
    uint64_t take = 1 + data_random(r->seed, r->at) % 1000;
    if (take > n)
        take = n;
    if (take > r->n - r->at)
        take = r->n - r->at;
    memcpy(elements[0], r->items->key + r->at, take * sizeof(int32_t));
    memcpy(elements[1], r->items->record + r->at,
           take * sizeof(struct piped_record));
    r->at += take;
    *n_p = take;
    return 0;
}

/* What was fed is the caller's again, unless the pipe may keep it. */
static void spoil(const struct piped *p, int32_t *key,
                  struct piped_record *record, uint64_t n) {
    if (p->feed == PIPED_DEVICE ||
        (p->options.flags & WINNOW_PIPE_ASYNCHRONOUS) != 0)
        return;
    memset(key, 0, n * sizeof *key);
    memset(record, 0x11, n * sizeof *record);
}

static winnow_status feed_memory(const struct piped *p, winnow_pipe *pipe,
                                 int32_t *key, struct piped_record *record) {
    winnow_status status = WINNOW_OK;
    for (uint64_t at = 0; at < p->n && status == WINNOW_OK;) {
        uint64_t n = p->n - at;
        if (p->piece != 0)
            n = data_random(p->seed + 1, at) % (p->piece + 1);
        if (n > p->n - at)
            n = p->n - at;
        const void *const inputs[] = {key + at, record + at};
        status = winnow_pipe_feed(pipe, inputs, n);
        spoil(p, key + at, record + at, n);
        at += n;
        if (n == 0 && p->piece != 0 && at < p->n) { /* and one item */
            const void *const one[] = {key + at, record + at};
            if (status == WINNOW_OK)
                status = winnow_pipe_feed(pipe, one, 1);
            spoil(p, key + at, record + at, 1);
            at++;
        }
    }
    return status;
}

static FILE *file_of(const void *from, size_t bytes, size_t head) {
    FILE *const file = tmpfile();
    const char zeros[16] = {0};
    if (file == NULL || fwrite(zeros, 1, head, file) != head ||
        fwrite(from, 1, bytes, file) != bytes || fflush(file) != 0 ||
        lseek(fileno(file), (off_t)head, SEEK_SET) != (off_t)head)
        abort();
    return file;
}

static winnow_status feed_files(const struct piped *p, winnow_pipe *pipe,
                                const struct items *items) {
    FILE *const keys = file_of(items->key, p->n * sizeof *items->key, 3);
    FILE *const records =
        file_of(items->record, p->n * sizeof *items->record, 8);
    const bool in_order = p->feed == PIPED_STREAM;
    const winnow_pipe_file files[] = {
        {.fd = fileno(keys), .in_order = in_order, .offset = 3},
        {.fd = fileno(records), .in_order = in_order, .offset = 8}};
    /* In two parts, the second to the end. */
    const uint64_t half = in_order ? p->n / 3 : 0;
    winnow_status status = WINNOW_OK;
    if (half != 0)
        status = winnow_pipe_feed_file(pipe, files, half);
    if (status == WINNOW_OK)
        status = winnow_pipe_feed_file(pipe, files, WINNOW_NO_LIMIT);
    fclose(records);
    fclose(keys);
    return status;
}

static winnow_status feed(const struct piped *p, winnow_pipe *pipe,
                          const struct items *items, int32_t *key,
                          struct piped_record *record) {
    struct reader reader = {.items = items, .n = p->n, .seed = p->seed};
    switch (p->feed) {
    case PIPED_MEMORY:
    case PIPED_REACHED:
    case PIPED_DEVICE:
        return feed_memory(p, pipe, key, record);
    case PIPED_FILE:
    case PIPED_STREAM:
        return feed_files(p, pipe, items);
    default:
        return winnow_pipe_feed_read(pipe, read_items, &reader);
    }
}

/* ---------------------------------------------------------------- the whole */

static winnow_status make_condition(const struct piped *p,
                                    winnow_condition **condition_p) {
    const winnow_field fields[] = {{.name = "weight", .type = WINNOW_INT16},
                                   {.name = "key", .type = WINNOW_INT32}};
    char text[64];
    if (p->key_alone)
        snprintf(text, sizeof text, "key < %d", p->threshold);
    else
        snprintf(text, sizeof text, "key < %d and weight > %d", p->threshold,
                 least_weight);
    return winnow_condition_parse(condition_p, fields, 2, text);
}

static bool check_run(const struct piped *p, winnow_pipe *pipe,
                      const struct items *items, int32_t *key,
                      struct piped_record *record, struct report *report) {
    winnow_pipe_state state = {.size = sizeof state};
    uint64_t count = UINT64_MAX;
    winnow_status status = feed(p, pipe, items, key, record);
    if (status == WINNOW_OK)
        status = winnow_pipe_finish(pipe, &count);
    if (status != WINNOW_OK)
        return report_fail(report, "%s: %s", winnow_status_name(status),
                           winnow_last_error());
    if (winnow_pipe_get_state(pipe, &state) != WINNOW_OK)
        return report_fail(report, "%s", winnow_last_error());
    if (count != items->kept || state.kept != count || state.items != p->n ||
        state.fed != p->n)
        return report_fail(
            report,
            "count %llu, kept %llu of %llu, fed %llu; wanted %llu of "
            "%llu",
            (unsigned long long)count, (unsigned long long)state.kept,
            (unsigned long long)state.items, (unsigned long long)state.fed,
            (unsigned long long)items->kept, (unsigned long long)p->n);
    return true;
}

bool piped_check(const struct piped *p, struct report *report) {
    const winnow_pipe_input inputs[INPUTS] = {
        {.element_bytes = sizeof(int32_t)},
        {.element_bytes = sizeof(struct piped_record)}};
    const winnow_pipe_column columns[] = {
        {.type = WINNOW_INT16,
         .input = p->key_alone ? 0 : 1,
         .offset_bytes = p->key_alone ? 0 : 4},
        {.type = WINNOW_INT32, .input = 0}};
    const unsigned output_count = p->without_selection ? 2 : OUTPUTS;
    const bool reached = p->feed == PIPED_REACHED,
               on_device = p->feed == PIPED_DEVICE;
    winnow_pipe_output outputs[OUTPUTS];
    winnow_pipe_options options = p->options;
    struct sink sinks[OUTPUTS];
    struct items items;
    winnow_condition *condition = NULL;
    winnow_pipe *pipe = NULL;
    bool ok = true;

    make_items(p, &items);
    int32_t *const key =
        allocate(p, reached, on_device, p->n * sizeof *items.key);
    struct piped_record *const record =
        allocate(p, reached, on_device, p->n * sizeof *items.record);
    if (on_device) {
        backend_upload(p->backend, key, items.key, p->n * sizeof *key);
        backend_upload(p->backend, record, items.record, p->n * sizeof *record);
    } else {
        memcpy(key, items.key, p->n * sizeof *key);
        memcpy(record, items.record, p->n * sizeof *record);
    }
    for (unsigned o = 0; o < output_count; o++)
        open_sink(p, &items, o, &sinks[o], &outputs[o]);
    options.size = sizeof options;
    if (make_condition(p, &condition) != WINNOW_OK ||
        winnow_pipe_create(&pipe, p->backend->context, condition, columns, 2,
                           inputs, INPUTS, outputs, output_count,
                           &options) != WINNOW_OK)
        ok = report_fail(report, "%s", winnow_last_error());
    else
        ok = check_run(p, pipe, &items, key, record, report);
    winnow_pipe_destroy(pipe);
    for (unsigned o = 0; o < output_count && ok; o++)
        ok = check_sink(p, &items, o, &sinks[o], report);
    for (unsigned o = 0; o < output_count; o++)
        close_sink(p, &sinks[o]);
    winnow_condition_destroy(condition);
    release(p, reached, on_device, record);
    release(p, reached, on_device, key);
    free_items(&items);
    return ok;
}
