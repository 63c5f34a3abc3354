/* SPDX-License-Identifier: Apache-2.0 */
/* The token with which somebody adds the first thing that they sign in with, a passkey or a password, or takes the place of what they lost. */
#include "api/api.h"
#include "api/sign_in/parts.h"
#include "api/sign_in/sign_in.h"
#include "api/validate.h"
#include "auth/person/password.h"
#include "base/json.h"
#include "store/session/person_credential.h"
#include "store/session/person_mail.h"

#define TOKEN_FIELD TEXT("token", "The token for the first passkey or password.", REQUIRED, .min = 1, .max = 100)

static const struct field token_fields[] = { TOKEN_FIELD, END_OF_FIELDS };
static const struct schema token_schema = { "EnrolmentToken", "Who adds the first thing that they sign in with.",
                                            token_fields };
static const struct field enrol_fields[] = { TOKEN_FIELD, NEW_PASSKEY_FIELDS, END_OF_FIELDS };
static const struct schema enrol_schema = { "EnrolPasskey", "A first passkey.", enrol_fields };
static const struct field password_fields[] = { TOKEN_FIELD, NEW_PASSWORD_FIELD, END_OF_FIELDS };
static const struct schema password_schema = { "EnrolPassword", "A first password.", password_fields };

/* ---- Keys ---- */
error
sign_in_ask_for_key(struct request *req, id person, str username, json_t **ret_document)
{
    struct passkey_place place = sign_in_place(req);
    str name = passkey_rp_name(req, &place);
    *ret_document =
        json_pack("{s:s%, s:b}", "username", username.data, username.len, "passwords", req->api->takes_passwords);
    if (*ret_document == NULL)
        return fail(req->arena, OVERLOADED);
    if (name.len == 0)
        return OK;
    json_t *key = json_in(req->arena, json_pack("{s:s, s:s, s:s, s:s}", "rpId", name.data, "userHandle",
                                                str_base64url(req->arena, person.bytes, ID_BYTES).data, "enrol",
                                                passkey_challenge(req, &place, CHALLENGE_TO_ENROL).data, "signIn",
                                                passkey_challenge(req, &place, CHALLENGE_TO_SIGN_IN).data));
    return key != NULL && json_object_update(*ret_document, key) == 0 ? OK : fail(req->arena, OVERLOADED);
}

error
sign_in_check_new_key(struct request *req, struct new_passkey *ret_key)
{
    struct passkey_place place = sign_in_place(req);
    TRY(passkey_judge_new(req, &place, &ret_key->enrol, &ret_key->sign_in, &ret_key->counter));
    str name = json_text_at(req->body, "name");
    ret_key->name = name.len > 0 ? name : STR("Passkey");
    return passkey_read_bytes(req, json_object_get(req->body, "assertion"), "credentialId", &ret_key->credential);
}

error
sign_in_add_key(struct request *req, id person, const struct new_passkey *key)
{
    TRY(passkey_use_question(req, &key->enrol));
    TRY(passkey_use_question(req, &key->sign_in));
    return store_passkey_add(req->tx, person, key->credential, key->sign_in.key, key->counter, key->name);
}

/* ---- Tokens ---- */
static const char not_valid[] = "the token was used, has expired, or is none";

static error
find_enrolment(struct request *req, struct enrolment *ret_enrolment)
{
    uint8_t mac[SHA256_BYTES];
    auth_enrolment_mac(req->api->auth, json_text_at(req->body, "token"), mac);
    str kept = str_dup(req->arena, (str){ (const char *)mac, sizeof(mac) });
    TRY(store_enrolment_find(req->api->store, req->arena, kept, ret_enrolment));
    return id_is_there(ret_enrolment->person) ? OK : passkey_refuse(req, not_valid);
}

/* Begins the transaction. Whoever lost what they had loses it for good, in the same one. */
static error
use_enrolment(struct request *req, struct enrolment *enrolment)
{
    bool used;
    TRY(tx_begin_service(req->api->store, req->arena, &req->tx));
    TRY(store_enrolment_use(req->tx, enrolment, &used, &enrolment->recovers));
    if (!used)
        return passkey_refuse(req, not_valid);
    if (!enrolment->recovers)
        return OK;
    TRY(store_credentials_forget(req->tx, enrolment->person));
    return store_person_mail_add(req->tx, enrolment->person, PERSON_MAIL_RECOVERED,
                                 net_address_text(req->arena, &req->in.client));
}

static error
note(struct request *req, const struct enrolment *enrolment, enum event_type added)
{
    if (enrolment->recovers)
        TRY(sign_in_note(req, EVENT_USER_RECOVERED, enrolment->person, enrolment->username, ID_NONE, NULL));
    return sign_in_note(req, added, enrolment->person, enrolment->username, ID_NONE, NULL);
}

static error
begin(struct request *req, const struct enrolment *enrolment, enum sign_in_way way)
{
    struct signed_in who = { enrolment->person, enrolment->username, way, .is_verified = true };
    return sign_in_begin(req, &who);
}

error
sign_in_enrolment(struct request *req)
{
    struct enrolment enrolment;
    json_t *document;
    TRY(request_read_body(req, &token_schema));
    TRY(find_enrolment(req, &enrolment));
    TRY(sign_in_ask_for_key(req, enrolment.person, enrolment.username, &document));
    (void)!json_object_set_new(document, "recovers", json_boolean(enrolment.recovers));
    return sign_in_answer(req, document);
}

error
sign_in_enrol(struct request *req)
{
    struct enrolment enrolment;
    struct new_passkey key = { 0 };
    TRY(request_read_body(req, &enrol_schema));
    TRY(find_enrolment(req, &enrolment));
    TRY(sign_in_check_new_key(req, &key));
    TRY(use_enrolment(req, &enrolment));
    TRY(sign_in_add_key(req, enrolment.person, &key));
    TRY(note(req, &enrolment, EVENT_USER_PASSKEY_ADDED));
    return begin(req, &enrolment, WITH_PASSKEY);
}

error
sign_in_enrol_password(struct request *req)
{
    struct enrolment enrolment;
    str hash;
    TRY(request_read_body(req, &password_schema));
    TRY(find_enrolment(req, &enrolment));
    TRY(sign_in_new_password(req, enrolment.username, &hash));
    TRY(use_enrolment(req, &enrolment));
    TRY(store_password_put(req->tx, enrolment.person, hash));
    TRY(note(req, &enrolment, EVENT_USER_PASSWORD_CHANGED));
    return begin(req, &enrolment, WITH_PASSWORD);
}
