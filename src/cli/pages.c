/* SPDX-License-Identifier: Apache-2.0 */
/* man and the page of the reference: the tables as documents. */
#include <errno.h>
#include <stdlib.h>

#include "cli/builtins.h"
#include "cli/help.h"

/* ---- Man pages ---- */
/* A text in which nothing means something to roff. */
static void
print_roff(FILE *out, const char *text)
{
    bool start = true;
    for (; *text != '\0'; text++) {
        if (start && (*text == '.' || *text == '\''))
            fputs("\\&", out);
        if (*text == '\\')
            fputs("\\e", out);
        else if (*text == '-')
            fputs("\\-", out);
        else
            fputc(*text, out);
        start = *text == '\n';
    }
}

static void
print_tagged(FILE *out, const char *flag, const char *value, const char *text)
{
    fprintf(out, ".TP\n\\fB\\-\\-");
    print_roff(out, flag);
    fprintf(out, "\\fR");
    if (value != NULL && value[0] != '\0') {
        fprintf(out, " \\fI");
        print_roff(out, value);
        fprintf(out, "\\fR");
    }
    fputc('\n', out);
    print_roff(out, text);
    fputc('\n', out);
}

static void
print_example(FILE *out, const char *example)
{
    fprintf(out, ".PP\n.RS\n.nf\n");
    print_roff(out, example);
    fprintf(out, "\n.fi\n.RE\n");
}

static void
man_command(struct cli *cli, FILE *out, const struct command *command)
{
    const struct command_list *lists[] = { &command->parameters, &command->query, &command->body };
    fprintf(out, ".SS \"");
    print_roff(out, TEXT_AT(command->words));
    fprintf(out, "\"\n");
    print_roff(out, TEXT_AT(command->summary));
    fprintf(out, ".\n");
    print_roff(out, TEXT_AT(command->description));
    fputc('\n', out);
    print_example(out, TEXT_AT(command->example));
    for (size_t l = 0; l < LENGTH(lists); l++) {
        for (uint32_t i = 0; i < lists[l]->count; i++) {
            const struct command_field *field = &command_fields[lists[l]->at + i];
            print_tagged(out, TEXT_AT(field->flag), help_value(cli->arena, field),
                         help_sentence(cli->arena, field).data);
        }
    }
}

static void
man_head(FILE *out, const char *name, const char *about)
{
    fprintf(out, ".TH \"%s\" 1 \"\" \"reeve %s\" \"Reeve\"\n.SH NAME\n", name, REEVE_VERSION);
    print_roff(out, name);
    fprintf(out, " \\- ");
    print_roff(out, about);
    fputc('\n', out);
}

static void
man_family(struct cli *cli, FILE *out, const struct command_family *family)
{
    str name = str_format(cli->arena, "reeve-%s", TEXT_AT(family->name));
    man_head(out, name.data, TEXT_AT(family->title));
    fprintf(
        out,
        ".SH SYNOPSIS\n\\fBreeve %s\\fR \\fICOMMAND\\fR [\\fIARGUMENT\\fR...] [\\fIOPTION\\fR...]\n.SH DESCRIPTION\n",
        TEXT_AT(family->name));
    print_roff(out, TEXT_AT(family->doc));
    fprintf(out, "\n.PP\nSee \\fBreeve\\fR(1) for what all commands have in common.\n.SH COMMANDS\n");
    for (uint32_t i = 0; i < family->count; i++)
        man_command(cli, out, &commands[family->at + i]);
}

static void
man_whole(FILE *out)
{
    man_head(out, "reeve", "organizations, projects and PostgreSQL clusters from the command line");
    fprintf(
        out,
        ".SH SYNOPSIS\n\\fBreeve\\fR \\fIFAMILY\\fR [\\fINOUN\\fR...] \\fIVERB\\fR [\\fIARGUMENT\\fR...] [\\fIOPTION\\fR...]\n"
        ".SH DESCRIPTION\nEvery operation of the API is a command. On a terminal answers are tables; in a pipe they are the JSON that the API "
        "sent, byte for byte.\n.SH COMMANDS BESIDES THE API\n");
    for (size_t i = 0; i < builtin_count; i++) {
        if (builtins[i].hidden)
            continue;
        fprintf(out, ".SS \"%s %s\"\n", builtins[i].words, builtins[i].arguments);
        print_roff(out, builtins[i].description);
        fputc('\n', out);
        print_example(out, builtins[i].example);
        for (const struct option_row *row = builtins[i].options; row != NULL && row->name != NULL; row++)
            print_tagged(out, row->name, row->value, row->doc);
    }
    fprintf(out, ".SH FAMILIES\n");
    for (size_t i = 0; i < command_family_count; i++) {
        fprintf(out, ".TP\n\\fBreeve\\-%s\\fR(1)\n", TEXT_AT(command_families[i].name));
        print_roff(out, TEXT_AT(command_families[i].doc));
        fputc('\n', out);
    }
    fprintf(out, ".SH OPTIONS\n");
    for (int i = 0; i < OPTION_COUNT; i++)
        print_tagged(out, common_options[i].name, common_options[i].value, common_options[i].doc);
    fprintf(
        out,
        ".SH ENVIRONMENT\nREEVE_PROFILE, REEVE_SERVER, REEVE_CA_FILE, REEVE_PROJECT_ID, REEVE_ORG_ID, REEVE_CLIENT_ID and REEVE_CLIENT_SECRET (or REEVE_CLIENT_TOKEN_FILE), "
        "REEVE_PUBLIC_KEY and REEVE_PRIVATE_KEY, REEVE_OPERATOR_URL and REEVE_OPERATOR_TOKEN, REEVE_DOCS override "
        "the profile. NO_COLOR: no colours.\n"
        ".SH FILES\n~/.config/reeve/profiles.json: the profiles, with secrets; readable by its owner only.\n"
        ".SH EXIT STATUS\n0 done, 1 refused by the API, 2 wrong command line, 3 no answer, 4 started but not "
        "finished, 130 Ctrl\\-C.\n");
}

static FILE *
open_page(struct cli *cli, const char *folder, const char *name)
{
    str path = str_format(cli->arena, "%s/%s.1", folder, name);
    FILE *out = fopen(path.data, "w");
    if (out == NULL)
        cli_say(cli, "%s cannot be written: %s", path.data, strerror(errno));
    return out;
}

static bool
close_page(struct cli *cli, FILE *out)
{
    if (fclose(out) == 0)
        return true;
    cli_say(cli, "a page could not be written: %s", strerror(errno));
    return false;
}

int
builtin_man(struct cli *cli)
{
    const char *folder = cli->call.arguments[0];
    FILE *out = open_page(cli, folder, "reeve");
    if (out == NULL)
        return EXIT_USAGE;
    man_whole(out);
    if (!close_page(cli, out))
        return EXIT_USAGE;
    for (size_t i = 0; i < command_family_count; i++) {
        str name = str_format(cli->arena, "reeve-%s", TEXT_AT(command_families[i].name));
        if ((out = open_page(cli, folder, name.data)) == NULL)
            return EXIT_USAGE;
        man_family(cli, out, &command_families[i]);
        if (!close_page(cli, out))
            return EXIT_USAGE;
    }
    cli_note(cli, "%zu pages", command_family_count + 1);
    return EXIT_SUCCESS;
}

/* ---- The reference ---- */
int
builtin_reference(struct cli *cli)
{
    (void)cli;
    printf("<!-- Made by `make docs-reference` from the tables; do not edit. -->\n# Commands of `reeve`\n\n"
           "%zu commands, one for each operation. [The tutorial](../cli.md) shows how to use them; `--help` after "
           "any "
           "of them shows its flags.\n\n"
           "Besides the API:\n\n| Command | What it does |\n|---|---|\n",
           command_count);
    for (size_t i = 0; i < builtin_count; i++) {
        if (!builtins[i].hidden)
            printf("| `reeve %s` | %s |\n", builtins[i].words, builtins[i].summary);
    }
    for (size_t f = 0; f < command_family_count; f++) {
        const struct command_family *family = &command_families[f];
        bool for_operators = command_is_operators(&commands[family->at]);
        printf("\n## reeve %s\n\n%s [Operations](%s%s.md).\n\n| Command | Operation | What it does |\n|---|---|---|\n",
               TEXT_AT(family->name), TEXT_AT(family->doc), for_operators ? "" : "api/",
               for_operators ? "operator" : TEXT_AT(family->name));
        for (uint32_t i = 0; i < family->count; i++) {
            const struct command *command = &commands[family->at + i];
            printf("| `reeve %s %s` | `%s` | %s |\n", TEXT_AT(family->name), TEXT_AT(command->words),
                   TEXT_AT(command->operation), TEXT_AT(command->summary));
        }
    }
    return EXIT_SUCCESS;
}
