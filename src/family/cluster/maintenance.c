/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When the operator's work may begin in a project. Jobs check the window themselves (job/cluster/cluster_move.c); here
 * are only the operations for people. Changes by a tenant and the replacement of a lost host do not wait for it.
 */
#include "cluster/maintenance.h"
#include "api/api.h"
#include "api/crud.h"
#include "base/clock.h"
#include "base/json.h"
#include "family/families.h"
#include "store/resource.h"
#include "store/tenant/project.h"

static const struct field hours_fields[] = {
    INTEGER("startHourOfDay", "First hour that is protected.", REQUIRED | ALWAYS, .min = 0, .max = 23, .example = "8"),
    INTEGER("endHourOfDay",
            "First hour that is not protected any more. If it is before the start, it is on the next day.",
            REQUIRED | ALWAYS, .min = 0, .max = 23, .example = "18"),
    END_OF_FIELDS,
};
static const struct schema hours_schema = { "ProtectedHours", "Hours of every day in which no maintenance begins.",
                                            hours_fields };

static const struct field window_fields[] = {
    INTEGER("dayOfWeek", "Day on which maintenance begins: 1 is Sunday, 7 is Saturday. Without it there is no window.",
            0, .min = 1, .max = 7, .example = "1"),
    INTEGER("hourOfDay", "Hour in which maintenance begins; 0 by default when a day is set.", 0, .min = 0, .max = 23,
            .example = "3"),
    BOOL("startASAP", "Whether maintenance begins as soon as it is ready, on any day and at any hour.", ALWAYS),
    BOOL("autoDeferOnceEnabled", "Whether each maintenance is put off once by a week automatically.", ALWAYS),
    OBJECT("protectedHours", "Hours of every day in which no maintenance begins.", NULLABLE, .of = &hours_schema),
    INTEGER("numberOfDeferrals", "How often the waiting maintenance was put off. It can be put off twice.",
            READ_ONLY | ALWAYS),
    TEXT("timeZoneId", "Time zone of days and hours.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
static const struct schema window_schema = { "MaintenanceWindow", "When maintenance of a project's clusters may begin.",
                                             window_fields };

static const struct kind window_kind;
static const struct kind deferral;
static handler window_update, window_reset, toggle_deferral, defer;

// clang-format off
static const struct endpoint maintenance_endpoints[] = {
    { DELETE, "/groups/{groupId}/maintenanceWindow", S38, ANY_OF(PROJECT_OWNER), "resetGroupMaintenanceWindow",
      "Reset the maintenance window of one project",
      "Removes the window: maintenance begins as soon as it is ready.",
      .shape = SHAPE_NOTHING, .run = window_reset, .kind = &window_kind },
    { GET, "/groups/{groupId}/maintenanceWindow", S38, ANY_OF(PROJECT_READ_ONLY), "getGroupMaintenanceWindow",
      "Return the maintenance window of one project",
      "Returns the day and the hour, in the project's time zone, and how often waiting maintenance was put off. Waiting "
      "operations say when they begin.",
      .read = &crud_get_single, .kind = &window_kind, .response = &window_schema },
    { PATCH, "/groups/{groupId}/maintenanceWindow", S38, ANY_OF(PROJECT_OWNER), "updateGroupMaintenanceWindow",
      "Update the maintenance window of one project",
      "Sets the day and the hour in which maintenance may begin. Maintenance that has begun continues; waiting maintenance "
      "begins at the new hour.",
      .shape = SHAPE_NOTHING, .success = 200, .run = window_update, .kind = &window_kind, .request = &window_schema,
      .example = "{\"dayOfWeek\": 1, \"hourOfDay\": 3}" },
    { POST, "/groups/{groupId}/maintenanceWindow/autoDefer", S38, ANY_OF(PROJECT_OWNER),
      "toggleGroupMaintenanceWindowAutoDefer",
      "Switch automatic deferral of maintenance",
      "Turns automatic deferral by one week on or off. Maintenance that already waits is not affected.",
      .shape = SHAPE_NOTHING, .success = 200, .run = toggle_deferral, .kind = &window_kind },
    { POST, "/groups/{groupId}/maintenanceWindow/defer", S38, ANY_OF(PROJECT_OWNER), "deferGroupMaintenanceWindow",
      "Defer the next maintenance by one week",
      "Puts off the waiting maintenance by one week. It can be put off twice, including automatic deferrals.",
      .shape = SHAPE_NOTHING, .success = 200, .run = defer, .kind = &deferral },
};
// clang-format on

FAMILY(maintenance_family, "maintenance", "Maintenance window",
       "The hour of the week in which a project's clusters may be maintained.", maintenance_endpoints);

/* ---- What must be true of every window ---- */

static error
check_window(struct request *req, struct change *change)
{
    if (change->after == NULL)
        return OK;
    struct maintenance window = maintenance_read(change->after), before = maintenance_read(change->before);
    if (window.has_protected && window.protected_from == window.protected_to)
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("protectedHours"), V("start and end are the same hour"));
    if (window.day > 0 && maintenance_is_protected(&window, window.hour))
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("hourOfDay"),
                    V("it must be outside the protected hours; choose another hour or change protectedHours"));
    if (window.day != before.day || window.hour != before.hour) {
        maintenance_plan_again(&window, clock_now_ms());
        maintenance_write_round(change->after, &window);
    }
    return OK;
}

#define NO_WINDOW "{\"autoDeferOnceEnabled\":false,\"numberOfDeferrals\":0,\"startASAP\":false,\"timeZoneId\":\"UTC\"}"
static const struct kind window_kind = {
    .name = MAINTENANCE_KIND,
    .fallback = NO_WINDOW,
    .hidden = MAINTENANCE_ROUND,
    .changed = EVENT_MAINTENANCE_WINDOW_CHANGED,
    .deleted = EVENT_MAINTENANCE_WINDOW_RESET,
    .check = check_window,
};
static const struct kind deferral = {
    .name = MAINTENANCE_KIND,
    .fallback = NO_WINDOW,
    .hidden = MAINTENANCE_ROUND,
    .changed = EVENT_MAINTENANCE_DEFERRED,
};

/* ---- Changing ---- */

static error
take(struct request *req, struct change *ret_change)
{
    TRY(crud_lock_single(req, ret_change));
    ret_change->after = json_in(req->arena, json_deep_copy(ret_change->before));
    return ret_change->after == NULL ? fail(req->arena, OVERLOADED) : OK;
}

static error
keep(struct request *req, struct change *change)
{
    str document;
    int64_t revision;
    answer_nothing(req);
    return crud_store(req, change, &document, &revision);
}

static error
window_update(struct request *req)
{
    struct change change;
    TRY(take(req, &change));
    json_object_update(change.after, req->body);
    if (json_is_null(json_object_get(change.after, "protectedHours")))
        json_object_del(change.after, "protectedHours");
    bool has_day = json_object_get(change.after, "dayOfWeek") != NULL,
         has_hour = json_object_get(change.after, "hourOfDay") != NULL;
    if (has_hour && !has_day)
        return fail(req->arena, MISSING_ATTRIBUTE, V("dayOfWeek"));
    if (has_day && !has_hour)
        json_object_set_new(change.after, "hourOfDay", json_integer(0));
    return keep(req, &change);
}

static error
window_reset(struct request *req)
{
    struct change change;
    TRY(crud_lock_single(req, &change));
    if (change.revision >= 0)
        return keep(req, &change);
    /* There was none: the lock has made one, and it goes without a word. */
    answer_nothing(req);
    return store_resource_delete(req->tx, req->project, STR(MAINTENANCE_KIND), change.id);
}

static error
toggle_deferral(struct request *req)
{
    struct change change;
    TRY(take(req, &change));
    bool was = json_is_true(json_object_get(change.after, "autoDeferOnceEnabled"));
    json_object_set_new(change.after, "autoDeferOnceEnabled", json_boolean(!was));
    return keep(req, &change);
}

static error
defer(struct request *req)
{
    struct change change;
    int64_t waiting;
    TRY(take(req, &change));
    TRY(store_project_maintenance_waits(req->tx, req->project, &waiting));
    struct maintenance planned = maintenance_read(change.after);
    if (waiting == 0 || planned.starts_ms == 0 || planned.has_begun)
        return fail(req->arena, NO_MAINTENANCE_WAITS, V(id_text(req->arena, req->project)));
    if (!maintenance_defer(&planned))
        return fail(req->arena, MAINTENANCE_NOT_DEFERRABLE, V(planned.deferrals));
    maintenance_write_round(change.after, &planned);
    return keep(req, &change);
}
