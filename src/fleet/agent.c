/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet/agent.h"

#include "base/json.h"
#include "fleet/agent_parts.h"
#include "fleet/goal_secret.h"
#include "fleet/refusal.h"
#include "fleet/report.h"

enum { REPORT_TRIES = 3 };

/* ---- Who is it ---- */
/* An epoch of -1 is not said. A stale one is told first: that is how an agent learns that it must stop. */
static error
judge_host(struct arena *arena, const struct host_known *known, int64_t epoch)
{
    const char *why = NULL;
    if (!known->is_found)
        why = "it is not a host's";
    else if (known->is_removed)
        why = "the host was removed";
    else if (epoch >= 0 && epoch < known->epoch)
        return fail(arena, STALE_EPOCH, V(known->epoch));
    else if (known->is_revoked)
        why = "it was revoked";
    else if (known->is_expired)
        why = "it has expired";
    else if (epoch > known->epoch)
        return fail(arena, INVALID_ATTRIBUTE_VALUE, V("epoch"), V("the host has not come that far"));
    if (why == NULL)
        return OK;
    refusal_note(known->host, "agent_refused", str_format(arena, "its certificate is not accepted: %s.", why));
    return fail(arena, CERTIFICATE_NOT_ACCEPTED, V(why));
}

static error
look_up(struct fleet *fleet, struct arena *arena, const struct agent_request *request, struct host_known *ret_known)
{
    if (request->serial.len == 0)
        return fail(arena, CERTIFICATE_REQUIRED);
    return store_host_by_serial(fleet->store, arena, request->serial, ret_known);
}

static error
find_host(struct fleet *fleet, struct arena *arena, const struct agent_request *request, id *ret_host)
{
    struct host_known known;
    TRY(look_up(fleet, arena, request, &known));
    TRY(judge_host(arena, &known, -1));
    *ret_host = known.host;
    return OK;
}

/* ---- Reports ---- */
static error
take_report(struct fleet *fleet, struct arena *arena, id host, const struct report *report)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    enum report_outcome outcome;
    TRY(tx_begin_service(fleet->store, arena, &tx));
    TRY(store_host_report(tx, host, report->epoch, report->json, &outcome));
    if (outcome == REPORT_STALE)
        return fail(arena, STALE_EPOCH, V(report->epoch + 1));
    TRY(tx_commit(tx));
    if (outcome == REPORT_FOREIGN)
        refusal_note(host, "agent_foreign_member",
                     STR("it reports a member that is on another host; that was left alone."));
    return OK;
}

static error
answer_report(struct fleet *fleet, struct arena *arena, const struct agent_request *request, str argument,
              struct agent_answer *ret_answer)
{
    (void)argument;
    struct report report;
    struct host_known known;
    TRY(look_up(fleet, arena, request, &known));
    error problem = report_read(arena, request->body, &report);
    /* A stranger learns nothing about what is wrong with its report. */
    TRY(judge_host(arena, &known, problem == OK ? report.epoch : -1));
    if (problem != OK) {
        refusal_note(known.host, "agent_report_refused", problem->detail);
        return problem;
    }
    for (int try = 1;; try++) {
        problem = take_report(fleet, arena, known.host, &report);
        if (problem == OK || problem->code != CONCURRENT_CHANGE || try == REPORT_TRIES)
            break;
    }
    TRY(problem);
    *ret_answer = (struct agent_answer){ .status = 200, .body = STR("{}") };
    return OK;
}

/* ---- Certificates ---- */
/* What a member's certificate can be asked for. Agents from before say nothing, and have one for everything. */
static const struct {
    const char *word;
    enum certificate_kind kind;
} purposes[] = {
    { "", CERTIFICATE_MEMBER },
    { "SERVER", CERTIFICATE_MEMBER_SERVER },
    { "CLUSTER", CERTIFICATE_MEMBER_CLUSTER },
    { "ETCD", CERTIFICATE_MEMBER_ETCD },
};

static error
read_request_for_certificate(struct arena *arena, str body, str *ret_csr, enum certificate_kind *ret_kind)
{
    json_t *said;
    TRY(report_parse(arena, body, &said));
    *ret_csr = json_str(json_object_get(said, "csr"));
    if (ret_csr->len == 0)
        return fail(arena, MISSING_ATTRIBUTE, V("csr"));
    for (size_t i = 0; ret_kind != NULL && i < LENGTH(purposes); i++) {
        if (str_is(json_str(json_object_get(said, "purpose")), purposes[i].word)) {
            *ret_kind = purposes[i].kind;
            return OK;
        }
    }
    return ret_kind == NULL
               ? OK
               : fail(arena, INVALID_ATTRIBUTE_VALUE, V("purpose"), V("it must be SERVER, CLUSTER or ETCD"));
}

/* `member` is of the certificate that its cluster's authority signs; NULL: the fleet's does. */
static error
issue(struct fleet *fleet, struct arena *arena, enum certificate_kind kind, str owner, str csr,
      struct certificate_subject subject, const struct member_names *member, struct agent_answer *ret_answer)
{
    struct authority authority;
    str certificate;
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    if (member == NULL)
        TRY(authority_open(fleet, arena, &authority));
    TRY(tx_begin_service(fleet->store, arena, &tx));
    if (member != NULL)
        TRY(authority_of_cluster(fleet, tx, member->cluster, member->scope, &authority));
    TRY(authority_issue(&authority, tx, kind, owner, csr, subject, &certificate));
    TRY(tx_commit(tx));
    *ret_answer =
        (struct agent_answer){ .status = 200, .body = agent_certificate_document(arena, certificate, &authority) };
    return OK;
}

static error
answer_host_certificate(struct fleet *fleet, struct arena *arena, const struct agent_request *request, str argument,
                        struct agent_answer *ret_answer)
{
    (void)argument;
    id host;
    str csr;
    TRY(find_host(fleet, arena, request, &host));
    TRY(read_request_for_certificate(arena, request->body, &csr, NULL));
    str owner = id_text(arena, host);
    return issue(fleet, arena, CERTIFICATE_HOST, owner, csr, (struct certificate_subject){ .common_name = owner }, NULL,
                 ret_answer);
}

/* Texts of a JSON list; those that are null are left out. */
static size_t
list_texts(struct arena *arena, str json, str ret_texts[CERTIFICATE_MAX_NAMES])
{
    json_t *list = json_parse_own(arena, json);
    size_t count = 0;
    for (size_t i = 0; i < json_array_size(list) && count < CERTIFICATE_MAX_NAMES; i++) {
        str text = json_str(json_array_get(list, i));
        if (text.len > 0)
            ret_texts[count++] = text;
    }
    return count;
}

static error
answer_member_certificate(struct fleet *fleet, struct arena *arena, const struct agent_request *request, str argument,
                          struct agent_answer *ret_answer)
{
    id host, member;
    str csr, names[CERTIFICATE_MAX_NAMES], addresses[CERTIFICATE_MAX_NAMES];
    struct member_names found = { .name = STR_EMPTY };
    enum certificate_kind kind;
    TRY(find_host(fleet, arena, request, &host));
    TRY(read_request_for_certificate(arena, request->body, &csr, &kind));
    if (id_parse(argument, &member))
        TRY(store_host_member_names(fleet->store, arena, host, member, fleet->domain, &found));
    if (found.name.len == 0) {
        refusal_note(host, "agent_foreign_certificate",
                     STR("it asks for the certificate of a member that does not run on it."));
        return fail(arena, RESOURCE_NOT_FOUND, V(request->path));
    }
    struct certificate_subject subject = {
        .common_name = found.name,
        .names = names,
        .name_count = list_texts(arena, found.names, names),
        .addresses = addresses,
        .address_count = list_texts(arena, found.addresses, addresses),
    };
    if (kind == CERTIFICATE_MEMBER_ETCD)
        subject = (struct certificate_subject){ .common_name = STR_EMPTY };
    return issue(fleet, arena, kind, str_dup(arena, argument), csr, subject,
                 kind == CERTIFICATE_MEMBER_CLUSTER ? &found : NULL, ret_answer);
}

/* ---- Routes ---- */
static error
answer_join(struct fleet *fleet, struct arena *arena, const struct agent_request *request, str argument,
            struct agent_answer *ret_answer)
{
    (void)argument;
    return agent_join(fleet, arena, request, ret_answer);
}

#define GOAL_PATH "/agent/v1/goal"

static const struct {
    const char *method, *before, *behind; /* of the path; the argument stands between them */
    bool has_argument;
    error (*answer)(struct fleet *fleet, struct arena *arena, const struct agent_request *request, str argument,
                    struct agent_answer *ret_answer);
} routes[] = {
    { "POST", "/agent/v1/join", "", false, answer_join },
    { "POST", "/agent/v1/report", "", false, answer_report },
    { "POST", "/agent/v1/certificate", "", false, answer_host_certificate },
    { "POST", "/agent/v1/members/", "/certificate", true, answer_member_certificate },
};

static bool
matches(str path, const char *before, const char *behind, bool has_argument, str *ret_argument)
{
    str from = str_from(before), to = str_from(behind);
    if (!has_argument)
        return str_eq(path, from);
    if (path.len <= from.len + to.len || !str_starts_with(path, from) || !str_ends_with(path, to))
        return false;
    *ret_argument = str_slice(path, from.len, path.len - to.len);
    return str_find(*ret_argument, '/') < 0;
}

static error
answer(struct fleet *fleet, struct arena *arena, const struct agent_request *request, struct agent_answer *ret_answer)
{
    for (size_t i = 0; i < LENGTH(routes); i++) {
        str argument = STR_EMPTY;
        if (!matches(request->path, routes[i].before, routes[i].behind, routes[i].has_argument, &argument))
            continue;
        if (!str_is(request->method, routes[i].method))
            return fail(arena, METHOD_NOT_ALLOWED, V(request->method), V(request->path));
        return routes[i].answer(fleet, arena, request, argument, ret_answer);
    }
    if (str_is(request->path, GOAL_PATH))
        return fail(arena, METHOD_NOT_ALLOWED, V(request->method), V(request->path));
    return fail(arena, RESOURCE_NOT_FOUND, V(request->path));
}

void
agent_refuse(struct arena *arena, error why, struct agent_answer *ret_answer)
{
    *ret_answer = (struct agent_answer){
        .status = error_rows[why->code].status,
        .body = error_document(arena, why),
        .retry_after_s = why->retry_after_s,
    };
}

void
agent_answer(struct fleet *fleet, struct arena *arena, const struct agent_request *request,
             struct agent_answer *ret_answer)
{
    error problem = answer(fleet, arena, request, ret_answer);
    if (problem != OK)
        agent_refuse(arena, problem, ret_answer);
}

/* ---- The long poll ---- */
bool
agent_is_poll(const struct agent_request *request)
{
    return str_is(request->method, "GET") && str_is(request->path, GOAL_PATH);
}

/* Unknown parameters are ignored, as unknown fields are. */
static error
read_number(struct arena *arena, str query, const char *name, int64_t *ret_value)
{
    while (query.len > 0) {
        str value = str_cut(&query, '&');
        str key = str_cut(&value, '=');
        if (!str_is(key, name))
            continue;
        if (value.len > 0 && value.data[0] != '-' && str_to_int(value, 0, INT64_MAX / 2, ret_value))
            return OK;
        return fail(arena, INVALID_QUERY_PARAMETER, V(name), V("it must be a whole number"));
    }
    return fail(arena, INVALID_QUERY_PARAMETER, V(name), V("it is missing"));
}

error
agent_poll_read(struct arena *arena, const struct agent_request *request, struct agent_poll *ret_poll)
{
    if (request->serial.len == 0)
        return fail(arena, CERTIFICATE_REQUIRED);
    ret_poll->serial = request->serial;
    TRY(read_number(arena, request->query, "after", &ret_poll->after));
    return read_number(arena, request->query, "epoch", &ret_poll->epoch);
}

error
agent_poll_judge(struct arena *arena, struct agent_poll *poll, const struct host_known *known, bool *ret_is_new)
{
    TRY(judge_host(arena, known, poll->epoch));
    poll->host = known->host;
    *ret_is_new = known->goal_version != poll->after;
    return OK;
}

void
agent_goal(struct fleet *fleet, struct arena *arena, const struct agent_poll *poll, struct agent_answer *ret_answer)
{
    str goal;
    error problem = store_host_goal(fleet->store, arena, poll->host, fleet->domain, fleet->etcd_json, &goal);
    if (problem == OK && goal.len == 0)
        problem = fail(arena, CERTIFICATE_NOT_ACCEPTED, V("the host was removed"));
    if (problem == OK)
        problem = goal_open_secrets(fleet, arena, goal, &goal);
    if (problem == OK)
        problem = log_goal_add(&fleet->logs, fleet->store, arena, poll->host, &goal);
    if (problem != OK)
        agent_refuse(arena, problem, ret_answer);
    else
        *ret_answer = (struct agent_answer){ .status = 200, .body = goal };
}
