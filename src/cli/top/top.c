/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/top/top.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/date.h"
#include "base/json.h"
#include "cli/output/output.h"
#include "cli/output/screen.h"
#include "cli/profile.h"

enum { ROUND_BYTES = 256 * 1024 * 1024, FRAME_BYTES = 16 * 1024 * 1024, TICK_MS = 1000, MOST_ROWS = 20000 };

/* A run of a view. */
struct run {
    struct top top;
    struct client *client;
    struct round *round;
    struct arena *kept; /* of the round whose state is shown */
    bool is_asking, has_state;
    int64_t next_ms;  /* when the next round begins */
    int64_t whole_ms; /* when the last round was whole, since 1970 */
    int failures;     /* in a row */
    int retry_after_s;
    int exit_status;                 /* of a round that failed */
    char problem[TOP_PROBLEM_BYTES]; /* empty: it is live */
    size_t scroll;
};

/* ---- For views ---- */
static struct run *
run_of(struct top *top)
{
    return (struct run *)top; /* its first member */
}

void
top_ask(struct top *top, str target)
{
    if (top->ask_count < TOP_MOST_ASKS)
        top->asks[top->ask_count++] = (struct ask){ .target = target };
}

str
top_said(struct arena *arena, const struct answer *answer)
{
    json_t *document = json_in(arena, json_loadb(answer->body.data, answer->body.len, 0, NULL));
    str code = json_text_at(document, "errorCode"), detail = json_text_at(document, "detail");
    return str_format(arena, "%ld %.*s%s%.*s", answer->status, STR_ARG(code), detail.len > 0 ? ": " : "",
                      STR_ARG(detail));
}

static void
spoil(struct run *run, str why, int exit_status)
{
    snprintf(run->problem, sizeof(run->problem), "%.*s", STR_ARG(why));
    run->exit_status = exit_status;
}

json_t *
top_document(struct top *top, const struct ask *ask)
{
    json_t *document = ask->answer.status == 200
                           ? json_in(top->arena, json_loadb(ask->answer.body.data, ask->answer.body.len, 0, NULL))
                           : NULL;
    if (document == NULL)
        spoil(run_of(top), top_said(top->arena, &ask->answer), EXIT_REFUSED);
    return document;
}

static void
add_line(const struct page *page, str lines[TOP_HEAD_LINES], size_t *count, enum style style, str text)
{
    if (*count < TOP_HEAD_LINES)
        lines[(*count)++] = grid_line(page->arena, text, style, page->width, page->color);
}

void
page_head(struct page *page, enum style style, str text)
{
    add_line(page, page->head, &page->head_count, style, text);
}

void
page_foot(struct page *page, enum style style, str text)
{
    add_line(page, page->foot, &page->foot_count, style, text);
}

void
top_blame(struct verdict *verdict, bool holds, int weight, str what)
{
    if (holds && weight > verdict->weight)
        *verdict = (struct verdict){ weight, what };
}

/* A host without a problem has no text at all, and json_stringn() wants one: without it the whole host would be left out. */
json_t *
top_text(str text)
{
    return json_stringn(text.len > 0 ? text.data : "", text.len);
}

json_t *
top_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

/* ---- A round ---- */
static void
ask_stage(struct run *run)
{
    run->top.ask_count = 0;
    run->top.kind->ask(&run->top);
    round_begin(run->round, run->top.arena, run->top.asks, run->top.ask_count);
}

static bool
begin_round(struct run *run)
{
    run->top.arena = arena_new(ROUND_BYTES);
    if (run->top.arena == NULL)
        return false;
    run->top.stage = 0;
    run->is_asking = true;
    ask_stage(run);
    return true;
}

static void
end_round(struct run *run, bool is_whole)
{
    run->is_asking = false;
    if (is_whole) {
        run->top.kind->keep(&run->top);
        arena_free(run->kept);
        run->kept = run->top.arena;
        run->has_state = true;
        run->failures = 0;
        run->problem[0] = '\0';
        run->whole_ms = clock_now_ms();
        run->next_ms = clock_steady_ms() + run->top.kind->rest_ms(&run->top);
    } else {
        arena_free(run->top.arena);
        run->failures++;
        run->next_ms = clock_steady_ms() + client_delay_ms(run->failures, run->retry_after_s);
    }
    run->top.arena = NULL;
}

/* No answer at all, or one that asks to wait, spoils a round; what other answers mean is the view's. */
static bool
is_answered(struct run *run)
{
    run->retry_after_s = 0;
    for (size_t i = 0; i < run->top.ask_count; i++) {
        const struct ask *ask = &run->top.asks[i];
        if (ask->problem.len > 0) {
            spoil(run,
                  str_format(run->top.arena, "no answer from %s: %.*s", run->top.cli->profile->server,
                             STR_ARG(ask->problem)),
                  EXIT_NO_ANSWER);
            return false;
        }
        if (ask->answer.status == 429) {
            run->retry_after_s = ask->answer.retry_after_s;
            spoil(run, top_said(run->top.arena, &ask->answer), EXIT_REFUSED);
            return false;
        }
    }
    return true;
}

/* A stage after the other, until there is nothing more to ask. */
static void
go_on(struct run *run)
{
    while (run->is_asking && round_is_over(run->round)) {
        if (run->top.ask_count == 0) {
            end_round(run, true);
        } else if (!is_answered(run) || !run->top.kind->take(&run->top)) {
            end_round(run, false);
        } else {
            run->top.stage++;
            ask_stage(run);
        }
    }
}

/* ---- A frame ---- */
static void
add_state(const struct run *run, struct page *page)
{
    struct arena *arena = page->arena;
    str now = date_now(arena), since = date_text(arena, run->whole_ms / 1000 * 1000);
    int64_t wait_s = (run->next_ms - clock_steady_ms() + 999) / 1000;
    if (run->problem[0] == '\0') {
        page_head(page, STYLE_FAINT,
                  str_format(arena, "%.*s  live, every %d s  sorted by %s (s: another, arrows: move, q: quit)",
                             STR_ARG(now), run->top.kind->rest_ms(&run->top) / 1000,
                             run->top.kind->sorts[run->top.sort]));
        return;
    }
    str lost = run->has_state ? str_format(arena, "not live since %.*s", STR_ARG(since)) : STR("nothing seen yet");
    page_head(page, STYLE_RED,
              run->is_asking || wait_s < 1
                  ? str_format(arena, "%.*s: %s; asking again", STR_ARG(lost), run->problem)
                  : str_format(arena, "%.*s: %s; again in %d s", STR_ARG(lost), run->problem, (int)wait_s));
}

static void
make_page(struct run *run, struct page *page, bool is_live)
{
    if (run->has_state)
        run->top.kind->draw(&run->top, page);
    else if (is_live && run->problem[0] == '\0')
        page_head(page, STYLE_FAINT, STR("asking …"));
    if (is_live && (run->has_state || run->problem[0] != '\0'))
        add_state(run, page);
}

/* The part of the rows that there is room for, with what is above and below always there. */
static void
draw(struct run *run, struct screen *screen)
{
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(FRAME_BYTES);
    struct page *page = arena == NULL ? NULL : ARENA_NEW(arena, struct page);
    str *lines = page == NULL ? NULL : ARENA_ARRAY(arena, str, (size_t)screen_height(screen) + 2 * TOP_HEAD_LINES + 2);
    size_t count = 0;
    if (lines == NULL)
        return;
    *page = (struct page){ .arena = arena, .width = screen_width(screen), .color = run->top.cli->terminal.color_out };
    make_page(run, page, true);
    size_t taken = page->head_count + page->foot_count + 2, height = (size_t)screen_height(screen);
    size_t room = height > taken ? height - taken : 1, rows = page->row_count > 0 ? page->row_count - 1 : 0;
    run->scroll = run->scroll + room > rows ? (rows > room ? rows - room : 0) : run->scroll;
    for (size_t i = 0; i < page->head_count; i++)
        lines[count++] = page->head[i];
    lines[count++] = STR_EMPTY;
    if (page->row_count > 0)
        lines[count++] = page->rows[0];
    for (size_t i = run->scroll; i < rows && i < run->scroll + room; i++)
        lines[count++] = page->rows[i + 1];
    for (size_t i = 0; i < page->foot_count; i++)
        lines[count++] = page->foot[i];
    screen_draw(screen, lines, count);
}

static int
print_frame(struct run *run)
{
    struct cli *cli = run->top.cli;
    struct page *page = ARENA_NEW(cli->arena, struct page);
    if (page == NULL)
        return EXIT_NO_ANSWER;
    *page = (struct page){ .arena = cli->arena, .width = cli->terminal.width, .color = cli->terminal.color_out };
    make_page(run, page, false);
    for (size_t i = 0; i < page->head_count; i++)
        printf("%.*s\n", STR_ARG(page->head[i]));
    printf("\n");
    for (size_t i = 0; i < page->row_count; i++)
        printf("%.*s\n", STR_ARG(page->rows[i]));
    for (size_t i = 0; i < page->foot_count; i++)
        printf("%.*s\n", STR_ARG(page->foot[i]));
    return EXIT_SUCCESS;
}

/* ---- Once ---- */
static int
print_document(struct run *run)
{
    struct cli *cli = run->top.cli;
    json_t *document = json_in(cli->arena, run->top.kind->document(&run->top));
    struct answer answer = { .status = 200, .body = document == NULL ? STR_EMPTY : json_text(cli->arena, document) };
    return output_answer(cli, NULL, &answer);
}

static int
run_once(struct run *run)
{
    struct cli *cli = run->top.cli;
    for (;;) {
        if (!begin_round(run))
            return EXIT_NO_ANSWER;
        while (run->is_asking) {
            round_wait(run->round, NULL, 0, TICK_MS);
            go_on(run);
        }
        if (run->has_state)
            break;
        bool is_worth_it = run->exit_status == EXIT_NO_ANSWER || run->retry_after_s > 0;
        int ms = client_delay_ms(run->failures, run->retry_after_s);
        if (!is_worth_it || run->failures > client_retries(run->client)) {
            cli_say(cli, "%s", text_harmless(cli->arena, str_from(run->problem)).data);
            return run->exit_status;
        }
        cli_note(cli, "%s: trying again in %.1f s", text_harmless(cli->arena, str_from(run->problem)).data,
                 ms / 1000.0);
        if (!client_pause(ms))
            return EXIT_INTERRUPTED;
    }
    bool is_document = cli->call.values[OPTION_OUTPUT] != NULL || cli->call.values[OPTION_QUERY] != NULL ||
                       cli->call.values[OPTION_SAVE] != NULL;
    return is_document ? print_document(run) : print_frame(run);
}

/* ---- Live ---- */
static void
press(struct run *run, enum key key, int height)
{
    size_t page = height > 10 ? (size_t)height - 8 : 2;
    switch (key) {
    case KEY_SORT:
        run->top.sort = run->top.kind->sorts[run->top.sort + 1] == NULL ? 0 : run->top.sort + 1;
        run->scroll = 0;
        break;
    case KEY_UP: run->scroll -= run->scroll > 0; break;
    case KEY_DOWN: run->scroll++; break; /* draw() keeps it in the list */
    case KEY_PAGE_UP: run->scroll -= run->scroll > page ? page : run->scroll; break;
    case KEY_PAGE_DOWN: run->scroll += page; break;
    case KEY_FIRST: run->scroll = 0; break;
    case KEY_LAST: run->scroll = MOST_ROWS; break;
    default: break;
    }
}

/* The signal that ended it; 0: q. */
static int
live(struct run *run, struct screen *screen)
{
    for (;;) {
        enum key key;
        int number = screen_signal(screen);
        if (number != 0)
            return number;
        while ((key = screen_key(screen)) != KEY_NONE) {
            if (key == KEY_QUIT)
                return 0;
            press(run, key, screen_height(screen));
        }
        if (!run->is_asking && clock_steady_ms() >= run->next_ms && !begin_round(run))
            return 0;
        go_on(run);
        draw(run, screen);
        int64_t left_ms = run->next_ms - clock_steady_ms();
        round_wait(run->round, screen_fds(screen), SCREEN_FDS,
                   run->is_asking || left_ms > TICK_MS ? TICK_MS
                   : left_ms < 0                       ? 0
                                                       : (int)left_ms);
        go_on(run);
    }
}

static int
run_live(struct run *run, struct screen *screen)
{
    run->top.cli->call.values[OPTION_QUIET] = "";     /* hints would be in the middle of the picture */
    run->top.cli->call.values[OPTION_VERBOSE] = NULL; /* and so would these */
    int number = live(run, screen);
    screen_close(screen);
    if (number == 0)
        return EXIT_SUCCESS;
    if (number != SIGINT) { /* whoever sent it sees that it did it */
        signal(number, SIG_DFL);
        raise(number);
    }
    return EXIT_INTERRUPTED;
}

static bool
is_for_live(const struct cli *cli)
{
    const char *const *values = cli->call.values, *term = cli->environment.term;
    bool is_document = values[OPTION_OUTPUT] != NULL || values[OPTION_QUERY] != NULL || values[OPTION_SAVE] != NULL;
    return !is_document && call_option(&cli->call, "once") == NULL && cli->terminal.out && cli->terminal.in &&
           term != NULL && strcmp(term, "dumb") != 0;
}

int
top_run(struct cli *cli, struct client *client, const struct top_kind *kind, void *view)
{
    struct round *round = round_new(client);
    struct run *run = ARENA_NEW(cli->arena, struct run);
    if (round == NULL || run == NULL) {
        cli_say(cli, "out of memory");
        round_free(round);
        return EXIT_NO_ANSWER;
    }
    *run = (struct run){ .top = { .cli = cli, .kind = kind, .view = view }, .client = client, .round = round };
    struct screen *screen = is_for_live(cli) ? screen_open() : NULL;
    int status = screen != NULL ? run_live(run, screen) : run_once(run);
    round_free(round); /* what is under way writes into the arena */
    arena_free(run->kept);
    arena_free(run->top.arena);
    return status;
}
