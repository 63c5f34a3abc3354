/* SPDX-License-Identifier: Apache-2.0 */
#include "auth/saml/answer.h"

#include "base/date.h"
#include "base/json.h"

#define STATUS  "urn:oasis:names:tc:SAML:2.0:status:"
#define BEARER  "urn:oasis:names:tc:SAML:2.0:cm:bearer"
#define FORMATS "urn:oasis:names:tc:SAML:1.1:nameid-format:"
#define GROUPS  "memberOf"

struct reading {
    struct arena *arena;
    const struct saml_question *question;
    struct saml_statement *statement;
    const char **why;
};

static bool
refuse(const struct reading *reading, const char *why)
{
    *reading->why = why;
    return false;
}

static str
attribute(const struct reading *reading, const xmlNode *node, const char *name)
{
    return saml_xml_attribute(reading->arena, node, name);
}

static int64_t
now_s(const struct reading *reading)
{
    return reading->question->trust.now_ms / 1000;
}

/* False when there is one that is no date; one that is not there is left as it was. */
static bool
read_time(const struct reading *reading, const xmlNode *node, const char *name, int64_t *ret_s)
{
    int64_t ms;
    if (!saml_xml_has(node, name))
        return true;
    if (!date_parse(attribute(reading, node, name), &ms))
        return false;
    *ret_s = ms / 1000;
    return true;
}

static bool
is_over(const struct reading *reading, int64_t until_s)
{
    return now_s(reading) >= until_s + SAML_LEEWAY_S;
}

static bool
is_early(const struct reading *reading, int64_t from_s)
{
    return now_s(reading) < from_s - SAML_LEEWAY_S;
}

/* ---- The answer around the statement ---- */
/* Nothing of it is signed where only the assertion is: what is checked here ends tries early and tells what is wrong, and is checked again below where it matters. */
// clang-format off
static const struct {
    const char *status, *why;
} known_statuses[] = {
    { STATUS "InvalidNameIDPolicy", "the provider cannot name people by e-mail address; set the format of its NameID to emailAddress" },
    { STATUS "AuthnFailed",         "the provider says that it could not sign the person in" },
    { STATUS "RequestDenied",       "the provider refuses this service; check the entity ID and the address (ACS) that it has for it" },
    { STATUS "RequestUnsupported",  "the provider does not take such a request; check requestBinding" },
    { STATUS "NoAuthnContext",      "the provider cannot sign the person in as it is set up" },
    { STATUS "Requester",           "the provider does not take the request; check the entity ID, the address (ACS) and requestBinding there" },
    { STATUS "Responder",           "the provider says that something is wrong with itself; its log says what" },
};
// clang-format on

static bool
check_status(const struct reading *reading, const xmlNode *response)
{
    const xmlNode *code = saml_xml_only(saml_xml_only(response, PROTOCOL_NS, "Status"), PROTOCOL_NS, "StatusCode");
    str value = attribute(reading, code, "Value"),
        inner = attribute(reading, saml_xml_only(code, PROTOCOL_NS, "StatusCode"), "Value");
    if (str_is(value, STATUS "Success"))
        return true;
    for (size_t i = 0; i < LENGTH(known_statuses); i++) {
        if (str_is(inner, known_statuses[i].status) || str_is(value, known_statuses[i].status))
            return refuse(reading, known_statuses[i].why);
    }
    return refuse(reading, "the provider does not say that it signed the person in (Status)");
}

static bool
check_issuer(const struct reading *reading, const xmlNode *parent)
{
    str issuer;
    if (!saml_xml_text(reading->arena, saml_xml_only(parent, SAML_NS, "Issuer"), &issuer) ||
        !str_eq(issuer, reading->question->issuer))
        return refuse(reading, "the answer is another provider's; issuerUri must be its entity ID, letter by letter");
    return true;
}

static bool
check_response(const struct reading *reading, const xmlNode *response)
{
    const struct saml_question *question = reading->question;
    size_t issuers;
    if (!saml_xml_is(response, PROTOCOL_NS, "Response") || !str_is(attribute(reading, response, "Version"), "2.0"))
        return refuse(reading, "what the browser brought is no Response of SAML 2.0");
    if (!check_status(reading, response))
        return false;
    if (!str_eq(attribute(reading, response, "Destination"), question->acs))
        return refuse(reading, "the answer is for another address; the provider must send it to acsUrl (Destination)");
    if (!str_eq(attribute(reading, response, "InResponseTo"), question->request_id))
        return refuse(
            reading,
            "the answer is to another browser's question, to an older one, or to none; begin here, not at the provider");
    saml_xml_child(response, SAML_NS, "Issuer", &issuers);
    return issuers == 0 || check_issuer(reading, response);
}

/* One in the whole document, at its place: nothing else could be taken for it. */
static const xmlNode *
find_assertion(const struct reading *reading, const xmlNode *response)
{
    size_t there, found = 0, encrypted;
    const xmlNode *assertion = saml_xml_child(response, SAML_NS, "Assertion", &there);
    saml_xml_child(response, SAML_NS, "EncryptedAssertion", &encrypted);
    for (const xmlNode *at = response; at != NULL; at = saml_xml_walk(at))
        found += saml_xml_is(at, SAML_NS, "Assertion");
    *reading->why =
        encrypted > 0
            ? "the assertion is encrypted, which is not supported; switch the encryption of assertions off at the provider"
            : "the answer must have exactly one assertion";
    return there == 1 && found == 1 && encrypted == 0 ? assertion : NULL;
}

/* ---- What was signed ---- */
static bool
check_conditions(const struct reading *reading, const xmlNode *assertion)
{
    const xmlNode *conditions = saml_xml_only(assertion, SAML_NS, "Conditions");
    int64_t from_s = INT64_MIN / 2, until_s = INT64_MAX / 2;
    bool is_for_us = false;
    if (conditions == NULL)
        return refuse(reading, "the assertion does not say for whom it is (Conditions)");
    if (!read_time(reading, conditions, "NotBefore", &from_s) ||
        !read_time(reading, conditions, "NotOnOrAfter", &until_s))
        return refuse(reading, "the assertion has a date that cannot be read");
    if (is_early(reading, from_s))
        return refuse(reading, "the assertion does not hold yet; check the provider's clock");
    if (is_over(reading, until_s))
        return refuse(reading, "the assertion does not hold any more; check the provider's clock, and sign in again");
    for (const xmlNode *one = conditions->children; one != NULL; one = one->next) {
        if (one->type != XML_ELEMENT_NODE || saml_xml_is(one, SAML_NS, "OneTimeUse") ||
            saml_xml_is(one, SAML_NS, "ProxyRestriction"))
            continue;
        if (!saml_xml_is(one, SAML_NS, "AudienceRestriction"))
            return refuse(reading, "the assertion has a condition that is not known here");
        bool is_named = false;
        for (const xmlNode *audience = one->children; audience != NULL; audience = audience->next) {
            str name;
            is_named |= saml_xml_is(audience, SAML_NS, "Audience") && saml_xml_text(reading->arena, audience, &name) &&
                        str_eq(name, reading->question->audience);
        }
        if (!is_named)
            return refuse(
                reading,
                "the assertion is meant for another service; the provider must have audienceUri as the entity ID of this one");
        is_for_us = true;
    }
    return is_for_us || refuse(reading, "the assertion does not say for whom it is (AudienceRestriction)");
}

/* Whoever brings it is the person: it was made for this question and this address, and a moment ago. */
static bool
check_bearer(const struct reading *reading, const xmlNode *confirmation)
{
    const struct saml_question *question = reading->question;
    const xmlNode *data = saml_xml_only(confirmation, SAML_NS, "SubjectConfirmationData");
    int64_t until_s = INT64_MIN / 2;
    if (data == NULL || !read_time(reading, data, "NotOnOrAfter", &until_s) || !saml_xml_has(data, "NotOnOrAfter") ||
        saml_xml_has(data, "NotBefore"))
        return refuse(reading, "the assertion does not say until when it may be brought (SubjectConfirmationData)");
    if (!str_eq(attribute(reading, data, "Recipient"), question->acs))
        return refuse(reading, "the assertion is for another address; the provider must send it to acsUrl (Recipient)");
    if (!str_eq(attribute(reading, data, "InResponseTo"), question->request_id))
        return refuse(
            reading,
            "the assertion is to another browser's question, to an older one, or to none; begin here, not at the provider");
    if (is_over(reading, until_s))
        return refuse(reading, "the assertion was brought too late; check the provider's clock, and sign in again");
    return true;
}

static bool
is_address(str text)
{
    int ats = 0;
    for (size_t i = 0; i < text.len; i++) {
        ats += text.data[i] == '@';
        if (text.data[i] == ' ')
            return false;
    }
    return ats == 1 && text.len <= 254 && text.data[0] != '@' && text.data[text.len - 1] != '@' &&
           str_is_one_line(text);
}

static bool
check_subject(const struct reading *reading, const xmlNode *assertion)
{
    static const char *const formats[] = { "", FORMATS "emailAddress", FORMATS "unspecified", NULL };
    const xmlNode *subject = saml_xml_only(assertion, SAML_NS, "Subject");
    const xmlNode *name = saml_xml_only(subject, SAML_NS, "NameID");
    size_t encrypted, count;
    str address;
    saml_xml_child(subject, SAML_NS, "EncryptedID", &encrypted);
    if (encrypted > 0)
        return refuse(
            reading,
            "the name is encrypted, which is not supported; switch the encryption of names off at the provider");
    if (name == NULL || !saml_xml_text(reading->arena, name, &address))
        return refuse(reading, "the assertion does not name a person (NameID)");
    if (str_word(attribute(reading, name, "Format"), formats) < 0 || !is_address(address))
        return refuse(reading, "the NameID is no e-mail address; set its format to emailAddress at the provider");
    const xmlNode *one = saml_xml_child(subject, SAML_NS, "SubjectConfirmation", &count);
    *reading->why = "the assertion does not say that its bearer is the person (SubjectConfirmation)";
    for (; one != NULL; one = saml_xml_next(one)) {
        if (!str_is(attribute(reading, one, "Method"), BEARER))
            continue;
        if (check_bearer(reading, one)) {
            reading->statement->address = address;
            return true;
        }
    }
    return false;
}

static bool
check_times(const struct reading *reading, const xmlNode *assertion)
{
    struct saml_statement *statement = reading->statement;
    int64_t over_s = INT64_MAX / 2;
    size_t count;
    const xmlNode *one = saml_xml_child(assertion, SAML_NS, "AuthnStatement", &count);
    if (count == 0)
        return refuse(reading, "the assertion does not say when the person signed in (AuthnStatement)");
    if (!saml_xml_has(assertion, "IssueInstant") || !saml_xml_has(one, "AuthnInstant") ||
        !read_time(reading, assertion, "IssueInstant", &statement->issued_s) ||
        !read_time(reading, one, "AuthnInstant", &statement->authenticated_at_s) ||
        !read_time(reading, one, "SessionNotOnOrAfter", &over_s))
        return refuse(reading, "the assertion has a date that cannot be read");
    if (is_early(reading, statement->issued_s) || is_early(reading, statement->authenticated_at_s))
        return refuse(reading, "the assertion comes from the future; check the provider's clock");
    if (statement->issued_s < reading->question->asked_at_s - SAML_LEEWAY_S)
        return refuse(reading, "the assertion is older than the question; check the provider's clock");
    if (is_over(reading, over_s))
        return refuse(reading, "the person's session at the provider is over; sign in again");
    return true;
}

/* More than that is left out, as with tokens. */
static bool
read_groups(const struct reading *reading, const xmlNode *assertion)
{
    json_t *groups = reading->statement->groups;
    size_t count;
    const xmlNode *statement = saml_xml_child(assertion, SAML_NS, "AttributeStatement", &count);
    for (; statement != NULL; statement = saml_xml_next(statement)) {
        const xmlNode *one = saml_xml_child(statement, SAML_NS, "Attribute", &count);
        for (; one != NULL; one = saml_xml_next(one)) {
            if (!str_is(attribute(reading, one, "Name"), GROUPS))
                continue;
            const xmlNode *value = saml_xml_child(one, SAML_NS, "AttributeValue", &count);
            for (; value != NULL; value = saml_xml_next(value)) {
                str text;
                if (!saml_xml_text(reading->arena, value, &text))
                    return refuse(reading, "the attribute memberOf is not a list of texts");
                if (text.len <= SAML_GROUP_BYTES_MAX && json_array_size(groups) < SAML_GROUPS_MAX)
                    json_array_append_new(groups, json_stringn(text.data, text.len));
            }
        }
    }
    return true;
}

bool
saml_assertion_read(struct arena *arena, str bytes, const struct saml_question *question,
                    struct saml_statement *ret_statement, const char **ret_why)
{
    struct saml_statement statement = { .groups = json_in(arena, json_array()) };
    const struct reading reading = { arena, question, &statement, ret_why };
    const xmlDoc *document;
    if (!saml_xml_read(arena, bytes, &document, ret_why))
        return false;
    const xmlNode *assertion = saml_xml_root(document);
    if (!saml_xml_is(assertion, SAML_NS, "Assertion") || !str_is(attribute(&reading, assertion, "Version"), "2.0"))
        return refuse(&reading, "what was signed is no assertion of SAML 2.0");
    if (!check_issuer(&reading, assertion) || !check_conditions(&reading, assertion) ||
        !check_subject(&reading, assertion) || !check_times(&reading, assertion) || !read_groups(&reading, assertion))
        return false;
    if (statement.groups == NULL || arena_is_exhausted(arena))
        return refuse(&reading, "the answer cannot be read");
    *ret_statement = statement;
    *ret_why = NULL;
    return true;
}

bool
saml_answer_read(struct arena *arena, str xml, const struct saml_question *question,
                 struct saml_statement *ret_statement, const char **ret_why)
{
    const struct reading reading = { arena, question, NULL, ret_why };
    const xmlDoc *document;
    size_t signatures;
    str bytes;
    if (xml.len > SAML_XML_MAX_BYTES)
        return refuse(&reading, "the answer is longer than 48 KiB; have the provider send fewer attributes or groups");
    if (!saml_xml_read(arena, xml, &document, ret_why))
        return false;
    const xmlNode *response = saml_xml_root(document);
    if (!check_response(&reading, response))
        return false;
    const xmlNode *assertion = find_assertion(&reading, response);
    if (assertion == NULL)
        return false;
    /* The answer may be signed, too, and then rightly. It does not stand in for the assertion's signature. */
    saml_xml_child(response, DSIG_NS, "Signature", &signatures);
    if (signatures > 0 && !saml_signed_bytes(arena, response, "the answer", &question->trust, &bytes, ret_why))
        return false;
    /* From here on there is only what was signed. */
    return saml_signed_bytes(arena, assertion, "the assertion", &question->trust, &bytes, ret_why) &&
           saml_assertion_read(arena, bytes, question, ret_statement, ret_why);
}
