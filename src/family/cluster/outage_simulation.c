/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Simulated outages: members in chosen regions are stopped until the simulation ends. Jobs do it
 * (job/cluster/cluster_outage.c).
 */
#include "api/api.h"
#include "api/request_event.h"
#include "base/clock.h"
#include "base/date.h"
#include "base/json.h"
#include "cluster/part.h"
#include "cluster/wanted.h"
#include "family/cluster/clusters.h"
#include "family/families.h"
#include "job/cluster/cluster_jobs.h"

/* Long enough to practise; a simulation that is forgotten must not last over the weekend. */
enum { OUTAGE_MAX_HOURS = 24 };

static const struct field filter_fields[] = {
    TEXT("cloudProvider", "Provider of the region.", REQUIRED | ALWAYS, .min = 1, .max = 32, .example = "\"ONPREM\""),
    TEXT("regionName", "Region whose members are stopped.", REQUIRED | ALWAYS, .min = 1, .max = 63,
         .example = "\"EU_NORTH\""),
    TEXT("type", "What is lost.", ALWAYS, .one_of = (const char *const[]){ "REGION", NULL }, .fallback = "\"REGION\""),
    END_OF_FIELDS,
};
static const struct schema filter_schema = { "OutageFilter", "A region that is lost.", filter_fields };
static const struct field outage_fields[] = {
    ID("id", "Identifier of the simulation.", READ_ONLY | ALWAYS),
    ID("groupId", "Project of the cluster.", READ_ONLY | ALWAYS),
    TEXT("clusterName", "Cluster of the simulation.", READ_ONLY | ALWAYS),
    LIST("outageFilters", "The regions that are lost; at least one region of the cluster must be left.",
         REQUIRED | ALWAYS, .of = &filter_schema, .min = 1, .max = CLUSTER_MAX_REGIONS),
    TEXT("state", "Current state.", READ_ONLY | ALWAYS, .one_of = outage_state_names),
    DATE("startRequestDate", "When it was asked for.", READ_ONLY | ALWAYS),
    DATE("expirationDate", "When it ends if nobody ends it earlier: a day after the request.", READ_ONLY),
    END_OF_FIELDS,
};
static const struct schema outage_schema = { "OutageSimulation", "The simulated loss of regions.", outage_fields };

static const struct read outage_get;
static handler outage_start, outage_end;

// clang-format off
static const struct endpoint outage_simulation_endpoints[] = {
    { DELETE, "/groups/{groupId}/clusters/{clusterName}/outageSimulation", S16,
      ANY_OF(PROJECT_CLUSTER_MANAGER | PROJECT_CLUSTER_RESILIENCE_TESTER | PROJECT_REPLICA_SET_MANAGER),
      "endGroupClusterOutageSimulation",
      "End one outage simulation",
      "Starts the members again that were stopped. Asynchronous: they catch up before the simulation "
      "counts as ended.",
      .run = outage_end, .response = &outage_schema },
    { GET, "/groups/{groupId}/clusters/{clusterName}/outageSimulation", S16,
      ANY_OF(PROJECT_CLUSTER_MANAGER | PROJECT_CLUSTER_RESILIENCE_TESTER), "getGroupClusterOutageSimulation",
      "Return one outage simulation",
      "Returns which regions are lost and the state of the simulation.",
      .flags = NOT_ALWAYS_THERE, .read = &outage_get, .response = &outage_schema },
    { POST, "/groups/{groupId}/clusters/{clusterName}/outageSimulation", S16,
      ANY_OF(PROJECT_CLUSTER_MANAGER | PROJECT_CLUSTER_RESILIENCE_TESTER | PROJECT_REPLICA_SET_MANAGER),
      "startGroupClusterOutageSimulation",
      "Start one outage simulation",
      "Stops all members of the cluster in the regions that are sent. With a minority gone the cluster fails "
      "over; with a majority gone it stops taking writes until the simulation ends.",
      .success = 200, .run = outage_start, .request = &outage_schema, .response = &outage_schema,
      .example = "{\"outageFilters\": [{\"cloudProvider\": \"ONPREM\", \"regionName\": \"EU_NORTH\", \"type\": \"REGION\"}]}" },
};
// clang-format on

FAMILY(outage_simulation_family, "outage-simulation", "Outage simulation",
       "Makes regions of a cluster unreachable on purpose, to test applications.", outage_simulation_endpoints);

static error
bind_get(struct request *req, struct params *params)
{
    params_id(params, P_PROJECT, req->project);
    params_text(params, P_KIND, STR(OUTAGE_KIND));
    params_text(params, P_NAME, request_path_value(req, "clusterName"));
    return OK;
}

static const struct read outage_get = { SQL_CLUSTER_PART_GET, bind_get, answer_row };

static error
answer_stored(struct request *req)
{
    struct params params = { 0 };
    struct rows rows;
    TRY(bind_get(req, &params));
    TRY(tx_query(req->tx, SQL_CLUSTER_PART_GET, &params, &rows, NULL));
    return answer_row(req, &rows);
}

static bool
is_struck(const json_t *filters, const struct wanted_group *group)
{
    size_t index;
    const json_t *filter;
    json_array_foreach(filters, index, filter)
    {
        if (str_eq(json_str(json_object_get(filter, "cloudProvider")), group->provider) &&
            str_eq(json_str(json_object_get(filter, "regionName")), group->region))
            return true;
    }
    return false;
}

/* Each filter names a region of the cluster, and one region is left. */
static error
check_filters(struct request *req, const struct wanted *wanted)
{
    const json_t *filters = json_object_get(req->body, "outageFilters"), *filter;
    bool left = false;
    size_t index;
    for (size_t g = 0; g < wanted->group_count; g++)
        left = left || !is_struck(filters, &wanted->groups[g]);
    json_array_foreach(filters, index, filter)
    {
        bool known = false;
        for (size_t g = 0; g < wanted->group_count; g++)
            known = known || (str_eq(json_str(json_object_get(filter, "cloudProvider")), wanted->groups[g].provider) &&
                              str_eq(json_str(json_object_get(filter, "regionName")), wanted->groups[g].region));
        if (!known)
            return fail(req->arena, INVALID_ATTRIBUTE_VALUE,
                        V(str_format(req->arena, "outageFilters[%zu].regionName", index)),
                        V("the cluster has no members there"));
    }
    if (!left)
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("outageFilters"), V("at least one region must be left"));
    return OK;
}

static error
outage_start(struct request *req)
{
    struct cluster cluster;
    struct wanted wanted;
    json_t *ignored;
    str name = request_path_value(req, "clusterName");
    TRY(cluster_take(req, STR(CLUSTER_KIND), name, &cluster, &ignored));
    TRY(cluster_check_changeable(req, &cluster));
    if (!wanted_from_document(cluster.document, &wanted))
        return fail(req->arena, INTERNAL_ERROR);
    if (wanted.paused)
        return fail(req->arena, CLUSTER_NOT_CHANGEABLE, V(name), V("it is paused"));
    TRY(check_filters(req, &wanted));
    id outage = id_new(store_cell(req->api->store));
    int64_t now_ms = clock_now_ms() / 1000 * 1000; /* dates are shown in seconds */
    json_t *shown =
        json_in(req->arena, json_pack("{s:s, s:s, s:s, s:O, s:s, s:s}", "id", id_text(req->arena, outage).data,
                                      "groupId", id_text(req->arena, req->project).data, "clusterName", name.data,
                                      "outageFilters", json_object_get(req->body, "outageFilters"), "startRequestDate",
                                      date_text(req->arena, now_ms).data, "expirationDate",
                                      date_text(req->arena, now_ms + (int64_t)OUTAGE_MAX_HOURS * 3600 * 1000).data));
    struct cluster_part part = { .id = outage, .kind = STR(OUTAGE_KIND), .name = name };
    part_set(req->arena, &part, shown, outage_state_names[OUTAGE_START_REQUESTED]);
    TRY(store_part_put(req->tx, req->organization, req->project, &part));
    TRY(cluster_submit(req, &cluster, cluster.document, &outage_start_job, NULL));
    TRY(request_event(req, EVENT_CLUSTER_OUTAGE_REQUESTED, NULL, shown));
    return answer_stored(req);
}

static error
outage_end(struct request *req)
{
    struct cluster cluster;
    struct cluster_part part;
    bool found;
    str name = request_path_value(req, "clusterName");
    TRY(store_cluster_lock(req->tx, req->organization, req->project, STR(CLUSTER_KIND), name, &found, &cluster));
    if (!found)
        return request_not_found(req);
    TRY(store_part_lock(req->tx, req->project, STR(OUTAGE_KIND), name, &found, &part));
    if (!found || outage_is_over(&part))
        return request_not_found(req);
    if (!outage_is_ending(&part)) {
        json_t *before = json_parse_own(req->arena, part.document),
               *after = json_in(req->arena, json_deep_copy(before));
        part_set(req->arena, &part, after, outage_state_names[OUTAGE_RECOVERY_REQUESTED]);
        TRY(store_part_put(req->tx, req->organization, req->project, &part));
        TRY(cluster_submit(req, &cluster, cluster.document, &outage_end_job, NULL));
        TRY(request_event(req, EVENT_CLUSTER_OUTAGE_END_REQUESTED, before, after));
    }
    return answer_stored(req);
}
