/* SPDX-License-Identifier: Apache-2.0 */
/* Minor versions of the database: what runs where, and rollouts of what hosts have. */
#include "api/list.h"
#include "base/json.h"
#include "job/fleet/fleet_update.h"
#include "operator/parts.h"
#include "operator/session.h"
#include "store/update/update.h"

enum { MOST_WORDS = 1000, WORD_CHARACTERS = 130 };
#define VERSION "^[0-9]{1,3}[.][0-9]{1,3}$"

/* ---- Tables ---- */
static const char *const verdicts[] = { "CURRENT", "BEHIND", "PINNED", "UNEVEN", "UNKNOWN", "PAUSED", "BUSY", NULL };
static const char *const update_states[] = { "RUNNING", "STOPPED", "DONE", NULL };
static const char *const cluster_states[] = { "WAITING", "RUNNING", "DONE", "FAILED", "SKIPPED", NULL };

static const struct field server_fields[] = {
    TEXT("name", "Name of the member.", READ_ONLY | ALWAYS),
    TEXT("host", "Host that it is on.", READ_ONLY | ALWAYS),
    TEXT("role", "Its role in its cluster.", READ_ONLY | ALWAYS),
    TEXT("running", "Version of the server that runs.", READ_ONLY),
    TEXT("installed", "Newest version of its major version on its host.", READ_ONLY),
    END_OF_FIELDS,
};
static const struct schema server_schema = { "ServerVersion", "Version of a member.", server_fields };

static const struct field version_fields[] = {
    TEXT("name", "Name of the cluster.", READ_ONLY | ALWAYS, .example = "\"orders\""),
    TEXT("projectName", "Name of its project.", READ_ONLY | ALWAYS),
    TEXT(
        "verdict",
        "BEHIND: a rollout would update it. PINNED: its tenant has pinned its version. UNEVEN: its hosts have different versions. UNKNOWN: a host is silent, or a version is not known.",
        READ_ONLY | ALWAYS, .one_of = verdicts),
    TEXT("running", "Oldest version that one of its servers runs.", READ_ONLY),
    TEXT("installed", "Newest version on its hosts.", READ_ONLY),
    INTEGER("members", "Its members.", READ_ONLY | ALWAYS),
    TEXT("reason", "Why it would not be updated.", READ_ONLY),
    LIST("servers", "Its members with their hosts and versions.", READ_ONLY | ALWAYS, .of = &server_schema),
    ID("clusterId", "Identifier of the cluster.", READ_ONLY | ALWAYS),
    ID("projectId", "Identifier of its project.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
static const struct schema version_schema = { "ClusterVersion", "Versions of a cluster.", version_fields };
static const struct field version_query[] = {
    TEXT("verdict", "Only clusters of this verdict.", 0, .one_of = verdicts),
    END_OF_FIELDS,
};

#define WISH_FIELDS                                                                                                   \
    TEXT("version", "Only clusters whose hosts all have this version. Default: each cluster to what its hosts have.", \
         0, .max = 8, .pattern = VERSION, .example = "\"17.7\""),                                                     \
        INTEGER("atATime", "How many clusters are updated at once.", 0, .min = 1, .max = 1000, .fallback = "2"),      \
        INTEGER(                                                                                                      \
            "patienceSeconds",                                                                                        \
            "How long a server may take to come back. After it the cluster has failed, and the rollout is stopped.",  \
            0, .min = 10, .max = 86400, .fallback = "300"),                                                           \
        BOOL("ignoreWindow", "Whether maintenance windows of projects are passed over.", 0, .fallback = "false"),     \
        BOOL("includePinned", "Whether clusters are updated although their tenants have pinned their version.", 0,    \
             .fallback = "false")

static const struct field wish_fields[] = {
    LIST("clusters", "Only these: ids, names, PROJECT/CLUSTER, or a project's id or name. Default: all.", 0,
         .max = MOST_WORDS, .item = TYPE_TEXT, .example = "[\"web/orders\"]"),
    LIST("canaries", "Those that are updated first, named in the same ways.", 0, .max = MOST_WORDS, .item = TYPE_TEXT,
         .example = "[\"staging\"]"),
    INTEGER("canaryCount", "How many come first when none is named; those with replicas rather than others.", 0,
            .min = 0, .max = 1000, .fallback = "1"),
    WISH_FIELDS,
    END_OF_FIELDS,
};
static const struct schema wish_schema = { "FleetUpdateRequest", "A rollout to start.", wish_fields };

#define UPDATE_FIELDS                                                                                    \
    ID("id", "Identifier of the rollout.", READ_ONLY | ALWAYS),                                          \
        TEXT("state", "STOPPED: by an operator, or because a cluster failed.", READ_ONLY | ALWAYS,       \
             .one_of = update_states),                                                                   \
        TEXT("problem", "Cluster that failed, and why.", READ_ONLY),                                     \
        INTEGER("total", "Clusters in it.", READ_ONLY | ALWAYS),                                         \
        INTEGER("done", "How many of them run the new version.", READ_ONLY | ALWAYS),                    \
        INTEGER("running", "How many are at it.", READ_ONLY | ALWAYS),                                   \
        INTEGER("waiting", "How many wait for their turn.", READ_ONLY | ALWAYS),                         \
        INTEGER("failed", "How many failed.", READ_ONLY | ALWAYS),                                       \
        INTEGER("skipped", "How many are left out.", READ_ONLY | ALWAYS), WISH_FIELDS,                   \
        TEXT("createdBy", "Operator who started it.", READ_ONLY | ALWAYS),                               \
        DATE("createdAt", "When.", READ_ONLY | ALWAYS), DATE("finishedAt", "When it ended.", READ_ONLY), \
        ID("jobId", "The job that works at it.", READ_ONLY)

static const struct field update_fields[] = { UPDATE_FIELDS, END_OF_FIELDS };
static const struct schema update_schema = { "FleetUpdate", "A rollout of minor versions.", update_fields };
static const struct field cluster_fields[] = {
    TEXT("name", "PROJECT/CLUSTER.", READ_ONLY | ALWAYS),
    TEXT("state", "How far it is. SKIPPED: it is left out.", READ_ONLY | ALWAYS, .one_of = cluster_states),
    BOOL("isCanary", "Whether it comes first.", READ_ONLY | ALWAYS),
    TEXT("fromVersion", "Version when the rollout was planned.", READ_ONLY),
    TEXT("toVersion", "Version that it gets.", READ_ONLY),
    INTEGER("members", "Its members.", READ_ONLY | ALWAYS),
    INTEGER("membersDone", "How many of them run the new version.", READ_ONLY | ALWAYS),
    TEXT("problem", "Why it failed or is left out.", READ_ONLY),
    TEXT("waitsFor", "What its job waits for.", READ_ONLY),
    DATE("startedAt", "When it began.", READ_ONLY),
    DATE("finishedAt", "When it ended.", READ_ONLY),
    ID("clusterId", "Identifier of the cluster.", READ_ONLY | ALWAYS),
    ID("jobId", "Its job.", READ_ONLY),
    END_OF_FIELDS,
};
static const struct schema cluster_schema = { "FleetUpdateCluster", "A cluster in a rollout.", cluster_fields };
static const struct field one_update_fields[] = {
    UPDATE_FIELDS,
    LIST("clusters", "Its clusters, in their order.", READ_ONLY | ALWAYS, .of = &cluster_schema),
    END_OF_FIELDS,
};
static const struct schema one_update_schema = { "FleetUpdateWithClusters", "A rollout with its clusters.",
                                                 one_update_fields };
static const struct field continue_fields[] = {
    BOOL("skipFailed", "Whether clusters that failed are left out. Otherwise they are tried again.", 0,
         .fallback = "false"),
    END_OF_FIELDS,
};
static const struct schema continue_schema = { "FleetUpdateContinue", "How a rollout goes on.", continue_fields };

/* ---- Looking ---- */
static error
bind_versions(struct request *req, struct params *params)
{
    list_bind(req, params);
    params_text(params, P_VERDICT, request_query(req, "verdict"));
    return OK;
}
static const struct read versions = { SQL_FLEET_VERSION_LIST, bind_versions, list_answer };

static error
bind_updates(struct request *req, struct params *params)
{
    list_bind(req, params);
    return OK;
}
static const struct read updates = { SQL_FLEET_UPDATE_LIST, bind_updates, list_answer };

static error
show_update(struct request *req)
{
    id update;
    str document;
    TRY(request_path_id(req, "updateId", &update));
    TRY(store_update_read(req->api->store, req->arena, update, &document));
    if (document.len == 0)
        return request_not_found(req);
    answer_entity(req, document, 0);
    return OK;
}

/* ---- Starting ---- */
static error
check_words(struct request *req, const char *field)
{
    const json_t *list = json_object_get(req->body, field);
    for (size_t i = 0; i < json_array_size(list); i++) {
        str word = json_str(json_array_get(list, i));
        if (word.len == 0 || word.len > WORD_CHARACTERS)
            return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V(field),
                        V("each must be an id, a name, or PROJECT/CLUSTER"));
    }
    return OK;
}

/* The job of a rollout; whoever asked can wait for it. */
static error
add_job(struct request *req, id update)
{
    id job;
    TRY(job_add(req->tx, &fleet_update_job,
                (struct job_draft){ .subject = update, .subject_name = id_text(req->arena, update) }, &job));
    TRY(store_update_set_job(req->tx, update, job));
    answer_operation(req, job);
    return OK;
}

/* The field of the body that has the word. */
static const char *
list_with(const json_t *body, str word)
{
    size_t i;
    const json_t *one;
    json_array_foreach(json_object_get(body, "clusters"), i, one)
    {
        if (str_eq(json_str(one), word))
            return "clusters";
    }
    return "canaries";
}

/* A server does not go back to an older version, so beginning and going on need the operator. To stop an update must need nothing. */
static error
start_update(struct request *req)
{
    enum update_begun begun;
    str word, document;
    id update = id_new(store_cell(req->api->store));
    TRY(operator_session_demand_presence(req));
    TRY(check_words(req, "clusters"));
    TRY(check_words(req, "canaries"));
    TRY(store_update_begin(req->tx, update, req->caller->name, json_text(req->arena, req->body), &begun, &word));
    if (begun == UPDATE_OTHER_RUNS)
        return fail(req->arena, UPDATE_NOT_POSSIBLE, V("another rollout is under way; stop it first"));
    if (begun == UPDATE_NOTHING_TO_DO)
        return fail(req->arena, UPDATE_NOT_POSSIBLE,
                    V("no cluster can be updated now; `reeve fleet versions list` shows why"));
    if (begun == UPDATE_UNKNOWN_WORD)
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V(list_with(req->body, word)),
                    V(str_format(req->arena, "there is no cluster or project %.*s", STR_ARG(word))));
    TRY(add_job(req, update));
    TRY(store_update_document(req->tx, update, &document));
    answer_created(req, document, id_text(req->arena, update), 0);
    return OK;
}

/* ---- Deciding ---- */
static error
decide(struct request *req, bool goes_on, bool skip_failed)
{
    id update;
    enum update_decision decision;
    str document;
    if (goes_on)
        TRY(operator_session_demand_presence(req));
    TRY(request_path_id(req, "updateId", &update));
    TRY(store_update_decide(req->tx, update, goes_on, skip_failed, &decision));
    if (decision == UPDATE_GONE)
        return request_not_found(req);
    if (decision == UPDATE_REFUSED)
        return fail(req->arena, UPDATE_NOT_POSSIBLE,
                    V(goes_on ? "only a rollout that was stopped can be continued, and only while no other is under way"
                              : "only a rollout that is under way can be stopped"));
    if (goes_on)
        TRY(add_job(req, update));
    TRY(store_update_document(req->tx, update, &document));
    answer_entity(req, document, 0);
    return OK;
}

static error
stop_update(struct request *req)
{
    return decide(req, false, false);
}

static error
continue_update(struct request *req)
{
    return decide(req, true, json_is_true(json_object_get(req->body, "skipFailed")));
}

// clang-format off
static const struct endpoint endpoints[] = {
    { GET, "/versions", 0, FOR_OPERATORS, "listVersions", "Return the versions of all clusters",
      "Shows for each cluster what its servers run and what their hosts have, and whether a rollout would update it.",
      SHAPE_LIST, .read = &versions, .response = &version_schema, .query = version_query },
    { GET, "/updates", 0, FOR_OPERATORS, "listUpdates", "Return all rollouts", "Lists rollouts of minor versions, newest first.",
      SHAPE_LIST, .read = &updates, .response = &update_schema, .item = "/updates/{updateId}" },
    { GET, "/updates/{updateId}", 0, FOR_OPERATORS, "showUpdate", "Return one rollout with its clusters",
      "Shows how far each cluster is, and why clusters failed or are left out.",
      SHAPE_ENTITY, .run = show_update, .response = &one_update_schema },
    { POST, "/updates", 0, FOR_OPERATORS, "startUpdate", "Start one rollout",
      "Brings servers to the minor version that their hosts have: canaries first, then the others, a few at a time and each in the maintenance window of its project. In a cluster "
      "the replicas restart one after another, then another member becomes the primary. The first cluster that fails stops the rollout. With `dryRun=true` the answer is the plan.",
      SHAPE_ENTITY, .run = start_update, .request = &wish_schema, .response = &one_update_schema, .item = "/updates/{updateId}",
      .example = "{\"canaries\": [\"staging\"], \"atATime\": 2}" },
    { POST, "/updates/{updateId}:stop", 0, FOR_OPERATORS, "stopUpdate", "Stop one rollout",
      "Clusters that are being updated finish; no other begins.",
      SHAPE_ENTITY, 200, .run = stop_update, .response = &one_update_schema },
    { POST, "/updates/{updateId}:continue", 0, FOR_OPERATORS, "continueUpdate", "Continue one rollout",
      "Goes on with a rollout that was stopped. Clusters that failed are tried again, or left out.",
      SHAPE_ENTITY, 200, .run = continue_update, .request = &continue_schema, .response = &one_update_schema, .example = "{\"skipFailed\": false}" },
};
// clang-format on
FAMILY(operator_update_family, "updates", "Minor updates",
       "Versions of the database on hosts and in clusters, and their rollouts.", endpoints);
