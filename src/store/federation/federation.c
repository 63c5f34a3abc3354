/* SPDX-License-Identifier: Apache-2.0 */
#include "store/federation/federation.h"

#include "base/json.h"
#include "store/auth/principal.h"
#include "store/event/event.h"

/* A statement about one organization, or about a mapping in it. */
static error
ask(struct tx *tx, enum sql statement, id organization, const id *mapping, struct rows *ret_rows)
{
    struct params params = { 0 };
    params_id(&params, P_ORGANIZATION, organization);
    if (mapping != NULL)
        params_id(&params, P_MAPPING, *mapping);
    return tx_query(tx, statement, &params, ret_rows, NULL);
}

static error
ask_count(struct tx *tx, enum sql statement, id organization, int64_t *ret_count)
{
    struct rows rows;
    TRY(ask(tx, statement, organization, NULL, &rows));
    *ret_count = rows.count == 0 ? 0 : rows_int(&rows, 0, C_COUNT);
    return OK;
}

static error
ask_document(struct tx *tx, enum sql statement, id organization, const id *mapping, str *ret_document,
             int64_t *ret_revision)
{
    struct rows rows;
    TRY(ask(tx, statement, organization, mapping, &rows));
    *ret_document = rows.count == 0 ? STR_EMPTY : rows_text(&rows, 0, C_DOCUMENT);
    *ret_revision = rows.count == 0 ? 0 : rows_int(&rows, 0, C_REVISION);
    return OK;
}

/* ---- The federation of an organization ---- */

error
store_federation_lock(struct tx *tx, id organization, id *ret_federation)
{
    struct rows rows;
    TRY(ask(tx, SQL_FEDERATION_LOCK, organization, NULL, &rows));
    if (rows.count == 0)
        return fail(tx_arena(tx), RESOURCE_NOT_FOUND, V(id_text(tx_arena(tx), organization)));
    *ret_federation = rows_id(&rows, 0, C_FEDERATION);
    return OK;
}

error
store_federation_size(struct tx *tx, id organization, int64_t *ret_organizations)
{
    return ask_count(tx, SQL_FEDERATION_SIZE, organization, ret_organizations);
}

error
store_federation_changed(struct tx *tx, id federation)
{
    return authority_changed(tx, "federation", federation);
}

error
store_federation_members_changed(struct tx *tx, id organization)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, organization);
    params_text(&params, P_CHANNEL, STR(AUTHORITY_CHANNEL));
    return tx_query(tx, SQL_FEDERATION_NOTIFY, &params, &rows, NULL);
}

error
store_federation_join(struct tx *tx, id organization, id from, id to)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, organization);
    params_id(&params, P_FEDERATION, to);
    /* Before those who signed in are forgotten. */
    TRY(store_federation_members_changed(tx, organization));
    TRY(tx_query(tx, SQL_FEDERATION_JOIN, &params, &rows, NULL));
    if (rows.count == 0)
        return fail(tx_arena(tx), RESOURCE_NOT_FOUND, V(id_text(tx_arena(tx), organization)));
    return store_federation_changed(tx, from);
}

error
store_federation_check_address(struct tx *tx, id organization, str address, id person)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, organization);
    params_text(&params, P_ADDRESS, address);
    params_id_or_null(&params, P_PERSON, person);
    TRY(tx_query(tx, SQL_FEDERATION_LETS_IN, &params, &rows, NULL));
    if (rows.count == 0 || rows_is_null(&rows, 0, C_LETS_IN) || rows_bool(&rows, 0, C_LETS_IN))
        return OK;
    return fail(tx_arena(tx), DOMAIN_NOT_ALLOWED);
}

error
store_federation_foreign_domain(struct tx *tx, id organization, str domains, str *ret_domain)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, organization);
    params_text(&params, P_DOMAINS, domains);
    TRY(tx_query(tx, SQL_FEDERATION_DOMAINS_MISSING, &params, &rows, NULL));
    *ret_domain = rows.count == 0 ? STR_EMPTY : rows_text(&rows, 0, C_DOMAIN);
    return OK;
}

/* ---- How an organization uses it ---- */

error
store_connected_document(struct tx *tx, id organization, str *ret_document, int64_t *ret_revision)
{
    return ask_document(tx, SQL_CONNECTED_ORGANIZATION_GET, organization, NULL, ret_document, ret_revision);
}

error
store_connected_lock(struct tx *tx, id organization, str *ret_document, int64_t *ret_revision)
{
    struct rows rows;
    TRY(ask(tx, SQL_CONNECTED_ORGANIZATION_LOCK, organization, NULL, &rows));
    return store_connected_document(tx, organization, ret_document, ret_revision);
}

error
store_connected_update(struct tx *tx, id organization, const struct connected_draft *draft, bool *ret_known)
{
    struct params params = { 0 };
    struct rows rows;
    struct violation violation;
    params_id(&params, P_ORGANIZATION, organization);
    if (draft->has_provider)
        params_id(&params, P_PROVIDER, draft->provider);
    else
        params_null(&params, P_PROVIDER);
    params_bool(&params, P_DOMAIN_RESTRICTION, draft->domain_restriction);
    params_text(&params, P_DOMAIN_ALLOW_LIST, draft->domain_allow_list);
    params_text(&params, P_SIGN_IN_ROLES, draft->sign_in_roles);
    TRY(tx_query(tx, SQL_CONNECTED_ORGANIZATION_UPDATE, &params, &rows, &violation));
    *ret_known = violation.kind != VIOLATION_FOREIGN_KEY;
    if (violation.kind != VIOLATION_NONE && *ret_known)
        return fail(tx_arena(tx), INTERNAL_ERROR);
    return OK;
}

/* ---- Role mappings ---- */

error
store_role_mapping_count(struct tx *tx, id organization, int64_t *ret_count)
{
    return ask_count(tx, SQL_ROLE_MAPPING_COUNT, organization, ret_count);
}

static error
name_mapping(struct tx *tx, enum sql statement, id organization, id mapping, str group)
{
    struct params params = { 0 };
    struct rows rows;
    struct violation violation;
    params_id(&params, P_ORGANIZATION, organization);
    params_id(&params, P_MAPPING, mapping);
    params_text(&params, P_GROUP, group);
    TRY(tx_query(tx, statement, &params, &rows, &violation));
    if (violation.kind == VIOLATION_UNIQUE)
        return fail(tx_arena(tx), DUPLICATE_NAME, V("externalGroupName"), V(group));
    return violation.kind == VIOLATION_NONE ? OK : fail(tx_arena(tx), INTERNAL_ERROR);
}

error
store_role_mapping_add(struct tx *tx, id organization, id mapping, str group)
{
    return name_mapping(tx, SQL_ROLE_MAPPING_ADD, organization, mapping, group);
}

error
store_role_mapping_rename(struct tx *tx, id organization, id mapping, str group)
{
    return name_mapping(tx, SQL_ROLE_MAPPING_RENAME, organization, mapping, group);
}

error
store_role_mapping_clear(struct tx *tx, id organization, id mapping)
{
    struct rows rows;
    return ask(tx, SQL_ROLE_MAPPING_CLEAR, organization, &mapping, &rows);
}

error
store_role_mapping_role_add(struct tx *tx, id organization, id mapping, id project, str role, bool *ret_known)
{
    struct params params = { 0 };
    struct rows rows;
    struct violation violation;
    params_id(&params, P_ORGANIZATION, organization);
    params_id(&params, P_MAPPING, mapping);
    params_id_or_null(&params, P_PROJECT, project);
    params_text(&params, P_ROLE, role);
    TRY(tx_query(tx, SQL_ROLE_MAPPING_ROLE_ADD, &params, &rows, &violation));
    *ret_known = violation.kind != VIOLATION_FOREIGN_KEY;
    if (violation.kind != VIOLATION_NONE && *ret_known)
        return fail(tx_arena(tx), INTERNAL_ERROR);
    return OK;
}

error
store_role_mapping_delete(struct tx *tx, id organization, id mapping)
{
    struct rows rows;
    return ask(tx, SQL_ROLE_MAPPING_DELETE, organization, &mapping, &rows);
}

error
store_role_mapping_document(struct tx *tx, id organization, id mapping, str *ret_document, int64_t *ret_revision)
{
    return ask_document(tx, SQL_ROLE_MAPPING_GET, organization, &mapping, ret_document, ret_revision);
}

error
store_role_mapping_lock(struct tx *tx, id organization, id mapping, str *ret_document, int64_t *ret_revision)
{
    struct rows rows;
    TRY(ask(tx, SQL_ROLE_MAPPING_LOCK, organization, &mapping, &rows));
    return store_role_mapping_document(tx, organization, mapping, ret_document, ret_revision);
}

/* ---- For auth/ ---- */

static error
read_providers(struct store *store, struct arena *arena, enum sql statement, const struct params *params,
               const json_t **ret_rows)
{
    struct rows rows;
    TRY(store_read(store, arena, statement, params, &rows));
    *ret_rows = rows.count == 0 || rows_is_null(&rows, 0, C_PROVIDERS)
                    ? NULL
                    : json_parse_own(arena, rows_text(&rows, 0, C_PROVIDERS));
    return OK;
}

error
store_federation_issuer(struct store *store, struct arena *arena, str issuer, const json_t **ret_rows)
{
    struct params params = { 0 };
    params_text(&params, P_ISSUER, issuer);
    return read_providers(store, arena, SQL_AUTH_ISSUER, &params, ret_rows);
}

error
store_federation_trusted(struct store *store, struct arena *arena, id account, const json_t **ret_rows)
{
    struct params params = { 0 };
    params_id(&params, P_ACCOUNT, account);
    return read_providers(store, arena, SQL_AUTH_TRUSTED_PROGRAMS, &params, ret_rows);
}

error
store_federation_providers_of(struct store *store, struct arena *arena, str address, id named, const json_t **ret_rows)
{
    struct params params = { 0 };
    params_id_or_null(&params, P_PROVIDER, named);
    params_text(&params, P_ADDRESS, address);
    return read_providers(store, arena, SQL_AUTH_PROVIDERS_OF_DOMAIN, &params, ret_rows);
}

error
store_federation_provider(struct store *store, struct arena *arena, id provider, const json_t **ret_row)
{
    struct params params = { 0 };
    const json_t *rows;
    params_id(&params, P_PROVIDER, provider);
    TRY(read_providers(store, arena, SQL_AUTH_PROVIDER, &params, &rows));
    *ret_row = json_array_get(rows, 0);
    return OK;
}

error
store_federation_sign_in(struct store *store, struct arena *arena, id provider, str address, str groups,
                         int64_t issued_s, struct federated_place *ret_places, size_t max, size_t *ret_count)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PROVIDER, provider);
    params_text(&params, P_ADDRESS, address);
    params_text(&params, P_GROUPS, groups);
    params_int(&params, P_ISSUED_S, issued_s);
    TRY(store_read(store, arena, SQL_AUTH_SIGN_IN, &params, &rows));
    *ret_count = 0;
    for (int row = 0; row < rows.count && *ret_count < max; row++)
        ret_places[(*ret_count)++] = (struct federated_place){
            .person = rows_id(&rows, row, C_PERSON),
            .organization = rows_id(&rows, row, C_ORGANIZATION),
            .groups = rows_text(&rows, row, C_GROUPS),
            .changes_roles = rows_bool(&rows, row, C_CHANGES_ROLES),
            .is_news = rows_bool(&rows, row, C_IS_NEWS),
        };
    return OK;
}

static error
note_change(struct tx *tx, const struct federated_news *news)
{
    struct arena *arena = tx_arena(tx);
    json_t *after = json_in(arena, json_pack("{s:s, s:s%, s:s, s:o}", "userId", id_text(arena, news->place.person).data,
                                             "username", news->address.data, news->address.len, "identityProviderId",
                                             id_text(arena, news->provider).data, "externalGroupNames",
                                             json_deep_copy(json_parse_own(arena, news->place.groups))));
    struct event_draft draft = {
        .type = EVENT_FEDERATED_USER_SIGNED_IN,
        .organization = news->place.organization,
        .actor = news->place.person,
        .actor_name = news->address,
        .actor_kind = STR("USER"),
        .address = news->client,
        .after = after,
    };
    id ignored;
    TRY(authority_changed(tx, "principal", news->place.person));
    return store_event_add(tx, &draft, &ignored);
}

error
store_federation_signed_in(struct store *store, struct arena *arena, const struct federated_news *news)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, news->place.organization);
    params_id(&params, P_PERSON, news->place.person);
    params_id(&params, P_PROVIDER, news->provider);
    params_text(&params, P_GROUPS, news->place.groups);
    params_int(&params, P_ISSUED_S, news->issued_s);
    TRY(tx_begin(store, arena, news->place.organization, &tx));
    TRY(tx_query(tx, SQL_FEDERATED_MEMBER_PUT, &params, &rows, NULL));
    if (rows.count > 0 && news->place.changes_roles)
        TRY(note_change(tx, news));
    return tx_commit(tx);
}

/* Whether it is time to tell. In the transaction of one of the organizations that use it. */
static error
may_tell(struct tx *tx, id organization, id provider, bool *ret_may)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, organization);
    params_id(&params, P_PROVIDER, provider);
    TRY(tx_query(tx, SQL_IDENTITY_PROVIDER_TELL_REFUSAL, &params, &rows, NULL));
    *ret_may = rows.count > 0;
    return OK;
}

error
store_federation_answer_refused(struct store *store, struct arena *arena, const struct refused_answer *refused)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    struct params params = { 0 };
    struct rows users;
    bool may;
    id event;
    params_id(&params, P_PROVIDER, refused->provider);
    TRY(store_read(store, arena, SQL_AUTH_PROVIDER_USERS, &params, &users));
    if (users.count == 0)
        return OK;
    TRY(tx_begin(store, arena, rows_id(&users, 0, C_ORGANIZATION), &tx));
    TRY(may_tell(tx, rows_id(&users, 0, C_ORGANIZATION), refused->provider, &may));
    for (int row = 0; may && row < users.count; row++) {
        struct event_draft draft = {
            .type = EVENT_IDENTITY_PROVIDER_ANSWER_REFUSED,
            .organization = rows_id(&users, row, C_ORGANIZATION),
            .actor_name = STR("reeve"),
            .actor_kind = STR("SERVICE"),
            .address = refused->address,
            .request_id = refused->request_id,
            .after = json_in(arena, json_pack("{s:s, s:s%}", "id", id_text(arena, refused->provider).data, "reason",
                                              refused->why.data, refused->why.len)),
        };
        TRY(tx_set_organization(tx, draft.organization));
        TRY(store_event_add(tx, &draft, &event));
    }
    return tx_commit(tx);
}

error
store_federation_want_keys(struct store *store, struct arena *arena, id organization, id provider, int64_t not_within_s)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, organization);
    params_id(&params, P_PROVIDER, provider);
    params_int(&params, P_NOT_WITHIN_S, not_within_s);
    TRY(tx_begin(store, arena, organization, &tx));
    TRY(tx_query(tx, SQL_IDENTITY_PROVIDER_WANT_KEYS, &params, &rows, NULL));
    return tx_commit(tx);
}

/* ---- For the operator ---- */

error
store_federation_list(struct store *store, struct arena *arena, str *ret_list)
{
    struct params params = { 0 };
    struct rows rows;
    TRY(store_read(store, arena, SQL_FEDERATION_LIST, &params, &rows));
    *ret_list = rows_text(&rows, 0, C_LIST);
    return OK;
}

error
store_federation_of(struct store *store, struct arena *arena, id organization, id *ret_federation)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, organization);
    TRY(store_read(store, arena, SQL_FEDERATION_OF_ORGANIZATION, &params, &rows));
    *ret_federation = rows.count == 0 ? ID_NONE : rows_id(&rows, 0, C_FEDERATION);
    return OK;
}

error
store_federation_exists(struct store *store, struct arena *arena, id federation, bool *ret_exists)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_FEDERATION, federation);
    TRY(store_read(store, arena, SQL_FEDERATION_EXISTS, &params, &rows));
    *ret_exists = rows.count > 0;
    return OK;
}

error
store_federation_domain_add(struct tx *tx, id federation, str domain)
{
    struct params params = { 0 };
    struct rows rows;
    struct violation violation;
    params_text(&params, P_DOMAIN, domain);
    params_id(&params, P_FEDERATION, federation);
    TRY(tx_query(tx, SQL_FEDERATION_DOMAIN_ADD, &params, &rows, &violation));
    if (violation.kind == VIOLATION_UNIQUE)
        return fail(tx_arena(tx), DUPLICATE_NAME, V("domain"), V(domain));
    if (violation.kind != VIOLATION_NONE)
        return fail(tx_arena(tx), INTERNAL_ERROR);
    return store_federation_changed(tx, federation);
}

error
store_federation_domain_remove(struct tx *tx, id federation, str domain, bool *ret_removed)
{
    struct params params = { 0 };
    struct rows rows;
    params_text(&params, P_DOMAIN, domain);
    params_id(&params, P_FEDERATION, federation);
    TRY(tx_query(tx, SQL_FEDERATION_DOMAIN_REMOVE, &params, &rows, NULL));
    *ret_removed = rows.count > 0;
    return store_federation_changed(tx, federation);
}
