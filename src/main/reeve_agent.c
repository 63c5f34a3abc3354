/* SPDX-License-Identifier: Apache-2.0 */
/* `reeve-agent`: the command on every host. One row for each subcommand. */
#include <errno.h>
#include <pwd.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "agent/address.h"
#include "agent/agent.h"
#include "agent/join.h"
#include "agent/log/log_show.h"
#include "agent/prepare.h"
#include "agent/users.h"
#include "base/failpoint.h"
#include "base/json.h"
#include "engine/postgres/backup/keep.h"
#include "engine/postgres/backup/pack.h"
#include "engine/postgres/backup/receive.h"
#include "engine/postgres/backup/restore.h"
#include "engine/postgres/backup/restore_wal.h"
#include "engine/postgres/backup/verify.h"
#include "engine/postgres/drill/drill_fetch.h"
#include "engine/postgres/drill/drill_prove.h"
#include "engine/postgres/export/export_dump.h"
#include "engine/postgres/export/export_upload.h"
#include "engine/postgres/store/mirror.h"
#include "main/agent/agent_own_database.h"
#include "main/agent/agent_volumes.h"
#include "main/commands.h"
#include "wire/report.h"

#define UNIT "reeve-agent.service"

enum { COMMAND_ARENA_BYTES = 64 * 1024 * 1024, KEEP_ARENA_BYTES = 512 * 1024 * 1024, TOKEN_BYTES = 1024 };

static int
say_why(const char *command, error why)
{
    fprintf(stderr, "reeve-agent %s: %.*s\n", command, STR_ARG(why->detail));
    return EXIT_FAILURE;
}

/* ---- join ---- */
/* "-": from standard input, where no other user of the host can see it. A terminal asks, and does not show it. */
static str
read_token(struct arena *arena, const char *given)
{
    char line[TOKEN_BYTES];
    struct termios before, silent;
    if (strcmp(given, "-") != 0)
        return str_from(given);
    bool hidden = isatty(STDIN_FILENO) && tcgetattr(STDIN_FILENO, &before) == 0;
    if (hidden) {
        silent = before;
        silent.c_lflag = (silent.c_lflag & ~(tcflag_t)ECHO) | ECHONL;
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent);
        fputs("token: ", stderr); /* after that: who sees it may type at once */
    }
    bool was_read = fgets(line, sizeof(line), stdin) != NULL;
    if (hidden)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &before);
    if (!was_read)
        return STR_EMPTY;
    str text = str_from(line);
    return str_dup(arena, str_trim(str_cut(&text, '\n')));
}

/* Started anew, because one that runs has the certificate from before. */
static bool
start_unit(void)
{
    char *const commands[][5] = { { "systemctl", "--quiet", "enable", UNIT, NULL },
                                  { "systemctl", "--quiet", "restart", UNIT, NULL } };
    char *const environment[] = { "PATH=/usr/bin:/bin", NULL };
    for (size_t i = 0; i < LENGTH(commands); i++) {
        pid_t child;
        int status = -1;
        if (posix_spawn(&child, "/usr/bin/systemctl", NULL, NULL, commands[i], environment) != 0)
            return false;
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            ;
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
            return false;
    }
    return true;
}

static int
command_join(int argc, char **argv)
{
    enum { URL, TOKEN, STATE, START };
    struct option_value options[] = {
        [URL] = { "--url", "Address of the control plane's listener for agents: https://HOST:PORT.", .required = true },
        [TOKEN] = { "--token",
                    "Token from `reeved fleet tokens create`; - asks for it, or reads it from standard input.",
                    .required = true },
        [STATE] = { "--state-dir", "Folder for the key, the certificate and the goal.", .value = STATE_FOLDER },
        [START] = { "--start", "Also start the agent's unit, now and at every boot.", .is_flag = true },
    };
    int status;
    if (!read_options(argc, argv, "join --url URL --token TOKEN [--start]", options, LENGTH(options), NULL, &status))
        return status;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(COMMAND_ARENA_BYTES);
    if (arena == NULL)
        return EXIT_FAILURE;
    struct state state = state_in(arena, str_from(options[STATE].value));
    error why = join_fleet(arena, &state, str_from(options[URL].value), read_token(arena, options[TOKEN].value));
    if (why != OK)
        return say_why("join", why);
    bool wants_start = options[START].value != NULL, started = wants_start && start_unit();
    printf("This host is %s (%s). %s\n", state.host_name.data, id_text(arena, state.host).data,
           started ? "The agent runs." : "Start the agent: systemctl enable --now reeve-agent");
    return wants_start && !started ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* ---- run ---- */
static int
command_run(int argc, char **argv)
{
    struct option_value options[] = {
        { "--state-dir", "Folder for the key, the certificate and the goal.", .value = STATE_FOLDER },
        { "--goal-file", "Work from this file instead of a control plane; read again when it changes." },
        { "--report-file", "With --goal-file: file for the report." },
    };
    int status;
    if (!read_options(argc, argv, "run [--state-dir DIR] [--goal-file FILE --report-file FILE]", options,
                      LENGTH(options), NULL, &status))
        return status;
    struct arena *arena = arena_new(COMMAND_ARENA_BYTES);
    if (arena == NULL)
        return EXIT_FAILURE;
    struct state state = state_in(arena, str_from(options[0].value));
    struct agent_config config = { .state = &state, .goal_file = options[1].value, .report_file = options[2].value };
    if (config.goal_file == NULL) {
        error why = state_load(arena, &state);
        if (why != OK)
            return say_why("run", why);
        if (state.url.len == 0) {
            fprintf(stderr, "reeve-agent run: this host has not joined a fleet: `reeve-agent join --help`\n");
            return EXIT_FAILURE;
        }
    }
    enum agent_end end = agent_run(&config);
    fflush(NULL);
    _exit((int)end); /* threads are still at work: nothing of theirs is taken apart under them */
}

/* ---- status ---- */
static void
print_member(const json_t *member)
{
    const json_t *problem = json_object_get(member, "problem");
    printf("  %s  %-10s %-13s %-12s goal %lld, access %lld%s%s\n", json_string_value(json_object_get(member, "id")),
           json_string_value(json_object_get(member, "unit")), json_string_value(json_object_get(member, "role")),
           json_string_value(json_object_get(member, "running")),
           (long long)json_integer_value(json_object_get(member, "goalGeneration")),
           (long long)json_integer_value(json_object_get(member, "accessGeneration")),
           json_is_string(problem) ? "\n      " : "", json_is_string(problem) ? json_string_value(problem) : "");
}

static int
command_status(int argc, char **argv)
{
    struct option_value options[] = {
        { "--state-dir", "Folder for the key, the certificate and the goal.", .value = STATE_FOLDER },
    };
    int status;
    if (!read_options(argc, argv, "status [--state-dir DIR]", options, LENGTH(options), NULL, &status))
        return status;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(COMMAND_ARENA_BYTES);
    if (arena == NULL)
        return EXIT_FAILURE;
    struct state state = state_in(arena, str_from(options[0].value));
    error why = state_load(arena, &state);
    if (why != OK)
        return say_why("status", why);
    if (state.url.len == 0) {
        printf("This host has not joined a fleet: `reeve-agent join --help`\n");
        return EXIT_FAILURE;
    }
    printf("host %s (%s), epoch %lld, control plane %s\n", state.host_name.data, id_text(arena, state.host).data,
           (long long)state.epoch, state.url.data);
    str text;
    json_t *report = disk_read(arena, state.report.data, REPORT_MAX_BYTES, &text) ? json_parse_own(arena, text) : NULL;
    if (report == NULL) {
        printf("The agent has not reported yet.\n");
        return EXIT_SUCCESS;
    }
    size_t i;
    json_t *one;
    printf("goal %lld\n", (long long)json_integer_value(json_object_get(report, "version")));
    json_array_foreach(json_object_get(report, "members"), i, one) print_member(one);
    json_array_foreach(json_object_get(report, "strays"), i, one)
        printf("  %s is not in the goal and is left alone\n", json_string_value(one));
    return EXIT_SUCCESS;
}

/* ---- address ---- */
static int
command_address(int argc, char **argv)
{
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(COMMAND_ARENA_BYTES);
    if (arena == NULL)
        return EXIT_FAILURE;
    if (argc != 3 || (strcmp(argv[1], "add") != 0 && strcmp(argv[1], "remove") != 0)) {
        fprintf(stderr,
                "usage: reeve-agent address add ADDRESS/PREFIX | address remove ADDRESS\n\n"
                "Units of members call this before they start. The address is put on the interface that has an\n"
                "address of the same network.\n");
        return argc == 2 && strcmp(argv[1], "--help") == 0 ? EXIT_SUCCESS : 2;
    }
    str rest = str_from(argv[2]), address = str_dup(arena, str_cut(&rest, '/'));
    int64_t prefix = 0;
    error why;
    if (strcmp(argv[1], "remove") == 0)
        why = address_remove(arena, address);
    else if (str_to_int(rest, 0, 128, &prefix))
        why = address_add(arena, address, (int)prefix);
    else
        why = problem(arena, "%s has no prefix length.", argv[2]);
    return why == OK ? EXIT_SUCCESS : say_why("address", why);
}

/* ---- prepare ---- */
static int
command_prepare(int argc, char **argv)
{
    enum { FOLDER, USER, ADDRESS, PORT, PEERS, ETCD_PORTS };
    struct option_value options[] = {
        [FOLDER] = { "--folder", "Folder of the member.", .required = true },
        [USER] = { "--user", "User of the member.", .required = true },
        [ADDRESS] = { "--address",
                      "ADDRESS/PREFIX of the member, put on the interface that has an address of the same network.",
                      .required = true },
        [PORT] = { "--port", "Port for clients.", .required = true },
        [PEERS] = { "--peers", "Addresses of its cluster's members on this host.", .value = "" },
        [ETCD_PORTS] = { "--etcd-ports", "Ports of etcd, if it runs on this host.", .value = "" },
    };
    int status;
    if (!read_options(argc, argv, "prepare --folder DIR --user NAME --address ADDRESS/PREFIX --port PORT", options,
                      LENGTH(options), NULL, &status))
        return status;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(COMMAND_ARENA_BYTES);
    if (arena == NULL)
        return EXIT_FAILURE;
    const struct passwd *user = getpwnam(options[USER].value);
    str prefix_text = str_from(options[ADDRESS].value), address = str_dup(arena, str_cut(&prefix_text, '/'));
    int64_t prefix, port;
    error why = OK;
    if (user == NULL || user->pw_uid < USERS_FIRST || user->pw_uid > USERS_LAST)
        why = problem(arena, "%s is no user of a member.", options[USER].value);
    else if (!str_to_int(prefix_text, 0, 128, &prefix) || !str_to_int(str_from(options[PORT].value), 1, 65535, &port))
        why = problem(arena, "%s has no prefix length, or %s is no port.", options[ADDRESS].value, options[PORT].value);
    else
        why = prepare_member(arena,
                             &(struct preparation){ .folder = str_from(options[FOLDER].value),
                                                    .prefix = (int)prefix,
                                                    .wall = { .user = (unsigned)user->pw_uid,
                                                              .address = address,
                                                              .port = (int)port,
                                                              .others = str_from(options[PEERS].value),
                                                              .etcd_ports = str_from(options[ETCD_PORTS].value) } });
    return why == OK ? EXIT_SUCCESS : say_why("prepare", why);
}

/* ---- receive ---- */
static int
command_receive(int argc, char **argv)
{
    struct option_value options[] = { { "--folder", "Folder of the seat.", .required = true } };
    int status;
    if (!read_options(argc, argv, "receive --folder DIR", options, LENGTH(options), NULL, &status))
        return status;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(COMMAND_ARENA_BYTES);
    if (arena == NULL)
        return EXIT_FAILURE;
    return say_why("receive", receive_run(arena, str_from(options[0].value)));
}

/* ---- keep ---- */
static int
command_keep(int argc, char **argv)
{
    struct option_value options[] = { { "--folder", "Folder of the seat.", .required = true } };
    int status;
    if (!read_options(argc, argv, "keep --folder DIR", options, LENGTH(options), NULL, &status))
        return status;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(KEEP_ARENA_BYTES);
    error why = arena == NULL ? WOULD_BLOCK : keep_run(arena, str_from(options[0].value));
    return why == OK ? EXIT_SUCCESS : say_why("keep", why);
}

/* ---- verify ---- */
static int
command_verify(int argc, char **argv)
{
    struct option_value options[] = { { "--folder", "Folder of the seat.", .required = true } };
    int status;
    if (!read_options(argc, argv, "verify --folder DIR", options, LENGTH(options), NULL, &status))
        return status;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(KEEP_ARENA_BYTES);
    error why = arena == NULL ? WOULD_BLOCK : verify_run(arena, str_from(options[0].value));
    return why == OK ? EXIT_SUCCESS : say_why("verify", why);
}

/* ---- show-logs ---- */
static int
command_show_logs(int argc, char **argv)
{
    struct option_value options[] = { { "--folder", "Folder of the key and the certificates.", .required = true } };
    int status;
    if (!read_options(argc, argv, "show-logs --folder DIR", options, LENGTH(options), NULL, &status))
        return status;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(COMMAND_ARENA_BYTES);
    if (arena == NULL)
        return EXIT_FAILURE;
    return say_why("show-logs", log_show_run(arena, str_from(options[0].value)));
}

/* ---- restore, restore-wal ---- */
static int
command_restore(int argc, char **argv)
{
    struct option_value options[] = { { "--folder", "Folder of the member.", .required = true } };
    int status;
    if (!read_options(argc, argv, "restore --folder DIR", options, LENGTH(options), NULL, &status))
        return status;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(KEEP_ARENA_BYTES);
    error why = arena == NULL ? WOULD_BLOCK : restore_run(arena, str_from(options[0].value));
    return why == OK ? EXIT_SUCCESS : say_why("restore", why);
}

static int
command_restore_wal(int argc, char **argv)
{
    enum { FOLDER, NAME, INTO, CANNOT_SAY = 255 };
    struct option_value options[] = {
        [FOLDER] = { "--folder", "Folder of the member.", .required = true },
        [NAME] = { "--name", "The file of WAL.", .required = true },
        [INTO] = { "--into", "Where it is put.", .required = true },
    };
    int status;
    if (!read_options(argc, argv, "restore-wal --folder DIR --name FILE --into PATH", options, LENGTH(options), NULL,
                      &status))
        return CANNOT_SAY;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(KEEP_ARENA_BYTES);
    if (arena == NULL)
        return CANNOT_SAY;
    return restore_wal(arena, str_from(options[FOLDER].value), options[NAME].value, options[INTO].value);
}

/* ---- fetch, prove ---- */
static int
command_fetch(int argc, char **argv)
{
    struct option_value options[] = { { "--seat", "Folder of the seat.", .required = true },
                                      { "--folder", "Folder of the drill.", .required = true } };
    int status;
    if (!read_options(argc, argv, "fetch --seat DIR --folder DIR", options, LENGTH(options), NULL, &status))
        return status;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(KEEP_ARENA_BYTES);
    error why =
        arena == NULL ? WOULD_BLOCK : drill_fetch_run(arena, str_from(options[0].value), str_from(options[1].value));
    return why == OK ? EXIT_SUCCESS : say_why("fetch", why);
}

static int
command_prove(int argc, char **argv)
{
    struct option_value options[] = { { "--folder", "Folder of the drill.", .required = true } };
    int status;
    if (!read_options(argc, argv, "prove --folder DIR", options, LENGTH(options), NULL, &status))
        return status;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(COMMAND_ARENA_BYTES);
    error why = arena == NULL ? WOULD_BLOCK : drill_prove_run(arena, str_from(options[0].value));
    return why == OK ? EXIT_SUCCESS : say_why("prove", why);
}

/* ---- dump, upload ---- */
static int
command_dump(int argc, char **argv)
{
    struct option_value options[] = { { "--folder", "Folder of the export.", .required = true } };
    int status;
    if (!read_options(argc, argv, "dump --folder DIR", options, LENGTH(options), NULL, &status))
        return status;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(KEEP_ARENA_BYTES);
    error why = arena == NULL ? WOULD_BLOCK : export_dump_run(arena, str_from(options[0].value));
    return why == OK ? EXIT_SUCCESS : say_why("dump", why);
}

static int
command_upload(int argc, char **argv)
{
    struct option_value options[] = { { "--folder", "Folder of the export.", .required = true } };
    int status;
    if (!read_options(argc, argv, "upload --folder DIR", options, LENGTH(options), NULL, &status))
        return status;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(KEEP_ARENA_BYTES);
    error why = arena == NULL ? WOULD_BLOCK : export_upload_run(arena, str_from(options[0].value));
    return why == OK ? EXIT_SUCCESS : say_why("upload", why);
}

/* ---- pack ---- */
static int
command_pack(int argc, char **argv)
{
    struct option_value options[] = { { "--seat", "Folder of the seat.", .required = true },
                                      { "--folder", "Folder of the download.", .required = true } };
    int status;
    if (!read_options(argc, argv, "pack --seat DIR --folder DIR", options, LENGTH(options), NULL, &status))
        return status;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(KEEP_ARENA_BYTES);
    error why = arena == NULL ? WOULD_BLOCK : pack_run(arena, str_from(options[0].value), str_from(options[1].value));
    return why == OK ? EXIT_SUCCESS : say_why("pack", why);
}

/* ---- mirror ---- */
static int
command_mirror(int argc, char **argv)
{
    struct option_value options[] = { { "--seat", "Folder of the seat.", .required = true },
                                      { "--folder", "Folder of the copy.", .required = true } };
    int status;
    if (!read_options(argc, argv, "mirror --seat DIR --folder DIR", options, LENGTH(options), NULL, &status))
        return status;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(COMMAND_ARENA_BYTES);
    error why = arena == NULL ? WOULD_BLOCK : mirror_run(arena, str_from(options[0].value), str_from(options[1].value));
    return why == OK ? EXIT_SUCCESS : say_why("mirror", why);
}

// clang-format off
static const struct {
    const char *name, *sentence;
    int (*run)(int argc, char **argv);
} commands[] = {
    { "join",    "Join a fleet as a host, with a token from its operator.",           command_join },
    { "run",     "Make the goal of the control plane true on this host, and report.", command_run },
    { "status",  "Show what runs here, as last reported.",                            command_status },
    { "own-database", "Keep and restore the control plane's own database.",          command_own_database },
    { "volumes", "Which disks members of this host get, and how full they are.",      command_volumes },
    { "prepare", "Do what needs root before a member starts; for units.",             command_prepare },
    { "receive", "Receive the WAL of a cluster into its repository; for units.",      command_receive },
    { "keep",    "Make and remove backups as the agent has ordered; for units.",      command_keep },
    { "verify",  "Read everything in a repository, and note damage; for units.",      command_verify },
    { "restore", "Bring a member's data back from a backup; for units.",              command_restore },
    { "restore-wal", "Fetch a file of WAL; for PostgreSQL while it recovers.",        command_restore_wal },
    { "fetch",   "Restore a backup for a drill or an export; for units.",             command_fetch },
    { "prove",   "Look whether what was restored is whole; for units.",              command_prove },
    { "dump",    "Dump the databases of what was restored; for units.",               command_dump },
    { "upload",  "Write what was dumped to a bucket; for units.",                     command_upload },
    { "pack",    "Make one file of a backup, for a download; for units.",             command_pack },
    { "show-logs", "Show logs of members to the control plane; for units.",           command_show_logs },
    { "mirror",  "Copy what a restore needs out of an object store; for units.",      command_mirror },
    { "address", "Add or remove an address of a member; for units.",                  command_address },
};
// clang-format on

static void
print_help(FILE *out)
{
    fprintf(out, "reeve-agent %s: looks after the databases of one host\n\nusage: reeve-agent COMMAND [OPTION…]\n\n",
            REEVE_VERSION);
    for (size_t i = 0; i < LENGTH(commands); i++)
        fprintf(out, "  %-12s %s\n", commands[i].name, commands[i].sentence);
    fprintf(
        out,
        "\nOn a new host, as root:\n\n"
        "  reeve-agent join --url https://control.example.org:8444 --token - --start    # asks for what `reeved fleet tokens create` printed\n"
        "  reeve-agent status\n\n"
        "Databases are units of systemd (reeve-member-….service): they keep running when the agent is stopped, and\n"
        "start after a reboot without it. To try a goal by hand: reeve-agent run --goal-file FILE --report-file FILE.\n"
        "`reeve-agent COMMAND --help` says more.\n");
}

int
main(int argc, char **argv)
{
    json_init();
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0) {
        print_help(argc < 2 ? stderr : stdout);
        return argc < 2 ? 2 : 0;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("reeve-agent %s\n", REEVE_VERSION);
        return 0;
    }
    if (!failpoint_init(getenv(FAILPOINT_VARIABLE), stderr) || !call_init())
        return EXIT_FAILURE;
    for (size_t i = 0; i < LENGTH(commands); i++) {
        if (strcmp(argv[1], commands[i].name) == 0)
            return commands[i].run(argc - 1, argv + 1);
    }
    fprintf(stderr, "reeve-agent: there is no command '%s'; `reeve-agent --help` lists them\n", argv[1]);
    return 2;
}
