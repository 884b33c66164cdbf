/*
 * The profile that a context chooses by.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "cuda/context.h"
#include "core/status.h"
#include "place.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static winnow__device_limits limits_of(const winnow__cuda_context *context) {
    return (winnow__device_limits){.identity = context->identity,
                                   .shared_bytes = context->shared_bytes};
}

winnow_status winnow__cuda_tune(winnow_context *base, const char *path) {
    winnow__cuda_context *const context = (winnow__cuda_context *)base;
    winnow__tuning *const tuning = &context->tuning;
    winnow__profile *profile = NULL;
    if (path != NULL) {
        const winnow__device_limits limits = limits_of(context);
        winnow_status status = winnow__profile_read(path, &limits, &profile);
        if (status != WINNOW_OK)
            return status;
        pthread_mutex_lock(&tuning->lock);
        profile->previous = tuning->all;
        tuning->all = profile;
        pthread_mutex_unlock(&tuning->lock);
    }
    atomic_store_explicit(&tuning->loaded, profile, memory_order_release);
    return WINNOW_OK;
}

/* Nobody named the user's own file for this program: if it is refused, the
 * context is made without it, and winnow_copy_if_explain() says so. */
static void load_own(winnow_context *base) {
    winnow__cuda_context *const context = (winnow__cuda_context *)base;
    char path[PATH_MAX];
    if (!winnow__user_profile_path(context->identity.name, path, sizeof path) ||
        access(path, F_OK) != 0)
        return;
    if (winnow__cuda_tune(base, path) != WINNOW_OK)
        snprintf(context->tuning.refused, sizeof context->tuning.refused, "%s",
                 winnow_last_error());
}

winnow_status winnow__tuning_create(winnow_context *base) {
    winnow__cuda_context *const context = (winnow__cuda_context *)base;
    context->tuning.built_in = winnow__built_in_profile(&context->identity);
    atomic_init(&context->tuning.loaded, NULL);
    pthread_mutex_init(&context->tuning.lock, NULL);
    const char *const named = secure_getenv("WINNOW_TUNING");
    winnow_status status = WINNOW_OK;
    if (named == NULL)
        load_own(base);
    else if (named[0] != '\0') /* empty: no file at all */
        status = winnow__cuda_tune(base, named);
    if (status != WINNOW_OK)
        winnow__tuning_destroy(base);
    return status;
}

void winnow__tuning_destroy(winnow_context *base) {
    winnow__tuning *const tuning = &((winnow__cuda_context *)base)->tuning;
    while (tuning->all != NULL) {
        winnow__profile *const profile = tuning->all;
        tuning->all = profile->previous;
        winnow__profile_free(profile);
    }
    pthread_mutex_destroy(&tuning->lock);
}

const winnow__packing *winnow__chosen_packing(const winnow__tuning *tuning,
                                              unsigned log2_size) {
    const winnow__profile *profile =
        atomic_load_explicit(&tuning->loaded, memory_order_acquire);
    if (profile == NULL || !profile->has_packing[log2_size])
        profile = tuning->built_in;
    return &profile->packing[log2_size];
}
