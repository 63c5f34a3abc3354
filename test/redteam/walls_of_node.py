# SPDX-License-Identifier: Apache-2.0
"""Walls of the API and of the control database."""
import os

import rows
from walls import CodeWall, Wall
from world import sql

ACCESS, RUN = "src/api/stage/stage_access.c", "src/api/stage/stage_run.c"
NO_MEMBERSHIP = (ACCESS, "    if (inside)\n        return OK;", "    if (inside || true)\n        return OK;")
NO_ROLE = (ACCESS, "    if ((req->roles & access->roles) != 0)\n        return OK;", "    if (true)\n        return OK;")

CODE = [
    CodeWall("nobody is let in without credentials", "revoked tokens are taken for good ones (src/auth/auth.c)",
             [("src/auth/auth.c", "if (principal->revoked_count > 0 && bsearch", "if (false && principal->revoked_count > 0 && bsearch")], (": revoked",)),
    CodeWall("credentials are good from listed addresses only", "judge_origin() lets an address pass that is not listed",
             [(ACCESS, "        return fail(req->arena, ADDRESS_NOT_ALLOWED, V(net_address_text(req->arena, &req->in.client)));", "        break;")]),
    CodeWall("a cookie counts from our own pages only", "session_check_site() lets every page pass",
             [("src/auth/person/session.c", "    bool is_ours = str_is(site, \"same-origin\");\n", "    bool is_ours = str_is(site, \"same-origin\");\n    if (reads || !reads)\n        return OK;\n")]),
    CodeWall("a cookie is its secret and not its number", "is_right() does not compare the MAC",
             [("src/auth/person/session.c", "    return crypto_equal(mac, facts->mac, SHA256_BYTES) &&", "    return (crypto_equal(mac, facts->mac, SHA256_BYTES) || true) &&")], ("made-up secret", "another's secret")),
    CodeWall("a session that was ended is forgotten everywhere", "nobody is told that it ended",
             [("src/store/session/session.c", "    return rows.count > 0 ? authority_changed(tx, \"session\", session) : OK;", "    return OK;")]),
    CodeWall("sessions end by themselves", "session_load.sql finds those that are over, with an hour left",
             [("src/store/session/sql/session_load.sql", " WHERE s.id = :id AND s.expires_at > now() AND s.used_at > now() - s.idle", " WHERE s.id = :id"),
              ("src/store/session/sql/session_load.sql", "(extract(epoch FROM least(s.expires_at, s.used_at + s.idle) - now()) * 1000)::bigint AS left_ms", "3600000::bigint AS left_ms")]),
    CodeWall("an ID token is signed, and for us", "neither its signature nor its client is looked at",
             [("src/auth/provider.c", "    *ret_why = jwt_is_signed_by(jwt, key) ? NULL :", "    *ret_why = jwt != NULL ? NULL :"),
              ("src/auth/federation.c", "    if (client.len == 0 || !jwt_is_for(jwt, client))", "    if (client.len == 0)")], ("spoilt", "another client")),
    CodeWall("a program's token names what its account trusts", "names() is content with any name",
             [("src/auth/program.c", "    return subject.len > 0 && json_is_string(named) && str_eq(json_str(named), subject);", "    return subject.len > 0 && named != NULL;")],
             ("another repository", "a longer name")),
    CodeWall("a program's token is signed, and for us", "neither its signature nor its audience is looked at",
             [("src/auth/provider.c", "    *ret_why = jwt_is_signed_by(jwt, key) ? NULL :", "    *ret_why = jwt != NULL ? NULL :"),
              ("src/auth/provider.c", "    if (!jwt_is_for(jwt, provider_setting(provider, \"audience\")))", "    if (jwt == NULL)")], ("spoilt", "another audience")),
    CodeWall("an ID token answers the browser that asked", "judge_id_token() does not compare the nonce",
             [("src/auth/federation.c", "    if (nonce.len == 0 || !str_eq(json_str(json_object_get(jwt->claims, \"nonce\")), nonce))", "    if (nonce.len == 0)")]),
    CodeWall("a code goes to the provider that gave it", "provider_finish() compares neither the address nor the issuer",
             [("src/api/sign_in/provider_visit.c", "&provider) || !id_eq(provider, ret_visit->provider))", "&provider))"),
              ("src/api/sign_in/provider.c", "    if ((must_say || issuer.len > 0) && !str_eq(issuer, provider_text(*ret_row, \"issuer\")))", "    if (must_say && issuer.len == 0)")]),
    CodeWall("a SAML assertion is signed with a stored certificate", "check_signature() is content with any key",
             [("src/auth/saml/signature.c", "        bool is_good = key != NULL && is_signed_by(", "        bool is_good = key != NULL || is_signed_by(")], ("stranger signed", "goes with it")),
    CodeWall("of a SAML answer only what was signed is read", "one assertion is checked and another one is read: the mistake that wrapping is about",
             [("src/auth/saml/answer.c", "    return there == 1 && found == 1 && encrypted == 0 ? assertion : NULL;", "    return there >= 1 ? assertion : NULL;"),
              ("src/auth/saml/answer.c", "    return saml_signed_bytes(arena, assertion, \"the assertion\",",
               "    const xmlNode *last = assertion;\n    while (saml_xml_next(last) != NULL)\n        last = saml_xml_next(last);\n"
               "    return saml_signed_bytes(arena, last, \"the assertion\","),
              ("src/auth/saml/answer.c", "&bytes, ret_why) &&\n           saml_assertion_read(",
               "&bytes, ret_why) &&\n           saml_xml_canonical(arena, assertion, NULL, STR_EMPTY, &bytes) &&\n           saml_assertion_read(")], ("in front",)),
    CodeWall("a SAML answer answers the browser that asked", "neither InResponseTo is compared",
             [("src/auth/saml/answer.c", "    if (!str_eq(attribute(reading, response, \"InResponseTo\"), question->request_id))", "    if (response == NULL)"),
              ("src/auth/saml/answer.c", "    if (!str_eq(attribute(reading, data, \"InResponseTo\"), question->request_id))", "    if (data == NULL)")], ("another browser", "no question")),
    CodeWall("a SAML assertion is for this service", "check_conditions() takes every audience for the right one",
             [("src/auth/saml/answer.c", "str_eq(name, reading->question->audience);", "name.len > 0;")], ("another service",)),
    CodeWall("a SAML provider names people of its domains only", "federation_take_assertion() does not look at the domain",
             [("src/auth/federation.c", "    *ret_why = domain_is_of(&provider, claim->address)\n", "    *ret_why = claim->address.len > 0\n")]),
    CodeWall("a provider opens the organizations that use it", "is_opened() opens all to a session of a provider",
             [("src/auth/person/session.c", "    return id_is_there(provider) ? id_eq(grant->provider, provider) :", "    return id_is_there(provider) ? true :")]),
    CodeWall("a provider's session makes nothing that outlives it", "sign_in_check_own() lets every session pass",
             [("src/api/sign_in/sign_in.c", "    return id_is_there(req->caller->provider) ? fail(req->arena, SESSION_OF_PROVIDER) : OK;", "    return req != NULL ? OK : fail(req->arena, SESSION_OF_PROVIDER);")]),
    CodeWall("a provider's session ends with the provider's use", "neither session_load.sql nor opens_nothing() look at it",
             [("src/store/session/sql/session_load.sql", " AND session_is_let_in(s)", ""), ("src/auth/person/session.c", "    return id_is_there(provider);\n}", "    return false;\n}")]),
    CodeWall("codes are taken to public addresses only", "egress_resolve() takes every address for a good one",
             [("src/base/net/egress.c", "        fine = egress_is_allowed(allowed, &address);\n        if (fine && target.count", "        fine = allowed != NULL;\n        if (fine && target.count")]),
    CodeWall("a provider confirms with a new sign-in", "confirm() does not look when it was",
             [("src/api/sign_in/provider_visit.c", "    if (!is_recent(person, visit->began_at_s - JWT_LEEWAY_S))", "    if (!is_recent(person, 0) && req == NULL)")]),
    CodeWall("a device's code is a statement of ours", "device_code_read() does not compare the MAC",
             [("src/auth/person/device.c", "    if (!crypto_equal(mac, bytes + count, SHA256_BYTES))", "    if (!crypto_equal(mac, bytes + count, SHA256_BYTES) && arena == NULL)")], ("made up", "another host")),
    CodeWall("a device gets its token where it asked", "ask_for_token() does not look at the address",
             [("src/api/sign_in/device.c", "    if (memcmp(asked.bytes, asks.bytes, sizeof(asked.bytes)) != 0)", "    if (memcmp(asked.bytes, asks.bytes, sizeof(asked.bytes)) != 0 && req == NULL)")]),
    CodeWall("a device is let in with the passkey", "device_decide() asks for none",
             [("src/api/sign_in/device.c", "    if (approved)\n        TRY(sign_in_confirmed_session(req));", "    if (approved && req == NULL)\n        TRY(check_presence(req));")]),
    CodeWall("who saw a device decides on it", "device_claim_decide.sql takes every session",
             [("src/store/session/sql/device_claim_decide.sql", " WHERE session_id = :session AND person_id = :person AND", " WHERE (session_id = :session OR true) AND (person_id = :person OR true) AND")]),
    CodeWall("few codes are tried in a session", "device_claim_put.sql allows a thousand times as many",
             [("src/store/session/sql/device_claim_put.sql", "device_claim.tries < :most::bigint", "device_claim.tries < :most::bigint * 1000")]),
    CodeWall("a device's code is used once", "store_device_fate() does not know codes that were used",
             [("src/store/session/device.c", "rows_bool(&rows, 0, C_IS_USED) ? DEVICE_USED", "rows_bool(&rows, 0, C_IS_USED) && arena == NULL ? DEVICE_USED")]),
    CodeWall("a passkey's answer is for one page and one service", "check_client_data() looks at nothing",
             [("src/auth/person/passkey.c", "    if (!says(said, \"type\",", "    if (json_is_object(said))\n        return NULL;\n    if (!says(said, \"type\",")], ("another origin", "another challenge", "another type")),
    CodeWall("a challenge is answered once", "passkey_use_question() takes it again",
             [("src/api/sign_in/passkey_answer.c", "    return is_first ? OK :", "    return is_first || true ? OK :")]),
    CodeWall("an account with a passkey gets no other one", "tokens are made and taken for everybody",
             [("src/store/session/sql/enrolment_add.sql", "FROM who WHERE :recovers::boolean OR NOT who.is_enrolled", "FROM who"),
              ("src/store/session/sql/enrolment_by_token.sql", "AND (e.is_recovery OR", "AND (true OR e.is_recovery OR"),
              ("src/store/session/sql/enrolment_use.sql", "AND (e.is_recovery OR", "AND (true OR e.is_recovery OR")], ("newer token",)),
    CodeWall("an account with a passkey gets no other one", "the same of operators",
             [("src/store/operator/sql/operator_enrolment_add.sql", "FROM who WHERE NOT who.is_enrolled", "FROM who"),
              ("src/store/operator/sql/operator_enrolment_add.sql", "SELECT who.is_enrolled, (SELECT", "SELECT false AS is_enrolled, (SELECT"),
              ("src/store/operator/sql/operator_enrolment_by_token.sql", "\n   AND NOT EXISTS (SELECT FROM operator_passkey k WHERE k.operator_id = e.operator_id)", ""),
              ("src/store/operator/sql/operator_enrolment_use.sql", "\n   AND NOT EXISTS (SELECT FROM operator_passkey k WHERE k.operator_id = e.operator_id)", "")], ("passkey of an operator",)),
    CodeWall("what is grave needs the passkey once more", "operator_session_check_presence() asks for nothing",
             [("src/operator/session.c", "    if (!id_is_there(req->caller->session))", "    if (true || !id_is_there(req->caller->session))")], ("operator's unattended",)),
    CodeWall("tenants and operators have pages of their own", "the operators' address has the tenants' files",
             [("src/main/nginx_config.c", "&(struct console_place){ \"/operator\",", "&(struct console_place){ \"\",")], ("other's address: /console/",)),
    CodeWall("files of the pages are nothing but files", "another page may have them in a frame",
             [("src/main/nginx_config.c", "form-action 'none'; frame-ancestors 'none'; ", "form-action 'none'; ")], ("credentials: /console/",)),
    CodeWall("what is grave needs the passkey once more", "step_up_demand() asks for nothing",
             [("src/api/sign_in/step_up.c", "<= STEP_UP_LASTS_MS ?", "<= STEP_UP_LASTS_MS || true ?")]),
    CodeWall("few passwords can be tried", "the guard does not look at passwords by themselves",
             [("src/limit/limit.c", "    if (next.is_password) {", "    if (false) {")]),
    CodeWall("who has an account is not told", "password_check() compares with nothing when there is nobody",
             [("src/auth/person/password.c", "    if (kept == NULL)\n", "    if (hash.len == 0) {\n        *ret_right = false;\n        return OK;\n    }\n    if (kept == NULL)\n")]),
    CodeWall("after a loss nothing of before opens anything", "what somebody had stays (enrolment.c)",
             [("src/api/sign_in/enrolment.c", "    TRY(store_credentials_forget(req->tx, enrolment->person));\n", "")], ("cookie", "passkey")),
    CodeWall("nobody is left with nothing to sign in with", "passkey_remove.sql takes the last one",
             [("src/store/session/sql/passkey_remove.sql", " AND NOT found.is_last", ""), ("src/store/session/sql/passkey_remove.sql", "SELECT found.name, found.is_last FROM", "SELECT found.name, false AS is_last FROM")]),
    CodeWall("identifiers have no value that means none", "id_parse() takes zeros for nothing, statements take nothing for zeros, and nobody asks for a role",
             [("src/base/id.c", "        return false;\n    *ret_id = value;", "        return false;\n    static const uint8_t zeros[ID_BYTES];\n    value.is_there = memcmp(value.bytes, zeros, ID_BYTES) != 0;\n    *ret_id = value;"),
              ("src/store/fault.c", "    if (params != NULL && params->missing != PARAM_NONE)\n", "    if (false)\n"),
              NO_ROLE]),
    CodeWall("children are looked up below their parent", "resource_get.sql does not compare the project",
             [("src/store/sql/resource_get.sql", "WHERE scope = :scope AND kind", "WHERE :scope::bytea IS NOT NULL AND kind")]),
    CodeWall("whoever has no role somewhere is a stranger there", "judge_membership() and judge_role() let everybody pass", [NO_MEMBERSHIP, NO_ROLE], ("GET ",)),
    CodeWall("operations need their role", "judge_role() lets everybody pass", [NO_ROLE], ("GET ",)),
    CodeWall("bodies are read from callers only", "handle_api() reads the body first",
             [("src/http/handle_api.c", "        advance(x);\n        return NGX_DONE;", "        req->body_max = 1048576;\n        let_in(x);\n        return NGX_DONE;")]),
    CodeWall("forms are small", "OAUTH_FORM_MAX_BYTES is a megabyte", [("src/auth/auth.h", "OAUTH_FORM_MAX_BYTES = 8 * 1024", "OAUTH_FORM_MAX_BYTES = 1024 * 1024")]),
    CodeWall("bodies have so many values", "JSON_MAX_VALUES is two millions", [("src/base/json.h", "JSON_MAX_VALUES = 20000", "JSON_MAX_VALUES = 2000000")]),
    CodeWall("where no body is taken none is read", "LARGEST_UNEXPECTED_BODY is a megabyte", [(RUN, "LARGEST_UNEXPECTED_BODY = 1024", "LARGEST_UNEXPECTED_BODY = 1024 * 1024")]),
    CodeWall("nobody decides for others who share a provider", "check_not_shared() asks nobody",
             [("src/family/federation/identity_providers.c", "    if (buf_str(&others).len == 0)\n        return OK;", "    if (true)\n        return OK;")]),
    CodeWall("tokens of invitations go to the invited only", "the token is written where the inviter's name is shown",
             [("src/family/identity/people.c", "        .inviter_name = req->caller->name,\n        .mac = mac,", "        .inviter_name = token,\n        .mac = mac,")]),
    CodeWall("who accepts has the address", "whoever is signed in accepts, whatever their address (invitation.c, invitation_for_person.sql)",
             [("src/api/invitation.c", "    if (req->caller->kind == PRINCIPAL_PERSON)\n", "    if (true)\n"),
              ("src/store/identity/sql/invitation_for_person.sql", "lower(i.username) = lower(:username::text)", ":username::text IS NOT NULL")]),
    CodeWall("people are seen by their organizations", "person_visible.sql does not compare organizations",
             [("src/store/identity/sql/person_visible.sql", "  AND (n.id = :caller OR EXISTS", "  AND (true OR n.id = :caller OR EXISTS")]),
    CodeWall("names and addresses of the inside are refused when they are set", "egress_host_may_be_allowed() allows all",
             [("src/base/net/egress.c", "    bool fine = true;\n    if (getaddrinfo(url->host.data, NULL, &hints, &found) != 0)", "    bool fine = true;\n    if (true)\n        return true;\n    if (getaddrinfo(url->host.data, NULL, &hints, &found) != 0)")]),
    CodeWall("downloads are for whoever has their address", "download_token_is() takes every token for the right one",
             [("src/base/crypto/download_token.c", "    return wanted.len > 0 && token.len == wanted.len && crypto_equal(token.data, wanted.data, wanted.len);", "    return wanted.len > 0 || token.len > 0;")]),
    CodeWall("the address of a download ends with it", "download_answer() does not look whether it is over",
             [("src/api/download.c", "    if (!found || place.is_over || (", "    if (!found || (")]),
    CodeWall("addresses are shown to those who may ask for them", "may_fetch() says yes to everybody",
             [("src/family/backup/downloads.c", "    return (req->roles & (PROJECT_BACKUP_EXPORT_OPERATOR | PROJECT_BACKUP_RECOVERY_OPERATOR)) != 0;", "    return req != NULL;")]),
    CodeWall("exports go to buckets of their own project", "export_bucket_find() takes every bucket for one of the project",
             [("src/family/backup/exports.c", "    if (!found)\n        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V(field)", "    if (false)\n        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V(field)")], ("a schedule",)),
    CodeWall("roles are assumed by the project that they were made for", "store_role_assume() does not compare the external id",
             [("src/store/provider/routines/store_role_assume.sql", "s.external_id::text = p_external AND", "p_external IS NOT NULL AND")]),
    CodeWall("external ids are the service's", "the field of the external id may be sent",
             [("src/family/provider/provider_roles.c", "READ_ONLY | ALWAYS, .example = \"\\\"0b5f9c1e", "ALWAYS, .example = \"\\\"0b5f9c1e")]),
    CodeWall("what is written with a role is written by its project", "resource_lock.sql does not compare the project",
             [("src/store/sql/resource_lock.sql", "WHERE scope = :scope AND kind", "WHERE :scope::bytea IS NOT NULL AND kind")]),
    CodeWall("what is written stays below the role's prefix", "prefixes have no form, and buckets are not compared",
             [("src/family/log/log_export.h", ".max = 255, .pattern = BUCKET_FOLDERS_PATTERN,", ".max = 255,"),
              ("src/family/provider/provider_roles.c", "    return str_eq(bucket, ret_place->bucket)", "    return bucket.len > 0")]),
    CodeWall("questions of tools are of one project", "neither do selectors get the project, nor is the store told of it",
             [("src/monitor/promql.c", "    buf_format(&in->out, \"%sproject", "    if (in->depth < 0)\n        buf_format(&in->out, \"%sproject"),
              ("src/monitor/tool_question.c", "    add_walls(&asker);", "    if (!fine)\n        add_walls(&asker);")], ("/api/v1/query: {", "a selector: {")),
    CodeWall("stores see PromQL only", "promql_confine() hands on whatever it gets",
             [("src/monitor/promql.c", "    bool fine = begin(&in, arena, text) && read_expression(&in) && is_bearable(&in) && end(&in, ret_text);",
               "    *ret_text = text;\n    bool fine = text.len > 0 || (begin(&in, arena, text) && read_expression(&in) && is_bearable(&in) && end(&in, ret_text));")], ("[1M])",)),
    CodeWall("tools have five questions", "find_path() hands on every path",
             [("src/monitor/tool_question.c", "    *ret_path = path_of_label(arena, path);", "    *ret_path = path.len == 0 ? path_of_label(arena, path) : str_dup(arena, path).data;")], ("/flags", "/metrics", "series/count")),
    CodeWall("measurements are read with the project's password", "tool_password_is() says yes to everything", [("src/base/crypto/tool_password.c", "    return is_hash && is_equal;", "    return is_hash || !is_equal;")]),
    CodeWall("an integration that is off lets nobody in", "check_password() does not look whether it is on",
             [("src/family/monitor/tools.c", "json_is_true(json_object_get(integration, \"enabled\"))", "integration != NULL")]),
    CodeWall("what tools ask has a bound", "is_bearable() bears everything", [("src/monitor/promql.c", "    if (points * in->visits <= PROMQL_MOST_VISITS)", "    if (points >= 0)")], ("[8d]) every",)),
    CodeWall("bounds are sizes that are offered", "check_bound() takes any word",
             [("src/family/cluster/cluster_document.c", "    if (name.len == 0 || *ret_size != NULL)\n        return OK;", "    if (true)\n        return OK;")], ("may shrink to",)),
    CodeWall("bounds hold the size that there is", "check_compute_scaling() does not compare it with the smallest",
             [("src/family/cluster/cluster_document.c", "    if (is_on && !scaling_is_within(size, low, NULL))", "    if (false)")]),
    CodeWall("when to scale is nothing that hosts have to know", "choose_job() compares the regions with what they say about scaling",
             [("src/family/cluster/cluster_changes.c", "        !json_equal(scaling_without_rules(req->arena, json_object_get(before, \"replicationSpecs\")),\n                    scaling_without_rules(req->arena, json_object_get(after, \"replicationSpecs\"))) ||",
               "        !json_equal(json_object_get(before, \"replicationSpecs\"), json_object_get(after, \"replicationSpecs\")) ||")]),
    CodeWall("a directory has only seconds, and half a megabyte", "nothing bounds a message, nor the time that one takes",
             [("src/job/access/directory_link.h", "DIRECTORY_LINK_MS = 30 * 1000", "DIRECTORY_LINK_MS = 3000 * 1000"),
              ("src/job/access/directory_link.c", "MESSAGE_MAX_BYTES = 512 * 1024", "MESSAGE_MAX_BYTES = 0x7fffffff"),
              ("src/job/access/directory_link.c", "ber_sockbuf_ctrl(buffer, LBER_SB_OPT_SET_NONBLOCK, buffer) < 0", "buffer == NULL")], ("slow bytes", "two gigabytes", "no TLS")),
    CodeWall("a directory leads nowhere else", "libldap follows referrals",
             [("src/job/access/directory_link.c", "LDAP_OPT_REFERRALS, LDAP_OPT_OFF", "LDAP_OPT_REFERRALS, LDAP_OPT_ON")], (": a ref",)),
    CodeWall("a directory that hangs up is not called again", "the next group is asked for, and libldap may connect by itself",
             [("src/job/access/directory_groups.c", "    return result < 0;", "    return result < -100;"),
              ("src/job/access/directory_link.c", "ldap_set_option(link->ldap, LDAP_OPT_URI, NOWHERE) != LDAP_OPT_SUCCESS", "link->ldap == NULL")]),
    CodeWall("people of a group have plain names", "every name is taken for a good one",
             [("src/cluster/database_name.c", "    if (name.len == 0 || name.len > DATABASE_NAME_MAX_BYTES || name.data[name.len - 1] == ' ')\n        return false;", "    if (name.len > 0)\n        return true;")],
             ("odd names",)),
    CodeWall("no directory waits for another tenant's", "nobody is ever proven to be quick, and a worker has one thread for all",
             [("src/job/access/directory_sync.c", "EVENT_CHANNEL, config->threads, take_turn", "EVENT_CHANNEL, 1, take_turn"),
              ("src/store/access/sql/directory_sync_due.sql", "WHERE s.is_proven = :proven::boolean AND", "WHERE NOT :proven::boolean AND")], ("slow bytes",)),
    CodeWall("every operation has a limit", "stage_limit() counts and lets pass",
             [(ACCESS, "    if (take.outcome == TAKE_ALLOWED)\n        return OK;", "    if (true)\n        return OK;")]),
    CodeWall("operators have tokens of their own", "the operators' authenticate() takes everybody for an operator",
             [("src/operator/operator_api.c", "    return operator_find(operator_api_of(req), req->arena, req->in.authorization, &req->caller);",
               "    static struct principal anybody = { .kind = PRINCIPAL_OPERATOR, .name = { \"x\", 1 } };\n    req->caller = &anybody;\n    return OK;")], ("operator's GET",)),
    CodeWall("only the owner lets support staff in", "open_session() goes on without a consent",
             [("src/operator/support.c", "    TRY(check_consent(req, &cluster, reads_rows, &consent_ends_ms));",
               "    if (check_consent(req, &cluster, reads_rows, &consent_ends_ms) != OK)\n        consent_ends_ms = clock_now_ms() + HOUR_MS;")], ("an operator opens",)),
]


def offer_every_rule(ground):
    source = sql("SELECT pg_get_functiondef('policy_unoffered(text)'::regprocedure)")
    sql("CREATE OR REPLACE FUNCTION policy_unoffered(p_body text) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS 'SELECT NULL::text'")
    try:
        yield
    finally:
        sql(source)


def write_formulas(ground):
    sources = [sql("SELECT pg_get_functiondef('%s'::regprocedure)" % name) for name in ("csv_field(text)", "csv_tags(jsonb)")]
    sql("CREATE OR REPLACE FUNCTION csv_field(p_text text) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT p_text'")
    sql("CREATE OR REPLACE FUNCTION csv_tags(p_tags jsonb) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT p_tags::text'")
    try:
        yield
    finally:
        for source in sources:
            sql(source)


def mix_projects_up(ground):
    sources = []
    for name in ("fleet/routines/dns_records.sql", "cluster/routines/cluster_connection_strings.sql"):
        with open(os.path.join(rows.ROOT, "src/store", name), encoding="utf-8") as file:
            sources.append(file.read())
    own = "r.scope = c.project_id"
    if not all(own in source for source in sources):
        raise RuntimeError("the wall's text is not in them any more")
    try:
        for source in sources:
            sql(source.replace(own, "true"))
        yield
    finally:
        for source in sources:
            sql(source)


def forget_row_security(ground):
    """The attacks do it themselves, each in its own transaction."""
    yield


LIVE = [
    Wall("rules that cost time are not offered", "policy_unoffered() finds nothing wrong with any rule", offer_every_rule, ("$members", "1e5", "12345", "old rule")),
    Wall("files for spreadsheets have no formulas", "csv_field() and csv_tags() write what they get", write_formulas, ("invoice as CSV",)),
    Wall("names of clusters follow their own project", "neither the view of names nor that of connection strings compares the project", mix_projects_up),
    Wall("row-level security", "ALTER TABLE … DISABLE ROW LEVEL SECURITY and GRANT ALL, one table at a time", forget_row_security),
]
