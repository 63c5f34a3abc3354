/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/follow.h"

#include <stdlib.h>

#include "base/json.h"
#include "cli/builtins.h"
#include "cli/fetch.h"
#include "cli/output/output.h"
#include "cli/profile.h"
#include "cli/run.h"
#include "cli/short/names.h"

/* ---- The stream ---- */
enum { LONGEST_LINE = 4 * 1024 * 1024 };

static void
keep_text(char **field, const char *text)
{
    free(*field);
    *field = strdup(text);
}

static bool
take_line(struct follow_reader *r, char *line)
{
    if (line[0] == '\0') {
        bool go_on = true;
        if (r->data != NULL)
            go_on = r->message(r->context,
                               &(struct follow_message){ str_from(r->id), str_from(r->event), str_from(r->data) });
        free(r->data);
        free(r->event);
        r->data = r->event = NULL;
        return go_on;
    }
    char *value = strchr(line, ':');
    if (line[0] == ':' || value == NULL)
        return true; /* a comment */
    *value++ = '\0';
    value += *value == ' ';
    if (strcmp(line, "id") == 0)
        keep_text(&r->id, value);
    else if (strcmp(line, "event") == 0)
        keep_text(&r->event, value);
    else if (strcmp(line, "data") == 0)
        keep_text(&r->data, value);
    return true;
}

bool
follow_read(struct follow_reader *r, str piece)
{
    for (size_t i = 0; i < piece.len; i++) {
        if (r->line_len + 1 >= r->line_size) {
            size_t size = r->line_size == 0 ? 4096 : r->line_size * 2;
            char *longer = size > LONGEST_LINE ? NULL : realloc(r->line, size);
            if (longer == NULL)
                return false;
            r->line = longer;
            r->line_size = size;
        }
        if (piece.data[i] != '\n') {
            r->line[r->line_len++] = piece.data[i];
            continue;
        }
        if (r->line_len > 0 && r->line[r->line_len - 1] == '\r')
            r->line_len--;
        r->line[r->line_len] = '\0';
        r->line_len = 0;
        if (!take_line(r, r->line))
            return false;
    }
    return true;
}

void
follow_done(struct follow_reader *r)
{
    free(r->line);
    free(r->id);
    free(r->event);
    free(r->data);
    *r = (struct follow_reader){ 0 };
}

/* ---- events follow ---- */
struct following {
    struct cli *cli;
    char last_id[32];
    int64_t left; /* how many more events; -1: no end */
    bool any;     /* since the connection was opened */
    bool is_open; /* it was said that the server listens */
    str what;     /* is followed, as a person names it */
    bool existed; /* what is followed: it was seen */
};

static const char *
text_of(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text != NULL ? text : "";
}

/* The first of the fields that is there; "" when none is. */
static const char *
first_text(const json_t *object, const char *const *names, size_t count)
{
    const char *text = "";
    for (size_t i = 0; text[0] == '\0' && i < count; i++)
        text = text_of(object, names[i]);
    return text;
}

/* What it happened to, by the name that people gave it: the document of the event has it. */
static const char *
subject_of(const json_t *event)
{
    static const char *const names[] = { "name", "username", "cidrBlock", "desc", "clientId", "publicKey" };
    static const char *const places[] = { "groupId", "orgId" };
    const json_t *document = json_object_get(event, "after");
    const char *name = text_of(event, "clusterName");
    if (!json_is_object(document))
        document = json_object_get(event, "before");
    if (name[0] == '\0')
        name = first_text(document, names, LENGTH(names));
    if (name[0] == '\0') /* of several: the first */
        name = first_text(json_array_get(json_object_get(document, "entries"), 0), names, LENGTH(names));
    return name[0] != '\0' ? name : first_text(event, places, LENGTH(places));
}

static void
print_event(struct cli *cli, const struct follow_message *message)
{
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(16 * 1024 * 1024);
    json_t *event = arena == NULL ? NULL : json_in(arena, json_loadb(message->data.data, message->data.len, 0, NULL));
    const char *format = cli->call.values[OPTION_OUTPUT];
    if (event == NULL || (format != NULL ? strcmp(format, "table") != 0 : !cli->terminal.out)) {
        printf("%.*s\n", STR_ARG(message->data));
        fflush(stdout);
        return;
    }
    bool color = cli->terminal.color_out;
    static const char *const callers[] = { "username", "publicKey", "clientId", "userId" };
    const char *who = first_text(event, callers, LENGTH(callers)), *what = subject_of(event);
    str type = text_harmless(arena, str_from(text_of(event, "eventTypeName")));
    str line =
        text_harmless(arena, str_format(arena, "%s%s%s", who, what[0] != '\0' && who[0] != '\0' ? "  " : "", what));
    printf("%s%s%s  %s%-32.*s%s  %.*s\n", style_on(color, STYLE_FAINT),
           text_harmless(arena, str_from(text_of(event, "created"))).data, style_off(color, STYLE_FAINT),
           style_on(color, STYLE_CYAN), STR_ARG(type), style_off(color, STYLE_CYAN), STR_ARG(line));
    fflush(stdout);
}

static bool
on_message(void *context, const struct follow_message *message)
{
    struct following *f = context;
    f->any = f->existed = true;
    if (message->id.len > 0 && message->id.len < sizeof(f->last_id))
        memcpy(f->last_id, message->id.data, message->id.len + 1);
    print_event(f->cli, message);
    if (f->left > 0)
        f->left--;
    return f->left != 0;
}

static bool
on_piece(void *context, str piece)
{
    struct follow_reader *reader = context;
    struct following *f = reader->context;
    /* The server sends something at once: who sees nothing else would not know whether it works. */
    if (!f->is_open)
        cli_note(f->cli, "following the events of %.*s; Ctrl-C ends it", STR_ARG(f->what));
    f->is_open = true;
    return follow_read(reader, piece);
}

/* `list`: without a filter. */
static bool
make_target(struct following *f, str *ret_list, str *ret_target)
{
    struct cli *cli = f->cli;
    const struct profile *p = cli->profile;
    const char *type = call_option(&cli->call, "type");
    bool of_org = cli->call.values[OPTION_ORG] != NULL || p->project == NULL;
    if (of_org && p->org == NULL) {
        cli_say(cli, "which events? Give --project or --org, or `reeve profiles set project NAME`");
        return false;
    }
    const char *of;
    if (names_resolve_scope(cli, of_org ? NAMES_ORG : NAMES_PROJECT, of_org ? p->org : p->project, &of) != EXIT_SUCCESS)
        return false;
    f->what = str_format(cli->arena, "%s %s", of_org ? "organization" : "project", of_org ? p->org : p->project);
    *ret_list = str_format(cli->arena, "%s/%s/%s/events", API_PREFIX, of_org ? "orgs" : "groups",
                           str_percent_encode(cli->arena, str_from(of)).data);
    *ret_target = str_format(cli->arena, "%.*s%s%s", STR_ARG(*ret_list), type != NULL ? "?eventType=" : "",
                             type != NULL ? str_percent_encode(cli->arena, str_from(type)).data : "");
    return true;
}

/* The last event that there is: what comes behind it is shown, also when the connection is lost before the first one came. */
static int
find_last(struct following *f, struct client *client, str list)
{
    struct cli *cli = f->cli;
    json_t *document;
    str target = str_format(cli->arena, "%.*s?itemsPerPage=1&includeCount=false", STR_ARG(list));
    int status = fetch_document(cli, client, target, &document);
    if (status != EXIT_SUCCESS)
        return status;
    f->existed = true;
    const json_t *event = json_array_get(json_object_get(document, "results"), 0);
    snprintf(f->last_id, sizeof(f->last_id), "%lld", (long long)json_integer_value(json_object_get(event, "sequence")));
    return EXIT_SUCCESS;
}

/* One connection, until it ends. */
static int
follow_once(struct following *f, struct client *client, str target, struct answer *ret_answer)
{
    struct follow_reader reader = { .message = on_message, .context = f };
    struct request_out request = {
        .method = "GET",
        .target = target,
        .accept = "text/event-stream",
        .last_event_id = f->last_id,
        .piece = on_piece,
        .context = &reader,
    };
    f->any = false;
    int status = client_send(client, &request, ret_answer);
    follow_done(&reader);
    return status;
}

static bool
read_options(struct following *f)
{
    struct cli *cli = f->cli;
    const char *since = call_option(&cli->call, "since"), *count = call_option(&cli->call, "count");
    int64_t number;
    if (since != NULL && !str_to_int(str_from(since), 0, INT64_MAX, &number)) {
        cli_say(cli, "--since takes the sequence number of an event, or 0 to start with the first, not `%s`", since);
        return false;
    }
    if (count != NULL && !str_to_int(str_from(count), 1, INT64_MAX, &f->left)) {
        cli_say(cli, "--count takes a number of at least 1, not `%s`", count);
        return false;
    }
    if (since != NULL)
        snprintf(f->last_id, sizeof(f->last_id), "%lld", (long long)number);
    return true;
}

int
builtin_follow(struct cli *cli)
{
    struct client *client CLEANUP(client_cleanup) = NULL;
    struct following f = { .cli = cli, .left = -1 };
    struct answer answer;
    str list, target;
    bool was_open = false;
    if (!read_options(&f) || !make_target(&f, &list, &target) || !output_check(cli) ||
        (client = client_new(cli)) == NULL)
        return EXIT_USAGE;
    int status = f.last_id[0] != '\0' ? EXIT_SUCCESS : find_last(&f, client, list);
    for (int attempt = 1; status == EXIT_SUCCESS && f.left != 0; attempt++) {
        status = follow_once(&f, client, target, &answer);
        if (status == EXIT_SUCCESS && f.left != 0 && answer.status == 404 && f.existed) {
            cli_say(cli, "the project or organization was deleted");
            return EXIT_SUCCESS;
        }
        if (status == EXIT_SUCCESS && f.left != 0 && answer.status != 200)
            return output_error(cli, &answer);
        was_open = was_open || status == EXIT_SUCCESS;
        if (status == EXIT_NO_ANSWER && was_open)
            status = EXIT_SUCCESS; /* a server that is away for a while is waited for */
        attempt = f.any ? 1 : attempt;
        if (f.left != 0 && status == EXIT_SUCCESS && !client_pause(client_delay_ms(attempt, 0)))
            return EXIT_INTERRUPTED;
    }
    return status;
}
