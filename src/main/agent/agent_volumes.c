/* SPDX-License-Identifier: Apache-2.0 */
#include "main/agent/agent_volumes.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "agent/volume/volume.h"
#include "main/commands.h"

enum { VOLUMES_ARENA_BYTES = 16 * 1024 * 1024, MB_BYTES = 1 << 20 };

static const char *const kind_sentences[VOLUMES_KINDS] = {
    [VOLUMES_NONE] = "New members live in plain folders: nothing bounds how much of the host's disk they take.",
    [VOLUMES_FULL] =
        "New members get disks of the size that their cluster says, and the space is theirs from the start.",
    [VOLUMES_THIN] =
        "New members get disks of the size that their cluster says, which take of the host what is written to them.",
};

static int
say(error why)
{
    fprintf(stderr, "reeve-agent volumes: %.*s\n", STR_ARG(why->detail));
    return EXIT_FAILURE;
}

static void
print_member(struct arena *arena, const char *name)
{
    struct volume_space spaces[VOLUME_PARTS];
    id member;
    if (!id_parse(str_from(name), &member))
        return;
    volume_spaces(arena, member, spaces);
    printf("  %s", name);
    for (int i = 0; i < VOLUME_PARTS; i++) {
        const char *what = i == VOLUME_DATA ? "data" : "WAL";
        if (spaces[i].size_bytes == 0)
            printf("  %s: not mounted", what);
        else
            printf("  %s: %lld of %lld MB used (%lld %%)", what, (long long)(spaces[i].used_bytes / MB_BYTES),
                   (long long)(spaces[i].size_bytes / MB_BYTES), (long long)volume_percent(&spaces[i]));
    }
    putchar('\n');
}

static void
print_members(struct arena *arena)
{
    DIR *all = opendir(VOLUMES_FOLDER);
    for (const struct dirent *one = all == NULL ? NULL : readdir(all); one != NULL; one = readdir(all))
        print_member(arena, one->d_name);
    if (all != NULL)
        closedir(all);
}

int
command_volumes(int argc, char **argv)
{
    struct option_value options[] = {
        { "--state-dir", "Folder for the key, the certificate and the goal.", .value = STATE_FOLDER },
    };
    const char *word = NULL;
    int status;
    if (!read_options(argc, argv, "volumes [none|full|thin]", options, LENGTH(options), &word, &status))
        return status;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(VOLUMES_ARENA_BYTES);
    if (arena == NULL)
        return EXIT_FAILURE;
    struct state state = state_in(arena, str_from(options[0].value));
    if (word != NULL) {
        int kind = str_word(str_from(word), volume_kind_words);
        if (kind < 0) {
            fprintf(stderr, "reeve-agent volumes: %s is none of none, full and thin.\n", word);
            return 2;
        }
        error why = volume_kind_set(arena, &state, (enum volume_kind)kind);
        if (why != OK)
            return say(why);
    }
    enum volume_kind now = volume_kind_of_host(arena, &state);
    printf("%s: %s\n", volume_kind_words[now], kind_sentences[now]);
    if (word != NULL)
        printf(
            "Members that are here already keep what they have. The agent tells the control plane how much room there is when it starts "
            "again: systemctl restart reeve-agent\n");
    print_members(arena);
    return EXIT_SUCCESS;
}
