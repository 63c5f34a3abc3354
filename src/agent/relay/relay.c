/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/relay/relay.h"

#include <errno.h>
#include <stdio.h>

#include "agent/address.h"
#include "agent/relay/relay_text.h"
#include "agent/unit_file.h"
#include "agent/unit_keep.h"
#include "base/clock.h"
#include "base/disk_below.h"
#include "base/failpoint.h"
#include "base/net/net.h"

#define PROGRAM      "/usr/sbin/haproxy"
#define CONFIG_NAME  "haproxy.cfg"
#define ADDRESS_NAME "address"

enum { MEMORY_MB = 512, LINE_BYTES = 512, ADDRESS_BYTES = 64, LISTENS_MS = 1000, LOOK_MS = 50 };

/*
 * It sees its configuration and nothing else of the host's data. The master process reads it anew at SIGUSR2: a new process takes new clients, the
 * old one keeps those that it has until they leave.
 */
#define MORE                                \
    "ExecReload=\n"                         \
    "ExecReload=/bin/kill -USR2 $MAINPID\n" \
    "KillMode=mixed\n"                      \
    "KillSignal=SIGTERM\n"                  \
    "LimitCORE=0\n"                         \
    "LimitNOFILE=32768\n"                   \
    "CPUWeight=100\n"

struct relay_pass {
    const struct member_host *host;
    struct arena *arena;
    const struct goal_relay *relay;
    str folder, unit, user;
    struct disk_owner files;
};

str
relay_unit(struct arena *arena, id relay)
{
    return str_format(arena, "reeve-relay-%s.service", id_text(arena, relay).data);
}

static str
folder_of(struct arena *arena, id relay)
{
    return str_format(arena, RELAYS_FOLDER "/%s", id_text(arena, relay).data);
}

error
relay_take_user(const struct member_host *host, struct arena *arena, const struct goal_relay *relay, uid_t *ret_user)
{
    uid_t user;
    TRY(users_take(host->users, arena, relay->id, &user));
    TRY(users_make_account(arena, user));
    *ret_user = user;
    return OK;
}

/* ---- Does it listen? ---- */
/* As /proc/net/tcp writes an address: words of 32 bits, each in the order of this machine. */
static str
kernel_address(struct arena *arena, const struct net_address *address, int64_t port)
{
    struct buf out = buf_in(arena, ADDRESS_BYTES);
    for (size_t i = net_is_v4(address) ? 12 : 0; i < sizeof(address->bytes); i += sizeof(uint32_t)) {
        uint32_t word;
        memcpy(&word, &address->bytes[i], sizeof(word));
        buf_format(&out, "%08X", word);
    }
    buf_format(&out, ":%04X", (unsigned)port);
    return buf_str(&out);
}

/* Asked from the kernel: whoever connects from here is nobody whom it answers. "  12: 0100007F:0400 00000000:0000 0A …", 0A is one that listens. */
static bool
listens(struct relay_pass *pass, int64_t port)
{
    struct net_address address;
    char line[LINE_BYTES];
    bool found = false;
    if (!net_parse_address(pass->relay->address, &address))
        return false;
    str wanted = kernel_address(pass->arena, &address, port);
    FILE *list = fopen(net_is_v4(&address) ? "/proc/net/tcp" : "/proc/net/tcp6", "re");
    while (list != NULL && !found && fgets(line, sizeof(line), list) != NULL) {
        str rest = str_trim(str_from(line));
        str_cut(&rest, ' ');
        str own = str_cut(&rest, ' ');
        str_cut(&rest, ' '); /* the other end */
        found = str_eq(own, wanted) && str_starts_with(rest, STR("0A "));
    }
    if (list != NULL)
        fclose(list);
    return found;
}

static bool
listens_on_all(struct relay_pass *pass)
{
    for (size_t i = 0; i < pass->relay->ports.count; i++) {
        if (!listens(pass, pass->relay->ports.items[i].port))
            return false;
    }
    return true;
}

/* ---- Keeping it ---- */
/* Which address it has is written down first: whoever removes it has no goal that would say so. */
static error
keep_address(struct relay_pass *pass)
{
    str before;
    struct arena *arena = pass->arena;
    const struct disk_owner root = { 0, 0 };
    if (disk_below_read(arena, pass->folder.data, ADDRESS_NAME, ADDRESS_BYTES, 0, &before) && before.len > 0 &&
        !str_eq(before, pass->relay->address))
        TRY(address_remove(arena, before));
    if (!disk_below_keep(arena, pass->folder.data, ADDRESS_NAME, pass->relay->address, 0600, root, NULL))
        return problem(arena, "%s/" ADDRESS_NAME " cannot be written: %s.", pass->folder.data, strerror(errno));
    failpoint("agent:relay:address:before");
    return address_add(arena, pass->relay->address, (int)pass->relay->prefix);
}

static error
keep_unit(struct relay_pass *pass, bool *ret_changed)
{
    struct arena *arena = pass->arena;
    const struct unit_beside wish = {
        .description = str_format(arena, "relay %s of private endpoints", pass->relay->name.data),
        .user = pass->user,
        .folder = pass->folder,
        .command = str_format(arena, PROGRAM " -W -db -q -f %s/" CONFIG_NAME, pass->folder.data),
        .is_kept_up = true,
        .memory_mb = MEMORY_MB,
        .places = str_format(arena, "BindReadOnlyPaths=%s\n", pass->folder.data),
        .more = STR(MORE),
    };
    return unit_keep(pass->host->units, arena, pass->unit.data, unit_text_beside(arena, &wish), false, ret_changed);
}

static error
serve(struct relay_pass *pass, str config, struct report_relay *report)
{
    struct arena *arena = pass->arena;
    bool has_other_unit = false, has_other_config = false;
    str state;
    if (!disk_exists(PROGRAM))
        return problem(arena, "HAProxy is not installed on this host: install the package haproxy.");
    if (config.len == 0)
        return problem(arena, "The relay has more clients and members than a configuration has room for.");
    if (!disk_below_keep(arena, pass->folder.data, CONFIG_NAME, config, 0640, pass->files, &has_other_config))
        return problem(arena, "%s/" CONFIG_NAME " cannot be written: %s.", pass->folder.data, strerror(errno));
    TRY(keep_unit(pass, &has_other_unit));
    if (has_other_unit)
        TRY(unit_keep_down(pass->host->units, arena, pass->unit.data));
    TRY(units_state(pass->host->units, arena, pass->unit.data, &state));
    failpoint("agent:relay:reload:before");
    if (unit_is_up(state) && (has_other_config || !listens_on_all(pass)))
        TRY(units_reload(pass->host->units, arena, pass->unit.data));
    TRY(unit_keep_up(pass->host->units, arena, pass->unit.data, &state));
    for (int64_t until = clock_steady_ms() + LISTENS_MS; !listens_on_all(pass) && clock_steady_ms() < until;)
        clock_sleep_ms(LOOK_MS);
    if (str_is(state, "active") && listens_on_all(pass))
        report->state = RELAY_SERVING;
    return OK;
}

static error
keep(struct relay_pass *pass, struct report_relay *report)
{
    const struct disk_owner root = { 0, 0 };
    if (!disk_make_folder(RELAYS_FOLDER, 0755, root) || !disk_make_folder(pass->folder.data, 0750, pass->files))
        return problem(pass->arena, "%s cannot be made: %s.", pass->folder.data, strerror(errno));
    TRY(keep_address(pass));
    if (pass->relay->clients.count > 0 && pass->relay->ports.count > 0)
        return serve(pass, relay_config_text(pass->arena, pass->relay), report);
    report->state = RELAY_SERVING; /* nobody may come, or there is nobody to come to */
    return unit_drop(pass->host->units, pass->arena, pass->unit.data);
}

void
relay_pass(const struct member_host *host, struct arena *arena, const struct goal_relay *relay, uid_t user,
           struct report_relay *ret_report)
{
    struct relay_pass pass = {
        .host = host,
        .arena = arena,
        .relay = relay,
        .folder = folder_of(arena, relay->id),
        .unit = relay_unit(arena, relay->id),
        .user = users_name(arena, user),
        .files = { 0, (gid_t)user },
    };
    *ret_report = (struct report_relay){
        .id = relay->id, .state = RELAY_WAITING, .problem = STR_EMPTY, .clients = relay->clients
    };
    error why = keep(&pass, ret_report);
    if (why != OK) {
        ret_report->state = RELAY_FAILED;
        ret_report->problem = why->detail;
    }
}

static str
read_address(struct arena *arena, str folder)
{
    str address;
    return disk_below_read(arena, folder.data, ADDRESS_NAME, ADDRESS_BYTES, 0, &address) ? address : STR_EMPTY;
}

void
relay_look(const struct member_host *host, struct arena *arena, id relay, str *ret_address, uid_t *ret_user)
{
    struct net_address address;
    *ret_address = read_address(arena, folder_of(arena, relay));
    if (!net_parse_address(*ret_address, &address))
        *ret_address = STR_EMPTY;
    if (!users_find(host->users, relay, ret_user))
        *ret_user = 0;
}

error
relay_remove(const struct member_host *host, struct arena *arena, id relay)
{
    str folder = folder_of(arena, relay), address = read_address(arena, folder);
    TRY(unit_drop(host->units, arena, relay_unit(arena, relay).data));
    if (address.len > 0)
        TRY(address_remove(arena, address));
    failpoint("agent:relay:remove-folder:before");
    if (!disk_remove_tree(folder.data))
        return problem(arena, "%s cannot be removed: %s.", folder.data, strerror(errno));
    return users_release(host->users, arena, relay);
}
