/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "main/commands.h"

static void
print_usage(const char *usage, const struct option_value *options, size_t count)
{
    printf("usage: %s %s\n\n", program_invocation_short_name, usage);
    for (size_t i = 0; i < count; i++) {
        printf("  %-16s %-6s %s", options[i].name, options[i].is_flag ? "" : "VALUE", options[i].sentence);
        if (options[i].required)
            printf(" (required)");
        else if (options[i].value != NULL)
            printf(" (default: %s)", options[i].value);
        putchar('\n');
    }
}

static struct option_value *
find_option(struct option_value *options, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(options[i].name, name) == 0)
            return &options[i];
    }
    return NULL;
}

bool
read_options(int argc, char **argv, const char *usage, struct option_value *options, size_t count, const char **word,
             int *ret_status)
{
    *ret_status = 2;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0) {
            print_usage(usage, options, count);
            *ret_status = 0;
            return false;
        }
        struct option_value *option = find_option(options, count, argv[i]);
        if (option == NULL && argv[i][0] != '-' && word != NULL && *word == NULL) {
            *word = argv[i];
        } else if (option == NULL) {
            fprintf(stderr, "%s %s: '%s' is not an option here; try --help\n", program_invocation_short_name, argv[0],
                    argv[i]);
            return false;
        } else if (option->is_flag) {
            option->value = "true";
        } else if (i + 1 == argc) {
            fprintf(stderr, "%s %s: %s needs a value\n", program_invocation_short_name, argv[0], argv[i]);
            return false;
        } else {
            option->value = argv[++i];
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (options[i].required && options[i].value == NULL) {
            fprintf(stderr, "%s %s: %s is required; try --help\n", program_invocation_short_name, argv[0],
                    options[i].name);
            return false;
        }
    }
    *ret_status = 0;
    return true;
}

int
report_failure(const char *command, error problem)
{
    fprintf(stderr, "reeved %s: %.*s\n%s\n", command, STR_ARG(problem->detail), error_rows[problem->code].remedy);
    return 1;
}
