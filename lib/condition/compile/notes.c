/*
 * Notes of a context: problems that did not make a call fail.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "core/context.h"
#include "core/status.h"

#ifdef WINNOW_CUDA
#include "kernels.h"

#include "cuda/slot.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
    MOST_NOTES = 8, /* the first ones, each once */
    NOTE_BYTES = 640
};

typedef struct notes {
    pthread_mutex_t lock;
    unsigned number;
    char note[MOST_NOTES][NOTE_BYTES];
} notes;

static winnow_status fill(const winnow__cuda_context *context, void *slot) {
    notes *const of = slot;
    (void)context;
    pthread_mutex_init(&of->lock, NULL);
    return WINNOW_OK;
}

static void empty(void *slot) {
    pthread_mutex_destroy(&((notes *)slot)->lock);
}

static const winnow__slot_kind kind = {
    .bytes = sizeof(notes), .fill = fill, .empty = empty};

void winnow__note(const winnow_context *context, const char *format, ...) {
    char line[NOTE_BYTES];
    void *slot;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (winnow__slot(context, &kind, &slot) != WINNOW_OK)
        return;
    notes *const of = slot;
    pthread_mutex_lock(&of->lock);
    unsigned i = 0;
    while (i < of->number && strcmp(of->note[i], line) != 0)
        i++;
    if (i == of->number && i < MOST_NOTES)
        strcpy(of->note[of->number++], line);
    pthread_mutex_unlock(&of->lock);
}

static winnow_status copy_notes(const winnow_context *context, char *text,
                                size_t bytes) {
    void *slot;
    size_t used = 0;
    WINNOW__TRY(winnow__slot(context, &kind, &slot));
    notes *const of = slot;
    pthread_mutex_lock(&of->lock);
    for (unsigned i = 0; i < of->number && used < bytes; i++)
        used +=
            (size_t)snprintf(text + used, bytes - used, "%s\n", of->note[i]);
    pthread_mutex_unlock(&of->lock);
    return WINNOW_OK;
}
#endif

winnow_status winnow_context_notes(const winnow_context *context, char *text,
                                   size_t text_bytes) {
    WINNOW__TRY(winnow__need(context, "context"));
    WINNOW__TRY(winnow__need(text, "text"));
    if (text_bytes == 0)
        return winnow__refuse("text_bytes is 0");
    text[0] = '\0';
#ifdef WINNOW_CUDA
    if (!context->backend->is_host)
        return copy_notes(context, text, text_bytes);
#endif
    return WINNOW_OK;
}
