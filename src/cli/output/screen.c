/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/output/screen.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

/* The other screen, no cursor, no line that goes on in the next; and back. */
#define ENTER "\033[?1049h\033[?25l\033[?7l\033[2J"
#define LEAVE "\033[?7h\033[?25h\033[0m\033[?1049l"

enum { MOST_LINES = 1000, DRAWING_BYTES = 4 * 1024 * 1024, USUAL_WIDTH = 80, USUAL_HEIGHT = 24, KEY_BYTES = 64 };

enum { KEYS, SIGNALS };

struct screen {
    struct termios before;
    sigset_t mask_before;
    int fds[SCREEN_FDS];
    int width, height;
    struct arena *shown; /* the lines that the terminal has */
    str lines[MOST_LINES];
    size_t count;
    unsigned char typed[KEY_BYTES];
    size_t typed_count, typed_at;
};

/* ---- The terminal, before and after ---- */
static const int ending[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
static const int crashes[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };

/* For a crash, which has no other way to find it. */
static struct termios terminal_before;
static struct sigaction crash_before[LENGTH(crashes)];

static void
write_all(const char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t done = write(STDOUT_FILENO, bytes, count);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return;
        bytes += done;
        count -= (size_t)done;
    }
}

/* Only what may be done in a handler. Whoever was there before deals with the rest. */
static void
on_crash(int number)
{
    write_all(LEAVE, sizeof(LEAVE) - 1);
    tcsetattr(STDIN_FILENO, TCSANOW, &terminal_before);
    for (size_t i = 0; i < LENGTH(crashes); i++)
        sigaction(crashes[i], &crash_before[i], NULL);
    raise(number); /* comes when this has returned */
}

static void
enter(struct screen *screen)
{
    struct termios raw = screen->before;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO); /* not ISIG: Ctrl-C stays a signal */
    raw.c_cc[VMIN] = 0;
    raw.c_cc[VTIME] = 0;
    tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    write_all(ENTER, sizeof(ENTER) - 1);
    screen->count = 0;
}

static void
leave(const struct screen *screen)
{
    write_all(LEAVE, sizeof(LEAVE) - 1);
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &screen->before);
}

static void
look_at_size(struct screen *screen)
{
    struct winsize size;
    bool is_known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0;
    screen->width = is_known ? size.ws_col : USUAL_WIDTH;
    screen->height = !is_known ? USUAL_HEIGHT : size.ws_row < MOST_LINES ? size.ws_row : MOST_LINES;
}

static void
catch_crashes(const struct screen *screen)
{
    struct sigaction action = { .sa_handler = on_crash };
    sigemptyset(&action.sa_mask);
    terminal_before = screen->before;
    for (size_t i = 0; i < LENGTH(crashes); i++)
        sigaction(crashes[i], &action, &crash_before[i]);
}

struct screen *
screen_open(void)
{
    sigset_t wanted;
    struct screen *screen = calloc(1, sizeof(*screen));
    if (screen == NULL || !isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) ||
        tcgetattr(STDIN_FILENO, &screen->before) != 0) {
        free(screen);
        return NULL;
    }
    sigemptyset(&wanted);
    for (size_t i = 0; i < LENGTH(ending); i++)
        sigaddset(&wanted, ending[i]);
    sigaddset(&wanted, SIGWINCH);
    sigaddset(&wanted, SIGTSTP);
    sigprocmask(SIG_BLOCK, &wanted, &screen->mask_before);
    screen->fds[KEYS] = STDIN_FILENO;
    screen->fds[SIGNALS] = signalfd(-1, &wanted, SFD_NONBLOCK | SFD_CLOEXEC);
    if (screen->fds[SIGNALS] < 0) {
        sigprocmask(SIG_SETMASK, &screen->mask_before, NULL);
        free(screen);
        return NULL;
    }
    look_at_size(screen);
    catch_crashes(screen);
    enter(screen);
    return screen;
}

void
screen_close(struct screen *screen)
{
    if (screen == NULL)
        return;
    leave(screen);
    for (size_t i = 0; i < LENGTH(crashes); i++)
        sigaction(crashes[i], &crash_before[i], NULL);
    close(screen->fds[SIGNALS]);
    sigprocmask(SIG_SETMASK, &screen->mask_before, NULL);
    arena_free(screen->shown);
    free(screen);
}

int
screen_width(const struct screen *screen)
{
    return screen->width;
}

int
screen_height(const struct screen *screen)
{
    return screen->height;
}

const int *
screen_fds(const struct screen *screen)
{
    return screen->fds;
}

/* ---- Drawing ---- */
void
screen_draw(struct screen *screen, const str *lines, size_t count)
{
    struct arena *arena = arena_new(2 * DRAWING_BYTES);
    if (arena == NULL)
        return;
    struct buf out = buf_in(arena, DRAWING_BYTES);
    if (count > (size_t)screen->height)
        count = (size_t)screen->height;
    for (size_t i = 0; i < count || i < screen->count; i++) {
        str line = i < count ? lines[i] : STR_EMPTY;
        if (i < screen->count && str_eq(screen->lines[i], line))
            continue;
        buf_format(&out, "\033[%zu;1H%.*s\033[0m\033[K", i + 1, STR_ARG(line));
    }
    str drawing = buf_str(&out);
    write_all(drawing.data, drawing.len);
    for (size_t i = 0; i < count; i++)
        screen->lines[i] = str_dup(arena, lines[i]);
    screen->count = count;
    arena_free(screen->shown);
    screen->shown = arena;
}

/* ---- Keys ---- */
static const struct {
    const char *bytes;
    enum key key;
} keys[] = {
    { "\033[A", KEY_UP },    { "\033[B", KEY_DOWN },     { "\033OA", KEY_UP },
    { "\033OB", KEY_DOWN },  { "\033[5~", KEY_PAGE_UP }, { "\033[6~", KEY_PAGE_DOWN },
    { "\033[H", KEY_FIRST }, { "\033[F", KEY_LAST },     { "k", KEY_UP },
    { "j", KEY_DOWN },       { "g", KEY_FIRST },         { "G", KEY_LAST },
    { " ", KEY_PAGE_DOWN },  { "b", KEY_PAGE_UP },       { "s", KEY_SORT },
    { "q", KEY_QUIT },       { "Q", KEY_QUIT },          { "\004", KEY_QUIT },
};

enum key
screen_key(struct screen *screen)
{
    if (screen->typed_at >= screen->typed_count) {
        ssize_t count = read(STDIN_FILENO, screen->typed, sizeof(screen->typed));
        screen->typed_at = 0;
        screen->typed_count = count > 0 ? (size_t)count : 0;
    }
    while (screen->typed_at < screen->typed_count) {
        str rest = { (const char *)screen->typed + screen->typed_at, screen->typed_count - screen->typed_at };
        for (size_t i = 0; i < LENGTH(keys); i++) {
            if (str_starts_with(rest, str_from(keys[i].bytes))) {
                screen->typed_at += strlen(keys[i].bytes);
                return keys[i].key;
            }
        }
        screen->typed_at++;
    }
    return KEY_NONE;
}

/* ---- Signals ---- */
/* Ctrl-Z: the shell gets its terminal back, and everything is drawn anew when it goes on. */
static void
stop_for_a_while(struct screen *screen)
{
    leave(screen);
    raise(SIGSTOP);
    look_at_size(screen);
    enter(screen);
}

int
screen_signal(struct screen *screen)
{
    struct signalfd_siginfo info;
    while (read(screen->fds[SIGNALS], &info, sizeof(info)) == (ssize_t)sizeof(info)) {
        if (info.ssi_signo == SIGWINCH) {
            look_at_size(screen);
            write_all("\033[2J", sizeof("\033[2J") - 1);
            screen->count = 0;
        } else if (info.ssi_signo == SIGTSTP) {
            stop_for_a_while(screen);
        } else {
            return (int)info.ssi_signo;
        }
    }
    return 0;
}
