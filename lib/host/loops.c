/*
 * Chooses the instruction set of the host backend.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "loops.h"
#include "core/status.h"
#include "bit_loops.h"

#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------------- bits */

#ifdef WINNOW_X86
#include <cpuid.h>

enum {
    ZEN_3 = 0x19 /* AMD's family; older ones run pext in microcode, which takes
                    some cycles for each bit of the mask */
};

static unsigned family(void) {
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d))
        return 0;
    const unsigned base = a >> 8 & 15;
    return base == 15 ? base + (a >> 20 & 0xff) : base;
}

/* AMD, and Hygon, which makes AMD's Zen. */
static bool is_of_amd(void) {
    unsigned a, b, c, d;
    char vendor[12];
    if (!__get_cpuid(0, &a, &b, &c, &d))
        return false;
    memcpy(vendor, &b, 4);
    memcpy(vendor + 4, &d, 4);
    memcpy(vendor + 8, &c, 4);
    return memcmp(vendor, "AuthenticAMD", 12) == 0 ||
           memcmp(vendor, "HygonGenuine", 12) == 0;
}

static bool has_fast_pext(void) {
    return __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt") &&
           !(is_of_amd() && family() < ZEN_3);
}
#endif

const winnow__host_bit_loops *
winnow__host_bit_loops_choose(winnow__host_isa isa) {
#ifdef WINNOW_X86
    if (isa != WINNOW__HOST_PORTABLE && has_fast_pext())
        return &winnow__host_bits_bmi2;
#else
    (void)isa;
#endif
    return &winnow__host_bits_portable;
}

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
