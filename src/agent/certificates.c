/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/certificates.h"

#include <errno.h>

#include "agent/control.h"
#include "base/clock.h"
#include "base/disk_below.h"
#include "base/failpoint.h"
#include "base/log.h"
#include "base/net/log_door.h"

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

/*
 * What a member has certificates for. Each has a key of its own, so that who steals one has nothing else. `authority` is where the
 * signer's own certificate is kept, when it is not the fleet's.
 */
struct purpose {
    const char *word, *name, *authority;
    bool has_names; /* it is a server's, too */
};
static const struct purpose purposes[] = {
    { "SERVER", "member", NULL, true },
    { "CLUSTER", "cluster", CLUSTER_AUTHORITY, true },
    { "ETCD", "etcd", NULL, false },
};

static bool
is_closed(const struct engine_member *self)
{
    return self->cluster->walls == WALLS_CLOSED;
}

/* Until the cluster is closed, one certificate is for everything, as agents from before have it. */
static const char *
word_of(const struct engine_member *self, const struct purpose *purpose)
{
    return purpose == &purposes[0] && !is_closed(self) ? "" : purpose->word;
}

static enum verdict
judge_member(const struct engine_member *self, const struct purpose *purpose, str certificate, str key)
{
    const struct goal_member *member = self->member;
    if (!certificate_is_of(certificate, key))
        return BAD;
    if (purpose->has_names && !certificate_is_for(certificate, member->address))
        return BAD;
    for (size_t i = 0; purpose->has_names && i < member->names.count; i++) {
        if (!certificate_is_for(certificate, member->names.items[i]))
            return BAD;
    }
    if (purpose == &purposes[0] && certificate_is_clients(certificate) == is_closed(self))
        return is_closed(self) ? OLD : BAD;
    return judge_time(certificate);
}

static error
read_or_make_key(struct engine_member *self, const char *name, str *ret_key)
{
    struct arena *arena = self->arena;
    if (disk_below_read(arena, self->folder.data, name, PEM_BYTES, self->owner.user, ret_key) && ret_key->len > 0)
        return OK;
    if (!certificate_key_new(arena, ret_key))
        return problem(arena, "A key could not be made.");
    if (!disk_below_replace(self->folder.data, name, *ret_key, 0640, self->files))
        return problem(arena, "%s/%s cannot be written: %s.", self->folder.data, name, strerror(errno));
    return OK;
}

/* The signer first: a certificate without it is asked for again, one with another's would be refused by everybody. */
static error
keep_issued(struct engine_member *self, const struct purpose *purpose, const struct control_certificate *issued,
            const char *name)
{
    failpoint("agent:member:write-certificate:before");
    if (purpose->authority != NULL) {
        if (str_eq(issued->authority, self->goal->authority))
            return problem(self->arena, "This control plane does not know yet what certificates are for.");
        if (!disk_below_replace(self->folder.data, purpose->authority, issued->authority, 0640, self->files))
            return problem(self->arena, "%s/%s cannot be written: %s.", self->folder.data, purpose->authority,
                           strerror(errno));
    }
    if (!disk_below_replace(self->folder.data, name, issued->certificate, 0640, self->files))
        return problem(self->arena, "%s/%s cannot be written: %s.", self->folder.data, name, strerror(errno));
    failpoint("agent:member:write-certificate:after");
    return OK;
}

static error
fetch_member(struct engine_member *self, const struct state *state, const struct purpose *purpose, str key,
             const char *name)
{
    str request;
    struct control_certificate issued;
    if (state->url.len == 0)
        return problem(self->arena, "%s/%s is missing or wrong, and without a control plane nobody signs another one.",
                       self->folder.data, name);
    if (!certificate_request_new(self->arena, key, self->member->name, &request))
        return problem(self->arena, "A certificate request could not be made.");
    TRY(control_member_certificate(self->caller, self->arena, state, self->member->id, word_of(self, purpose), request,
                                   &issued));
    if (judge_member(self, purpose, issued.certificate, key) == BAD)
        return problem(self->arena, "The certificate that came for %s is not for its names.", self->member->name.data);
    return keep_issued(self, purpose, &issued, name);
}

static error
keep_certificate(struct engine_member *self, const struct state *state, const struct purpose *purpose,
                 bool *ret_changed)
{
    str key_name = str_format(self->arena, "tls/%s.key", purpose->name);
    str name = str_format(self->arena, "tls/%s.crt", purpose->name);
    str key, certificate = STR_EMPTY;
    TRY(read_or_make_key(self, key_name.data, &key));
    if (!disk_below_read(self->arena, self->folder.data, name.data, PEM_BYTES, self->owner.user, &certificate))
        certificate = STR_EMPTY;
    enum verdict verdict = judge_member(self, purpose, certificate, key);
    if (verdict == GOOD || (verdict == OLD && state->url.len == 0))
        return OK;
    error why = fetch_member(self, state, purpose, key, name.data);
    if (why == OK)
        *ret_changed = true;
    else if (verdict == OLD) {
        log_line(LOG_WARNING, "certificate_not_renewed", "%s: %.*s", self->member->name.data, STR_ARG(why->detail));
        why = OK;
    }
    return why;
}

error
certificates_of_member(struct engine_member *self, const struct state *state, bool *ret_changed)
{
    size_t count = self->cluster->walls == WALLS_NONE ? 1 : LENGTH(purposes);
    for (size_t i = 0; i < count; i++)
        TRY(keep_certificate(self, state, &purposes[i], ret_changed));
    return OK;
}

/* ---- Of a seat, of a gate, of a download, and of the door to logs ---- */
struct sort {
    const char *word, *key, *certificate;
    mode_t key_mode, certificate_mode;
    error (*ask)(struct caller *, struct arena *, const struct state *, id, str, struct control_certificate *);
};
static const struct sort seats = { "seat", "tls/seat.key", "tls/seat.crt", 0640, 0640, control_seat_certificate };
/* The key is shown to its server only while that starts. */
static const struct sort gates = { "gate", "key/gate.key", "gate/gate.crt", 0600, 0640, control_gate_certificate };

/* Its folder lets nobody in but root and the seat. */
static const struct sort downloads = { "download", "serve/server.key",          "serve/server.crt", 0644,
                                       0644,       control_download_certificate };

/* The server is handed it by systemd. */
static const struct sort log_doors = { "log door", "server.key", "server.crt", 0600, 0644, control_log_certificate };

struct owner {
    id id;
    str folder;
    struct disk_owner files;
};

static error
fetch(const struct sort *sort, struct caller *caller, struct arena *arena, const struct state *state,
      const struct owner *owner, str key)
{
    str request;
    struct control_certificate issued;
    if (state->url.len == 0)
        return problem(arena, "%s/%s is missing or wrong, and without a control plane nobody signs another one.",
                       owner->folder.data, sort->certificate);
    if (!certificate_request_new(arena, key, id_text(arena, owner->id), &request))
        return problem(arena, "A certificate request could not be made.");
    TRY(sort->ask(caller, arena, state, owner->id, request, &issued));
    if (!certificate_is_of(issued.certificate, key) || judge_time(issued.certificate) == BAD)
        return problem(arena, "The certificate that came for a %s is of another key, or over.", sort->word);
    failpoint("agent:seat:write-certificate:before");
    return disk_below_replace(owner->folder.data, sort->certificate, issued.certificate, sort->certificate_mode,
                              owner->files)
               ? OK
               : problem(arena, "%s/%s cannot be written: %s.", owner->folder.data, sort->certificate, strerror(errno));
}

static error
keep_sort(const struct sort *sort, struct caller *caller, struct arena *arena, const struct state *state,
          const struct owner *owner, bool *ret_changed)
{
    const char *folder = owner->folder.data;
    str key, certificate = STR_EMPTY;
    if (!disk_below_read(arena, folder, sort->key, PEM_BYTES, 0, &key) || key.len == 0) {
        if (!certificate_key_new(arena, &key))
            return problem(arena, "A key could not be made.");
        if (!disk_below_replace(folder, sort->key, key, sort->key_mode, owner->files))
            return problem(arena, "%s/%s cannot be written: %s.", folder, sort->key, strerror(errno));
    }
    if (!disk_below_read(arena, folder, sort->certificate, PEM_BYTES, 0, &certificate))
        certificate = STR_EMPTY;
    enum verdict verdict = certificate_is_of(certificate, key) ? judge_time(certificate) : BAD;
    if (verdict == GOOD || (verdict == OLD && state->url.len == 0))
        return OK;
    error why = fetch(sort, caller, arena, state, owner, key);
    if (why == OK)
        *ret_changed = true;
    else if (verdict == OLD)
        log_line(LOG_WARNING, "certificate_not_renewed", "%.*s", STR_ARG(why->detail));
    return verdict == OLD ? OK : why;
}

error
certificates_of_seat(struct caller *caller, struct arena *arena, const struct state *state, id seat, str folder,
                     struct disk_owner files, bool *ret_changed)
{
    return keep_sort(&seats, caller, arena, state, &(struct owner){ seat, folder, files }, ret_changed);
}

error
certificates_of_gate(struct caller *caller, struct arena *arena, const struct state *state, id gate, str folder,
                     struct disk_owner files, bool *ret_changed)
{
    return keep_sort(&gates, caller, arena, state, &(struct owner){ gate, folder, files }, ret_changed);
}

error
certificates_of_download(struct caller *caller, struct arena *arena, const struct state *state, id download, str folder,
                         bool *ret_changed)
{
    const struct owner owner = { download, folder, { 0, 0 } };
    return keep_sort(&downloads, caller, arena, state, &owner, ret_changed);
}

error
certificates_of_log_door(struct caller *caller, struct arena *arena, const struct state *state, str folder,
                         bool *ret_changed)
{
    const struct owner owner = { state->host, folder, { 0, 0 } };
    str before, name = str_format(arena, LOG_DOOR_NAME "%s", id_text(arena, state->host).data);
    /* Of an earlier life as another host. */
    if (disk_below_read(arena, folder.data, log_doors.certificate, PEM_BYTES, 0, &before) &&
        !certificate_is_for(before, name) &&
        !disk_remove(str_format(arena, "%s/%s", folder.data, log_doors.certificate).data))
        return problem(arena, "%s/%s cannot be removed: %s.", folder.data, log_doors.certificate, strerror(errno));
    return keep_sort(&log_doors, caller, arena, state, &owner, ret_changed);
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
