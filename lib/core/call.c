/*
 * The checks that every call makes before anything is enqueued, and its run.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "context.h"
#include "floating.h"
#include "operation.h"
#include "status.h"
#include "strategy.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static winnow_status check_options(const winnow_options *options) {
    if ((int)options->order < WINNOW_UNORDERED ||
        (int)options->order > WINNOW_STABLE)
        return winnow__fail(WINNOW_ERR_ARGUMENT,
                            "options->order %d is no winnow_order",
                            (int)options->order);
    if (!winnow__strategy_exists(options->strategy))
        return winnow__fail(WINNOW_ERR_ARGUMENT,
                            "options->strategy %d is no winnow_strategy",
                            (int)options->strategy);
    if (isnan(options->selectivity) || options->selectivity > 1.0)
        return winnow__fail(
            WINNOW_ERR_ARGUMENT,
            "options->selectivity is %.9g: wanted at most 1, or "
            "anything negative for unknown",
            options->selectivity);
    if (options->order == WINNOW_STABLE &&
        winnow__strategy_order(options->strategy) != WINNOW_STABLE)
        return winnow__fail(WINNOW_ERR_UNSUPPORTED,
                            "strategy %s is unordered, and options->order "
                            "is WINNOW_STABLE",
                            winnow_strategy_name(options->strategy));
    return WINNOW_OK;
}

winnow_status winnow__take_options(const char *type, const char *init,
                                   size_t least, const void *from,
                                   size_t from_size, void *to, size_t size) {
    enum {
        MOST = 4096
    };
    const unsigned char *const bytes = from;
    if (from_size < least || from_size > MOST ||
        from_size % _Alignof(size_t) != 0)
        return winnow__fail(WINNOW_ERR_ARGUMENT,
                            "options->size is %zu, which is the size of no %s: "
                            "start from %s",
                            from_size, type, init);
    for (size_t i = size; i < from_size; i++)
        if (bytes[i] != 0)
            return winnow__fail(WINNOW_ERR_ARGUMENT,
                                "options->size is %zu: this libwinnow knows "
                                "%zu, and what comes after is not 0",
                                from_size, size);
    memcpy(to, from, from_size < size ? from_size : size);
    memcpy(to, &size, sizeof size); /* the first member */
    return WINNOW_OK;
}

/* Copy the caller's options, or the defaults, and check everything that does
 * not depend on a pointer. */
winnow_status winnow__check_query(winnow__query *query,
                                  const winnow_options *options) {
    if (query->context == NULL)
        return winnow__fail(WINNOW_ERR_ARGUMENT, "context is NULL");
    if (query->predicate == NULL &&
        query->operation->predicate == WINNOW__REQUIRED_PREDICATE)
        return winnow__fail(WINNOW_ERR_ARGUMENT, "predicate is NULL");
    if (query->predicate != NULL)
        query->type = query->predicate->type;
    query->options = (winnow_options)WINNOW_OPTIONS_INIT;
    if (options != NULL) {
        winnow_status status = winnow__take_options(
            "winnow_options", "WINNOW_OPTIONS_INIT",
            offsetof(winnow_options, d_strategy), options, options->size,
            &query->options, sizeof query->options);
        if (status == WINNOW_OK)
            status = check_options(&query->options);
        if (status != WINNOW_OK)
            return status;
    }
    if (query->operation->check != NULL) {
        winnow_status status = query->operation->check(query);
        if (status != WINNOW_OK)
            return status;
    }
    if (query->n > UINTPTR_MAX / query->type->size)
        return winnow__fail(WINNOW_ERR_ARGUMENT,
                            "n is %llu: that many elements of %s do not fit "
                            "in the address space",
                            (unsigned long long)query->n, query->type->name);
    if (query->options.capacity > query->n)
        query->options.capacity = query->n;
    return query->context->backend->supports(query);
}

winnow__range_name winnow__name_of(const winnow__range *range) {
    winnow__range_name name;
    if (range->number == 0)
        snprintf(name.text, sizeof name.text, "%s", range->name);
    else
        snprintf(name.text, sizeof name.text, "%s[%u]%s%s", range->name,
                 range->number - 1, range->member != NULL ? "." : "",
                 range->member != NULL ? range->member : "");
    return name;
}

static winnow_status check_range(const winnow__range *r) {
    if (r->start == NULL) {
        if (r->wanted)
            return winnow__fail(WINNOW_ERR_ARGUMENT, "%s is NULL",
                                winnow__name_of(r).text);
        return WINNOW_OK;
    }
    if ((uintptr_t)r->start % r->alignment != 0)
        return winnow__fail(WINNOW_ERR_ARGUMENT,
                            "%s (%p) is misaligned: wanted a multiple of %u "
                            "bytes",
                            winnow__name_of(r).text, r->start, r->alignment);
    if (r->bytes > UINTPTR_MAX - (uintptr_t)r->start)
        return winnow__fail(WINNOW_ERR_ARGUMENT,
                            "%s (%p) and %llu bytes run past the end of the "
                            "address space: %s is too large",
                            winnow__name_of(r).text, r->start,
                            (unsigned long long)r->bytes, r->measure);
    return WINNOW_OK;
}

static bool overlap(const winnow__range *a, const winnow__range *b) {
    const uintptr_t a_start = (uintptr_t)a->start;
    const uintptr_t b_start = (uintptr_t)b->start;
    return (a->written || b->written) && a->start != NULL && b->start != NULL &&
           a->bytes != 0 && b->bytes != 0 && a_start < b_start + b->bytes &&
           b_start < a_start + a->bytes;
}

static winnow_status check_overlap(const winnow__range *a,
                                   const winnow__range *b) {
    if (!overlap(a, b) || (a->in_place != 0 && a->in_place == b->in_place &&
                           a->start == b->start))
        return WINNOW_OK;
    const bool told = a->allowed != NULL && a->allowed == b->allowed;
    return winnow__fail(WINNOW_ERR_ARGUMENT, "%s and %s overlap%s%s",
                        winnow__name_of(a).text, winnow__name_of(b).text,
                        told ? "; only this is defined: " : "",
                        told ? a->allowed : "");
}

static winnow_status check_workspace(const winnow__call *call) {
    if (call->workspace == NULL && call->workspace_bytes != 0)
        return winnow__fail(WINNOW_ERR_ARGUMENT,
                            "d_workspace is NULL, and workspace_bytes is %zu: "
                            "for the context's own memory pass NULL and 0",
                            call->workspace_bytes);
    return WINNOW_OK;
}

/* --------------------------------------------------------------- pointers */

winnow__range winnow__input_range(const winnow__call *call) {
    const unsigned size = call->query.type->size;
    return (winnow__range){.name = "d_in",
                           .start = call->in,
                           .bytes = call->query.n * size,
                           .alignment = size,
                           .wanted = call->query.n != 0,
                           .measure = "n"};
}

winnow__range winnow__result_range(const char *name, const void *start,
                                   unsigned bytes) {
    return (winnow__range){.name = name,
                           .start = start,
                           .bytes = bytes,
                           .alignment = bytes,
                           .wanted = true,
                           .measure = "it",
                           .written = true};
}

enum {
    RANGES = WINNOW__MOST_RANGES + 2 /* what every operation has */
};

static int collect_ranges(const winnow__call *call,
                          winnow__range ranges[RANGES]) {
    int number = call->query.operation->ranges(call, ranges);
    ranges[number] = winnow__result_range(
        "options->d_strategy", call->query.options.d_strategy,
        sizeof *call->query.options.d_strategy);
    ranges[number++].wanted = false;
    ranges[number++] = (winnow__range){.name = "d_workspace",
                                       .start = call->workspace,
                                       .bytes = call->workspace_bytes,
                                       .alignment = 16,
                                       .measure = "workspace_bytes",
                                       .written = true};
    return number;
}

/* They have to be present, aligned, inside the address space, and apart from
 * each other. */
static winnow_status check_ranges(const winnow__call *call,
                                  const winnow__range ranges[], int number) {
    winnow_status status = WINNOW_OK;
    for (int i = 0; i < number && status == WINNOW_OK; i++)
        status = check_range(&ranges[i]);
    for (int i = 0; i < number && status == WINNOW_OK; i++)
        for (int j = i + 1; j < number && status == WINNOW_OK; j++)
            status = check_overlap(&ranges[i], &ranges[j]);
    return status == WINNOW_OK ? check_workspace(call) : status;
}

/* ------------------------------------------------------------------- calls */

winnow_status winnow__query_workspace(winnow__query *query,
                                      const winnow_options *options,
                                      size_t *bytes_p) {
    const winnow__floating caller = winnow__floating_begin();
    winnow_status status = winnow__check_query(query, options);
    if (status == WINNOW_OK && bytes_p == NULL)
        status = winnow__fail(WINNOW_ERR_ARGUMENT, "bytes_p is NULL");
    if (status == WINNOW_OK)
        status = query->context->backend->workspace(query, bytes_p);
    winnow__floating_end(caller);
    return status;
}

/* Is the caller's workspace, if there is one, as large as the call needs? */
winnow_status winnow__check_workspace_bytes(const winnow__call *call,
                                            size_t needed) {
    if (call->workspace == NULL || call->workspace_bytes >= needed)
        return WINNOW_OK;
    return winnow__fail(WINNOW_ERR_WORKSPACE,
                        "workspace_bytes is %zu: %zu are needed",
                        call->workspace_bytes, needed);
}

/* On the context's device, if it has one. */
static winnow_status reach_and_run(const winnow__call *call,
                                   const winnow__range ranges[], int number) {
    const winnow__backend *const backend = call->query.context->backend;
    bool entered = false;
    winnow_status status = WINNOW_OK;
    if (backend->enter != NULL)
        status = backend->enter(call->query.context, &entered);
    if (status != WINNOW_OK)
        return status;
    if (backend->reaches != NULL)
        status = backend->reaches(call, ranges, number);
    if (status == WINNOW_OK)
        status = backend->run(call);
    if (backend->leave != NULL)
        backend->leave(call->query.context, entered);
    return status;
}

static winnow_status check_and_run(winnow__call *call,
                                   const winnow_options *options) {
    winnow__range ranges[RANGES];
    winnow_status status = winnow__check_query(&call->query, options);
    if (status != WINNOW_OK)
        return status;
    const int number = collect_ranges(call, ranges);
    status = check_ranges(call, ranges, number);
    return status == WINNOW_OK ? reach_and_run(call, ranges, number) : status;
}

winnow_status winnow__do(winnow__call *call, const winnow_options *options) {
    const winnow__floating caller = winnow__floating_begin();
    const winnow_status status = check_and_run(call, options);
    winnow__floating_end(caller);
    return status;
}
