/* SPDX-License-Identifier: Apache-2.0 */
/* Whether this host has what members need, found out by asking the programs themselves. */
#include <errno.h>
#include <glob.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/postgres/extension/extension.h"
#include "engine/postgres/postgres.h"
#include "wire/patroni.h"
#include "wire/pgbackrest.h"

enum { OUTPUT_BYTES = 4096, MOST_VERSIONS = 16 };

/* The first line that a program prints; empty when it cannot be run. */
static str
ask_program(struct arena *arena, const char *program, const char *argument)
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
    ssize_t got;
    while (why == 0 && length < sizeof(output) && (got = read(ends[0], output + length, sizeof(output) - length)) > 0)
        length += (size_t)got;
    close(ends[0]);
    if (why == 0)
        waitpid(child, NULL, 0);
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

static struct wire_texts
postgres_versions(struct arena *arena)
{
    struct wire_texts versions = { .items = ARENA_ARRAY(arena, str, MOST_VERSIONS) };
    glob_t found;
    if (versions.items == NULL || glob("/usr/lib/postgresql/*/bin/postgres", 0, NULL, &found) != 0)
        return versions;
    for (size_t i = 0; i < found.gl_pathc && versions.count < MOST_VERSIONS; i++) {
        str version = version_in(arena, ask_program(arena, found.gl_pathv[i], "--version"));
        if (version.len > 0)
            versions.items[versions.count++] = version;
    }
    globfree(&found);
    return versions;
}

error
postgres_look_at_host(struct arena *arena, struct report_facts *facts)
{
    facts->patroni_version = version_in(arena, ask_program(arena, "/usr/bin/patroni", "--version"));
    facts->postgres_versions = postgres_versions(arena);
    facts->extensions = extensions_of_host(arena, &facts->postgres_versions);
    facts->pgbackrest_version = version_in(arena, ask_program(arena, "/usr/bin/pgbackrest", "version"));
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
