/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/builtins.h"

// clang-format off
static const struct option_row login_options[] = {
    { "client-id", "ID", "The service account. Its secret is asked for, or read from standard input.", FOR_ALL },
    { "public-key", "KEY", "An API key instead of a service account. Its private key is asked for, or read from standard input.", FOR_ALL },
    { "secret-service", NULL, "Keep the secret in the desktop's secret service (secret-tool) and not in the file.", FOR_ALL },
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
    { "root-certificate", "FILE", "Certificate of the authority of the clusters, which `reeved fleet authority` prints for the operator.", FOR_ALL },
    { "private", NULL, "Through private addresses.", FOR_ALL },
    { "print", "DRIVER", "Only print the connection string, in the words of psql, psycopg, jdbc, node, pgx, npgsql or sqlalchemy.", FOR_ALL },
    { .name = NULL },
};
static const struct option_row follow_options[] = {
    { "type", "EVENT_TYPE", "Only events of this type.", FOR_ALL },
    { "since", "SEQUENCE", "Begin behind the event with this sequence; 0 begins with the first.", FOR_ALL },
    { "count", "N", "End after so many events.", FOR_ALL },
    { .name = NULL },
};

static const struct option_row fleet_login_options[] = {
    { "url", "URL", "The operator's address: https://HOST:PORT, or http://127.0.0.1:PORT on a node itself.", FOR_ALL },
    { "token-file", "FILE", "File that has the token; - is standard input. Without it the token is asked for.", FOR_ALL },
    { "secret-service", NULL, "Keep the token in the desktop's secret service (secret-tool) and not in the file.", FOR_ALL },
    { .name = NULL },
};

const struct builtin builtins[] = {
    { "login", "", "Remember a server and credentials as a profile",
      "Asks for what is not given, tries it out, and writes it to the profile (`default`, or the one of --profile). The file is readable "
      "by you alone. A service account is best: the profile then keeps a token for an hour, and its secret is used once an hour. "
      "Secrets are never taken from the command line, where others could see them.",
      "reeve login --server https://reeve.example.org --client-id reeve_sa_650000000000000000000001", 0, 0, login_options, false, true, builtin_login },
    { "logout", "", "Forget the credentials of a profile",
      "Takes secret and token out of the profile (and out of the secret service). Server and project stay.",
      "reeve logout --profile staging", 0, 0, NULL, false, false, builtin_logout },
    { "profiles list", "", "List the profiles", "Shows each profile with its server and what it defaults to. Secrets are not shown.",
      "reeve profiles list", 0, 0, NULL, false, false, builtin_profiles_list },
    { "profiles set", "SETTING VALUE", "Set server, ca-file, project, org or docs of a profile",
      "An empty VALUE takes the setting away. docs is where the documentation site is: errors then name the page that explains them.",
      "reeve profiles set project 650000000000000000000002", 2, 2, NULL, false, false, builtin_profiles_set },
    { "profiles use", "NAME", "Make a profile the current one", "What is called from now on uses it, unless --profile or REEVE_PROFILE says otherwise.",
      "reeve profiles use staging", 1, 1, NULL, false, false, builtin_profiles_use },
    { "profiles delete", "NAME", "Delete a profile", "With its secrets.", "reeve profiles delete staging", 1, 1, NULL, false, false, builtin_profiles_delete },
    { "api", "METHOD PATH", "Send any request by hand",
      "With the credentials of the profile and with everything that commands do about retries. PATH is relative to /api/svc/v2 unless it begins with /api/.",
      "reeve api GET /orgs", 2, 2, api_options, false, true, builtin_api },
    { "connect", "CLUSTER [-- ARGUMENT…]", "Open psql on a cluster, with the connection string of the API",
      "Asks the API for the cluster's connection string, puts user and database into it, and becomes psql. psql asks for the password unless "
      "PGPASSWORD or ~/.pgpass has it. What stands behind -- goes to psql.",
      "reeve connect orders --user app --database shop -- -c 'SELECT 1'", 1, MAX_ARGUMENTS, connect_options, false, true, builtin_connect },
    { "events follow", "", "Show events as they happen",
      "Of the project, or with --org of the organization. Goes on until Ctrl-C; a connection that is lost is opened again, and no event is missed or shown twice. "
      "In a pipe each event is one line of JSON.",
      "reeve events follow --type CLUSTER_CREATED", 0, 0, follow_options, false, true, builtin_follow },
    { "operations wait", "OPERATION", "Wait for an operation that goes on, and show its steps",
      "What --wait does, afterwards. Ends with status 0 when the operation is done and with 4 when it failed. Ctrl-C leaves it running.",
      "reeve operations wait 650000000000000000000001", 1, 1, NULL, false, true, builtin_wait },
    { "fleet login", "", "Remember the operator's address and your token",
      "Asks for what is not given, tries it out, and writes it to the profile beside the tenant's credentials, which stay. `reeved operator add NAME` "
      "on a node makes a token. It is never taken from the command line, where others could see it.",
      "reeve fleet login --url http://127.0.0.1:9443 --token-file token.txt", 0, 0, fleet_login_options, false, true, builtin_fleet_login, true },
    { "fleet logout", "", "Forget your token as an operator",
      "Takes the token out of the profile (and out of the secret service). `reeved operator remove NAME` on a node makes it worthless everywhere.",
      "reeve fleet logout", 0, 0, NULL, false, false, builtin_fleet_logout, true },
    { "fleet jobs wait", "JOB", "Wait for a job that goes on, and show its steps",
      "What --wait does, afterwards: until a host is drained, say. Ends with status 0 when the job is done and with 4 when it failed. Ctrl-C leaves it running.",
      "reeve fleet jobs wait 650000000000000000000001", 1, 1, NULL, false, true, builtin_fleet_wait, true },
    { "explain", "CODE", "Say what an error code means and what to do about it", "From the same table as the API's own documentation.",
      "reeve explain RATE_LIMITED_TOKEN_BUCKET", 1, 1, NULL, false, false, builtin_explain },
    { "completion", "bash|zsh|fish", "Print what makes your shell complete commands and flags",
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
