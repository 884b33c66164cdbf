/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "disk.h"

#include "core/status.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    NAME_BYTES = 48,
    DIGITS = 32, /* of an entry's name, before the suffix */
    MOST_ENTRY = 64 << 20,
    /* Seconds after which a file that was not renamed counts as abandoned. */
    ABANDONED = 3600
};

static const char suffix[] = ".cubin";
static const char unfinished[] = ".new-";
static const char magic[16] = "winnow cubin 1\n";

/* An entry begins with this; its key and its code follow. */
typedef struct head {
    char magic[16];
    uint64_t key_bytes, code_bytes;
    uint64_t digest; /* of key and code */
} head;

/* FNV-1a, 64 bits. It detects torn files, and gives files different names. */
static uint64_t digest(uint64_t from, const void *bytes, size_t number) {
    const unsigned char *const byte = bytes;
    for (size_t i = 0; i < number; i++)
        from = (from ^ byte[i]) * UINT64_C(0x100000001b3);
    return from;
}

static const uint64_t basis = UINT64_C(0xcbf29ce484222325);

static void name_of(const winnow__disk_key *key, char name[NAME_BYTES]) {
    const uint64_t first = digest(basis, key->bytes, key->number);
    const uint64_t second = digest(~basis, key->bytes, key->number);
    snprintf(name, NAME_BYTES, "%016llx%016llx%s", (unsigned long long)first,
             (unsigned long long)second, suffix);
}

/* ------------------------------------------------------------------ reading */

static bool read_all(int file, void *to, size_t number) {
    char *at = to;
    while (number != 0) {
        const ssize_t got = read(file, at, number);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += got;
        number -= (size_t)got;
    }
    return true;
}

/* The bytes after the head if the file is a complete entry of the key; else NULL. */
static unsigned char *read_entry(int file, const winnow__disk_key *key,
                                 head *of) {
    struct stat about;
    if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode) ||
        !winnow__cache_trusts(&about) || about.st_size < (off_t)sizeof *of ||
        about.st_size > MOST_ENTRY || !read_all(file, of, sizeof *of) ||
        memcmp(of->magic, magic, sizeof magic) != 0)
        return NULL;
    const uint64_t rest = (uint64_t)about.st_size - sizeof *of;
    if (of->key_bytes != key->number || of->key_bytes >= rest ||
        of->code_bytes != rest - of->key_bytes)
        return NULL;
    unsigned char *const bytes = malloc((size_t)rest);
    if (bytes != NULL && read_all(file, bytes, (size_t)rest) &&
        digest(basis, bytes, (size_t)rest) == of->digest &&
        memcmp(bytes, key->bytes, key->number) == 0)
        return bytes;
    free(bytes);
    return NULL;
}

bool winnow__disk_find(const winnow__disk_key *key, winnow__code *code) {
    char name[NAME_BYTES];
    head of;
    const int directory = winnow__cache_open(WINNOW__CACHE_READ, NULL, 0);
    if (directory < 0)
        return false;
    name_of(key, name);
    /* O_NONBLOCK: something else than a file must not block. */
    const int file =
        openat(directory, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    unsigned char *bytes = NULL;
    if (file >= 0) {
        bytes = read_entry(file, key, &of);
        if (bytes == NULL)
            unlinkat(directory, name, 0);
        else
            futimens(file, NULL); /* marks it as used */
        close(file);
    }
    close(directory);
    if (bytes == NULL)
        return false;
    memmove(bytes, bytes + of.key_bytes, (size_t)of.code_bytes);
    *code = (winnow__code){.bytes = bytes, .number = (size_t)of.code_bytes};
    return true;
}

/* ------------------------------------------------------------------ writing */

static bool write_all(int file, const void *from, size_t number) {
    const char *at = from;
    while (number != 0) {
        const ssize_t put = write(file, at, number);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return false;
        at += put;
        number -= (size_t)put;
    }
    return true;
}

static bool write_entry(int file, const winnow__disk_key *key,
                        const winnow__code *code) {
    head of = {.key_bytes = key->number, .code_bytes = code->number};
    memcpy(of.magic, magic, sizeof magic);
    of.digest = digest(digest(basis, key->bytes, key->number), code->bytes,
                       code->number);
    return write_all(file, &of, sizeof of) &&
           write_all(file, key->bytes, key->number) &&
           write_all(file, code->bytes, code->number) && fsync(file) == 0;
}

/* Create a file that no other process has, under a name that no entry has. */
static int create(int directory, char name[NAME_BYTES]) {
    static _Atomic unsigned number;
    for (unsigned i = 0; i < 100; i++) {
        snprintf(name, NAME_BYTES, "%s%ld-%u", unfinished, (long)getpid(),
                 number++);
        const int file = openat(directory, name,
                                O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
        if (file >= 0 || errno != EEXIST)
            return file;
    }
    return -1;
}

typedef struct entry {
    char name[NAME_BYTES];
    uint64_t bytes;
    struct timespec used;
} entry;

static int by_use(const void *a, const void *b) {
    const struct timespec *const x = &((const entry *)a)->used;
    const struct timespec *const y = &((const entry *)b)->used;
    if (x->tv_sec != y->tv_sec)
        return x->tv_sec < y->tv_sec ? -1 : 1;
    return (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

/* Was the name made by name_of(), or by create()? */
static bool is_name(const char *name, bool *is_unfinished_p) {
    static const char digits[] = "0123456789";
    const size_t start = strlen(unfinished);
    *is_unfinished_p = strncmp(name, unfinished, start) == 0;
    if (!*is_unfinished_p)
        return strspn(name, "0123456789abcdef") == DIGITS &&
               strcmp(name + DIGITS, suffix) == 0;
    const size_t process = strspn(name + start, digits);
    const char *const number = name + start + process;
    return process != 0 && number[0] == '-' && number[1] != '\0' &&
           number[1 + strspn(number + 1, digits)] == '\0' &&
           strlen(name) < NAME_BYTES;
}

/* Does also the file begin as entries do, as far as it was written? */
static bool is_ours(int directory, const char *name, bool *is_unfinished_p,
                    struct stat *about) {
    char start[sizeof magic];
    if (!is_name(name, is_unfinished_p) ||
        fstatat(directory, name, about, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(about->st_mode))
        return false;
    const int file =
        openat(directory, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    const ssize_t got = file >= 0 ? pread(file, start, sizeof start, 0) : -1;
    if (file >= 0)
        close(file);
    return got >= 0 && memcmp(start, magic, (size_t)got) == 0;
}

/* List the entries, in memory of malloc(); returns their number. Removes files
 * that processes left behind when they ended. */
static size_t list_entries(int directory, entry **entries_p) {
    entry *entries = NULL;
    size_t number = 0, room = 0;
    const int again =
        openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *const list = again >= 0 ? fdopendir(again) : NULL;
    if (list == NULL && again >= 0)
        close(again);
    for (const struct dirent *one; list != NULL && (one = readdir(list));) {
        struct stat about;
        bool is_unfinished;
        if (!is_ours(directory, one->d_name, &is_unfinished, &about))
            continue;
        if (is_unfinished) {
            if (time(NULL) - about.st_mtime > ABANDONED)
                unlinkat(directory, one->d_name, 0);
            continue;
        }
        if (number == room) {
            room = 2 * room + 64;
            entry *const more = realloc(entries, room * sizeof *entries);
            if (more == NULL)
                break;
            entries = more;
        }
        strcpy(entries[number].name, one->d_name);
        entries[number].bytes = (uint64_t)about.st_size;
        entries[number++].used = about.st_mtim;
    }
    if (list != NULL)
        closedir(list);
    *entries_p = entries;
    return number;
}

/* Remove entries until the rest has at most `most` bytes; or remove all. */
static void remove_above(int directory, uint64_t most, bool all) {
    entry *entries;
    uint64_t bytes = 0;
    const size_t number = list_entries(directory, &entries);
    for (size_t i = 0; i < number; i++)
        bytes += entries[i].bytes;
    if (bytes > most)
        qsort(entries, number, sizeof *entries, by_use);
    for (size_t i = 0; i < number && (all || bytes > most); i++) {
        unlinkat(directory, entries[i].name, 0);
        bytes -= entries[i].bytes;
    }
    free(entries);
}

/* Is it a directory of root's that others only read, as in a container? */
static bool is_only_read(int directory) {
    struct stat about;
    return fstat(directory, &about) == 0 && about.st_uid == 0 &&
           faccessat(directory, ".", W_OK, AT_EACCESS) != 0;
}

const char *winnow__disk_keep(const winnow__disk_key *key,
                              const winnow__code *code, char *reason,
                              size_t reason_bytes) {
    char name[NAME_BYTES], final[NAME_BYTES];
    if (winnow__cache_is_off())
        return NULL;
    const int directory =
        winnow__cache_open(WINNOW__CACHE_WRITE, reason, reason_bytes);
    if (directory < 0)
        return reason;
    if (is_only_read(directory)) {
        close(directory);
        return NULL;
    }
    const char *what = NULL;
    const int file = create(directory, name);
    if (file < 0) {
        what = "no file can be made";
    } else if (!write_entry(file, key, code)) {
        what = "writing a file failed";
    } else {
        name_of(key, final);
        /* If another process was first, this replaces its entry by an equal one. */
        if (renameat(directory, name, directory, final) != 0)
            what = "renaming a file failed";
    }
    if (what != NULL)
        snprintf(reason, reason_bytes, "%s: %s", what, strerror(errno));
    if (what != NULL && file >= 0)
        unlinkat(directory, name, 0);
    if (file >= 0)
        close(file);
    if (what == NULL)
        remove_above(directory, winnow__cache_most_bytes(), false);
    close(directory);
    return what != NULL ? reason : NULL;
}

winnow_status winnow_cache_clear(void) {
    char reason[640] = "";
    const int directory =
        winnow__cache_open(WINNOW__CACHE_CLEAR, reason, sizeof reason);
    if (directory >= 0) {
        remove_above(directory, 0, true);
        close(directory);
    }
    return strncmp(reason, "WINNOW_", 7) == 0 ? winnow__refuse("%s", reason)
                                              : WINNOW_OK;
}
