/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/control.h"

#include "wire/goal.h"
#include "wire/shape.h"

enum { LONG_POLL_MS = 65000, REQUEST_MS = 20000, SMALL_BYTES = 1024 * 1024 };

// clang-format off
static const struct wire_field certificate_fields[] = {
    { "certificate", WIRE_TEXT, WIRE_REQUIRED, offsetof(struct control_certificate, certificate), .max = SMALL_BYTES },
    { "authority",   WIRE_TEXT, WIRE_REQUIRED, offsetof(struct control_certificate, authority),   .max = SMALL_BYTES },
};
static const struct wire_shape certificate_shape = WIRE_SHAPE(struct control_certificate, certificate_fields);

static const struct wire_field joined_fields[] = {
    { "hostId",      WIRE_ID,   WIRE_REQUIRED, offsetof(struct control_joined, host) },
    { "hostName",    WIRE_TEXT, WIRE_REQUIRED, offsetof(struct control_joined, host_name),   .max = 1024 },
    { "epoch",       WIRE_INT,  WIRE_REQUIRED, offsetof(struct control_joined, epoch),       .max = INT64_MAX },
    { "certificate", WIRE_TEXT, WIRE_REQUIRED, offsetof(struct control_joined, certificate), .max = SMALL_BYTES },
    { "authority",   WIRE_TEXT, WIRE_REQUIRED, offsetof(struct control_joined, authority),   .max = SMALL_BYTES },
};
static const struct wire_shape joined_shape = WIRE_SHAPE(struct control_joined, joined_fields);

static const struct wire_field points_fields[] = {
    { "stores",  WIRE_INT,  0, offsetof(struct control_points, stores),  .max = 1000 },
    { "started", WIRE_TEXT, 0, offsetof(struct control_points, started), .max = 1024 },
    { "foreign", WIRE_INT,  0, offsetof(struct control_points, foreign), .max = INT64_MAX },
};
static const struct wire_shape points_shape = WIRE_SHAPE(struct control_points, points_fields);

/* Of an error document only what an agent acts on. */
struct refusal {
    str code, detail;
};
static const struct wire_field refusal_fields[] = {
    { "errorCode", WIRE_TEXT, 0, offsetof(struct refusal, code),   .max = 256 },
    { "detail",    WIRE_TEXT, 0, offsetof(struct refusal, detail), .max = 4096 },
};
static const struct wire_shape refusal_shape = WIRE_SHAPE(struct refusal, refusal_fields);
// clang-format on

static struct refusal
read_refusal(struct arena *arena, const struct answer *answer)
{
    struct refusal refusal = { .code = STR_EMPTY, .detail = STR_EMPTY };
    if (wire_read(arena, answer->body, &refusal_shape, &refusal) != OK)
        refusal = (struct refusal){ STR_EMPTY, STR_EMPTY };
    return refusal;
}

static error
refused(struct arena *arena, const char *what, const struct answer *answer)
{
    struct refusal refusal = read_refusal(arena, answer);
    return problem(arena, "The control plane refused %s with %d: %.*s", what, answer->status, STR_ARG(refusal.detail));
}

static bool
is_stale(struct arena *arena, const struct answer *answer)
{
    return answer->status == 409 && str_is(read_refusal(arena, answer).code, "STALE_EPOCH");
}

static error
ask(struct caller *caller, struct arena *arena, const struct state *state, const char *method, str path, str body,
    int timeout_ms, size_t cap_bytes, struct answer *ret_answer)
{
    struct call call = {
        .method = method,
        .url = str_format(arena, "%s%s", state->url.data, path.data),
        .identity = state_call_identity(state),
        .body = body,
        .timeout_ms = timeout_ms,
        .cap_bytes = cap_bytes,
    };
    return call_make(caller, arena, &call, ret_answer);
}

error
control_goal(struct caller *caller, struct arena *arena, const struct state *state, int64_t after,
             enum control_verdict *ret_verdict, str *ret_document)
{
    struct answer answer;
    str path = str_format(arena, "/agent/v1/goal?after=%lld&epoch=%lld", (long long)after, (long long)state->epoch);
    TRY(ask(caller, arena, state, "GET", path, STR_EMPTY, LONG_POLL_MS, GOAL_MAX_BYTES, &answer));
    *ret_document = answer.body;
    *ret_verdict = answer.status == 204 ? CONTROL_NOTHING : is_stale(arena, &answer) ? CONTROL_STALE : CONTROL_OK;
    return answer.status == 200 || *ret_verdict != CONTROL_OK ? OK : refused(arena, "the goal", &answer);
}

error
control_report(struct caller *caller, struct arena *arena, const struct state *state, str report,
               enum control_verdict *ret_verdict)
{
    struct answer answer;
    TRY(ask(caller, arena, state, "POST", STR("/agent/v1/report"), report, REQUEST_MS, SMALL_BYTES, &answer));
    *ret_verdict = is_stale(arena, &answer) ? CONTROL_STALE : CONTROL_OK;
    return answer.status == 200 || *ret_verdict == CONTROL_STALE ? OK : refused(arena, "the report", &answer);
}

static error
ask_certificate(struct caller *caller, struct arena *arena, const struct state *state, str path, const char *purpose,
                str request, struct control_certificate *ret_certificate)
{
    struct answer answer;
    struct buf body = buf_in(arena, SMALL_BYTES);
    buf_add_text(&body, "{\"csr\":");
    buf_add_json(&body, request);
    if (purpose[0] != '\0')
        buf_format(&body, ",\"purpose\":\"%s\"", purpose);
    buf_add_char(&body, '}');
    TRY(ask(caller, arena, state, "POST", path, buf_str(&body), REQUEST_MS, SMALL_BYTES, &answer));
    if (answer.status != 200)
        return refused(arena, "a certificate", &answer);
    return wire_read(arena, answer.body, &certificate_shape, ret_certificate);
}

error
control_renew(struct caller *caller, struct arena *arena, const struct state *state, str request,
              struct control_certificate *ret_certificate)
{
    return ask_certificate(caller, arena, state, STR("/agent/v1/certificate"), "", request, ret_certificate);
}

error
control_member_certificate(struct caller *caller, struct arena *arena, const struct state *state, id member,
                           const char *purpose, str request, struct control_certificate *ret_certificate)
{
    str path = str_format(arena, "/agent/v1/members/%s/certificate", id_text(arena, member).data);
    return ask_certificate(caller, arena, state, path, purpose, request, ret_certificate);
}

error
control_seat_certificate(struct caller *caller, struct arena *arena, const struct state *state, id seat, str request,
                         struct control_certificate *ret_certificate)
{
    str path = str_format(arena, "/agent/v1/seats/%s/certificate", id_text(arena, seat).data);
    return ask_certificate(caller, arena, state, path, "", request, ret_certificate);
}

error
control_gate_certificate(struct caller *caller, struct arena *arena, const struct state *state, id gate, str request,
                         struct control_certificate *ret_certificate)
{
    str path = str_format(arena, "/agent/v1/gates/%s/certificate", id_text(arena, gate).data);
    return ask_certificate(caller, arena, state, path, "", request, ret_certificate);
}

error
control_download_certificate(struct caller *caller, struct arena *arena, const struct state *state, id download,
                             str request, struct control_certificate *ret_certificate)
{
    str path = str_format(arena, "/agent/v1/downloads/%s/certificate", id_text(arena, download).data);
    return ask_certificate(caller, arena, state, path, "", request, ret_certificate);
}

static void
read_points(struct arena *arena, const struct answer *answer, struct control_points *points)
{
    *points = (struct control_points){ .stores = -1, .started = STR_EMPTY, .detail = STR_EMPTY };
    if (wire_read(arena, answer->body, &points_shape, points) != OK)
        *points = (struct control_points){ .stores = -1, .started = STR_EMPTY, .detail = STR_EMPTY };
}

error
control_points(struct caller *caller, struct arena *arena, const struct state *state, int store, str batch,
               struct control_points *ret_points)
{
    struct answer answer;
    struct call call = {
        .method = "POST",
        .url = str_format(arena, "%s/agent/v1/points?store=%d", state->url.data, store),
        .identity = state_call_identity(state),
        .body = batch,
        .content_type = "text/plain",
        .timeout_ms = REQUEST_MS,
        .cap_bytes = SMALL_BYTES,
    };
    TRY(call_make(caller, arena, &call, &answer));
    if (answer.status != 200 && answer.status != 400 && answer.status != 404 && answer.status != 413)
        return refused(arena, "measurements", &answer);
    read_points(arena, &answer, ret_points);
    /* A node that is older than this agent knows no such path. That is nothing that it said about stores. */
    if (answer.status == 404 && ret_points->stores < 0)
        return refused(arena, "measurements", &answer);
    ret_points->verdict = answer.status == 200   ? CONTROL_POINTS_TAKEN
                          : answer.status == 404 ? CONTROL_POINTS_NO_STORE
                                                 : CONTROL_POINTS_REFUSED;
    if (answer.status != 200)
        ret_points->detail = read_refusal(arena, &answer).detail;
    return OK;
}

error
control_advice(struct caller *caller, struct arena *arena, const struct state *state, id member, str document,
               bool *ret_is_taken)
{
    struct answer answer;
    str path = str_format(arena, "/agent/v1/members/%s/advice", id_text(arena, member).data);
    *ret_is_taken = false;
    TRY(ask(caller, arena, state, "POST", path, document, REQUEST_MS, SMALL_BYTES, &answer));
    *ret_is_taken = answer.status == 200 || answer.status == 400 || answer.status == 404 || answer.status == 413;
    return answer.status == 200 ? OK : refused(arena, "advice", &answer);
}

error
control_log_certificate(struct caller *caller, struct arena *arena, const struct state *state, id host, str request,
                        struct control_certificate *ret_certificate)
{
    (void)host; /* its own certificate says which one it is */
    return ask_certificate(caller, arena, state, STR("/agent/v1/logs/certificate"), "", request, ret_certificate);
}

error
control_join(struct caller *caller, struct arena *arena, const struct state *state, str token, str request, str facts,
             struct control_joined *ret_joined)
{
    struct answer answer;
    struct buf body = buf_in(arena, SMALL_BYTES);
    buf_add_text(&body, "{\"token\":");
    buf_add_json(&body, token);
    buf_add_text(&body, ",\"csr\":");
    buf_add_json(&body, request);
    buf_add_text(&body, ",\"facts\":");
    buf_add(&body, facts);
    buf_add_char(&body, '}');
    struct call call = {
        .method = "POST",
        .url = str_format(arena, "%s/agent/v1/join", state->url.data),
        .identity = { .authority = state->authority.data },
        .body = buf_str(&body),
        .timeout_ms = REQUEST_MS,
        .cap_bytes = SMALL_BYTES,
    };
    TRY(call_make(caller, arena, &call, &answer));
    if (answer.status != 201)
        return refused(arena, "to let this host join", &answer);
    return wire_read(arena, answer.body, &joined_shape, ret_joined);
}
