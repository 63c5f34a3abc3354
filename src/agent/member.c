/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/member.h"

#include <errno.h>
#include <signal.h>
#include <sys/stat.h>

#include "agent/address.h"
#include "agent/certificates.h"
#include "agent/member_backup.h"
#include "agent/member_pooler.h"
#include "agent/prepare.h"
#include "agent/restore/member_restore.h"
#include "agent/restore/member_way.h"
#include "agent/unit_file.h"
#include "agent/unit_keep.h"
#include "base/clock.h"
#include "base/failpoint.h"
#include "base/log.h"

enum { UNIT_BYTES = 256 * 1024, WALL_AGAIN_MS = 30 * 1000, QUIET_WAIT_MS = 60 * 1000, WALLS_WORD_BYTES = 32 };

static const struct disk_owner root = { 0, 0 };

/* What it was started with: Patroni shows another certificate only from its start on. */
static str
etcd_path(const struct member_host *host, struct arena *arena, id member)
{
    return str_format(arena, "%s/etcd-%s", host->state->folder.data, id_text(arena, member).data);
}

/* The unit file decides: as whom systemd starts it is what it runs as. */
static bool
is_shared(struct arena *arena, id member)
{
    str text;
    str path = str_format(arena, UNITS_FOLDER "/%s", unit_name(arena, member).data);
    return disk_read(arena, path.data, UNIT_BYTES, &text) && unit_is_shared(text);
}

/* As whom it runs, and what the agent writes for it belongs to. */
static void
set_owner(struct engine_member *self, const struct member_host *host)
{
    uid_t user = 0;
    if (users_find(host->users, self->member->id, &user))
        self->user = users_name(self->arena, user);
    self->owner = self->is_shared ? host->shared : (struct disk_owner){ user, (gid_t)user };
    self->files = (struct disk_owner){ 0, self->owner.group };
}

struct engine_member
member_engine(const struct member_host *host, struct arena *arena, struct caller *caller, const struct goal *goal,
              const struct goal_member *member)
{
    str folder = str_format(arena, MEMBERS_FOLDER "/%s", id_text(arena, member->id).data);
    const struct goal_cluster *cluster = goal_find_cluster(goal, member->cluster);
    const char *shown = cluster->walls == WALLS_NONE ? "member" : "cluster";
    const char *trusted = cluster->walls == WALLS_NONE     ? "tls/authority.crt"
                          : cluster->walls == WALLS_CLOSED ? CLUSTER_AUTHORITY
                                                           : BOTH_AUTHORITIES;
    struct engine_member self = {
        .arena = arena,
        .caller = caller,
        .goal = goal,
        .cluster = cluster,
        .member = member,
        .folder = folder,
        .user = STR_EMPTY,
        .is_shared = is_shared(arena, member->id),
        .has_etcd_user = disk_exists(etcd_path(host, arena, member->id).data),
        .self = { .authority = str_format(arena, "%s/%s", folder.data, trusted).data,
                  .certificate = str_format(arena, "%s/tls/%s.crt", folder.data, shown).data,
                  .key = str_format(arena, "%s/tls/%s.key", folder.data, shown).data },
        .host = state_call_identity(host->state),
    };
    set_owner(&self, host);
    return self;
}

/* ---- What it shares with others of its host ---- */
/* Members of its cluster on this host: the only ones that it may reach other than as a client. */
static str
peers_here(struct engine_member *self)
{
    const struct goal_peers *peers = &self->cluster->peers;
    struct buf out = buf_in(self->arena, UNIT_BYTES);
    str here = STR_EMPTY;
    for (size_t i = 0; i < peers->count; i++) {
        if (str_eq(peers->items[i].name, self->member->name))
            here = peers->items[i].host_address;
    }
    for (size_t i = 0; i < peers->count; i++) {
        const struct goal_peer *peer = &peers->items[i];
        if (str_eq(peer->host_address, here) && !str_eq(peer->name, self->member->name))
            buf_format(&out, "%s%.*s", out.len > 0 ? "," : "", STR_ARG(peer->address));
    }
    return buf_str(&out);
}

static str
etcd_ports(struct engine_member *self)
{
    struct buf out = buf_in(self->arena, UNIT_BYTES);
    const struct wire_texts *endpoints =
        self->cluster->etcd.endpoints.count > 0 ? &self->cluster->etcd.endpoints : &self->goal->etcd;
    for (size_t i = 0; i < endpoints->count; i++) {
        str url = endpoints->items[i];
        ptrdiff_t colon = -1;
        for (size_t k = 0; k < url.len; k++)
            colon = url.data[k] == ':' ? (ptrdiff_t)k : colon;
        str digits = str_slice(url, (size_t)(colon + 1), url.len);
        int64_t port;
        if (str_ends_with(digits, STR("/")))
            digits = str_slice(digits, 0, digits.len - 1);
        if (str_to_int(digits, 1, 65535, &port))
            buf_format(&out, "%s%d", out.len > 0 ? "," : "", (int)port);
    }
    return buf_str(&out);
}

static struct wall_member
wall_of(struct engine_member *self)
{
    return (struct wall_member){ .user = (unsigned)self->owner.user,
                                 .address = self->member->address,
                                 .port = (int)self->member->port,
                                 .others = peers_here(self),
                                 .etcd_ports = etcd_ports(self) };
}

/* Now and then again: somebody may have loaded other rules. The unit puts them up, too, before it starts. */
static error
keep_wall(struct pass *pass, bool unit_changed)
{
    int64_t now = clock_steady_ms();
    if (pass->self.is_shared ||
        (!unit_changed && pass->memory->wall_put_ms > 0 && now - pass->memory->wall_put_ms < WALL_AGAIN_MS))
        return OK;
    struct wall_member wall = wall_of(&pass->self);
    TRY(wall_put(pass->self.arena, &wall));
    pass->memory->wall_put_ms = now;
    return OK;
}

/* ---- The unit ---- */
static error
keep_unit_file(struct pass *pass, bool *ret_changed)
{
    struct arena *arena = pass->self.arena;
    struct unit_wish wish = {
        .member = pass->self.member,
        .user = pass->self.user,
        .scope = pass->self.cluster->scope,
        .folder = pass->self.folder,
        .command = pass->host->engine->command(&pass->self),
        .agent = pass->host->agent,
        .is_keyed = pass->key != MEMBER_KEY_NONE,
        .peers = peers_here(&pass->self),
        .etcd_ports = etcd_ports(&pass->self),
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
    /* One that systemd does not know yet is read when it is asked for; if not, start() has everything read again, which takes longer than
     * PostgreSQL needs to start. */
    if (*ret_changed && !str_is(pass->report->unit, "absent"))
        TRY(units_reread(pass->host->units, arena));
    return OK;
}

static error
read_state(struct pass *pass)
{
    return units_state(pass->host->units, pass->self.arena, pass->unit.data, &pass->report->unit);
}

/* ---- Which certificates are in force ---- */
/* With root's files and not the member's own: a member does not say by itself how far it is. */
static str
walls_path(const struct member_host *host, struct arena *arena, id member)
{
    return str_format(arena, "%s/walls-%s", host->state->folder.data, id_text(arena, member).data);
}

static error
note_walls(struct pass *pass)
{
    struct arena *arena = pass->self.arena;
    str path = walls_path(pass->host, arena, pass->self.member->id);
    str word = str_from(goal_walls_words[pass->self.cluster->walls]);
    if (word.len > 0 && !disk_keep(arena, path.data, word, 0600, root, NULL))
        return problem(arena, "%s cannot be written: %s.", path.data, strerror(errno));
    return OK;
}

static error
note_etcd(struct pass *pass)
{
    struct arena *arena = pass->self.arena;
    str path = etcd_path(pass->host, arena, pass->self.member->id);
    bool noted = pass->self.cluster->etcd.user.len > 0
                     ? disk_keep(arena, path.data, pass->self.cluster->etcd.user, 0600, root, NULL)
                     : disk_remove(path.data);
    pass->self.has_etcd_user = pass->self.cluster->etcd.user.len > 0;
    return noted ? OK : problem(arena, "%s cannot be written: %s.", path.data, strerror(errno));
}

static bool
lacks_etcd_user(const struct pass *pass)
{
    return pass->self.cluster->etcd.user.len > 0 && !pass->self.has_etcd_user;
}

struct wire_texts
member_walls(const struct member_host *host, struct arena *arena, const struct goal *goal)
{
    struct wire_texts walls = { .items = ARENA_ARRAY(arena, str, goal->members.count * 2 + 1) };
    for (size_t i = 0; walls.items != NULL && i < goal->members.count; i++) {
        id member = goal->members.items[i].id;
        str word;
        if (disk_read(arena, walls_path(host, arena, member).data, WALLS_WORD_BYTES, &word) && word.len > 0)
            walls.items[walls.count++] = str_format(arena, "%s=%s", id_text(arena, member).data, word.data);
        if (disk_exists(etcd_path(host, arena, member).data))
            walls.items[walls.count++] = str_format(arena, "%s+ETCD", id_text(arena, member).data);
    }
    return walls;
}

/* ---- RUNNING ---- */
static error
start(struct pass *pass)
{
    TRY(note_walls(pass)); /* what does not run yet begins with what its files say now */
    TRY(note_etcd(pass));
    failpoint("agent:member:start-unit:before");
    /* systemd may not have read a file that an agent wrote and was killed after. */
    if (str_is(pass->report->unit, "absent"))
        TRY(units_reread(pass->host->units, pass->self.arena));
    TRY(units_start(pass->host->units, pass->self.arena, pass->unit.data));
    failpoint("agent:member:start-unit:after");
    pass->memory->was_told = true;
    return read_state(pass);
}

/* By the unit's own command, which runs as the unit's user; that one may not signal a process that still runs as another. */
static error
tell(struct pass *pass, bool unit_changed, bool is_other)
{
    const struct goal_member *member = pass->self.member;
    uint32_t process = 0;
    if (unit_changed)
        TRY(units_limit(pass->host->units, pass->self.arena, pass->unit.data, (uint64_t)member->memory_mb << 20,
                        member->cpus));
    if (is_other)
        TRY(units_main_process(pass->host->units, pass->self.arena, pass->unit.data, &process));
    else
        TRY(units_reload(pass->host->units, pass->self.arena, pass->unit.data));
    if (process != 0 && kill((pid_t)process, SIGHUP) != 0)
        return problem(pass->self.arena, "%s cannot be told: %s.", pass->unit.data, strerror(errno));
    pass->memory->was_told = true;
    return OK;
}

/* ---- Moving to a user of its own ---- */
/* One that runs as somebody else although its unit says otherwise: an agent was killed between the two. */
static error
runs_as_other(struct pass *pass, bool *ret_other)
{
    struct stat status;
    uint32_t process = 0;
    uid_t user;
    *ret_other = false;
    if (pass->self.is_shared || !str_is(pass->report->unit, "active") ||
        !users_find(pass->host->users, pass->self.member->id, &user))
        return OK;
    TRY(units_main_process(pass->host->units, pass->self.arena, pass->unit.data, &process));
    str place = str_format(pass->self.arena, "/proc/%u", process);
    *ret_other = process != 0 && stat(place.data, &status) == 0 && status.st_uid != user;
    return OK;
}

/*
 * Members that were made by an older agent run as one system user. The unit file is what decides, and is replaced at once; whoever
 * starts the unit after that, the agent or systemd after a crash or a reboot, has it prepared first, which gives the files to
 * their new owner. So there is no moment at which a kill leaves something that does not start.
 */
static error
move_over(struct pass *pass)
{
    bool ignored = false;
    pass->self.is_shared = false;
    set_owner(&pass->self, pass->host);
    failpoint("agent:member:move:before");
    TRY(keep_unit(pass, &ignored));
    failpoint("agent:member:move:restart");
    TRY(units_reread(pass->host->units, pass->self.arena));
    if (unit_is_up(pass->report->unit))
        TRY(units_restart(pass->host->units, pass->self.arena, pass->unit.data));
    failpoint("agent:member:move:after");
    /* Not before: when it is not true, the control plane locks a member out of its etcd. Who is killed here moves it once more. */
    TRY(note_walls(pass));
    TRY(note_etcd(pass));
    pass->memory->was_told = false;
    pass->memory->waits_since_ms = 0;
    log_line(LOG_INFO, "member_moved", "%s runs as %s now%s%s.", pass->self.member->name.data, pass->self.user.data,
             pass->self.has_etcd_user ? ", in etcd as " : "",
             pass->self.has_etcd_user ? pass->self.cluster->etcd.user.data : "");
    return read_state(pass);
}

/* Waiting is no problem of the member's, unless it takes long. */
static error
wait_for_turn(struct pass *pass)
{
    int64_t now = clock_steady_ms();
    if (pass->memory->waits_since_ms == 0)
        pass->memory->waits_since_ms = now;
    int64_t waited = now - pass->memory->waits_since_ms;
    error why = pass->host->engine->make_way(&pass->self, waited);
    if (why == OK)
        return move_over(pass);
    return waited < QUIET_WAIT_MS
               ? OK
               : problem(pass->self.arena, "It waits to be started as %s: %.*s",
                         lacks_etcd_user(pass) ? pass->self.cluster->etcd.user.data : pass->self.user.data,
                         STR_ARG(why->detail));
}

static error
look(struct pass *pass)
{
    struct engine_observation seen = { .running = STR("unknown"), .timeline = -1, .lag_bytes = -1 };
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
take_user(struct pass *pass)
{
    uid_t user;
    TRY(users_take(pass->host->users, pass->self.arena, pass->self.member->id, &user));
    TRY(users_make_account(pass->self.arena, user));
    set_owner(&pass->self, pass->host);
    return read_state(pass);
}

struct volume_wish
member_volume_wish(struct pass *pass)
{
    return (struct volume_wish){ .member = pass->self.member->id,
                                 .disk_gb = pass->self.member->disk_gb,
                                 .group = pass->self.owner.group,
                                 .kind = volume_kind_of_host(pass->self.arena, pass->host->state),
                                 .state = pass->host->state };
}

/* Before anything is written to its folder, which they are mounted on. */
static error
keep_volumes(struct pass *pass)
{
    struct arena *arena = pass->self.arena;
    struct volume_memory *memory = &pass->memory->volume;
    const struct volume_wish wish = member_volume_wish(pass);
    TRY(volume_keep(pass->host->units, arena, &wish, memory, &pass->self.has_volumes, &pass->growth));
    if (pass->key == MEMBER_KEY_OPEN && !pass->self.has_volumes)
        return problem(
            arena,
            "This host gives its members no volumes, so nothing of this one can be encrypted: reeve-agent volumes thin");
    if (pass->self.has_volumes)
        volume_look(arena, wish.member, memory);
    return OK;
}

/* Who may connect is written on the member's own disk: on a full one with what was kept for such moments. */
static error
write_files(struct pass *pass, bool *ret_changed)
{
    error why = pass->host->engine->write_files(&pass->self, &pass->memory->progress, ret_changed);
    if (why == OK || !pass->self.has_volumes || !pass->memory->volume.was_used_up[VOLUME_DATA])
        return why;
    volume_spare(pass->self.arena, pass->self.member->id);
    return pass->host->engine->write_files(&pass->self, &pass->memory->progress, ret_changed);
}

error
member_make_ready(struct pass *pass, bool *ret_certificate_changed)
{
    TRY(take_user(pass));
    TRY(keep_volumes(pass));
    TRY(prepare_folders(pass->self.arena, pass->self.folder, pass->self.owner.group));
    return certificates_of_member(&pass->self, pass->host->state, ret_certificate_changed);
}

error
member_bring_up(struct pass *pass)
{
    bool files_changed = false, unit_changed = false, certificate_changed = false, is_other = false;
    error waits = OK, wall = OK;
    TRY(take_user(pass));
    TRY(keep_volumes(pass));
    TRY(runs_as_other(pass, &is_other));
    pass->self.is_shared |= is_other;
    if (pass->self.is_shared && !unit_is_up(pass->report->unit))
        TRY(move_over(pass));
    set_owner(&pass->self, pass->host);
    if (!unit_is_up(pass->report->unit))
        pass->self.has_etcd_user = pass->self.cluster->etcd.user.len > 0; /* with what its files say when it starts */
    TRY(prepare_folders(pass->self.arena, pass->self.folder, pass->self.owner.group));
    TRY(certificates_of_member(&pass->self, pass->host->state, &certificate_changed));
    pass->memory->progress.access_is_new |= certificate_changed;
    pass->memory->progress.backup_is_new |= certificate_changed;
    TRY(write_files(pass, &files_changed));
    /* Until it was told, every pass tries again: a file that is on the disk is not yet in force. */
    if (files_changed || certificate_changed)
        pass->memory->was_told = false;
    if (!pass->self.is_shared)
        TRY(keep_unit(pass, &unit_changed));
    wall = keep_wall(pass, unit_changed);
    TRY(read_state(pass));
    if (!unit_is_up(pass->report->unit))
        TRY(start(pass));
    else if (str_is(pass->report->unit, "active") && (!pass->memory->was_told || unit_changed))
        TRY(tell(pass, unit_changed, is_other));
    error seen = look(pass);
    error backup = member_backup_keep(pass->host, &pass->self, &pass->memory->progress);
    error pooler = member_pooler_keep(pass->host, &pass->self, &pass->memory->progress, pass->report);
    /* It answers who shows the new certificate, and the server has loaded whom to believe. */
    if (seen == OK && pass->memory->was_told && !pass->memory->progress.access_is_new)
        seen = note_walls(pass);
    if ((pass->self.is_shared || lacks_etcd_user(pass)) && str_is(pass->report->unit, "active"))
        waits = wait_for_turn(pass);
    if (pass->report->role != REPORT_NO_ROLE) /* what is not known now is as it was */
        pass->memory->volume.role = pass->report->role == REPORT_PRIMARY ? VOLUME_OF_PRIMARY : VOLUME_OF_REPLICA;
    const error all[] = { seen, wall, waits, backup, pooler, pass->growth, pass->key_trouble };
    for (size_t i = 0; i < LENGTH(all); i++)
        TRY(all[i]);
    return OK;
}

/* ---- STOPPED and REMOVED ---- */
error
member_bring_down(struct pass *pass)
{
    struct arena *arena = pass->self.arena;
    TRY(read_state(pass));
    if (is_enabled(pass)) {
        TRY(units_disable(pass->host->units, arena, pass->unit.data));
        TRY(units_reread(pass->host->units, arena));
    }
    TRY(member_backup_drop(pass->host, &pass->self));
    TRY(member_pooler_drop(pass->host, &pass->self));
    if (unit_is_up(pass->report->unit) || str_is(pass->report->unit, "deactivating")) {
        failpoint("agent:member:stop-unit:before");
        TRY(units_stop(pass->host->units, arena, pass->unit.data));
        failpoint("agent:member:stop-unit:after");
    }
    TRY(note_walls(pass));
    TRY(note_etcd(pass));
    pass->report->running = STR("stopped");
    pass->memory->progress = (struct engine_progress){ 0 };
    return read_state(pass);
}

/* In an order that can be begun again at any place: the unit last but one, because it is what makes a stray visible. */
static error
remove_all(struct pass *pass)
{
    struct arena *arena = pass->self.arena;
    TRY(member_bring_down(pass));
    TRY(member_restore_drop(pass));
    failpoint("agent:member:remove-address:before");
    TRY(address_remove(arena, pass->self.member->address));
    if (pass->self.user.len > 0 && pass->self.cluster != NULL) {
        struct wall_member wall = wall_of(&pass->self);
        error ignored = wall_remove(arena, &wall); /* nobody has the address or runs as the user any more */
        (void)ignored;
    }
    TRY(volume_drop(pass->host->units, arena, pass->self.member->id));
    TRY(member_key_drop(arena, pass->host->state, pass->self.member->id));
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
    TRY(users_release(pass->host->users, arena, pass->self.member->id));
    if (!disk_remove(walls_path(pass->host, arena, pass->self.member->id).data) ||
        !disk_remove(etcd_path(pass->host, arena, pass->self.member->id).data))
        return problem(arena, "What is noted about %s cannot be removed: %s.", pass->unit.data, strerror(errno));
    pass->report->running = STR("absent");
    return read_state(pass);
}

/* ---- Keys of its project ---- */
bool
member_host_encrypts(const struct member_host *host, struct arena *arena)
{
    str folder = STR(VOLUMES_FOLDER);
    return volume_kind_of_host(arena, host->state) != VOLUMES_NONE && disk_make_folder(folder.data, 0700, root) &&
           folder_key_is_possible(folder);
}

/* Nothing of it runs, is mounted, or can be read. */
static error
shut(struct pass *pass)
{
    struct arena *arena = pass->self.arena;
    TRY(member_bring_down(pass));
    if (!member_key_is_known(arena, pass->host->state, pass->self.member->id))
        return OK;
    TRY(volume_down(pass->host->units, arena, pass->self.member->id));
    return member_key_take(arena, pass->host->state, pass->self.member->id);
}

static error
run_with_key(struct pass *pass)
{
    const struct member_key key = { pass->host->state, pass->self.member->id, &pass->self.cluster->keys };
    struct member_key_memory *memory = &pass->memory->key;
    TRY(read_state(pass));
    TRY(member_key_keep(pass->self.arena, &key, memory, &pass->key, &pass->key_trouble));
    if (pass->key != MEMBER_KEY_SHUT)
        return member_restore_way(pass);
    TRY(shut(pass));
    return problem(pass->self.arena, "The customer's key was taken back, so it is stopped and its data are closed. %s",
                   memory->why);
}

/* ---- ---- */
static error (*const ways[])(struct pass *) = {
    [DESIRED_RUNNING] = run_with_key,
    [DESIRED_STOPPED] = shut,
    [DESIRED_REMOVED] = remove_all,
};

static bool
is_settled(const struct pass *pass)
{
    const struct engine_progress *progress = &pass->memory->progress;
    if (pass->self.member->desired != DESIRED_RUNNING)
        return true;
    return pass->report->role != REPORT_NO_ROLE && progress->goal_generation == pass->self.cluster->goal_generation &&
           progress->access_generation == pass->self.cluster->access_generation &&
           progress->restart_nonce == pass->self.member->restart_nonce && !progress->access_is_new &&
           !pass->self.is_shared && !lacks_etcd_user(pass) && !pass->self.is_closed;
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
                                          .running = STR("unknown"),
                                          .timeline = -1,
                                          .lag_bytes = -1,
                                          .version = STR_EMPTY,
                                          .problem = STR_EMPTY };
    error why = ways[member->desired](&pass);
    bool is_calm = why == OK && is_settled(&pass);
    if (why == OK && member->desired == DESIRED_RUNNING && memory->volume.is_full)
        why = problem(
            arena,
            "Its disk of %lld GB is nearly full: statements that need more room will fail, and reads go on. Give the cluster a larger "
            "diskSizeGB, or drop what is not needed.",
            (long long)member->disk_gb);
    if (why == OK && arena_is_exhausted(arena))
        why = fail(arena, OVERLOADED);
    ret_report->goal_generation = memory->progress.goal_generation;
    ret_report->access_generation = memory->progress.access_generation;
    ret_report->restart_nonce = memory->progress.restart_nonce;
    if (why != OK)
        ret_report->problem = why->detail;
    return is_calm;
}
