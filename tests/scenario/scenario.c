/*
 * What the scenario works on, and how a step is run.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* memfd_create() */
#endif
#include <config.h>

#include "scenario.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "report.h"

#ifdef WINNOW_CUDA
#include "gpu.h"
#endif

enum {
    LEAST = 30,
    PATTERN = 0xa5
};

static void must(struct scenario *s, winnow_status status, const char *what) {
    if (status == WINNOW_OK)
        return;
    fprintf(stderr, "scenario on %s: %s: %s\n", s->backend.name, what,
            winnow_last_error());
    abort();
}

/* Memory that the host reaches, too. */
static void *take(const struct scenario *s, size_t bytes) {
#ifdef WINNOW_CUDA
    if (s->backend.gpu) {
        void *memory;
        GPU_MUST(cudaMallocHost(&memory, bytes));
        return memory;
    }
#endif
    (void)s;
    void *const memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (memory == NULL)
        abort();
    return memory;
}

static void give_back(const struct scenario *s, void *memory) {
#ifdef WINNOW_CUDA
    if (s->backend.gpu) {
        GPU_MUST(cudaFreeHost(memory));
        return;
    }
#endif
    (void)s;
    free(memory);
}

static void fill(struct scenario *s) {
    struct scenario_in *const in = s->in;
    memset(in, 0, sizeof *in);
    s->kept = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        in->x[i] = (int32_t)(i * 37 % 101);
        in->keys[i] = i % SCENARIO_KEYS;
        in->runs[i] = i / 3;
        in->keep[i] = in->x[i] >= LEAST;
        in->bits[i / 8] |= (uint8_t)(in->keep[i] << i % 8);
        in->strings[i + 1] = in->strings[i] + i % 3;
        if (in->keep[i])
            s->kept_at[s->kept++] = i;
    }
    for (uint32_t i = 0; i < sizeof in->bytes; i++)
        in->bytes[i] = (char)('a' + i % 26);
    for (uint32_t i = 0; i <= SCENARIO_SEGMENTS; i++)
        in->segment_offsets[i] = (uint32_t)(s->n * i / SCENARIO_SEGMENTS);
}

static void make_file(struct scenario *s) {
    const size_t bytes = s->n * sizeof s->in->x[0];
    s->file = memfd_create("scenario", MFD_CLOEXEC);
    if (s->file < 0 || write(s->file, s->in->x, bytes) != (ssize_t)bytes) {
        perror("scenario: a file");
        abort();
    }
}

static void make_objects(struct scenario *s) {
    const int32_t least = LEAST;
    if (s->backend.gpu) {
#ifdef WINNOW_CUDA
        backend_open_gpu(&s->backend);
#endif
    } else {
        backend_open_host(&s->backend);
    }
    s->launch =
        (winnow_launch){.size = sizeof s->launch, .stream = s->backend.stream};
    must(s,
         winnow_predicate_compare(&s->predicate, WINNOW_INT32, WINNOW_GE,
                                  &least),
         "predicate_compare");
    must(s, winnow_condition_test(&s->condition, 0, s->predicate),
         "condition_test");
    must(s, winnow_expression_column(&s->expression, 0, WINNOW_INT32),
         "expression_column");
}

static void destroy_objects(struct scenario *s) {
    winnow_expression_destroy(s->expression);
    winnow_condition_destroy(s->condition);
    winnow_predicate_destroy(s->predicate);
    backend_close(&s->backend);
}

static void make_selections(struct scenario *s) {
    static const uint8_t middle[SCENARIO_SEGMENTS] = {0, 1, 1, 0};
    winnow_mask mask = {WINNOW_MASK_BYTES, s->in->keep, 0};
    must(s,
         winnow_select_flagged(s->backend.context, &mask, s->n,
                               s->in->selection, sizeof s->in->selection,
                               &s->launch),
         "select_flagged");
    memcpy(s->out->mask, middle, sizeof middle);
    mask.d_flags = s->out->mask;
    must(s,
         winnow_select_flagged(s->backend.context, &mask, SCENARIO_SEGMENTS,
                               s->in->segments, sizeof s->in->segments,
                               &s->launch),
         "select_flagged");
    if (backend_wait(&s->backend) != NULL)
        abort();
}

void scenario_open(struct scenario *s, bool gpu, uint64_t n) {
    *s = (struct scenario){
        .backend = {.gpu = gpu, .name = "none"}, .n = n, .threads = 2};
    if (n > SCENARIO_MOST)
        abort();
    make_objects(s);
    s->in = take(s, sizeof *s->in);
    s->out = take(s, sizeof *s->out);
    fill(s);
    make_file(s);
    make_selections(s);
}

void scenario_close(struct scenario *s) {
    close(s->file);
    give_back(s, s->out);
    give_back(s, s->in);
    destroy_objects(s);
}

void scenario_reopen(struct scenario *s) {
    destroy_objects(s);
    make_objects(s);
}

void scenario_clear(struct scenario *s) {
    memset(s->out, PATTERN, sizeof *s->out);
}

bool scenario_is_clear(const struct scenario *s) {
    const unsigned char *const bytes = (const unsigned char *)s->out;
    return bytes[0] == PATTERN &&
           memcmp(bytes, bytes + 1, sizeof *s->out - 1) == 0;
}

void scenario_wrong(struct scenario *s, const char *format, ...) {
    va_list arguments;
    if (s->wrong[0] != '\0')
        return;
    va_start(arguments, format);
    vsnprintf(s->wrong, sizeof s->wrong, format, arguments);
    va_end(arguments);
}

void scenario_check_count(struct scenario *s, uint64_t count) {
    if (count != s->kept)
        scenario_wrong(s, "the count is %llu, not %llu",
                       (unsigned long long)count, (unsigned long long)s->kept);
}

void scenario_check_packed(struct scenario *s, const void *in, const void *out,
                           size_t size) {
    const unsigned char *const from = in, *const to = out;
    for (uint64_t k = 0; k < s->kept; k++)
        if (memcmp(from + s->kept_at[k] * size, to + k * size, size) != 0) {
            scenario_wrong(s, "element %llu is wrong", (unsigned long long)k);
            return;
        }
}

static const struct scenario_step *const all[] = {
    scenario_objects, scenario_copies, scenario_selections,
    scenario_keyed,   scenario_tables, scenario_pipes};

const struct scenario_step *scenario_step_at(const struct scenario *s,
                                             size_t number) {
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        for (const struct scenario_step *step = all[i]; step->name != NULL;
             step++)
            if (!(step->host_only && s->backend.gpu) && number-- == 0)
                return step;
    return NULL;
}

winnow_status scenario_run(struct scenario *s,
                           const struct scenario_step *step) {
    s->wrong[0] = '\0';
    scenario_clear(s);
    const winnow_status status = step->call(s);
    if (s->called != NULL)
        s->called();
    const char *const failed = backend_wait(&s->backend);
    if (failed != NULL)
        scenario_wrong(s, "the stream fails: %s", failed);
    if (status == WINNOW_OK && step->check != NULL)
        step->check(s);
    return status;
}
