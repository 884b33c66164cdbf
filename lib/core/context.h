/*
 * A context: it belongs to a backend.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_CORE_CONTEXT_H
#define WINNOW_LIB_CORE_CONTEXT_H

#include "backend.h"

/* A backend's context begins with this. */
struct winnow_context {
    const winnow__backend *backend;
};

winnow_status winnow__host_create(winnow_context **context_p);
winnow_status winnow__cuda_create(winnow_context **context_p, int device);
/* Of a device's context: have it choose strategies by what the environment
 * says, or by the profile in a file; NULL: by what is built in. */
winnow_status winnow__load_tuning(winnow_context *context);
winnow_status winnow__tune(winnow_context *context, const char *path);

#endif
