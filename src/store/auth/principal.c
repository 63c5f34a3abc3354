/* SPDX-License-Identifier: Apache-2.0 */
#include "store/auth/principal.h"

error
authority_changed(struct tx *tx, const char *what, id whose)
{
    char digits[ID_DIGITS + 1];
    id_write(whose, digits);
    bool is_of_one = strcmp(what, "keys") != 0 && strcmp(what, "all") != 0;
    return tx_notify(tx, AUTHORITY_CHANNEL,
                     is_of_one ? str_format(tx_arena(tx), "%s:%s", what, digits) : str_from(what));
}

/* For statements that take something away. */
static error
remove_row(struct tx *tx, enum sql statement, const struct params *params, bool *ret_removed)
{
    struct rows rows;
    TRY(tx_query(tx, statement, params, &rows, NULL));
    if (ret_removed != NULL)
        *ret_removed = rows.count > 0;
    return OK;
}

error
add_role_grant(struct tx *tx, id principal, id organization, id project, str role)
{
    struct params params = { 0 };
    struct rows rows;
    struct violation violation;
    params_id(&params, P_ORGANIZATION, organization);
    params_id(&params, P_PRINCIPAL, principal);
    params_id_or_null(&params, P_PROJECT, project);
    params_text(&params, P_ROLE, role);
    TRY(tx_query(tx, SQL_PRINCIPAL_ROLE_GRANT_ADD, &params, &rows, &violation));
    if (violation.kind == VIOLATION_FOREIGN_KEY)
        return fail(tx_arena(tx), RESOURCE_NOT_FOUND, V(id_text(tx_arena(tx), principal)));
    if (violation.kind != VIOLATION_NONE)
        return fail(tx_arena(tx), INTERNAL_ERROR);
    if (rows.count == 0)
        return fail(tx_arena(tx), RESOURCE_NOT_FOUND, V(id_text(tx_arena(tx), project)));
    return authority_changed(tx, "principal", principal);
}

error
remove_role_grant(struct tx *tx, id principal, id organization, id project, str role, bool *ret_removed)
{
    struct params params = { 0 };
    params_id(&params, P_ORGANIZATION, organization);
    params_id(&params, P_PRINCIPAL, principal);
    params_id_or_null(&params, P_PROJECT, project);
    params_text(&params, P_ROLE, role);
    TRY(remove_row(tx, SQL_PRINCIPAL_ROLE_GRANT_REMOVE, &params, ret_removed));
    return authority_changed(tx, "principal", principal);
}

error
add_access_list_entry(struct tx *tx, id principal, id organization, str block, str comment)
{
    struct params params = { 0 };
    struct rows rows;
    struct violation violation;
    params_id(&params, P_ORGANIZATION, organization);
    params_id(&params, P_PRINCIPAL, principal);
    params_text(&params, P_BLOCK, block);
    params_text(&params, P_COMMENT, comment);
    TRY(tx_query(tx, SQL_PRINCIPAL_ACCESS_LIST_ADD, &params, &rows, &violation));
    if (violation.kind != VIOLATION_NONE && violation.kind != VIOLATION_FOREIGN_KEY)
        return fail(tx_arena(tx), INTERNAL_ERROR);
    if (rows.count == 0)
        return fail(tx_arena(tx), RESOURCE_NOT_FOUND, V(id_text(tx_arena(tx), principal)));
    return authority_changed(tx, "principal", principal);
}

error
remove_access_list_entry(struct tx *tx, id principal, id organization, str block, bool *ret_removed)
{
    struct params params = { 0 };
    params_id(&params, P_ORGANIZATION, organization);
    params_id(&params, P_PRINCIPAL, principal);
    params_text(&params, P_BLOCK, block);
    TRY(remove_row(tx, SQL_PRINCIPAL_ACCESS_LIST_REMOVE, &params, ret_removed));
    return authority_changed(tx, "principal", principal);
}

error
create_person(struct tx *tx, str username, str first_name, str last_name, id *ret_person)
{
    struct params params = { 0 };
    struct rows rows;
    struct violation violation;
    id person = id_new(store_cell(tx_store(tx)));
    params_id(&params, P_PERSON, person);
    params_text(&params, P_USERNAME, username);
    params_text(&params, P_FIRST_NAME, first_name);
    params_text(&params, P_LAST_NAME, last_name);
    TRY(tx_query(tx, SQL_PRINCIPAL_PERSON_CREATE, &params, &rows, &violation));
    if (violation.kind == VIOLATION_UNIQUE)
        return fail(tx_arena(tx), DUPLICATE_NAME, V("username"), V(username));
    if (violation.kind != VIOLATION_NONE)
        return fail(tx_arena(tx), INTERNAL_ERROR);
    TRY(authority_changed(tx, "principal", person));
    *ret_person = person;
    return OK;
}

error
delete_principal(struct tx *tx, id principal, id organization, bool *ret_deleted)
{
    struct params params = { 0 };
    params_id(&params, P_ORGANIZATION, organization);
    params_id(&params, P_PRINCIPAL, principal);
    TRY(remove_row(tx, SQL_PRINCIPAL_DELETE, &params, ret_deleted));
    return authority_changed(tx, "principal", principal);
}

error
revoke_tokens(struct tx *tx, id principal)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PRINCIPAL, principal);
    TRY(tx_query(tx, SQL_PRINCIPAL_GENERATION_BUMP, &params, &rows, NULL));
    /* Row-level security hides the principals of others: a revocation that does nothing must not look like one. */
    if (rows.count == 0)
        return fail(tx_arena(tx), RESOURCE_NOT_FOUND, V(id_text(tx_arena(tx), principal)));
    return authority_changed(tx, "principal", principal);
}

error
set_limit_override(struct tx *tx, const char *what, id owner, str set, int64_t capacity, int64_t refill)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_OWNER, owner);
    params_text(&params, P_SET, set);
    params_int(&params, P_CAPACITY, capacity);
    params_int(&params, P_REFILL, refill);
    TRY(tx_query(tx, SQL_PRINCIPAL_LIMIT_OVERRIDE_SET, &params, &rows, NULL));
    return authority_changed(tx, what, owner);
}

error
remove_limit_override(struct tx *tx, const char *what, id owner, str set, bool *ret_removed)
{
    struct params params = { 0 };
    params_id(&params, P_OWNER, owner);
    params_text(&params, P_SET, set);
    TRY(remove_row(tx, SQL_PRINCIPAL_LIMIT_OVERRIDE_REMOVE, &params, ret_removed));
    return authority_changed(tx, what, owner);
}
