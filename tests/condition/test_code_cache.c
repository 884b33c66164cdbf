/*
 * Compiled code on disk: what is kept is found, and nothing else is.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "condition/compile/disk.h"

#include "suite.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <winnow.h>

static char folder[] = "/tmp/winnow-cache-XXXXXX";

static void open_cache(uint64_t most_bytes) {
    cr_assert_not_null(mkdtemp(folder));
    cr_assert_eq(winnow_cache_set(folder, most_bytes), WINNOW_OK);
}

/* The number of files, and the path of one of them. */
static unsigned list_files(char *path, size_t bytes) {
    unsigned number = 0;
    DIR *const list = opendir(folder);
    cr_assert_not_null(list);
    for (const struct dirent *one; (one = readdir(list)) != NULL;) {
        if (one->d_name[0] == '.' && one->d_name[1] != 'n')
            continue;
        snprintf(path, bytes, "%s/%s", folder, one->d_name);
        number++;
    }
    closedir(list);
    return number;
}

static void close_cache(void) {
    char path[512];
    while (list_files(path, sizeof path) != 0)
        cr_assert_eq(remove(path), 0);
    cr_assert_eq(rmdir(folder), 0);
}

static winnow__disk_key key_of(const char *text) {
    return (winnow__disk_key){.bytes = text, .number = strlen(text)};
}

/* NULL, or why it is not kept. */
static const char *keep(const char *key, const char *code) {
    static char reason[512];
    const winnow__disk_key of = key_of(key);
    return winnow__disk_keep(&of,
                             &(winnow__code){.bytes = (void *)(uintptr_t)code,
                                             .number = strlen(code)},
                             reason, sizeof reason);
}

static bool finds(const char *key, const char *code) {
    const winnow__disk_key of = key_of(key);
    winnow__code found;
    if (!winnow__disk_find(&of, &found))
        return false;
    const bool same = found.number == strlen(code) &&
                      memcmp(found.bytes, code, found.number) == 0;
    free(found.bytes);
    cr_assert(same, "code of another key");
    return true;
}

Test(code_cache, kept) {
    char path[512];
    open_cache(1 << 20);
    cr_assert_not(finds("a", "code of a"));
    cr_assert_null(keep("a", "code of a"));
    cr_assert_null(keep("b", "code of b"));
    cr_assert(finds("a", "code of a"));
    cr_assert(finds("b", "code of b"));
    cr_assert_not(finds("c", ""));
    cr_assert_null(keep("a", "other code of a"));
    cr_assert(finds("a", "other code of a"));
    cr_assert_eq(list_files(path, sizeof path), 2);
    cr_assert_eq(winnow_cache_clear(), WINNOW_OK);
    cr_assert_eq(list_files(path, sizeof path), 0);
    cr_assert_not(finds("a", ""));
    close_cache();
}

/* Of a file that is torn, or changed anywhere, nothing is used. */
Test(code_cache, torn) {
    char path[512];
    struct stat about;
    open_cache(1 << 20);
    cr_assert_null(keep("key", "code"));
    cr_assert_eq(list_files(path, sizeof path), 1);
    cr_assert_eq(stat(path, &about), 0);
    for (off_t i = 0; i < about.st_size; i++) {
        const int file = open(path, O_RDWR);
        unsigned char byte;
        cr_assert_geq(file, 0);
        cr_assert_eq(pread(file, &byte, 1, i), 1);
        byte ^= 0x10;
        cr_assert_eq(pwrite(file, &byte, 1, i), 1);
        close(file);
        cr_assert_not(finds("key", ""), "byte %d", (int)i);
        cr_assert_eq(access(path, F_OK), -1, "it is removed");
        cr_assert_null(keep("key", "code"));
        cr_assert_eq(truncate(path, i), 0);
        cr_assert_not(finds("key", ""), "%d bytes", (int)i);
        cr_assert_null(keep("key", "code"));
    }
    cr_assert(finds("key", "code"));
    close_cache();
}

/* What is no file neither blocks nor is read. */
Test(code_cache, no_files) {
    char path[512];
    open_cache(1 << 20);
    cr_assert_null(keep("key", "code"));
    cr_assert_eq(list_files(path, sizeof path), 1);
    cr_assert_eq(remove(path), 0);
    cr_assert_eq(mkfifo(path, 0600), 0);
    cr_assert_not(finds("key", ""));
    cr_assert_null(keep("key", "code"));
    cr_assert_eq(remove(path), 0);
    cr_assert_eq(symlink("/etc/passwd", path), 0);
    cr_assert_not(finds("key", ""));
    cr_assert_null(keep("key", "code"));
    cr_assert(finds("key", "code"));
    close_cache();
}

static void cannot_keep(const char *directory, const char *what) {
    cr_assert_eq(winnow_cache_set(directory, 1 << 20), WINNOW_OK);
    cr_assert_not_null(keep("key", "code"), "%s", what);
    cr_assert_not(finds("key", ""));
}

Test(code_cache, not_kept) {
    const struct rlimit limit = {.rlim_cur = 16, .rlim_max = RLIM_INFINITY};
    char path[512], below[512];
    cannot_keep("/proc/winnow", "no directory can be made");
    cannot_keep("/dev/null/cache", "it is no directory");
    open_cache(1 << 20);
    /* As a full disk: a write stops in the middle. */
    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    cr_assert_not_null(keep("key", "code"));
    cr_assert_eq(list_files(path, sizeof path), 0, "nothing is left behind");
    cr_assert_eq(winnow_cache_set(NULL, 0), WINNOW_OK);
    cr_assert_null(keep("key", "code"), "it is off");
    cr_assert_not(finds("key", ""));
    snprintf(below, sizeof below, "%s/a/b", folder);
    cr_assert_eq(winnow_cache_set("relative", 1), WINNOW_ERR_ARGUMENT);
    close_cache();
}

/* Directories that are missing are made. */
Test(code_cache, made) {
    char below[512], path[600];
    cr_assert_not_null(mkdtemp(folder));
    snprintf(below, sizeof below, "%s/a/b c", folder);
    cr_assert_eq(winnow_cache_set(below, 1 << 20), WINNOW_OK);
    cr_assert_null(keep("key", "code"));
    cr_assert(finds("key", "code"));
    cr_assert_eq(winnow_cache_clear(), WINNOW_OK);
    cr_assert_eq(rmdir(below), 0);
    snprintf(path, sizeof path, "%s/a", folder);
    cr_assert_eq(rmdir(path), 0);
    close_cache();
}

/* What was used least recently goes. */
Test(code_cache, limit) {
    char path[512], code[1001];
    struct timespec wait = {.tv_nsec = 20000000};
    memset(code, 'x', 1000);
    code[1000] = '\0';
    open_cache(3500);
    for (const char *key = "abc"; *key != '\0'; key++) {
        const char one[2] = {*key};
        cr_assert_null(keep(one, code));
        nanosleep(&wait, NULL);
    }
    cr_assert(finds("a", code));
    nanosleep(&wait, NULL);
    cr_assert_null(keep("d", code));
    cr_assert_eq(list_files(path, sizeof path), 3);
    cr_assert(finds("a", code));
    cr_assert_not(finds("b", code));
    cr_assert(finds("c", code));
    cr_assert(finds("d", code));
    close_cache();
}

/* Processes that keep and find the same keys never see a part of an entry. */
Test(code_cache, processes) {
    enum {
        CHILDREN = 4,
        ROUNDS = 100
    };
    pid_t child[CHILDREN];
    open_cache(1 << 20);
    for (int i = 0; i < CHILDREN; i++) {
        child[i] = fork();
        if (child[i] != 0)
            continue;
        bool right = true;
        for (int k = 0; k < ROUNDS; k++) {
            char key[16], code[2000];
            snprintf(key, sizeof key, "%d", k % 7);
            memset(code, 'a' + k % 7, sizeof code - 1);
            code[sizeof code - 1] = '\0';
            const winnow__disk_key of = key_of(key);
            winnow__code found;
            if (winnow__disk_find(&of, &found)) {
                right &= found.number == strlen(code) &&
                         memcmp(found.bytes, code, found.number) == 0;
                free(found.bytes);
            }
            right &= keep(key, code) == NULL;
            if (k % 10 == 9)
                right &= winnow_cache_clear() == WINNOW_OK;
        }
        _exit(right ? 0 : 1);
    }
    for (int i = 0; i < CHILDREN; i++) {
        int status;
        cr_assert_eq(waitpid(child[i], &status, 0), child[i]);
        cr_assert_eq(status, 0);
    }
    close_cache();
}

static void make_file(const char *name, const char *text) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *const file = fopen(path, "w");
    cr_assert_not_null(file);
    cr_assert_geq(fputs(text, file), 0);
    cr_assert_eq(fclose(file), 0);
}

/* Neither clear nor the limit removes what has another name or form. */
Test(code_cache, others) {
    static const char *const others[] = {
        "model.cubin",
        "0123456789abcdef0123456789abcde.cubin",
        "0123456789abcdef0123456789abcdef0.cubin",
        "0123456789ABCDEF0123456789ABCDEF.cubin",
        "0123456789abcdef0123456789abcdef.cubin.old",
        "fedcba9876543210fedcba9876543210.cubin", /* with other bytes */
        ".new-a-1",
        ".new-1",
        ".new-1-1x"};
    enum {
        OTHERS = sizeof others / sizeof others[0]
    };
    char path[512], to[512];
    open_cache(1);
    for (unsigned i = 0; i < OTHERS; i++)
        make_file(others[i], "\177ELF, of somebody else");
    make_file("0123456789abcdef0123456789abcdef.cubin", "winnow cub");
    snprintf(path, sizeof path, "%s/00000000000000000000000000000000.cubin",
             folder);
    cr_assert_eq(mkdir(path, 0700), 0);
    snprintf(to, sizeof to, "%s/11111111111111111111111111111111.cubin",
             folder);
    cr_assert_eq(symlink(others[0], to), 0);
    cr_assert_null(keep("key", "code"), "the limit of a byte removes it again");
    cr_assert_not(finds("key", ""));
    cr_assert_eq(list_files(path, sizeof path), OTHERS + 2);
    cr_assert_eq(winnow_cache_set(folder, 1 << 20), WINNOW_OK);
    cr_assert_null(keep("key", "code"));
    cr_assert_eq(list_files(path, sizeof path), OTHERS + 3);
    cr_assert_eq(winnow_cache_clear(), WINNOW_OK);
    cr_assert_eq(list_files(path, sizeof path), OTHERS + 2);
    close_cache();
}

/* Code is loaded from where nobody else may write. */
Test(code_cache, trusted) {
    static const mode_t shared[] = {0770, 0707, 0777, 01777, 0720};
    char path[512];
    open_cache(1 << 20);
    cr_assert_null(keep("key", "code"));
    for (unsigned i = 0; i < sizeof shared / sizeof shared[0]; i++) {
        cr_assert_eq(chmod(folder, shared[i]), 0);
        cr_assert_not(finds("key", ""), "mode %o", shared[i]);
        const char *const reason = keep("other", "code");
        cr_assert_not_null(reason, "mode %o", shared[i]);
        cr_assert_not_null(strstr(reason, "no other may write"), "%s", reason);
    }
    cr_assert_eq(chmod(folder, 0755), 0);
    cr_assert(finds("key", "code"));
    cr_assert_eq(list_files(path, sizeof path), 1);
    cr_assert_eq(chmod(path, 0666), 0);
    cr_assert_not(finds("key", ""), "a file that others may write");
    cr_assert_null(keep("key", "code"));
    if (geteuid() == 0) {
        cr_assert_eq(chown(folder, 65534, 65534), 0);
        cr_assert_not(finds("key", ""), "a folder of another user");
        cr_assert_not_null(keep("key", "code"));
        cr_assert_eq(chown(folder, 0, 0), 0);
        cr_assert(finds("key", "code"));
    }
    cr_assert_eq(winnow_cache_clear(), WINNOW_OK);
    close_cache();
}

/* As another user: a folder of root's is read, and not written. */
Test(code_cache, of_root) {
    char path[512];
    int status;
    if (geteuid() != 0)
        cr_skip_test("needs root, to be another user");
    umask(022);
    open_cache(1 << 20);
    cr_assert_null(keep("key", "code"));
    cr_assert_eq(chmod(folder, 0755), 0);
    const pid_t child = fork();
    if (child == 0) {
        const bool is_other = setgid(65534) == 0 && setuid(65534) == 0;
        const bool right = is_other && finds("key", "code") &&
                           !finds("other", "") &&
                           keep("other", "code") == NULL &&
                           !finds("other", "") && finds("key", "code");
        _exit(right ? 0 : 1);
    }
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert_eq(status, 0);
    cr_assert_eq(list_files(path, sizeof path), 1);
    cr_assert_eq(winnow_cache_clear(), WINNOW_OK);
    close_cache();
}

/* WINNOW_CACHE_BYTES, which a process reads once. */
Test(code_cache, bytes) {
    static const struct {
        const char *text;
        uint64_t bytes; /* 0: it is a mistake */
    } cases[] = {{"1000", 1000},
                 {"3K", 3 << 10},
                 {"64M", 64 << 20},
                 {"2G", UINT64_C(2) << 30},
                 {"18446744073709551615", UINT64_MAX},
                 {"17179869183G", UINT64_C(17179869183) << 30},
                 {"", 64 << 20},
                 {"17179869184G", 0},
                 {"18446744073709551616", 0},
                 {"64MB", 0},
                 {"64m", 0},
                 {"64 M", 0},
                 {"K", 0},
                 {"-1", 0},
                 {" 1", 0},
                 {"lots", 0}};
    cr_assert_not_null(mkdtemp(folder));
    cr_assert_eq(setenv("WINNOW_CACHE", folder, 1), 0);
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int status;
        cr_assert_eq(setenv("WINNOW_CACHE_BYTES", cases[i].text, 1), 0);
        const pid_t child = fork();
        if (child == 0) {
            const char *const reason = keep("key", "code");
            bool right = winnow__cache_most_bytes() == cases[i].bytes;
            if (cases[i].bytes != 0)
                right &= reason == NULL && finds("key", "code") &&
                         winnow_cache_clear() == WINNOW_OK;
            else
                right &= reason != NULL &&
                         strstr(reason, "with K, M or G") != NULL &&
                         winnow_cache_clear() == WINNOW_ERR_ARGUMENT &&
                         strstr(winnow_last_error(), cases[i].text) != NULL;
            _exit(right ? 0 : 1);
        }
        cr_assert_eq(waitpid(child, &status, 0), child);
        cr_assert_eq(status, 0, "WINNOW_CACHE_BYTES=%s", cases[i].text);
    }
    close_cache();
}
