/*
 * Status codes as text, and the detail of a thread's last error.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "operation.h"
#include "status.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char detail[512];
static _Thread_local winnow_place place_of_detail;
static const winnow_place nowhere = {.size = sizeof nowhere,
                                     .field = WINNOW_NO_FIELD};

static const struct {
    const char *name;
    const char *text;
} statuses[] = {
    [WINNOW_OK] = {"WINNOW_OK", "success"},
    [WINNOW_ERR_ARGUMENT] = {"WINNOW_ERR_ARGUMENT", "an argument is wrong"},
    [WINNOW_ERR_WORKSPACE] = {"WINNOW_ERR_WORKSPACE", "workspace is too small"},
    [WINNOW_ERR_UNSUPPORTED] = {"WINNOW_ERR_UNSUPPORTED",
                                "this combination is not supported"},
    [WINNOW_ERR_MEMORY] = {"WINNOW_ERR_MEMORY", "out of memory"},
    [WINNOW_ERR_NO_DEVICE] = {"WINNOW_ERR_NO_DEVICE", "no such device"},
    [WINNOW_ERR_CUDA] = {"WINNOW_ERR_CUDA", "the CUDA runtime failed"},
    [WINNOW_ERR_SYNTAX] = {"WINNOW_ERR_SYNTAX", "a text is wrong"},
    [WINNOW_ERR_COMPILE] = {"WINNOW_ERR_COMPILE",
                            "the predicate did not compile"},
    [WINNOW_ERR_FILE] = {"WINNOW_ERR_FILE", "a file failed, or has ended"},
    [WINNOW_ERR_STOPPED] = {"WINNOW_ERR_STOPPED", "stopped by the caller"},
    [WINNOW_ERR_COMMUNICATION] = {"WINNOW_ERR_COMMUNICATION",
                                  "communication failed"},
};

static int is_status(winnow_status status) {
    return (int)status >= 0 &&
           (size_t)status < sizeof statuses / sizeof statuses[0];
}

const char *winnow_status_name(winnow_status status) {
    return is_status(status) ? statuses[status].name : "WINNOW_STATUS_UNKNOWN";
}

const char *winnow_status_string(winnow_status status) {
    return is_status(status) ? statuses[status].text : "unknown status";
}

const char *winnow_last_error(void) {
    return detail;
}

/* The text that is formatted may be the detail itself. */
winnow_status winnow_set_last_error(winnow_status status, const char *text) {
    const size_t length = text != NULL ? strnlen(text, sizeof detail - 1) : 0;
    if (text != detail)
        place_of_detail = nowhere;
    memmove(detail, text != NULL ? text : "", length);
    detail[length] = 0;
    return status;
}

/* The body of a variadic function. */
#define RECORD(STATUS, FORMAT)                                                 \
    va_list arguments;                                                         \
    va_start(arguments, FORMAT);                                               \
    vsnprintf(detail, sizeof detail, FORMAT, arguments);                       \
    va_end(arguments);                                                         \
    place_of_detail = nowhere;                                                 \
    return STATUS

winnow_status winnow__fail(winnow_status status, const char *format, ...) {
    RECORD(status, format);
}

winnow_status winnow__refuse(const char *format, ...) {
    RECORD(WINNOW_ERR_ARGUMENT, format);
}

winnow_status winnow__unsupported(const char *format, ...) {
    RECORD(WINNOW_ERR_UNSUPPORTED, format);
}

winnow_status winnow__no_memory(const char *what) {
    return winnow__fail(WINNOW_ERR_MEMORY, "no host memory for %s", what);
}

winnow_status winnow__need(const void *pointer, const char *name) {
    return pointer != NULL ? WINNOW_OK : winnow__refuse("%s is NULL", name);
}

void winnow__fail_at(winnow_place place) {
    place.size = sizeof place;
    place_of_detail = place;
}

winnow_status winnow_last_error_place(winnow_place *place) {
    WINNOW__TRY(winnow__need(place, "place"));
    return winnow__give_struct(
        "place", "winnow_place", offsetof(winnow_place, reserved),
        place_of_detail.size != 0 ? &place_of_detail : &nowhere, place,
        sizeof *place);
}
