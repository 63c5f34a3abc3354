/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the command line: the command and its options. Sends nothing. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "cli/command.h"

/* The commands for which an option is valid. */
enum option_scope { FOR_ALL, FOR_CALLS, FOR_LISTS, FOR_CHANGES, FOR_BODIES, FOR_POSTS, FOR_LOSSES };

struct option_row {
    const char *name;  /* without the dashes */
    const char *value; /* what it takes, for the help; NULL: nothing */
    const char *doc;
    enum option_scope scope;
    char letter; /* short form; 0: none */
};
/* Those of every command; the order is that of enum option. */
extern const struct option_row common_options[];
enum option {
    OPTION_PROJECT,
    OPTION_ORG,
    OPTION_FILE,
    OPTION_SET,
    OPTION_DRY_RUN,
    OPTION_YES,
    OPTION_WAIT,
    OPTION_ALL,
    OPTION_PAGE_NUM,
    OPTION_ITEMS_PER_PAGE,
    OPTION_NO_COUNT,
    OPTION_IF_MATCH,
    OPTION_IDEMPOTENCY_KEY,
    OPTION_QUERY,
    OPTION_OUTPUT,
    OPTION_SAVE,
    OPTION_CURL,
    OPTION_PROFILE,
    OPTION_SERVER,
    OPTION_CA_FILE,
    OPTION_RETRIES,
    OPTION_TIMEOUT,
    OPTION_NO_COLOR,
    OPTION_QUIET,
    OPTION_VERBOSE,
    OPTION_HELP,
    OPTION_VERSION,
    OPTION_COUNT
};
/* Whether the option is valid for the command. */
bool option_applies(const struct option_row *row, const struct command *command);

struct cli;
struct builtin {
    const char *words;     /* "events follow" */
    const char *arguments; /* "CLUSTER", for the usage line */
    const char *summary, *description, *example;
    size_t min_arguments, max_arguments;
    const struct option_row *options; /* its own; name == NULL at the end */
    bool hidden;
    bool calls; /* it talks to the API, and so takes the options for that */
    int (*run)(struct cli *cli);
    bool for_operators; /* it talks to the operator's API */
};

/* A flag of a field and what was given to it. */
struct assignment {
    const struct command_field *field; /* NULL: --set, and `value` is PATH=VALUE; or an option of a builtin */
    const char *name;
    const char *value;
    bool is_query;
};

enum { MAX_ASSIGNMENTS = 512, MAX_ARGUMENTS = 64 };
struct call {
    const struct command *command;
    const struct builtin *builtin; /* one of the two; neither means help */
    const char *values[OPTION_COUNT];
    const char *arguments[MAX_ARGUMENTS]; /* behind the words */
    size_t argument_count;
    struct assignment assignments[MAX_ASSIGNMENTS];
    size_t assignment_count;
    struct command_match match;
};

/* False when something is wrong with it; the sentence is in *ret_why and has no full stop. */
MUST_USE bool options_read(struct arena *arena, const struct builtin *builtins, size_t builtin_count, int argc,
                           const char *const *argv, struct call *call, str *ret_why);
/* What was given to an option of a builtin; NULL: nothing. */
const char *call_option(const struct call *call, const char *name);
/* Seconds of "90s", "15m", "1h" or "2d"; 0: it is none of these. */
int64_t options_span_s(str text);

#endif
