/*
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "kernels.h"

#include "core/status.h"
#include "disk.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CHAINS = 256
};

/* A kernel of a kind of device, or that there is none. */
typedef struct known {
    struct known *next;
    uint64_t hash;
    int capability;
    const void *function; /* NULL: it failed once, and is not tried again */
    winnow_status status; /* of that failure */
    size_t key_bytes;
    unsigned char key[];
} known;

/* Kernels are added at the head of a chain, and never taken out, so that they
 * are found without the lock. */
static _Atomic(known *) chains[CHAINS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint64_t hash_of(const winnow__wanted_kernel *wanted, int capability) {
    const unsigned char *const byte = wanted->key;
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ (uint64_t)capability;
    for (size_t i = 0; i < wanted->key_bytes; i++)
        hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static const known *find(const winnow__wanted_kernel *wanted, int capability,
                         uint64_t hash) {
    const known *one =
        atomic_load_explicit(&chains[hash % CHAINS], memory_order_acquire);
    while (one != NULL && (one->hash != hash || one->capability != capability ||
                           one->key_bytes != wanted->key_bytes ||
                           memcmp(one->key, wanted->key, one->key_bytes) != 0))
        one = one->next;
    return one;
}

/* By the holder of the lock. Without memory it is looked for again later. */
static void add(const winnow__wanted_kernel *wanted, int capability,
                uint64_t hash, const void *function, winnow_status status) {
    known *const made = malloc(sizeof *made + wanted->key_bytes);
    if (made == NULL)
        return;
    *made = (known){.next = chains[hash % CHAINS],
                    .hash = hash,
                    .capability = capability,
                    .function = function,
                    .status = status,
                    .key_bytes = wanted->key_bytes};
    memcpy(made->key, wanted->key, wanted->key_bytes);
    atomic_store_explicit(&chains[hash % CHAINS], made, memory_order_release);
}

/* ------------------------------------------------------------------ loading */

static winnow_status load(const winnow__cuda_context *context,
                          const winnow__code *code, const void **function_p) {
    CUlibrary library;
    CUkernel kernel;
    winnow_status status = winnow__driver_status(
        context->driver.load_library(&library, code->bytes, NULL, NULL, 0, NULL,
                                     NULL, 0),
        "loading compiled code");
    if (status != WINNOW_OK)
        return status;
    status = winnow__driver_status(
        context->driver.library_kernel(&kernel, library, "winnow_kernel"),
        "looking for a kernel in compiled code");
    if (status == WINNOW_OK)
        *function_p = (const void *)kernel;
    else
        context->driver.unload_library(library);
    return status;
}

/* ---------------------------------------------------------------- compiling */

static int capability_of(const winnow_context *context) {
    const winnow__device_identity *const identity =
        &winnow__cuda(context)->identity;
    return 10 * identity->major + identity->minor;
}

/* The key of an entry on disk: all that its code depends on. NULL: there is no
 * memory. */
static char *describe(const char *source, int capability, int version,
                      winnow__disk_key *key) {
    static const char format[] = "winnow %d, NVRTC %d.%d, sm_%d\n%s";
    const int length =
        snprintf(NULL, 0, format, winnow_version(), version / 1000,
                 version % 1000, capability, source);
    char *const made = malloc((size_t)length + 1);
    if (made == NULL)
        return NULL;
    snprintf(made, (size_t)length + 1, format, winnow_version(), version / 1000,
             version % 1000, capability, source);
    *key = (winnow__disk_key){.bytes = made, .number = (size_t)length};
    return made;
}

static winnow_status compile(const winnow_context *context, const char *source,
                             int capability, const winnow__disk_key *key,
                             const void **function_p) {
    char reason[512];
    winnow__code code;
    winnow_status status = winnow__nvrtc_compile(source, capability, &code);
    if (status != WINNOW_OK)
        return status;
    status = load(winnow__cuda(context), &code, function_p);
    /* What is launched is what was compiled, whatever becomes of the file. */
    if (status == WINNOW_OK &&
        winnow__disk_keep(key, &code, reason, sizeof reason) != NULL)
        winnow__note(context, "compiled code is not kept on disk: %s", reason);
    free(code.bytes);
    return status;
}

static winnow_status make(const winnow_context *context,
                          const winnow__wanted_kernel *wanted, int capability,
                          int version, const void **function_p) {
    winnow__disk_key key;
    winnow__code code;
    char *const source = wanted->write(wanted->argument);
    char *const about =
        source != NULL ? describe(source, capability, version, &key) : NULL;
    winnow_status status = WINNOW_OK;
    *function_p = NULL;
    if (about == NULL)
        status = winnow__fail(WINNOW_ERR_MEMORY,
                              "no host memory for a kernel's source");
    if (status == WINNOW_OK && winnow__disk_find(&key, &code)) {
        /* What the driver refuses is compiled again, and replaced. */
        if (load(winnow__cuda(context), &code, function_p) != WINNOW_OK)
            winnow__note(context, "code on disk was refused by the driver, and "
                                  "is compiled again");
        free(code.bytes);
    }
    if (status == WINNOW_OK && *function_p == NULL)
        status = compile(context, source, capability, &key, function_p);
    free(about);
    free(source);
    return status;
}

bool winnow__can_compile(void) {
    const char *why;
    return winnow__nvrtc_version(&why) != 0;
}

winnow_status winnow__kernel_of(const winnow_context *context,
                                const winnow__wanted_kernel *wanted,
                                winnow__kernel *kernel) {
    const int capability = capability_of(context);
    const uint64_t hash = hash_of(wanted, capability);
    const char *why;
    winnow_status status = WINNOW_OK;
    const known *one = find(wanted, capability, hash);
    *kernel = (winnow__kernel){.threads = wanted->threads};
    if (one == NULL) {
        const int version = winnow__nvrtc_version(&why);
        if (version == 0)
            return winnow__fail(WINNOW_ERR_UNSUPPORTED,
                                "there is no compiler: %s", why);
        if (wanted->may_not_compile != NULL)
            return winnow__fail(WINNOW_ERR_UNSUPPORTED,
                                "the condition has to be compiled first, and "
                                "%s: call winnow_condition_prepare() before",
                                wanted->may_not_compile);
        pthread_mutex_lock(&lock);
        one = find(wanted, capability, hash);
        if (one == NULL) {
            status =
                make(context, wanted, capability, version, &kernel->function);
            if (status == WINNOW_OK || status == WINNOW_ERR_SYNTAX ||
                status == WINNOW_ERR_UNSUPPORTED)
                add(wanted, capability, hash, kernel->function, status);
        }
        pthread_mutex_unlock(&lock);
    }
    if (one == NULL)
        return status;
    kernel->function = one->function;
    return one->status == WINNOW_OK
               ? WINNOW_OK
               : winnow__fail(one->status,
                              "compiling this condition failed before");
}
