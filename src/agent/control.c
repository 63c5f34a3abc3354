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
