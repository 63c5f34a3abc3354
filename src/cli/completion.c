/* SPDX-License-Identifier: Apache-2.0 */
/* completion: scripts for shells. A shell runs `reeve __complete WORD…`; the answers come from the tables. */
#include <stdlib.h>

#include "cli/body.h"
#include "cli/builtins.h"
#include "cli/help.h"
#include "cli/profile.h"
#include "cli/short/names.h"

static const char bash_script[] =
    "_reeve() {\n"
    "    local line\n"
    "    COMPREPLY=()\n"
    "    while IFS=$'\\t' read -r line _; do\n"
    "        COMPREPLY+=(\"$line\")\n"
    "    done < <(\"${COMP_WORDS[0]}\" __complete -- \"${COMP_WORDS[@]:1:COMP_CWORD}\" 2>/dev/null)\n"
    "    if [ ${#COMPREPLY[@]} -eq 1 ] && [ \"${COMPREPLY[0]}\" = ':files' ]; then\n"
    "        COMPREPLY=($(compgen -f -- \"${COMP_WORDS[COMP_CWORD]}\"))\n"
    "    fi\n"
    "}\n"
    "complete -F _reeve reeve\n";

static const char zsh_script[] =
    "#compdef reeve\n"
    "_reeve() {\n"
    "    local -a found\n"
    "    local line\n"
    "    while IFS= read -r line; do\n"
    "        if [[ $line == ':files'* ]]; then _files; return; fi\n"
    "        found+=(\"${${line%%$'\\t'*}//:/\\\\:}:${line#*$'\\t'}\")\n"
    "    done < <(${words[1]} __complete -- \"${(@)words[2,CURRENT]}\" 2>/dev/null)\n"
    "    _describe 'reeve' found\n"
    "}\n"
    "if [ \"$funcstack[1]\" = _reeve ]; then _reeve \"$@\"; else compdef _reeve reeve; fi\n";

static const char fish_script[] = "function __reeve_complete\n"
                                  "    set -l words (commandline -opc)\n"
                                  "    set -l now (commandline -ct)\n"
                                  "    set -l found ($words[1] __complete -- $words[2..-1] \"$now\" 2>/dev/null)\n"
                                  "    if string match -q ':files*' -- $found[1]\n"
                                  "        __fish_complete_path $now\n"
                                  "    else\n"
                                  "        printf '%s\\n' $found\n"
                                  "    end\n"
                                  "end\n"
                                  "complete -c reeve -f -a '(__reeve_complete)'\n";

int
builtin_completion(struct cli *cli)
{
    static const struct {
        const char *shell, *script;
    } scripts[] = { { "bash", bash_script }, { "zsh", zsh_script }, { "fish", fish_script } };
    for (size_t i = 0; i < LENGTH(scripts); i++) {
        if (strcmp(cli->call.arguments[0], scripts[i].shell) == 0) {
            fputs(scripts[i].script, stdout);
            return EXIT_SUCCESS;
        }
    }
    cli_say(cli, "it must be bash, zsh or fish, not `%s`", cli->call.arguments[0]);
    return EXIT_USAGE;
}

/* ---- What may come next ---- */
struct asking {
    str now;  /* what stands there already */
    str last; /* what was said last: words come sorted, so equal ones follow each other */
    struct arena *arena;
};

static void
offer(struct asking *asking, str word, const char *about)
{
    if (!str_starts_with(word, asking->now) || str_eq(word, asking->last))
        return;
    printf("%.*s\t%s\n", STR_ARG(word), about);
    asking->last = str_dup(asking->arena, word);
}

static void
offer_flag(struct asking *asking, const char *name, const char *about)
{
    offer(asking, str_format(asking->arena, "--%s", name), about);
}

static void
offer_values(struct asking *asking, const char *one_of)
{
    str rest = str_from(one_of);
    while (rest.len > 0)
        offer(asking, str_cut(&rest, '\n'), "");
}

static void
offer_words(struct asking *asking, const char *const *words, size_t count)
{
    if (count == 0) {
        for (size_t i = 0; i < command_family_count; i++)
            offer(asking, str_from(TEXT_AT(command_families[i].name)), TEXT_AT(command_families[i].doc));
    }
    const struct command_family *family = count > 0 ? command_family_find(words[0]) : NULL;
    for (uint32_t i = 0; family != NULL && i < family->count; i++) {
        const struct command *command = &commands[family->at + i];
        if (!command_begins_with(command, words + 1, count - 1))
            continue;
        str rest = str_from(TEXT_AT(command->words)), next = STR_EMPTY;
        for (size_t n = 0; n < count; n++)
            next = str_cut(&rest, ' ');
        if (next.len > 0)
            offer(asking, next, rest.len == 0 ? TEXT_AT(command->summary) : "");
    }
    for (size_t i = 0; i < builtin_count; i++) {
        str rest = str_from(builtins[i].words);
        size_t n = 0;
        while (n < count && rest.len > 0 && str_is(str_cut(&rest, ' '), words[n]))
            n++;
        if (!builtins[i].hidden && n == count && rest.len > 0)
            offer(asking, str_cut(&rest, ' '), builtins[i].summary);
    }
}

static void
offer_fields(struct asking *asking, const struct command_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const struct command_field *field = &command_fields[list->at + i];
        offer_flag(asking, TEXT_AT(field->flag), TEXT_AT(field->doc));
    }
}

static void
offer_flags(struct asking *asking, const struct command *command, const struct builtin *builtin)
{
    if (command != NULL) {
        offer_fields(asking, &command->parameters);
        offer_fields(asking, &command->query);
        offer_fields(asking, &command->body);
    }
    for (const struct option_row *row = builtin != NULL ? builtin->options : NULL; row != NULL && row->name != NULL;
         row++)
        offer_flag(asking, row->name, row->doc);
    for (int i = 0; i < OPTION_COUNT; i++) {
        bool applies = common_options[i].scope == FOR_ALL ||
                       (command != NULL && option_applies(&common_options[i], command)) ||
                       (builtin != NULL && builtin->calls && common_options[i].scope == FOR_CALLS);
        if (applies)
            offer_flag(asking, common_options[i].name, common_options[i].doc);
    }
}

/* ---- Names ---- */
static void
offer_name(void *context, str name)
{
    offer(context, name, "");
}

/* Somebody waits for it with a finger on a key: no retries, and not long. */
static bool
can_ask(struct cli *cli)
{
    cli->call.values[OPTION_RETRIES] = "0";
    cli->call.values[OPTION_TIMEOUT] = "2";
    cli->call.values[OPTION_QUIET] = "yes";
    return profile_load(cli) == EXIT_SUCCESS && cli->profile->server != NULL && profile_is_logged_in(cli->profile);
}

/* The names for the parameter with this number, when those in front of it are known: from the profile, or from the line. */
static void
offer_names(struct cli *cli, struct asking *asking, const struct command *command, uint32_t number,
            const char *const *arguments, size_t argument_count)
{
    const char *values[MAX_PARAMETERS] = { NULL };
    size_t next = 0;
    if (command_is_operators(command) || command->parameters.count > MAX_PARAMETERS || !can_ask(cli))
        return;
    for (uint32_t i = 0; i < number; i++) {
        const struct command_field *parameter = &command_fields[command->parameters.at + i];
        bool is_project = strcmp(TEXT_AT(parameter->path), "groupId") == 0;
        if (!command_takes_argument(command, parameter))
            values[i] = is_project ? cli->profile->project : cli->profile->org;
        else if (next < argument_count)
            values[i] = arguments[next++];
        if (values[i] == NULL)
            return;
    }
    if (names_resolve(cli, command, values, number) == EXIT_SUCCESS)
        names_each(cli, command, number, values, offer_name, asking);
}

/* The parameter that the next argument is for; false: there is none. */
static bool
next_parameter(const struct command *command, size_t argument_count, uint32_t *ret_number)
{
    for (uint32_t i = 0; i < command->parameters.count; i++) {
        if (command_takes_argument(command, &command_fields[command->parameters.at + i]) && argument_count-- == 0) {
            *ret_number = i;
            return true;
        }
    }
    return false;
}

static void
offer_argument(struct cli *cli, struct asking *asking, const struct command *command, const char *const *arguments,
               size_t count)
{
    uint32_t number;
    if (next_parameter(command, count, &number))
        offer_names(cli, asking, command, number, arguments, count);
}

/* The value of a flag. False: the flag takes none. */
static bool
offer_value(struct cli *cli, struct asking *asking, const struct command *command, const char *flag)
{
    str name = str_from(flag + 2);
    const struct command_field *field = NULL;
    if (command != NULL && (field = command_field_find(&command->parameters, name)) == NULL &&
        (field = command_field_find(&command->query, name)) == NULL)
        field = command_field_find(&command->body, name);
    if (field != NULL && field->type == FLAG_BOOLEAN)
        return false;
    if (field != NULL) {
        offer_values(asking, TEXT_AT(field->one_of));
        if (field == command_field_find(&command->parameters, name))
            offer_names(cli, asking, command, (uint32_t)(field - &command_fields[command->parameters.at]), NULL, 0);
        return true;
    }
    for (int i = 0; i < OPTION_COUNT; i++) {
        if (!str_is(name, common_options[i].name))
            continue;
        if (common_options[i].value == NULL)
            return false;
        if (strcmp(common_options[i].value, "FILE") == 0)
            printf(":files\n");
        else if (i == OPTION_PROJECT || i == OPTION_ORG)
            offer_names(cli, asking, command_of_operation(i == OPTION_PROJECT ? "getProject" : "getOrganization"), 0,
                        NULL, 0);
        else if (i == OPTION_OUTPUT)
            offer_values(asking, "json\ntable\ntext");
        return true;
    }
    return false;
}

/* `logs` takes a cluster, and there is `logs download` beside it. */
static void
offer_words_and_clusters(struct cli *cli, struct asking *asking, const struct builtin *builtin,
                         const char *const *words, size_t count)
{
    offer_words(asking, words, count);
    if (builtin != NULL && str_starts_with(str_from(builtin->arguments), STR("CLUSTER")) && count == 1)
        offer_argument(cli, asking, command_of_operation("getGroupCluster"), NULL, 0);
}

int
builtin_complete(struct cli *cli)
{
    const char *const *words = cli->call.arguments;
    size_t count = cli->call.argument_count, plain = 0;
    const char *found[MAX_ARGUMENTS];
    if (count == 0)
        return EXIT_SUCCESS;
    struct asking asking = { .now = str_from(words[count - 1]), .arena = cli->arena };
    for (size_t i = 0; i + 1 < count; i++) {
        if (words[i][0] == '-')
            break;
        found[plain++] = words[i];
    }
    struct command_match match = command_match(found, plain);
    const struct builtin *builtin = NULL;
    for (size_t i = 0; i < builtin_count; i++) {
        str rest = str_from(builtins[i].words);
        size_t n = 0;
        while (n < plain && rest.len > 0 && str_is(str_cut(&rest, ' '), found[n]))
            n++;
        if (n > 0 && rest.len == 0 && match.command == NULL)
            builtin = &builtins[i];
    }
    const char *before = count >= 2 ? words[count - 2] : "";
    if (strncmp(before, "--", 2) == 0 && strchr(before, '=') == NULL &&
        offer_value(cli, &asking, match.command, before))
        return EXIT_SUCCESS;
    if (asking.now.len > 0 && asking.now.data[0] == '-')
        offer_flags(&asking, match.command, builtin);
    else if (builtin != NULL && strcmp(builtin->words, "completion") == 0)
        offer_values(&asking, "bash\nfish\nzsh");
    else if (match.command != NULL)
        offer_argument(cli, &asking, match.command, found + match.used, plain - match.used);
    else
        offer_words_and_clusters(cli, &asking, builtin, found, plain);
    return EXIT_SUCCESS;
}
