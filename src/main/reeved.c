/* SPDX-License-Identifier: Apache-2.0 */
/* `reeved`: the server's command. One row for each subcommand. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/failpoint.h"
#include "base/json.h"
#include "main/command_api.h"
#include "main/commands.h"

// clang-format off
static const struct {
    const char *name, *sentence;
    int (*run)(int argc, char **argv);
} commands[] = {
    { "api",        "Serve the API (runs nginx with Reeve's module).",                    command_api },
    { "worker",     "Do the work without a request: jobs, webhooks, alerts.",             command_worker },
    { "jobs",       "List jobs and what they wait for; retry or cancel one.",             command_jobs },
    { "billing",    "Record payments; lock and unlock organizations.",                    command_billing },
    { "federation", "Give domains to federations, and connect organizations.",            command_federation },
    { "invitation", "List open invitations, and print the token of one.",                 command_invitation },
    { "enrol",      "Print a token with which somebody adds their first passkey.",        command_enrol },
    { "bootstrap",  "Create an organization with its first credentials, and print them.", command_bootstrap },
    { "migrate",    "Bring the database schema up to date.",                              command_migrate },
    { "fleet",      "Manage hosts, regions and sizes for clusters.",                      command_fleet },
    { "operator",   "Make and revoke tokens of operators, for `reeve fleet`.",            command_operator },
    { "limit",      "Set rate limits of an organization, project or user.",               command_limit },
    { "audit",      "Prove that no event was changed, removed or reordered.",             command_audit },
    { "key",        "Make a new key for signing tokens.",                                 command_key },
    { "check",      "Check everything that a deployment needs, and say what is wrong.",   command_check },
    { "rehearse",   "Ask a restored control plane everything once, and serve nobody.",   command_rehearse },
    { "catalog",    "List the operations of the API and which of them are complete.",     command_catalog },
    { "roles",      "List the roles and what they imply.",                                command_roles },
    { "errors",     "List the errors that a client can see, and what to do about each.",  command_errors },
    { "events",     "List the types of events.",                                          command_events },
    { "openapi",    "Print the OpenAPI document.",                                        command_openapi },
    { "reference",  "Write the reference documentation into a folder.",                   command_reference },
    { "config",     "Print a sample of reeve.conf, or check one.",                        command_config },
};
// clang-format on

static void
print_help(FILE *out)
{
    fprintf(out, "reeved %s: the control plane of Reeve\n\nusage: reeved COMMAND [OPTION…]\n\n", REEVE_VERSION);
    for (size_t i = 0; i < LENGTH(commands); i++)
        fprintf(out, "  %-10s %s\n", commands[i].name, commands[i].sentence);
    fprintf(out, "\n`reeved COMMAND --help` says more. A first start on your own machine: `make run`.\n");
}

int
main(int argc, char **argv)
{
    json_init();
    if (!failpoint_init(getenv(FAILPOINT_VARIABLE), stderr))
        return 2;
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0) {
        print_help(argc < 2 ? stderr : stdout);
        return argc < 2 ? 2 : 0;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("reeved %s\n", REEVE_VERSION);
        return 0;
    }
    for (size_t i = 0; i < LENGTH(commands); i++) {
        if (strcmp(argv[1], commands[i].name) == 0)
            return commands[i].run(argc - 1, argv + 1);
    }
    fprintf(stderr, "reeved: there is no command '%s'; `reeved --help` lists them\n", argv[1]);
    return 2;
}
