/*
 * The profile by which a context chooses.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "core/status.h"
#include "cuda/slot.h"
#include "place.h"
#include "profile.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* This program did not name the user's own file: if the file is refused, the
 * context is made without it, and a plan's text says so. The call succeeds, so the
 * thread's last error stays. */
static void load_own(const winnow__cuda_context *context,
                     winnow__tuning *tuning) {
    char path[PATH_MAX], before[sizeof tuning->refused];
    if (!winnow__user_profile_path(context->identity.name, path, sizeof path) ||
        access(path, F_OK) != 0)
        return;
    snprintf(before, sizeof before, "%s", winnow_last_error());
    if (winnow__load_profile(context, tuning, path) == WINNOW_OK)
        return;
    snprintf(tuning->refused, sizeof tuning->refused, "%s",
             winnow_last_error());
    winnow__fail(WINNOW_OK, "%s", before);
}

static void empty(void *slot) {
    winnow__tuning *const tuning = slot;
    while (tuning->all != NULL) {
        winnow__profile *const profile = tuning->all;
        tuning->all = profile->previous;
        free(profile);
    }
}

winnow_status winnow__tuning_of(const winnow_context *context,
                                winnow__tuning **tuning_p) {
    static const winnow__slot_kind kind = {.bytes = sizeof(winnow__tuning),
                                           .empty = empty};
    void *slot = NULL;
    WINNOW__TRY(winnow__slot(context, &kind, &slot));
    *tuning_p = slot;
    return WINNOW_OK;
}

winnow_status winnow__load_tuning(const winnow_context *context,
                                  const winnow__strategies *const *operations) {
    const char *const named = secure_getenv("WINNOW_TUNING");
    winnow__tuning *tuning;
    WINNOW__TRY(winnow__tuning_of(context, &tuning));
    tuning->operations = operations;
    tuning->loaded = &winnow__built_in;
    if (named != NULL && named[0] != '\0') /* empty: no file */
        return winnow__load_profile(winnow__cuda(context), tuning, named);
    if (named == NULL)
        load_own(winnow__cuda(context), tuning);
    return WINNOW_OK;
}

winnow_status winnow__tune(const winnow_context *context, const char *path) {
    winnow__tuning *tuning;
    WINNOW__TRY(winnow__tuning_of(context, &tuning));
    if (path != NULL)
        return winnow__load_profile(winnow__cuda(context), tuning, path);
    atomic_store_explicit(&tuning->loaded, &winnow__built_in,
                          memory_order_release);
    return WINNOW_OK;
}
