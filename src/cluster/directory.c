/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/directory.h"

#include "base/json.h"

#define MAPPING "ldap.userToDNMapping"
#define NAME    "{0}" /* the user's name in what tenants write */

enum { TEXT_BYTES = 4096 };

static error
refuse(struct arena *arena, const char *field, const char *why)
{
    return fail(arena, INVALID_ATTRIBUTE_VALUE, V(field), V(why));
}

static void
put(json_t *login, const char *name, str value)
{
    json_object_set_new(login, name, json_stringn(value.data, value.len));
}

/* Where the name stands first, or -1. */
static ptrdiff_t
find_name(str text)
{
    for (size_t i = 0; i + strlen(NAME) <= text.len; i++) {
        if (memcmp(text.data + i, NAME, strlen(NAME)) == 0)
            return (ptrdiff_t)i;
    }
    return -1;
}

/* ---- The name in the directory is put together ---- */
static error
read_substitution(struct arena *arena, str text, json_t *login)
{
    ptrdiff_t at = find_name(text);
    str rest = at < 0 ? STR_EMPTY : str_slice(text, (size_t)at + strlen(NAME), text.len);
    if (at < 0 || str_find(rest, '{') >= 0)
        return refuse(arena, MAPPING "[0].substitution", "it must have {0} once, and nothing else in braces");
    put(login, "prefix", str_slice(text, 0, (size_t)at));
    put(login, "suffix", rest);
    return OK;
}

/* ---- It is looked for: base??sub?(uid={0}) ---- */
static str
with_username(struct arena *arena, str filter)
{
    struct buf out = buf_in(arena, TEXT_BYTES);
    for (ptrdiff_t at = find_name(filter); at >= 0; at = find_name(filter)) {
        buf_add(&out, str_slice(filter, 0, (size_t)at));
        buf_add_text(&out, "$username");
        filter = str_slice(filter, (size_t)at + strlen(NAME), filter.len);
    }
    buf_add(&out, filter);
    return buf_str(&out);
}

static error
read_query(struct arena *arena, const json_t *ldap, str query, bool has_password, json_t *login)
{
    str rest = query, base = str_cut(&rest, '?'), attributes = str_cut(&rest, '?'), scope = str_cut(&rest, '?');
    const char *field = MAPPING "[0].ldapQuery";
    if (base.len == 0 || find_name(base) >= 0 || attributes.len > 0)
        return refuse(arena, field,
                      "it must be written as BASE??sub?FILTER, with a base that is the same for all users");
    if (!str_is(scope, "sub"))
        return refuse(arena, field, "its scope must be sub");
    if (find_name(rest) < 0 || rest.data[0] != '(')
        return refuse(arena, field, "its filter must be in parentheses and have {0} in it");
    str user = json_str(json_object_get(ldap, "bindUsername"));
    if (user.len == 0)
        return fail(arena, MISSING_ATTRIBUTE, V("ldap.bindUsername"));
    if (!has_password)
        return fail(arena, MISSING_ATTRIBUTE, V("ldap.bindPassword"));
    put(login, "base", base);
    put(login, "filter", with_username(arena, rest));
    put(login, "bindUsername", user);
    return OK;
}

static error
read_mapping(struct arena *arena, const json_t *ldap, bool has_password, json_t *login)
{
    static const char *const whole[] = { "(.+)", "(.*)", "^(.+)$", "^(.*)$" };
    const json_t *mappings = json_object_get(ldap, "userToDNMapping"), *mapping = json_array_get(mappings, 0);
    str match = json_str(json_object_get(mapping, "match")),
        substitution = json_str(json_object_get(mapping, "substitution")),
        query = json_str(json_object_get(mapping, "ldapQuery"));
    bool is_whole = false;
    if (mapping == NULL) { /* the name is that of the directory already */
        put(login, "prefix", STR_EMPTY);
        put(login, "suffix", STR_EMPTY);
        return OK;
    }
    if (json_array_size(mappings) > 1)
        return refuse(arena, MAPPING "[1]", "there can be only one mapping");
    for (size_t i = 0; i < LENGTH(whole); i++)
        is_whole |= str_is(match, whole[i]);
    if (!is_whole)
        return refuse(arena, MAPPING "[0].match", "it must be (.+), which stands for the whole name");
    if ((substitution.len > 0) == (query.len > 0))
        return refuse(arena, MAPPING "[0]", "it must have either substitution or ldapQuery");
    if (!str_is_one_line(substitution))
        return refuse(arena, MAPPING "[0].substitution", "it must be one line");
    if (!str_is_one_line(query))
        return refuse(arena, MAPPING "[0].ldapQuery", "it must be one line");
    return query.len > 0 ? read_query(arena, ldap, query, has_password, login)
                         : read_substitution(arena, substitution, login);
}

error
directory_login_read(struct arena *arena, const json_t *ldap, bool has_password, json_t **ret_login)
{
    json_t *login = json_in(arena, json_object());
    const json_t *port = json_object_get(ldap, "port");
    str host = json_str(json_object_get(ldap, "hostname"));
    if (host.len == 0)
        return fail(arena, MISSING_ATTRIBUTE, V("ldap.hostname"));
    put(login, "hostname", host);
    json_object_set_new(login, "port", json_integer(port == NULL ? 636 : json_integer_value(port)));
    put(login, "authority", json_str(json_object_get(ldap, "caCertificate")));
    TRY(read_mapping(arena, ldap, has_password, login));
    *ret_login = login;
    return OK;
}
