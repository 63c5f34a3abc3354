/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/output/progress.h"

#include <signal.h>
#include <stdlib.h>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/date.h"
#include "base/json.h"
#include "cli/output/output.h"

enum { REDRAW_MS = 100, BAR_WIDTH = 30, NAME_WIDTH = 24, DRAWING_BYTES = 1024 * 1024 };

/* Between two looks at the operation. */
static const struct backoff pace = { .first_ms = 200, .most_ms = 2000 };

/* Set by Ctrl-C: the operation goes on without us. */
static volatile sig_atomic_t interrupted;

static void
on_interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

struct view {
    struct cli *cli;
    int64_t began_ms;
    int lines;           /* drawn last time, to be drawn over */
    int turn;            /* of the sign that turns */
    struct arena *arena; /* of one drawing */
    str said_last;       /* without a terminal: the line that was printed last */
};

str
progress_target(const struct cli *cli, str address)
{
    const char *at = strstr(address.data, "/api/");
    if (at == NULL)
        at = strstr(address.data, OPERATOR_PREFIX "/");
    return at == NULL ? STR_EMPTY : str_dup(cli->arena, str_from(at));
}

const char *
progress_commands(const struct command *command)
{
    return command_is_operators(command) ? "fleet jobs" : "operations";
}

str
progress_bar(struct arena *arena, int64_t percent, int width)
{
    struct buf bar = buf_in(arena, 4096);
    int64_t full = percent < 0 ? 0 : percent > 100 ? width : percent * width / 100;
    for (int i = 0; i < width; i++)
        buf_add_text(&bar, i < full ? "█" : "░");
    buf_format(&bar, " %3d%%", (int)(percent < 0 ? 0 : percent > 100 ? 100 : percent));
    return buf_str(&bar);
}

/* ---- Drawing ---- */
static const char *
text_of(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text != NULL ? text : "";
}

/* What it is about: a tenant sees a cluster, an operator also a host. */
static const char *
subject_of(const json_t *operation)
{
    return json_object_get(operation, "clusterName") != NULL ? text_of(operation, "clusterName")
                                                             : text_of(operation, "subjectName");
}

static int64_t
percent_of(const json_t *operation)
{
    const json_t *percent = json_object_get(operation, "percent");
    int64_t steps = json_integer_value(json_object_get(operation, "stepCount"));
    if (percent != NULL || steps == 0)
        return json_integer_value(percent);
    if (strcmp(text_of(operation, "state"), "DONE") == 0)
        return 100;
    return json_integer_value(json_object_get(operation, "stepNumber")) * 100 / steps;
}

static double
seconds_of(const json_t *step)
{
    int64_t from, to;
    if (!date_parse(str_from(text_of(step, "startedAt")), &from))
        return -1;
    if (!date_parse(str_from(text_of(step, "finishedAt")), &to))
        to = clock_now_ms();
    return to > from ? (double)(to - from) / 1000 : 0;
}

static void
draw_step(struct view *v, const json_t *step, const char *waits_for)
{
    static const char *const turning[] = { "⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧" };
    bool color = v->cli->terminal.color_err;
    const char *state = text_of(step, "state");
    bool done = strcmp(state, "DONE") == 0, at_work = strcmp(state, "RUNNING") == 0 || strcmp(state, "WAITING") == 0;
    enum style style = done                           ? STYLE_GREEN
                       : at_work                      ? STYLE_YELLOW
                       : strcmp(state, "FAILED") == 0 ? STYLE_RED
                                                      : STYLE_FAINT;
    const char *sign = done ? "✓" : at_work ? turning[v->turn % (int)LENGTH(turning)] : style == STYLE_RED ? "✗" : "·";
    double seconds = seconds_of(step);
    struct arena *arena = v->arena;
    str name = text_harmless(arena, str_from(text_of(step, "name")));
    str note =
        text_harmless(arena, str_from(at_work && waits_for[0] != '\0' ? waits_for : text_of(step, "description")));
    int pad = NAME_WIDTH - (int)text_width(name), room = v->cli->terminal.width - NAME_WIDTH - 16;
    str time = seconds >= 0 ? str_format(arena, "%.1f s", seconds) : STR_EMPTY;
    fprintf(stderr, "  %s%s%s %.*s%*s %8.*s  %s%.*s%s\033[K\n", style_on(color, style), sign, style_off(color, style),
            STR_ARG(name), pad > 0 ? pad : 0, "", STR_ARG(time), style_on(color, STYLE_FAINT),
            STR_ARG(text_fit(note, room > 0 ? (size_t)room : 0)), style_off(color, STYLE_FAINT));
    v->lines++;
}

static void
draw(struct view *v, const json_t *operation)
{
    size_t i;
    const json_t *step;
    bool color = v->cli->terminal.color_err;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(DRAWING_BYTES);
    if (arena == NULL)
        return;
    v->arena = arena;
    if (v->lines > 0)
        fprintf(stderr, "\033[%dA", v->lines);
    str title = text_harmless(arena, str_format(arena, "%s %s", text_of(operation, "kind"), subject_of(operation)));
    fprintf(stderr, "\r%s%.*s%s  %s\033[K\n", style_on(color, STYLE_BOLD), STR_ARG(title), style_off(color, STYLE_BOLD),
            text_of(operation, "state"));
    v->lines = 1;
    v->turn++;
    json_array_foreach(json_object_get(operation, "steps"), i, step) draw_step(v, step, text_of(operation, "waitsFor"));
    str bar = progress_bar(arena, percent_of(operation), BAR_WIDTH);
    fprintf(stderr, "  %.*s  %.0f s\033[K\n", STR_ARG(bar), (double)(clock_steady_ms() - v->began_ms) / 1000);
    v->lines++;
    fflush(stderr);
}

/* Without a terminal: a line when something changed. */
static void
say(struct view *v, const json_t *operation)
{
    const char *waits_for = text_of(operation, "waitsFor");
    str line = str_format(v->cli->arena, "%s %s: %s, %lld%%, %s%s%s", text_of(operation, "kind"), subject_of(operation),
                          text_of(operation, "state"), (long long)percent_of(operation),
                          text_of(operation, "currentStep"), waits_for[0] != '\0' ? ": " : "", waits_for);
    if (!str_eq(line, v->said_last))
        cli_note(v->cli, "%.*s", STR_ARG(line));
    v->said_last = line;
}

static void
show(struct view *v, const json_t *operation)
{
    if (v->cli->call.values[OPTION_QUIET] != NULL)
        return;
    if (v->cli->terminal.err)
        draw(v, operation);
    else
        say(v, operation);
}

/* ---- Waiting ---- */
static int
left_running(struct cli *cli, const json_t *operation, str target)
{
    /* /api/svc/v2/groups/PROJECT/operations/ID, /operator/v1/jobs/ID */
    bool for_operators = str_starts_with(target, STR(OPERATOR_PREFIX "/"));
    str rest = target, project = STR_EMPTY, id = STR_EMPTY;
    while (rest.len > 0) {
        str part = str_cut(&rest, '/');
        if (str_is(part, "groups"))
            project = str_cut(&rest, '/');
        else if (str_is(part, for_operators ? "jobs" : "operations"))
            id = str_cut(&rest, '/');
    }
    fprintf(stderr, "\n");
    cli_say(cli, "left it running (%s). Continue to wait with: reeve %s wait %.*s%s%.*s",
            operation != NULL ? text_of(operation, "state") : "unknown", for_operators ? "fleet jobs" : "operations",
            STR_ARG(id), for_operators ? "" : " --project ", STR_ARG(project));
    return EXIT_INTERRUPTED;
}

static int
ended(struct cli *cli, const json_t *operation)
{
    const char *state = text_of(operation, "state"), *failure = text_of(operation, "failure");
    if (strcmp(state, "DONE") == 0)
        return EXIT_SUCCESS;
    cli_say(cli, "%s: %s", state,
            failure[0] != '\0' ? text_harmless(cli->arena, str_from(failure)).data : "the operation was not done");
    return EXIT_NOT_DONE;
}

static bool
has_ended(const json_t *operation)
{
    const char *state = text_of(operation, "state");
    return strcmp(state, "DONE") == 0 || strcmp(state, "FAILED") == 0 || strcmp(state, "CANCELLED") == 0;
}

/* The sign turns while nothing is asked. */
static void
pause_drawing(struct view *v, const json_t *operation, int ms)
{
    bool moving = v->cli->terminal.err && v->cli->call.values[OPTION_QUIET] == NULL;
    for (int left = ms; left > 0 && !interrupted; left -= REDRAW_MS) {
        if (!client_pause(left < REDRAW_MS ? left : REDRAW_MS))
            break;
        if (moving)
            draw(v, operation);
    }
}

static int
wait_for(struct view *v, struct client *client, str target, struct answer *ret_last)
{
    struct cli *cli = v->cli;
    const json_t *operation = NULL;
    struct request_out request = { .method = "GET", .target = target, .accept = "application/json" };
    for (int looks = 0; !interrupted; looks++) {
        int status = client_send(client, &request, ret_last);
        if (interrupted)
            break;
        if (status != EXIT_SUCCESS)
            return status;
        if (ret_last->status != 200)
            return output_error(cli, ret_last);
        operation = json_in(cli->arena, json_loadb(ret_last->body.data, ret_last->body.len, 0, NULL));
        show(v, operation);
        if (has_ended(operation))
            return ended(cli, operation);
        pause_drawing(v, operation, (int)backoff_ms(pace, looks));
    }
    return left_running(cli, operation, target);
}

int
progress_wait(struct cli *cli, struct client *client, str target, struct answer *ret_last)
{
    struct view v = { .cli = cli, .began_ms = clock_steady_ms() };
    struct sigaction action = { .sa_handler = on_interrupt }, before;
    sigemptyset(&action.sa_mask);
    interrupted = 0;
    sigaction(SIGINT, &action, &before); /* no SA_RESTART: a pause ends at once */
    int status = wait_for(&v, client, target, ret_last);
    sigaction(SIGINT, &before, NULL);
    return status;
}

int
progress_show(struct cli *cli, str target)
{
    struct client *client CLEANUP(client_cleanup) = NULL;
    struct answer last;
    if (!output_check(cli) || (client = client_new(cli)) == NULL)
        return EXIT_USAGE;
    int status = progress_wait(cli, client, target, &last);
    if (status == EXIT_SUCCESS && !output_is_for_people(cli))
        return output_answer(cli, NULL, &last);
    return status;
}
