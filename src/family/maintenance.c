/* SPDX-License-Identifier: Apache-2.0 */
/* When a project's clusters may be restarted for updates. Urgent security fixes do not wait for it. */
#include "api/contract.h"

// clang-format off
static const struct endpoint maintenance_endpoints[] = {
    { DELETE, "/groups/{groupId}/maintenanceWindow", S38, ANY_OF(PROJECT_OWNER), "resetGroupMaintenanceWindow",
      "Reset the maintenance window of one project",
      "Goes back to no window: maintenance happens when it is ready.",
      .shape = SHAPE_NOTHING, .waits_for = "maintenance" },
    { GET, "/groups/{groupId}/maintenanceWindow", S38, ANY_OF(PROJECT_READ_ONLY), "getGroupMaintenanceWindow",
      "Return the maintenance window of one project",
      "Returns the day and the hour, in the project's time zone, and whether maintenance is waiting.",
      .waits_for = "maintenance" },
    { PATCH, "/groups/{groupId}/maintenanceWindow", S38, ANY_OF(PROJECT_OWNER), "updateGroupMaintenanceWindow",
      "Update the maintenance window of one project",
      "Sets the day and the hour in which maintenance may begin. Maintenance that has begun goes on.",
      .shape = SHAPE_NOTHING, .success = 200, .waits_for = "maintenance" },
    { POST, "/groups/{groupId}/maintenanceWindow/autoDefer", S38, ANY_OF(PROJECT_OWNER),
      "toggleGroupMaintenanceWindowAutoDefer",
      "Switch automatic deferral of maintenance",
      "Turns on or off that every maintenance is put off by one week by itself.",
      .shape = SHAPE_NOTHING, .success = 200, .waits_for = "maintenance" },
    { POST, "/groups/{groupId}/maintenanceWindow/defer", S38, ANY_OF(PROJECT_OWNER), "deferGroupMaintenanceWindow",
      "Defer the next maintenance by one week",
      "Puts the maintenance that waits off by one week. It can be put off a limited number of times.",
      .shape = SHAPE_NOTHING, .success = 200, .waits_for = "maintenance" },
};
// clang-format on

FAMILY(maintenance_family, "maintenance", "Maintenance window",
       "The hour of the week in which a project's clusters may be maintained.", maintenance_endpoints);
