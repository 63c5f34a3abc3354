/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/database/programs.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { PIECE_BYTES = 64 * 1024, LINE_BYTES = 4096 };

/* Ends of a pipe for a child's standard input or output; -1: what we have, or nothing for the output. */
static pid_t
start(const char *const *arguments, int in, int out)
{
    posix_spawn_file_actions_t actions;
    pid_t child;
    posix_spawn_file_actions_init(&actions);
    if (in >= 0)
        posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
    if (out >= 0)
        posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    else
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    /* A program that is told to stop writing must be able to die of it, whatever we do with that signal. */
    posix_spawnattr_t attributes;
    sigset_t usual;
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    sigaddset(&usual, SIGINT);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    int why = posix_spawnp(&child, arguments[0], &actions, &attributes, (char *const *)(uintptr_t)arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return why == 0 ? child : -1;
}

static bool
ended_well(pid_t child)
{
    int status = -1;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* False: the other side takes no more. */
static bool
write_all(int to, const char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t written = write(to, bytes, count);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        bytes += written;
        count -= (size_t)written;
    }
    return true;
}

static ssize_t
read_piece(int from, char *bytes, size_t size)
{
    ssize_t got;
    while ((got = read(from, bytes, size)) < 0 && errno == EINTR)
        ;
    return got;
}

bool
program_ask(struct arena *arena, const char *const *arguments, str *ret_line)
{
    char text[LINE_BYTES];
    size_t length = 0;
    ssize_t got;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    pid_t child = start(arguments, -1, ends[1]);
    close(ends[1]);
    while (length < sizeof(text) && (got = read_piece(ends[0], text + length, sizeof(text) - length)) > 0)
        length += (size_t)got;
    close(ends[0]);
    str rest = { text, length };
    *ret_line = str_dup(arena, str_cut(&rest, '\n'));
    return ended_well(child);
}

/* ---- Copying ---- */
/* What the reader prints, and nothing behind it that would make it last. */
static bool
pump(int from, int to, int64_t *ret_bytes)
{
    char piece[PIECE_BYTES];
    ssize_t got;
    bool good = write_all(to, "BEGIN;\n", strlen("BEGIN;\n"));
    *ret_bytes = 0;
    while (good && (got = read_piece(from, piece, sizeof(piece))) > 0) {
        good = write_all(to, piece, (size_t)got);
        *ret_bytes += got;
    }
    return good;
}

static enum copied
copy(const char *const *reader, const char *const *writer, int64_t *ret_bytes)
{
    int read_ends[2], write_ends[2];
    if (pipe2(read_ends, O_CLOEXEC) != 0)
        return NOT_READ;
    if (pipe2(write_ends, O_CLOEXEC) != 0) {
        close(read_ends[0]);
        close(read_ends[1]);
        return NOT_WRITTEN;
    }
    pid_t reading = start(reader, -1, read_ends[1]), writing = start(writer, write_ends[0], -1);
    close(read_ends[1]);
    close(write_ends[0]);
    bool is_taken = pump(read_ends[0], write_ends[1], ret_bytes);
    close(read_ends[0]); /* a reader that is not listened to any more ends by itself */
    bool is_read = ended_well(reading);
    if (is_taken && is_read)
        is_taken = write_all(write_ends[1], "\nCOMMIT;\n", strlen("\nCOMMIT;\n"));
    close(write_ends[1]);
    bool is_written = ended_well(writing);
    if (is_taken && !is_read)
        return NOT_READ;
    return is_taken && is_written ? COPIED : NOT_WRITTEN;
}

enum copied
program_copy(const char *const *reader, const char *const *writer, int64_t *ret_bytes)
{
    struct sigaction ignored = { .sa_handler = SIG_IGN }, pipe_before, interrupt_before;
    sigemptyset(&ignored.sa_mask);
    sigaction(SIGPIPE, &ignored, &pipe_before);
    sigaction(SIGINT, &ignored, &interrupt_before);
    enum copied copied = copy(reader, writer, ret_bytes);
    sigaction(SIGPIPE, &pipe_before, NULL);
    sigaction(SIGINT, &interrupt_before, NULL);
    return copied;
}
