/*
 * A host without memory: each allocation of a call fails once. The call then
 * says that there is no memory, or does without.
 *
 * The program's malloc() is in place of the C library's, also for libwinnow.
 * The sanitizers have their own.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include <winnow.h>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) &&                    \
    !defined(__SANITIZE_THREAD__)
#define N 1000000

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t number, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);

/* How many allocations there will be before the one that fails; below 0: none
 * fails any more. */
static atomic_long until_failure = -1;

static bool fails(void) {
    return atomic_load(&until_failure) >= 0 &&
           atomic_fetch_sub(&until_failure, 1) == 0;
}

void *malloc(size_t bytes) {
    return fails() ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t number, size_t bytes) {
    return fails() ? NULL : __libc_calloc(number, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes) {
    return fails() ? NULL : __libc_memalign(alignment, bytes);
}

/* What the calls below work on. */
struct work {
    winnow_context *context;
    winnow_predicate *predicate;
    int32_t in[N], out[N], rest[N];
    uint32_t keys[N], keys_out[N];
    uint64_t offsets[9], count;
};
static struct work work;

static winnow_status create(void) {
    winnow_context *context;
    winnow_status status = winnow_context_create(&context, WINNOW_DEVICE_HOST);
    if (status == WINNOW_OK)
        winnow_context_destroy(context);
    return status;
}

static winnow_status make_predicate(void) {
    const int32_t least = 3, most = 7;
    winnow_predicate *predicate;
    winnow_status status =
        winnow_predicate_range(&predicate, WINNOW_INT32, &least, &most);
    if (status == WINNOW_OK)
        winnow_predicate_destroy(predicate);
    return status;
}

static winnow_status parse(void) {
    const winnow_field fields[] = {{"price", WINNOW_INT32}};
    winnow_condition *condition;
    winnow_status status = winnow_condition_parse(
        &condition, fields, 1, "price < 24 && !(price in (1, 4, 8))");
    if (status == WINNOW_OK)
        winnow_condition_destroy(condition);
    return status;
}

static winnow_status copy(void) {
    return winnow_copy_if(work.context, work.predicate, work.in, N, work.out,
                          &work.count, NULL, NULL, 0, NULL);
}

static winnow_status reduce(void) {
    winnow_reduction result;
    return winnow_reduce_if(work.context, work.predicate, WINNOW_INT32, work.in,
                            N, WINNOW_REDUCE_SUM, &result, NULL, 0, NULL);
}

static winnow_status partition_by_key(void) {
    return winnow_partition_by_key(work.context, WINNOW_UINT32, work.keys, N, 0,
                                   3, 8, work.keys_out, NULL, 0, work.offsets,
                                   NULL, NULL, NULL, 0, NULL);
}

static winnow_status partition_if(void) {
    return winnow_partition_if(work.context, work.predicate, work.in, N,
                               work.out, work.rest, &work.count, NULL, NULL, 0,
                               NULL);
}

static winnow_status copy_columns(void) {
    const winnow_compact_column columns[] = {
        {.d_in = work.keys, .d_out = work.keys, .element_bytes = 4},
        {.d_in = work.in, .d_out = work.out, .element_bytes = 4}};
    return winnow_copy_columns_if(work.context, work.predicate, work.in, N,
                                  columns, 2, N, NULL, &work.count, NULL, NULL,
                                  0, NULL);
}

static winnow_status unique(void) {
    return winnow_unique(work.context, work.in, N, 4, NULL, work.out, N,
                         &work.count, NULL, 0, NULL, NULL);
}

static winnow_status accumulate(void) {
    const void *const values[] = {work.in};
    void *const sums[] = {work.out};
    return winnow_accumulate_by_key(work.context, WINNOW_UINT32, work.keys, N,
                                    8, WINNOW_INT32, 1, values, sums, NULL,
                                    NULL, NULL, 0, NULL);
}

Test(no_memory, each_allocation) {
    static const struct {
        const char *name;
        winnow_status (*call)(void);
        bool allocates;
    } cases[] = {
        {"context_create", create, true},
        {"predicate_range", make_predicate, true},
        {"condition_parse", parse, true},
        {"copy_if", copy, false},
        {"reduce_if", reduce, true},
        {"partition_by_key", partition_by_key, true},
        {"partition_if", partition_if, true},
        {"copy_columns_if", copy_columns, true},
        {"unique", unique, false},
        {"accumulate_by_key", accumulate, false},
    };
    const int32_t least = 3;

    for (int i = 0; i < N; i++)
        work.in[i] = (int)(work.keys[i] = (uint32_t)i * 7 / 3 % 8);
    for (unsigned threads = 1; threads <= 2; threads++)
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
            bool failed = true, refused = false;

            for (long k = 0; failed; k++) {
                cr_assert_eq(
                    winnow_context_create(&work.context, WINNOW_DEVICE_HOST),
                    WINNOW_OK);
                cr_assert_eq(winnow_context_set_threads(work.context, threads),
                             WINNOW_OK);
                cr_assert_eq(winnow_predicate_compare(&work.predicate,
                                                      WINNOW_INT32, WINNOW_GE,
                                                      &least),
                             WINNOW_OK);
                atomic_store(&until_failure, k);
                const winnow_status status = cases[i].call();
                failed = atomic_exchange(&until_failure, -1) < 0;
                cr_assert(status == WINNOW_OK ||
                              (failed && status == WINNOW_ERR_MEMORY),
                          "%s, allocation %ld: %s", cases[i].name, k,
                          winnow_last_error());
                cr_assert(status == WINNOW_OK ||
                              strstr(winnow_last_error(), "memory") != NULL,
                          "%s: %s", cases[i].name, winnow_last_error());
                refused |= status == WINNOW_ERR_MEMORY;
                winnow_predicate_destroy(work.predicate);
                winnow_context_destroy(work.context);
            }
            cr_assert(refused || !cases[i].allocates, "%s needs no memory",
                      cases[i].name);
        }
}
#endif
