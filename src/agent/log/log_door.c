/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/log/log_door.h"

#include <errno.h>

#include "agent/certificates.h"
#include "agent/internal.h"
#include "agent/unit_file.h"
#include "agent/unit_keep.h"
#include "base/clock.h"
#include "base/log.h"

#define FOLDER "/var/lib/reeve/door"
#define UNIT   "reeve-logs.service"

enum { CALM_MS = 60 * 1000, SLICE_MS = 500, DOOR_ARENA_BYTES = 16 * 1024 * 1024 };

/*
 * A user that is made for it, who reads the journal and nothing else of this host: the key is handed to it by systemd. It answers, and
 * connects to nobody.
 */
static const char unit[] = "# Written by reeve-agent, which overwrites whatever is changed here.\n"
                           "[Unit]\n"
                           "Description=Reeve logs of members, for the control plane\n"
                           "StartLimitIntervalSec=0\n"
                           "\n"
                           "[Service]\n"
                           "Type=exec\n"
                           "DynamicUser=yes\n"
                           "SupplementaryGroups=systemd-journal\n"
                           "LoadCredential=server.crt:" FOLDER "/server.crt\n"
                           "LoadCredential=server.key:" FOLDER "/server.key\n"
                           "LoadCredential=authority.crt:" FOLDER "/authority.crt\n"
                           "ExecStart=%s show-logs --folder %%d\n"
                           "Restart=always\n"
                           "RestartSec=1\n"
                           "TimeoutStopSec=5\n"
                           "LimitNOFILE=2048\n"
                           "TasksMax=128\n"
                           "MemoryMax=512M\n"
                           "CPUWeight=20\n"
                           "IOWeight=20\n"
                           "TemporaryFileSystem=/var/lib/reeve:ro\n"
                           "NoNewPrivileges=yes\n"
                           "CapabilityBoundingSet=\n"
                           "AmbientCapabilities=\n"
                           "LockPersonality=yes\n"
                           "MemoryDenyWriteExecute=yes\n"
                           "PrivateDevices=yes\n"
                           "PrivateIPC=yes\n"
                           "PrivateTmp=yes\n"
                           "ProcSubset=pid\n"
                           "ProtectClock=yes\n"
                           "ProtectControlGroups=yes\n"
                           "ProtectHome=yes\n"
                           "ProtectHostname=yes\n"
                           "ProtectKernelLogs=yes\n"
                           "ProtectKernelModules=yes\n"
                           "ProtectKernelTunables=yes\n"
                           "ProtectProc=invisible\n" UNIT_ONLY_LISTENS "\n"
                           "[Install]\n"
                           "WantedBy=multi-user.target\n";

static error
keep_open(struct agent *agent, struct arena *arena, struct caller *caller, const struct goal *goal)
{
    static const struct disk_owner root = { 0, 0 };
    struct units *units = agent->host.units;
    bool changed = false;
    str state;
    if (!disk_make_folder(FOLDER, 0700, root))
        return problem(arena, FOLDER " cannot be made: %s.", strerror(errno));
    TRY(certificates_of_log_door(caller, arena, agent->host.state, str_from(FOLDER), &changed));
    if (!disk_keep(arena, FOLDER "/authority.crt", goal->authority, 0644, root, &changed))
        return problem(arena, FOLDER "/authority.crt cannot be written: %s.", strerror(errno));
    TRY(unit_keep(units, arena, UNIT, str_format(arena, unit, agent->host.agent.data), true, &changed));
    TRY(units_state(units, arena, UNIT, &state));
    if (changed && unit_is_up(state))
        TRY(units_restart(units, arena, UNIT));
    TRY(unit_keep_up(units, arena, UNIT, &state));
    return str_is(state, "active") ? OK : problem(arena, UNIT " does not run: its journal says why.");
}

/* Under a goal of the control plane only: without one nobody asks. */
static bool
go_round(struct agent *agent, struct caller *caller, bool was_open)
{
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(DOOR_ARENA_BYTES);
    struct held_goal *held = agent_hold_goal(agent);
    error why = OK;
    if (arena != NULL && held != NULL && held->goal.authority.len > 0 && agent->host.state->url.len > 0)
        why = keep_open(agent, arena, caller, &held->goal);
    if (why != OK && was_open)
        log_line(LOG_WARNING, "log_door", "%.*s", STR_ARG(why->detail));
    bool is_open = held != NULL && why == OK;
    if (held != NULL)
        agent_release_goal(agent, held);
    return is_open;
}

static void
pause_for(struct agent *agent, int64_t ms)
{
    for (; ms > 0 && !agent_is_ending(agent); ms -= SLICE_MS)
        clock_sleep_ms(SLICE_MS);
}

void *
log_door_run(void *context)
{
    struct agent *agent = context;
    struct caller *caller CLEANUP(caller_cleanup) = caller_new();
    int failures = 0;
    while (caller != NULL && !agent_is_ending(agent)) {
        failures = go_round(agent, caller, failures == 0) ? 0 : failures + 1;
        pause_for(agent, failures == 0 ? CALM_MS : agent_backoff_ms(failures));
    }
    return NULL;
}
