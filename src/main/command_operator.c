/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `reeved operator`: who may use the operator's API. It works only on a node, for users who may read its key: a token
 * cannot make another one.
 */
#include <stdio.h>
#include <string.h>

#include "main/fleet_command.h"
#include "main/node.h"
#include "main/operator_place.h"
#include "store/operator/operator.h"

#define USAGE                                                                                               \
    "operator add NAME [--days N] [--json]   prints a token, once\n"                                        \
    "       reeved operator list [--json]                 lists who may use /operator/v1, and until when\n" \
    "       reeved operator remove NAME                   refuses the operator's token from now on"

/* As the table has it: small letters, digits and a few signs between them. */
static bool
is_name(const char *name)
{
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789._@-");
    return length > 0 && length <= OPERATOR_NAME_MAX && name[length] == '\0' && strchr("._@-", name[0]) == NULL;
}

static int
add(struct operator_place *place, const char *name, const char *days_text, bool as_json)
{
    int64_t days;
    str token, expires;
    if (!str_to_int(str_from(days_text), 1, OPERATOR_DAYS_MAX, &days)) {
        fprintf(stderr, "reeved operator: --days takes a number from 1 to %d\n", OPERATOR_DAYS_MAX);
        return 2;
    }
    error problem = operator_add(place->operators, place->arena, str_from(name), days, &token, &expires);
    if (problem != OK)
        return report_failure("operator", problem);
    const struct fleet_line lines[] = { { "name", str_from(name) }, { "token", token }, { "expiresAt", expires } };
    if (as_json) {
        fleet_print_lines(place->arena, true, lines, LENGTH(lines));
        return 0;
    }
    printf("%s\n", token.data);
    fprintf(stderr,
            "\nThis is the token of %s. It is not stored, is not shown again, and expires at %s. To use it:\n\n"
            "  reeve fleet login --url %s\n",
            name, expires.data, place->url);
    return 0;
}

static int
list(struct operator_place *place, bool as_json)
{
    static const struct fleet_column columns[] = {
        { "name", "NAME" }, { "createdAt", "CREATED" }, { "expiresAt", "EXPIRES" }, { "expired", "EXPIRED" }
    };
    str json;
    error problem = store_operator_list(place->store, place->arena, &json);
    if (problem != OK)
        return report_failure("operator", problem);
    fleet_print_list(place->arena, json, as_json, columns, LENGTH(columns));
    return 0;
}

static int
remove_one(struct operator_place *place, const char *name)
{
    error problem = operator_remove(place->operators, place->arena, str_from(name));
    if (problem != OK)
        return report_failure("operator", problem);
    printf("the token of %s is refused from now on\n", name);
    return 0;
}

int
command_operator(int argc, char **argv)
{
    enum { CONFIG, DAYS, JSON };
    struct option_value options[] = {
        [CONFIG] = { "--config", "The configuration file.", .value = DEFAULT_CONFIG },
        [DAYS] = { "--days", "How many days the token is valid. (default: 90)", .value = "90" },
        [JSON] = { "--json", "Print the result as JSON.", .is_flag = true },
    };
    const char *words[2] = { NULL, NULL };
    int status;
    _Static_assert(OPERATOR_DAYS == 90, "the option's default says so");
    if (!read_words(argc, argv, USAGE, options, LENGTH(options), words, LENGTH(words), &status))
        return status;
    const char *word = words[0] == NULL ? "" : words[0];
    bool lists = strcmp(word, "list") == 0, adds = strcmp(word, "add") == 0;
    if (!lists && !adds && strcmp(word, "remove") != 0) {
        fprintf(stderr, "reeved operator: say `add`, `list` or `remove`; try --help\n");
        return 2;
    }
    if (!lists && (words[1] == NULL || !is_name(words[1]))) {
        fprintf(stderr, "reeved operator: a name consists of at most %d small letters, digits, '.', '_', '@' and '-'\n",
                OPERATOR_NAME_MAX);
        return 2;
    }
    struct operator_place place CLEANUP(operator_place_close);
    if (!operator_place_open(&place, options[CONFIG].value, true))
        return 1;
    if (lists)
        return list(&place, options[JSON].value != NULL);
    return adds ? add(&place, words[1], options[DAYS].value, options[JSON].value != NULL)
                : remove_one(&place, words[1]);
}
