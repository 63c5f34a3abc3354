/* SPDX-License-Identifier: Apache-2.0 */
/* Whether this host has what members need, found out by asking the programs themselves. */
#include <errno.h>
#include <glob.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "engine/postgres/extension/extension.h"
#include "engine/postgres/postgres.h"
#include "wire/patroni.h"
#include "wire/pgbackrest.h"

enum { OUTPUT_BYTES = 4096, MOST_VERSIONS = 16, ANSWER_MS = 15000, PATRONI_ANSWER_MS = 30000 };

#define SERVERS "/usr/lib/postgresql/*/bin/postgres"

/* False at the end, or when the time is over. */
static bool
read_more(int from, char *output, size_t size, size_t *length, int64_t until_ms)
{
    struct pollfd wait = { .fd = from, .events = POLLIN };
    int64_t left = until_ms - clock_steady_ms();
    if (*length >= size || left <= 0 || poll(&wait, 1, (int)left) <= 0)
        return false;
    ssize_t got = read(from, output + *length, size - *length);
    *length += got > 0 ? (size_t)got : 0;
    return got > 0;
}

/* The first line that a program prints; empty when it cannot be run. One that hangs is ended: others wait for this thread. */
static str
ask_program(struct arena *arena, const char *program, const char *argument, int64_t answer_ms)
{
    char *const argv[] = { (char *)(uintptr_t)program, (char *)(uintptr_t)argument, NULL };
    char *const env[] = { "PATH=/usr/bin:/bin", "LANG=C.UTF-8", NULL };
    int ends[2];
    pid_t child;
    posix_spawn_file_actions_t actions;
    if (pipe(ends) != 0)
        return STR_EMPTY;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    int why = posix_spawn(&child, program, &actions, NULL, argv, env);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    char output[OUTPUT_BYTES];
    size_t length = 0;
    int64_t until_ms = clock_steady_ms() + answer_ms;
    while (why == 0 && read_more(ends[0], output, sizeof(output), &length, until_ms))
        ;
    close(ends[0]);
    if (why == 0) {
        if (clock_steady_ms() >= until_ms)
            kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
    str rest = { output, length };
    return str_dup(arena, str_cut(&rest, '\n'));
}

/* "4.0.7" of "patroni 4.0.7"; "17.6" of "postgres (PostgreSQL) 17.6 (Debian …)". */
static str
version_in(struct arena *arena, str line)
{
    while (line.len > 0) {
        str word = str_cut(&line, ' ');
        if (word.len > 0 && word.data[0] >= '0' && word.data[0] <= '9')
            return str_dup(arena, word);
    }
    return STR_EMPTY;
}

uint64_t
postgres_programs_mark(void)
{
    glob_t found;
    uint64_t mark = 1469598103934665603u; /* FNV-1a */
    if (glob(SERVERS, 0, NULL, &found) != 0)
        return mark;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct stat status;
        if (stat(found.gl_pathv[i], &status) != 0)
            continue;
        const uint64_t parts[] = { status.st_dev,
                                   status.st_ino,
                                   (uint64_t)status.st_size,
                                   (uint64_t)status.st_mtim.tv_sec,
                                   (uint64_t)status.st_mtim.tv_nsec,
                                   (uint64_t)status.st_ctim.tv_sec,
                                   (uint64_t)status.st_ctim.tv_nsec };
        for (size_t part = 0; part < LENGTH(parts); part++)
            mark = (mark ^ parts[part]) * 1099511628211u;
    }
    globfree(&found);
    return mark;
}

struct wire_texts
postgres_installed_versions(struct arena *arena)
{
    struct wire_texts versions = { .items = ARENA_ARRAY(arena, str, MOST_VERSIONS) };
    glob_t found;
    if (versions.items == NULL || glob(SERVERS, 0, NULL, &found) != 0)
        return versions;
    for (size_t i = 0; i < found.gl_pathc && versions.count < MOST_VERSIONS; i++) {
        str version = version_in(arena, ask_program(arena, found.gl_pathv[i], "--version", ANSWER_MS));
        if (version.len > 0)
            versions.items[versions.count++] = version;
    }
    globfree(&found);
    return versions;
}

error
postgres_look_at_host(struct arena *arena, struct report_facts *facts)
{
    /* Python, and all of Patroni's modules: seconds on a host that is busy, and a host that seems to have none cannot join. */
    facts->patroni_version = version_in(arena, ask_program(arena, "/usr/bin/patroni", "--version", PATRONI_ANSWER_MS));
    facts->postgres_versions = postgres_installed_versions(arena);
    facts->extensions = extensions_of_host(arena, &facts->postgres_versions);
    facts->pgbackrest_version = version_in(arena, ask_program(arena, "/usr/bin/pgbackrest", "version", ANSWER_MS));
    /* That is enough for a host that keeps backups. It gets members only if it said that it has Patroni (fleet/join.c). */
    if (facts->patroni_version.len == 0 && pgbackrest_is_new_enough(facts->pgbackrest_version))
        return OK;
    if (facts->patroni_version.len == 0)
        return problem(arena, "Patroni is not installed: /usr/bin/patroni --version says nothing.");
    if (!patroni_is_new_enough(facts->patroni_version))
        return problem(arena, "Patroni %s may lose acknowledged writes; " PATRONI_LEAST " or newer is needed.",
                       facts->patroni_version.data);
    if (facts->postgres_versions.count == 0)
        return problem(arena, "No PostgreSQL server is installed under /usr/lib/postgresql.");
    return OK;
}
