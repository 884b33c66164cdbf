/*
 * The row as one JSON object. Field names are a format that scripts read:
 * they are added to, never changed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report.h"

#include "util.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static void put_text(FILE *file, const char *name, const char *text) {
    fprintf(file, "\"%s\":", name);
    if (text == NULL) {
        fputs("null", file);
        return;
    }
    fputc('"', file);
    for (; *text != '\0'; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fprintf(file, "\\%c", c);
        else if (c < 0x20)
            fprintf(file, "\\u%04x", c);
        else
            fputc(c, file);
    }
    fputc('"', file);
}

static void put_number(FILE *file, const char *name, double number) {
    if (number >= 0)
        fprintf(file, "\"%s\":%.9g", name, number);
    else
        fprintf(file, "\"%s\":null", name);
}

static void put_regret(FILE *file, const bench_row *row) {
    fputc(',', file);
    put_text(file, "best", row->best);
    fputc(',', file);
    put_number(file, "best_s", row->best_s);
    fputc(',', file);
    put_number(file, "hint_true_s", row->hint_true_s);
    fputc(',', file);
    put_number(file, "hint_wrong_s", row->hint_wrong_s);
}

/* NULL for a text that is empty. */
static const char *or_null(const char *text) {
    return text[0] != '\0' ? text : NULL;
}

void bench_json_row(FILE *file, const bench_report *report,
                    const bench_row *row) {
    const bench_platform *platform = report->platform;
    const struct {
        const char *name;
        const char *text;
    } texts[] = {
        {"digest", report->digest},
        {"gpu", platform->device},
        {"driver", or_null(platform->driver)},
        {"cuda", or_null(platform->cuda)},
        {"version", winnow_version_string()},
        {"op", row->op},
        {"order", row->order},
        {"strategy", row->strategy},
        {"chosen", row->chosen},
        {"peer", row->peer},
        {"type", winnow_type_name(row->type)},
        {"pattern", row->pattern},
        {"cache", row->cache},
        {"launch", row->launch},
        {"workspace", row->workspace},
    };
    fputc('{', file);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        put_text(file, texts[i].name, texts[i].text);
        fputc(',', file);
    }
    fprintf(file, "\"n\":%" PRIu64 ",\"kept\":%" PRIu64 ",\"bytes\":%" PRIu64,
            row->n, row->kept, row->bytes);
    const struct {
        const char *name;
        double number;
    } numbers[] = {
        {"selectivity", row->selectivity},
        {"hint", row->hint},
        {"midmean_s", row->times.midmean},
        {"median_s", row->times.median},
        {"p10_s", row->times.p10},
        {"p90_s", row->times.p90},
        {"copy_s", row->copy_s},
        {"copy_fraction", row->copy_fraction},
        {"empty_s", row->empty_s},
        {"clock_s", row->clock_s},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        fputc(',', file);
        put_number(file, numbers[i].name, numbers[i].number);
    }
    fprintf(file, ",\"runs\":%u,\"right\":%s", row->times.runs,
            row->right ? "true" : "false");
    if (row->best != NULL)
        put_regret(file, row);
    fputs("}\n", file);
    if (fflush(file) != 0)
        bench_fail("writing the JSON file: %s", strerror(errno));
}
