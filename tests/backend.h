/*
 * A context under test and the memory it works on, so that one test body runs
 * on the CPU and on a GPU. Nothing here can fail quietly: what goes wrong in
 * the machinery of the tests ends the program with a message.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_BACKEND_H
#define WINNOW_TESTS_BACKEND_H

#include <stdbool.h>
#include <stddef.h>

#include <winnow.h>

struct backend {
    const char *name;
    bool gpu;
    winnow_context *context;
    winnow_stream stream; /* everything below is ordered on it */
};

void backend_open_host(struct backend *backend);

/* Names of instructions for WINNOW_HOST_ISA. */
enum {
    BACKEND_ISAS = 3
};
extern const char *const backend_isas[BACKEND_ISAS];
/* A host backend with these; false: the library refuses them, and has said why.
 */
bool backend_open_isa(struct backend *backend, const char *isa);
/* Device 0 and a stream of its own that does not wait for the default one. */
void backend_open_gpu(struct backend *backend);
void backend_close(struct backend *backend);

void *backend_alloc(const struct backend *backend, size_t bytes);
void backend_free(const struct backend *backend, void *memory);
/* Both have copied when they return. */
void backend_upload(const struct backend *backend, void *to, const void *from,
                    size_t bytes);
void backend_download(const struct backend *backend, void *to, const void *from,
                      size_t bytes);
/* Wait until everything enqueued so far is done. NULL, or what went wrong. */
const char *backend_wait(const struct backend *backend);

#endif
