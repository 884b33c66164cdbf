/*
 * The checks that every call makes before anything is enqueued, and its run.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "context.h"
#include "explain.h"
#include "floating.h"
#include "operation.h"
#include "status.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static winnow_status check_size(const char *name, const char *type,
                                size_t least, size_t given, size_t size) {
    enum {
        MOST = 4096
    };
    return given >= least && given <= MOST && given % _Alignof(size_t) == 0
               ? WINNOW_OK
               : winnow__refuse(
                     "%s->size is %zu: wanted sizeof(%s), which is %zu", name,
                     given, type, size);
}

winnow_status winnow__take_struct(const char *name, const char *type,
                                  size_t least, const void *from, void *to,
                                  size_t size) {
    const unsigned char *const bytes = from;
    size_t given;
    memcpy(&given, from, sizeof given); /* has to be the first member */
    WINNOW__TRY(check_size(name, type, least, given, size));
    for (size_t i = size; i < given; i++)
        if (bytes[i] != 0)
            return winnow__refuse("%s->size is %zu: this libwinnow knows %zu, "
                                  "and what comes after is not 0",
                                  name, given, size);
    memcpy(to, from, given < size ? given : size);
    memcpy(to, &size, sizeof size);
    return WINNOW_OK;
}

winnow_status winnow__give_struct(const char *name, const char *type,
                                  size_t least, const void *from, void *to,
                                  size_t size) {
    size_t given;
    memcpy(&given, to, sizeof given);
    WINNOW__TRY(check_size(name, type, least, given, size));
    memset(to, 0, given);
    memcpy(to, from, given < size ? given : size);
    memcpy(to, &given, sizeof given);
    return WINNOW_OK;
}

/* ------------------------------------------------------------------- launch */

static winnow_status check_values(const winnow_launch *launch) {
    if ((int)launch->order < WINNOW_UNORDERED ||
        (int)launch->order > WINNOW_STABLE)
        return winnow__refuse("launch->order %d is no winnow_order",
                              (int)launch->order);
    if (!winnow__strategy_exists(launch->strategy))
        return winnow__refuse("launch->strategy %d is no winnow_strategy",
                              (int)launch->strategy);
    if (!(launch->selectivity >= 0.0 && launch->selectivity <= 1.0))
        return winnow__refuse(
            "launch->selectivity is %.9g: wanted 0, for unknown, to 1",
            launch->selectivity);
    for (unsigned i = 0;
         i < sizeof launch->reserved / sizeof launch->reserved[0]; i++)
        if (launch->reserved[i] != 0)
            return winnow__refuse("launch->reserved[%u] is not 0", i);
    if (launch->d_workspace == NULL && launch->workspace_bytes != 0 &&
        launch->plan == NULL)
        return winnow__refuse(
            "launch->d_workspace is NULL, and workspace_bytes is %zu: for the "
            "context's own memory pass NULL and 0",
            launch->workspace_bytes);
    return WINNOW_OK;
}

/* A member that would change a result, and that the operation cannot obey. */
static winnow_status refuse(const winnow__query *query, const char *member,
                            const char *why) {
    return winnow__unsupported("launch->%s is set, and winnow_%s %s", member,
                               query->operation->name, why);
}

static winnow_status check_honoured(const winnow__query *query) {
    const winnow_launch *const launch = &query->launch;
    const unsigned takes = query->operation->takes;
    if (launch->d_n != NULL && (takes & WINNOW__TAKES_N) == 0)
        return refuse(query, "d_n", "reads no items");
    if (launch->d_position != NULL && (takes & WINNOW__TAKES_POSITION) == 0)
        return refuse(query, "d_position",
                      "always writes from the beginning of its outputs");
    if ((takes & WINNOW__TAKES_STRATEGY) != 0)
        return launch->order == WINNOW_STABLE &&
                       winnow__strategy_order(launch->strategy) != WINNOW_STABLE
                   ? winnow__unsupported("strategy %s is unordered, and "
                                         "launch->order is WINNOW_STABLE",
                                         winnow_strategy_name(launch->strategy))
                   : WINNOW_OK;
    if (launch->strategy != WINNOW_AUTO && launch->strategy != WINNOW_HOST)
        return refuse(query, "strategy", "has WINNOW_AUTO alone");
    return launch->d_strategy != NULL
               ? refuse(query, "d_strategy", "reports no strategy")
               : WINNOW_OK;
}

static winnow_status take_launch(winnow__query *query,
                                 const winnow_launch *launch) {
    query->launch = (winnow_launch){.size = sizeof query->launch};
    if (launch == NULL)
        return WINNOW_OK;
    WINNOW__TRY(winnow__take_struct("launch", "winnow_launch",
                                    offsetof(winnow_launch, reserved), launch,
                                    &query->launch, sizeof query->launch));
    WINNOW__TRY(check_values(&query->launch));
    return check_honoured(query);
}

winnow_status winnow_launch_init(winnow_launch *launch, size_t size) {
    WINNOW__TRY(winnow__need(launch, "launch"));
    if (size < offsetof(winnow_launch, reserved) ||
        size % _Alignof(winnow_launch) != 0)
        return winnow__refuse(
            "size is %zu: wanted sizeof(winnow_launch), which is %zu", size,
            sizeof *launch);
    memset(launch, 0, size);
    launch->size = size;
    return WINNOW_OK;
}

uint64_t winnow_no_limit(void) {
    return WINNOW_NO_LIMIT;
}

/* ------------------------------------------------------------------- query */

/* A type that the caller passes has to be that of the predicate. */
static winnow_status check_type(winnow__query *query) {
    const winnow__type_info *const given = winnow__type(query->given);
    if ((query->operation->takes & WINNOW__TAKES_TYPE) == 0) {
        if (query->predicate != NULL)
            query->type = query->predicate->type;
        return WINNOW_OK;
    }
    if (given == NULL)
        return winnow__fail_type("type", query->given);
    if (query->predicate != NULL && query->predicate->type != given)
        return winnow__refuse("type is %s, and the predicate is of %s",
                              given->name, query->predicate->type->name);
    query->type = given;
    return WINNOW_OK;
}

/* Take the caller's launch, or the defaults, and check everything that does not
 * depend on a pointer. */
static winnow_status check_query(winnow__query *query,
                                 const winnow_launch *launch) {
    if (query->context == NULL)
        return winnow__refuse("context is NULL");
    if (query->predicate == NULL &&
        query->operation->predicate == WINNOW__REQUIRED_PREDICATE)
        return winnow__refuse("predicate is NULL");
    WINNOW__TRY(check_type(query));
    WINNOW__TRY(take_launch(query, launch));
    if (query->operation->check != NULL)
        WINNOW__TRY(query->operation->check(query));
    if (query->n > UINTPTR_MAX / query->type->size)
        return winnow__refuse("n is %llu: that many elements of %s do not fit "
                              "in the address space",
                              (unsigned long long)query->n, query->type->name);
    if (query->launch.d_position == NULL && query->capacity > query->n)
        query->capacity = query->n;
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
            return winnow__refuse("%s is NULL", winnow__name_of(r).text);
        return WINNOW_OK;
    }
    if ((uintptr_t)r->start % r->alignment != 0)
        return winnow__refuse(
            "%s (%p) is misaligned: wanted a multiple of %u bytes",
            winnow__name_of(r).text, r->start, r->alignment);
    if (r->bytes > UINTPTR_MAX - (uintptr_t)r->start)
        return winnow__refuse("%s (%p) and %llu bytes run past the end of the "
                              "address space: %s is too large",
                              winnow__name_of(r).text,
                              r->given != NULL ? r->given : r->start,
                              (unsigned long long)r->bytes, r->measure);
    return WINNOW_OK;
}

static bool overlap(const winnow__range *a, const winnow__range *b) {
    const uintptr_t a_start = (uintptr_t)a->start;
    const uintptr_t b_start = (uintptr_t)b->start;
    return (a->written || b->written) && b->start != NULL && b->bytes != 0 &&
           a_start < b_start + b->bytes && b_start < a_start + a->bytes;
}

/* a is neither NULL nor empty. */
static winnow_status check_overlap(const winnow__range *a,
                                   const winnow__range *b) {
    if (!overlap(a, b) || (a->in_place != 0 && a->in_place == b->in_place &&
                           a->start == b->start))
        return WINNOW_OK;
    const bool told = a->allowed != NULL && a->allowed == b->allowed;
    return winnow__refuse("%s and %s overlap%s%s", winnow__name_of(a).text,
                          winnow__name_of(b).text,
                          told ? "; only this is defined: " : "",
                          told ? a->allowed : "");
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
    OF_LAUNCH = 4 /* ranges that every operation has */
};

/* A word of a launch, if there is one. */
static int add_word(const char *name, const void *start, unsigned bytes,
                    bool written, winnow__range *range) {
    if (start == NULL)
        return 0;
    *range = winnow__result_range(name, start, bytes);
    range->written = written;
    return 1;
}

static int collect_ranges(const winnow__call *call, winnow__range ranges[]) {
    const winnow_launch *const launch = &call->query.launch;
    int number = call->query.operation->ranges(call, ranges);
    number += add_word("launch->d_strategy", launch->d_strategy,
                       sizeof *launch->d_strategy, true, ranges + number);
    number += add_word("launch->d_position", launch->d_position,
                       sizeof *launch->d_position, true, ranges + number);
    if (launch->d_n != call->count)
        number += add_word("launch->d_n", launch->d_n, sizeof *launch->d_n,
                           false, ranges + number);
    if (launch->d_workspace != NULL)
        ranges[number++] = (winnow__range){.name = "launch->d_workspace",
                                           .start = launch->d_workspace,
                                           .bytes = launch->workspace_bytes,
                                           .alignment = 16,
                                           .measure = "workspace_bytes",
                                           .written = true};
    return number;
}

/* All memory has to be present, aligned, inside the address space, and without
 * overlap. */
static winnow_status check_ranges(const winnow__range ranges[], int number) {
    for (int i = 0; i < number; i++)
        WINNOW__TRY(check_range(&ranges[i]));
    for (int i = 0; i < number; i++) {
        const bool takes_room = ranges[i].start != NULL && ranges[i].bytes != 0;
        for (int j = i + 1; takes_room && j < number; j++)
            WINNOW__TRY(check_overlap(&ranges[i], &ranges[j]));
    }
    return WINNOW_OK;
}

/* ------------------------------------------------------------------- calls */

/* Is the caller's workspace, if there is one, as large as the call needs? */
winnow_status winnow__check_workspace_bytes(const winnow__call *call,
                                            size_t needed) {
    if (call->query.launch.d_workspace == NULL ||
        call->query.launch.workspace_bytes >= needed)
        return WINNOW_OK;
    return winnow__fail(WINNOW_ERR_WORKSPACE,
                        "launch->workspace_bytes is %zu: %zu are needed",
                        call->query.launch.workspace_bytes, needed);
}

/* Is the call's memory valid, and can the device, which is entered, reach it? A
 * function of its own, so that its stack does not hold the ranges while the call
 * runs. */
static __attribute__((noinline)) winnow_status
check_memory(const winnow__call *call) {
    const winnow__operation *const operation = call->query.operation;
    const winnow__backend *const backend = call->query.context->backend;
    winnow__range some[WINNOW__SOME_RANGES + OF_LAUNCH], *list = some;
    const size_t most = operation->most_ranges != NULL
                            ? operation->most_ranges(&call->query)
                            : WINNOW__SOME_RANGES;
    if (most > WINNOW__SOME_RANGES)
        list = malloc((most + OF_LAUNCH) * sizeof *list);
    if (list == NULL)
        return winnow__fail(WINNOW_ERR_MEMORY,
                            "no host memory: the checks of %zu arrays need %zu "
                            "bytes",
                            most, (most + OF_LAUNCH) * sizeof *list);
    const int number = collect_ranges(call, list);
    winnow_status status = check_ranges(list, number);
    if (status == WINNOW_OK && backend->reaches != NULL)
        status = backend->reaches(call, list, number);
    if (list != some)
        free(list);
    return status;
}

/* Runs on the context's device, if it has one. */
static winnow_status check_and_run(winnow__call *call,
                                   const winnow_launch *launch) {
    bool entered = false;
    winnow_status status = check_query(&call->query, launch);
    if (status != WINNOW_OK)
        return status;
    if (call->query.launch.plan != NULL)
        return winnow__plan_call(&call->query);
    const winnow__backend *const backend = call->query.context->backend;
    if (backend->enter != NULL)
        status = backend->enter(call->query.context, &entered);
    if (status != WINNOW_OK)
        return status;
    status = check_memory(call);
    if (status == WINNOW_OK)
        status = backend->run(call);
    if (backend->leave != NULL)
        backend->leave(call->query.context, entered);
    return status;
}

winnow_status winnow__do(winnow__call *call, const winnow_launch *launch) {
    const winnow__floating caller = winnow__floating_begin();
    const winnow_status status = check_and_run(call, launch);
    winnow__floating_end(caller);
    return status;
}
