/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/certificates.h"

#include <errno.h>

#include "agent/control.h"
#include "base/clock.h"
#include "base/disk_below.h"
#include "base/failpoint.h"
#include "base/log.h"

#define KEY         "tls/member.key"
#define CERTIFICATE "tls/member.crt"

enum { PEM_BYTES = 256 * 1024 };

enum verdict { GOOD, OLD, BAD }; /* OLD: works, and should be renewed */

static enum verdict
judge_time(str certificate)
{
    struct certificate_facts facts;
    int64_t now = clock_now_ms();
    if (!certificate_read(certificate, &facts) || now >= facts.not_after_ms)
        return BAD;
    return facts.not_after_ms - now < (facts.not_after_ms - facts.not_before_ms) / 3 ? OLD : GOOD;
}

static enum verdict
judge_member(const struct goal_member *member, str certificate, str key)
{
    if (!certificate_is_of(certificate, key) || !certificate_is_for(certificate, member->address))
        return BAD;
    for (size_t i = 0; i < member->names.count; i++) {
        if (!certificate_is_for(certificate, member->names.items[i]))
            return BAD;
    }
    return judge_time(certificate);
}

static error
read_or_make_key(struct engine_member *self, str *ret_key)
{
    struct arena *arena = self->arena;
    if (disk_below_read(arena, self->folder.data, KEY, PEM_BYTES, self->owner.user, ret_key) && ret_key->len > 0)
        return OK;
    if (!certificate_key_new(arena, ret_key))
        return problem(arena, "A key could not be made.");
    if (!disk_below_replace(self->folder.data, KEY, *ret_key, 0640, self->files))
        return problem(arena, "%s/" KEY " cannot be written: %s.", self->folder.data, strerror(errno));
    return OK;
}

static error
fetch_member(struct engine_member *self, const struct state *state, str key)
{
    str request;
    struct control_certificate issued;
    if (state->url.len == 0)
        return problem(self->arena,
                       "%s/" CERTIFICATE " is missing or wrong, and without a control plane nobody signs another one.",
                       self->folder.data);
    if (!certificate_request_new(self->arena, key, self->member->name, &request))
        return problem(self->arena, "A certificate request could not be made.");
    TRY(control_member_certificate(self->caller, self->arena, state, self->member->id, request, &issued));
    if (judge_member(self->member, issued.certificate, key) == BAD)
        return problem(self->arena, "The certificate that came for %s is not for its names.", self->member->name.data);
    failpoint("agent:member:write-certificate:before");
    if (!disk_below_replace(self->folder.data, CERTIFICATE, issued.certificate, 0640, self->files))
        return problem(self->arena, "%s/" CERTIFICATE " cannot be written: %s.", self->folder.data, strerror(errno));
    failpoint("agent:member:write-certificate:after");
    return OK;
}

error
certificates_of_member(struct engine_member *self, const struct state *state, bool *ret_changed)
{
    str key, certificate = STR_EMPTY;
    TRY(read_or_make_key(self, &key));
    if (!disk_below_read(self->arena, self->folder.data, CERTIFICATE, PEM_BYTES, self->owner.user, &certificate))
        certificate = STR_EMPTY;
    enum verdict verdict = judge_member(self->member, certificate, key);
    if (verdict == GOOD || (verdict == OLD && state->url.len == 0))
        return OK;
    error why = fetch_member(self, state, key);
    if (why == OK)
        *ret_changed = true;
    else if (verdict == OLD) {
        log_line(LOG_WARNING, "certificate_not_renewed", "%s: %.*s", self->member->name.data, STR_ARG(why->detail));
        why = OK;
    }
    return why;
}

error
certificates_of_host(struct caller *caller, struct arena *arena, const struct state *state, bool *ret_changed)
{
    str key, certificate, request;
    struct control_certificate issued;
    if (!disk_read(arena, state->key.data, PEM_BYTES, &key) ||
        !disk_read(arena, state->certificate.data, PEM_BYTES, &certificate))
        return problem(arena, "The host's key or certificate in %s cannot be read.", state->folder.data);
    if (judge_time(certificate) == GOOD)
        return OK;
    if (!certificate_request_new(arena, key, id_text(arena, state->host), &request))
        return problem(arena, "A certificate request could not be made.");
    TRY(control_renew(caller, arena, state, request, &issued));
    if (!certificate_is_of(issued.certificate, key) || judge_time(issued.certificate) == BAD)
        return problem(arena, "The certificate that came for this host is of another key, or over.");
    failpoint("agent:host:write-certificate:before");
    TRY(state_write(arena, state->certificate, issued.certificate));
    *ret_changed = true;
    log_line(LOG_INFO, "certificate_renewed", "This host has a new certificate.");
    return OK;
}
