/*
 * The library's main job, start to end, through its public interface alone:
 * 100 * 2^20 random integers are filtered by `x > 0` with every strategy at
 * several fractions of positive numbers, and every result is compared with
 * what a plain loop on the CPU finds.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "demo_data.h"
#include "demo_place.h"

#include <winnow.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N (UINT64_C(100) << 20)
#define BYTES ((size_t)N * sizeof(int32_t))
#define MOST_RUNS 32

/* Strategies have small numbers; this is past any. */
#define PAST_STRATEGIES 64

typedef struct demo_state {
    const demo_place *place;
    winnow_context *context;
    winnow_predicate *positive;
    int32_t *in; /* on the host */
    int32_t *d_in;
    int32_t *d_out;
    uint64_t *d_count;
    int32_t *buffer; /* on the host, for results; unused by the host backend */
    demo_multiset expected;
    bool all_right;
} demo_state;

static void check(winnow_status status, const char *what) {
    if (status != WINNOW_OK)
        demo_fail(what, winnow_last_error());
}

static bool is_right(const demo_state *demo, winnow_order order,
                     uint64_t *count_p) {
    const demo_place *place = demo->place;
    uint64_t count_buffer;
    const uint64_t count = *(const uint64_t *)place->view(
        &count_buffer, demo->d_count, sizeof count_buffer);
    const int32_t *out = place->view(demo->buffer, demo->d_out, BYTES);
    *count_p = count;
    if (count > N || !demo_untouched(out, count, N, DEMO_POISON))
        return false;
    if (order == WINNOW_STABLE)
        return demo_same_in_order(demo->in, N, out, count);
    return demo_same_in_any_order(&demo->expected, out, count);
}

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median of several runs, after one that is checked and warms up. */
static void filter(demo_state *demo, const winnow_options *options) {
    const demo_place *place = demo->place;
    size_t bytes;
    check(winnow_copy_if_workspace(demo->context, demo->positive, N, options,
                                   &bytes),
          "winnow_copy_if_workspace");
    void *d_workspace = place->alloc(bytes);
    place->poison(demo->d_out, BYTES);
    place->poison(demo->d_count, sizeof *demo->d_count);

    uint64_t kept = 0;
    bool right = false;
    double seconds[MOST_RUNS];
    for (unsigned run = 0; run <= place->runs; run++) {
        place->clock_start();
        check(winnow_copy_if(demo->context, demo->positive, demo->d_in, N,
                             demo->d_out, demo->d_count, options, d_workspace,
                             bytes, NULL),
              "winnow_copy_if");
        const double elapsed = place->clock_stop();
        if (run == 0)
            right = is_right(demo, options->order, &kept);
        else
            seconds[run - 1] = elapsed;
    }
    place->release(d_workspace);
    qsort(seconds, place->runs, sizeof seconds[0], ascending);

    const double median = seconds[place->runs / 2];
    const double moved = (double)((N + kept) * sizeof(int32_t));
    printf("%-16s %-9s %10" PRIu64 " %6.2f%% %10.3f %9.1f  %s\n",
           winnow_strategy_name(options->strategy),
           winnow_order_name(options->order), kept,
           100.0 * (double)kept / (double)N, 1e3 * median,
           1e-9 * moved / median, right ? "right" : "WRONG");
    fflush(stdout);
    if (!right)
        demo->all_right = false;
}

static bool offered(const demo_state *demo, const winnow_options *options) {
    size_t bytes;
    const winnow_status status = winnow_copy_if_workspace(
        demo->context, demo->positive, N, options, &bytes);
    if (status == WINNOW_ERR_UNSUPPORTED || status == WINNOW_ERR_ARGUMENT)
        return false;
    check(status, "winnow_copy_if_workspace");
    return true;
}

/* AUTO in both orders; the others in the strongest order that they give. */
static void filter_with_all(demo_state *demo) {
    winnow_options options = WINNOW_OPTIONS_INIT;
    filter(demo, &options);
    options.order = WINNOW_STABLE;
    filter(demo, &options);
    for (int value = WINNOW_HOST; value < PAST_STRATEGIES; value++) {
        options.strategy = (winnow_strategy)value;
        if (options.strategy == WINNOW_AUTO ||
            strcmp(winnow_strategy_name(options.strategy), "unknown") == 0)
            continue;
        options.order = WINNOW_STABLE;
        if (!offered(demo, &options))
            options.order = WINNOW_UNORDERED;
        if (offered(demo, &options))
            filter(demo, &options);
    }
}

/* Device 0, or the host with a line that says why. */
static const demo_place *find_place(void) {
#ifdef WINNOW_CUDA
    winnow_context *probe;
    const winnow_status status = winnow_context_create(&probe, 0);
    if (status == WINNOW_OK) {
        winnow_context_destroy(probe);
        return demo_place_gpu();
    }
    if (status != WINNOW_ERR_NO_DEVICE)
        check(status, "winnow_context_create");
    printf("No GPU: the host backend does the work (%s).\n",
           winnow_last_error());
#else
    printf("Built without CUDA: the host backend does the work.\n");
#endif
    return demo_place_host();
}

static void open_demo(demo_state *demo) {
    const demo_place *place = find_place();
    const int32_t zero = 0;
    demo->place = place;
    demo->all_right = true;
    check(winnow_context_create(&demo->context, place->device),
          "winnow_context_create");
    check(winnow_predicate_compare(&demo->positive, WINNOW_INT32, WINNOW_GT,
                                   &zero),
          "winnow_predicate_compare");
    demo->d_out = place->alloc(BYTES);
    demo->d_count = place->alloc(sizeof *demo->d_count);
    demo->in = demo_place_host()->alloc(BYTES);
    demo->d_in = demo->in;
    if (place->device != WINNOW_DEVICE_HOST) {
        demo->d_in = place->alloc(BYTES);
        demo->buffer = demo_place_host()->alloc(BYTES);
    }
}

static void close_demo(demo_state *demo) {
    if (demo->d_in != demo->in)
        demo->place->release(demo->d_in);
    demo->place->release(demo->d_out);
    demo->place->release(demo->d_count);
    free(demo->in);
    free(demo->buffer);
    winnow_predicate_destroy(demo->positive);
    winnow_context_destroy(demo->context);
}

int main(void) {
    static const double on_gpu[] = {0.01, 0.1, 0.5, 0.9};
    static const double on_host[] = {0.05, 0.5};
    demo_state demo = {0};
    open_demo(&demo);
    const bool host = demo.place->device == WINNOW_DEVICE_HOST;
    const double *fractions = host ? on_host : on_gpu;
    const size_t count = host ? sizeof on_host / sizeof on_host[0]
                              : sizeof on_gpu / sizeof on_gpu[0];

    printf("winnow %s on %s: %" PRIu64 " int32 filtered by x > 0\n\n",
           winnow_version_string(), demo.place->name, N);
    printf("%-16s %-9s %10s %7s %10s %9s\n", "strategy", "order", "kept", "",
           "time ms", "GB/s");
    for (size_t i = 0; i < count; i++) {
        demo_generate(demo.in, N, fractions[i]);
        demo.expected = demo_expect(demo.in, N);
        if (demo.d_in != demo.in)
            demo.place->write(demo.d_in, demo.in, BYTES);
        filter_with_all(&demo);
    }
    printf("\n%s\n", demo.all_right ? "Every result is what the CPU finds."
                                    : "SOME RESULTS ARE WRONG.");
    if (fflush(stdout) != 0 || ferror(stdout))
        demo_fail("writing the table", "output error");
    close_demo(&demo);
    return demo.all_right ? 0 : 1;
}
