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
    return read_words(argc, argv, usage, options, count, word, word == NULL ? 0 : 1, ret_status);
}

/* False when there are too many. */
static bool
take_value(struct option_value *option, const char *value)
{
    option->value = value;
    if (option->list == NULL)
        return true;
    if (option->list->count + 1 >= CONFIG_MAX_VALUES)
        return false;
    option->list->values[option->list->count++] = value;
    return true;
}

bool
read_words(int argc, char **argv, const char *usage, struct option_value *options, size_t count, const char **words,
           size_t word_count, int *ret_status)
{
    size_t given = 0;
    *ret_status = 2;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0) {
            print_usage(usage, options, count);
            *ret_status = 0;
            return false;
        }
        struct option_value *option = find_option(options, count, argv[i]);
        if (option == NULL && argv[i][0] != '-' && given < word_count) {
            words[given++] = argv[i];
        } else if (option == NULL) {
            fprintf(stderr, "%s %s: '%s' is not an option here; try --help\n", program_invocation_short_name, argv[0],
                    argv[i]);
            return false;
        } else if (option->is_flag) {
            option->value = "true";
        } else if (i + 1 == argc) {
            fprintf(stderr, "%s %s: %s needs a value\n", program_invocation_short_name, argv[0], argv[i]);
            return false;
        } else if (!take_value(option, argv[++i])) {
            fprintf(stderr, "reeved %s: %s is given too often\n", argv[0], option->name);
            return false;
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
