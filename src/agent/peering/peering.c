/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/peering/peering.h"

#include <errno.h>
#include <net/if.h>
#include <stdio.h>

#include "agent/peering/peering_text.h"
#include "agent/unit_keep.h"
#include "base/clock.h"
#include "base/crypto/tunnel_key.h"
#include "base/date.h"
#include "base/failpoint.h"
#include "engine/program.h"

#define IP        "/usr/bin/ip"
#define WG        "/usr/bin/wg"
#define WIREGUARD "/usr/bin/wireguard-go"
#define HAS_IPV6 \
    "/proc/net/if_inet6" /* not there when the kernel has none: then there is nothing of it to keep either */

enum { SMALL_BYTES = 4096, SAID_BYTES = 1024 * 1024, APPEARS_MS = 3000, LOOK_MS = 20, MTU = 1420, MOST_RULES = 100000 };

static const struct disk_owner root = { 0, 0 };

struct pass {
    struct arena *arena;
    const struct member_host *host;
    const struct goal_peering *peering;
    str folder, interface, unit;
};

static str
folder_of(struct arena *arena, id peering)
{
    return str_format(arena, PEERINGS_FOLDER "/%s", id_text(arena, peering).data);
}

static str
file_of(struct pass *pass, const char *name)
{
    return str_format(pass->arena, "%s/%s", pass->folder.data, name);
}

/* ---- The key ---- */
static error
keep_key(struct pass *pass, str *ret_private, str *ret_public)
{
    str path = file_of(pass, "key");
    if (!disk_make_folder(PEERINGS_FOLDER, 0700, root) || !disk_make_folder(pass->folder.data, 0700, root))
        return problem(pass->arena, "%s cannot be made: %s.", pass->folder.data, strerror(errno));
    /* Which interface it is must be known also when the goal does not say it any more. */
    if (!disk_keep(pass->arena, file_of(pass, "port").data, str_from_int(pass->arena, pass->peering->port), 0600, root,
                   NULL))
        return problem(pass->arena, "%s/port cannot be written: %s.", pass->folder.data, strerror(errno));
    if (!disk_exists(path.data)) {
        str made;
        if (!tunnel_key_new(pass->arena, &made))
            return problem(pass->arena, "A key could not be made.");
        failpoint("agent:peering:write-key:before");
        if (!disk_replace(path.data, made, 0600, root))
            return problem(pass->arena, "%s cannot be written: %s.", path.data, strerror(errno));
    }
    if (!disk_read(pass->arena, path.data, SMALL_BYTES, ret_private) ||
        !tunnel_key_public(pass->arena, *ret_private, ret_public))
        return problem(pass->arena, "%s is no key. Without the file a new one is made.", path.data);
    return OK;
}

/* ---- The interface ---- */
static bool
is_there(struct pass *pass)
{
    return if_nametoindex(pass->interface.data) != 0;
}

/* Of the kernel, where it has the module; otherwise of a program, behind walls of its own. */
static error
make_interface(struct pass *pass)
{
    const char *const add[] = { IP, "link", "add", pass->interface.data, "type", "wireguard", NULL };
    bool ignored = false;
    str state;
    failpoint("agent:peering:make-interface:before");
    if (program_run(pass->arena, add, STR_EMPTY) == OK || is_there(pass))
        return OK;
    if (!disk_exists(WIREGUARD))
        return problem(pass->arena, "The kernel of this host makes no tunnels, and wireguard-go is not installed.");
    TRY(unit_keep(pass->host->units, pass->arena, pass->unit.data, peering_unit_text(pass->arena, pass->peering->port),
                  false, &ignored));
    TRY(unit_keep_up(pass->host->units, pass->arena, pass->unit.data, &state));
    for (int64_t until = clock_steady_ms() + APPEARS_MS; !is_there(pass) && clock_steady_ms() < until;)
        clock_sleep_ms(LOOK_MS);
    return is_there(pass) ? OK : problem(pass->arena, "%s makes no interface: its journal says why.", pass->unit.data);
}

/* What the interface says of itself; empty when it does not. */
static str
asked(struct pass *pass, const char *what)
{
    const char *const show[] = { WG, "show", pass->interface.data, what, NULL };
    str said;
    return program_ask(pass->arena, show, STR_EMPTY, SAID_BYTES, &said) == OK ? said : STR_EMPTY;
}

/* Whether it has another port than its own, or none: somebody else has that. What does not answer is not said to be without it. */
static bool
is_without_port(struct pass *pass)
{
    str said = asked(pass, "listen-port"), port = str_cut(&said, '\n');
    return port.len > 0 && !str_eq(port, str_from_int(pass->arena, pass->peering->port));
}

/* Any process of the host can have taken it, a member's included. Who it is, only the operator can find out. */
static error
explained(struct pass *pass, error why)
{
    bool is_taken = why == OK ? is_without_port(pass) : strstr(why->detail.data, "ddress already in use") != NULL;
    return is_taken
               ? problem(pass->arena,
                         "UDP port %d of this host is taken by another process: `ss -ulpn` on the host shows which.",
                         (int)pass->peering->port)
               : why;
}

/* wg.conf is what the interface was told: it gets its name when it was. */
static error
tell_interface(struct pass *pass, const char *config, str wanted)
{
    str next = file_of(pass, "wg.conf.next");
    const char *const sync[] = { WG, "syncconf", pass->interface.data, next.data, NULL };
    if (!disk_replace(next.data, wanted, 0600, root))
        return problem(pass->arena, "%s cannot be written: %s.", next.data, strerror(errno));
    failpoint("agent:peering:sync:before");
    TRY(program_run(pass->arena, sync, STR_EMPTY));
    return rename(next.data, config) == 0 ? OK
                                          : problem(pass->arena, "%s cannot be written: %s.", config, strerror(errno));
}

static error
keep_interface(struct pass *pass, str private_key, str public_key)
{
    str config = file_of(pass, "wg.conf"), wanted = peering_config_text(pass->arena, pass->peering, private_key), told;
    const char *const up[] = {
        IP, "link", "set", "dev", pass->interface.data, "mtu", str_from_int(pass->arena, MTU).data, "up", NULL
    };
    if (!is_there(pass))
        TRY(make_interface(pass));
    str own = asked(pass, "public-key"), peer = asked(pass, "peers");
    if (!disk_read(pass->arena, config.data, SAID_BYTES, &told) || !str_eq(told, wanted) ||
        !str_eq(str_cut(&own, '\n'), public_key) || !str_eq(str_cut(&peer, '\n'), pass->peering->public_key) ||
        is_without_port(pass))
        TRY(explained(pass, tell_interface(pass, config.data, wanted)));
    return explained(pass, program_run(pass->arena, up, STR_EMPTY));
}

/* ---- Routes ---- */
static bool
has_line(str text, str line)
{
    while (text.len > 0) {
        if (str_eq(str_trim(str_cut(&text, '\n')), line))
            return true;
    }
    return false;
}

/* "5200:\tfrom 10.78.1.5 to …": without the priority. */
static str
without_priority(struct arena *arena, str said)
{
    struct buf out = buf_in(arena, SAID_BYTES);
    while (said.len > 0) {
        str line = str_cut(&said, '\n');
        str_cut(&line, '\t');
        buf_format(&out, "%.*s\n", STR_ARG(str_trim(line)));
    }
    return buf_str(&out);
}

static error
run_batch(struct arena *arena, const char *family, str commands)
{
    const char *const batch[] = { IP, family, "-batch", "-", NULL };
    return commands.len == 0 ? OK : program_run(arena, batch, commands);
}

/* What is missing first: an answer never has no rule in between. `wanted` and what there is are lines as `ip rule list` shows them. */
static error
keep_rules(struct arena *arena, const char *family, int64_t port, str wanted)
{
    str table = str_from_int(arena, PEERING_TABLE_FIRST + port), said = STR_EMPTY;
    const char *const list[] = { IP, family, "rule", "list", "table", table.data, NULL };
    struct buf commands = buf_in(arena, SAID_BYTES);
    TRY(program_ask(arena, list, STR_EMPTY, SAID_BYTES, &said));
    str have = without_priority(arena, said);
    for (str rest = wanted; rest.len > 0;) {
        str line = str_cut(&rest, '\n');
        if (!has_line(have, line))
            buf_format(&commands, "rule add priority %d %.*s\n", PEERING_RULE_PRIORITY, STR_ARG(line));
    }
    for (str rest = have; rest.len > 0;) {
        str line = str_cut(&rest, '\n');
        if (!has_line(wanted, line))
            buf_format(&commands, "rule del priority %d %.*s\n", PEERING_RULE_PRIORITY, STR_ARG(line));
    }
    return run_batch(arena, family, buf_str(&commands));
}

/* Networks that are no longer named, also those of whoever had the port before. `unreachable` stays: what has no way through the tunnel has none. */
static error
drop_stale_routes(struct pass *pass, const char *family, bool is_v4)
{
    str table = str_from_int(pass->arena, PEERING_TABLE_FIRST + pass->peering->port), there = STR_EMPTY;
    const char *const list[] = { IP, family, "route", "list", "table", table.data, NULL };
    error why = program_ask(pass->arena, list, STR_EMPTY, SAID_BYTES, &there);
    /* A table that never had a route is none. */
    if (why != OK)
        return strstr(why->detail.data, "table does not exist") != NULL ? OK : why;
    return run_batch(pass->arena, family, peering_stale_routes_text(pass->arena, pass->peering, is_v4, there));
}

/* What is missing first, here too: meanwhile no answer goes to the operator's network. The file is what was done; without it, it is not known. */
static error
keep_routes(struct pass *pass, const char *family, bool is_v4)
{
    str wanted = peering_routes_text(pass->arena, pass->peering, is_v4), have = STR_EMPTY;
    str path = file_of(pass, is_v4 ? "routes4" : "routes6");
    bool is_known = disk_read(pass->arena, path.data, SAID_BYTES, &have);
    if (!is_known && errno != ENOENT)
        return problem(pass->arena, "%s cannot be read: %s.", path.data, strerror(errno));
    if (wanted.len == 0 && ((is_known && have.len == 0) || (!is_v4 && !disk_exists(HAS_IPV6))))
        return OK;
    TRY(run_batch(pass->arena, family, wanted));
    if (!is_known || !str_eq(wanted, have))
        TRY(drop_stale_routes(pass, family, is_v4));
    TRY(keep_rules(pass->arena, family, pass->peering->port, peering_rules_text(pass->arena, pass->peering, is_v4)));
    if ((!is_known || !str_eq(wanted, have)) && !disk_replace(path.data, wanted, 0600, root))
        return problem(pass->arena, "%s cannot be written: %s.", path.data, strerror(errno));
    return OK;
}

/* ---- One pass ---- */
static error
pass_through(struct pass *pass, struct report_peering *report)
{
    str private_key, key, seen;
    int64_t handshake_s;
    if (!disk_exists(WG))
        return problem(pass->arena, "wireguard-tools is not installed on this host.");
    TRY(keep_key(pass, &private_key, &report->public_key));
    TRY(keep_interface(pass, private_key, report->public_key));
    TRY(keep_routes(pass, "-4", true));
    TRY(keep_routes(pass, "-6", false));
    seen = asked(pass, "latest-handshakes");
    key = str_cut(&seen, '\t');
    if (str_eq(key, pass->peering->public_key) && str_to_int(str_cut(&seen, '\n'), 1, INT64_MAX / 1000, &handshake_s)) {
        report->state = PEERING_OPEN;
        report->handshake_at = date_text(pass->arena, handshake_s * 1000);
    }
    return OK;
}

void
peering_pass(const struct member_host *host, struct arena *arena, const struct goal_peerings *all,
             const struct goal_peering *peering, struct report_peering *ret_report)
{
    struct pass pass = {
        .arena = arena,
        .host = host,
        .peering = peering,
        .folder = folder_of(arena, peering->id),
        .interface = peering_interface(arena, peering->port),
        .unit = peering_unit(arena, peering->port),
    };
    bool is_wanted = peering->desired == PEERING_WANTED;
    *ret_report = (struct report_peering){ .id = peering->id,
                                           .state = is_wanted ? PEERING_WAITING : PEERING_REMOVED,
                                           .problem = STR_EMPTY,
                                           .public_key = STR_EMPTY,
                                           .handshake_at = STR_EMPTY };
    error why = is_wanted ? pass_through(&pass, ret_report) : peering_remove(host, arena, all, peering->id);
    if (why != OK) {
        ret_report->state = PEERING_FAILED;
        ret_report->problem = why->detail;
    }
}

/* ---- The end ---- */
static error
remove_routes(struct arena *arena, const char *family, int64_t port)
{
    str table = str_from_int(arena, PEERING_TABLE_FIRST + port);
    const char *const flush[] = { IP, family, "route", "flush", "table", table.data, NULL };
    TRY(keep_rules(arena, family, port, STR_EMPTY));
    error ignored = program_run(arena, flush, STR_EMPTY); /* it went with the interface, or never was */
    (void)ignored;
    return OK;
}

/* Another peering may have got the port since. What it made under the same names has its key; what has ours is still ours, and open for our gateway. */
static bool
is_anothers(struct pass *pass, const struct goal_peerings *all, id peering, int64_t port)
{
    str private_key, public_key;
    bool has_owner = false;
    for (size_t i = 0; i < all->count; i++)
        has_owner |= all->items[i].port == port && !id_eq(all->items[i].id, peering);
    if (!has_owner)
        return false;
    str shown = asked(pass, "public-key");
    return !disk_read(pass->arena, file_of(pass, "key").data, SMALL_BYTES, &private_key) ||
           !tunnel_key_public(pass->arena, private_key, &public_key) || !str_eq(str_cut(&shown, '\n'), public_key);
}

/* The interface before anything else: nothing comes through from then on. */
static error
remove_tunnel(struct pass *pass, int64_t port)
{
    const char *const drop[] = { IP, "link", "delete", pass->interface.data, NULL };
    if (is_there(pass))
        TRY(program_run(pass->arena, drop, STR_EMPTY));
    TRY(unit_drop(pass->host->units, pass->arena, pass->unit.data));
    TRY(remove_routes(pass->arena, "-4", port));
    return disk_exists(HAS_IPV6) ? remove_routes(pass->arena, "-6", port) : OK;
}

error
peering_remove(const struct member_host *host, struct arena *arena, const struct goal_peerings *all, id peering)
{
    struct pass pass = { .arena = arena, .host = host, .folder = folder_of(arena, peering) };
    str text;
    int64_t port;
    if (disk_read(arena, file_of(&pass, "port").data, SMALL_BYTES, &text) && str_to_int(text, 1, 65535, &port)) {
        pass.interface = peering_interface(arena, port);
        pass.unit = peering_unit(arena, port);
        if (!is_anothers(&pass, all, peering, port))
            TRY(remove_tunnel(&pass, port));
    }
    failpoint("agent:peering:remove-folder:before");
    return disk_remove_tree(pass.folder.data)
               ? OK
               : problem(arena, "%s cannot be removed: %s.", pass.folder.data, strerror(errno));
}
