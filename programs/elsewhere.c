/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "elsewhere.h"

#include "fail.h"
#include "input.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Those of python/winnow/_files.py. */
static const char *const tables[] = {
    ".parquet", ".pq", ".arrow", ".feather", ".ipc", ".arrows", ".csv", ".tsv"};
static const char *const compressed[] = {".gz", ".bz2", ".zst", ".lz4", ".br"};
enum {
    TABLES = sizeof tables / sizeof tables[0],
    COMPRESSED = sizeof compressed / sizeof compressed[0]
};

/* Does the text of so many bytes end in one of these? Then `*bytes_p` is what is
 * before it. */
static bool take_end(const char *text, size_t *bytes_p, const char *const *ends,
                     unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        const size_t length = strlen(ends[i]);
        if (*bytes_p > length &&
            memcmp(text + *bytes_p - length, ends[i], length) == 0) {
            *bytes_p -= length;
            return true;
        }
    }
    return false;
}

static bool is_table(const char *path) {
    struct stat about;
    size_t bytes = strlen(path);
    if (stat(path, &about) != 0)
        return false;
    if (S_ISDIR(about.st_mode))
        return true;
    (void)take_end(path, &bytes, compressed, COMPRESSED);
    return take_end(path, &bytes, tables, TABLES);
}

static const char *path_of(const char *text) {
    const size_t name = program_name_bytes(text);
    return name != 0 ? text + name + 1 : text;
}

/* A word, as a shell takes it. */
static void put_word(FILE *to, const char *word) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+:@%-";
    if (word[0] != '\0' && word[strspn(word, plain)] == '\0') {
        fprintf(to, " %s", word);
        return;
    }
    fputs(" '", to);
    for (; *word != '\0'; word++)
        fputs(*word == '\'' ? "'\\''" : (char[]){*word, '\0'}, to);
    fputc('\'', to);
}

static void put_command(FILE *to, const program_options *options) {
    fputs("winnow-filter", to);
    put_word(to, options->condition);
    for (unsigned i = 0; i < options->input_count; i++)
        put_word(to, path_of(options->inputs[i]));
    for (unsigned o = 0; o < options->output_count; o++) {
        fputs(" -o", to);
        put_word(to, path_of(options->outputs[o]));
    }
    if (options->what == PROGRAM_COUNT)
        fputs(" --count", to);
}

static _Noreturn void refuse(const program_options *options, const char *path) {
    char command[768] = "";
    FILE *const to = fmemopen(command, sizeof command, "w");
    bool is_whole = false;
    if (to != NULL) {
        put_command(to, options);
        is_whole = ftell(to) < (long)sizeof command;
        is_whole = fclose(to) == 0 && is_whole;
    }
    program_fail(PROGRAM_FORMAT,
                 "%s: winnow reads .npy files and raw records. Tables: %s "
                 "(pip install 'libwinnow[filter]')",
                 path, is_whole ? command : "winnow-filter");
}

void program_refuse_tables(const program_options *options) {
    for (unsigned i = 0; i < options->input_count; i++) {
        const char *const path = path_of(options->inputs[i]);
        if (options->fields == NULL && is_table(path))
            refuse(options, path);
    }
}
