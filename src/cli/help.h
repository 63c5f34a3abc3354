/* SPDX-License-Identifier: Apache-2.0 */
/* Help that teaches: of the whole, of a family, of a command. Everything comes from the tables. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "cli/cli.h"

void help_whole(struct cli *cli, FILE *out);
/*
 * Help for what the words name: the program, a family, some of its nouns, a command. False: nothing has that name, and
 * that was printed.
 */
MUST_USE bool help_words(struct cli *cli, const char *const *words, size_t count);
void help_command(struct cli *cli, FILE *out, const struct command *command);
void help_builtin(struct cli *cli, FILE *out, const struct builtin *builtin);
/* Says that there is no such command, and what comes near. */
void help_unknown(struct cli *cli, const char *const *words, size_t understood, const char *word);

/* What a flag takes: "TEXT", "true|false", "JSON". */
const char *help_value(struct arena *arena, const struct command_field *field);
/* The sentence of a field with what may be given. */
str help_sentence(struct arena *arena, const struct command_field *field);

#endif
