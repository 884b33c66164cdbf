/*
 * The profile that a context chooses by.
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

static winnow_status load(const winnow__cuda_context *context,
                          winnow__tuning *tuning, const char *path) {
    winnow__profile *profile = NULL;
    if (path != NULL) {
        winnow_status status =
            winnow__profile_read(path, context, tuning->operations, &profile);
        if (status != WINNOW_OK)
            return status;
        /* Nobody goes through the list before the end. */
        profile->previous = atomic_exchange(&tuning->all, profile);
    }
    atomic_store_explicit(&tuning->loaded, profile, memory_order_release);
    return WINNOW_OK;
}

/* Nobody named the user's own file for this program: if it is refused, the
 * context is made without it, and a plan's text says so. The call
 * succeeds, so the thread's last error stays. */
static void load_own(const winnow__cuda_context *context,
                     winnow__tuning *tuning) {
    char path[PATH_MAX], before[sizeof tuning->refused];
    if (!winnow__user_profile_path(context->identity.name, path, sizeof path) ||
        access(path, F_OK) != 0)
        return;
    snprintf(before, sizeof before, "%s", winnow_last_error());
    if (load(context, tuning, path) == WINNOW_OK)
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
    winnow__tuning *tuning;
    winnow_status status = winnow__tuning_of(context, &tuning);
    if (status != WINNOW_OK)
        return status;
    tuning->operations = operations;
    const char *const named = secure_getenv("WINNOW_TUNING");
    if (named == NULL)
        load_own(winnow__cuda(context), tuning);
    else if (named[0] != '\0') /* empty: no file at all */
        status = load(winnow__cuda(context), tuning, named);
    return status;
}

winnow_status winnow__tune(const winnow_context *context, const char *path) {
    winnow__tuning *tuning;
    WINNOW__TRY(winnow__tuning_of(context, &tuning));
    return load(winnow__cuda(context), tuning, path);
}
