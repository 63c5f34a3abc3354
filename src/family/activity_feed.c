/* SPDX-License-Identifier: Apache-2.0 */
/* The feed is what the console shows; these operations make links into it. The records themselves are events. */
#include "api/contract.h"

// clang-format off
static const struct endpoint activity_feed_endpoints[] = {
    { GET, "/groups/{groupId}/activityFeed", S03, ANY_OF(PROJECT_READ_ONLY), "getGroupActivityFeed",
      "Return a link to the activity feed of one project",
      "Returns the address of the console's feed with the filter that was asked for, to be handed to a colleague. "
      "The records themselves are read as project events.",
      .since = "2025-03-12", .waits_for = "identity" },

    { GET, "/orgs/{orgId}/activityFeed", S04, ANY_OF(ORG_MEMBER), "getOrgActivityFeed",
      "Return a link to the activity feed of one organization",
      "Returns the address of the console's feed with the filter that was asked for. The records themselves are "
      "read as organization events.",
      .since = "2025-03-12", .waits_for = "identity" },
};
// clang-format on

FAMILY(activity_feed_family, "activity-feed", "Activity feed",
       "Links to the console's view of what happened in a project or an organization.", activity_feed_endpoints);
