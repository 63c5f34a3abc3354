/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/program.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_SAID = 1024 };

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
start(const char *const *argv, int input, int output, pid_t *ret_child)
{
    static char *const environment[] = { "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8", NULL };
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
    int why = posix_spawn(ret_child, argv[0], &actions, NULL, (char *const *)(uintptr_t)argv, environment);
    posix_spawn_file_actions_destroy(&actions);
    return why;
}

static str
what_it_said(struct arena *arena, int output)
{
    char said[MOST_SAID];
    ssize_t length = pread(output, said, sizeof(said), 0);
    str text = str_trim((str){ said, length < 0 ? 0 : (size_t)length });
    return str_dup(arena, str_cut(&text, '\n'));
}

error
program_run(struct arena *arena, const char *const *argv, str input)
{
    int in = file_in_memory(input), out = file_in_memory(STR_EMPTY), status = -1;
    pid_t child;
    error why = OK;
    int failed = in < 0 || out < 0 ? errno : start(argv, in, out, &child);
    if (failed != 0) {
        why = problem(arena, "%s cannot be run: %s.", argv[0], strerror(failed));
    } else {
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            ;
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
            why = problem(arena, "%s failed: %s.", argv[0], what_it_said(arena, out).data);
    }
    if (in >= 0)
        close(in);
    if (out >= 0)
        close(out);
    return why;
}
