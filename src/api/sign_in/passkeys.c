/* SPDX-License-Identifier: Apache-2.0 */
/* The passkeys of whoever is signed in: which there are, one more, another name, and one less. The last thing to sign in with stays. */
#include "api/api.h"
#include "api/sign_in/parts.h"
#include "api/sign_in/sign_in.h"
#include "api/validate.h"
#include "base/json.h"
#include "store/session/person_credential.h"

static const struct field add_fields[] = { NEW_PASSKEY_FIELDS, END_OF_FIELDS };
static const struct schema add_schema = { "AddPasskey", "A further passkey.", add_fields };
static const struct field rename_fields[] = {
    ID("passkeyId", "Identifier of the passkey.", REQUIRED),
    PASSKEY_NAME_FIELD(REQUIRED),
    END_OF_FIELDS,
};
static const struct schema rename_schema = { "RenamePasskey", "Another name of a passkey.", rename_fields };
static const struct field remove_fields[] = { ID("passkeyId", "Identifier of the passkey.", REQUIRED), END_OF_FIELDS };
static const struct schema remove_schema = { "RemovePasskey", "Which passkey goes.", remove_fields };

error
passkeys_list(struct request *req)
{
    str list, changed;
    TRY(sign_in_session(req));
    TRY(sign_in_check_own(req));
    TRY(store_passkey_list(req->api->store, req->arena, req->caller->id, &list, &changed));
    json_t *answer = json_pack("{s:O, s:b, s:b}", "results", json_parse_own(req->arena, list), "passkeys",
                               sign_in_rp_id(req).len > 0, "passwords", req->api->takes_passwords);
    if (answer != NULL && changed.len > 0)
        (void)!json_object_set_new(answer, "passwordChangedAt", json_stringn(changed.data, changed.len));
    return sign_in_answer(req, answer);
}

error
passkeys_begin(struct request *req)
{
    json_t *document;
    TRY(sign_in_confirmed_session(req));
    TRY(sign_in_check_own(req));
    if (sign_in_rp_id(req).len == 0)
        return passkey_refuse(req, "base_url has no name that a passkey could be for");
    TRY(sign_in_ask_for_key(req, req->caller->id, req->caller->name, &document));
    return sign_in_answer(req, document);
}

static error
note(struct request *req, enum event_type type, str name)
{
    return sign_in_note(req, type, req->caller->id, req->caller->name, ID_NONE,
                        json_pack("{s:s%}", "passkeyName", name.data, name.len));
}

error
passkeys_add(struct request *req)
{
    struct new_passkey key = { 0 };
    TRY(sign_in_confirmed_session(req));
    TRY(sign_in_check_own(req));
    TRY(request_read_body(req, &add_schema));
    TRY(sign_in_check_new_key(req, &key));
    TRY(tx_begin_service(req->api->store, req->arena, &req->tx));
    TRY(sign_in_add_key(req, req->caller->id, &key));
    TRY(note(req, EVENT_USER_PASSKEY_ADDED, key.name));
    TRY(tx_commit(req->tx));
    sign_in_answer_nothing(req);
    return OK;
}

static error
read_passkey(struct request *req, const struct schema *schema, id *ret_passkey)
{
    TRY(request_read_body(req, schema));
    return id_parse(json_text_at(req->body, "passkeyId"), ret_passkey) ? OK : request_not_found(req);
}

error
passkeys_rename(struct request *req)
{
    bool found;
    id passkey;
    TRY(sign_in_session(req));
    TRY(sign_in_check_own(req));
    TRY(read_passkey(req, &rename_schema, &passkey));
    TRY(tx_begin_service(req->api->store, req->arena, &req->tx));
    TRY(store_passkey_rename(req->tx, req->caller->id, passkey, json_text_at(req->body, "name"), &found));
    if (!found)
        return fail(req->arena, RESOURCE_NOT_FOUND, V(id_text(req->arena, passkey)));
    TRY(tx_commit(req->tx));
    sign_in_answer_nothing(req);
    return OK;
}

error
passkeys_remove(struct request *req)
{
    enum passkey_removal outcome;
    str name;
    id passkey;
    TRY(sign_in_confirmed_session(req));
    TRY(sign_in_check_own(req));
    TRY(read_passkey(req, &remove_schema, &passkey));
    TRY(tx_begin_service(req->api->store, req->arena, &req->tx));
    TRY(store_passkey_remove(req->tx, req->caller->id, passkey, req->api->takes_passwords, &outcome, &name));
    if (outcome != PASSKEY_REMOVED)
        return outcome == PASSKEY_IS_LAST ? fail(req->arena, LAST_WAY_IN)
                                          : fail(req->arena, RESOURCE_NOT_FOUND, V(id_text(req->arena, passkey)));
    TRY(note(req, EVENT_USER_PASSKEY_REMOVED, name));
    TRY(tx_commit(req->tx));
    sign_in_answer_nothing(req);
    return OK;
}
