/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/member.h"

#include <errno.h>

#include "agent/address.h"
#include "agent/certificates.h"
#include "agent/unit_file.h"
#include "base/failpoint.h"
#include "base/log.h"

static const struct disk_owner root = { 0, 0 };

struct pass {
    const struct member_host *host;
    struct engine_member self;
    struct member_memory *memory;
    struct report_member *report;
    str unit, unit_path;
};

struct engine_member
member_engine(const struct member_host *host, struct arena *arena, struct caller *caller, const struct goal *goal,
              const struct goal_member *member)
{
    str folder = str_format(arena, MEMBERS_FOLDER "/%s", id_text(arena, member->id).data);
    return (struct engine_member){
        .arena = arena,
        .caller = caller,
        .goal = goal,
        .cluster = goal_find_cluster(goal, member->cluster),
        .member = member,
        .folder = folder,
        .owner = host->owner,
        .self = { .authority = str_format(arena, "%s/tls/authority.crt", folder.data).data,
                  .certificate = str_format(arena, "%s/tls/member.crt", folder.data).data,
                  .key = str_format(arena, "%s/tls/member.key", folder.data).data },
        .host = state_call_identity(host->state),
    };
}

/* ---- The unit ---- */
static error
keep_unit_file(struct pass *pass, bool *ret_changed)
{
    struct arena *arena = pass->self.arena;
    struct unit_wish wish = {
        .member = pass->self.member,
        .scope = pass->self.cluster->scope,
        .folder = pass->self.folder,
        .command = pass->host->engine->command(&pass->self),
        .agent = pass->host->agent,
    };
    failpoint("agent:member:write-unit:before");
    if (!disk_keep(arena, pass->unit_path.data, unit_text(arena, &wish), 0644, root, ret_changed))
        return problem(arena, "%s cannot be written: %s.", pass->unit_path.data, strerror(errno));
    failpoint("agent:member:write-unit:after");
    return OK;
}

static bool
is_enabled(struct pass *pass)
{
    return disk_exists(str_format(pass->self.arena, UNITS_FOLDER "/multi-user.target.wants/%s", pass->unit.data).data);
}

/* A unit that was enabled and an agent that was killed before systemd read it again: both are looked at each time. */
static error
keep_unit(struct pass *pass, bool *ret_changed)
{
    struct arena *arena = pass->self.arena;
    TRY(keep_unit_file(pass, ret_changed));
    if (!is_enabled(pass)) {
        failpoint("agent:member:enable-unit:before");
        TRY(units_enable(pass->host->units, arena, pass->unit.data));
        failpoint("agent:member:enable-unit:after");
        *ret_changed = true;
    }
    if (*ret_changed)
        TRY(units_reread(pass->host->units, arena));
    return OK;
}

static error
read_state(struct pass *pass)
{
    return units_state(pass->host->units, pass->self.arena, pass->unit.data, &pass->report->unit);
}

static bool
is_up(str state)
{
    return str_is(state, "active") || str_is(state, "activating") || str_is(state, "reloading");
}

/* ---- RUNNING ---- */
static error
start(struct pass *pass)
{
    failpoint("agent:member:start-unit:before");
    /* systemd may not have read a file that an agent wrote and was killed after. */
    if (str_is(pass->report->unit, "absent"))
        TRY(units_reread(pass->host->units, pass->self.arena));
    TRY(units_start(pass->host->units, pass->self.arena, pass->unit.data));
    failpoint("agent:member:start-unit:after");
    pass->memory->was_told = true;
    return read_state(pass);
}

static error
tell(struct pass *pass, bool unit_changed)
{
    const struct goal_member *member = pass->self.member;
    if (unit_changed)
        TRY(units_limit(pass->host->units, pass->self.arena, pass->unit.data, (uint64_t)member->memory_mb << 20,
                        member->cpus));
    TRY(units_reload(pass->host->units, pass->self.arena, pass->unit.data));
    pass->memory->was_told = true;
    return OK;
}

static error
look(struct pass *pass)
{
    struct engine_observation seen = {
        .role = STR("NONE"), .running = STR("unknown"), .timeline = -1, .lag_bytes = -1
    };
    error why = pass->host->engine->observe(&pass->self, &seen);
    pass->report->role = seen.role;
    pass->report->running = seen.running;
    pass->report->timeline = seen.timeline;
    pass->report->lag_bytes = seen.lag_bytes;
    pass->report->version = seen.version;
    pass->report->pending_restart = seen.pending_restart;
    TRY(why);
    return pass->host->engine->settle(&pass->self, &seen, &pass->memory->progress);
}

static error
bring_up(struct pass *pass)
{
    bool files_changed = false, unit_changed = false, certificate_changed = false;
    TRY(certificates_of_member(&pass->self, pass->host->state, &certificate_changed));
    pass->memory->progress.access_is_new |= certificate_changed;
    TRY(pass->host->engine->write_files(&pass->self, &pass->memory->progress, &files_changed));
    /* Until it was told, every pass tries again: a file that is on the disk is not yet in force. */
    if (files_changed || certificate_changed)
        pass->memory->was_told = false;
    TRY(keep_unit(pass, &unit_changed));
    TRY(read_state(pass));
    if (!is_up(pass->report->unit))
        TRY(start(pass));
    else if (str_is(pass->report->unit, "active") && (!pass->memory->was_told || unit_changed))
        TRY(tell(pass, unit_changed));
    return look(pass);
}

/* ---- STOPPED and REMOVED ---- */
static error
bring_down(struct pass *pass)
{
    struct arena *arena = pass->self.arena;
    TRY(read_state(pass));
    if (is_enabled(pass)) {
        TRY(units_disable(pass->host->units, arena, pass->unit.data));
        TRY(units_reread(pass->host->units, arena));
    }
    if (is_up(pass->report->unit) || str_is(pass->report->unit, "deactivating")) {
        failpoint("agent:member:stop-unit:before");
        TRY(units_stop(pass->host->units, arena, pass->unit.data));
        failpoint("agent:member:stop-unit:after");
    }
    pass->report->running = STR("stopped");
    pass->memory->progress = (struct engine_progress){ 0 };
    return read_state(pass);
}

/* In an order that can be begun again at any place: the unit last but one, because it is what makes a stray visible. */
static error
remove_all(struct pass *pass)
{
    struct arena *arena = pass->self.arena;
    TRY(bring_down(pass));
    failpoint("agent:member:remove-address:before");
    TRY(address_remove(arena, pass->self.member->address));
    failpoint("agent:member:remove-folder:before");
    if (!disk_remove_tree(pass->self.folder.data))
        return problem(arena, "%s cannot be removed: %s.", pass->self.folder.data, strerror(errno));
    failpoint("agent:member:remove-unit:before");
    bool had_unit = disk_exists(pass->unit_path.data) || !str_is(pass->report->unit, "absent");
    if (!disk_remove(pass->unit_path.data))
        return problem(arena, "%s cannot be removed: %s.", pass->unit_path.data, strerror(errno));
    if (had_unit) {
        TRY(units_reread(pass->host->units, arena));
        units_forget(pass->host->units, arena, pass->unit.data);
    }
    failpoint("agent:member:remove-unit:after");
    pass->report->running = STR("absent");
    return read_state(pass);
}

/* ---- ---- */
static error (*const ways[])(struct pass *) = {
    [DESIRED_RUNNING] = bring_up,
    [DESIRED_STOPPED] = bring_down,
    [DESIRED_REMOVED] = remove_all,
};

static bool
is_settled(const struct pass *pass)
{
    const struct engine_progress *progress = &pass->memory->progress;
    if (pass->self.member->desired != DESIRED_RUNNING)
        return true;
    return !str_is(pass->report->role, "NONE") && progress->goal_generation == pass->self.cluster->goal_generation &&
           progress->access_generation == pass->self.cluster->access_generation &&
           progress->restart_nonce == pass->self.member->restart_nonce && !progress->access_is_new;
}

bool
member_pass(const struct member_host *host, struct arena *arena, struct caller *caller, const struct goal *goal,
            const struct goal_member *member, struct member_memory *memory, struct report_member *ret_report)
{
    struct pass pass = {
        .host = host,
        .self = member_engine(host, arena, caller, goal, member),
        .memory = memory,
        .report = ret_report,
        .unit = unit_name(arena, member->id),
    };
    pass.unit_path = str_format(arena, UNITS_FOLDER "/%s", pass.unit.data);
    *ret_report = (struct report_member){ .id = member->id,
                                          .unit = STR("unknown"),
                                          .role = STR("NONE"),
                                          .running = STR("unknown"),
                                          .timeline = -1,
                                          .lag_bytes = -1,
                                          .version = STR_EMPTY,
                                          .problem = STR_EMPTY };
    error why = ways[member->desired](&pass);
    if (why == OK && arena_is_exhausted(arena))
        why = fail(arena, OVERLOADED);
    ret_report->goal_generation = memory->progress.goal_generation;
    ret_report->access_generation = memory->progress.access_generation;
    ret_report->restart_nonce = memory->progress.restart_nonce;
    if (why != OK)
        ret_report->problem = why->detail;
    return why == OK && is_settled(&pass);
}
