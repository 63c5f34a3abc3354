/* SPDX-License-Identifier: Apache-2.0 */
#include "job/access/directory.h"

#include <sys/time.h>

#include "job/access/directory_link.h"

enum { QUERY_PARTS = 4 };

/* ---- The query ---- */
struct lookup {
    str base, attributes, scope, filter;
};

static str
with_user(struct arena *arena, str template, str user, bool is_filter)
{
    static const str mark = { "{USER}", 6 };
    struct buf out = buf_in(arena, 64 * 1024);
    for (size_t i = 0; i < template.len;) {
        if (!str_starts_with(str_slice(template, i, template.len), mark)) {
            buf_add_char(&out, template.data[i++]);
            continue;
        }
        if (is_filter)
            directory_filter_add(&out, user);
        else
            buf_add(&out, user);
        i += mark.len;
    }
    return out.len == 0 ? STR_EMPTY : buf_str(&out);
}

static bool
parse_query(struct arena *arena, const struct directory_question *question, struct lookup *ret_lookup, int *ret_scope)
{
    str rest = question->query, parts[QUERY_PARTS] = { STR_EMPTY, STR_EMPTY, STR_EMPTY, STR_EMPTY };
    for (size_t i = 0; i < QUERY_PARTS && rest.len > 0; i++)
        parts[i] = str_cut(&rest, '?');
    if (rest.len > 0 || parts[0].len == 0)
        return false;
    *ret_scope = str_is(parts[2], "sub")                         ? LDAP_SCOPE_SUBTREE
                 : str_is(parts[2], "one")                       ? LDAP_SCOPE_ONELEVEL
                 : parts[2].len == 0 || str_is(parts[2], "base") ? LDAP_SCOPE_BASE
                                                                 : -1;
    *ret_lookup = (struct lookup){
        .base = with_user(arena, parts[0], question->bind_name, false),
        .attributes = str_dup(arena, parts[1]),
        .filter = parts[3].len == 0 ? STR("(objectClass=*)") : with_user(arena, parts[3], question->bind_name, true),
    };
    return *ret_scope >= 0;
}

/* ---- The checks, one after the other ---- */
struct conversation {
    struct arena *arena;
    const struct directory_question *question;
    struct directory_answer *answer;
    struct directory_link link;
};

/* Whether the next check went well; the first that did not is the last. */
static bool
note(struct conversation *talk, enum directory_check check, int result, const char *what)
{
    talk->answer->done = check + 1;
    talk->answer->is_good = result == LDAP_SUCCESS;
    if (talk->answer->is_good)
        return true;
    talk->answer->why = directory_link_problem(talk->arena, &talk->link, result, what);
    return false;
}

static int
search(struct conversation *talk, const struct lookup *lookup, int scope)
{
    struct timeval timeout = { .tv_sec = DIRECTORY_TIMEOUT_S };
    char *attributes[] = { (char *)lookup->attributes.data, NULL };
    LDAPMessage *found = NULL;
    int result = ldap_search_ext_s(talk->link.ldap, lookup->base.data, scope, lookup->filter.data,
                                   lookup->attributes.len == 0 ? NULL : attributes, 0, NULL, NULL, &timeout, 1, &found);
    ldap_msgfree(found);
    return result == LDAP_SIZELIMIT_EXCEEDED ? LDAP_SUCCESS : result; /* more than one is fine, too */
}

static void
talk_to(struct conversation *talk, const struct egress_target *target)
{
    struct lookup lookup = { 0 };
    int scope = LDAP_SCOPE_BASE;
    if (!note(talk, CHECK_CONNECT, directory_link_open(talk->arena, talk->question, target, &talk->link),
              "The server cannot be reached with TLS") ||
        !note(talk, CHECK_AUTHENTICATE, directory_link_bind(talk->arena, talk->question, &talk->link),
              "The server does not take name and password"))
        return;
    bool is_parsed = parse_query(talk->arena, talk->question, &lookup, &scope);
    if (note(talk, CHECK_PARSE, is_parsed ? LDAP_SUCCESS : LDAP_FILTER_ERROR, "The query cannot be read"))
        note(talk, CHECK_QUERY, search(talk, &lookup, scope), "The query failed");
}

void
directory_ask(struct arena *arena, const struct egress_allowed *allowed, const struct directory_question *question,
              struct directory_answer *ret_answer)
{
    struct egress_target target;
    struct conversation talk = {
        .arena = arena, .question = question, .answer = ret_answer, .link = { .authority = -1 }
    };
    *ret_answer = (struct directory_answer){ .done = CHECK_SERVER + 1, .is_good = true, .why = STR_EMPTY };
    if (!directory_link_place(arena, allowed, question, &target, &ret_answer->why)) {
        ret_answer->is_good = false;
        return;
    }
    talk_to(&talk, &target);
    directory_link_close(&talk.link);
}
