/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "disk.h"

#include "core/fork.h"
#include "core/status.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    PATH_BYTES = 4096,
    USUAL_BYTES = 64 << 20
};

/* The path is empty if nothing is kept. If that is because of a mistake, `wrong` has
 * the reason. */
static struct {
    pthread_mutex_t lock;
    bool decided;
    char path[PATH_BYTES];
    char wrong[160];
    uint64_t most_bytes;
} place = {.lock = PTHREAD_MUTEX_INITIALIZER};
WINNOW__HOLD_AT_FORK(place.lock);

static bool set_path(const char *directory, const char *below) {
    const int length =
        snprintf(place.path, PATH_BYTES, "%s%s", directory, below);
    if (length >= 0 && length < PATH_BYTES)
        return true;
    place.path[0] = '\0';
    return false;
}

/* A number of bytes, which K, M or G may follow. */
static bool read_bytes(const char *text, uint64_t *bytes_p) {
    static const char units[] = "KMG";
    char *end;
    errno = 0;
    const uint64_t number = strtoull(text, &end, 10);
    const char *const unit = *end != '\0' ? strchr(units, *end) : NULL;
    const unsigned shift = unit != NULL ? 10 * (unsigned)(unit - units + 1) : 0;
    end += unit != NULL;
    *bytes_p = number << shift;
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 &&
           *bytes_p >> shift == number;
}

/* Read the environment. As the XDG Base Directory Specification demands, a
 * relative directory counts as not set. */
static void decide(void) {
    const char *const named = secure_getenv("WINNOW_CACHE");
    const char *const user = secure_getenv("XDG_CACHE_HOME");
    const char *const home = secure_getenv("HOME");
    const char *const bytes = secure_getenv("WINNOW_CACHE_BYTES");
    place.decided = true;
    place.most_bytes = USUAL_BYTES;
    if (named != NULL && named[0] == '/')
        set_path(named, "");
    else if (named != NULL)
        place.path[0] = '\0';
    else if (user != NULL && user[0] == '/')
        set_path(user, "/winnow");
    else if (home != NULL && home[0] == '/')
        set_path(home, "/.cache/winnow");
    if (bytes == NULL || bytes[0] == '\0' ||
        read_bytes(bytes, &place.most_bytes))
        return;
    place.path[0] = '\0';
    snprintf(
        place.wrong, sizeof place.wrong,
        "WINNOW_CACHE_BYTES is \"%.40s\": wanted a number of bytes, or one "
        "with K, M or G",
        bytes);
}

/* `wrong`, if not NULL, gets the mistake for which nothing is kept; "": there is
 * none. */
static uint64_t copy_place(char path[PATH_BYTES], char *wrong, size_t bytes) {
    pthread_mutex_lock(&place.lock);
    if (!place.decided)
        decide();
    if (bytes != 0)
        snprintf(wrong, bytes, "%s", place.wrong);
    if (path != NULL)
        memcpy(path, place.path, PATH_BYTES);
    const uint64_t most = place.path[0] != '\0' ? place.most_bytes : 0;
    pthread_mutex_unlock(&place.lock);
    return most;
}

bool winnow__cache_is_off(void) {
    char wrong[sizeof place.wrong];
    return copy_place(NULL, wrong, sizeof wrong) == 0 && wrong[0] == '\0';
}

uint64_t winnow__cache_most_bytes(void) {
    return copy_place(NULL, NULL, 0);
}

/* Make a directory and its parents. False: errno has the error. */
static bool make_directories(char *path) {
    for (char *at = path + 1; *at != '\0'; at++) {
        if (*at != '/')
            continue;
        *at = '\0';
        const bool made = mkdir(path, 0700) == 0 || errno == EEXIST;
        *at = '/';
        if (!made)
            return false;
    }
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}

bool winnow__cache_trusts(const struct stat *about) {
    return (about->st_uid == 0 || about->st_uid == geteuid()) &&
           (about->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

int winnow__cache_open(winnow__cache_use use, char *reason,
                       size_t reason_bytes) {
    const bool make = use == WINNOW__CACHE_WRITE;
    char path[PATH_BYTES];
    struct stat about;
    if (copy_place(path, reason, reason_bytes) == 0)
        return -1;
    int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0 && errno == ENOENT && make && make_directories(path))
        directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0 && reason_bytes != 0)
        snprintf(reason, reason_bytes, "%s: %s", path, strerror(errno));
    if (directory < 0 || use == WINNOW__CACHE_CLEAR)
        return directory;
    if (fstat(directory, &about) == 0 && winnow__cache_trusts(&about))
        return directory;
    close(directory);
    if (reason_bytes != 0)
        snprintf(reason, reason_bytes,
                 "%s: wanted a directory of the user's or root's that no group "
                 "and no other may write",
                 path);
    return -1;
}

winnow_status winnow_cache_set(const char *directory, uint64_t most_bytes) {
    if (directory != NULL && directory[0] != '/')
        return winnow__refuse(
            "directory is \"%.200s\": it has to begin with a /", directory);
    if (directory != NULL && strlen(directory) >= PATH_BYTES)
        return winnow__refuse("directory has more than %d bytes",
                              PATH_BYTES - 1);
    pthread_mutex_lock(&place.lock);
    place.decided = true;
    place.wrong[0] = '\0';
    place.most_bytes = most_bytes;
    set_path(directory != NULL ? directory : "", "");
    pthread_mutex_unlock(&place.lock);
    return WINNOW_OK;
}
