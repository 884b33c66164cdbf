/*
 * Runs a fuzzer without libFuzzer: on all files of a folder, and on inputs that
 * are made of these at random.
 *
 * usage: FUZZER FOLDER [INPUTS [SEED]]
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <dirent.h>
#include <inttypes.h>
#include <string.h>

#include "fuzz.h"

enum {
    MOST = 4096, /* bytes of an input */
    MOST_FILES = 400
};

static struct input {
    uint8_t bytes[MOST];
    size_t length;
} files[MOST_FILES], made;
static unsigned number;

static uint64_t state;

/* SplitMix64. */
static size_t draw(size_t below) {
    uint64_t x = state += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return (size_t)((x ^ x >> 31) % below);
}

static void read_file(const char *folder, const char *name) {
    char path[1024];
    struct input *const input = &files[number++];
    FUZZ_MUST(number <= MOST_FILES);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *const file = fopen(path, "rb");
    FUZZ_MUST(file != NULL);
    input->length = fread(input->bytes, 1, MOST, file);
    fclose(file);
}

static void read_folder(const char *folder) {
    DIR *const list = opendir(folder);
    const struct dirent *entry;
    FUZZ_MUST(list != NULL);
    while ((entry = readdir(list)) != NULL)
        if (entry->d_name[0] != '.')
            read_file(folder, entry->d_name);
    closedir(list);
}

/* A byte is another, some go, or come from another input. */
static void mutate(void) {
    const struct input *const other = &files[draw(number)];
    const size_t at = draw(made.length + 1), left = made.length - at;
    const size_t span = 1 + draw(8);
    switch (draw(4)) {
    case 0:
        if (left > 0)
            made.bytes[at] = (uint8_t)draw(256);
        break;
    case 1:
        if (left >= span) {
            memmove(made.bytes + at, made.bytes + at + span, left - span);
            made.length -= span;
        }
        break;
    case 2:
        if (left > 0)
            made.bytes[at] ^= (uint8_t)(1 << draw(8));
        break;
    default:
        if (other->length >= span && made.length + span <= MOST) {
            memmove(made.bytes + at + span, made.bytes + at, left);
            memcpy(made.bytes + at,
                   other->bytes + draw(other->length - span + 1), span);
            made.length += span;
        }
        break;
    }
}

/* As large as it is, so that a detector sees what reads behind it. */
static void run(const struct input *input) {
    uint8_t *const copy = malloc(input->length + 1);
    FUZZ_MUST(copy != NULL);
    uint8_t *const exact = realloc(copy, input->length > 0 ? input->length : 1);
    FUZZ_MUST(exact != NULL);
    memcpy(exact, input->bytes, input->length);
    LLVMFuzzerTestOneInput(exact, input->length);
    free(exact);
}

int main(int argc, char **argv) {
    if (argc < 2)
        return 2;
    const uint64_t inputs = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    const uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
    read_folder(argv[1]);
    FUZZ_MUST(number > 0);
    for (unsigned i = 0; i < number; i++)
        run(&files[i]);
    for (uint64_t i = 0; i < inputs; i++) {
        state = seed << 32 ^ i;
        made = files[draw(number)];
        for (size_t k = draw(8) + 1; k > 0; k--)
            mutate();
        run(&made);
    }
    printf("%s: %u files, %" PRIu64 " inputs of seed %" PRIu64 "\n", argv[1],
           number, inputs, seed);
    return 0;
}
