/*
 * Criterion for tests with one body and a context each for the CPU and a GPU.
 *
 * Each Criterion test is a process and pays for starting CUDA: bodies loop
 * over their cases. Where there is no device, a GPU test skips and says so.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_SUITE_H
#define WINNOW_TESTS_SUITE_H

#include <criterion/criterion.h>

#include "backend.h"
#include "report.h"

/* In the name of a test. LONG(name): it takes seconds, and `make check` leaves it
 * to `make check WINNOW_TESTS=all`. SLOW(name): it takes long with a sanitizer,
 * where the short set leaves it out. */
#define LONG(name) name##_long
#define SLOW(name) name##_slow

/* A check, which finds a `report` to write to, inside a Criterion test. */
#define MUST(check)                                                            \
    do {                                                                       \
        struct report must_report = {{0}};                                     \
        struct report *const report = &must_report;                            \
        const bool must_ok = (check);                                          \
        cr_assert(must_ok, "%s", report->text);                                \
    } while (0)

/* The test name_host, which calls suite_name() with a context for the CPU. The
 * programs of the CPU device leave that to others. */
#ifdef WINNOW_SIMT
#define SUITE_HOST_TEST(suite, name)
#else
#define SUITE_HOST_TEST(suite, name)                                           \
    Test(suite, name##_host) {                                                 \
        struct backend backend;                                                \
        backend_open_host(&backend);                                           \
        suite##_##name(&backend);                                              \
        backend_close(&backend);                                               \
    }

#endif

#ifdef WINNOW_CUDA
#include "gpu.h"

#define SKIP_WITHOUT_GPU()                                                     \
    do {                                                                       \
        const char *reason;                                                    \
        if (!gpu_present(&reason))                                             \
            cr_skip_test("no CUDA device (%s)", reason);                       \
    } while (0)

#define SUITE_GPU_TEST(suite, name)                                            \
    Test(suite, name##_gpu) {                                                  \
        struct backend backend;                                                \
        SKIP_WITHOUT_GPU();                                                    \
        backend_open_gpu(&backend);                                            \
        suite##_##name(&backend);                                              \
        backend_close(&backend);                                               \
    }

/* GPU_TEST(suite, name) { a body that uses `backend` } */
#define GPU_TEST(suite, name) SUITE_GPU_BODY(suite, name)
#define SUITE_GPU_BODY(suite, name)                                            \
    static void suite##_##name(const struct backend *backend);                 \
    SUITE_GPU_TEST(suite, name)                                                \
    static void suite##_##name(const struct backend *backend)
#else
#define SUITE_GPU_TEST(suite, name)
#endif

/* BACKEND_TEST(suite, name) { a body that uses `backend` } makes two tests,
 * name_host and name_gpu. */
#define BACKEND_TEST(suite, name) SUITE_BOTH_BODY(suite, name)
#define SUITE_BOTH_BODY(suite, name)                                           \
    static void suite##_##name(const struct backend *backend);                 \
    SUITE_HOST_TEST(suite, name)                                               \
    SUITE_GPU_TEST(suite, name)                                                \
    static void suite##_##name(const struct backend *backend)

#endif
