/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/help.h"

#include <ctype.h>
#include <stdlib.h>

#include "base/error.h"
#include "cli/builtins.h"
#include "cli/short/short.h"

enum { FLAG_WIDTH = 26, SHOWN_VALUES = 8, LEAST_TEXT = 30 };

/* ---- Parts ---- */
static void
print_title(const struct cli *cli, FILE *out, const char *title)
{
    bool color = cli->terminal.color_out && out == stdout;
    fprintf(out, "\n%s%s%s\n", style_on(color, STYLE_BOLD), title, style_off(color, STYLE_BOLD));
}

/* Two columns; where that leaves the text no room, the text stands below. */
static void
print_row(const struct cli *cli, FILE *out, const char *left, const char *text, int left_width)
{
    int used = 2 + (int)text_width(str_from(left)), indent = left_width + 4;
    bool narrow = cli->terminal.width - indent < LEAST_TEXT;
    if (narrow)
        indent = 6;
    fprintf(out, "  %s", left);
    if (narrow || used + 2 > indent)
        fprintf(out, "\n%*s", indent, "");
    else
        fprintf(out, "%*s", indent - used, "");
    text_wrap(out, text, indent, indent, cli->terminal.width);
}

const char *
help_value(struct arena *arena, const struct command_field *field)
{
    static const char *const names[] = {
        [FLAG_TEXT] = "TEXT",    [FLAG_INTEGER] = "NUMBER", [FLAG_NUMBER] = "NUMBER",
        [FLAG_BOOLEAN] = "",     [FLAG_DATE] = "DATE",      [FLAG_ID] = "ID",
        [FLAG_CIDR] = "ADDRESS", [FLAG_OBJECT] = "JSON",    [FLAG_LIST] = "JSON",
    };
    if (TEXT_AT(field->form)[0] != '\0')
        return TEXT_AT(field->form);
    if (field->flags & FIELD_JSON)
        return "JSON";
    if (field->type == FLAG_LIST)
        return str_format(arena, "%s …", names[field->item]).data;
    return names[field->type];
}

static void
add_values(struct buf *text, const char *one_of)
{
    str rest = str_from(one_of);
    size_t count = 0;
    buf_add_text(text, " One of ");
    for (; rest.len > 0 && count < SHOWN_VALUES; count++) {
        buf_add_text(text, count > 0 ? ", " : "");
        buf_add(text, str_cut(&rest, '\n'));
    }
    for (count = 0; rest.len > 0; count++)
        str_cut(&rest, '\n');
    if (count > 0)
        buf_format(text, " and %zu more", count);
    buf_add_char(text, '.');
}

str
help_sentence(struct arena *arena, const struct command_field *field)
{
    struct buf text = buf_in(arena, 65536);
    buf_add_text(&text, TEXT_AT(field->doc));
    if (TEXT_AT(field->one_of)[0] != '\0')
        add_values(&text, TEXT_AT(field->one_of));
    else if (TEXT_AT(field->bounds)[0] != '\0')
        buf_format(&text, " %c%s.", toupper((unsigned char)TEXT_AT(field->bounds)[0]), TEXT_AT(field->bounds) + 1);
    if (TEXT_AT(field->form)[0] != '\0')
        buf_add_text(&text, " Can be repeated; a JSON list is taken, too.");
    else if (field->type == FLAG_LIST && !(field->flags & FIELD_JSON))
        buf_add_text(&text, " Can be repeated.");
    if (TEXT_AT(field->fallback)[0] != '\0' && strlen(TEXT_AT(field->fallback)) < 40)
        buf_format(&text, " Default: %s.", TEXT_AT(field->fallback));
    if (field->flags & FIELD_SECRET)
        buf_add_text(&text, " A secret: - asks for it or reads standard input, @FILE reads a file.");
    if (field->flags & FIELD_DEPRECATED)
        buf_add_text(&text, " Deprecated.");
    if (field->flags & FIELD_SCOPE)
        buf_add_text(&text, " Default: from the profile.");
    else if (field->flags & FIELD_REQUIRED)
        buf_add_text(&text, " Required.");
    return buf_str(&text);
}

/* How an argument is named: cluster becomes CLUSTER. */
static str
upper(struct arena *arena, const char *text)
{
    struct buf out = buf_in(arena, 256);
    for (; *text != '\0'; text++)
        buf_add_char(&out, *text == '-' ? '_' : (char)toupper((unsigned char)*text));
    return buf_str(&out);
}

static void
print_parameters(struct cli *cli, FILE *out, const struct command *command)
{
    if (command->parameters.count == 0)
        return;
    print_title(cli, out, "Which one");
    for (uint32_t i = 0; i < command->parameters.count; i++) {
        const struct command_field *field = &command_fields[command->parameters.at + i];
        const char *flag = TEXT_AT(field->flag);
        str name = upper(cli->arena, flag);
        str left = str_format(cli->arena, "--%s %.*s", flag, STR_ARG(name));
        if (command_takes_argument(command, field))
            left = str_format(cli->arena, "%.*s, or --%s%s%.*s", STR_ARG(name), flag,
                              name.len * 3 + 10 > (size_t)cli->terminal.width ? "\n      " : " ", STR_ARG(name));
        print_row(cli, out, left.data, help_sentence(cli->arena, field).data, FLAG_WIDTH);
    }
}

/* Whether flags of the list fill the field, so that nobody has to write its JSON. */
static bool
is_filled_by_flags(const struct command_list *list, const struct command_field *field)
{
    str start = str_from(TEXT_AT(field->path));
    for (uint32_t i = 0; i < list->count; i++) {
        str path = str_from(TEXT_AT(command_fields[list->at + i].path));
        if (str_starts_with(path, start) && str_starts_with(str_slice(path, start.len, path.len), STR("[*]")))
            return true;
    }
    return false;
}

/* What must be given comes first, then the short way, then everything else. */
static int
rank_of(const struct command_list *list, const struct command_field *field)
{
    if (short_is_deep(field))
        return 1;
    return (field->flags & FIELD_REQUIRED) && !is_filled_by_flags(list, field) ? 0 : 2;
}

static void
print_fields(struct cli *cli, FILE *out, const char *title, const struct command_list *list)
{
    if (list->count == 0)
        return;
    print_title(cli, out, title);
    for (int rank = 0; rank < 3; rank++) {
        for (uint32_t i = 0; i < list->count; i++) {
            const struct command_field *field = &command_fields[list->at + i];
            if (rank_of(list, field) != rank)
                continue;
            const char *value = help_value(cli->arena, field);
            str left = str_format(cli->arena, "--%s%s%s", TEXT_AT(field->flag), value[0] != '\0' ? " " : "", value);
            str sentence = help_sentence(cli->arena, field);
            if (is_filled_by_flags(list, field))
                sentence = str_format(cli->arena, "%s Flags above fill it; JSON is for what they cannot say.",
                                      TEXT_AT(field->doc));
            print_row(cli, out, left.data, sentence.data, FLAG_WIDTH);
        }
    }
}

static void
print_options(struct cli *cli, FILE *out, const struct option_row *rows, const struct command *command,
              bool about_calls, bool everywhere)
{
    for (const struct option_row *row = rows; row->name != NULL; row++) {
        bool wanted =
            everywhere ? row->scope == FOR_ALL : about_calls && row->scope != FOR_ALL && option_applies(row, command);
        /* Those are among what says which one is meant. */
        bool scope = row == &common_options[OPTION_PROJECT] || row == &common_options[OPTION_ORG];
        if (!wanted || (scope && command != NULL))
            continue;
        str letter = row->letter != 0 ? str_format(cli->arena, "-%c, ", row->letter) : STR_EMPTY;
        str left = str_format(cli->arena, "%.*s--%s%s%s", STR_ARG(letter), row->name, row->value != NULL ? " " : "",
                              row->value != NULL ? row->value : "");
        print_row(cli, out, left.data, row->doc, FLAG_WIDTH);
    }
}

/* ---- A command ---- */
/* "reeve clusters create CLUSTER --name …" */
static str
usage(struct arena *arena, const struct command *command)
{
    struct buf text = buf_in(arena, 65536);
    buf_format(&text, "reeve %s %s", TEXT_AT(command_families[command->family].name), TEXT_AT(command->words));
    for (uint32_t i = 0; i < command->parameters.count; i++) {
        const struct command_field *parameter = &command_fields[command->parameters.at + i];
        if (!command_takes_argument(command, parameter))
            continue;
        bool optional = TEXT_AT(parameter->fallback)[0] != '\0';
        buf_format(&text, " %s%.*s%s", optional ? "[" : "", STR_ARG(upper(arena, TEXT_AT(parameter->flag))),
                   optional ? "]" : "");
    }
    const struct command_list *lists[] = { &command->query, &command->body };
    for (size_t l = 0; l < LENGTH(lists); l++) {
        for (uint32_t i = 0; i < lists[l]->count; i++) {
            const struct command_field *field = &command_fields[lists[l]->at + i];
            if (command->method == METHOD_PATCH)
                continue;
            if (field->flags & FIELD_ARGUMENT)
                buf_format(&text, " %.*s", STR_ARG(upper(arena, TEXT_AT(field->flag))));
            else if ((field->flags & FIELD_USUAL) ||
                     ((field->flags & (FIELD_REQUIRED | FIELD_SCOPE)) == FIELD_REQUIRED &&
                      !is_filled_by_flags(lists[l], field)))
                buf_format(&text, " --%s …", TEXT_AT(field->flag));
        }
    }
    buf_add_text(&text, " [OPTION…]");
    return buf_str(&text);
}

/* The sentence that the server answers with. */
static const char *
reason_of(const char *code)
{
    for (int i = 0; i < ERROR_CODE_COUNT; i++) {
        if (strcmp(error_rows[i].name, code) == 0)
            return error_rows[i].detail;
    }
    return code; /* of a newer server */
}

static void
print_state(struct cli *cli, FILE *out, const struct command *command)
{
    const char *refuses = TEXT_AT(command->refuses), *waits_for = TEXT_AT(command->waits_for);
    if (command->flags & COMMAND_DEPRECATED)
        fprintf(out, "\nDeprecated.\n");
    if (refuses[0] != '\0') {
        fprintf(out, "\n");
        text_wrap(out,
                  str_format(cli->arena, "Refused: %s `reeve explain %s` says what to do instead.", reason_of(refuses),
                             refuses)
                      .data,
                  0, 0, cli->terminal.width);
    } else if (waits_for[0] != '\0') {
        fprintf(out, "\n");
        text_wrap(out,
                  str_format(cli->arena, "Not available yet: the server answers 501 until it has %s.", waits_for).data,
                  0, 0, cli->terminal.width);
    }
}

void
help_command(struct cli *cli, FILE *out, const struct command *command)
{
    int width = cli->terminal.width;
    text_wrap(out, str_format(cli->arena, "%s.", TEXT_AT(command->summary)).data, 0, 0, width);
    fprintf(out, "\n");
    text_wrap(out, TEXT_AT(command->description), 0, 0, width);
    print_state(cli, out, command);
    print_title(cli, out, "Usage");
    fprintf(out, "  ");
    text_wrap(out, usage(cli->arena, command).data, 6, 2, width);
    print_title(cli, out, "Example");
    fprintf(out, "  %s\n", TEXT_AT(command->example));
    print_parameters(cli, out, command);
    print_fields(cli, out, "Filters", &command->query);
    print_fields(cli, out, "Fields", &command->body);
    if (command->body.count == 0 && (command->flags & COMMAND_HAS_BODY) && TEXT_AT(command->waits_for)[0] != '\0') {
        fprintf(out, "\n");
        text_wrap(out, "Its fields are not described yet: give the body with --file or --set.", 0, 0, width);
    }
    print_title(cli, out, "Options");
    print_options(cli, out, common_options, command, true, false);
    print_title(cli, out, "Options of every command");
    print_options(cli, out, common_options, command, true, true);
    fprintf(out, "\n");
    text_wrap(out,
              str_format(cli->arena, "%s %s%s, for %s.", command_methods[command->method], command_prefix(command),
                         TEXT_AT(command->path), TEXT_AT(command->who))
                  .data,
              0, 0, width);
}

/* Commands of the API whose family has the same name: `logs download` beside `logs CLUSTER`. */
static void
print_commands_beside(const struct cli *cli, FILE *out, const struct builtin *builtin)
{
    const struct command_family *family = command_family_find(builtin->words);
    if (family == NULL)
        return;
    print_title(cli, out, "Commands");
    for (uint32_t i = 0; i < family->count; i++) {
        const struct command *command = &commands[family->at + i];
        print_row(cli, out, TEXT_AT(command->words), TEXT_AT(command->summary), 18);
    }
}

void
help_builtin(struct cli *cli, FILE *out, const struct builtin *builtin)
{
    text_wrap(out, str_format(cli->arena, "%s.", builtin->summary).data, 0, 0, cli->terminal.width);
    fprintf(out, "\n");
    text_wrap(out, builtin->description, 0, 0, cli->terminal.width);
    print_title(cli, out, "Usage");
    str line = str_format(cli->arena, "reeve %s%s%s [OPTION…]", builtin->words,
                          builtin->arguments[0] != '\0' ? " " : "", builtin->arguments);
    fprintf(out, "  ");
    text_wrap(out, line.data, 6, 2, cli->terminal.width);
    print_title(cli, out, "Example");
    fprintf(out, "  %s\n", builtin->example);
    print_commands_beside(cli, out, builtin);
    if (builtin->options != NULL) {
        print_title(cli, out, "Options");
        print_options(cli, out, builtin->options, NULL, true, true);
    }
    if (builtin->calls) {
        print_title(cli, out, "Options of calls");
        print_options(cli, out, common_options, NULL, true, false);
    }
    print_title(cli, out, "Options of every command");
    print_options(cli, out, common_options, NULL, true, true);
}

/* ---- A family ---- */
/* Those that begin with the words: what works, or what does not. */
static void
print_commands(struct cli *cli, FILE *out, const char *title, const struct command_family *family,
               const char *const *words, size_t count, size_t widest, bool waiting)
{
    bool has_title = false;
    for (uint32_t i = 0; i < family->count; i++) {
        const struct command *command = &commands[family->at + i];
        if (!command_begins_with(command, words, count) ||
            (command->waits_for != 0 || command->refuses != 0) != waiting)
            continue;
        if (!has_title)
            print_title(cli, out, title);
        has_title = true;
        print_row(cli, out, TEXT_AT(command->words), TEXT_AT(command->summary), (int)(widest < 44 ? widest : 44));
    }
}

static void
help_family(struct cli *cli, FILE *out, const struct command_family *family, const char *const *words, size_t count)
{
    size_t widest = 0;
    for (uint32_t i = 0; i < family->count; i++) {
        size_t width = strlen(TEXT_AT(commands[family->at + i].words));
        widest = width > widest ? width : widest;
    }
    fprintf(out, "%s. ", TEXT_AT(family->title));
    text_wrap(out, TEXT_AT(family->doc), 0, (int)strlen(TEXT_AT(family->title)) + 2, cli->terminal.width);
    print_commands(cli, out, "Commands", family, words, count, widest, false);
    str prefix = str_format(cli->arena, "%s ", TEXT_AT(family->name));
    for (size_t i = 0; i < builtin_count; i++) {
        if (str_starts_with(str_from(builtins[i].words), prefix))
            print_row(cli, out, builtins[i].words + prefix.len, builtins[i].summary, (int)(widest < 44 ? widest : 44));
    }
    print_commands(cli, out, "Not there yet, or not offered", family, words, count, widest, true);
    fprintf(out, "\n");
    str more =
        str_format(cli->arena, "`reeve %s COMMAND --help` shows its flags and an example.", TEXT_AT(family->name));
    text_wrap(out, more.data, 0, 0, cli->terminal.width);
}

/* ---- The whole ---- */
static void
print_first_steps(const struct cli *cli, FILE *out)
{
    static const char *const steps[][2] = {
        { "reeve login --server https://reeve.example.org", "logs you in: with a browser, or --client-id" },
        { "reeve projects list", "lists your projects" },
        { "reeve profiles set project web", "makes it the default" },
        { "reeve clusters create --help", "shows every flag and a working example" },
        { "reeve clusters list", "lists your clusters" },
    };
    for (size_t i = 0; i < LENGTH(steps); i++) {
        if (cli->terminal.width >= 100)
            fprintf(out, "  %-52s  # %s\n", steps[i][0], steps[i][1]);
        else
            fprintf(out, "  # %s\n  %s\n", steps[i][1], steps[i][0]);
    }
}

static void
print_family_names(struct cli *cli, FILE *out, const char *title, enum command_level level)
{
    struct buf names = buf_in(cli->arena, 4096);
    for (size_t i = 0; i < command_family_count; i++) {
        if (command_families[i].level == level)
            buf_format(&names, "%s%s", names.len > 0 ? ", " : "", TEXT_AT(command_families[i].name));
    }
    if (names.len == 0)
        return;
    print_title(cli, out, title);
    fprintf(out, "  ");
    text_wrap(out, buf_str(&names).data, 2, 2, cli->terminal.width);
}

void
help_whole(struct cli *cli, FILE *out)
{
    int width = cli->terminal.width;
    text_wrap(out, "reeve " REEVE_VERSION ": organizations, projects and PostgreSQL clusters from the command line", 0,
              0, width);
    fprintf(out, "\n");
    text_wrap(out, "usage: reeve FAMILY [NOUN…] VERB [ARGUMENT…] [OPTION…]", 4, 0, width);
    print_title(cli, out, "First steps");
    print_first_steps(cli, out);
    print_title(cli, out, "Besides the API");
    for (size_t i = 0; i < builtin_count; i++) {
        if (!builtins[i].hidden)
            print_row(cli, out, builtins[i].words, builtins[i].summary, 18);
    }
    print_title(cli, out, "Every day");
    for (size_t place = 0; place < command_family_count; place++) {
        for (size_t i = 0; i < command_family_count; i++) {
            const struct command_family *family = &command_families[i];
            if (family->level == LEVEL_CORE && family->order == place)
                print_row(cli, out, TEXT_AT(family->name), TEXT_AT(family->doc), 22);
        }
    }
    print_family_names(cli, out, "More", LEVEL_MORE);
    print_family_names(cli, out, "Not there yet, or not offered", LEVEL_NOT_YET);
    fprintf(out, "\n");
    text_wrap(out, "`reeve FAMILY` shows what there is about it.", 0, 0, width);
    print_title(cli, out, "Options of every command");
    print_options(cli, out, common_options, NULL, true, true);
    fprintf(out, "\n");
    text_wrap(out,
              "On a terminal answers are tables; in a pipe they are the JSON that the API sent. Exit status: 0 done, 1 "
              "refused by the API, 2 wrong command line, 3 no answer, 4 started but not finished, 130 Ctrl-C.",
              0, 0, width);
}

static void
help_query(const struct cli *cli)
{
    static const char *const rows[][2] = {
        { "name", "a field" },
        { "connectionStrings.standard", "a field of a field" },
        { "results[0].id", "of the first item; [-1] is the last, [0:2] the first two" },
        { "results[*].name", "of every item" },
        { "results[].roles[]", "of every item, lists inside opened" },
        { "results[?stateName=='IDLE']", "items that match: == != < <= > >= && || !" },
        { "results[?diskSizeGB>`20`]", "numbers, true, false and null stand in backquotes, texts in single quotes" },
        { "results[*].[name, id]", "a list of each; with --output text one line with tabs" },
        { "results[*].{n: name, s: state}", "an object of each; on a terminal a table" },
        { "length(results)", "also keys(), values(), join(', ', list)" },
        { "a | b", "applies b to the result of a" },
        { "\"a name\"", "a field whose name is not a word" },
    };
    text_wrap(stdout,
              "--query picks fields out of an answer. It uses a part of JMESPath (jmespath.org), with the same "
              "meaning.",
              0, 0, cli->terminal.width);
    fputc('\n', stdout);
    for (size_t i = 0; i < LENGTH(rows); i++)
        print_row(cli, stdout, rows[i][0], rows[i][1], FLAG_WIDTH);
    fputs("\nExamples:\n\n"
          "  reeve clusters list --query 'results[*].{name: name, state: stateName}'\n"
          "  reeve projects list --all --query 'results[?clusterCount>`0`].id' --output text\n",
          stdout);
}

bool
help_words(struct cli *cli, const char *const *words, size_t count)
{
    if (count == 0) {
        help_whole(cli, stdout);
        return true;
    }
    if (count == 1 && strcmp(words[0], "query") == 0) {
        help_query(cli);
        return true;
    }
    for (size_t i = 0; i < builtin_count; i++) {
        str rest = str_from(builtins[i].words);
        size_t n = 0;
        while (n < count && rest.len > 0 && str_is(str_cut(&rest, ' '), words[n]))
            n++;
        if (n == count && rest.len == 0) {
            help_builtin(cli, stdout, &builtins[i]);
            return true;
        }
    }
    if (count == 1 && strcmp(words[0], "profiles") == 0) {
        for (size_t i = 0; i < builtin_count; i++) {
            if (str_starts_with(str_from(builtins[i].words), STR("profiles ")))
                print_row(cli, stdout, builtins[i].words, builtins[i].summary, 18);
        }
        return true;
    }
    struct command_match match = command_match(words, count);
    if (match.command != NULL) {
        help_command(cli, stdout, match.command);
        return true;
    }
    if (match.family == NULL || match.used < count) {
        help_unknown(cli, words, match.used, words[match.used]);
        return false;
    }
    help_family(cli, stdout, match.family, words + 1, count - 1);
    return true;
}

void
help_unknown(struct cli *cli, const char *const *words, size_t understood, const char *word)
{
    str names[5], before = STR_EMPTY;
    size_t count = command_suggest(cli->arena, words, understood, word, names, LENGTH(names));
    for (size_t i = 0; i < understood; i++)
        before = str_format(cli->arena, "%.*s%s ", STR_ARG(before), words[i]);
    cli_say(cli, "there is no command `%.*s%s`", STR_ARG(before), word);
    if (understood == 0) {
        for (size_t i = 0; i < builtin_count && count < LENGTH(names); i++) {
            if (!builtins[i].hidden && command_distance(word, builtins[i].words) <= 2)
                names[count++] = str_from(builtins[i].words);
        }
    }
    for (size_t i = 0; i < count; i++)
        fprintf(stderr, "%s  reeve %.*s%.*s\n", i == 0 ? "did you mean:\n" : "", STR_ARG(before), STR_ARG(names[i]));
    if (count == 0)
        fprintf(stderr, "`reeve%s%.*s --help` lists what there is\n", understood > 0 ? " " : "",
                STR_ARG(str_trim(before)));
}

int
builtin_help(struct cli *cli)
{
    return help_words(cli, cli->call.arguments, cli->call.argument_count) ? EXIT_SUCCESS : EXIT_USAGE;
}
