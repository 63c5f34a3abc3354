/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet/goal_secret.h"

#include "base/crypto/directory_password.h"
#include "base/crypto/etcd_password.h"
#include "base/log.h"

static bool
open_directory(struct fleet *fleet, struct arena *arena, id owner, str sealed, str *ret_password)
{
    return directory_password_open(arena, &fleet->directory_key, owner, sealed, ret_password);
}

static bool
open_etcd(struct fleet *fleet, struct arena *arena, id owner, str sealed, str *ret_password)
{
    char *bytes = ARENA_ARRAY(arena, char, sealed.len / 2 + 1);
    return bytes != NULL && str_from_hex(sealed, bytes, sealed.len / 2) &&
           etcd_password_of_cluster_open(arena, &fleet->etcd_key, owner, (str){ bytes, sealed.len / 2 }, ret_password);
}

/*
 * As PostgreSQL writes them: the one in a document that is stored, the other made by a function. No text of a tenant can look like that,
 * because quotes inside of texts have a backslash in front; so a goal of many megabytes need not be taken apart for it.
 */
static const struct {
    const char *mark, *field, *what;
    bool (*open)(struct fleet *fleet, struct arena *arena, id owner, str sealed, str *ret_password);
} secrets[] = {
    { "\"bindPassword\": \"sealed:", "\"bindPassword\": ", "a directory", open_directory },
    { "\"etcdPassword\":\"sealed:", "\"etcdPassword\":", "a cluster's user of etcd", open_etcd },
};

static str
open_one(struct fleet *fleet, struct arena *arena, size_t kind, str place)
{
    str owner_text = str_cut(&place, ':'), password;
    id owner;
    if (id_parse(owner_text, &owner) && secrets[kind].open(fleet, arena, owner, place, &password))
        return password;
    log_line(LOG_ERROR, "goal_secret", "The password of %s cannot be opened with this node's key.", secrets[kind].what);
    return STR_EMPTY;
}

static error
open_kind(struct fleet *fleet, struct arena *arena, size_t kind, str goal, str *ret_goal)
{
    size_t length = strlen(secrets[kind].mark);
    const char *end = goal.data + goal.len, *from = goal.data;
    const char *mark = memmem(from, goal.len, secrets[kind].mark, length);
    if (mark == NULL) {
        *ret_goal = goal;
        return OK;
    }
    struct buf out = buf_in(arena, goal.len * 2 + 4096);
    for (; mark != NULL; mark = memmem(from, (size_t)(end - from), secrets[kind].mark, length)) {
        const char *value = mark + length, *quote = memchr(value, '"', (size_t)(end - value));
        if (quote == NULL)
            return fail(arena, INTERNAL_ERROR);
        buf_add(&out, (str){ from, (size_t)(mark - from) });
        buf_add_text(&out, secrets[kind].field);
        buf_add_json(&out, open_one(fleet, arena, kind, (str){ value, (size_t)(quote - value) }));
        from = quote + 1;
    }
    buf_add(&out, (str){ from, (size_t)(end - from) });
    *ret_goal = buf_str(&out);
    return ret_goal->len == 0 ? fail(arena, OVERLOADED) : OK;
}

error
goal_open_secrets(struct fleet *fleet, struct arena *arena, str goal, str *ret_goal)
{
    *ret_goal = goal;
    for (size_t i = 0; i < LENGTH(secrets); i++)
        TRY(open_kind(fleet, arena, i, *ret_goal, ret_goal));
    return OK;
}
