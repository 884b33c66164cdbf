/*
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "place.h"

#include "core/fork.h"
#include "core/status.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    PATH_BYTES = 4096,
    USUAL_BYTES = 64 << 20
};

/* The path is empty where nothing is kept. */
static struct {
    pthread_mutex_t lock;
    bool decided;
    char path[PATH_BYTES];
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

/* By the environment. A relative directory counts as not set, as the XDG Base
 * Directory Specification wants it. */
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
    if (bytes != NULL && bytes[0] >= '0' && bytes[0] <= '9')
        place.most_bytes = strtoull(bytes, NULL, 10);
}

static uint64_t copy_place(char path[PATH_BYTES]) {
    pthread_mutex_lock(&place.lock);
    if (!place.decided)
        decide();
    if (path != NULL)
        memcpy(path, place.path, PATH_BYTES);
    const uint64_t most = place.path[0] != '\0' ? place.most_bytes : 0;
    pthread_mutex_unlock(&place.lock);
    return most;
}

bool winnow__cache_is_off(void) {
    return copy_place(NULL) == 0;
}

uint64_t winnow__cache_most_bytes(void) {
    return copy_place(NULL);
}

/* Make a directory and those above it; false: errno. */
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

int winnow__cache_open(bool make, char *reason, size_t reason_bytes) {
    char path[PATH_BYTES];
    if (copy_place(path) == 0)
        return -1;
    int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0 && errno == ENOENT && make && make_directories(path))
        directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0 && reason_bytes != 0)
        snprintf(reason, reason_bytes, "%s: %s", path, strerror(errno));
    return directory;
}

winnow_status winnow_cache_set(const char *directory, uint64_t most_bytes) {
    if (directory != NULL && directory[0] != '/')
        return winnow__fail(WINNOW_ERR_ARGUMENT,
                            "directory is \"%.200s\": it has to begin with a /",
                            directory);
    if (directory != NULL && strlen(directory) >= PATH_BYTES)
        return winnow__fail(WINNOW_ERR_ARGUMENT,
                            "directory has more than %d bytes", PATH_BYTES - 1);
    pthread_mutex_lock(&place.lock);
    place.decided = true;
    place.most_bytes = most_bytes;
    set_path(directory != NULL ? directory : "", "");
    pthread_mutex_unlock(&place.lock);
    return WINNOW_OK;
}
