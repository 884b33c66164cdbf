/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernels.h"

#include "core/status.h"
#include "disk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CHAINS = 256
};

/* The state of a kernel. One thread makes it. Other threads that need it wait
 * for that thread only. */
typedef enum progress {
    WANTED, /* nobody makes it: it is new, or an attempt failed for another
               reason */
    ABSENT, /* nobody makes it, and it is not on disk */
    MAKING,
    DONE /* the members that follow are written, and do not change */
} progress;

/* A kernel for a kind of device, or the fact that there is none. */
typedef struct known {
    struct known *next;
    uint64_t hash;
    int capability;
    _Atomic(progress) progress;
    const void *function; /* NULL: it failed, and is not tried again */
    winnow_status status; /* of that failure */
    char *detail;         /* of that failure; NULL: out of memory */
    size_t key_bytes;
    unsigned char key[];
} known;

/* Kernels are only added, at the head of a chain. So they are found without the
 * lock, and can be used once they are DONE. The lock is held for short times;
 * nothing is compiled meanwhile. */
static _Atomic(known *) chains[CHAINS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t made = PTHREAD_COND_INITIALIZER;

/* A kernel that a call needs. */
typedef struct wanted {
    const winnow__to_compile *what;
    int capability; /* 10 * major + minor */
    size_t key_bytes;
    uint64_t hash;
} wanted;

static wanted want(const winnow_context *context,
                   const winnow__to_compile *what) {
    const winnow__device_identity *const identity =
        &winnow__cuda(context)->identity;
    const winnow__key_sum sum = winnow__sum_key(what);
    const int capability = 10 * identity->major + identity->minor;
    return (wanted){.what = what,
                    .capability = capability,
                    .key_bytes = sum.bytes,
                    .hash = sum.hash ^ (uint64_t)capability *
                                           UINT64_C(0x9e3779b97f4a7c15)};
}

static bool is_same(const known *one, const wanted *of) {
    winnow__key key = {.with = one->key};
    winnow__put_key(of->what, &key);
    return !key.differs;
}

static known *find(const wanted *of) {
    known *one =
        atomic_load_explicit(&chains[of->hash % CHAINS], memory_order_acquire);
    while (one != NULL &&
           (one->hash != of->hash || one->capability != of->capability ||
            one->key_bytes != of->key_bytes || !is_same(one, of)))
        one = one->next;
    return one;
}

/* The caller holds the lock. NULL: out of memory. */
static known *add(const wanted *of) {
    known *const one = malloc(sizeof *one + of->key_bytes);
    if (one == NULL)
        return NULL;
    *one = (known){.next = atomic_load_explicit(&chains[of->hash % CHAINS],
                                                memory_order_relaxed),
                   .hash = of->hash,
                   .capability = of->capability,
                   .key_bytes = of->key_bytes};
    winnow__key key = {.to = one->key};
    winnow__put_key(of->what, &key);
    atomic_store_explicit(&chains[of->hash % CHAINS], one,
                          memory_order_release);
    return one;
}

/* *mine_p: this thread has to make the kernel. Else it is made already, or
 * another thread makes it. NULL: out of memory. */
static known *claim(const wanted *of, winnow__effort effort, bool *mine_p) {
    pthread_mutex_lock(&lock);
    known *one = find(of);
    if (one == NULL)
        one = add(of);
    while (one != NULL && effort == WINNOW__COMPILE && one->progress == MAKING)
        pthread_cond_wait(&made, &lock);
    *mine_p =
        one != NULL && (one->progress == WANTED ||
                        (one->progress == ABSENT && effort == WINNOW__COMPILE));
    if (*mine_p)
        one->progress = MAKING;
    pthread_mutex_unlock(&lock);
    return one;
}

/* Called by the thread that made it. */
static void settle(known *one, const void *function, winnow_status status) {
    const bool fails =
        status == WINNOW_ERR_SYNTAX || status == WINNOW_ERR_UNSUPPORTED;
    one->function = function;
    one->status = status;
    one->detail = fails ? strdup(winnow_last_error()) : NULL;
    pthread_mutex_lock(&lock);
    /* A release, for threads that find it without the lock. */
    one->progress = fails || function != NULL ? DONE
                    : status == WINNOW_OK     ? ABSENT
                                              : WANTED;
    pthread_cond_broadcast(&made);
    pthread_mutex_unlock(&lock);
}

/* ------------------------------------------------------------------ loading */

static winnow_status load_code(const winnow__driver *driver,
                               const winnow__code *code,
                               const void **function_p) {
    CUlibrary library;
    CUkernel kernel;
    WINNOW__TRY(
        winnow__driver_status(driver->load_library(&library, code->bytes, NULL,
                                                   NULL, 0, NULL, NULL, 0),
                              "loading compiled code"));
    const winnow_status status = winnow__driver_status(
        driver->library_kernel(&kernel, library, "winnow_kernel"),
        "looking for a kernel in compiled code");
    if (status == WINNOW_OK)
        *function_p = (const void *)kernel;
    else
        driver->unload_library(library);
    return status;
}

/* The relaxed mode, since the caller's streams may be captured. */
static winnow_status load(const winnow_context *context,
                          const winnow__code *code, const void **function_p) {
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    WINNOW__TRY(winnow__cuda_status(cudaThreadExchangeStreamCaptureMode(&mode),
                                    "entering the relaxed mode of capturing"));
    const winnow_status status =
        load_code(&winnow__cuda(context)->driver, code, function_p);
    cudaThreadExchangeStreamCaptureMode(&mode);
    return status;
}

/* ---------------------------------------------------------------- compiling */

/* The key of an entry on disk: all that the code depends on, except the compiler's
 * version, since a lookup does not open the compiler. NULL: out of memory. */
static char *describe(const char *source, int capability,
                      winnow__disk_key *key) {
    char *text = NULL;
    const int length = source != NULL
                           ? asprintf(&text, "winnow %d, sm_%d\n%s",
                                      winnow_version(), capability, source)
                           : -1;
    if (length < 0)
        return NULL;
    *key = (winnow__disk_key){.bytes = text, .number = (size_t)length};
    return text;
}

static winnow_status compile(const winnow_context *context, const wanted *of,
                             const char *source, const winnow__disk_key *key,
                             const void **function_p) {
    char reason[512];
    winnow__code code;
    winnow_status status = winnow__nvrtc_compile(source, of->capability, &code);
    if (status != WINNOW_OK) {
        winnow__note(context, "a %s is not compiled: %s",
                     winnow__name_of_kind(of->what), winnow_last_error());
        return status;
    }
    status = load(context, &code, function_p);
    /* The code just compiled is launched, whether the file was written or not. */
    if (status == WINNOW_OK &&
        winnow__disk_keep(key, &code, reason, sizeof reason) != NULL)
        winnow__note(context, "compiled code is not kept on disk: %s", reason);
    free(code.bytes);
    return status;
}

/* *function_p stays NULL if it is not on disk, and must not be compiled. */
static winnow_status make(const winnow_context *context, const wanted *of,
                          winnow__effort effort, const void **function_p) {
    winnow__disk_key key;
    winnow__code code;
    char *const source = winnow__write_source(of->what);
    char *const about = describe(source, of->capability, &key);
    winnow_status status = WINNOW_OK;
    if (about == NULL)
        status = winnow__no_memory("a kernel's source");
    if (status == WINNOW_OK && winnow__disk_find(&key, &code)) {
        /* The entry is replaced if the kernel is compiled again. */
        if (load(context, &code, function_p) != WINNOW_OK)
            winnow__note(context, "code on disk was refused by the driver: %s",
                         winnow_last_error());
        free(code.bytes);
    }
    if (status == WINNOW_OK && *function_p == NULL && effort == WINNOW__COMPILE)
        status = compile(context, of, source, &key, function_p);
    free(about);
    free(source);
    return status;
}

winnow_status winnow__kernel_of(const winnow_context *context,
                                const winnow__to_compile *what,
                                winnow__effort effort, winnow__choice *choice) {
    const wanted of = want(context, what);
    known *one = find(&of);
    bool is_mine = false;
    choice->kernel.threads = what->reduction != NULL
                                 ? WINNOW__REDUCING_THREADS
                                 : WINNOW__SELECTION_THREADS;
    choice->why = "it was not compiled before";
    /* Returned without an entry, since a directory may be set later. */
    if (effort == WINNOW__LOOK && one == NULL && winnow__cache_is_off())
        return WINNOW_OK;
    if (one == NULL || (one->progress != DONE &&
                        (one->progress != ABSENT || effort != WINNOW__LOOK)))
        one = claim(&of, effort, &is_mine);
    if (one == NULL)
        return winnow__no_memory("a kernel's name");
    if (is_mine) {
        const void *function = NULL;
        const winnow_status status = make(context, &of, effort, &function);
        settle(one, function, status);
        if (one->progress != DONE)
            return status;
    }
    if (one->progress == MAKING)
        choice->why = "another thread is making its kernel";
    if (one->progress != DONE)
        return WINNOW_OK;
    choice->kernel.function = one->function;
    choice->status = one->status;
    choice->why = one->detail != NULL ? one->detail : "it did not compile";
    return WINNOW_OK;
}
