/* SPDX-License-Identifier: Apache-2.0 */
/* completion: scripts for shells. A shell runs `reeve __complete WORD…`; the answers come from the tables. */
#include <stdlib.h>

#include "cli/builtins.h"
#include "cli/help.h"

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

/* The value of a flag. False: the flag takes none. */
static bool
offer_value(struct asking *asking, const struct command *command, const char *flag)
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
        return true;
    }
    for (int i = 0; i < OPTION_COUNT; i++) {
        if (!str_is(name, common_options[i].name))
            continue;
        if (common_options[i].value == NULL)
            return false;
        if (strcmp(common_options[i].value, "FILE") == 0)
            printf(":files\n");
        else if (i == OPTION_OUTPUT)
            offer_values(asking, "json\ntable\ntext");
        return true;
    }
    return false;
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
    if (strncmp(before, "--", 2) == 0 && strchr(before, '=') == NULL && offer_value(&asking, match.command, before))
        return EXIT_SUCCESS;
    if (asking.now.len > 0 && asking.now.data[0] == '-')
        offer_flags(&asking, match.command, builtin);
    else if (builtin != NULL && strcmp(builtin->words, "completion") == 0)
        offer_values(&asking, "bash\nfish\nzsh");
    else if (match.command == NULL)
        offer_words(&asking, found, plain);
    return EXIT_SUCCESS;
}
