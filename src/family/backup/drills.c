/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drills: whether backups can be restored is tried, weekly unless somebody wants it otherwise, and now when they ask. What came of it is evidence, so nobody can
 * change or delete it.
 */
#include "api/api.h"
#include "api/crud.h"
#include "api/list.h"
#include "api/request_event.h"
#include "base/json.h"
#include "family/backup/backups.h"
#include "family/families.h"
#include "store/backup/drill.h"
#include "store/backup/snapshot.h"
#include "store/cluster/cluster.h"
#include "store/resource.h"

enum { MOST_ASSERTIONS = 20, MOST_SQL = 4000 };

// clang-format off
static const struct field assertion_fields[] = {
    TEXT("name", "What it is called in results, unique in its cluster.", REQUIRED | ALWAYS, .min = 1, .max = 64, .pattern = "^[A-Za-z0-9][A-Za-z0-9 _.-]{0,63}$", .example = "\"orders are there\""),
    TEXT("databaseName", "Database that it is asked in.", REQUIRED | ALWAYS, .min = 1, .max = 63, .example = "\"shop\""),
    TEXT("sql", "A query with one value, which must be true. It is run in what was restored by a role that reads everything and changes nothing, for at most a minute.",
         REQUIRED | ALWAYS, .min = 1, .max = MOST_SQL, .example = "\"SELECT count(*) > 1000 FROM orders\""),
    END_OF_FIELDS,
};
static const struct schema assertion_schema = { "BackupDrillAssertion", "Something that must be true in what was restored.", assertion_fields };

#define ENABLED  BOOL("enabled", "Whether backups are tried by themselves. They can be tried on request in any case.", ALWAYS, .example = "true")
#define INTERVAL INTEGER("intervalDays", "Every so many days, at an hour that follows from the cluster's identifier.", ALWAYS, .min = 1, .max = 90, .example = "7")

static const struct field project_settings_fields[] = { ENABLED, INTERVAL, END_OF_FIELDS };
static const struct schema project_settings_schema = { "BackupDrillDefaults", "When backups of a project's clusters are tried, unless a cluster says otherwise.", project_settings_fields };

static const struct field settings_fields[] = {
    TEXT("clusterName", "Name of the cluster.", READ_ONLY | ALWAYS),
    ENABLED,
    INTERVAL,
    LIST("assertions", "What must be true in what was restored, beside what is always looked at.", ALWAYS, .max = MOST_ASSERTIONS, .of = &assertion_schema),
    END_OF_FIELDS,
};
static const struct schema settings_schema = { "BackupDrillSettings", "When backups of a cluster are tried, and what they must hold.", settings_fields };

static const struct field phase_fields[] = {
    TEXT("name", "What was done.", READ_ONLY | ALWAYS, .one_of = (const char *const[]){ "restore", "wal", "recover", "check", NULL }),
    DATE("startedAt", "When it began.", READ_ONLY),
    INTEGER("millis", "How long it took; not there while it goes on.", READ_ONLY),
    END_OF_FIELDS,
};
static const struct schema phase_schema = { "BackupDrillPhase", "A part of a drill.", phase_fields };

static const struct field check_fields[] = {
    TEXT("name", "What was looked at: amcheck (tables and indexes), rows, checksums, or an assertion.", READ_ONLY | ALWAYS, .example = "\"amcheck\""),
    TEXT("databaseName", "In which database; not there when it is about all of them.", READ_ONLY, .example = "\"shop\""),
    TEXT("result", "What came of it.", READ_ONLY | ALWAYS, .one_of = (const char *const[]){ "PASSED", "FAILED", "SKIPPED", NULL }),
    TEXT("sentence", "The same in words.", READ_ONLY),
    INTEGER("tables", "Tables that were read.", READ_ONLY),
    INTEGER("rows", "Rows that were counted in them.", READ_ONLY),
    END_OF_FIELDS,
};
static const struct schema check_schema = { "BackupDrillCheck", "Something that was looked at in what was restored.", check_fields };

static const struct field drill_fields[] = {
    ID("id", "Identifier of the drill.", READ_ONLY | ALWAYS),
    TEXT("clusterName", "Name of the cluster.", READ_ONLY | ALWAYS),
    TEXT("stanza", "Name of the history that was restored from.", READ_ONLY | ALWAYS),
    TEXT("origin", "Whether it was due or somebody asked for it.", READ_ONLY | ALWAYS, .one_of = (const char *const[]){ "SCHEDULED", "ON_DEMAND", NULL }),
    TEXT("state", "How far it is. NOT_RUN: it could not be run, so nothing is proven.", READ_ONLY | ALWAYS,
         .one_of = (const char *const[]){ "QUEUED", "WAITING", "RUNNING", "PASSED", "FAILED", "NOT_RUN", NULL }),
    TEXT("problem", "Why it failed, or waits.", READ_ONLY),
    TEXT("regionName", "Region of the repository host that runs it.", READ_ONLY),
    DATE("requestedAt", "When it was due, or asked for.", READ_ONLY | ALWAYS),
    DATE("startedAt", "When it began.", READ_ONLY),
    DATE("finishedAt", "When it ended.", READ_ONLY),
    TEXT("backupLabel", "The backup that was restored, as the repository names it.", READ_ONLY),
    DATE("recoveryPoint", "Up to when the data came back: the last transaction that was replayed, or the backup itself where nothing was committed since.", READ_ONLY),
    INTEGER("recoveryTimeMillis", "How long it took until the database could be used.", READ_ONLY),
    INTEGER("dataSizeBytes", "How large it was.", READ_ONLY),
    TEXT("serverVersion", "Version of PostgreSQL that ran it.", READ_ONLY),
    LIST("phases", "What was done, in this order.", READ_ONLY | ALWAYS, .of = &phase_schema),
    LIST("checks", "What was looked at.", READ_ONLY | ALWAYS, .of = &check_schema),
    END_OF_FIELDS,
};
static const struct schema drill_schema = { "BackupDrill", "A try whether backups of a cluster can be restored.", drill_fields };
static const struct field drill_path[] = { ID("drillId", "Identifier of the drill.", 0), END_OF_FIELDS };

static const struct kind project_settings = {
    .name = DRILL_SETTINGS_KIND,
    .fallback = "{\"enabled\": true, \"intervalDays\": 7}",
    .changed = EVENT_DRILL_SETTINGS_CHANGED,
};

static const struct read drill_list, drill_get, settings_get;
static handler drill_begin, settings_update;

static const struct endpoint drills_endpoints[] = {
    { GET, "/groups/{groupId}/backup/drillSettings", S11, ANY_OF(PROJECT_READ_ONLY), "getGroupBackupDrillSettings",
      "Return when backups of one project are tried",
      "Returns what holds for clusters of the project that say nothing else: on, weekly. An extension of this service.",
      .flags = EXTENSION, .read = &crud_get_single, .kind = &project_settings, .response = &project_settings_schema },
    { PATCH, "/groups/{groupId}/backup/drillSettings", S11, ANY_OF(PROJECT_BACKUP_MANAGER), "updateGroupBackupDrillSettings",
      "Change when backups of one project are tried",
      "Changes what holds for clusters of the project that say nothing else. An extension of this service.",
      .flags = EXTENSION, .run = crud_update_single, .kind = &project_settings, .request = &project_settings_schema, .response = &project_settings_schema,
      .example = "{\"intervalDays\": 14}" },
    { GET, "/groups/{groupId}/clusters/{clusterName}/backup/drillSettings", S11, ANY_OF(PROJECT_READ_ONLY), "getGroupClusterBackupDrillSettings",
      "Return when backups of one cluster are tried",
      "Returns when backups of the cluster are tried, and what must be true in what was restored. An extension of this service.",
      .flags = EXTENSION, .read = &settings_get, .response = &settings_schema },
    { PATCH, "/groups/{groupId}/clusters/{clusterName}/backup/drillSettings", S11, ANY_OF(PROJECT_BACKUP_MANAGER), "updateGroupClusterBackupDrillSettings",
      "Change when backups of one cluster are tried",
      "Changes when backups of the cluster are tried, and what must be true in what was restored. What is not sent stays as the project has it. "
      "An extension of this service.",
      .flags = EXTENSION, .run = settings_update, .request = &settings_schema, .response = &settings_schema,
      .example = "{\"assertions\": [{\"name\": \"orders are there\", \"databaseName\": \"shop\", \"sql\": \"SELECT count(*) > 1000 FROM orders\"}]}" },
    { GET, "/groups/{groupId}/clusters/{clusterName}/backup/drills", S11, ANY_OF(PROJECT_READ_ONLY), "listGroupClusterBackupDrills",
      "Return all drills of one cluster",
      "Lists what came of trying whether backups of the cluster can be restored, newest first. Results are kept for 400 days. An extension of this service.",
      .shape = SHAPE_LIST, .flags = EXTENSION, .item = "/groups/{groupId}/clusters/{clusterName}/backup/drills/{drillId}", .read = &drill_list,
      .response = &drill_schema },
    { POST, "/groups/{groupId}/clusters/{clusterName}/backup/drills", S11, ANY_OF(PROJECT_BACKUP_MANAGER), "createGroupClusterBackupDrill",
      "Try whether backups of one cluster can be restored",
      "Has the newest backup restored on its repository host, with everything that was written since, looks at it and removes it. Nothing of the cluster notices. "
      "One at a time. An extension of this service.",
      .flags = EXTENSION, .item = "/groups/{groupId}/clusters/{clusterName}/backup/drills/{drillId}", .run = drill_begin, .response = &drill_schema },
    { GET, "/groups/{groupId}/clusters/{clusterName}/backup/drills/{drillId}", S11, ANY_OF(PROJECT_READ_ONLY), "getGroupClusterBackupDrill",
      "Return one drill",
      "Returns what came of it: how long it took, how far it reached, and what was looked at. An extension of this service.",
      .flags = EXTENSION, .read = &drill_get, .path_fields = drill_path, .response = &drill_schema },
};
// clang-format on

FAMILY(drills_family, "drills", "Backup drills", "Proof that backups can be restored. An extension of this service.",
       drills_endpoints);

/* ---- Reading ---- */
static error
bind_cluster(struct request *req, struct params *params)
{
    params_id(params, P_PROJECT, req->project);
    params_text(params, P_NAME, request_path_value(req, "clusterName"));
    return OK;
}

static error
bind_list(struct request *req, struct params *params)
{
    list_bind(req, params);
    return bind_cluster(req, params);
}

static error
bind_get(struct request *req, struct params *params)
{
    id drill;
    TRY(request_path_id(req, "drillId", &drill));
    params_id(params, P_DRILL, drill);
    return bind_cluster(req, params);
}

static const struct read drill_list = { SQL_DRILL_LIST, bind_list, list_answer_below };
static const struct read drill_get = { SQL_DRILL_GET, bind_get, answer_row };
static const struct read settings_get = { SQL_DRILL_SETTINGS_GET, bind_cluster, answer_row };

/* ---- One now ---- */
static error
drill_begin(struct request *req)
{
    struct cluster cluster;
    struct open_stanza stanza;
    bool found, added;
    id drill = id_new(store_cell(req->api->store));
    str document, name = request_path_value(req, "clusterName");
    TRY(store_cluster_lock(req->tx, req->organization, req->project, STR(CLUSTER_KIND), name, &found, &cluster));
    if (!found)
        return request_not_found(req);
    TRY(store_stanza_lock(req->tx, req->project, cluster.id, &found, &stanza));
    if (!found)
        return fail(req->arena, BACKUPS_NOT_ENABLED, V(name));
    TRY(store_drill_add(req->tx, req->project, stanza.id, drill, &added, &document));
    if (!added)
        return fail(req->arena, DRILL_UNFINISHED, V(name));
    TRY(request_event(req, EVENT_DRILL_REQUESTED, NULL, json_parse_own(req->arena, document)));
    answer_created(req, document, id_text(req->arena, drill), 0);
    return OK;
}

/* ---- Settings of a cluster ---- */
static error
check_assertions(struct request *req)
{
    const json_t *all = json_object_get(req->body, "assertions"), *one;
    size_t i;
    json_array_foreach(all, i, one)
    {
        for (size_t k = 0; k < i; k++) {
            if (json_equal(json_object_get(json_array_get(all, k), "name"), json_object_get(one, "name")))
                return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V(str_format(req->arena, "assertions[%zu].name", i)),
                            V("another assertion has the same name"));
        }
    }
    return OK;
}

/* What was not said for the cluster stays with the project: only what was sent is stored. */
static error
store_settings(struct request *req, const struct cluster *cluster, str name)
{
    struct resource current;
    bool found, ignored;
    str key = id_text(req->arena, cluster->id);
    TRY(store_resource_lock(req->tx, req->project, STR(DRILL_SETTINGS_KIND), key, &found, &current));
    json_t *document = found ? json_parse_own(req->arena, current.document)
                             : json_in(req->arena, json_pack("{s:s}", "clusterName", str_dup(req->arena, name).data));
    if (document == NULL || json_object_update(document, req->body) != 0)
        return fail(req->arena, OVERLOADED);
    struct resource_draft draft = { .organization = req->organization,
                                    .scope = req->project,
                                    .id = found ? current.id : id_new(store_cell(req->api->store)),
                                    .kind = STR(DRILL_SETTINGS_KIND),
                                    .name = key,
                                    .document = json_text(req->arena, document) };
    return found ? store_resource_replace(req->tx, &draft, &current)
                 : store_resource_add(req->tx, &draft, &ignored, &current);
}

static error
settings_update(struct request *req)
{
    struct cluster cluster;
    bool found;
    str before, after, name = request_path_value(req, "clusterName");
    int64_t revision;
    TRY(check_assertions(req));
    TRY(store_cluster_lock(req->tx, req->organization, req->project, STR(CLUSTER_KIND), name, &found, &cluster));
    if (!found)
        return request_not_found(req);
    TRY(store_drill_settings(req->tx, req->project, name, &before, &revision));
    TRY(request_check_match(req, revision));
    before = str_dup(req->arena, before);
    TRY(store_settings(req, &cluster, name));
    TRY(store_drill_settings(req->tx, req->project, name, &after, &revision));
    after = str_dup(req->arena, after);
    if (!str_eq(before, after))
        TRY(request_event(req, EVENT_DRILL_SETTINGS_CHANGED, json_parse_own(req->arena, before),
                          json_parse_own(req->arena, after)));
    answer_entity(req, after, revision);
    return OK;
}
