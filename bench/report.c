/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report.h"

#include "progress.h"
#include "util.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void bench_report_open(bench_report *report, const bench_platform *platform,
                       const char *json) {
    *report = (bench_report){.platform = platform};
    report->digest = getenv("WINNOW_DIGEST");
#ifdef WINNOW_DIGEST
    if (report->digest == NULL)
        report->digest = WINNOW_DIGEST;
#endif
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

static void print_header(void) {
    printf("%-9s %-11s %-11s %7s %-6s %-6s %-22s %-9s %5s %10s %9s %9s %6s "
           "%6s\n",
           "type", "n", "pattern", "kept", "launch", "cache", "who", "order",
           "hint", "time us", "p10..p90", "GB/s", "copy", "cub");
}

/* A number, or "-" where it does not apply. */
static void print_ratio(double ratio) {
    if (ratio >= 0)
        printf(" %6.3f", ratio);
    else
        printf(" %6s", "-");
}

static void print_row(const bench_row *row) {
    const bench_times *times = &row->times;
    char size[32], who[64];
    if (row->peer != NULL)
        snprintf(who, sizeof who, "%s", row->peer);
    else if (row->strategy == NULL)
        snprintf(who, sizeof who, "%s", row->op);
    else if (row->chosen != NULL && strcmp(row->chosen, row->strategy) != 0)
        snprintf(who, sizeof who, "%s>%s", row->strategy, row->chosen);
    else
        snprintf(who, sizeof who, "%s", row->strategy);

    printf("%-9s %-11s %-11s %6.2f%% %-6s %-6s %-22s %-9s",
           winnow_type_name(row->type), bench_format_count(row->n, size),
           row->pattern, 100.0 * (double)row->kept / (double)row->n,
           row->launch, row->cache, who, row->order != NULL ? row->order : "-");
    if (row->hint >= 0)
        printf(" %5.3g", row->hint);
    else
        printf(" %5s", "-");
    printf(" %10.2f %8.1f%%", 1e6 * times->midmean,
           100 * (times->p90 - times->p10) / times->midmean);
    if (row->bytes > 0)
        printf(" %9.1f", 1e-9 * (double)row->bytes / times->midmean);
    else
        printf(" %9s", "-");
    print_ratio(row->copy_fraction);
    print_ratio(row->cub_s > 0 ? row->cub_s / times->midmean : -1);
    printf("%s\n", row->right ? "" : "  WRONG");
    fflush(stdout);
}

void bench_report_row(bench_report *report, const bench_row *row) {
    if (!row->right)
        report->wrong = true;
    if (!report->json_only || !row->right) {
        bench_progress_clear();
        if (!report->headed)
            print_header();
        report->headed = true;
        print_row(row);
    }
    if (report->json != NULL)
        bench_json_row(report->json, report, row);
}

void bench_report_close(bench_report *report) {
    if (report->headed)
        printf("\ntime: mean of the middle half of the runs; p10..p90: spread "
               "over the time;\ncopy: rate over the copy kernel's; cub: times "
               "as fast as CUB\n");
    if (report->json != NULL && fclose(report->json) != 0)
        bench_fail("writing the JSON file: %s", strerror(errno));
    if (fflush(stdout) != 0 || ferror(stdout))
        bench_fail("writing the table: %s", strerror(errno));
}
