/*
 * Recording why a call failed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <winnow.h>

#include "try.h"

/*
 * Record the detail of an error for winnow_last_error() and return its status.
 * Called once per error, by the function that first decides on it.
 */
winnow_status winnow__fail(winnow_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The same for a wrong argument, for an unsupported one, and for a lack of host
 * memory. */
winnow_status winnow__refuse(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
winnow_status winnow__unsupported(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
winnow_status winnow__no_memory(const char *what);

/* WINNOW_ERR_ARGUMENT if a pointer that a call needs is NULL. */
winnow_status winnow__need(const void *pointer, const char *name);

/* Store where in a text the last recorded error is. The struct's size is set. */
void winnow__fail_at(winnow_place place);
