/*
 * The details of refusals, to their last word, and the numbers in them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdio.h>
#include <string.h>

#include "cut.h"
#include "tests/auto/profile.h"
#include "suite.h"

static void expect_end(const char *wanted) {
    const char *const detail = winnow_last_error();
    const size_t all = strlen(detail), end = strlen(wanted);

    cr_assert(all >= end && strcmp(detail + all - end, wanted) == 0,
              "told '%s', wanted '%s'", detail, wanted);
}

Test(details, address_space) {
    const int32_t zero = 0;
    winnow_context *context;
    winnow_predicate *predicate;
    uint64_t count;

    cr_assert_eq(winnow_context_create(&context, WINNOW_DEVICE_HOST),
                 WINNOW_OK);
    cr_assert_eq(
        winnow_predicate_compare(&predicate, WINNOW_INT32, WINNOW_GT, &zero),
        WINNOW_OK);
    cr_assert_eq(winnow_count_if(context, predicate, WINNOW_INT32, &zero,
                                 UINT64_MAX / 2, &count, NULL),
                 WINNOW_ERR_ARGUMENT);
    cr_assert_str_eq(winnow_last_error(),
                     "n is 9223372036854775807: that many elements of int32 do "
                     "not fit in the address space");
    winnow_predicate_destroy(predicate);
    winnow_context_destroy(context);
}

/* What has no meaning in a context of the host. */
Test(details, host_context) {
    const int32_t zero = 0;
    int32_t out;
    uint64_t count;
    winnow_context *context;
    winnow_predicate *predicate;

    cr_assert_eq(winnow_context_create(&context, WINNOW_DEVICE_HOST),
                 WINNOW_OK);
    cr_assert_eq(
        winnow_predicate_compare(&predicate, WINNOW_INT32, WINNOW_GT, &zero),
        WINNOW_OK);
    cr_assert_eq(winnow_context_tune(context, NULL), WINNOW_ERR_UNSUPPORTED);
    cr_assert_str_eq(winnow_last_error(),
                     "the context is of WINNOW_DEVICE_HOST, which has one "
                     "strategy: those of CUDA devices have profiles");
    cr_assert_eq(winnow_copy_if(context, predicate, WINNOW_INT32, &zero, 1,
                                &out, 1, &count,
                                WINNOW_LAUNCH(.strategy = WINNOW_TILE_SCAN)),
                 WINNOW_ERR_UNSUPPORTED);
    cr_assert_str_eq(winnow_last_error(),
                     "strategy tile_scan needs a GPU, and the context is "
                     "WINNOW_DEVICE_HOST");
    cr_assert_eq(winnow_copy_if(context, predicate, WINNOW_INT32, &zero, 1,
                                &out, 1, &count,
                                WINNOW_LAUNCH(.stream = (void *)&out)),
                 WINNOW_ERR_ARGUMENT);
    cr_assert_str_eq(winnow_last_error(),
                     "launch->stream is not NULL, and the context is "
                     "WINNOW_DEVICE_HOST");
    winnow_predicate_destroy(predicate);
    winnow_context_destroy(context);
}

GPU_TEST(details, threads_of_a_device) {
    cr_assert_eq(winnow_context_set_threads(backend->context, 2),
                 WINNOW_ERR_UNSUPPORTED);
    cr_assert_str_eq(winnow_last_error(),
                     "the context is a device's: those of WINNOW_DEVICE_HOST "
                     "have threads");
}

/* A profile of one entry, which says that it has `entries`. */
static winnow_status tune_entry(const struct backend *backend,
                                const char *entry, unsigned entries) {
    struct profile profile;
    winnow_status status;

    profile_open(&profile, backend);
    profile_add(&profile, "%s", entry);
    fprintf(profile.file, "end %u\n", entries);
    cr_assert_eq(fflush(profile.file), 0);
    status = winnow_context_tune(backend->context, profile.path);
    profile_close(&profile);
    return status;
}

static winnow_status tune(const struct backend *backend, unsigned entries) {
    return tune_entry(backend,
                      "copy_if stable 4 1 1000 0 1 tile_scan tile_scan_large",
                      entries);
}

GPU_TEST(details, number_of_entries) {
    cr_assert_eq(tune(backend, 1), WINNOW_OK, "%s", winnow_last_error());
    cr_assert_eq(tune(backend, 2), WINNOW_ERR_SYNTAX);
    expect_end("line 8: 'end 2': expected 'end 1', the number of entries "
               "before it");
}

/* The bytes that a shape takes, by the detail: with as many it is possible, and
 * with one less it is not. */
GPU_TEST(details, shared_memory) {
    winnow__cuda_context *const context = cut_context(backend);
    const size_t all = context->shared_bytes;
    const char *name;
    unsigned bytes;
    char wanted[256];

    context->shared_bytes = 1;
    cr_assert_eq(tune(backend, 1), WINNOW_ERR_SYNTAX);
    name = strstr(winnow_last_error(), "tile_scan_large takes ");
    cr_assert_not_null(name, "%s", winnow_last_error());
    cr_assert_eq(sscanf(name, "tile_scan_large takes %u", &bytes), 1, "%s",
                 name);
    cr_assert_lt(bytes, all);
    context->shared_bytes = bytes;
    cr_assert_eq(tune(backend, 1), WINNOW_OK, "%s", winnow_last_error());
    context->shared_bytes = bytes - 1;
    cr_assert_eq(tune(backend, 1), WINNOW_ERR_SYNTAX);
    snprintf(wanted, sizeof(wanted),
             "line 7: tile_scan_large takes %u bytes of shared memory: "
             "expected a shape that takes at most %u",
             bytes, bytes - 1);
    expect_end(wanted);
    context->shared_bytes = all;
}

/* The most elements that a shape takes, by the detail: so many are possible,
 * and counters and blocks are enough for them. */
static void expect_most(const struct backend *backend, unsigned size,
                        const char *shape, uint64_t most, uint64_t bytes) {
    const char *const strategy =
        strstr(shape, "aggre") != NULL ? "tile_aggregated" : "tile_scan";
    const char *const before = "this strategy and shape take at most ";
    const char *told;
    unsigned long long found;
    char entry[128];

    snprintf(entry, sizeof(entry), "copy_if unordered %u 1 %llu 0 1 %s %s",
             size, 1ull << 60, strategy, shape);
    cr_assert_eq(tune_entry(backend, entry, 1), WINNOW_ERR_SYNTAX);
    told = strstr(winnow_last_error(), before);
    cr_assert_not_null(told, "%s", winnow_last_error());
    cr_assert_eq(sscanf(told + strlen(before), "%llu", &found), 1);
    cr_assert_leq(found, most, "%u bytes, %s: %llu", size, shape, found);
    cr_assert(bytes == 0 || found * size <= bytes, "%u bytes, %s: %llu", size,
              shape, found);
    snprintf(entry, sizeof(entry), "copy_if unordered %u 1 %llu 0 1 %s %s",
             size, found, strategy, shape);
    cr_assert_eq(tune_entry(backend, entry, 1), WINNOW_OK, "%s",
                 winnow_last_error());
}

GPU_TEST(details, most_elements) {
    for (unsigned log2_size = 1; log2_size < 4; log2_size++) {
        const winnow__kernel_key key = {log2_size, WINNOW__INTERVAL};
        const winnow__kernel *const kernel =
            winnow__find_kernel(WINNOW__SHAPE_one_wave_large, key);

        expect_most(backend, 1u << log2_size, "one_wave_large",
                    UINT64_C(1) << WINNOW__EXCHANGE_BITS,
                    (uint64_t)WINNOW__MOST_ONE_WAVE * kernel->tile_bytes);
    }
    expect_most(backend, 4, "tile_aggregated_striped_8", INT32_MAX, 0);
    expect_most(backend, 4, "tile_scan_large",
                (UINT64_C(1) << WINNOW__SURVIVOR_BITS) - 1, 0);
}
