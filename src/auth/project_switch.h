/* SPDX-License-Identifier: Apache-2.0 */
/* What a project can switch off in its settings. Where it is off, requests are refused and hosts do not collect what would be shown. */
#ifndef AUTH_PROJECT_SWITCH_H
#define AUTH_PROJECT_SWITCH_H

#include "base/str.h"

enum project_switch {
    SWITCH_NONE, /* nobody can switch it off */
    SWITCH_DATABASE_STATISTICS,
    SWITCH_PERFORMANCE_ADVISOR,
    SWITCH_SCHEMA_ADVISOR,
    SWITCH_COUNT,
};

/* As the setting is called: "isPerformanceAdvisorEnabled". */
extern const char *const project_switch_names[SWITCH_COUNT];

/* A bit for each that is named in a list with commas; other names are of settings that switch nothing. */
unsigned project_switches_named(str names);

static inline unsigned
project_switch_bit(enum project_switch which)
{
    return which == SWITCH_NONE ? 0 : 1U << which;
}

#endif
