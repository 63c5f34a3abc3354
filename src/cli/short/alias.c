/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/short/alias.h"

#include "cli/command.h"

const struct alias aliases[] = {
    { "psql", "connect", NULL },
    { "whoami", "status", NULL },
    { "clusters pause", "clusters update", "--paused" },
    { "clusters resume", "clusters update", "--no-paused" },
    { "clusters scale", "clusters update", NULL },
    { "clusters resize", "clusters update", NULL },
    { "clusters connect", "connect", NULL },
    { "clusters logs", "logs", NULL },
    { "tables restore", "restore table", NULL },
    { "backups restore-table", "restore table", NULL },
    { "events watch", "events follow", NULL },
    /* Words of `reeved fleet` before both had the same. */
    { "fleet host", "fleet hosts", NULL },
    { "fleet cluster", "fleet clusters", NULL },
    { "fleet job", "fleet jobs", NULL },
    { "fleet provider", "fleet providers", NULL },
    { "fleet region", "fleet regions", NULL },
    { "fleet size", "fleet sizes", NULL },
    { "fleet address", "fleet addresses", NULL },
    { "fleet etcd", "fleet etcd-groups", NULL },
    { "fleet store", "fleet object-stores", NULL },
    { "fleet token create", "fleet tokens create", NULL },
    { "fleet token", "fleet tokens create", NULL },
    { "fleet own-backup", "fleet own-backups list", NULL },
    { NULL, NULL, NULL },
};

/* Verbs that mean the same, in every family. */
static const char *const verbs[][2] = {
    { "show", "get" },   { "describe", "get" }, { "ls", "list" },     { "rm", "delete" },  { "remove", "delete" },
    { "add", "create" }, { "new", "create" },   { "edit", "update" }, { "set", "update" }, { "modify", "update" },
};
/* Where the same is in projects and in organizations, a project is meant unless something else is said. */
static const char *const scopes[] = { "project", "org" };

static size_t
count_words(const char *const *words, size_t count, const char *text)
{
    size_t n = 0;
    str rest = str_from(text);
    for (; rest.len > 0; n++) {
        if (n == count || !str_is(str_cut(&rest, ' '), words[n]))
            return 0;
    }
    return n;
}

/* Puts the words of `meant` in the place of the first `typed`. */
static size_t
replace(struct arena *arena, const char **words, size_t *count, size_t most, size_t typed, const char *meant)
{
    const char *behind[64];
    size_t rest = *count - typed, n = 0;
    if (rest > LENGTH(behind))
        return 0;
    memcpy(behind, words + typed, rest * sizeof(*behind));
    str text = str_from(meant);
    while (text.len > 0 && n < most)
        words[n++] = str_dup(arena, str_cut(&text, ' ')).data;
    for (size_t i = 0; i < rest && n + i < most; i++)
        words[n + i] = behind[i];
    *count = n + rest < most ? n + rest : most;
    return n;
}

/* "teams describe" as "teams project get": the family, perhaps a scope, and a verb that is known. NULL: there is none. */
static const char *
with_known_verb(struct arena *arena, const char *const *words)
{
    const char *verb = words[1];
    const struct command_family *family = command_family_find(words[0]);
    for (size_t i = 0; i < LENGTH(verbs); i++) {
        if (strcmp(verb, verbs[i][0]) == 0)
            verb = verbs[i][1];
    }
    for (size_t s = 0; family != NULL && s <= LENGTH(scopes); s++) {
        str text = s == 0 ? str_from(verb) : str_format(arena, "%s %s", scopes[s - 1], verb);
        for (uint32_t i = 0; i < family->count; i++) {
            if (str_is(text, TEXT_AT(commands[family->at + i].words)))
                return str_format(arena, "%s %.*s", words[0], STR_ARG(text)).data;
        }
    }
    return NULL;
}

void
alias_expand(struct arena *arena, const char **words, size_t *count, size_t most, size_t *ret_typed, size_t *ret_meant,
             const char **ret_flag)
{
    *ret_typed = *ret_meant = 0;
    *ret_flag = NULL;
    for (const struct alias *alias = aliases; alias->typed != NULL && *ret_typed == 0; alias++) {
        *ret_typed = count_words(words, *count, alias->typed);
        if (*ret_typed > 0) {
            *ret_meant = replace(arena, words, count, most, *ret_typed, alias->meant);
            *ret_flag = alias->flag;
        }
    }
    const char *meant =
        *ret_typed == 0 && *count >= 2 && command_match(words, *count).used < 2 ? with_known_verb(arena, words) : NULL;
    if (meant != NULL) {
        *ret_typed = 2;
        *ret_meant = replace(arena, words, count, most, 2, meant);
    }
}
