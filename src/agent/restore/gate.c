/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/restore/gate.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/certificates.h"
#include "agent/restore/gate_last.h"
#include "agent/restore/gate_mirror.h"
#include "agent/restore/gate_unit.h"
#include "agent/unit_keep.h"
#include "base/clock.h"
#include "base/disk_below.h"
#include "base/failpoint.h"
#include "engine/postgres/backup/member_side.h"

enum {
    CONFIG_BYTES = 256 * 1024,
    LINE_BYTES = 512,
    PEM_BYTES = 64 * 1024,
    READS_MS = 5000,
    LISTENS_MS = 1000,
    LOOK_MS = 50
};

#define HEADER "# Written by reeve-agent, which overwrites whatever is changed here.\n"
#define KEY    "key/gate.key"
#define SHOWN  "gate/gate.key"

static const struct disk_owner root = { 0, 0 };

str
gate_unit(struct arena *arena, id gate)
{
    return str_format(arena, "reeve-gate-%s.service", id_text(arena, gate).data);
}

static str
folder_of(struct arena *arena, id gate)
{
    return str_format(arena, GATES_FOLDER "/%s", id_text(arena, gate).data);
}

/* ---- Files ---- */
static error
make_folders(struct gate_pass *pass)
{
    const struct {
        const char *name;
        mode_t mode;
        struct disk_owner owner;
    } folders[] = { { "", 0750, pass->files },
                    { "key", 0700, root },
                    { "root", 0755, root },
                    { "gate", 0750, pass->files },
                    { "last", 0750, pass->files } };
    if (!disk_make_folder(pass->folder.data, 0750, pass->files))
        return problem(pass->arena, "%s cannot be made: %s.", pass->folder.data, strerror(errno));
    for (size_t i = 0; i < LENGTH(folders); i++) {
        if (!disk_below_make_folder(pass->folder.data, folders[i].name, folders[i].mode, folders[i].owner))
            return problem(pass->arena, "%s/%s cannot be made: %s.", pass->folder.data, folders[i].name,
                           strerror(errno));
    }
    return OK;
}

/* Nothing in it is a secret: whoever comes in can read it. */
static str
config_text(struct gate_pass *pass)
{
    struct buf out = buf_in(pass->arena, CONFIG_BYTES);
    buf_format(&out,
               HEADER "[global]\n"
                      "repo1-path=" GATE_REPOSITORY "\n"
                      "repo1-cipher-type=aes-256-cbc\n"
                      "lock-path=/tmp/lock\n"
                      "spool-path=/tmp/spool\n"
                      "log-level-console=warn\n"
                      "log-level-file=off\n"
                      "log-level-stderr=off\n"
                      "tls-server-address=*\n"
                      "tls-server-port=%d\n"
                      "tls-server-ca-file=" GATE_INSIDE "/authority.crt\n"
                      "tls-server-cert-file=" GATE_INSIDE "/gate.crt\n"
                      "tls-server-key-file=" GATE_INSIDE "/gate.key\n",
               (int)pass->gate->port);
    for (size_t i = 0; i < pass->gate->clients.count; i++)
        buf_format(&out, "tls-server-auth=%s=%s\n", pass->gate->clients.items[i].name.data, pass->seat->stanza.data);
    /* Of a cluster that lost all hosts nobody is there yet, and pgBackRest wants to be told of somebody. No certificate has this name. */
    if (pass->gate->clients.count == 0)
        buf_format(&out, "tls-server-auth=nobody=%s\n", pass->seat->stanza.data);
    return buf_str(&out);
}

/*
 * pgBackRest gives the passphrase to whoever comes in, because it is they who decipher. It is this stanza's alone, and in no file that they could read: systemd
 * reads this one.
 */
static str
environment_text(struct gate_pass *pass)
{
    struct buf out = buf_in(pass->arena, CONFIG_BYTES);
    buf_add_text(&out, "PGBACKREST_REPO1_CIPHER_PASS=\"");
    for (size_t i = 0; i < pass->seat->cipher_pass.len; i++) {
        char c = pass->seat->cipher_pass.data[i];
        if (c == '"' || c == '\\' || c == '$' || c == '`')
            buf_add_char(&out, '\\');
        buf_add_char(&out, c);
    }
    buf_add_text(&out, "\"\n");
    return buf_str(&out);
}

static error
keep_files(struct gate_pass *pass, bool *ret_changed)
{
    const str environment = environment_text(pass);
    const struct {
        const char *name;
        str content;
    } files[] = { { "gate/authority.crt", pass->gate->authority }, { "gate/" GATE_CONFIG_NAME, config_text(pass) } };
    if (!disk_below_keep(pass->arena, pass->folder.data, GATE_ENVIRONMENT, environment, 0600, root, ret_changed))
        return problem(pass->arena, "%s/" GATE_ENVIRONMENT " cannot be written: %s.", pass->folder.data,
                       strerror(errno));
    for (size_t i = 0; i < LENGTH(files); i++) {
        if (files[i].content.len == 0)
            return fail(pass->arena, OVERLOADED);
        if (!disk_below_keep(pass->arena, pass->folder.data, files[i].name, files[i].content, 0640, pass->files,
                             ret_changed))
            return problem(pass->arena, "%s/%s cannot be written: %s.", pass->folder.data, files[i].name,
                           strerror(errno));
    }
    return OK;
}

/* ---- Open ---- */
/* "  12: 00000000:69DC 00000000:0000 0A …": of the kernel, 0A is one that listens. */
static bool
is_listener(struct arena *arena, const char *line, int64_t port)
{
    str rest = str_trim(str_from(line));
    str_cut(&rest, ' ');
    str own = str_cut(&rest, ' '), wanted = str_format(arena, ":%04X", (unsigned)port);
    str_cut(&rest, ' '); /* the other end */
    return str_ends_with(own, wanted) && str_starts_with(rest, STR("0A "));
}

/* Asked from the kernel: whoever connects from here is nobody whom it answers. */
static bool
listens(struct gate_pass *pass)
{
    static const char *const lists[] = { "/proc/net/tcp", "/proc/net/tcp6" };
    bool found = false;
    for (size_t i = 0; i < LENGTH(lists); i++) {
        char line[LINE_BYTES];
        FILE *list = fopen(lists[i], "re");
        while (list != NULL && !found && fgets(line, sizeof(line), list) != NULL)
            found = is_listener(pass->arena, line, pass->gate->port);
        if (list != NULL)
            fclose(list);
    }
    return found;
}

/* Its server reads the key once, when it starts. Afterwards nobody who comes in can. */
static error
hide_key(struct gate_pass *pass)
{
    failpoint("agent:gate:hide-key:before");
    return disk_below_remove(pass->folder.data, SHOWN) || errno == ENOENT
               ? OK
               : problem(pass->arena, "%s/" SHOWN " cannot be removed: %s.", pass->folder.data, strerror(errno));
}

static bool
is_key_shown(struct gate_pass *pass)
{
    struct stat ignored;
    return disk_below_look(pass->folder.data, SHOWN, &ignored);
}

static error
show_key(struct gate_pass *pass)
{
    str key;
    return disk_below_read(pass->arena, pass->folder.data, KEY, PEM_BYTES, 0, &key) &&
                   disk_below_replace(pass->folder.data, SHOWN, key, 0640, pass->files)
               ? OK
               : problem(pass->arena, "%s/" SHOWN " cannot be written: %s.", pass->folder.data, strerror(errno));
}

static bool
is_in_store(const struct gate_pass *pass)
{
    return pass->seat->store.endpoint.len > 0;
}

/* The server listens before it has read its key, so that it listens shows nothing. Whoever hid the key in between would have it fail. */
static error
watch_key(struct gate_pass *pass, int *ret_watch)
{
    str path = str_format(pass->arena, "%s/" SHOWN, pass->folder.data);
    *ret_watch = inotify_init1(IN_CLOEXEC);
    if (*ret_watch >= 0 && inotify_add_watch(*ret_watch, path.data, IN_CLOSE_NOWRITE) >= 0)
        return OK;
    error why = problem(pass->arena, "%s cannot be watched: %s.", path.data, strerror(errno));
    if (*ret_watch >= 0)
        close(*ret_watch);
    return why;
}

/* Until it was read, but not for one that is not up any more. */
static error
start_and_wait(struct gate_pass *pass, int watch)
{
    struct pollfd read = { .fd = watch, .events = POLLIN };
    str state;
    TRY(unit_keep_up(pass->host->units, pass->arena, pass->unit.data, &state));
    int64_t until = clock_steady_ms() + READS_MS;
    while (unit_is_up(state) && clock_steady_ms() < until && poll(&read, 1, LOOK_MS) == 0)
        TRY(units_state(pass->host->units, pass->arena, pass->unit.data, &state));
    return OK;
}

/* Of a store, what was received last was copied before the rest was: so nothing is between the two. */
static error
open_gate(struct gate_pass *pass)
{
    int watch;
    if (pass->gate->last && !is_in_store(pass))
        TRY(gate_last_copy(pass));
    TRY(show_key(pass));
    failpoint("agent:gate:start:before");
    TRY(watch_key(pass, &watch));
    error why = start_and_wait(pass, watch);
    close(watch);
    TRY(hide_key(pass));
    TRY(why);
    for (int64_t until = clock_steady_ms() + LISTENS_MS; !listens(pass) && clock_steady_ms() < until;)
        clock_sleep_ms(LOOK_MS);
    return OK;
}

static error
keep_open(struct gate_pass *pass, struct report_gate *report)
{
    bool changed = false;
    str state;
    const struct gate_unit_wish wish = { .stanza = pass->seat->stanza,
                                         .user = users_name(pass->arena, pass->user),
                                         .folder = pass->folder,
                                         .repository = is_in_store(pass) ? gate_mirror_copy(pass)
                                                                         : str_format(pass->arena, "%s/repo",
                                                                                      pass->seat_folder.data) };
    TRY(certificates_of_gate(pass->caller, pass->arena, pass->host->state, pass->gate->id, pass->folder, pass->files,
                             &changed));
    TRY(keep_files(pass, &changed));
    TRY(unit_keep(pass->host->units, pass->arena, pass->unit.data, gate_unit_text(pass->arena, &wish), false,
                  &changed));
    TRY(units_state(pass->host->units, pass->arena, pass->unit.data, &state));
    changed |= is_key_shown(pass); /* an agent was killed before it knew whether the key was read */
    if (changed && unit_is_up(state))
        TRY(units_stop(pass->host->units, pass->arena, pass->unit.data));
    if (changed || !unit_is_up(state) || !listens(pass))
        TRY(open_gate(pass));
    TRY(hide_key(pass));
    TRY(units_state(pass->host->units, pass->arena, pass->unit.data, &state));
    if (!unit_is_up(state))
        return problem(pass->arena, "%s does not run: its journal says why.", pass->unit.data);
    if (!str_is(state, "active") || !listens(pass))
        return OK; /* a host with much to do: it is looked at again */
    report->state = GATE_OPEN;
    if (pass->gate->last)
        gate_last_served(pass, &report->served_lsn, &report->served_at);
    return OK;
}

static error
pass_through(struct gate_pass *pass, struct report_gate *report)
{
    if (pass->seat == NULL)
        return problem(pass->arena, "The seat that it leads to is not on this host.");
    if (!users_find(pass->host->users, pass->seat->id, &pass->user))
        return problem(pass->arena, "The seat that it leads to has nothing yet.");
    pass->files = (struct disk_owner){ 0, (gid_t)pass->user };
    bool is_ready = true;
    TRY(make_folders(pass));
    if (is_in_store(pass))
        TRY(gate_mirror_keep(pass, &is_ready));
    return is_ready ? keep_open(pass, report) : OK;
}

void
gate_pass(const struct member_host *host, struct arena *arena, struct caller *caller, const struct goal *goal,
          const struct goal_gate *gate, struct report_gate *ret_report)
{
    struct gate_pass pass = {
        .arena = arena,
        .caller = caller,
        .host = host,
        .gate = gate,
        .seat = goal_find_seat(goal, gate->seat),
        .folder = folder_of(arena, gate->id),
        .seat_folder = str_format(arena, SEATS_FOLDER "/%s", id_text(arena, gate->seat).data),
        .unit = gate_unit(arena, gate->id),
    };
    *ret_report = (struct report_gate){
        .id = gate->id, .state = GATE_CLOSED, .problem = STR_EMPTY, .served_lsn = STR_EMPTY, .served_at = STR_EMPTY
    };
    error why = pass_through(&pass, ret_report);
    if (why != OK) {
        ret_report->state = GATE_FAILED;
        ret_report->problem = why->detail;
    }
}

error
gate_remove(const struct member_host *host, struct arena *arena, id gate)
{
    str folder = folder_of(arena, gate);
    TRY(unit_drop(host->units, arena, gate_unit(arena, gate).data));
    TRY(unit_drop(host->units, arena, gate_mirror_unit(arena, gate).data));
    failpoint("agent:gate:remove-folder:before");
    return disk_remove_tree(folder.data) ? OK
                                         : problem(arena, "%s cannot be removed: %s.", folder.data, strerror(errno));
}
