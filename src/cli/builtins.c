/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/builtins.h"

// clang-format off
static const struct option_row login_options[] = {
    { "client-id", "ID", "The service account. Its secret is asked for, or read from standard input.", FOR_ALL },
    { "public-key", "KEY", "An API key instead of a service account. Its private key is asked for, or read from standard input.", FOR_ALL },
    { "browser", NULL, "As a person: let this program in with a browser, on any device. At a terminal that is so without it, if the server has pages for it.", FOR_ALL },
    { "secret-service", NULL, "Keep the secret in the desktop's secret service (secret-tool) instead of the file.", FOR_ALL },
    { .name = NULL },
};
static const struct option_row api_options[] = {
    { "data", "JSON", "The body.", FOR_ALL },
    { "header", "LINE", "One more header, \"Name: value\".", FOR_ALL },
    { "file", "FILE", "The body from a file; - is standard input.", FOR_ALL },
    { "include", NULL, "Show status and request id on standard error.", FOR_ALL },
    { .name = NULL },
};
static const struct option_row connect_options[] = {
    { "user", "NAME", "The database user.", FOR_ALL },
    { "database", "NAME", "The database (postgres).", FOR_ALL },
    { "root-certificate", "FILE", "Certificate of the clusters' authority. The operator prints it with `reeved fleet authority`.", FOR_ALL },
    { "private", NULL, "Through private addresses.", FOR_ALL },
    { "pooled", NULL, "Through the cluster's poolers: many clients share few sessions.", FOR_ALL },
    { "read-only", NULL, "To a replica, or the primary where there is none: for sessions that only read.", FOR_ALL },
    { "analytics", NULL, "To a member for analytics: for reports, which must not slow the application down.", FOR_ALL },
    { "print", "DRIVER", "Only print the connection string, in the form for psql, psycopg, jdbc, node, pgx, npgsql or sqlalchemy.", FOR_ALL },
    { .name = NULL },
};
static const struct option_row restore_options[] = {
    { "at", "TIME", "The last moment before the mistake: so long ago (10m, 2h, 1d), or a date in UTC (2026-11-16T09:41:07Z).", FOR_ALL },
    { "user", "NAME", "The database user that reads the table and makes it again.", FOR_ALL },
    { "root-certificate", "FILE", "Certificate of the clusters' authority. The operator prints it with `reeved fleet authority`.", FOR_ALL },
    { "private", NULL, "Through private addresses.", FOR_ALL },
    { "keep", NULL, "Keep the cluster that the moment was restored into.", FOR_ALL },
    { .name = NULL },
};
static const struct option_row logs_options[] = {
    { "member", "NAME", "Only of this member: its host name, or the part before the first dot. Without it of all members, one after the other.", FOR_ALL },
    { "log", "LOG", "Which log: postgres (without it), audit, patroni or pgbackrest.", FOR_ALL },
    { "since", "TIME", "From so long ago on: a number and s, m, h or d (1h).", FOR_ALL },
    { "follow", NULL, "Go on with what is written from now on, until Ctrl-C.", FOR_ALL },
    { .name = NULL },
};
static const struct option_row follow_options[] = {
    { "type", "EVENT_TYPE", "Only events of this type.", FOR_ALL },
    { "since", "SEQUENCE", "Start after the event with this sequence; 0 starts with the first.", FOR_ALL },
    { "count", "N", "End after this many events.", FOR_ALL },
    { .name = NULL },
};

static const struct option_row fleet_login_options[] = {
    { "url", "URL", "The operator's address: https://HOST:PORT, or http://127.0.0.1:PORT on a node itself.", FOR_ALL },
    { "token-file", "FILE", "File that has the token; - is standard input. Without it the token is asked for.", FOR_ALL },
    { "secret-service", NULL, "Keep the token in the desktop's secret service (secret-tool) instead of the file.", FOR_ALL },
    { .name = NULL },
};

static const struct option_row top_options[] = {
    { "once", NULL, "Print one frame and end, as it does where the output is no terminal. With --output json it is a document.", FOR_ALL },
    { .name = NULL },
};

static const struct option_row fleet_update_options[] = {
    { "to", "VERSION", "Only clusters whose hosts all have this version (17.7). Without it each cluster goes to what its hosts have.", FOR_ALL },
    { "canary", "NAMES", "Those that come first: clusters (PROJECT/CLUSTER) or projects, with commas between them.", FOR_ALL },
    { "canaries", "N", "How many come first when none is named (1).", FOR_ALL },
    { "at-a-time", "N", "How many clusters are updated at once (2).", FOR_ALL },
    { "patience", "SECONDS", "How long a server may take to come back before the cluster has failed (300).", FOR_ALL },
    { "ignore-window", NULL, "Do not wait for the projects' maintenance windows.", FOR_ALL },
    { "include-pinned", NULL, "Update clusters whose tenants have pinned their version, too.", FOR_ALL },
    { "dry-run", NULL, "Only show the plan.", FOR_ALL },
    { "yes", NULL, "Do not ask before it starts.", FOR_ALL },
    { .name = NULL },
};
static const struct option_row fleet_continue_options[] = {
    { "skip-failed", NULL, "Leave out clusters that failed; without it they are tried again.", FOR_ALL },
    { .name = NULL },
};

const struct builtin builtins[] = {
    { "login", "", "Store a server and credentials as a profile",
      "Asks for what is missing, tests it, and writes it to the profile (`default`, or that of --profile). Only you can read the "
      "file. At a terminal you log in as yourself: it shows an address and a code, you open the address in a browser in which you are "
      "signed in, type the code, and let the program in with your passkey. Such a session ends after twelve hours without use, after thirty "
      "days (twelve hours if you signed in with your organization's provider), or when you end it, here or in the console. What cannot be undone works for five minutes after you used the passkey; then log in again. "
      "Programs use a service account: the profile then keeps a token for an hour, and the secret is used once an hour. Secrets "
      "are never read from the command line, where others could see them.",
      "reeve login --server https://reeve.example.org --client-id reeve_sa_650000000000000000000001", 0, 0, login_options, false, true, builtin_login },
    { "logout", "", "Remove the credentials of a profile",
      "Removes the secret and the token from the profile and from the secret service. Server and project stay. A session that you let in with a browser ends on the server.",
      "reeve logout --profile staging", 0, 0, NULL, false, false, builtin_logout },
    { "status", "", "Say who you are, what your commands work on, and what is wrong there now",
      "Shows profile, organization, project and clusters, then open alerts and work that goes on. In a pipe it is one document of JSON.",
      "reeve status", 0, 0, NULL, false, true, builtin_status },
    { "profiles list", "", "List the profiles", "Shows each profile with its server and its defaults. Secrets are not shown.",
      "reeve profiles list", 0, 0, NULL, false, false, builtin_profiles_list },
    { "profiles set", "SETTING VALUE", "Set server, ca-file, project, org or docs of a profile",
      "project and org are names or ids, and are looked up. An empty VALUE removes the setting. docs is the address of the documentation site: errors then name the page that "
      "explains them.",
      "reeve profiles set project web", 2, 2, NULL, false, false, builtin_profiles_set },
    { "profiles use", "NAME", "Make a profile the current one", "Commands use it from now on, unless --profile or REEVE_PROFILE names another one.",
      "reeve profiles use staging", 1, 1, NULL, false, false, builtin_profiles_use },
    { "profiles delete", "NAME", "Delete a profile", "Deletes the profile and its secrets.", "reeve profiles delete staging", 1, 1, NULL, false, false, builtin_profiles_delete },
    { "api", "METHOD PATH", "Send any request by hand",
      "Uses the credentials of the profile, and retries as other commands do. PATH is relative to /api/svc/v2 unless it begins "
      "with /api/.",
      "reeve api GET /orgs", 2, 2, api_options, false, true, builtin_api },
    { "connect", "CLUSTER [-- ARGUMENT…]", "Open psql on a cluster, with the connection string of the API",
      "Asks the API for the cluster's connection string, puts user and database into it, and becomes psql. psql asks for the password unless "
      "PGPASSWORD or ~/.pgpass has it. Everything after -- goes to psql.",
      "reeve connect orders --user app --database shop -- -c 'SELECT 1'", 1, MAX_ARGUMENTS, connect_options, false, true, builtin_connect },
    { "restore table", "CLUSTER DATABASE.SCHEMA.TABLE", "Bring a table back as it was at a moment",
      "Restores the moment into a cluster of one member that is made for it, copies the table from there with pg_dump and psql, and deletes that cluster. The cluster itself goes on "
      "meanwhile, and all else in it stays as it is. A table that is still there is not overwritten: rename it first. Without SCHEMA the table is in public. The password is asked for "
      "unless PGPASSWORD has it.",
      "reeve restore table orders shop.public.invoices --at 10m --user app", 2, 2, restore_options, false, true, builtin_restore_table },
    { "logs", "CLUSTER", "Show the logs of a cluster's servers",
      "Shows lines as the servers wrote them, oldest first; with several members each line has the name of its member before it. With --follow it goes on with new "
      "lines. A lost connection is opened again, and no line is missed or shown twice.",
      "reeve logs orders --since 15m --follow", 1, 1, logs_options, false, true, builtin_logs },
    { "top", "CLUSTER", "Show the servers of a cluster, live",
      "One line a server: its role, its load, its sessions, how far it is behind, how full its disk is; CPU and transactions also as curves of the last five minutes. What "
      "is wrong comes first, and stands in the last column. LONGEST is the age of the oldest statement that runs, WAITS counts sessions that wait for a lock or a disk. Keys: s sorts by "
      "something else, arrows move, q quits. When nothing answers, the last state stays, and a line says since when it is old.",
      "reeve top orders", 1, 1, top_options, false, true, builtin_top },
    { "advisor", "CLUSTER", "Show what the advisor says about a cluster",
      "Suggested indexes with what the planner makes of them, indexes that could be dropped, and tables to change. The same as the commands of "
      "performance-advisor show as documents.",
      "reeve advisor orders", 1, 1, NULL, false, true, builtin_advisor },
    { "advisor apply", "CLUSTER [NUMBER]", "Build an index that the advisor suggests",
      "Builds the suggestion with that number in `reeve advisor CLUSTER`, the best without one. Writes go on meanwhile.",
      "reeve advisor apply orders 1", 1, 2, NULL, false, true, builtin_advisor_apply },
    { "events follow", "", "Show events as they happen",
      "Shows events of the project, or with --org of the organization, until Ctrl-C. A lost connection is opened again, and no "
      "event is missed or shown twice. In a pipe each event is one line of JSON.",
      "reeve events follow --type CLUSTER_CREATED", 0, 0, follow_options, false, true, builtin_follow },
    { "operations wait", "OPERATION", "Wait for a running operation, and show its steps",
      "Does what --wait does, but later. Exits with 0 when the operation is done and with 4 when it failed. Ctrl-C leaves the "
      "operation running.",
      "reeve operations wait 650000000000000000000001", 1, 1, NULL, false, true, builtin_wait },
    { "fleet login", "", "Store the operator's address and your token",
      "Asks for what is missing, tests it, and adds it to the profile; the tenant's credentials stay. `reeved operator add NAME` "
      "on a node makes a token. The token is never read from the command line, where others could see it.",
      "reeve fleet login --url http://127.0.0.1:9443 --token-file token.txt", 0, 0, fleet_login_options, false, true, builtin_fleet_login, true },
    { "fleet logout", "", "Remove your token as an operator",
      "Removes the token from the profile and from the secret service. To revoke it everywhere, run `reeved operator remove "
      "NAME` on a node.",
      "reeve fleet logout", 0, 0, NULL, false, false, builtin_fleet_logout, true },
    { "fleet jobs wait", "JOB", "Wait for a running job, and show its steps",
      "Does what --wait does, but later: for example until a host is drained. Exits with 0 when the job is done and with 4 "
      "when it failed. Ctrl-C leaves the job running.",
      "reeve fleet jobs wait 650000000000000000000001", 1, 1, NULL, false, true, builtin_fleet_wait, true },
    { "fleet update", "[CLUSTER…]", "Bring clusters to the minor version that their hosts have",
      "Shows the plan, asks, starts the rollout and shows how far it is. Canaries come first; the first cluster that fails stops it. Without clusters it is about all of them. Ctrl-C leaves "
      "it running. Exits with 4 when it was stopped.",
      "reeve fleet update --canary staging --at-a-time 2", 0, MAX_ARGUMENTS, fleet_update_options, false, true, builtin_fleet_update, true },
    { "fleet update stop", "", "Stop the rollout that is under way", "Clusters that are being updated finish; no other begins.",
      "reeve fleet update stop", 0, 0, NULL, false, true, builtin_fleet_update_stop, true },
    { "fleet update continue", "", "Continue the rollout that was stopped", "Clusters that failed are tried again, or left out with --skip-failed.",
      "reeve fleet update continue", 0, 0, fleet_continue_options, false, true, builtin_fleet_update_continue, true },
    { "fleet top", "", "Show the hosts of the fleet, live",
      "One line a host: what is wrong with it first, then how much of it is taken and how long it has said nothing. Above it room, clusters and processes of the whole fleet; below it jobs that failed, are "
      "late or run. Keys: s sorts by something else, arrows move, q quits.",
      "reeve fleet top", 0, 0, top_options, false, true, builtin_fleet_top, true },
    { "explain", "CODE", "Say what an error code means and what to do about it", "Shows the same text as the documentation of the API.",
      "reeve explain RATE_LIMITED_TOKEN_BUCKET", 1, 1, NULL, false, false, builtin_explain },
    { "completion", "bash|zsh|fish", "Print the completion script for your shell",
      "bash: put `source <(reeve completion bash)` into ~/.bashrc. zsh: write it to a file named _reeve in your fpath. fish: write it to "
      "~/.config/fish/completions/reeve.fish.",
      "reeve completion bash", 1, 1, NULL, false, false, builtin_completion },
    { "man", "FOLDER", "Write the man pages into a folder", "One page for reeve and one for each family.", "reeve man /usr/local/share/man/man1", 1, 1, NULL, false, false, builtin_man },
    { "help", "[COMMAND…]", "Show the help of a command", "`reeve help clusters create` is `reeve clusters create --help`; `reeve help query` is about --query.",
      "reeve help clusters", 0, MAX_ARGUMENTS, NULL, false, false, builtin_help },
    { "__complete", "", "Completions for a shell", "", "", 0, MAX_ARGUMENTS, NULL, true, false, builtin_complete },
    { "__reference", "", "The page of the documentation", "", "", 0, 0, NULL, true, false, builtin_reference },
};
// clang-format on
const size_t builtin_count = LENGTH(builtins);
