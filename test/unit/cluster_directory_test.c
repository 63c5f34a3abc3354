/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of a directory in the words of PostgreSQL, and what it has no words for. */
#include "arena_fixture.h"

#include "base/json.h"
#include "cluster/directory.h"

static const char *
login_of(const char *ldap)
{
    json_t *login = NULL;
    assert_ptr_equal(directory_login_read(arena, json_parse_own(arena, str_from(ldap)), true, &login), OK);
    return json_text(arena, login).data;
}

static void
assert_refused(const char *ldap, bool has_password, const char *place)
{
    json_t *login = NULL;
    error why = directory_login_read(arena, json_parse_own(arena, str_from(ldap)), has_password, &login);
    assert_ptr_not_equal(why, OK);
    assert_null(login);
    assert_non_null(strstr(why->detail.data, place));
}

#define WITH(mapping) \
    "{\"hostname\": \"d.example.org\", \"bindUsername\": \"cn=reeve\", \"userToDNMapping\": [" mapping "]}"

static void
without_a_mapping_the_name_is_the_directorys(void **state)
{
    (void)state;
    assert_string_equal(
        login_of("{\"hostname\": \"d.example.org\", \"port\": 389}"),
        "{\"hostname\":\"d.example.org\",\"port\":389,\"authority\":\"\",\"prefix\":\"\",\"suffix\":\"\"}");
}

static void
a_substitution_is_put_around_the_name(void **state)
{
    (void)state;
    assert_string_equal(
        login_of(WITH("{\"match\": \"(.+)\", \"substitution\": \"uid={0},dc=org\"}")),
        "{\"hostname\":\"d.example.org\",\"port\":636,\"authority\":\"\",\"prefix\":\"uid=\",\"suffix\":\",dc=org\"}");
}

static void
a_query_is_a_search_with_the_bind_name(void **state)
{
    (void)state;
    assert_string_equal(
        login_of(WITH("{\"match\": \"^(.*)$\", \"ldapQuery\": \"dc=org??sub?(|(uid={0})(mail={0}@x))\"}")),
        "{\"hostname\":\"d.example.org\",\"port\":636,\"authority\":\"\",\"base\":\"dc=org\","
        "\"filter\":\"(|(uid=$username)(mail=$username@x))\",\"bindUsername\":\"cn=reeve\"}");
}

static void
what_postgresql_cannot_do_is_named(void **state)
{
    (void)state;
    static const char query[] =
        "{\"hostname\": \"d\", \"userToDNMapping\": [{\"match\": \"(.+)\", \"ldapQuery\": \"dc=org??sub?(uid={0})\"}]}";
    assert_refused("{}", true, "ldap.hostname");
    assert_refused(WITH("{\"match\": \"(.+)@example\", \"substitution\": \"uid={0}\"}"), true,
                   "ldap.userToDNMapping[0].match");
    assert_refused(WITH("{\"match\": \"(.+)\"}"), true, "ldap.userToDNMapping[0]");
    assert_refused(
        WITH(
            "{\"match\": \"(.+)\", \"substitution\": \"uid={0}\"}, {\"match\": \"(.+)\", \"substitution\": \"cn={0}\"}"),
        true, "ldap.userToDNMapping[1]");
    assert_refused(
        WITH("{\"match\": \"(.+)\", \"substitution\": \"uid={0}\", \"ldapQuery\": \"dc=org??sub?(uid={0})\"}"), true,
        "ldap.userToDNMapping[0]");
    assert_refused(WITH("{\"match\": \"(.+)\", \"substitution\": \"uid=all\"}"), true, "substitution");
    assert_refused(WITH("{\"match\": \"(.+)\", \"substitution\": \"uid={0},ou={1}\"}"), true, "substitution");
    assert_refused(WITH("{\"match\": \"(.+)\", \"substitution\": \"uid={0}\\nhost all all all trust\"}"), true,
                   "substitution");
    assert_refused(WITH("{\"match\": \"(.+)\", \"ldapQuery\": \"dc=org??one?(uid={0})\"}"), true, "ldapQuery");
    assert_refused(WITH("{\"match\": \"(.+)\", \"ldapQuery\": \"dc=org?cn?sub?(uid={0})\"}"), true, "ldapQuery");
    assert_refused(WITH("{\"match\": \"(.+)\", \"ldapQuery\": \"ou={0}??sub?(uid={0})\"}"), true, "ldapQuery");
    assert_refused(WITH("{\"match\": \"(.+)\", \"ldapQuery\": \"dc=org??sub?(uid=all)\"}"), true, "ldapQuery");
    assert_refused(WITH("{\"match\": \"(.+)\", \"ldapQuery\": \"dc=org??sub\"}"), true, "ldapQuery");
    assert_refused(WITH("{\"match\": \"(.+)\", \"ldapQuery\": \"dc=org??sub?(uid={0})\\n\"}"), true, "ldapQuery");
    assert_refused(query, true, "ldap.bindUsername");
    assert_refused(WITH("{\"match\": \"(.+)\", \"ldapQuery\": \"dc=org??sub?(uid={0})\"}"), false, "ldap.bindPassword");
}

int
main(void)
{
    json_init();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_mapping_the_name_is_the_directorys),
        cmocka_unit_test(a_substitution_is_put_around_the_name),
        cmocka_unit_test(a_query_is_a_search_with_the_bind_name),
        cmocka_unit_test(what_postgresql_cannot_do_is_named),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
