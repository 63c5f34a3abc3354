/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet/agent.h"

#include <stdlib.h>

#include "api/stage/stages.h"
#include "base/json.h"
#include "base/net/log_door.h"
#include "fleet/advice.h"
#include "fleet/agent_parts.h"
#include "fleet/goal_secret.h"
#include "fleet/refusal.h"
#include "fleet/report.h"
#include "store/backup/seat.h"
#include "store/restore/download.h"

enum { REPORT_TRIES = 3 };

struct agents {
    struct api api; /* first: the api of a request is its agents' */
    struct fleet *fleet;
};

struct fleet *
agents_fleet(const struct request *req)
{
    return ((struct agents *)req->api)->fleet;
}

void
agent_answer(struct request *req, unsigned status, str body)
{
    req->out = (struct response){ .status = status, .body = body, .content_type = STR("application/json") };
}

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
        return fail(arena, INVALID_ATTRIBUTE_VALUE, V("epoch"), V("the host has not reached this epoch"));
    if (why == NULL)
        return OK;
    refusal_note(known->host, "agent_refused", str_format(arena, "its certificate is not accepted: %s.", why));
    return fail(arena, CERTIFICATE_NOT_ACCEPTED, V(why));
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
                     STR("it reports a member or a seat that is on another host; that was left alone."));
    return OK;
}

static error
read_report(struct request *req)
{
    struct agent_call *call = req->agent;
    TRY(report_read(req->arena, req->in.body, &call->report));
    call->epoch = call->report.epoch;
    return OK;
}

static error
run_report(struct request *req)
{
    error problem = OK;
    for (int try = 1; try <= REPORT_TRIES; try++) {
        problem = take_report(agents_fleet(req), req->arena, req->agent->host, &req->agent->report);
        if (problem == OK || problem->code != CONCURRENT_CHANGE)
            break;
    }
    TRY(problem);
    agent_answer(req, 200, STR("{}"));
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

/* Whose authority signs. */
struct signer {
    id cluster;
    str scope; /* empty: the fleet's does */
};

static error
issue(struct request *req, enum certificate_kind kind, str owner, str csr, struct certificate_subject subject,
      struct signer signer)
{
    struct fleet *fleet = agents_fleet(req);
    struct authority authority;
    str certificate;
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    if (signer.scope.len == 0)
        TRY(authority_open(fleet, req->arena, &authority));
    TRY(tx_begin_service(fleet->store, req->arena, &tx));
    if (signer.scope.len > 0)
        TRY(authority_of_cluster(fleet, tx, signer.cluster, signer.scope, &authority));
    TRY(authority_issue(&authority, tx, kind, owner, csr, subject, &certificate));
    TRY(tx_commit(tx));
    agent_answer(req, 200, agent_certificate_document(req->arena, certificate, &authority));
    return OK;
}

static error
run_host_certificate(struct request *req)
{
    str csr;
    TRY(read_request_for_certificate(req->arena, req->in.body, &csr, NULL));
    str owner = id_text(req->arena, req->agent->host);
    return issue(req, CERTIFICATE_HOST, owner, csr, (struct certificate_subject){ .common_name = owner },
                 (struct signer){ .scope = STR_EMPTY });
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
run_member_certificate(struct request *req)
{
    struct fleet *fleet = agents_fleet(req);
    id host = req->agent->host, member;
    str argument = req->agent->argument;
    str csr, names[CERTIFICATE_MAX_NAMES], addresses[CERTIFICATE_MAX_NAMES];
    struct member_names found = { .name = STR_EMPTY };
    enum certificate_kind kind;
    TRY(read_request_for_certificate(req->arena, req->in.body, &csr, &kind));
    if (id_parse(argument, &member))
        TRY(store_host_member_names(fleet->store, req->arena, host, member, fleet->domain, &found));
    if (found.name.len == 0) {
        refusal_note(host, "agent_foreign_certificate",
                     STR("it asks for the certificate of a member that does not run on it."));
        return request_not_found(req);
    }
    struct certificate_subject subject = {
        .common_name = found.name,
        .names = names,
        .name_count = list_texts(req->arena, found.names, names),
        .addresses = addresses,
        .address_count = list_texts(req->arena, found.addresses, addresses),
    };
    if (kind == CERTIFICATE_MEMBER_ETCD)
        subject = (struct certificate_subject){ .common_name = STR_EMPTY };
    return issue(req, kind, str_dup(req->arena, argument), csr, subject,
                 kind == CERTIFICATE_MEMBER_CLUSTER ? (struct signer){ found.cluster, found.scope }
                                                    : (struct signer){ .scope = STR_EMPTY });
}

/* With it a repository host is let in by the members of one cluster, and by nobody else. */
static error
run_seat_certificate(struct request *req)
{
    struct fleet *fleet = agents_fleet(req);
    id host = req->agent->host, seat;
    str csr;
    struct host_seat found = { .scope = STR_EMPTY };
    TRY(read_request_for_certificate(req->arena, req->in.body, &csr, NULL));
    if (id_parse(req->agent->argument, &seat))
        TRY(store_host_seat(fleet->store, req->arena, host, seat, &found));
    if (found.scope.len == 0) {
        refusal_note(host, "agent_foreign_certificate",
                     STR("it asks for the certificate of a seat that it does not have."));
        return request_not_found(req);
    }
    str owner = id_text(req->arena, seat);
    struct certificate_subject subject = {
        .common_name = str_format(req->arena, "reeve-seat-%s", owner.data),
        .addresses = &found.address,
        .address_count = found.address.len > 0 ? 1 : 0,
    };
    return issue(req, CERTIFICATE_SEAT, owner, csr, subject, (struct signer){ found.cluster, found.scope });
}

/* With it a repository host lets the members of a restore's target read; they know it by their own authority. */
static error
run_gate_certificate(struct request *req)
{
    struct fleet *fleet = agents_fleet(req);
    id host = req->agent->host, restore;
    str csr;
    struct host_gate found = { .scope = STR_EMPTY };
    TRY(read_request_for_certificate(req->arena, req->in.body, &csr, NULL));
    if (id_parse(req->agent->argument, &restore))
        TRY(store_host_gate(fleet->store, req->arena, host, restore, &found));
    if (found.scope.len == 0) {
        refusal_note(host, "agent_foreign_certificate",
                     STR("it asks for the certificate of a gate that it does not have."));
        return request_not_found(req);
    }
    str owner = id_text(req->arena, restore);
    struct certificate_subject subject = {
        .common_name = str_format(req->arena, "reeve-gate-%s", owner.data),
        .addresses = &found.address,
        .address_count = found.address.len > 0 ? 1 : 0,
    };
    return issue(req, CERTIFICATE_GATE, owner, csr, subject, (struct signer){ found.cluster, found.scope });
}

/* With it a repository host is known to the nodes that fetch a file there; its name is in the certificate, because addresses move. */
static error
run_download_certificate(struct request *req)
{
    id host = req->agent->host, download;
    str csr, ignored;
    bool found = false;
    TRY(read_request_for_certificate(req->arena, req->in.body, &csr, NULL));
    if (id_parse(req->agent->argument, &download))
        TRY(store_host_download(agents_fleet(req)->store, req->arena, host, download, &found, &ignored));
    if (!found) {
        refusal_note(host, "agent_foreign_certificate",
                     STR("it asks for the certificate of a download that it does not have."));
        return request_not_found(req);
    }
    str owner = id_text(req->arena, download), name = str_format(req->arena, "reeve-download-%s", owner.data);
    struct certificate_subject subject = { .common_name = name, .names = &name, .name_count = 1 };
    return issue(req, CERTIFICATE_DOWNLOAD, owner, csr, subject, (struct signer){ .scope = STR_EMPTY });
}

/* With it a host is known to the nodes that read logs there. */
static error
run_log_certificate(struct request *req)
{
    str csr, owner = id_text(req->arena, req->agent->host);
    str name = str_format(req->arena, LOG_DOOR_NAME "%s", owner.data);
    TRY(read_request_for_certificate(req->arena, req->in.body, &csr, NULL));
    struct certificate_subject subject = { .common_name = name, .names = &name, .name_count = 1 };
    return issue(req, CERTIFICATE_LOG, owner, csr, subject, (struct signer){ .scope = STR_EMPTY });
}

/* ---- The long poll ---- */
error
agent_read_number(struct request *req, const char *name, int64_t *ret_value)
{
    struct arena *arena = req->arena;
    str query = req->in.target;
    (void)str_cut(&query, '?');
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

static error
read_poll(struct request *req)
{
    TRY(agent_read_number(req, "after", &req->agent->after));
    return agent_read_number(req, "epoch", &req->agent->epoch);
}

error
agent_poll_judge(struct request *req, const struct host_known *known, bool *ret_is_new)
{
    TRY(judge_host(req->arena, known, req->agent->epoch));
    req->agent->host = known->host;
    req->agent->is_judged = true;
    *ret_is_new = known->goal_version != req->agent->after;
    return OK;
}

/* The document, whatever version it has by now. */
static error
run_goal(struct request *req)
{
    struct fleet *fleet = agents_fleet(req);
    str goal;
    TRY(store_host_goal(fleet->store, req->arena, req->agent->host, fleet->domain, fleet->etcd_json, &goal));
    if (goal.len == 0)
        return fail(req->arena, CERTIFICATE_NOT_ACCEPTED, V("the host was removed"));
    TRY(goal_open_secrets(fleet, req->arena, goal, &goal));
    TRY(log_goal_add(&fleet->logs, fleet->store, req->arena, req->agent->host, &goal));
    agent_answer(req, 200, goal);
    return OK;
}

/* ---- What can be asked ---- */
static const struct agent_operation {
    const char *name, *method, *before, *behind; /* of the path; the argument stands between them */
    bool has_argument;
    bool is_open; /* to whoever has no certificate yet */
    bool is_poll;
    error (*read)(struct request *req); /* NULL: nothing that says who it is */
    error (*run)(struct request *req);
} operations[] = {
    { "agentJoin", "POST", "/agent/v1/join", "", .is_open = true, .run = agent_join },
    { "agentReport", "POST", "/agent/v1/report", "", .read = read_report, .run = run_report },
    { "agentHostCertificate", "POST", "/agent/v1/certificate", "", .run = run_host_certificate },
    { "agentMemberCertificate", "POST", "/agent/v1/members/", "/certificate", .has_argument = true,
      .run = run_member_certificate },
    { "agentMemberAdvice", "POST", "/agent/v1/members/", "/advice", .has_argument = true, .run = agent_advice },
    { "agentSeatCertificate", "POST", "/agent/v1/seats/", "/certificate", .has_argument = true,
      .run = run_seat_certificate },
    { "agentGateCertificate", "POST", "/agent/v1/gates/", "/certificate", .has_argument = true,
      .run = run_gate_certificate },
    { "agentDownloadCertificate", "POST", "/agent/v1/downloads/", "/certificate", .has_argument = true,
      .run = run_download_certificate },
    { "agentPoints", "POST", "/agent/v1/points", "", .read = agent_read_points, .run = agent_points },
    { "agentLogCertificate", "POST", "/agent/v1/logs/certificate", "", .run = run_log_certificate },
    { "agentGoal", "GET", "/agent/v1/goal", "", .is_poll = true, .read = read_poll, .run = run_goal },
};

size_t
agents_count(void)
{
    return LENGTH(operations);
}

const char *
agents_name(size_t index)
{
    return operations[index].name;
}

/* ---- Stages ---- */
static bool
matches(str path, const struct agent_operation *operation, str *ret_argument)
{
    str from = str_from(operation->before), to = str_from(operation->behind);
    if (!operation->has_argument)
        return str_eq(path, from);
    if (path.len <= from.len + to.len || !str_starts_with(path, from) || !str_ends_with(path, to))
        return false;
    *ret_argument = str_slice(path, from.len, path.len - to.len);
    return str_find(*ret_argument, '/') < 0;
}

static error
route(struct request *req)
{
    str query = req->in.target;
    req->path = str_dup(req->arena, str_cut(&query, '?'));
    req->agent = ARENA_NEW(req->arena, struct agent_call);
    if (req->agent == NULL)
        return fail(req->arena, OVERLOADED);
    *req->agent = (struct agent_call){ .argument = STR_EMPTY, .epoch = -1 };
    for (size_t i = 0; i < LENGTH(operations); i++) {
        if (!matches(req->path, &operations[i], &req->agent->argument))
            continue;
        req->name = operations[i].name;
        req->counter = req->api->first_counter + i;
        req->agent->operation = &operations[i];
        return str_is(req->in.method, operations[i].method)
                   ? OK
                   : fail(req->arena, METHOD_NOT_ALLOWED, V(req->in.method), V(req->path));
    }
    return request_not_found(req);
}

static error
check_certificate(struct request *req)
{
    return req->in.serial.len > 0 || req->agent->operation->is_open ? OK : fail(req->arena, CERTIFICATE_REQUIRED);
}

/* What is wrong with a report is told once it is known that a host asks: a stranger learns nothing from it. */
static error
read_what_is_sent(struct request *req)
{
    const struct agent_operation *operation = req->agent->operation;
    error problem = operation->read == NULL ? OK : operation->read(req);
    if (operation->is_poll)
        return problem;
    req->input_problem = problem;
    return OK;
}

static error
find_host(struct request *req)
{
    struct agent_call *call = req->agent;
    struct host_known known;
    if (call->operation->is_open || call->is_judged)
        return OK;
    if (!req->may_block) {
        req->needs = call->operation->is_poll ? API_NEEDS_NEWS : API_NEEDS_THREAD;
        return WOULD_BLOCK;
    }
    TRY(store_host_by_serial(agents_fleet(req)->store, req->arena, req->in.serial, &known));
    TRY(judge_host(req->arena, &known, call->epoch));
    call->host = known.host;
    return OK;
}

static error
tell_problem(struct request *req)
{
    if (req->input_problem != OK)
        refusal_note(req->agent->host, "agent_report_refused", req->input_problem->detail);
    return req->input_problem;
}

static error
run(struct request *req)
{
    return req->may_block ? req->agent->operation->run(req) : WOULD_BLOCK;
}

/* A half-built answer never leaves. */
static error
check_room(struct request *req)
{
    return arena_is_exhausted(req->arena) ? error_retry_after(req->arena, fail(req->arena, OVERLOADED), 5) : OK;
}

// clang-format off
static const struct stage stages[] = {
    { "route", route, "what does the host ask for?", "404, 405" },
    { "certificate", check_certificate, "has it a certificate of the fleet, unless it joins?", "401" },
    { "read", read_what_is_sent, "what does it send? (told to hosts only)", "400" },
    { "host", find_host, "whose certificate is it, and is it the host's still? A poll waits here until there is a new goal.", "403, 409" },
    { "input", tell_problem, "is what it sends valid?", "400" },
    { "run", run, "the operation", "404, 409 …" },
    { "room", check_room, "did the answer fit?", "503" },
};
// clang-format on

const struct stage_list agent_stages = { "A request of a host", stages, LENGTH(stages), NULL };

/* ---- Opening ---- */
struct agents *
agents_new(struct fleet *fleet, struct metrics *metrics, size_t first_counter)
{
    struct agents *agents = calloc(1, sizeof(*agents));
    if (agents == NULL)
        return NULL;
    agents->api = (struct api){
        .stages = &agent_stages, .store = fleet->store, .metrics = metrics, .first_counter = first_counter
    };
    agents->fleet = fleet;
    return agents;
}

void
agents_free(struct agents *agents)
{
    free(agents);
}

struct api *
agents_api(struct agents *agents)
{
    return &agents->api;
}
