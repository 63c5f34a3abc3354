/* SPDX-License-Identifier: Apache-2.0 */
/* What an agent keeps on disk: its identity, its key and certificate, its goal, and its last report. */
#ifndef AGENT_STATE_H
#define AGENT_STATE_H

#include "base/crypto/certificate.h"
#include "base/crypto/certificate_look.h"
#include "base/disk.h"
#include "base/id.h"
#include "engine/call.h"

#define STATE_FOLDER     "/var/lib/reeve/agent"
#define MEMBERS_FOLDER   "/var/lib/reeve/members"
#define SEATS_FOLDER     "/var/lib/reeve/stanzas"
#define DRILLS_FOLDER    "/var/lib/reeve/drills"
#define DOWNLOADS_FOLDER "/var/lib/reeve/downloads"
#define UNITS_FOLDER     "/etc/systemd/system"
#define VOLUMES_FOLDER   "/var/lib/reeve/volumes"

struct state {
    str folder;
    /* Paths below it. */
    str key, certificate, authority, identity, goal, report;
    /* What `join` brought; url is empty when this host has not joined. */
    str url, host_name;
    id host;
    int64_t epoch;
};

struct state state_in(struct arena *arena, str folder);
/* Reads the identity; an error when it is there and cannot be read. */
MUST_USE error state_load(struct arena *arena, struct state *state);
MUST_USE error state_save_identity(struct arena *arena, const struct state *state);
struct call_identity state_call_identity(const struct state *state);

/* Root's own: 0600 unless said otherwise. */
MUST_USE error state_write(struct arena *arena, str path, str content);

#endif
