/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/program.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_SAID = 1024, LINES_BELOW = 3 };

/* Files in memory instead of pipes: neither side ever waits for the other. */
static int
file_in_memory(str content)
{
    int fd = memfd_create("reeve-agent", MFD_CLOEXEC);
    if (fd >= 0 && (write(fd, content.data, content.len) != (ssize_t)content.len || lseek(fd, 0, SEEK_SET) != 0)) {
        close(fd);
        return -1;
    }
    return fd;
}

static int
start(const char *const *argv, int input, int output, int complaints, pid_t *ret_child)
{
    static char *const environment[] = { "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8", NULL };
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, complaints, STDERR_FILENO);
    int why = posix_spawn(ret_child, argv[0], &actions, NULL, (char *const *)(uintptr_t)argv, environment);
    posix_spawn_file_actions_destroy(&actions);
    return why;
}

static str
everything_said(struct arena *arena, int output, size_t cap_bytes)
{
    struct stat status;
    size_t length = fstat(output, &status) != 0 ? 0 : (size_t)status.st_size;
    length = length < cap_bytes ? length : cap_bytes;
    char *said = arena_alloc(arena, length + 1);
    ssize_t got = said == NULL ? -1 : pread(output, said, length, 0);
    if (got < 0)
        return STR_EMPTY;
    said[got] = '\0';
    return (str){ said, (size_t)got };
}

/* "unable to find a valid repository:", below it "unable to load info file …:", and below that why. What was sent and answered, which follows, is for nobody. */
static str
with_lines_below(struct arena *arena, str line, str rest)
{
    for (int below = 0; below < LINES_BELOW && str_ends_with(line, STR(":")); below++) {
        str next = str_trim(str_cut(&rest, '\n'));
        if (next.len == 0 || str_starts_with(next, STR("***")))
            break;
        line = str_format(arena, "%.*s %.*s", STR_ARG(line), STR_ARG(next));
    }
    line.len -= str_ends_with(line, STR(":"));
    return str_dup(arena, line);
}

str
program_complaint(struct arena *arena, str said)
{
    str first = STR_EMPTY;
    while (said.len > 0) {
        str line = str_trim(str_cut(&said, '\n'));
        const char *marked = line.len == 0 ? NULL : memmem(line.data, line.len, "ERROR: ", strlen("ERROR: "));
        if (marked != NULL)
            return with_lines_below(arena, str_slice(line, (size_t)(marked - line.data), line.len), said);
        first = first.len == 0 ? line : first;
    }
    return str_dup(arena, first);
}

static error
run(struct arena *arena, const char *const *argv, str input, size_t cap_bytes, int *ret_status, str *ret_said)
{
    int in = file_in_memory(input), out = file_in_memory(STR_EMPTY), status = -1;
    pid_t child;
    int failed = in < 0 || out < 0 ? errno : start(argv, in, out, out, &child);
    if (failed == 0) {
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            ;
        *ret_said = everything_said(arena, out, cap_bytes);
        *ret_status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
    if (in >= 0)
        close(in);
    if (out >= 0)
        close(out);
    return failed == 0 ? OK : problem(arena, "%s cannot be run: %s.", argv[0], strerror(failed));
}

error
program_begin(struct arena *arena, const char *const *argv, int output, int complaints, pid_t *ret_child)
{
    int in = file_in_memory(STR_EMPTY), failed = in < 0 ? errno : start(argv, in, output, complaints, ret_child);
    if (in >= 0)
        close(in);
    return failed == 0 ? OK : problem(arena, "%s cannot be run: %s.", argv[0], strerror(failed));
}

error
program_ask(struct arena *arena, const char *const *argv, str input, size_t cap_bytes, str *ret_said)
{
    int status;
    TRY(run(arena, argv, input, cap_bytes, &status, ret_said));
    if (status < 0)
        return problem_of_moment(arena, "%s was ended by a signal before it was done.", argv[0]);
    return status == 0 ? OK : problem(arena, "%s failed: %s.", argv[0], program_complaint(arena, *ret_said).data);
}

error
program_try(struct arena *arena, const char *const *argv, size_t cap_bytes, int *ret_status, str *ret_said)
{
    return run(arena, argv, STR_EMPTY, cap_bytes, ret_status, ret_said);
}

error
program_run(struct arena *arena, const char *const *argv, str input)
{
    str ignored;
    return program_ask(arena, argv, input, MOST_SAID, &ignored);
}
