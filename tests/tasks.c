/*
 * The threads of this process.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "tasks.h"

#include <dirent.h>
#include <unistd.h>

unsigned count_threads(void) {
    DIR *const directory = opendir("/proc/self/task");
    unsigned threads = 0;

    if (directory == NULL)
        return 0;
    while (readdir(directory) != NULL)
        threads++;
    closedir(directory);
    return threads - 2; /* without . and .. */
}

bool threads_become(unsigned number) {
    for (int i = 0; i < 10000; i++) {
        if (count_threads() == number)
            return true;
        usleep(1000);
    }
    return false;
}
