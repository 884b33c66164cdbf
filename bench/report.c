/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report.h"

#include "progress.h"
#include "util.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void bench_report_open(bench_report *report, const bench_platform *platform,
                       const char *json) {
    *report = (bench_report){.platform = platform};
    report->digest = getenv("WINNOW_DIGEST");
#ifdef WINNOW_DIGEST
    if (report->digest == NULL)
        report->digest = WINNOW_DIGEST;
#endif
    strftime(report->date, sizeof report->date, "%Y-%m-%d",
             gmtime(&(time_t){time(NULL)}));
    if (json != NULL) {
        report->json = fopen(json, "a");
        if (report->json == NULL)
            bench_fail("%s: %s", json, strerror(errno));
    }
    printf("winnow %s on %s", winnow_version_string(), platform->device);
    if (platform->cuda[0] != '\0')
        printf(", driver %s, CUDA runtime %s", platform->driver,
               platform->cuda);
    printf("\n\n");
}

/* A number, or "-" where it does not apply. */
static void print_ratio(double ratio) {
    if (ratio >= 0)
        printf(" %6.3f", ratio);
    else
        printf(" %6s", "-");
}

static void print_rate(const bench_row *row) {
    if (row->bytes > 0)
        printf(" %9.1f", 1e-9 * (double)row->bytes / row->times.midmean);
    else
        printf(" %9s", "-");
    print_ratio(row->copy_fraction);
}

/* What was asked for, and what ran if that is something else. */
static void print_who(const bench_row *row) {
    char both[64];
    const char *who = row->peer != NULL       ? row->peer
                      : row->strategy == NULL ? row->op
                                              : row->strategy;
    if (row->chosen != NULL && strcmp(row->chosen, row->strategy) != 0) {
        snprintf(both, sizeof both, "%s>%s", row->strategy, row->chosen);
        who = both;
    }
    printf("%-22s %-9s", who, row->order != NULL ? row->order : "-");
}

static double percent_kept(const bench_row *row) {
    return 100.0 * (double)row->kept / (double)row->n;
}

static void print_header(const bench_row *row) {
    (void)row;
    printf("%-9s %-11s %-11s %7s %-6s %-6s %-22s %-9s %5s %10s %9s %9s %6s "
           "%6s  %s\n",
           "type", "n", "pattern", "kept", "launch", "cache", "who", "order",
           "hint", "time us", "p10..p90", "GB/s", "copy", "cub", "best");
}

static void print_row(const bench_row *row) {
    const bench_times *times = &row->times;
    char size[32];
    printf("%-9s %-11s %-11s %6.2f%% %-6s %-6s ", winnow_type_name(row->type),
           bench_format_count(row->n, size), row->pattern, percent_kept(row),
           row->launch, row->cache);
    print_who(row);
    if (row->hint >= 0)
        printf(" %5.3g", row->hint);
    else
        printf(" %5s", "-");
    printf(" %10.2f %8.1f%%", 1e6 * times->midmean,
           100 * (times->p90 - times->p10) / times->midmean);
    print_rate(row);
    print_ratio(row->cub_s > 0 ? row->cub_s / times->midmean : -1);
    if (row->best != NULL)
        printf("  %.3f %s", times->midmean / row->best_s, row->best);
    if (row->keys != 0)
        printf("  %llu keys, %u", (unsigned long long)row->keys,
               row->components);
    printf("%s\n", row->right ? "" : "  WRONG");
}

/* A table for each input. */
static void print_brief_header(const bench_row *row) {
    char size[32];
    printf("%s %s, %s, of which %.2f%% are kept\n\n",
           bench_format_count(row->n, size), winnow_type_name(row->type),
           row->pattern, percent_kept(row));
    printf("%-22s %-9s %10s %9s %6s\n", "strategy", "order", "time ms", "GB/s",
           "copy");
}

static void print_brief_row(const bench_row *row) {
    print_who(row);
    printf(" %10.3f", 1e3 * row->times.midmean);
    print_rate(row);
    printf("  %s\n", row->right ? "right" : "WRONG");
}

void bench_report_row(bench_report *report, const bench_row *row) {
    if (!row->right)
        report->wrong = true;
    bench_progress_clear();
    if (!report->headed)
        (report->brief ? print_brief_header : print_header)(row);
    report->headed = true;
    (report->brief ? print_brief_row : print_row)(row);
    fflush(stdout);
    if (report->json != NULL)
        bench_json_row(report->json, report, row);
}

void bench_report_end_table(bench_report *report) {
    if (report->headed)
        printf("\n");
    report->headed = false;
}

void bench_report_close(bench_report *report) {
    if (report->headed)
        printf("\ntime: mean of the middle half of the runs; p10..p90: spread "
               "over the time;\ncopy: rate over the copy kernel's; cub: times "
               "as fast as CUB;\nbest: of regret, AUTO's time over the best "
               "strategy's\n");
    if (report->json != NULL && fclose(report->json) != 0)
        bench_fail("writing the JSON file: %s", strerror(errno));
    if (fflush(stdout) != 0 || ferror(stdout))
        bench_fail("writing the table: %s", strerror(errno));
}
