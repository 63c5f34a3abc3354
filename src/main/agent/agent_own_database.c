/* SPDX-License-Identifier: Apache-2.0 */
/* `reeve-agent own-database`: the backups of the control plane's own database, as the operator sets them up on a repository host. */
#include "main/agent/agent_own_database.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "agent/own/own_database.h"
#include "agent/own/own_restore.h"
#include "agent/state.h"
#include "base/crypto/crypto.h"
#include "base/date.h"
#include "base/json.h"
#include "engine/postgres/own/own_server.h"
#include "engine/program.h"
#include "main/commands.h"
#include "wire/report.h"

#define UNIT "reeve-agent.service"

enum { ARENA_BYTES = 512 * 1024 * 1024, PEM_BYTES = 1024 * 1024, SECRET_BYTES = 4096, PASSPHRASE_RANDOM = 32 };

static int
say_why(const char *command, error why)
{
    fprintf(stderr, "reeve-agent own-database %s: %.*s\n", command, STR_ARG(why->detail));
    return EXIT_FAILURE;
}

/* ---- What is given in files ---- */
/* "-": standard input. Nothing of it is ever an argument, which other users of the machine could see. */
static error
read_secret(struct arena *arena, const char *file, str *ret_secret)
{
    char line[SECRET_BYTES];
    str text;
    *ret_secret = STR_EMPTY;
    if (file == NULL)
        return OK;
    if (strcmp(file, "-") == 0)
        text = fgets(line, sizeof(line), stdin) == NULL ? STR_EMPTY : str_dup(arena, str_from(line));
    else if (!disk_read(arena, file, SECRET_BYTES, &text))
        return problem(arena, "%s cannot be read: %s.", file, strerror(errno));
    *ret_secret = str_dup(arena, str_cut(&text, '\n'));
    return ret_secret->len > 0 ? OK : problem(arena, "%s is empty.", file);
}

static error
read_pem(struct arena *arena, const char *file, str *ret_pem)
{
    *ret_pem = STR_EMPTY;
    if (file == NULL || disk_read(arena, file, PEM_BYTES, ret_pem))
        return OK;
    return problem(arena, "%s cannot be read: %s.", file, strerror(errno));
}

/* ---- keep ---- */
/* The server is asked from here, as its seat will: with files in a folder that nobody else can read. */
static error
look_at_server(struct arena *arena, const struct goal_seat_own *access, struct own_server *ret_server)
{
    static const struct disk_owner root = { 0, 0 };
    char folder[] = "/tmp/reeve-own-XXXXXX";
    if (mkdtemp(folder) == NULL)
        return problem(arena, "%s cannot be made: %s.", folder, strerror(errno));
    const struct {
        const char *name;
        str text;
    } files[] = { { OWN_AUTHORITY, access->authority },
                  { OWN_CERTIFICATE, access->certificate },
                  { OWN_KEY, access->key },
                  { OWN_PASSWORD, own_database_passfile(arena, access) } };
    error why = OK;
    bool written = disk_make_folder(str_format(arena, "%s/tls", folder).data, 0700, root);
    for (size_t i = 0; i < LENGTH(files); i++)
        written = written &&
                  (files[i].text.len == 0 ||
                   disk_replace(str_format(arena, "%s/%s", folder, files[i].name).data, files[i].text, 0600, root));
    why = written ? own_server_look(arena, own_database_connection(arena, access, str_from(folder)), ret_server)
                  : problem(arena, "%s cannot be written: %s.", folder, strerror(errno));
    return disk_remove_tree(folder) || why != OK ? why : problem(arena, "%s cannot be removed.", folder);
}

static str
new_passphrase(struct arena *arena)
{
    uint8_t random[PASSPHRASE_RANDOM];
    crypto_random(random, sizeof(random));
    return str_base64url(arena, random, sizeof(random));
}

/* Of the same server the seat stays what it is, and so does its passphrase. Another server begins another history beside it. */
static error
set_up(struct arena *arena, struct own_database *own, bool *ret_is_new)
{
    struct own_database before;
    struct own_server server;
    TRY(own_database_read(arena, OWN_DATABASE_FILE, &before));
    TRY(look_at_server(arena, &own->access, &server));
    bool is_gone = str_is(before.desired_text, "REMOVED");
    if (is_gone && disk_exists(str_format(arena, SEATS_FOLDER "/%s", id_text(arena, before.id).data).data))
        return problem(arena, "What was kept before is still being removed: try again in a minute.");
    *ret_is_new = !id_is_there(before.id) || is_gone;
    own->id = *ret_is_new ? id_new(0) : before.id;
    own->cipher_pass = *ret_is_new ? new_passphrase(arena) : before.cipher_pass;
    own->desired_text = STR("RUNNING");
    own->stanza = str_format(arena, "own-%s", server.system.data);
    own->major_version = server.major_version;
    own->access.superuser = server.superuser;
    own->access.drills = before.access.drills;
    struct goal_seat seat; /* says what the agent would refuse */
    TRY(own_database_seat(arena, own, &seat));
    if (!disk_make_folder("/etc/reeve", 0755, (struct disk_owner){ 0, 0 }))
        return problem(arena, "/etc/reeve cannot be made: %s.", strerror(errno));
    return own_database_write(arena, OWN_DATABASE_FILE, own);
}

/* The agent reads the file when it starts. What it looks after runs on meanwhile. */
static error
restart_agent(struct arena *arena)
{
    static const char *const argv[] = { "/usr/bin/systemctl", "try-restart", UNIT, NULL };
    return program_run(arena, argv, STR_EMPTY);
}

static int
command_keep_own(int argc, char **argv)
{
    enum { CONNECTION, DATABASE, PASSWORD, AUTHORITY, CERTIFICATE, KEY, WINDOW };
    struct option_value options[] = {
        [CONNECTION] = { "--connection",
                         "Of libpq: \"host=10.0.0.11 port=5432 user=reeve_backup dbname=postgres sslmode=verify-full\".",
                         .required = true },
        [DATABASE] = { "--database", "The control plane's database on that server, for drills.", .value = "reeve" },
        [PASSWORD] = { "--password-file", "File with the password; - reads it from standard input." },
        [AUTHORITY] = { "--authority", "Certificates that the server is checked against (PEM)." },
        [CERTIFICATE] = { "--certificate", "Certificate that this host shows (PEM)." },
        [KEY] = { "--key", "Its key (PEM)." },
        [WINDOW] = { "--window-days", "How far back any second can be restored.", .value = "7" },
    };
    struct own_database own = { .window_days = OWN_WINDOW_DAYS };
    str in_connection;
    bool is_new = false;
    int status;
    if (!read_options(argc, argv, "own-database keep --connection TEXT [--password-file FILE] [--authority FILE]",
                      options, LENGTH(options), NULL, &status))
        return status;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(ARENA_BYTES);
    error why = arena == NULL ? WOULD_BLOCK
                              : own_server_connection(arena, str_from(options[CONNECTION].value),
                                                      &own.access.connection, &in_connection);
    if (why == OK && !str_to_int(str_from(options[WINDOW].value), 1, OWN_MOST_WINDOW_DAYS, &own.window_days))
        why = problem(arena, "--window-days takes a number from 1 to %d.", OWN_MOST_WINDOW_DAYS);
    own.access.database = str_from(options[DATABASE].value);
    why = why != OK ? why : read_secret(arena, options[PASSWORD].value, &own.access.password);
    why = why != OK ? why : read_pem(arena, options[AUTHORITY].value, &own.access.authority);
    why = why != OK ? why : read_pem(arena, options[CERTIFICATE].value, &own.access.certificate);
    why = why != OK ? why : read_pem(arena, options[KEY].value, &own.access.key);
    if (why == OK && own.access.password.len == 0)
        own.access.password = in_connection;
    why = why != OK ? why : set_up(arena, &own, &is_new);
    why = why != OK ? why : restart_agent(arena);
    if (why != OK)
        return say_why("keep", why);
    printf("%s of PostgreSQL %s are kept in " SEATS_FOLDER "/%s.\n", own.stanza.data, own.major_version.data,
           id_text(arena, own.id).data);
    if (is_new)
        printf(
            "The passphrase of its backups is not shown again. Put it into a safe, apart from this host:\n\n  %s\n\n",
            own.cipher_pass.data);
    printf("`reeve-agent own-database show` says how far they are, and so does `reeved fleet own-backups list`.\n");
    return EXIT_SUCCESS;
}

/* ---- show ---- */
static const char *
text_or(const json_t *object, const char *name, const char *otherwise)
{
    const json_t *value = json_object_get(object, name);
    return json_is_string(value) ? json_string_value(value) : otherwise;
}

static void
print_own(const json_t *own)
{
    const json_t *drill = json_object_get(own, "drill"), *lag = json_object_get(own, "lagMs");
    printf("receiver    %s\n", text_or(own, "unit", "unknown"));
    printf("window      %s to %s\n", text_or(own, "windowFrom", "-"), text_or(own, "windowTo", "-"));
    if (json_is_integer(lag))
        printf("lag         %lld ms, %lld bytes\n", (long long)json_integer_value(lag),
               (long long)json_int_at(own, "lagBytes"));
    printf("backups     %zu\n", json_array_size(json_object_get(own, "snapshots")));
    if (json_is_object(drill))
        printf("drill       %s %s%s%s\n", text_or(drill, "state", ""), text_or(drill, "finishedAt", ""),
               json_is_string(json_object_get(drill, "problem")) ? ": " : "", text_or(drill, "problem", ""));
    if (json_is_string(json_object_get(own, "problem")))
        printf("problem     %s\n", text_or(own, "problem", ""));
}

static int
command_show_own(int argc, char **argv)
{
    struct option_value options[] = { { "--json", "Print it as JSON.", .is_flag = true } };
    int status;
    str text;
    if (!read_options(argc, argv, "own-database show [--json]", options, LENGTH(options), NULL, &status))
        return status;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(ARENA_BYTES);
    if (arena == NULL)
        return EXIT_FAILURE;
    struct state state = state_in(arena, STR(STATE_FOLDER));
    json_t *report = disk_read(arena, state.report.data, REPORT_MAX_BYTES, &text) ? json_parse_own(arena, text) : NULL;
    const json_t *own = json_object_get(report, "ownDatabase");
    if (own == NULL)
        return say_why("show",
                       problem(arena,
                               "Nothing was reported yet: has `reeve-agent own-database keep` been run here, and does "
                               "the agent run?"));
    if (options[0].value != NULL)
        printf("%s\n", json_text(arena, own).data);
    else
        print_own(own);
    return EXIT_SUCCESS;
}

/* ---- drill ---- */
static int
command_drill_own(int argc, char **argv)
{
    struct own_database own;
    int status;
    if (!read_options(argc, argv, "own-database drill", NULL, 0, NULL, &status))
        return status;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(ARENA_BYTES);
    error why = arena == NULL ? WOULD_BLOCK : own_database_read(arena, OWN_DATABASE_FILE, &own);
    if (why == OK && !id_is_there(own.id))
        why = problem(arena, "This host does not keep the control plane's database.");
    own.access.drills++;
    why = why != OK ? why : own_database_write(arena, OWN_DATABASE_FILE, &own);
    why = why != OK ? why : restart_agent(arena);
    if (why != OK)
        return say_why("drill", why);
    printf("It is begun. `reeve-agent own-database show` says what comes of it.\n");
    return EXIT_SUCCESS;
}

/* ---- restore ---- */
static error
find_source(struct arena *arena, const char *given, struct own_restore *wish)
{
    struct own_database own;
    if (given != NULL) {
        wish->from = str_from(given);
        return OK;
    }
    TRY(own_database_read(arena, OWN_DATABASE_FILE, &own));
    if (!id_is_there(own.id))
        return problem(arena, "There is no " OWN_DATABASE_FILE " here: say with --from where the backups are.");
    wish->from = str_format(arena, SEATS_FOLDER "/%s", id_text(arena, own.id).data);
    wish->passphrase = wish->passphrase.len > 0 ? wish->passphrase : own.cipher_pass;
    return OK;
}

static error
read_target(struct arena *arena, const char *given, int64_t *ret_ms)
{
    *ret_ms = -1;
    if (strcmp(given, "latest") == 0 || date_parse(str_from(given), ret_ms))
        return OK;
    return problem(arena, "--to takes latest, or a moment such as 2027-01-01T00:00:00Z.");
}

static int
command_restore_own(int argc, char **argv)
{
    enum { TO, INTO, FROM, PASSPHRASE };
    struct option_value options[] = {
        [TO] = { "--to", "latest, or a moment: 2027-01-01T00:00:00Z.", .required = true },
        [INTO] = { "--into", "Folder that is made; PostgreSQL can be started with it.", .required = true },
        [FROM] = { "--from", "Folder of the backups, or a copy of it. (default: the one of this host)" },
        [PASSPHRASE] = { "--passphrase-file",
                         "File with the passphrase; - reads it from standard input. Needed where only repo/ is left." },
    };
    struct own_restore wish = { .passphrase = STR_EMPTY };
    struct own_restored restored;
    int status;
    if (!read_options(argc, argv, "own-database restore --to latest|TIME --into DIR [--from DIR]", options,
                      LENGTH(options), NULL, &status))
        return status;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(ARENA_BYTES);
    if (arena == NULL)
        return EXIT_FAILURE;
    wish.into = str_from(options[INTO].value);
    error why = read_target(arena, options[TO].value, &wish.to_ms);
    why = why != OK ? why : read_secret(arena, options[PASSPHRASE].value, &wish.passphrase);
    why = why != OK ? why : find_source(arena, options[FROM].value, &wish);
    why = why != OK ? why : own_restore(arena, &wish, &restored);
    if (why != OK)
        return say_why("restore", why);
    printf(
        "%s has backup %s of %s, and all WAL since.\nStart PostgreSQL %.*s with it: it recovers, and can be written to then.\n",
        wish.into.data, restored.label.data, date_text(arena, restored.backup_ms).data,
        STR_ARG(restored.major_version));
    return EXIT_SUCCESS;
}

/* ---- forget ---- */
static int
command_forget_own(int argc, char **argv)
{
    struct option_value options[] = { { "--remove-backups", "Said to be sure: nothing of them is left.",
                                        .is_flag = true, .required = true } };
    struct own_database own;
    int status;
    if (!read_options(argc, argv, "own-database forget --remove-backups", options, LENGTH(options), NULL, &status))
        return status;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(ARENA_BYTES);
    error why = arena == NULL ? WOULD_BLOCK : own_database_read(arena, OWN_DATABASE_FILE, &own);
    if (why == OK && !id_is_there(own.id))
        why = problem(arena, "This host does not keep the control plane's database.");
    own.desired_text = STR("REMOVED");
    why = why != OK ? why : own_database_write(arena, OWN_DATABASE_FILE, &own);
    why = why != OK ? why : restart_agent(arena);
    if (why != OK)
        return say_why("forget", why);
    printf("The agent removes them. Then the server need not keep WAL for them any more:\n"
           "  SELECT pg_drop_replication_slot('reeve_own')\n");
    return EXIT_SUCCESS;
}

// clang-format off
static const struct {
    const char *name, *sentence;
    int (*run)(int argc, char **argv);
} commands[] = {
    { "keep",    "Back up the control plane's own database on this host.",    command_keep_own },
    { "show",    "Show how far its backups are, as last reported.",           command_show_own },
    { "drill",   "Start a control plane from its newest backup now, shut in.", command_drill_own },
    { "restore", "Bring it back into a folder that PostgreSQL starts with.",  command_restore_own },
    { "forget",  "Remove its backups from this host.",                        command_forget_own },
};
// clang-format on

int
command_own_database(int argc, char **argv)
{
    for (size_t i = 0; argc > 1 && i < LENGTH(commands); i++) {
        if (strcmp(argv[1], commands[i].name) == 0)
            return commands[i].run(argc - 1, argv + 1);
    }
    bool is_help = argc == 2 && strcmp(argv[1], "--help") == 0;
    fprintf(is_help ? stdout : stderr, "usage: reeve-agent own-database COMMAND [OPTION…]\n\n");
    for (size_t i = 0; i < LENGTH(commands); i++)
        fprintf(is_help ? stdout : stderr, "  %-8s %s\n", commands[i].name, commands[i].sentence);
    return is_help ? EXIT_SUCCESS : 2;
}
