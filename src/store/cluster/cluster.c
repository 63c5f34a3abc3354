/* SPDX-License-Identifier: Apache-2.0 */
#include "store/cluster/cluster.h"

#include "base/json.h"

static error
lock(struct tx *tx, id organization, id project, const char *kinds, const str *name, const id *cluster, bool *ret_found,
     struct cluster *ret_cluster)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PROJECT, project);
    params_text(&params, P_KINDS, str_from(kinds));
    if (name != NULL)
        params_text(&params, P_NAME, *name);
    else
        params_null(&params, P_NAME);
    if (cluster != NULL)
        params_id(&params, P_CLUSTER, *cluster);
    else
        params_null(&params, P_CLUSTER);
    TRY(tx_query(tx, SQL_CLUSTER_LOCK, &params, &rows, NULL));
    *ret_found = rows.count > 0;
    if (rows.count > 0)
        *ret_cluster = (struct cluster){
            .organization = organization,
            .project = project,
            .id = rows_id(&rows, 0, C_ID),
            .name = rows_text(&rows, 0, C_NAME),
            .state = cluster_state_from(rows_text(&rows, 0, C_STATE)),
            .document = json_parse_own(tx_arena(tx), rows_text(&rows, 0, C_DOCUMENT)),
            .generation = rows_int(&rows, 0, C_GENERATION),
            .observed_generation = rows_int(&rows, 0, C_OBSERVED_GENERATION),
            .set_name = rows_text(&rows, 0, C_SET_NAME),
            .host_label = rows_is_null(&rows, 0, C_HOST_LABEL) ? STR_EMPTY : rows_text(&rows, 0, C_HOST_LABEL),
            .port = rows_int(&rows, 0, C_PORT),
            .major_version = rows_text(&rows, 0, C_MAJOR_VERSION),
            .parameters = rows_text(&rows, 0, C_PARAMETERS),
            .goal_generation = rows_int(&rows, 0, C_GOAL_GENERATION),
            .kind = rows_text(&rows, 0, C_KIND),
            .label = rows_is_null(&rows, 0, C_LABEL) ? STR_EMPTY : rows_text(&rows, 0, C_LABEL),
            .restart_generation = rows_int(&rows, 0, C_RESTART_GENERATION),
        };
    if (rows.count > 0 && ret_cluster->state == CLUSTER_STATE_COUNT)
        return fail(tx_arena(tx), INTERNAL_ERROR);
    return rows.count > 0 && ret_cluster->document == NULL ? fail(tx_arena(tx), OVERLOADED) : OK;
}

error
store_cluster_lock(struct tx *tx, id organization, id project, str kind, str name, bool *ret_found,
                   struct cluster *ret_cluster)
{
    const char *kinds = str_is(kind, CLUSTER_KIND) ? "{" CLUSTER_KIND "}" : "{" FLEX_CLUSTER_KIND "}";
    return lock(tx, organization, project, kinds, &name, NULL, ret_found, ret_cluster);
}

error
store_cluster_lock_id(struct tx *tx, id organization, id project, id cluster, bool *ret_found,
                      struct cluster *ret_cluster)
{
    return lock(tx, organization, project, "{" CLUSTER_KIND "," FLEX_CLUSTER_KIND "}", NULL, &cluster, ret_found,
                ret_cluster);
}

error
store_cluster_find(struct tx *tx, id project, str kind, str name, bool *ret_found, id *ret_cluster)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PROJECT, project);
    params_text(&params, P_KIND, kind);
    params_text(&params, P_NAME, name);
    TRY(tx_query(tx, SQL_CLUSTER_FIND, &params, &rows, NULL));
    *ret_found = rows.count > 0;
    if (rows.count > 0)
        *ret_cluster = rows_id(&rows, 0, C_CLUSTER);
    return OK;
}

error
store_cluster_without_library(struct tx *tx, id project, str library, size_t *ret_count, id **ret_clusters)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PROJECT, project);
    params_text(&params, P_LIBRARY, library);
    TRY(tx_query(tx, SQL_CLUSTER_LIST_WITHOUT_LIBRARY, &params, &rows, NULL));
    id *clusters = ARENA_ARRAY(tx_arena(tx), id, (size_t)rows.count + 1);
    if (clusters == NULL)
        return fail(tx_arena(tx), OVERLOADED);
    for (int row = 0; row < rows.count; row++)
        clusters[row] = rows_id(&rows, row, C_CLUSTER);
    *ret_count = (size_t)rows.count;
    *ret_clusters = clusters;
    return OK;
}

error
store_cluster_document(struct tx *tx, const struct cluster *cluster, str *ret_document, int64_t *ret_revision)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PROJECT, cluster->project);
    params_text(&params, P_KIND, cluster->kind);
    params_text(&params, P_NAME, cluster->name);
    TRY(tx_query(tx, SQL_CLUSTER_GET, &params, &rows, NULL));
    if (rows.count == 0)
        return fail(tx_arena(tx), RESOURCE_NOT_FOUND, V(cluster->name));
    *ret_document = rows_text(&rows, 0, C_DOCUMENT);
    *ret_revision = rows_int(&rows, 0, C_REVISION);
    return OK;
}

static error
add_document(struct tx *tx, const struct cluster *cluster)
{
    struct params params = { 0 };
    struct violation violation;
    params_id(&params, P_PROJECT, cluster->project);
    params_text(&params, P_KIND, cluster->kind);
    params_id(&params, P_CLUSTER, cluster->id);
    params_text(&params, P_NAME, cluster->name);
    params_id(&params, P_ORGANIZATION, cluster->organization);
    params_text(&params, P_DOCUMENT, json_text(tx_arena(tx), cluster->document));
    params_text(&params, P_STATE, str_from(cluster_state_names[cluster->state]));
    params_int(&params, P_GENERATION, cluster->generation);
    error problem = tx_query(tx, SQL_CLUSTER_RESOURCE_ADD, &params, NULL, &violation);
    if (violation.kind == VIOLATION_UNIQUE)
        return fail(tx_arena(tx), DUPLICATE_NAME, V("name"), V(cluster->name));
    return problem;
}

error
store_cluster_add(struct tx *tx, const struct cluster *cluster)
{
    struct params params = { 0 };
    struct violation violation;
    TRY(add_document(tx, cluster));
    params_id(&params, P_ORGANIZATION, cluster->organization);
    params_id(&params, P_PROJECT, cluster->project);
    params_id(&params, P_CLUSTER, cluster->id);
    params_text(&params, P_NAME, cluster->name);
    params_text(&params, P_KIND, str_is(cluster->kind, CLUSTER_KIND) ? STR("DEDICATED") : STR("FLEX"));
    params_text(&params, P_SET_NAME, cluster->set_name);
    if (cluster->host_label.len > 0)
        params_text(&params, P_HOST_LABEL, cluster->host_label);
    else
        params_null(&params, P_HOST_LABEL);
    params_int(&params, P_PORT, cluster->port);
    params_int(&params, P_POOLER_PORT, cluster->pooler_port);
    params_text(&params, P_MAJOR_VERSION, cluster->major_version);
    params_text(&params, P_PARAMETERS, cluster->parameters);
    params_text(&params, P_ANALYTICS_PARAMETERS,
                cluster->analytics_parameters.len > 0 ? cluster->analytics_parameters : STR("{}"));
    error problem = tx_query(tx, SQL_CLUSTER_ADD, &params, NULL, &violation);
    if (violation.kind != VIOLATION_UNIQUE)
        return problem;
    /* A name of the other kind, or two clusters that drew the same six letters: then the client tries again. */
    if (strcmp(violation.constraint, "cluster_name_in_project") == 0)
        return fail(tx_arena(tx), DUPLICATE_NAME, V("name"), V(cluster->name));
    return fail(tx_arena(tx), CONCURRENT_CHANGE, V("the names of clusters"));
}

static void
bind_document(struct params *params, const struct cluster *cluster)
{
    params_id(params, P_PROJECT, cluster->project);
    params_text(params, P_KIND, cluster->kind);
    params_id(params, P_CLUSTER, cluster->id);
}

error
store_cluster_set(struct tx *tx, struct cluster *cluster, const json_t *document, enum cluster_state state,
                  bool is_in_force)
{
    struct params params = { 0 };
    struct rows rows;
    bind_document(&params, cluster);
    params_text(&params, P_DOCUMENT, json_text(tx_arena(tx), document));
    params_text(&params, P_STATE, str_from(cluster_state_names[state]));
    params_bool(&params, P_IS_IN_FORCE, is_in_force);
    TRY(tx_query(tx, SQL_CLUSTER_SET, &params, &rows, NULL));
    if (rows.count == 0)
        return fail(tx_arena(tx), RESOURCE_NOT_FOUND, V(cluster->name));
    cluster->generation = rows_int(&rows, 0, C_GENERATION);
    cluster->document = document;
    cluster->state = state;
    return OK;
}

error
store_cluster_change_kind(struct tx *tx, struct cluster *cluster, str kind)
{
    struct params document = { 0 }, params = { 0 };
    bind_document(&document, cluster);
    TRY(tx_query(tx, SQL_CLUSTER_RESOURCE_REMOVE, &document, NULL, NULL));
    cluster->kind = kind;
    TRY(add_document(tx, cluster));
    params_id(&params, P_ORGANIZATION, cluster->organization);
    params_id(&params, P_CLUSTER, cluster->id);
    params_text(&params, P_KIND, str_is(kind, CLUSTER_KIND) ? STR("DEDICATED") : STR("FLEX"));
    return tx_query(tx, SQL_CLUSTER_SET_KIND, &params, NULL, NULL);
}

error
store_cluster_set_state(struct tx *tx, const struct cluster *cluster, enum cluster_state state, int64_t observed)
{
    struct params params = { 0 };
    bind_document(&params, cluster);
    params_text(&params, P_STATE, str_from(cluster_state_names[state]));
    params_int(&params, P_OBSERVED, observed);
    return tx_query(tx, SQL_CLUSTER_SET_STATE, &params, NULL, NULL);
}

static void
bind_cluster(struct params *params, const struct cluster *cluster)
{
    params_id(params, P_ORGANIZATION, cluster->organization);
    params_id(params, P_CLUSTER, cluster->id);
}

static error
set_parameters(struct tx *tx, enum sql statement, const struct cluster *cluster, str parameters, bool *ret_changed)
{
    struct params params = { 0 };
    struct rows rows;
    bind_cluster(&params, cluster);
    params_text(&params, P_PARAMETERS, parameters);
    TRY(tx_query(tx, statement, &params, &rows, NULL));
    *ret_changed = rows.count > 0;
    return OK;
}

error
store_cluster_set_parameters(struct tx *tx, const struct cluster *cluster, str parameters, bool *ret_changed)
{
    return set_parameters(tx, SQL_CLUSTER_SET_PARAMETERS, cluster, parameters, ret_changed);
}

error
store_cluster_set_analytics_parameters(struct tx *tx, const struct cluster *cluster, str parameters, bool *ret_changed)
{
    return set_parameters(tx, SQL_CLUSTER_SET_ANALYTICS_PARAMETERS, cluster, parameters, ret_changed);
}

error
store_cluster_touch(struct tx *tx, struct cluster *cluster)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_CLUSTER, cluster->id);
    TRY(tx_query(tx, SQL_CLUSTER_TOUCH, &params, &rows, NULL));
    if (rows.count > 0 && !rows_is_null(&rows, 0, C_GOAL_GENERATION))
        cluster->goal_generation = rows_int(&rows, 0, C_GOAL_GENERATION);
    return OK;
}

error
store_cluster_require_restart(struct tx *tx, struct cluster *cluster, bool is_required)
{
    struct params params = { 0 };
    struct rows rows;
    bind_cluster(&params, cluster);
    params_bool(&params, P_IS_REQUIRED, is_required);
    TRY(tx_query(tx, SQL_CLUSTER_REQUIRE_RESTART, &params, &rows, NULL));
    if (rows.count > 0)
        cluster->restart_generation = rows_int(&rows, 0, C_RESTART_GENERATION);
    return OK;
}

error
store_cluster_remove(struct tx *tx, const struct cluster *cluster)
{
    struct params row = { 0 }, document = { 0 }, parts = { 0 };
    TRY(store_name_remove_all(tx, cluster));
    bind_cluster(&row, cluster);
    TRY(tx_query(tx, SQL_CLUSTER_REMOVE, &row, NULL, NULL));
    bind_document(&document, cluster);
    TRY(tx_query(tx, SQL_CLUSTER_RESOURCE_REMOVE, &document, NULL, NULL));
    params_id(&parts, P_PROJECT, cluster->project);
    params_text(&parts, P_NAME, cluster->name);
    return tx_query(tx, SQL_CLUSTER_PARTS_REMOVE, &parts, NULL, NULL);
}

error
store_cluster_unfinished_jobs(struct tx *tx, const struct cluster *cluster, id besides, int64_t *ret_count)
{
    struct params params = { 0 };
    struct rows rows;
    bind_cluster(&params, cluster);
    params_id(&params, P_BESIDES, besides);
    TRY(tx_query(tx, SQL_JOB_UNFINISHED, &params, &rows, NULL));
    *ret_count = rows.count == 0 ? 0 : rows_int(&rows, 0, C_COUNT);
    return OK;
}

error
store_cluster_cancel_jobs(struct tx *tx, id organization, id cluster, str besides_kind)
{
    struct params params = { 0 };
    params_id(&params, P_ORGANIZATION, organization);
    params_id(&params, P_CLUSTER, cluster);
    params_text(&params, P_BESIDES_KIND, besides_kind);
    return tx_query(tx, SQL_JOB_CANCEL_OF_SUBJECT, &params, NULL, NULL);
}

/* ---- Names ---- */

error
store_name_add(struct tx *tx, const struct cluster *cluster, str name, str type, str content)
{
    struct params params = { 0 };
    bind_cluster(&params, cluster);
    params_text(&params, P_NAME, name);
    params_text(&params, P_TYPE, type);
    params_text(&params, P_CONTENT, content);
    return tx_query(tx, SQL_DNS_RECORD_ADD, &params, NULL, NULL);
}

error
store_name_remove(struct tx *tx, const struct cluster *cluster, str host, str service_target)
{
    struct params params = { 0 };
    bind_cluster(&params, cluster);
    params_text(&params, P_HOST, host);
    params_text(&params, P_SERVICE_TARGET, service_target);
    return tx_query(tx, SQL_DNS_RECORD_REMOVE_NAME, &params, NULL, NULL);
}

error
store_name_remove_all(struct tx *tx, const struct cluster *cluster)
{
    struct params params = { 0 };
    bind_cluster(&params, cluster);
    return tx_query(tx, SQL_DNS_RECORD_REMOVE_ALL, &params, NULL, NULL);
}

/* ---- What hangs on a cluster ---- */

error
store_part_lock(struct tx *tx, id project, str kind, str name, bool *ret_found, struct cluster_part *ret_part)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PROJECT, project);
    params_text(&params, P_KIND, kind);
    params_text(&params, P_NAME, name);
    TRY(tx_query(tx, SQL_CLUSTER_PART_LOCK, &params, &rows, NULL));
    *ret_found = rows.count > 0;
    if (rows.count > 0)
        *ret_part = (struct cluster_part){ .kind = kind,
                                           .name = name,
                                           .document = rows_text(&rows, 0, C_DOCUMENT),
                                           .state = rows_text(&rows, 0, C_STATE),
                                           .id = rows_id(&rows, 0, C_ID) };
    return OK;
}

error
store_part_put(struct tx *tx, id organization, id project, const struct cluster_part *part)
{
    struct params params = { 0 };
    params_id(&params, P_PROJECT, project);
    params_text(&params, P_KIND, part->kind);
    params_id(&params, P_PART, part->id);
    params_text(&params, P_NAME, part->name);
    params_id(&params, P_ORGANIZATION, organization);
    params_text(&params, P_DOCUMENT, part->document);
    params_text(&params, P_STATE, part->state);
    return tx_query(tx, SQL_CLUSTER_PART_PUT, &params, NULL, NULL);
}

error
store_outages_expired(struct store *store, struct arena *arena, struct part_place ret_places[PART_PLACES_MAX],
                      size_t *ret_count)
{
    struct params params = { 0 };
    struct rows rows;
    TRY(store_read(store, arena, SQL_OUTAGE_EXPIRED, &params, &rows));
    *ret_count = 0;
    for (int row = 0; row < rows.count && row < PART_PLACES_MAX; row++)
        ret_places[(*ret_count)++] = (struct part_place){ .organization = rows_id(&rows, row, C_ORGANIZATION),
                                                          .project = rows_id(&rows, row, C_PROJECT),
                                                          .name = rows_text(&rows, row, C_NAME) };
    return OK;
}
