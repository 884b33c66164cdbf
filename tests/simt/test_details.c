/*
 * The details of refusals, to their last word, and the numbers in them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdio.h>
#include <string.h>

#include "cut.h"
#include "profile.h"
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
    cr_assert_eq(winnow_count_if(context, predicate, &zero, UINT64_MAX / 2,
                                 &count, NULL, 0, NULL),
                 WINNOW_ERR_ARGUMENT);
    cr_assert_str_eq(winnow_last_error(),
                     "n is 9223372036854775807: that many elements of int32 do "
                     "not fit in the address space");
    winnow_predicate_destroy(predicate);
    winnow_context_destroy(context);
}

/* A profile of one entry, which says that it has `entries`. */
static winnow_status tune(const struct backend *backend, unsigned entries) {
    struct profile profile;
    winnow_status status;

    profile_open(&profile, backend);
    profile_add(&profile, "copy_if stable 4 1 1000 0 1 tile_scan "
                          "tile_scan_large");
    fprintf(profile.file, "end %u\n", entries);
    cr_assert_eq(fflush(profile.file), 0);
    status = winnow_context_tune(backend->context, profile.path);
    profile_close(&profile);
    return status;
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
