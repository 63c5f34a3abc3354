/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/wanted.h"

#include "base/json.h"

/* In this order they choose among the members that there are. */
const struct member_class member_classes[MEMBER_CLASSES] = {
    [CLASS_ELECTABLE] = { "electableSpecs", true, false },
    [CLASS_READ_ONLY] = { "readOnlySpecs", false, false },
    [CLASS_ANALYTICS] = { "analyticsSpecs", false, true },
};

static bool
add_group(struct wanted *wanted, const struct wanted_group *group)
{
    if (group->count == 0)
        return true;
    if (group->count < 0 || wanted->group_count == WANTED_MAX_GROUPS)
        return false;
    wanted->groups[wanted->group_count++] = *group;
    return true;
}

/* All members but those for analytics have the same size, and all of them have the same disk: the check of documents sees to that. */
static bool
add_specs(struct wanted *wanted, const json_t *region, const struct member_class *class)
{
    const json_t *specs = json_object_get(region, class->part);
    if (specs == NULL)
        return true;
    struct wanted_group group = {
        .provider = json_str(json_object_get(region, "providerName")),
        .region = json_str(json_object_get(region, "regionName")),
        .size = json_str(json_object_get(specs, "instanceSize")),
        .count = (int)json_integer_value(json_object_get(specs, "nodeCount")),
        .electable = class->electable,
        .analytics = class->analytics,
        .priority = class->electable ? (int)json_integer_value(json_object_get(region, "priority")) : 0,
    };
    if (group.count > 0 && !class->analytics)
        wanted->size = group.size;
    if (group.count > 0)
        wanted->disk_gb = json_integer_value(json_object_get(specs, "diskSizeGB"));
    return add_group(wanted, &group);
}

static bool
read_flex(const json_t *document, const json_t *settings, struct wanted *wanted)
{
    struct wanted_group group = {
        .provider = json_str(json_object_get(settings, "backingProviderName")),
        .region = json_str(json_object_get(settings, "regionName")),
        .size = STR(FLEX_SIZE),
        .count = FLEX_MEMBERS,
        .electable = true,
        .priority = HIGHEST_PRIORITY,
    };
    wanted->size = STR(FLEX_SIZE);
    wanted->disk_gb = json_integer_value(json_object_get(settings, "diskSizeGB"));
    wanted->paused = json_is_true(json_object_get(document, "paused"));
    return add_group(wanted, &group);
}

bool
wanted_from_document(const json_t *document, struct wanted *ret_wanted)
{
    struct wanted wanted = { .paused = json_is_true(json_object_get(document, "paused")) };
    const json_t *flex = json_object_get(document, "providerSettings");
    if (flex != NULL) {
        if (!read_flex(document, flex, &wanted))
            return false;
    } else {
        const json_t *spec = json_array_get(json_object_get(document, "replicationSpecs"), 0), *region;
        size_t index;
        json_array_foreach(json_object_get(spec, "regionConfigs"), index, region)
        {
            for (size_t i = 0; i < MEMBER_CLASSES; i++) {
                if (!add_specs(&wanted, region, &member_classes[i]))
                    return false;
            }
        }
    }
    if (wanted.group_count == 0 || wanted.size.len == 0 || wanted.disk_gb <= 0)
        return false;
    *ret_wanted = wanted;
    return true;
}

int
wanted_members(const struct wanted *wanted)
{
    int count = 0;
    for (size_t i = 0; i < wanted->group_count; i++)
        count += wanted->groups[i].count;
    return count;
}

str
wanted_analytics_size(const struct wanted *wanted)
{
    for (size_t i = 0; i < wanted->group_count; i++) {
        if (wanted->groups[i].analytics)
            return wanted->groups[i].size;
    }
    return STR_EMPTY;
}
