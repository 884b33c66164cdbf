/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "regret.h"

#include "util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * From here on a worst ratio counts; below, times of a few microseconds make
 * ratios meaningless, and the difference in seconds counts.
 */
#define RATIO_COUNTS_FROM (UINT64_C(1) << 20)

void bench_regrets_add(bench_regrets *regrets, const bench_cell *cell,
                       const char *cache, const bench_contender *defender,
                       double auto_s, const bench_contender *best,
                       double best_s) {
    if (regrets->count == regrets->room) {
        regrets->room = regrets->room > 0 ? 2 * regrets->room : 1024;
        regrets->list =
            realloc(regrets->list, regrets->room * sizeof *regrets->list);
        if (regrets->list == NULL)
            bench_fail("out of memory: %zu regrets", regrets->room);
    }
    regrets->list[regrets->count++] = (bench_regret){
        .type = cell->type,
        .n = cell->n,
        .pattern = cell->pattern->name,
        .selectivity = cell->selectivity,
        .cache = cache,
        .launch = cell->launch,
        .order = defender->options.order,
        .hint = defender->hint,
        .chosen = defender->chosen,
        .best = best->options.strategy,
        .auto_s = auto_s,
        .best_s = best_s,
    };
}

void bench_regrets_release(bench_regrets *regrets) {
    free(regrets->list);
    *regrets = (bench_regrets){0};
}

static double ratio(const bench_regret *regret) {
    return regret->auto_s / regret->best_s;
}

static double excess(const bench_regret *regret) {
    return regret->auto_s - regret->best_s;
}

static int compare_groups(const bench_regret *a, const bench_regret *b) {
    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    if (a->hint != b->hint)
        return a->hint < b->hint ? -1 : 1;
    if (a->launch != b->launch)
        return a->launch < b->launch ? -1 : 1;
    if (a->type != b->type)
        return a->type < b->type ? -1 : 1;
    if (a->n != b->n)
        return a->n < b->n ? -1 : 1;
    return strcmp(a->cache, b->cache);
}

/* For the summary: order, hint, and which measure counts. */
static int compare_classes(const bench_regret *a, const bench_regret *b) {
    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    if (a->hint != b->hint)
        return a->hint < b->hint ? -1 : 1;
    return (a->n >= RATIO_COUNTS_FROM) - (b->n >= RATIO_COUNTS_FROM);
}

/* By group, then by ratio, so that a group's median is in its middle. */
static int by_group(const void *a, const void *b) {
    const int group = compare_groups(a, b);
    return group != 0 ? group : (ratio(a) > ratio(b)) - (ratio(a) < ratio(b));
}

static int by_class(const void *a, const void *b) {
    const int class = compare_classes(a, b);
    return class != 0 ? class : (ratio(a) > ratio(b)) - (ratio(a) < ratio(b));
}

static size_t end_of(const bench_regrets *regrets, size_t first,
                     int (*compare)(const bench_regret *,
                                    const bench_regret *)) {
    size_t end = first + 1;
    while (end < regrets->count &&
           compare(&regrets->list[first], &regrets->list[end]) == 0)
        end++;
    return end;
}

/* The cell with the largest ratio, or below the limit in n, difference. */
static const bench_regret *worst_of(const bench_regret *list, size_t count) {
    const bench_regret *worst = &list[0];
    const bool by_ratio = list[0].n >= RATIO_COUNTS_FROM;
    for (size_t i = 1; i < count; i++)
        if (by_ratio ? ratio(&list[i]) > ratio(worst)
                     : excess(&list[i]) > excess(worst))
            worst = &list[i];
    return worst;
}

static const char *hint_name(bench_hint hint) {
    static const char *const names[] = {"none", "true", "wrong"};
    return names[hint];
}

static void print_group(const bench_regret *list, size_t count) {
    const bench_regret *worst = worst_of(list, count);
    char size[32];
    printf("%-9s %-5s %-9s %-11s %-6s %-6s %5zu %8.3f %8.3f %9.2f  %s %g: "
           "%s, best %s\n",
           winnow_order_name(list->order), hint_name(list->hint),
           winnow_type_name(list->type), bench_format_count(list->n, size),
           bench_launch_name(list->launch), list->cache, count,
           ratio(&list[(count - 1) / 2]), ratio(worst), 1e6 * excess(worst),
           worst->pattern, worst->selectivity, worst->chosen,
           winnow_strategy_name(worst->best));
}

static void print_class(const bench_regret *list, size_t count) {
    const bench_regret *worst = worst_of(list, count);
    const bool by_ratio = list->n >= RATIO_COUNTS_FROM;
    char size[32];
    printf("%-9s hint %-5s n %s 2^20: %zu cells, median %.3f, worst ",
           winnow_order_name(list->order), hint_name(list->hint),
           by_ratio ? ">=" : "< ", count, ratio(&list[(count - 1) / 2]));
    if (by_ratio)
        printf("%.3f", ratio(worst));
    else
        printf("%+.2f us", 1e6 * excess(worst));
    printf(" (%s %s %s %g)\n", winnow_type_name(worst->type),
           bench_format_count(worst->n, size), worst->pattern,
           worst->selectivity);
}

void bench_regrets_print(const bench_regrets *regrets) {
    bench_regret *list = regrets->list;
    printf("AUTO's time over the best strategy's\n");
    printf("%-9s %-5s %-9s %-11s %-6s %-6s %5s %8s %8s %9s  %s\n", "order",
           "hint", "type", "n", "launch", "cache", "cells", "median", "worst",
           "excess us", "worst cell");
    qsort(list, regrets->count, sizeof *list, by_group);
    for (size_t i = 0, end; i < regrets->count; i = end) {
        end = end_of(regrets, i, compare_groups);
        print_group(&list[i], end - i);
    }
    printf("\n");
    qsort(list, regrets->count, sizeof *list, by_class);
    for (size_t i = 0, end; i < regrets->count; i = end) {
        end = end_of(regrets, i, compare_classes);
        print_class(&list[i], end - i);
    }
}
