/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/part.h"

#include "base/json.h"

const char *const outage_state_names[] = {
    [OUTAGE_START_REQUESTED] = "START_REQUESTED",
    [OUTAGE_STARTING] = "STARTING",
    [OUTAGE_SIMULATING] = "SIMULATING",
    [OUTAGE_RECOVERY_REQUESTED] = "RECOVERY_REQUESTED",
    [OUTAGE_RECOVERING] = "RECOVERING",
    [OUTAGE_COMPLETE] = "COMPLETE",
    NULL,
};
const char *const sample_load_state_names[] = {
    [SAMPLE_LOAD_WORKING] = "WORKING",
    [SAMPLE_LOAD_COMPLETED] = "COMPLETED",
    [SAMPLE_LOAD_FAILED] = "FAILED",
    NULL,
};

const char *const extension_state_names[] = {
    [EXTENSION_CREATING] = "CREATING",
    [EXTENSION_ACTIVE] = "ACTIVE",
    [EXTENSION_FAILED] = "FAILED",
    [EXTENSION_DELETING] = "DELETING",
    NULL,
};

str
extension_part_name(struct arena *arena, str cluster, str database, str extension)
{
    return str_format(arena, "%.*s/%.*s/%.*s", STR_ARG(cluster), STR_ARG(database), STR_ARG(extension));
}

bool
outage_is_over(const struct cluster_part *outage)
{
    return str_word(outage->state, outage_state_names) == OUTAGE_COMPLETE;
}

bool
outage_is_ending(const struct cluster_part *outage)
{
    return str_word(outage->state, outage_state_names) >= OUTAGE_RECOVERY_REQUESTED;
}

void
part_set(struct arena *arena, struct cluster_part *part, json_t *document, const char *state)
{
    json_object_set_new(document, "state", json_string(state));
    part->document = json_text(arena, document);
    part->state = str_from(state);
}
