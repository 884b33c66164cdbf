/*
 * A tuning file, of the CPU device: it is refused with a line, or a call goes by
 * it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* memfd_create() */
#endif
#include <config.h>

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"

#include <winnow.h>

static winnow_context *context;
static winnow_predicate *predicate;

static void make_context(void) {
    const int32_t least = 1;
    setenv("WINNOW_TUNING", "", 1);
    FUZZ_MUST(winnow_context_create(&context, 0) == WINNOW_OK);
    FUZZ_MUST(winnow_predicate_compare(&predicate, WINNOW_INT32, WINNOW_GE,
                                       &least) == WINNOW_OK);
}

/* What it says leads to a plan. */
static void plan(winnow_order order) {
    char text[2000];
    for (uint64_t n = 1; n < 1 << 30; n *= 64) {
        winnow_plan plan = {
            .size = sizeof plan, .text = text, .text_bytes = sizeof text};
        const winnow_launch launch = {
            .size = sizeof launch, .order = order, .plan = &plan};
        FUZZ_MUST(winnow_copy_if(context, predicate, WINNOW_INT32, NULL, n,
                                 NULL, WINNOW_NO_LIMIT, NULL,
                                 &launch) == WINNOW_OK);
        FUZZ_MUST(plan.text_length > 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char path[64];
    if (context == NULL)
        make_context();
    const int file = memfd_create("tuning", MFD_CLOEXEC);
    FUZZ_MUST(file >= 0 && write(file, data, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    const winnow_status status = winnow_context_tune(context, path);
    close(file);
    if (status == WINNOW_OK) {
        plan(WINNOW_STABLE);
        plan(WINNOW_UNORDERED);
    } else {
        FUZZ_MUST(status == WINNOW_ERR_SYNTAX);
        FUZZ_MUST(strstr(winnow_last_error(), path) != NULL);
    }
    return 0;
}
