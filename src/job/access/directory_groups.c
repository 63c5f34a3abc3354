/* SPDX-License-Identifier: Apache-2.0 */
#include "job/access/directory_groups.h"

#include <sys/time.h>

#include "base/clock.h"
#include "job/access/directory_link.h"

enum {
    PAGE = 250, /* entries; many directories give no more than 500 or 1000 without pages */
    PAGES_MAX = 50,
    MESSAGES_MAX = 5000, /* of a search, whatever is in them */
    FILTER_BYTES = 16 * 1024,
};
#define NO_MORE_THAN "it has more people than a group may have here"

struct asking {
    struct arena *arena;
    const struct directory_groups *how;
    struct directory_link link;
    int64_t until_ms;
    struct directory_group_answer *answer; /* of the group that is asked for */
};

/* What is done with an entry; false ends the search. */
typedef bool take_entry(struct asking *asking, LDAPMessage *entry);

struct search {
    str base, filter, attribute;
    int scope;
    take_entry *take;
};

static void
fail_group(struct asking *asking, str why)
{
    asking->answer->is_known = false;
    asking->answer->why = why;
}

/* ---- A search ---- */

/* What a server says about a search is above zero. Below it is what libldap says itself: the connection is lost, or in no state to go on. */
static bool
ends_conversation(int result)
{
    return result < 0;
}

static void
take_cookie(LDAP *ldap, LDAPControl **controls, struct berval *cookie)
{
    ber_int_t estimate;
    LDAPControl *found = ldap_control_find(LDAP_CONTROL_PAGEDRESULTS, controls, NULL);
    ber_memfree(cookie->bv_val);
    *cookie = (struct berval){ 0 };
    if (found != NULL && ldap_parse_pageresponse_control(ldap, found, &estimate, cookie) != LDAP_SUCCESS)
        *cookie = (struct berval){ 0 };
}

/* Until the end of a page; its cookie is empty when it is the last. */
static int
read_page(struct asking *asking, const struct search *search, int request, int *messages, struct berval *cookie)
{
    LDAP *ldap = asking->link.ldap;
    for (;;) {
        LDAPMessage *message = NULL;
        int64_t left_ms = asking->until_ms - clock_steady_ms();
        if (left_ms > DIRECTORY_TIMEOUT_S * 1000)
            left_ms = DIRECTORY_TIMEOUT_S * 1000;
        struct timeval timeout = { .tv_sec = left_ms / 1000, .tv_usec = left_ms % 1000 * 1000 };
        int kind = left_ms <= 0 ? 0 : ldap_result(ldap, request, LDAP_MSG_ONE, &timeout, &message);
        int result = LDAP_SUCCESS;
        bool goes_on = true, is_end = false;
        if (kind <= 0) {
            result = kind == 0 ? LDAP_TIMEOUT : LDAP_SERVER_DOWN;
        } else if (++*messages > MESSAGES_MAX) {
            result = LDAP_SIZELIMIT_EXCEEDED;
        } else if (kind == LDAP_RES_SEARCH_ENTRY) {
            goes_on = search->take(asking, message);
        } else if (kind == LDAP_RES_SEARCH_RESULT) {
            LDAPControl **controls = NULL;
            int parsed = ldap_parse_result(ldap, message, &result, NULL, NULL, NULL, &controls, 0);
            take_cookie(ldap, controls, cookie);
            ldap_controls_free(controls);
            result = parsed == LDAP_SUCCESS ? result : parsed;
            is_end = true;
        } /* referrals lead elsewhere, and are not followed */
        ldap_msgfree(message);
        if (is_end)
            return result;
        if (ends_conversation(result))
            return result; /* to abandon is to send, and there may be no connection any more */
        if (result != LDAP_SUCCESS || !goes_on) {
            ldap_abandon_ext(ldap, request, NULL, NULL);
            return result;
        }
    }
}

static int
search_pages(struct asking *asking, const struct search *search)
{
    LDAP *ldap = asking->link.ldap;
    str base = str_dup(asking->arena, search->base), attribute = str_dup(asking->arena, search->attribute);
    char *attributes[] = { (char *)attribute.data, NULL };
    struct berval cookie = { 0 };
    int result = LDAP_SUCCESS, messages = 0;
    for (int page = 0; page == 0 || cookie.bv_len > 0; page++) {
        LDAPControl *control = NULL;
        int request;
        result =
            page < PAGES_MAX ? ldap_create_page_control(ldap, PAGE, &cookie, 0, &control) : LDAP_SIZELIMIT_EXCEEDED;
        if (result != LDAP_SUCCESS)
            break;
        LDAPControl *controls[] = { search->scope == LDAP_SCOPE_BASE ? NULL : control, NULL };
        result = clock_steady_ms() >= asking->until_ms
                     ? LDAP_TIMEOUT
                     : ldap_search_ext(ldap, base.data, search->scope, search->filter.data, attributes, 0, controls,
                                       NULL, NULL, 0, &request);
        ldap_control_free(control);
        if (result == LDAP_SUCCESS)
            result = read_page(asking, search, request, &messages, &cookie);
        if (result != LDAP_SUCCESS || !asking->answer->is_known)
            break;
    }
    ber_memfree(cookie.bv_val);
    return result;
}

/* ---- Names ---- */
static bool
add_name(struct asking *asking, const char *data, size_t length)
{
    struct directory_group_answer *answer = asking->answer;
    if (answer->count == DIRECTORY_PEOPLE_MAX) {
        fail_group(asking, STR(NO_MORE_THAN));
        return false;
    }
    size_t kept = length < DIRECTORY_PERSON_BYTES ? length : DIRECTORY_PERSON_BYTES;
    answer->names[answer->count++] = str_dup(asking->arena, (str){ data, kept });
    return true;
}

/* As it is written in one way only; empty when it is none. */
static str
normal_name(struct arena *arena, const char *text)
{
    LDAPDN parts = NULL;
    char *written = NULL;
    str name = STR_EMPTY;
    if (ldap_str2dn(text, &parts, LDAP_DN_FORMAT_LDAPV3) == LDAP_SUCCESS &&
        ldap_dn2str(parts, &written, LDAP_DN_FORMAT_LDAPV3) == LDAP_SUCCESS && written != NULL)
        name = str_dup(arena, str_from(written));
    ldap_memfree(written);
    ldap_dnfree(parts);
    return name;
}

/* The name that members would put together to this entry, if there is one. */
static bool
add_name_in(struct asking *asking, const char *entry)
{
    const struct directory_people *people = &asking->how->people;
    LDAPDN parts = NULL;
    bool goes_on = true;
    str own = normal_name(asking->arena, entry);
    if (own.len > 0 && ldap_str2dn(entry, &parts, LDAP_DN_FORMAT_LDAPV3) == LDAP_SUCCESS && parts != NULL &&
        parts[0] != NULL && parts[0][0] != NULL && parts[0][1] == NULL) {
        const LDAPAVA *first = parts[0][0];
        str name = { first->la_value.bv_val, first->la_value.bv_len };
        str together =
            str_format(asking->arena, "%.*s%.*s%.*s", STR_ARG(people->prefix), STR_ARG(name), STR_ARG(people->suffix));
        if (str_eq_nocase(normal_name(asking->arena, together.data), own))
            goes_on = add_name(asking, name.data, name.len);
    }
    ldap_dnfree(parts);
    return goes_on;
}

static bool
take_person(struct asking *asking, LDAPMessage *entry)
{
    LDAP *ldap = asking->link.ldap;
    const struct directory_people *people = &asking->how->people;
    bool goes_on = true;
    if (people->is_put_together) {
        char *name = ldap_get_dn(ldap, entry);
        goes_on = name == NULL || add_name_in(asking, name);
        ldap_memfree(name);
        return goes_on;
    }
    struct berval **values = ldap_get_values_len(ldap, entry, str_dup(asking->arena, people->attribute).data);
    for (size_t i = 0; goes_on && values != NULL && values[i] != NULL; i++)
        goes_on = add_name(asking, values[i]->bv_val, values[i]->bv_len);
    ldap_value_free_len(values);
    return goes_on;
}

/* Everybody with a name whom the filter of people finds. */
static str
people_filter(struct asking *asking, str attribute, str value)
{
    const struct directory_people *people = &asking->how->people;
    struct buf out = buf_in(asking->arena, FILTER_BYTES);
    if (attribute.len > 0)
        buf_add_text(&out, "(&");
    buf_add(&out, people->filter.before);
    buf_add_char(&out, '*');
    buf_add(&out, people->filter.after);
    if (attribute.len > 0) {
        buf_format(&out, "(%.*s=", STR_ARG(attribute));
        directory_filter_add(&out, value);
        buf_add_text(&out, "))");
    }
    return buf_str(&out);
}

/* ---- Groups that people name ---- */
static int
ask_people(struct asking *asking, str group)
{
    const struct directory_people *people = &asking->how->people;
    struct search search = {
        .base = people->base,
        .scope = people->is_put_together ? LDAP_SCOPE_ONELEVEL : LDAP_SCOPE_SUBTREE,
        .filter = people_filter(asking, asking->how->of_person, group),
        .attribute = people->attribute,
        .take = take_person,
    };
    return search_pages(asking, &search);
}

/* ---- Groups that name their people ---- */
static bool
take_group(struct asking *asking, LDAPMessage *entry)
{
    LDAP *ldap = asking->link.ldap;
    BerElement *place = NULL;
    str attribute = asking->how->has_person;
    bool goes_on = true;
    /* Who is in a very large one is told in parts, as member;range=0-1499. */
    for (char *name = ldap_first_attribute(ldap, entry, &place); name != NULL;
         name = ldap_next_attribute(ldap, entry, place)) {
        str own = str_from(name);
        if (own.len > attribute.len && own.data[attribute.len] == ';' &&
            str_eq_nocase(str_slice(own, 0, attribute.len), attribute)) {
            fail_group(asking, STR(NO_MORE_THAN));
            goes_on = false;
        }
        ldap_memfree(name);
    }
    ber_free(place, 0);
    struct berval **values = ldap_get_values_len(ldap, entry, str_dup(asking->arena, attribute).data);
    for (size_t i = 0; goes_on && values != NULL && values[i] != NULL; i++) {
        if (memchr(values[i]->bv_val, '\0', values[i]->bv_len) == NULL)
            goes_on = add_name(asking, values[i]->bv_val, values[i]->bv_len);
    }
    ldap_value_free_len(values);
    return goes_on;
}

/* People by their entries: each is looked at for a name, unless that is in the entry's own. */
static int
name_people(struct asking *asking, const str *entries, size_t count)
{
    const struct directory_people *people = &asking->how->people;
    struct search search = {
        .filter = people_filter(asking, STR_EMPTY, STR_EMPTY),
        .scope = LDAP_SCOPE_BASE,
        .attribute = people->attribute,
        .take = take_person,
    };
    str base = normal_name(asking->arena, str_dup(asking->arena, people->base).data);
    for (size_t i = 0; i < count && asking->answer->is_known; i++) {
        str entry = normal_name(asking->arena, entries[i].data);
        bool is_below = entry.len > base.len &&
                        str_eq_nocase(str_slice(entry, entry.len - base.len, entry.len), base) &&
                        entry.data[entry.len - base.len - 1] == ',';
        if (people->is_put_together) {
            add_name_in(asking, entries[i].data);
        } else if (is_below) {
            search.base = entries[i];
            int result = search_pages(asking, &search);
            if (result != LDAP_SUCCESS && result != LDAP_NO_SUCH_OBJECT)
                return result;
        }
    }
    return LDAP_SUCCESS;
}

static int
ask_group(struct asking *asking, str group)
{
    const struct directory_groups *how = asking->how;
    struct directory_group_answer *answer = asking->answer;
    struct buf filter = buf_in(asking->arena, FILTER_BYTES);
    buf_format(&filter, "(&%.*s*%.*s", STR_ARG(how->filter.before), STR_ARG(how->filter.after));
    if (how->named_by.len > 0) {
        buf_format(&filter, "(%.*s=", STR_ARG(how->named_by));
        directory_filter_add(&filter, group);
        buf_add_char(&filter, ')');
    }
    buf_add_char(&filter, ')');
    struct search search = {
        .base = how->named_by.len > 0 ? how->base : group,
        .scope = how->named_by.len == 0 ? LDAP_SCOPE_BASE
                 : how->is_subtree      ? LDAP_SCOPE_SUBTREE
                                        : LDAP_SCOPE_ONELEVEL,
        .filter = buf_str(&filter),
        .attribute = how->has_person,
        .take = take_group,
    };
    int result = search_pages(asking, &search);
    if (how->named_by.len == 0 && result == LDAP_NO_SUCH_OBJECT)
        result = LDAP_SUCCESS; /* there is no such group, so nobody is in it */
    if (result != LDAP_SUCCESS || !answer->is_known)
        return result;
    const str *entries = answer->names;
    size_t count = answer->count;
    answer->count = 0;
    answer->names = ARENA_ARRAY(asking->arena, str, DIRECTORY_PEOPLE_MAX);
    return answer->names == NULL ? LDAP_NO_MEMORY : name_people(asking, entries, count);
}

static int
ask_one(struct asking *asking, str group)
{
    *asking->answer = (struct directory_group_answer){ .is_known = true,
                                                       .why = STR_EMPTY,
                                                       .names = ARENA_ARRAY(asking->arena, str, DIRECTORY_PEOPLE_MAX) };
    int result = asking->answer->names == NULL    ? LDAP_NO_MEMORY
                 : asking->how->of_person.len > 0 ? ask_people(asking, group)
                                                  : ask_group(asking, group);
    if (result != LDAP_SUCCESS && asking->answer->is_known)
        fail_group(asking, directory_link_problem(asking->arena, &asking->link, result, "the directory does not tell"));
    if (asking->answer->is_known && arena_is_exhausted(asking->arena))
        fail_group(asking, STR("the answer is too large"));
    return result;
}

/* The first group after which the conversation is over says why, and the others are not known either. */
static void
ask_each(struct asking *asking, const str *groups, size_t count, struct directory_group_answer *answers)
{
    int result = LDAP_SUCCESS;
    for (size_t i = 0; i < count; i++) {
        asking->answer = &answers[i];
        if (ends_conversation(result))
            *asking->answer = (struct directory_group_answer){ .why = answers[i - 1].why };
        else
            result = ask_one(asking, groups[i]);
    }
}

bool
directory_groups_ask(struct arena *arena, const struct egress_allowed *allowed,
                     const struct directory_question *question, const struct directory_groups *how, const str *groups,
                     size_t count, struct directory_group_answer *ret_answers, str *ret_why)
{
    struct egress_target target;
    struct asking asking = {
        .arena = arena, .how = how, .link = { .authority = -1 }, .until_ms = clock_steady_ms() + DIRECTORY_GROUPS_MS
    };
    if (!directory_link_place(arena, allowed, question, &target, ret_why))
        return false;
    int result = directory_link_open(arena, question, &target, &asking.link);
    if (result != LDAP_SUCCESS)
        *ret_why = directory_link_problem(arena, &asking.link, result, "The server cannot be reached with TLS");
    else if ((result = directory_link_bind(arena, question, &asking.link)) != LDAP_SUCCESS)
        *ret_why = directory_link_problem(arena, &asking.link, result, "The server does not take name and password");
    else
        ask_each(&asking, groups, count, ret_answers);
    directory_link_close(&asking.link);
    return result == LDAP_SUCCESS;
}
