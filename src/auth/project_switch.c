/* SPDX-License-Identifier: Apache-2.0 */
#include "auth/project_switch.h"

const char *const project_switch_names[SWITCH_COUNT] = {
    [SWITCH_DATABASE_STATISTICS] = "isCollectDatabaseSpecificsStatisticsEnabled",
    [SWITCH_PERFORMANCE_ADVISOR] = "isPerformanceAdvisorEnabled",
    [SWITCH_SCHEMA_ADVISOR] = "isSchemaAdvisorEnabled",
};

unsigned
project_switches_named(str names)
{
    unsigned named = 0;
    while (names.len > 0) {
        str name = str_cut(&names, ',');
        for (enum project_switch one = SWITCH_NONE + 1; one < SWITCH_COUNT; one++) {
            if (str_is(name, project_switch_names[one]))
                named |= project_switch_bit(one);
        }
    }
    return named;
}
