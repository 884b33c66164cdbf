/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernels.h"

#include "condition/program/key.h"
#include "core/status.h"
#include "disk.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CHAINS = 256
};

/* Of a kernel. One thread makes it; others that want it wait for that one, and for
 * no other. */
typedef enum progress {
    WANTED, /* nobody makes it: it is new, or a failure was no fault of its own */
    MAKING,
    DONE /* all that follows is written, and stays */
} progress;

/* A kernel of a kind of device, or that there is none. */
typedef struct known {
    struct known *next;
    uint64_t hash;
    int capability;
    _Atomic(progress) progress;
    const void *function; /* NULL: it failed, and is not tried again */
    winnow_status status; /* of that failure */
    char *detail;         /* likewise; NULL: there was no memory */
    size_t key_bytes;
    unsigned char key[];
} known;

/* Kernels are added at the head of a chain, and never taken out, so that they
 * are found without the lock, and used once they are done. The lock is held for
 * moments: nothing is compiled under it. */
static _Atomic(known *) chains[CHAINS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t made = PTHREAD_COND_INITIALIZER;

static uint64_t hash_of(const winnow__wanted_kernel *wanted, int capability) {
    return wanted->sum.hash ^
           (uint64_t)capability * UINT64_C(0x9e3779b97f4a7c15);
}

static bool is_same(const known *one, const winnow__wanted_kernel *wanted) {
    winnow__key key = {.with = one->key};
    wanted->put_key(wanted->argument, &key);
    return !key.differs;
}

static known *find(const winnow__wanted_kernel *wanted, int capability,
                   uint64_t hash) {
    known *one =
        atomic_load_explicit(&chains[hash % CHAINS], memory_order_acquire);
    while (one != NULL &&
           (one->hash != hash || one->capability != capability ||
            one->key_bytes != wanted->sum.bytes || !is_same(one, wanted)))
        one = one->next;
    return one;
}

/* By the holder of the lock. NULL: there is no memory. */
static known *add(const winnow__wanted_kernel *wanted, int capability,
                  uint64_t hash) {
    known *const one = malloc(sizeof *one + wanted->sum.bytes);
    if (one == NULL)
        return NULL;
    *one = (known){.next = atomic_load_explicit(&chains[hash % CHAINS],
                                                memory_order_relaxed),
                   .hash = hash,
                   .capability = capability,
                   .key_bytes = wanted->sum.bytes};
    winnow__key key = {.to = one->key};
    wanted->put_key(wanted->argument, &key);
    atomic_store_explicit(&chains[hash % CHAINS], one, memory_order_release);
    return one;
}

/* Take the making of a kernel on, or wait for whoever has. NULL: there is no
 * memory. */
static known *claim(const winnow__wanted_kernel *wanted, int capability,
                    uint64_t hash) {
    pthread_mutex_lock(&lock);
    known *one = find(wanted, capability, hash);
    if (one == NULL)
        one = add(wanted, capability, hash);
    while (one != NULL && one->progress == MAKING)
        pthread_cond_wait(&made, &lock);
    if (one != NULL && one->progress == WANTED)
        one->progress = MAKING;
    pthread_mutex_unlock(&lock);
    return one;
}

/* By the thread that makes it. */
static void settle(known *one, const void *function, winnow_status status) {
    const bool is_final = status == WINNOW_OK || status == WINNOW_ERR_SYNTAX ||
                          status == WINNOW_ERR_UNSUPPORTED;
    one->function = function;
    one->status = status;
    one->detail =
        is_final && status != WINNOW_OK ? strdup(winnow_last_error()) : NULL;
    pthread_mutex_lock(&lock);
    /* Released to those that find it without the lock. */
    one->progress = is_final ? DONE : WANTED;
    pthread_cond_broadcast(&made);
    pthread_mutex_unlock(&lock);
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
    char *const text = malloc((size_t)length + 1);
    if (text == NULL)
        return NULL;
    snprintf(text, (size_t)length + 1, format, winnow_version(), version / 1000,
             version % 1000, capability, source);
    *key = (winnow__disk_key){.bytes = text, .number = (size_t)length};
    return text;
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
    known *one = find(wanted, capability, hash);
    *kernel = (winnow__kernel){.threads = wanted->threads};
    if (one == NULL || one->progress != DONE) {
        const char *why;
        const int version = winnow__nvrtc_version(&why);
        if (version == 0)
            return winnow__fail(WINNOW_ERR_UNSUPPORTED,
                                "there is no compiler: %s", why);
        if (wanted->may_not_compile != NULL)
            return winnow__fail(WINNOW_ERR_UNSUPPORTED,
                                "%s has to be compiled first, and %s: %s "
                                "before",
                                wanted->name, wanted->may_not_compile,
                                wanted->how);
        one = claim(wanted, capability, hash);
        if (one == NULL)
            return winnow__fail(WINNOW_ERR_MEMORY,
                                "no host memory for a kernel's name");
        if (one->progress != DONE) {
            const winnow_status status =
                make(context, wanted, capability, version, &kernel->function);
            settle(one, kernel->function, status);
            return status;
        }
    }
    kernel->function = one->function;
    return one->status == WINNOW_OK ? WINNOW_OK
           : one->detail != NULL
               ? winnow__fail(one->status, "%s", one->detail)
               : winnow__fail(one->status, "compiling %s failed before",
                              wanted->name);
}
