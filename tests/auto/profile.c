/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "profile.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cut.h"
#include "oracle.h"
#include "rules.h"

static void must(bool ok, const char *what) {
    if (ok)
        return;
    fprintf(stderr, "%s: %s\n", what, winnow_last_error());
    abort();
}

void profile_open(struct profile *profile, const struct backend *backend) {
    const winnow__device_identity *const device =
        &cut_context(backend)->identity;

    *profile = (struct profile){.path = "/tmp/winnow-profile-XXXXXX"};
    const int descriptor = mkstemp(profile->path);
    must(descriptor >= 0, "mkstemp");
    profile->file = fdopen(descriptor, "w");
    must(profile->file != NULL, "fdopen");
    fprintf(profile->file,
            "winnow-tuning 1\n"
            "device %s\n"
            "compute %d.%d\n"
            "multiprocessors %u\n"
            "driver 1.0\n"
            "date 2026-01-31\n",
            device->name, device->major, device->minor,
            device->multiprocessors);
}

void profile_add(struct profile *profile, const char *format, ...) {
    va_list arguments;

    va_start(arguments, format);
    vfprintf(profile->file, format, arguments);
    va_end(arguments);
    fputc('\n', profile->file);
    profile->entries++;
}

void profile_load(struct profile *profile, const struct backend *backend) {
    fprintf(profile->file, "end %u\n", profile->entries);
    must(fflush(profile->file) == 0, "fflush");
    must(winnow_context_tune(backend->context, profile->path) == WINNOW_OK,
         profile->path);
}

void profile_close(struct profile *profile) {
    fclose(profile->file);
    unlink(profile->path);
}

const char *profile_explained(const struct backend *backend, winnow_type type,
                              uint64_t n, winnow_order order, double hint) {
    static char text[4096];
    const struct rule rule = rules_plain(type);
    winnow_plan plan = {
        .size = sizeof(plan), .text = text, .text_bytes = sizeof(text)};
    const winnow_launch launch = {.size = sizeof(launch),
                                  .order = order,
                                  .selectivity = hint,
                                  .plan = &plan};
    winnow_predicate *predicate;

    must(rule_create(&rule, &predicate) == WINNOW_OK, "rule_create");
    must(winnow_copy_if(backend->context, predicate, type, NULL, n, NULL,
                        WINNOW_NO_LIMIT, NULL, &launch) == WINNOW_OK,
         "a plan of winnow_copy_if");
    must(plan.text_length == strlen(text), "the length of the text");
    winnow_predicate_destroy(predicate);
    return text;
}
