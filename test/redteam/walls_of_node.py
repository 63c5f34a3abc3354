# SPDX-License-Identifier: Apache-2.0
"""Walls of the API and of the control database."""
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
             [("src/store/session/sql/session_load.sql", " WHERE s.id = :id AND s.expires_at > now() AND s.used_at > now() - interval '30 minutes'", " WHERE s.id = :id"),
              ("src/store/session/sql/session_load.sql", "(extract(epoch FROM least(s.expires_at, s.used_at + interval '30 minutes') - now()) * 1000)::bigint AS left_ms", "3600000::bigint AS left_ms")]),
    CodeWall("a passkey's answer is for one page and one service", "check_client_data() looks at nothing",
             [("src/auth/person/passkey.c", "    if (!says(said, \"type\",", "    if (json_is_object(said))\n        return NULL;\n    if (!says(said, \"type\",")], ("another origin", "another challenge", "another type")),
    CodeWall("a challenge is answered once", "use_challenge() takes it again",
             [("src/api/sign_in/sign_in.c", "    return is_first ? OK :", "    return is_first || true ? OK :")]),
    CodeWall("an account with a passkey gets no other one", "tokens are made and taken for everybody",
             [("src/store/session/sql/enrolment_add.sql", "FROM who WHERE NOT who.is_enrolled", "FROM who"),
              ("src/store/session/sql/enrolment_add.sql", "SELECT who.is_enrolled, (SELECT", "SELECT false AS is_enrolled, (SELECT"),
              ("src/store/session/sql/enrolment_by_token.sql", " AND NOT EXISTS (SELECT FROM passkey k WHERE k.person_id = e.person_id)", ""),
              ("src/store/session/sql/enrolment_use.sql", " AND NOT EXISTS (SELECT FROM passkey k WHERE k.person_id = e.person_id)", "")], ("newer token",)),
    CodeWall("what is grave needs the passkey once more", "step_up_check() asks for nothing",
             [("src/api/sign_in/step_up.c", "    if (caller == NULL ||", "    if (true || caller == NULL ||")]),
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
    CodeWall("every operation has a limit", "stage_limit() counts and lets pass",
             [(ACCESS, "    if (take.outcome == TAKE_ALLOWED)\n        return OK;", "    if (true)\n        return OK;")]),
    CodeWall("operators have tokens of their own", "the operators' authenticate() takes everybody for an operator",
             [("src/operator/operator_api.c", "    return operator_find(operator_api_of(req), req->arena, req->in.authorization, &req->caller);",
               "    static struct principal anybody = { .kind = PRINCIPAL_OPERATOR, .name = { \"x\", 1 } };\n    req->caller = &anybody;\n    return OK;")], ("operator's GET",)),
]


def offer_every_rule(ground):
    source = sql("SELECT pg_get_functiondef('policy_unoffered(text)'::regprocedure)")
    sql("CREATE OR REPLACE FUNCTION policy_unoffered(p_body text) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS 'SELECT NULL::text'")
    try:
        yield
    finally:
        sql(source)


def forget_row_security(ground):
    """The attacks do it themselves, each in its own transaction."""
    yield


LIVE = [
    Wall("rules that cost time are not offered", "policy_unoffered() finds nothing wrong with any rule", offer_every_rule, ("$members", "1e5", "12345", "old rule")),
    Wall("row-level security", "ALTER TABLE … DISABLE ROW LEVEL SECURITY and GRANT ALL, one table at a time", forget_row_security),
]
