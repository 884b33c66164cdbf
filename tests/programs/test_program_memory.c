/*
 * Each allocation of the program winnow fails once, in six commands: it ends with
 * the status of no memory, a line, and no output; or does without and writes what
 * it writes else.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/failing_malloc.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#undef main
int program_main(int argc, char **argv); /* that of programs/main.c */

#ifdef FAILING_MALLOC
enum {
    MOST_WORDS = 16,
    MOST_BYTES = 4096,
    NO_MEMORY = 7,
    ITEMS = 5
};

static const char *const commands[][MOST_WORDS] = {
    {"x > 1", "in.npy", "-o", "first"},
    {"a > 1 and b < 5", "a=in.npy", "b=in.npy", "c=in.npy", "-o", "b=first",
     "-o", "a=second"},
    {"x > 1", "in.npy", "-i", "-o", "first"},
    {"x > 1", "in.npy", "-c"},
    {"x > 1", "in.npy", "-r", "x", "-r", "x * 2", "--json"},
    {"x > 1", "-f", "x:uint8", "in.raw", "-m", "-o", "first", "--npy",
     "--json"}};

enum {
    COMMANDS = sizeof commands / sizeof commands[0],
    FILES = 4
};

/* "lines" has standard output, "errors" standard error. */
static const char *const files[FILES] = {"lines", "errors", "first", "second"};

typedef struct written {
    char bytes[FILES][MOST_BYTES];
    long count[FILES]; /* -1: no such file */
} written;

static volatile bool *has_failed; /* shared with the child */
static unsigned wrong;

static void note(void) {
    *has_failed = failing_malloc_stop();
}

static int child(const char *const *command, long k) {
    char *words[MOST_WORDS + 1] = {(char *)(uintptr_t) "winnow"};
    int count = 1;
    for (; command[count - 1] != NULL; count++)
        words[count] = (char *)(uintptr_t)command[count - 1];
    if (freopen(files[0], "w", stdout) == NULL ||
        freopen(files[1], "w", stderr) == NULL)
        return 99;
    atexit(note); /* before all others, and so after them */
    failing_malloc_after(k);
    return program_main(count, words);
}

static void read_all(written *to) {
    memset(to, 0, sizeof *to);
    for (unsigned i = 0; i < FILES; i++) {
        FILE *const file = fopen(files[i], "r");
        to->count[i] = -1;
        if (file == NULL)
            continue;
        to->count[i] = (long)fread(to->bytes[i], 1, MOST_BYTES - 1, file);
        fclose(file);
    }
    char *const seconds = strstr(to->bytes[0], "\"seconds\":");
    if (seconds != NULL) { /* which are others each time */
        const char *const rest = strchr(seconds, ',');
        memmove(seconds, rest, strlen(rest) + 1);
        to->count[0] = (long)strlen(to->bytes[0]);
        memset(to->bytes[0] + to->count[0], 0,
               MOST_BYTES - (size_t)to->count[0]);
    }
}

static bool is_left(void) {
    DIR *const folder = opendir(".");
    bool found = false;
    for (struct dirent *at; folder != NULL && (at = readdir(folder)) != NULL;)
        found = found || strncmp(at->d_name, ".winnow", 7) == 0;
    closedir(folder);
    return found;
}

static int run(const char *const *command, long k, written *to) {
    int status = 0;
    for (unsigned i = 0; i < FILES; i++)
        (void)unlink(files[i]);
    *has_failed = true; /* where it does not come to tell */
    fflush(stdout);
    const pid_t made = fork();
    if (made == 0)
        exit(child(command, k));
    if (made < 0 || waitpid(made, &status, 0) != made)
        exit(99);
    read_all(to);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static const char *what_is_wrong(int status, const written *now,
                                 const written *whole) {
    const char *const errors = now->bytes[1];
    const char *const end = strchr(errors, '\n');
    if (is_left())
        return "a temporary file is left";
    if (status == 0)
        return memcmp(now, whole, sizeof *now) != 0 ? "another output" : NULL;
    if (status != NO_MEMORY)
        return "another status";
    if (strstr(errors, "memory") == NULL || end == NULL || end[1] != '\0')
        return "not a line about memory";
    if (now->count[0] != 0 || now->count[2] >= 0 || now->count[3] >= 0)
        return "an output";
    return NULL;
}

static void try_command(unsigned c) {
    static written whole, now;
    long k = 0;
    if (run(commands[c], -1, &whole) != 0 || whole.count[1] != 0) {
        printf("command %u: %s", c, whole.bytes[1]);
        wrong++;
        return;
    }
    do {
        const int status = run(commands[c], k++, &now);
        const char *const what = what_is_wrong(status, &now, &whole);
        if (what == NULL)
            continue;
        printf("command %u, allocation %ld: %s: status %d: %s%s\n", c, k - 1,
               what, status, now.bytes[1], now.bytes[0]);
        wrong++;
    } while (*has_failed);
    printf("command %u: %ld allocations\n", c, k - 1);
    wrong += k < 20;
}

static bool write_input(const char *name, bool is_npy) {
    FILE *const file = fopen(name, "w");
    if (file == NULL)
        return false;
    if (is_npy)
        fprintf(file, "\x93NUMPY%c%cv%c%-117s\n", 1, 0, 0,
                "{'descr': '|u1', 'fortran_order': False, 'shape': (5,), }");
    fwrite("\1\2\3\4\5", 1, ITEMS, file);
    return fclose(file) == 0;
}

int main(void) {
    char folder[] = "/tmp/winnow-memory-XXXXXX";
    has_failed = mmap(NULL, sizeof *has_failed, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (has_failed == MAP_FAILED || mkdtemp(folder) == NULL ||
        chdir(folder) != 0 || !write_input("in.npy", true) ||
        !write_input("in.raw", false))
        return 99;
    for (unsigned c = 0; c < COMMANDS; c++)
        try_command(c);
    for (unsigned i = 0; i < FILES; i++)
        (void)unlink(files[i]);
    if (unlink("in.npy") != 0 || unlink("in.raw") != 0 || rmdir(folder) != 0)
        wrong++;
    return wrong != 0;
}
#else
int main(void) {
    puts("the sanitizers have a malloc() of their own");
    return 77;
}
#endif
