/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signing in with a password: for addresses without a name, where browsers have no passkeys, and for devices without one. Wrong ones and unknown names
 * cost the same and are answered alike. Passwords are computed on a thread, before there is a transaction, and few at a time.
 */
#include "auth/person/password.h"

#include "api/api.h"
#include "api/sign_in/parts.h"
#include "api/sign_in/sign_in.h"
#include "api/validate.h"
#include "base/json.h"
#include "store/session/person_credential.h"

/* Longer than any that is taken, so that one that is too long is wrong, and not a hint. */
#define PASSWORD_FIELD \
    TEXT("password", "The password.", REQUIRED | WRITE_ONLY, .min = 1, .max = 2 * PASSWORD_MAX_CHARACTERS)

static const struct field sign_in_fields[] = {
    TEXT("username", "Who signs in: the address of the account.", REQUIRED, .min = 1, .max = 254),
    PASSWORD_FIELD,
    END_OF_FIELDS,
};
static const struct schema sign_in_schema = { "SignInWithPassword", "Who signs in with a password.", sign_in_fields };
static const struct field confirm_fields[] = { PASSWORD_FIELD, END_OF_FIELDS };
static const struct schema confirm_schema = { "ConfirmWithPassword", "The password once more.", confirm_fields };
static const struct field change_fields[] = { NEW_PASSWORD_FIELD, END_OF_FIELDS };
static const struct schema change_schema = { "NewPassword", "Another password.", change_fields };

static error
refuse_if_off(struct request *req)
{
    return req->api->takes_passwords ? OK : passkey_refuse(req, "passwords are switched off here");
}

static struct key
pepper_of(struct request *req)
{
    return auth_key_for(req->api->auth, PASSWORD_PEPPER_PURPOSE);
}

/* For the guard: one account is one, however its name is written. */
static str
guarded_name(struct request *req, str username)
{
    str name = str_format(req->arena, "password:%.*s", STR_ARG(username));
    for (size_t i = 0; i < name.len; i++) {
        if (name.data[i] >= 'A' && name.data[i] <= 'Z')
            ((char *)name.data)[i] |= 0x20;
    }
    return name;
}

static error
check(struct request *req, str username, struct password_row *ret_row)
{
    struct key pepper = pepper_of(req);
    str named = guarded_name(req, username);
    bool is_right = false;
    TRY(refuse_if_off(req));
    TRY(auth_check_password_guard(req->api->auth, req->arena, &req->in.client, named));
    TRY(store_password_find(req->api->store, req->arena, username, ret_row));
    error problem = password_check(req->arena, &pepper, json_text_at(req->body, "password"), ret_row->hash, &is_right);
    crypto_wipe(&pepper, sizeof(pepper));
    if (problem != OK)
        return problem;
    if (is_right) {
        limit_guard_note_success(req->api->limiter, (struct guard_try){ &req->in.client, named });
        return OK;
    }
    return auth_count_wrong_password(req->api->auth, req->arena, &req->in.client, named,
                                     passkey_refuse(req, "the user name or the password is wrong"));
}

/* Whoever has a passkey confirms with that, where there are passkeys: a password that somebody saw does not do for what is grave. */
static bool
must_use_passkey(struct request *req, const struct password_row *row)
{
    return row->has_passkey && sign_in_rp_id(req).len > 0;
}

error
sign_in_with_password(struct request *req)
{
    struct password_row row;
    TRY(request_read_body(req, &sign_in_schema));
    TRY(check(req, json_text_at(req->body, "username"), &row));
    TRY(tx_begin_service(req->api->store, req->arena, &req->tx));
    struct signed_in who = { row.person, row.username, WITH_PASSWORD, .is_verified = !must_use_passkey(req, &row) };
    return sign_in_begin(req, &who);
}

error
sign_in_confirm_with_password(struct request *req)
{
    struct password_row row;
    TRY(sign_in_session(req));
    TRY(request_read_body(req, &confirm_schema));
    TRY(check(req, req->caller->name, &row));
    if (!id_eq(row.person, req->caller->id))
        return fail(req->arena, SESSION_ENDED);
    if (must_use_passkey(req, &row))
        return passkey_refuse(req, "this account has a passkey, and confirms with that");
    TRY(tx_begin_service(req->api->store, req->arena, &req->tx));
    TRY(store_session_verified(req->tx, row.person, req->caller->session));
    TRY(sign_in_answer(req, json_pack("{s:s%}", "username", row.username.data, row.username.len)));
    return tx_commit(req->tx);
}

error
sign_in_new_password(struct request *req, str username, str *ret_hash)
{
    TRY(refuse_if_off(req));
    str password = json_text_at(req->body, "password");
    const char *why = password_problem(password, username);
    if (why != NULL)
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("password"), V(why));
    struct key pepper = pepper_of(req);
    error problem = password_make(req->arena, &pepper, password, ret_hash);
    crypto_wipe(&pepper, sizeof(pepper));
    return problem;
}

/* Whoever knew the old one is signed out with it. */
error
password_change(struct request *req)
{
    str hash;
    TRY(sign_in_confirmed_session(req));
    TRY(sign_in_check_own(req));
    TRY(request_read_body(req, &change_schema));
    TRY(sign_in_new_password(req, req->caller->name, &hash));
    TRY(tx_begin_service(req->api->store, req->arena, &req->tx));
    TRY(store_password_put(req->tx, req->caller->id, hash));
    TRY(store_session_end_others(req->tx, req->caller->id, req->caller->session));
    TRY(sign_in_note(req, EVENT_USER_PASSWORD_CHANGED, req->caller->id, req->caller->name, ID_NONE, NULL));
    TRY(tx_commit(req->tx));
    sign_in_answer_nothing(req);
    return OK;
}

error
password_remove(struct request *req)
{
    bool removed;
    TRY(sign_in_confirmed_session(req));
    TRY(sign_in_check_own(req));
    TRY(tx_begin_service(req->api->store, req->arena, &req->tx));
    TRY(store_password_remove(req->tx, req->caller->id, &removed));
    if (!removed)
        return fail(req->arena, LAST_WAY_IN);
    TRY(store_session_end_others(req->tx, req->caller->id, req->caller->session));
    TRY(sign_in_note(req, EVENT_USER_PASSWORD_REMOVED, req->caller->id, req->caller->name, ID_NONE, NULL));
    TRY(tx_commit(req->tx));
    sign_in_answer_nothing(req);
    return OK;
}
