/*
 * A context: it belongs to a backend.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend.h"

#include <stdatomic.h>

/* A backend's context begins with this. */
struct winnow_context {
    const winnow__backend *backend;
    _Atomic(winnow_compile) compile;
};
