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
/* The same of an argument that is wrong, of what is not supported, and of memory of
 * the host's for something. */
winnow_status winnow__refuse(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
winnow_status winnow__unsupported(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
winnow_status winnow__no_memory(const char *what);

/* WINNOW_ERR_ARGUMENT, if a pointer that a call needs is NULL. */
winnow_status winnow__need(const void *pointer, const char *name);

/* The error that was recorded last is at a place in a text; its size is set. */
void winnow__fail_at(winnow_place place);
