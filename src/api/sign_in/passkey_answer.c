/* SPDX-License-Identifier: Apache-2.0 */
#include "api/sign_in/passkey_answer.h"

#include "base/clock.h"
#include "base/json.h"
#include "store/session/session.h"

/* ---- What is sent ---- */
static const struct field registration_fields[] = {
    BYTES_FIELD("challenge", "The challenge that was answered.", PASSKEY_CHALLENGE_BYTES),
    BYTES_FIELD("clientData", "clientDataJSON of the browser's answer.", PASSKEY_MAX_CLIENT_DATA_BYTES),
    BYTES_FIELD("authenticatorData", "authenticatorData of the browser's answer.", PASSKEY_MAX_AUTHENTICATOR_BYTES),
    END_OF_FIELDS,
};
const struct schema passkey_registration_schema = { "PasskeyRegistration", "A browser's answer when it made a passkey.",
                                                    registration_fields };
static const struct field assertion_fields[] = {
    BYTES_FIELD("challenge", "The challenge that was answered.", PASSKEY_CHALLENGE_BYTES),
    BYTES_FIELD("credentialId", "Which passkey answered it: rawId.", PASSKEY_MAX_CREDENTIAL_BYTES),
    BYTES_FIELD("clientData", "clientDataJSON of the browser's answer.", PASSKEY_MAX_CLIENT_DATA_BYTES),
    BYTES_FIELD("authenticatorData", "authenticatorData of the browser's answer.", PASSKEY_MAX_AUTHENTICATOR_BYTES),
    BYTES_FIELD("signature", "The signature of the browser's answer.", PASSKEY_MAX_SIGNATURE_BYTES),
    END_OF_FIELDS,
};
const struct schema passkey_assertion_schema = { "PasskeyAssertion", "A browser's answer to a challenge.",
                                                 assertion_fields };

#define TOKEN_FIELD TEXT("token", "The token for the first passkey.", REQUIRED, .min = 1, .max = 100)
static const struct field token_fields[] = { TOKEN_FIELD, END_OF_FIELDS };
const struct schema passkey_token_schema = { "EnrolmentToken", "Who adds their first passkey.", token_fields };
static const struct field enrol_fields[] = { TOKEN_FIELD, NEW_PASSKEY_FIELDS, END_OF_FIELDS };
const struct schema passkey_enrol_schema = { "EnrolPasskey", "A first passkey.", enrol_fields };

static const struct field session_fields[] = {
    ID("sessionId", "Identifier of the session to end.", REQUIRED),
    END_OF_FIELDS,
};
const struct schema passkey_session_schema = { "EndSession", "Which session ends.", session_fields };

error
passkey_refuse(struct request *req, const char *why)
{
    return fail(req->arena, SIGN_IN_REFUSED, V(why));
}

error
passkey_read_bytes(struct request *req, const json_t *object, const char *name, str *ret_bytes)
{
    str text = json_text_at(object, name);
    size_t count = text.len * 3 / 4;
    char *bytes = ARENA_ARRAY(req->arena, char, count + 1);
    if (bytes == NULL)
        return fail(req->arena, OVERLOADED);
    if (!str_from_base64url(text, bytes, count))
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V(name), V("it is not base64url"));
    *ret_bytes = (str){ bytes, count };
    return OK;
}

/* ---- Challenges ---- */
str
passkey_rp_name(struct request *req, const struct passkey_place *place)
{
    static const size_t scheme = sizeof("https://") - 1;
    str host = str_slice(place->origin, place->origin.len < scheme ? place->origin.len : scheme, place->origin.len);
    host = str_cut(&host, ':');
    bool has_letter = false;
    for (size_t i = 0; i < host.len; i++)
        has_letter |= host.data[i] >= 'a' && host.data[i] <= 'z';
    return has_letter ? str_dup(req->arena, host) : STR_EMPTY;
}

error
passkey_rp_id(struct request *req, const struct passkey_place *place, str *ret_name)
{
    *ret_name = passkey_rp_name(req, place);
    if (ret_name->len > 0)
        return OK;
    return passkey_refuse(req,
                          str_format(req->arena, "%s has no name that a passkey could be for", place->setting).data);
}

str
passkey_challenge(struct request *req, const struct passkey_place *place, enum challenge_use use)
{
    uint8_t challenge[PASSKEY_CHALLENGE_BYTES];
    challenge_new(&place->key, use, clock_now_ms() / 1000, challenge);
    return str_base64url(req->arena, challenge, sizeof(challenge));
}

error
passkey_read_question(struct request *req, const struct passkey_place *place, const json_t *answer,
                      enum challenge_use use, struct passkey_question *ret_question)
{
    str bytes;
    TRY(passkey_read_bytes(req, answer, "challenge", &bytes));
    if (bytes.len != PASSKEY_CHALLENGE_BYTES)
        return passkey_refuse(req, "the challenge is not one of this service's");
    struct passkey_question question = { .origin = place->origin };
    memcpy(question.challenge, bytes.data, PASSKEY_CHALLENGE_BYTES);
    TRY(passkey_rp_id(req, place, &question.rp_id));
    if (!challenge_is_good(&place->key, use, clock_now_ms() / 1000, question.challenge))
        return passkey_refuse(req, "the challenge is too old, or not one of this service's");
    *ret_question = question;
    return OK;
}

error
passkey_use_question(struct request *req, const struct passkey_question *question)
{
    bool is_first;
    str challenge = { (const char *)question->challenge, PASSKEY_CHALLENGE_BYTES };
    TRY(store_challenge_use(req->tx, challenge, challenge_expires_at_s(question->challenge), &is_first));
    return is_first ? OK : passkey_refuse(req, "the challenge was answered before");
}

/* ---- Answers ---- */
error
passkey_judge(struct request *req, const struct passkey_question *question, const json_t *answer, uint32_t *ret_counter)
{
    struct passkey_answer said = { 0 };
    TRY(passkey_read_bytes(req, answer, "clientData", &said.client_data));
    TRY(passkey_read_bytes(req, answer, "authenticatorData", &said.authenticator_data));
    if (json_object_get(answer, "signature") != NULL)
        TRY(passkey_read_bytes(req, answer, "signature", &said.signature));
    const char *why = passkey_check(req->arena, question, &said, ret_counter);
    return why == NULL ? OK : passkey_refuse(req, why);
}

error
passkey_judge_new(struct request *req, const struct passkey_place *place, struct passkey_question *ret_enrol,
                  struct passkey_question *ret_sign_in, uint32_t *ret_counter)
{
    const json_t *registration = json_object_get(req->body, "registration");
    const json_t *assertion = json_object_get(req->body, "assertion");
    uint32_t counter;
    str key;
    TRY(passkey_read_question(req, place, registration, CHALLENGE_TO_ENROL, ret_enrol));
    TRY(passkey_read_question(req, place, assertion, CHALLENGE_TO_SIGN_IN, ret_sign_in));
    TRY(passkey_read_bytes(req, req->body, "publicKey", &key));
    if (!passkey_key_is_usable(key))
        return passkey_refuse(req, "the key is of a kind that is not taken here");
    ret_enrol->is_new = true;
    ret_sign_in->key = key;
    TRY(passkey_judge(req, ret_enrol, registration, &counter));
    return passkey_judge(req, ret_sign_in, assertion, ret_counter);
}
