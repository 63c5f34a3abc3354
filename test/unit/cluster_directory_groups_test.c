/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of a directory read the other way around, and names that people of a group can have. */
#include "arena_fixture.h"

#include "base/json.h"
#include "cluster/database_name.h"
#include "cluster/directory_groups.h"

#define LDAP(mapping, template)                                                             \
    "{\"bindUsername\": \"cn=reeve\", \"userToDNMapping\": [{\"match\": \"(.+)\", " mapping \
    "}], \"authzQueryTemplate\": \"" template "\"}"
#define SEARCH   "\"ldapQuery\": \"dc=org??sub?(&(objectClass=person)(uid={0}))\""
#define TOGETHER "\"substitution\": \"uid={0},ou=people,dc=org\""
#define OWN      "{USER}?memberOf?base"

static struct directory_groups
read_good(const char *ldap)
{
    struct directory_groups groups = { 0 };
    assert_ptr_equal(directory_groups_read(arena, json_parse_own(arena, str_from(ldap)), true, &groups), OK);
    return groups;
}

static void
assert_refused(const char *ldap, bool has_password, const char *field)
{
    struct directory_groups groups;
    error why = directory_groups_read(arena, json_parse_own(arena, str_from(ldap)), has_password, &groups);
    assert_ptr_not_equal(why, OK);
    assert_non_null(strstr(why->detail.data, field));
}

#define assert_text(text, wanted) assert_string_equal(str_dup(arena, (text)).data, (wanted))

static void
people_are_whom_the_query_finds(void **state)
{
    (void)state;
    struct directory_groups groups = read_good(LDAP(SEARCH, OWN));
    assert_text(groups.people.base, "dc=org");
    assert_text(groups.people.attribute, "uid");
    assert_text(groups.people.filter.before, "(&(objectClass=person)(uid=");
    assert_text(groups.people.filter.after, "))");
    assert_false(groups.people.is_put_together);
    assert_text(groups.of_person, "memberOf");
}

static void
people_are_whom_the_substitution_names(void **state)
{
    (void)state;
    struct directory_groups groups = read_good(LDAP(TOGETHER, OWN));
    assert_text(groups.people.base, "ou=people,dc=org");
    assert_text(groups.people.attribute, "uid");
    assert_true(groups.people.is_put_together);
    assert_text(groups.people.prefix, "uid=");
    assert_text(groups.people.suffix, ",ou=people,dc=org");
}

static void
groups_are_entries_with_their_people(void **state)
{
    (void)state;
    struct directory_groups groups = read_good(LDAP(SEARCH, "ou=groups,dc=org?cn?one?(&(a=b)(member={USER}))"));
    assert_text(groups.base, "ou=groups,dc=org");
    assert_text(groups.named_by, "cn");
    assert_text(groups.has_person, "member");
    assert_false(groups.is_subtree);
    assert_int_equal(groups.of_person.len, 0);
    assert_int_equal(read_good(LDAP(SEARCH, "dc=org?dn?sub?(member={USER})")).named_by.len, 0);
    assert_true(read_good(LDAP(SEARCH, "dc=org?dn?sub?(member={USER})")).is_subtree);
}

static void
what_cannot_be_read_the_other_way_around_is_named(void **state)
{
    (void)state;
    assert_refused("{\"bindUsername\": \"cn=reeve\", \"userToDNMapping\": []}", true, "ldap.userToDNMapping");
    assert_refused("{\"userToDNMapping\": []}", true, "ldap.bindUsername");
    assert_refused(LDAP(SEARCH, OWN), false, "ldap.bindPassword");
    assert_refused(LDAP("\"substitution\": \"{0}@example.org\"", OWN), true, "substitution");
    assert_refused(LDAP("\"substitution\": \"uid={0}\"", OWN), true, "substitution");
    assert_refused(LDAP("\"substitution\": \"uid={0},people\"", OWN), true, "substitution");
    assert_refused(LDAP("\"ldapQuery\": \"dc=org??sub?(|(uid={0})(mail={0}))\"", OWN), true, "ldapQuery");
    assert_refused(LDAP("\"ldapQuery\": \"dc=org??sub?(uid=x{0})\"", OWN), true, "ldapQuery");
    assert_refused(LDAP("\"ldapQuery\": \"dc=org??sub?(uid>={0})\"", OWN), true, "ldapQuery");
    assert_refused(LDAP(SEARCH, "{USER}?memberOf?sub"), true, "authzQueryTemplate");
    assert_refused(LDAP(SEARCH, "{USER}??base"), true, "authzQueryTemplate");
    assert_refused(LDAP(SEARCH, "dc=org?cn?base?(member={USER})"), true, "authzQueryTemplate");
    assert_refused(LDAP(SEARCH, "dc=org?cn?sub?(member=x)"), true, "authzQueryTemplate");
    assert_refused(LDAP(SEARCH, "dc=org?c,n?sub?(member={USER})"), true, "authzQueryTemplate");
    assert_refused(LDAP(SEARCH, "org?cn?sub?(member={USER})"), true, "authzQueryTemplate");
}

static void
names_of_people_are_plain(void **state)
{
    (void)state;
    static const char *const bad[] = { "",     " a",   "a ", "a*",       "a(b", "a\\b", "a/b",
                                       "a\"b", "a\nb", "-a", "\xc3\xa4", "a'b", "a;b" };
    static const char *const reserved[] = { "postgres", "PG_monitor", "Reeve-support-1", "readWrite", "Public" };
    for (size_t i = 0; i < LENGTH(bad); i++)
        assert_false(database_name_is_of_person(str_from(bad[i])));
    assert_false(database_name_is_of_person((str){ "a\0b", 3 }));
    assert_true(database_name_is_of_person(STR("ann.smith@example.org")));
    assert_true(database_name_is_of_person(STR("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")));
    assert_false(database_name_is_of_person(STR("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")));
    for (size_t i = 0; i < LENGTH(reserved); i++)
        assert_true(database_name_is_reserved(str_from(reserved[i])));
    assert_false(database_name_is_reserved(STR("ann")));
}

int
main(void)
{
    json_init();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(people_are_whom_the_query_finds),
        cmocka_unit_test(people_are_whom_the_substitution_names),
        cmocka_unit_test(groups_are_entries_with_their_people),
        cmocka_unit_test(what_cannot_be_read_the_other_way_around_is_named),
        cmocka_unit_test(names_of_people_are_plain),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
