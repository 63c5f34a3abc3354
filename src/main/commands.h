/* SPDX-License-Identifier: Apache-2.0 */
/* The commands of reeved beside `api`. Each takes its own arguments (argv[0] is its name) and returns the exit status. */
#ifndef MAIN_COMMANDS_H
#define MAIN_COMMANDS_H

#include "base/error.h"
#include "main/config.h"

int command_bootstrap(int argc, char **argv);
int command_migrate(int argc, char **argv);
int command_limit(int argc, char **argv);
int command_audit(int argc, char **argv);
int command_key(int argc, char **argv);
int command_rehearse(int argc, char **argv);
int command_check(int argc, char **argv);
int command_catalog(int argc, char **argv);
int command_worker(int argc, char **argv);
int command_jobs(int argc, char **argv);
int command_billing(int argc, char **argv);
int command_operator(int argc, char **argv);
int command_federation(int argc, char **argv);
int command_enrol(int argc, char **argv);
int command_invitation(int argc, char **argv);
int command_roles(int argc, char **argv);
int command_errors(int argc, char **argv);
int command_events(int argc, char **argv);
int command_fleet(int argc, char **argv);
int command_openapi(int argc, char **argv);
int command_reference(int argc, char **argv);

/* ---- What they share ---- */
struct option_value {
    const char *name;     /* "--config" */
    const char *sentence; /* for --help */
    const char *value;    /* as given, else what it was before */
    bool is_flag;         /* takes no value: "true" when given */
    bool required;
    struct config_list *list; /* may be given several times: all of them */
};
/* Fills in the values; false (with a message, or with the help text printed) when the command must not go on; then
 * *ret_status is its exit status. Words that are no option go to `word`, when it is not NULL. */
bool read_options(int argc, char **argv, const char *usage, struct option_value *options, size_t count,
                  const char **word, int *ret_status);

/* The same for commands that take up to `word_count` words; those that were not given are NULL. */
bool read_words(int argc, char **argv, const char *usage, struct option_value *options, size_t count,
                const char **words, size_t word_count, int *ret_status);

/* Prints the error as a sentence with its remedy and returns 1. */
int report_failure(const char *command, error problem);

#endif
