/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/directory_groups.h"

#include <string.h>

#include "base/json.h"

#define MAPPING  "ldap.userToDNMapping"
#define TEMPLATE "ldap.authzQueryTemplate"

static error
refuse(struct arena *arena, const char *field, const char *why)
{
    return fail(arena, INVALID_ATTRIBUTE_VALUE, V(field), V(why));
}

static bool
is_attribute(str text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'), is_digit = c >= '0' && c <= '9';
        if (!is_letter && !is_digit && (i == 0 || (c != '-' && c != '.')))
            return false;
    }
    return text.len > 0;
}

bool
directory_is_distinguished_name(str name)
{
    str rest = name;
    while (rest.len > 0) {
        str value = str_cut(&rest, ','), attribute = str_cut(&value, '=');
        if (!is_attribute(str_trim(attribute)) || str_trim(value).len == 0)
            return false;
    }
    return name.len > 0 && name.data[name.len - 1] != ',';
}

static size_t
count_of(str text, str mark)
{
    size_t found = 0;
    for (size_t i = 0; i + mark.len <= text.len; i++)
        found += str_eq(str_slice(text, i, i + mark.len), mark);
    return found;
}

static size_t
place_of(str text, str mark)
{
    size_t at = 0;
    while (at + mark.len <= text.len && !str_eq(str_slice(text, at, at + mark.len), mark))
        at++;
    return at;
}

/* (ATTRIBUTE=mark) once, anywhere in a filter. */
static bool
split_filter(str filter, str mark, struct directory_filter *ret_filter, str *ret_attribute)
{
    if (count_of(filter, mark) != 1)
        return false;
    size_t at = place_of(filter, mark), from;
    str after = str_slice(filter, at + mark.len, filter.len);
    if (at < 2 || filter.data[at - 1] != '=' || !str_starts_with(after, STR(")")))
        return false;
    for (from = at - 1; from > 0 && filter.data[from - 1] != '('; from--)
        ;
    *ret_attribute = str_slice(filter, from, at - 1);
    *ret_filter = (struct directory_filter){ .before = str_slice(filter, 0, at), .after = after };
    return from > 0 && filter.data[0] == '(' && is_attribute(*ret_attribute);
}

/* ---- People ---- */
static error
read_substitution(struct arena *arena, str text, struct directory_people *ret_people)
{
    static const str mark = { "{0}", 3 };
    size_t at = place_of(text, mark);
    str prefix = str_slice(text, 0, at), suffix = str_slice(text, at + mark.len, text.len);
    str attribute = str_slice(prefix, 0, prefix.len > 0 ? prefix.len - 1 : 0);
    bool is_entry = count_of(text, mark) == 1 && prefix.len > 0 && prefix.data[prefix.len - 1] == '=' &&
                    is_attribute(attribute) && suffix.len > 1 && suffix.data[0] == ',' &&
                    directory_is_distinguished_name(str_slice(suffix, 1, suffix.len));
    if (!is_entry)
        return refuse(arena, MAPPING "[0].substitution",
                      "while authorizationEnabled is true it must be ATTRIBUTE={0},BASE, from which names can be read; "
                      "or use ldapQuery");
    *ret_people = (struct directory_people){
        .base = str_slice(suffix, 1, suffix.len),
        .attribute = attribute,
        .filter = { .before = str_format(arena, "(%.*s=", STR_ARG(attribute)), .after = STR(")") },
        .is_put_together = true,
        .prefix = prefix,
        .suffix = suffix,
    };
    return OK;
}

static error
read_people(struct arena *arena, const json_t *ldap, struct directory_people *ret_people)
{
    const json_t *mapping = json_array_get(json_object_get(ldap, "userToDNMapping"), 0);
    str query = json_text_at(mapping, "ldapQuery");
    if (mapping == NULL)
        return fail(arena, MISSING_ATTRIBUTE, V(MAPPING));
    if (query.len == 0)
        return read_substitution(arena, json_text_at(mapping, "substitution"), ret_people);
    *ret_people = (struct directory_people){ .base = str_cut(&query, '?') };
    str_cut(&query, '?');
    str_cut(&query, '?');
    if (!split_filter(query, STR("{0}"), &ret_people->filter, &ret_people->attribute))
        return refuse(arena, MAPPING "[0].ldapQuery",
                      "while authorizationEnabled is true its filter must have {0} once, as in (uid={0}): that "
                      "attribute has the name");
    return OK;
}

/* ---- Groups ---- */
static error
read_entries(struct arena *arena, str base, str attribute, str scope, str filter, struct directory_groups *groups)
{
    static const char *const own_name[] = { "", "dn", "entryDN", "distinguishedName", "1.1", NULL };
    if (!directory_is_distinguished_name(base) || (!str_is(scope, "sub") && !str_is(scope, "one")))
        return refuse(arena, TEMPLATE, "it must be {USER}?ATTRIBUTE?base or BASE?ATTRIBUTE?sub?FILTER");
    if (!split_filter(filter, STR("{USER}"), &groups->filter, &groups->has_person))
        return refuse(arena, TEMPLATE, "its filter must have {USER} once, as in (member={USER})");
    groups->base = base;
    groups->is_subtree = str_is(scope, "sub");
    groups->named_by = str_word(attribute, own_name) >= 0 ? STR_EMPTY : attribute;
    return groups->named_by.len == 0 || is_attribute(attribute) ? OK
                                                                : refuse(arena, TEMPLATE, "it must have one attribute");
}

static error
read_template(struct arena *arena, str rest, struct directory_groups *groups)
{
    str base = str_cut(&rest, '?'), attribute = str_cut(&rest, '?'), scope = str_cut(&rest, '?');
    if (!str_is(base, "{USER}"))
        return read_entries(arena, base, attribute, scope, rest, groups);
    bool is_own = (scope.len == 0 || str_is(scope, "base")) && rest.len == 0;
    if (!is_own || !is_attribute(attribute))
        return refuse(arena, TEMPLATE, "with {USER} as its base it must be {USER}?ATTRIBUTE?base");
    groups->of_person = attribute;
    return OK;
}

error
directory_groups_read(struct arena *arena, const json_t *ldap, bool has_password, struct directory_groups *ret_groups)
{
    struct directory_groups groups = { .of_person = STR_EMPTY };
    str template = json_text_at(ldap, "authzQueryTemplate");
    if (json_text_at(ldap, "bindUsername").len == 0)
        return fail(arena, MISSING_ATTRIBUTE, V("ldap.bindUsername"));
    if (!has_password)
        return fail(arena, MISSING_ATTRIBUTE, V("ldap.bindPassword"));
    TRY(read_people(arena, ldap, &groups.people));
    TRY(read_template(arena, template.len == 0 ? STR("{USER}?memberOf?base") : template, &groups));
    *ret_groups = groups;
    return OK;
}
