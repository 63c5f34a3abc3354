/* SPDX-License-Identifier: Apache-2.0 */
#include "family/access/user_certificates.h"

#include "api/api.h"
#include "api/list.h"
#include "api/request_event.h"
#include "base/crypto/certificate.h"
#include "base/date.h"
#include "base/json.h"
#include "store/access/access.h"
#include "store/access/user_certificate.h"
#include "store/resource.h"
#include "store/tenant/project.h"

enum { DAY_S = 24 * 3600, DAYS_OF_MONTH = 30, AUTHORITY_YEARS = 10 };
#define AUTHORITY_KEY_PURPOSE "project authority"

static const struct field certificate_fields[] = {
    INTEGER("monthsUntilExpiration", "How many months of 30 days it is valid.", WRITE_ONLY, .min = 1, .max = 24,
            .fallback = "3", .example = "3"),
    TEXT("serialNumber", "Its number, in hexadecimal digits.", READ_ONLY | ALWAYS),
    TEXT("subject", "Name of the database user that it is for.", READ_ONLY | ALWAYS),
    ID("groupId", "Project of the user.", READ_ONLY | ALWAYS),
    DATE("createdAt", "When it was issued.", READ_ONLY | ALWAYS),
    DATE("notAfter", "When it expires.", READ_ONLY | ALWAYS),
    TEXT("certificate", "The certificate, in PEM. It is only in the answer that creates it.", READ_ONLY),
    TEXT("privateKey", "Its private key, in PEM. It is only in the answer that creates it.", READ_ONLY),
    END_OF_FIELDS,
};
const struct schema user_certificate_schema = { "DatabaseUserCertificate", "A certificate of a database user.",
                                                certificate_fields };

/* ---- The project's authority ---- */
static str
place_of_key(struct arena *arena, id authority)
{
    return str_format(arena, "authority/%s/key", id_text(arena, authority).data);
}

/* Members must know an authority before it is of use, so making one is a change of access. */
static error
make_authority(struct request *req, struct authority_row *ret_row, str *ret_key)
{
    str project = id_text(req->arena, req->project);
    struct certificate_subject subject = {
        .common_name = str_format(req->arena, "Users of project %.*s", STR_ARG(project)),
        .organization = STR("reeve-project"),
        .lifetime_s = (int64_t)AUTHORITY_YEARS * 365 * DAY_S,
    };
    struct key key = auth_key_for(req->api->auth, AUTHORITY_KEY_PURPOSE);
    struct certificate made;
    int64_t generation;
    ret_row->id = id_new(store_cell(req->api->store));
    if (!certificate_key_new(req->arena, ret_key) ||
        !certificate_authority_new(req->arena, *ret_key, &subject, &made) ||
        !crypto_seal(req->arena, &key, place_of_key(req->arena, ret_row->id), *ret_key, &ret_row->sealed_key))
        return fail(req->arena, INTERNAL_ERROR);
    ret_row->certificate = made.pem;
    TRY(store_project_authority_add(req->tx, req->organization, req->project, ret_row, made.not_after_ms));
    return store_access_touch(req->tx, req->project, &generation);
}

static error
open_authority(struct request *req, struct authority_row *ret_row, str *ret_key)
{
    struct key key = auth_key_for(req->api->auth, AUTHORITY_KEY_PURPOSE);
    TRY(store_project_authority(req->tx, req->project, ret_row));
    if (ret_row->certificate.len == 0)
        return make_authority(req, ret_row, ret_key);
    if (!crypto_open(req->arena, &key, place_of_key(req->arena, ret_row->id), ret_row->sealed_key, ret_key))
        return fail(req->arena, INTERNAL_ERROR);
    return OK;
}

/* ---- Certificates ---- */
static error
sign(struct request *req, const struct authority_row *authority, str authority_key, str user,
     struct certificate *ret_made, str *ret_key)
{
    int64_t months = json_integer_value(json_object_get(req->body, "monthsUntilExpiration"));
    struct certificate_subject subject = {
        .common_name = str_slice(user, strlen("CN="), user.len),
        .lifetime_s = months * DAYS_OF_MONTH * DAY_S,
    };
    str request;
    if (!certificate_key_new(req->arena, ret_key) ||
        !certificate_request_new(req->arena, *ret_key, subject.common_name, &request) ||
        !certificate_sign(req->arena, authority->certificate, authority_key, request, &subject, ret_made))
        return fail(req->arena, INTERNAL_ERROR);
    struct certificate_row row = {
        .serial = str_from(ret_made->serial),
        .authority = authority->id,
        .kind = STR("USER"),
        .owner = user_certificate_owner(req->arena, req->project, user),
        .not_after_ms = ret_made->not_after_ms,
    };
    return store_certificate_add(req->tx, &row);
}

static error
check_is_managed(struct request *req, str user)
{
    struct resource found_user;
    bool found;
    TRY(store_resource_lock(req->tx, req->project, STR("databaseUser"), user, &found, &found_user));
    if (!found)
        return request_not_found(req);
    const json_t *document = json_parse_own(req->arena, found_user.document);
    if (!str_is(json_str(json_object_get(document, "x509Type")), "MANAGED"))
        return fail(req->arena, CERTIFICATES_NOT_MANAGED, V(user));
    return OK;
}

error
user_certificate_create(struct request *req)
{
    struct project project;
    struct authority_row authority;
    struct certificate made;
    str user = request_path_value(req, "username"), authority_key, key;
    TRY(store_project_lock(req->tx, req->organization, req->project, &project));
    TRY(check_is_managed(req, user));
    TRY(open_authority(req, &authority, &authority_key));
    TRY(sign(req, &authority, authority_key, user, &made, &key));
    json_t *shown = json_in(
        req->arena, json_pack("{s:s, s:s%, s:s, s:s, s:s}", "serialNumber", made.serial, "subject", user.data, user.len,
                              "groupId", id_text(req->arena, req->project).data, "createdAt", date_now(req->arena).data,
                              "notAfter", date_text(req->arena, made.not_after_ms).data));
    if (shown == NULL)
        return fail(req->arena, OVERLOADED);
    TRY(request_event(req, EVENT_USER_CERTIFICATE_CREATED, NULL, json_in(req->arena, json_copy(shown))));
    json_object_set_new(shown, "certificate", json_stringn(made.pem.data, made.pem.len));
    json_object_set_new(shown, "privateKey", json_stringn(key.data, key.len));
    answer_entity(req, json_text(req->arena, shown), 0);
    return OK;
}

static error
bind_list(struct request *req, struct params *params)
{
    str user = request_path_value(req, "username");
    params_id(params, P_PROJECT, req->project);
    params_text(params, P_OWNER, user_certificate_owner(req->arena, req->project, user));
    list_bind(req, params);
    params_text(params, P_USERNAME, user);
    return OK;
}

const struct read user_certificate_list = { SQL_USER_CERTIFICATE_LIST, bind_list, list_answer_below };

error
user_certificates_check_new(struct request *req, str user)
{
    str until;
    TRY(store_user_certificates_until(req->tx, req->project, user, &until));
    return until.len == 0 ? OK : fail(req->arena, CERTIFICATES_STILL_VALID, V(user), V(until));
}
