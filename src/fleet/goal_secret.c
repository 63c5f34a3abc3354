/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet/goal_secret.h"

#include "base/directory_password.h"
#include "base/log.h"

/*
 * As PostgreSQL writes it. No text of a tenant can look like that, because quotes inside of texts have a backslash in front; so a goal
 * of many megabytes need not be taken apart for it.
 */
#define MARK "\"bindPassword\": \"sealed:"

static str
open_one(struct fleet *fleet, struct arena *arena, str place)
{
    str resource_text = str_cut(&place, ':'), password;
    id resource;
    if (id_parse(resource_text, &resource) &&
        directory_password_open(arena, &fleet->directory_key, resource, place, &password))
        return password;
    log_line(LOG_ERROR, "goal_secret", "The password of a directory cannot be opened with this node's key.");
    return STR_EMPTY;
}

error
goal_open_secrets(struct fleet *fleet, struct arena *arena, str goal, str *ret_goal)
{
    const char *end = goal.data + goal.len, *from = goal.data;
    const char *mark = memmem(from, goal.len, MARK, strlen(MARK));
    if (mark == NULL) {
        *ret_goal = goal;
        return OK;
    }
    struct buf out = buf_in(arena, goal.len * 2 + 4096);
    for (; mark != NULL; mark = memmem(from, (size_t)(end - from), MARK, strlen(MARK))) {
        const char *value = mark + strlen(MARK), *quote = memchr(value, '"', (size_t)(end - value));
        if (quote == NULL)
            return fail(arena, INTERNAL_ERROR);
        buf_add(&out, (str){ from, (size_t)(mark - from) });
        buf_add_text(&out, "\"bindPassword\": ");
        buf_add_json(&out, open_one(fleet, arena, (str){ value, (size_t)(quote - value) }));
        from = quote + 1;
    }
    buf_add(&out, (str){ from, (size_t)(end - from) });
    *ret_goal = buf_str(&out);
    return ret_goal->len == 0 ? fail(arena, OVERLOADED) : OK;
}
