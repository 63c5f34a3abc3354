/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"

#include <signal.h>
#include <stdlib.h>

#include "cli/builtins.h"
#include "cli/help.h"
#include "cli/profile.h"
#include "cli/run.h"

enum { ARENA_BYTES = 1024 * 1024 * 1024 }; /* a list of a million items fits; what is not used is not there */

void
cli_say(const struct cli *cli, const char *format, ...)
{
    bool color = cli->terminal.color_err;
    va_list args;
    fflush(stdout);
    fprintf(stderr, "%sreeve:%s ", style_on(color, STYLE_RED), style_off(color, STYLE_RED));
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

void
cli_note(const struct cli *cli, const char *format, ...)
{
    bool color = cli->terminal.color_err;
    va_list args;
    if (cli->call.values[OPTION_QUIET] != NULL)
        return;
    fflush(stdout);
    fputs(style_on(color, STYLE_FAINT), stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, "%s\n", style_off(color, STYLE_FAINT));
}

static int
run_builtin(struct cli *cli)
{
    const struct builtin *builtin = cli->call.builtin;
    /* Like the name of any other family. */
    if (cli->call.argument_count == 0 && builtin->min_arguments > 0 && command_family_find(builtin->words) != NULL) {
        help_builtin(cli, stdout, builtin);
        return EXIT_SUCCESS;
    }
    if (cli->call.argument_count < builtin->min_arguments || cli->call.argument_count > builtin->max_arguments) {
        cli_say(cli, "write: reeve %s %s", builtin->words, builtin->arguments);
        return EXIT_USAGE;
    }
    if (builtin->calls) {
        int status = profile_load(cli);
        if (status != EXIT_SUCCESS)
            return status;
    }
    return builtin->run(cli);
}

/* Neither a command nor a builtin: help, or a word that nobody knows. */
static int
run_nothing(struct cli *cli, int argc, const char *const *argv)
{
    const struct command_match *match = &cli->call.match;
    const char *words[MAX_ARGUMENTS];
    size_t count = 0;
    bool help = cli->call.values[OPTION_HELP] != NULL;
    for (int i = 1; i < argc && count < match->used; i++) {
        if (argv[i][0] != '-')
            words[count++] = argv[i];
    }
    if (cli->call.argument_count > 0) {
        /* `profiles` has no family of the API behind it. */
        if (match->used == 0 && strcmp(cli->call.arguments[0], "profiles") == 0 && cli->call.argument_count == 1)
            return help_words(cli, cli->call.arguments, 1) ? EXIT_SUCCESS : EXIT_USAGE;
        help_unknown(cli, words, count, cli->call.arguments[0]);
        return EXIT_USAGE;
    }
    if (match->used == 0) {
        help_whole(cli, help ? stdout : stderr);
        return help ? EXIT_SUCCESS : EXIT_USAGE;
    }
    return help_words(cli, words, count) ? EXIT_SUCCESS : EXIT_USAGE;
}

static int
run(struct cli *cli, int argc, const char *const *argv)
{
    const struct call *call = &cli->call;
    if (call->values[OPTION_VERSION] != NULL) {
        printf("reeve %s\n", REEVE_VERSION);
        return EXIT_SUCCESS;
    }
    if (call->values[OPTION_HELP] != NULL && call->command != NULL) {
        help_command(cli, stdout, call->command);
        return EXIT_SUCCESS;
    }
    if (call->values[OPTION_HELP] != NULL && call->builtin != NULL) {
        help_builtin(cli, stdout, call->builtin);
        return EXIT_SUCCESS;
    }
    if (call->builtin != NULL)
        return run_builtin(cli);
    if (call->command == NULL)
        return run_nothing(cli, argc, argv);
    int status = profile_load(cli);
    return status == EXIT_SUCCESS ? run_command(cli) : status;
}

int
cli_main(const struct environment *environment, int argc, const char *const *argv)
{
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(ARENA_BYTES);
    struct cli *cli = arena == NULL ? NULL : ARENA_NEW(arena, struct cli);
    str why = STR_EMPTY;
    if (cli == NULL)
        return EXIT_NO_ANSWER;
    cli->arena = arena;
    cli->environment = *environment;
    cli->terminal = terminal_look(environment->no_color != NULL && environment->no_color[0] != '\0', environment->term,
                                  environment->columns);
    bool good = options_read(arena, builtins, builtin_count, argc, argv, &cli->call, &why);
    if (cli->call.values[OPTION_NO_COLOR] != NULL)
        cli->terminal.color_out = cli->terminal.color_err = false;
    if (!good && cli->call.values[OPTION_HELP] == NULL) {
        cli_say(cli, "%.*s", STR_ARG(why));
        if (cli->call.command != NULL)
            fprintf(stderr, "`reeve %.*s --help` lists its flags\n", STR_ARG(command_name(arena, cli->call.command)));
        return EXIT_USAGE;
    }
    int status = run(cli, argc, argv);
    return fflush(stdout) == 0 || status != EXIT_SUCCESS ? status : EXIT_REFUSED;
}
