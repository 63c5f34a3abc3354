/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/short/confirm.h"

enum { LINE_BYTES = 4096 };

/* Only a person can type it: a script that got as far as this means it. */
static bool
must_ask(const struct cli *cli)
{
    const char *const *values = cli->call.values;
    return (cli->call.command->flags & COMMAND_LOSES_DATA) && cli->terminal.in && cli->terminal.err &&
           values[OPTION_YES] == NULL && values[OPTION_DRY_RUN] == NULL && values[OPTION_CURL] == NULL;
}

str
confirm_typed(struct arena *arena)
{
    char line[LINE_BYTES];
    str typed = fgets(line, sizeof(line), stdin) != NULL ? str_from(line) : STR_EMPTY;
    return str_dup(arena, str_trim(str_cut(&typed, '\n')));
}

bool
confirm_loss(struct cli *cli, const char *named)
{
    if (!must_ask(cli) || named == NULL)
        return true;
    str shown = text_harmless(cli->arena, str_from(named));
    text_wrap(stderr, TEXT_AT(cli->call.command->description), 0, 0, cli->terminal.width);
    fprintf(stderr, "This cannot be undone. Type %s%.*s%s to go on: ", style_on(cli->terminal.color_err, STYLE_BOLD),
            STR_ARG(shown), style_off(cli->terminal.color_err, STYLE_BOLD));
    if (str_is(confirm_typed(cli->arena), named))
        return true;
    cli_say(cli, "that is not its name: nothing was done");
    return false;
}
