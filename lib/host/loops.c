/*
 * Which instructions the host backend uses.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "loops.h"
#include "core/status.h"

#include <stdlib.h>
#include <string.h>

/* The fastest first. */
static const winnow__host_loops *const all[] = {
#ifdef WINNOW_X86
    &winnow__host_avx512,
    &winnow__host_avx2,
#endif
    &winnow__host_portable,
};
enum {
    ALL = sizeof all / sizeof all[0]
};

winnow_status winnow__host_loops_choose(const winnow__host_loops **loops_p) {
    const char *wanted = secure_getenv("WINNOW_HOST_ISA");
    const bool any = wanted == NULL || *wanted == '\0';
    for (int i = 0; i < ALL; i++) {
        if (!any && strcmp(wanted, all[i]->name) != 0)
            continue;
        if (all[i]->usable()) {
            *loops_p = all[i];
            return WINNOW_OK;
        }
        if (!any)
            return winnow__unsupported(
                "WINNOW_HOST_ISA is %s, which this CPU lacks", wanted);
    }
    return winnow__refuse("WINNOW_HOST_ISA is '%s': wanted portable, avx2 or "
                          "avx512, as this libwinnow was built for",
                          wanted);
}
