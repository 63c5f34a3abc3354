/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/body.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

#include "base/json.h"
#include "cli/profile.h"
#include "cli/short/names.h"
#include "cli/short/place.h"
#include "cli/short/short.h"

enum { MAX_BODY_BYTES = 16 * 1024 * 1024, SECRET_BYTES = 4096 };

/* ---- Files and secrets ---- */
bool
body_read_file(struct cli *cli, const char *name, str *ret_text)
{
    bool standard = strcmp(name, "-") == 0;
    int fd = standard ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
    struct buf text = buf_in(cli->arena, MAX_BODY_BYTES);
    char piece[65536];
    ssize_t got = -1;
    while (fd >= 0 && (got = read(fd, piece, sizeof(piece))) > 0)
        buf_add(&text, (str){ piece, (size_t)got });
    if (got < 0)
        cli_say(cli, "%s cannot be read: %s", name, strerror(errno));
    else if (text.failed)
        cli_say(cli, "%s has more than %d MB", name, MAX_BODY_BYTES / 1024 / 1024);
    if (fd >= 0 && !standard)
        close(fd);
    *ret_text = buf_str(&text);
    return got >= 0 && !text.failed;
}

static struct termios terminal_before;

/* Ends here and not where it reads: Ctrl-C may come a moment before that. The terminal becomes as it was. */
static void
on_interrupt(int number)
{
    (void)number;
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &terminal_before);
    _exit(EXIT_INTERRUPTED);
}

bool
body_read_secret(struct cli *cli, const char *prompt, str *ret_text)
{
    char line[SECRET_BYTES];
    struct termios before, silent;
    bool hidden = cli->terminal.in && tcgetattr(STDIN_FILENO, &before) == 0;
    struct sigaction action = { .sa_handler = on_interrupt }, usual;
    if (hidden) {
        terminal_before = before;
        sigaction(SIGINT, &action, &usual);
        silent = before;
        silent.c_lflag &= ~(tcflag_t)ECHO;
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent);
        fprintf(stderr, "%s: ", prompt); /* after that: who sees it may type at once */
    }
    bool read = fgets(line, sizeof(line), stdin) != NULL;
    if (hidden) {
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &before);
        sigaction(SIGINT, &usual, NULL);
        fputc('\n', stderr);
    }
    if (!read) {
        cli_say(cli, "no %s was given", prompt);
        return false;
    }
    str text = str_from(line);
    *ret_text = str_dup(cli->arena, str_cut(&text, '\n'));
    explicit_bzero(line, sizeof(line));
    return true;
}

/* ---- Values ---- */
static json_t *
not_a(struct arena *arena, const char *what, const char *text, str *ret_why)
{
    *ret_why = str_format(arena, "takes %s, not `%s`", what, text);
    return NULL;
}

static json_t *
scalar(struct arena *arena, enum command_type type, const char *text, str *ret_why)
{
    int64_t number;
    if (type == FLAG_INTEGER)
        return str_to_int(str_from(text), INT64_MIN, INT64_MAX, &number)
                   ? json_integer(number)
                   : not_a(arena, "a whole number", text, ret_why);
    if (type == FLAG_NUMBER) {
        json_t *json = json_loads(text, JSON_DECODE_ANY, NULL);
        if (json_is_number(json))
            return json;
        json_decref(json);
        return not_a(arena, "a number", text, ret_why);
    }
    if (type == FLAG_BOOLEAN) {
        if (strcmp(text, "true") != 0 && strcmp(text, "false") != 0)
            return not_a(arena, "true or false", text, ret_why);
        return json_boolean(text[0] == 't');
    }
    json_t *json = json_string(text);
    return json != NULL ? json : not_a(arena, "text in UTF-8", text, ret_why);
}

json_t *
body_value(struct arena *arena, const struct command_field *field, const char *text, str *ret_why)
{
    if ((field->flags & FIELD_NULLABLE) && strcmp(text, "null") == 0)
        return json_null();
    const char *form = TEXT_AT(field->form);
    if (form[0] != '\0' && text[0] != '[' && text[0] != '{')
        return short_object(arena, form, text);
    if ((field->flags & FIELD_JSON) || (field->type == FLAG_LIST && text[0] == '[')) {
        json_error_t where;
        json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, &where);
        bool list = field->type == FLAG_LIST;
        if (json == NULL)
            *ret_why = str_format(arena, "takes JSON: %s at character %d", where.text, where.position);
        else if (list ? json_is_array(json) || json_is_object(json) : json_is_object(json))
            return json;
        else
            not_a(arena, list ? "a JSON list" : "a JSON object", text, ret_why);
        json_decref(json);
        return NULL;
    }
    return scalar(arena, field->type == FLAG_LIST ? field->item : field->type, text, ret_why);
}

/* ---- Path ---- */
static const char *
assigned(const struct call *call, const struct command_field *field)
{
    for (size_t i = call->assignment_count; i > 0; i--) {
        if (call->assignments[i - 1].field == field)
            return call->assignments[i - 1].value;
    }
    return NULL;
}

static const char *
of_profile(const struct cli *cli, const struct command_field *parameter)
{
    bool project = strcmp(TEXT_AT(parameter->path), "groupId") == 0;
    const char *given = cli->call.values[project ? OPTION_PROJECT : OPTION_ORG];
    if (given != NULL)
        return given;
    return project ? cli->profile->project : cli->profile->org;
}

static int
missing(const struct cli *cli, const struct command_field *parameter)
{
    const char *flag = TEXT_AT(parameter->flag);
    cli_say(cli, "which %s? Give --%s%s: %s", flag, flag,
            command_takes_argument(cli->call.command, parameter) ? ", or an argument after the command" : "",
            TEXT_AT(parameter->doc));
    if ((parameter->flags & FIELD_SCOPE) && !command_takes_argument(cli->call.command, parameter))
        cli_note(cli, "to keep it: reeve profiles set %s NAME", flag);
    return EXIT_USAGE;
}

/* `clusters create orders` is `clusters create --name orders`. False when the command makes nothing that has a name, or it was given. */
static bool
name_with(struct cli *cli, const char *name)
{
    struct call *call = &cli->call;
    const struct command_field *field = command_naming_field(call->command);
    if (field == NULL || assigned(call, field) != NULL || call->assignment_count == MAX_ASSIGNMENTS)
        return false;
    call->assignments[call->assignment_count++] =
        (struct assignment){ .field = field, .name = TEXT_AT(field->flag), .value = name };
    return true;
}

/* A value for each parameter: its flag, else the next argument, else the profile. */
static int
fill_parameters(struct cli *cli, const char **values)
{
    const struct command *command = cli->call.command;
    size_t next = 0, wanted = 0;
    for (uint32_t i = 0; i < command->parameters.count; i++) {
        const struct command_field *parameter = &command_fields[command->parameters.at + i];
        wanted += assigned(&cli->call, parameter) == NULL && command_takes_argument(command, parameter);
    }
    for (uint32_t i = 0; i < command->parameters.count; i++) {
        const struct command_field *parameter = &command_fields[command->parameters.at + i];
        values[i] = assigned(&cli->call, parameter);
        /* What has a fallback takes an argument only when there is one for every other. */
        const char *fallback = TEXT_AT(parameter->fallback);
        bool takes = values[i] == NULL && command_takes_argument(command, parameter);
        if (takes && fallback[0] != '\0' && cli->call.argument_count < wanted)
            values[i] = fallback;
        else if (takes && next < cli->call.argument_count)
            values[i] = cli->call.arguments[next++];
        /* What the profile has is never deleted without being named. */
        bool named_only = command->method == METHOD_DELETE && command_ends_with(command, parameter);
        if (values[i] == NULL && (parameter->flags & FIELD_SCOPE) && !named_only)
            values[i] = of_profile(cli, parameter);
        if (values[i] == NULL && named_only && (parameter->flags & FIELD_SCOPE))
            values[i] =
                cli->call.values[strcmp(TEXT_AT(parameter->path), "groupId") == 0 ? OPTION_PROJECT : OPTION_ORG];
        if (values[i] == NULL || values[i][0] == '\0')
            return missing(cli, parameter);
    }
    if (next == cli->call.argument_count ||
        (next + 1 == cli->call.argument_count && name_with(cli, cli->call.arguments[next])))
        return EXIT_SUCCESS;
    cli_say(cli, "what is `%s`? The command takes %zu argument%s: --help", cli->call.arguments[next], next,
            next == 1 ? "" : "s");
    return EXIT_USAGE;
}

static int
make_path(struct cli *cli, struct outgoing *ret)
{
    const struct command *command = cli->call.command;
    const char **values = ret->values;
    struct buf path = buf_in(cli->arena, 65536);
    str rest = str_from(TEXT_AT(command->path));
    int status = command->parameters.count > MAX_PARAMETERS ? EXIT_USAGE : fill_parameters(cli, values);
    if (status == EXIT_SUCCESS && command->parameters.count > 0)
        ret->named = values[command->parameters.count - 1];
    if (status == EXIT_SUCCESS)
        status = names_resolve(cli, command, values, command->parameters.count);
    for (uint32_t i = 0; status == EXIT_SUCCESS && rest.len > 0; i++) {
        buf_add(&path, str_cut(&rest, '{'));
        if (rest.len == 0 || i >= command->parameters.count)
            break;
        str_cut(&rest, '}');
        buf_add(&path, str_percent_encode(cli->arena, str_from(values[i])));
    }
    ret->path = buf_str(&path);
    return status;
}

/* ---- Query ---- */
static void
add_query(struct cli *cli, struct buf *query, const char *name, const char *value)
{
    buf_format(query, "%s%s=", query->len > 0 ? "&" : "", name);
    buf_add(query, str_percent_encode(cli->arena, str_from(value)));
}

static int
make_query(struct cli *cli, str *ret_query)
{
    const struct call *call = &cli->call;
    struct buf query = buf_in(cli->arena, 65536);
    for (size_t i = 0; i < call->assignment_count; i++) {
        if (call->assignments[i].is_query)
            add_query(cli, &query, TEXT_AT(call->assignments[i].field->path), call->assignments[i].value);
    }
    for (uint32_t i = 0; i < call->command->query.count; i++) {
        const struct command_field *field = &command_fields[call->command->query.at + i];
        if (!(field->flags & FIELD_REQUIRED) || assigned(call, field) != NULL)
            continue;
        cli_say(cli, "--%s is missing: %s", TEXT_AT(field->flag), TEXT_AT(field->doc));
        return EXIT_USAGE;
    }
    if (call->values[OPTION_PAGE_NUM] != NULL)
        add_query(cli, &query, "pageNum", call->values[OPTION_PAGE_NUM]);
    if (call->values[OPTION_ITEMS_PER_PAGE] != NULL || call->values[OPTION_ALL] != NULL)
        add_query(cli, &query, "itemsPerPage",
                  call->values[OPTION_ITEMS_PER_PAGE] != NULL ? call->values[OPTION_ITEMS_PER_PAGE] : "500");
    if (call->values[OPTION_NO_COUNT] != NULL)
        add_query(cli, &query, "includeCount", "false");
    if (call->values[OPTION_DRY_RUN] != NULL)
        add_query(cli, &query, "dryRun", "true");
    *ret_query = buf_str(&query);
    return EXIT_SUCCESS;
}

/* ---- Body ---- */
/* The text of a flag, which for a secret and for JSON may be in a file or typed. */
static bool
resolve_text(struct cli *cli, const struct assignment *assignment, const char **ret_text)
{
    str text;
    *ret_text = assignment->value;
    if (!(assignment->field->flags & (FIELD_SECRET | FIELD_JSON)))
        return true;
    if ((assignment->field->flags & FIELD_SECRET) && strcmp(assignment->value, "-") == 0) {
        if (!body_read_secret(cli, TEXT_AT(assignment->field->flag), &text))
            return false;
    } else if (assignment->value[0] == '@') {
        if (!body_read_file(cli, assignment->value + 1, &text))
            return false;
        if (text.len > 0 && text.data[text.len - 1] == '\n')
            text = str_dup(cli->arena, str_slice(text, 0, text.len - 1));
    } else {
        return true;
    }
    *ret_text = text.data;
    return true;
}

static bool
put_set(struct cli *cli, json_t *body, const char *text)
{
    str value = str_from(text), path = str_cut(&value, '=');
    if (strchr(text, '=') == NULL) {
        cli_say(cli, "--set takes PATH=VALUE, and `%s` has no =", text);
        return false;
    }
    json_t *json = json_loads(value.data, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
    if (place_put(body, path, json != NULL ? json : json_stringn(value.data, value.len)))
        return true;
    cli_say(cli, "--set: the body has no place `%.*s`", STR_ARG(path));
    return false;
}

static bool
put_field(struct cli *cli, json_t *body, const struct assignment *assignment)
{
    const struct command_field *field = assignment->field;
    const char *text;
    str why = STR_EMPTY, path = str_from(TEXT_AT(field->path));
    if (!resolve_text(cli, assignment, &text))
        return false;
    json_t *value = body_value(cli->arena, field, text, &why);
    if (value == NULL) {
        cli_say(cli, "--%s %.*s: %s", assignment->name, STR_ARG(why), TEXT_AT(field->doc));
        return false;
    }
    /* A list grows with each of its flags. */
    if (field->type == FLAG_LIST && !json_is_array(value) && !json_is_null(value)) {
        json_t *list = path.len > 0 ? json_object_getn(body, path.data, path.len) : NULL;
        if (json_is_array(list))
            return json_array_append_new(list, value) == 0;
        list = json_array();
        json_array_append_new(list, value);
        value = list;
    }
    if (short_is_deep(field) ? short_put(field, body, value) : place_put(body, path, value))
        return true;
    cli_say(cli, "--%s cannot be set, because the body has something else in its place", assignment->name);
    return false;
}

/* The element of the body that flags work on: of a list its first. */
static json_t *
flags_target(const struct command *command, json_t *body)
{
    if (!(command->flags & COMMAND_BODY_IS_LIST) || !json_is_array(body))
        return body;
    if (json_array_size(body) == 0)
        json_array_append_new(body, json_object());
    return json_array_get(body, 0);
}

/* A field of the body that the profile has: by name or id there, by id in the body. */
static int
put_of_profile(struct cli *cli, const struct command_field *field, const char *value, json_t *body)
{
    bool is_project = strcmp(TEXT_AT(field->path), "groupId") == 0;
    int status = names_resolve_scope(cli, is_project ? NAMES_PROJECT : NAMES_ORG, value, &value);
    if (status == EXIT_SUCCESS)
        json_object_set_new(body, TEXT_AT(field->path), json_string(value));
    return status;
}

/* What is missing and the profile has is put in; what else is missing is asked for. */
static int
complete_required(struct cli *cli, json_t *body)
{
    const struct command *command = cli->call.command;
    int status = EXIT_SUCCESS;
    if (command->method == METHOD_PATCH || !json_is_object(body))
        return status;
    for (uint32_t i = 0; i < command->body.count; i++) {
        const struct command_field *field = &command_fields[command->body.at + i];
        const char *value = field->flags & FIELD_SCOPE ? of_profile(cli, field) : NULL;
        if (!(field->flags & FIELD_REQUIRED) || place_find(body, str_from(TEXT_AT(field->path))) != NULL)
            continue;
        if (value == NULL)
            cli_say(cli, "--%s is missing: %s", TEXT_AT(field->flag), TEXT_AT(field->doc));
        int put = value == NULL ? EXIT_USAGE : put_of_profile(cli, field, value, body);
        status = put != EXIT_SUCCESS ? put : status;
    }
    if (status != EXIT_SUCCESS)
        cli_note(cli, "for example: %s", TEXT_AT(command->example));
    return status;
}

static bool
read_body_file(struct cli *cli, json_t **ret_body)
{
    str text;
    json_error_t where;
    const char *name = cli->call.values[OPTION_FILE];
    if (!body_read_file(cli, name, &text))
        return false;
    *ret_body = json_loadb(text.data, text.len, JSON_REJECT_DUPLICATES, &where);
    if (*ret_body == NULL)
        cli_say(cli, "%s is not JSON: %s, in line %d, column %d", name, where.text, where.line, where.column);
    return *ret_body != NULL;
}

static bool
has_body_flags(const struct call *call)
{
    for (size_t i = 0; i < call->assignment_count; i++) {
        const struct assignment *one = &call->assignments[i];
        const struct command_list *list = &call->command->body;
        if (!one->is_query && (one->field == NULL || (one->field >= &command_fields[list->at] &&
                                                      one->field < &command_fields[list->at + list->count])))
            return true;
    }
    return false;
}

/* The flag fills several places: what is said of one of them goes before it, whichever comes first. */
static bool
is_broad(const struct assignment *assignment)
{
    return assignment->field != NULL && strchr(TEXT_AT(assignment->field->path), '|') != NULL;
}

static bool
put_flags(struct cli *cli, json_t *target, bool broad)
{
    const struct call *call = &cli->call;
    const struct command_list *list = &call->command->body;
    for (size_t i = 0; i < call->assignment_count; i++) {
        const struct assignment *one = &call->assignments[i];
        bool is_set = one->field == NULL, is_here = !one->is_query && one->field >= &command_fields[list->at] &&
                                                    one->field < &command_fields[list->at + list->count];
        if (is_broad(one) != broad || (!is_set && !is_here))
            continue;
        if (is_set ? !put_set(cli, target, one->value) : !put_field(cli, target, one))
            return false;
    }
    return true;
}

static int
make_body(struct cli *cli, struct outgoing *ret)
{
    const struct call *call = &cli->call;
    const struct command *command = call->command;
    bool from_file = call->values[OPTION_FILE] != NULL;
    if (!(command->flags & COMMAND_HAS_BODY) || (command->body.count == 0 && !from_file && !has_body_flags(call)))
        return EXIT_SUCCESS;
    if (from_file) {
        if (!read_body_file(cli, &ret->body))
            return EXIT_USAGE;
    } else {
        ret->body = command->flags & COMMAND_BODY_IS_LIST ? json_array() : json_object();
    }
    json_in(cli->arena, ret->body);
    if (!from_file || has_body_flags(call)) {
        json_t *target = flags_target(command, ret->body);
        int status = short_read_lists(cli, ret->path, target);
        if (status != EXIT_SUCCESS)
            return status;
        if (!put_flags(cli, target, true) || !put_flags(cli, target, false))
            return EXIT_USAGE;
        status = complete_required(cli, target);
        if (status == EXIT_SUCCESS)
            status = short_fill_provider(cli, ret->path, target);
        if (status != EXIT_SUCCESS)
            return status;
    }
    ret->text = json_text(cli->arena, ret->body);
    return EXIT_SUCCESS;
}

int
body_make(struct cli *cli, struct outgoing *ret)
{
    *ret = (struct outgoing){ .text = STR_EMPTY };
    int status = make_path(cli, ret);
    if (status == EXIT_SUCCESS)
        status = make_query(cli, &ret->query);
    return status == EXIT_SUCCESS ? make_body(cli, ret) : status;
}
