/* SPDX-License-Identifier: Apache-2.0 */
/* A system user for every member (S2): which has which is never forgotten, and no two share one. */
#include "check.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/prepare.h"
#include "agent/users.h"
#include "agent/wall.h"
#include "base/disk_below.h"
#include "base/failpoint.h"
#include "base/json.h"

struct place {
    struct arena *arena;
    char base[64];
    str folder, members, seats, drills;
};

static struct place
set_up(void)
{
    struct place p = { .arena = arena_new(1 << 26), .base = "/tmp/reeve-users-XXXXXX" };
    struct disk_owner self = { getuid(), getgid() };
    assert_non_null(mkdtemp(p.base));
    p.folder = str_format(p.arena, "%s/agent", p.base);
    p.members = str_format(p.arena, "%s/members", p.base);
    p.seats = str_format(p.arena, "%s/stanzas", p.base);
    p.drills = str_format(p.arena, "%s/drills", p.base);
    assert_true(disk_make_folder(p.folder.data, 0700, self) && disk_make_folder(p.members.data, 0755, self) &&
                disk_make_folder(p.seats.data, 0755, self));
    return p;
}

static void
tear_down(struct place *p)
{
    assert_true(disk_remove_tree(p->base));
    arena_free(p->arena);
}

static id
member(int number)
{
    id made;
    char text[25];
    snprintf(text, sizeof(text), "%024x", (unsigned)number);
    assert_true(id_parse(str_from(text), &made));
    return made;
}

static struct users *
open_users(struct place *p)
{
    struct users *users = NULL;
    assert_ptr_equal(users_open(p->arena, p->folder, p->members, p->seats, p->drills, &users), OK);
    return users;
}

static uid_t
take(struct place *p, struct users *users, int number)
{
    uid_t user = 0;
    assert_ptr_equal(users_take(users, p->arena, member(number), &user), OK);
    return user;
}

static void
each_has_its_own_and_keeps_it(void **state)
{
    (void)state;
    struct place p = set_up();
    struct users *users = open_users(&p);
    uid_t first = take(&p, users, 1), second = take(&p, users, 2), found;
    assert_true(first >= USERS_FIRST && first <= USERS_LAST && second != first);
    assert_int_equal(take(&p, users, 1), first);
    users_close(users);
    users = open_users(&p);
    assert_int_equal(take(&p, users, 2), second);
    assert_true(users_find(users, member(1), &found) && found == first);
    assert_false(users_find(users, member(3), &found));
    /* What was given back comes last. */
    assert_ptr_equal(users_release(users, p.arena, member(1)), OK);
    uid_t third = take(&p, users, 3);
    assert_true(third != first && third != second);
    assert_ptr_equal(users_release(users, p.arena, member(9)), OK);
    users_close(users);
    tear_down(&p);
}

static void
a_file_that_is_damaged_is_not_guessed(void **state)
{
    (void)state;
    static const char *const damaged[] = { "", "{}", "{\"next\":1,\"members\":{}}",
                                           "{\"next\":70000,\"members\":{\"x\":70000}}",
                                           "{\"next\":70000,\"members\":{\"000000000000000000000001\":5}}" };
    for (size_t i = 0; i < LENGTH(damaged); i++) {
        struct place p = set_up();
        struct users *users = NULL;
        str file = str_format(p.arena, "%s/users.json", p.folder.data);
        assert_true(disk_replace(file.data, str_from(damaged[i]), 0600, (struct disk_owner){ getuid(), getgid() }));
        assert_ptr_not_equal(users_open(p.arena, p.folder, p.members, p.seats, p.drills, &users), OK);
        assert_null(users);
        tear_down(&p);
    }
}

/* Without the file members keep what their data belong to, and nobody else gets it. */
static void
data_say_whose_they_are_when_the_file_is_lost(void **state)
{
    (void)state;
    struct place p = set_up();
    if (getuid() != 0)
        skip();
    str folder = str_format(p.arena, "%s/%s", p.members.data, id_text(p.arena, member(5)).data);
    assert_true(disk_make_folder(folder.data, 0700, (struct disk_owner){ 0, 0 }));
    assert_true(disk_below_make_folder(folder.data, "data", 0700, (struct disk_owner){ USERS_FIRST, USERS_FIRST }));
    struct users *users = open_users(&p);
    assert_int_not_equal(take(&p, users, 6), USERS_FIRST);
    assert_int_equal(take(&p, users, 5), USERS_FIRST);
    users_close(users);
    tear_down(&p);
}

/* Killed at any place: whoever was told a user has it afterwards, and no two have the same. */
static void
killed_anywhere_no_two_share_one(void **state)
{
    (void)state;
    static const char *const places[] = { "agent:users:take:before=kill@%d", "agent:users:take:after=kill@%d",
                                          "agent:users:release:before=kill@%d", "agent:users:release:after=kill@%d" };
    struct place p = set_up();
    int round = 0;
    for (size_t i = 0; i < LENGTH(places); i++) {
        for (int at = 1; at <= 3; at++, round++) {
            pid_t child = fork();
            assert_true(child >= 0);
            if (child == 0) {
                char failpoints[64];
                struct users *users = open_users(&p);
                snprintf(failpoints, sizeof(failpoints), places[i], at);
                if (!failpoint_init(failpoints, stderr))
                    _exit(2);
                for (int k = 0; k < 4; k++) {
                    uid_t ignored = take(&p, users, 100 * round + k);
                    (void)ignored;
                }
                for (int k = 0; k < 4; k++) {
                    if (users_release(users, p.arena, member(100 * round + k)) != OK)
                        _exit(3);
                }
                _exit(4);
            }
            int status;
            assert_int_equal(waitpid(child, &status, 0), child);
            assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
            struct users *users = open_users(&p); /* it can be read */
            uid_t seen[400];
            size_t count = 0;
            for (int number = 0; number < 100 * (round + 1); number++) {
                uid_t user;
                if (!users_find(users, member(number), &user))
                    continue;
                for (size_t k = 0; k < count; k++)
                    assert_int_not_equal(seen[k], user);
                seen[count++] = user;
            }
            users_close(users);
        }
    }
    tear_down(&p);
}

/* ---- What is prepared before a member starts ---- */
static void
files_go_to_their_owner_and_what_the_agent_wrote_to_root(void **state)
{
    (void)state;
    struct place p = set_up();
    if (getuid() != 0)
        skip();
    struct disk_owner before = { 65533, 65533 }, own = { 70001, 70001 };
    str folder = str_format(p.arena, "%s/x", p.members.data);
    assert_true(disk_make_folder(folder.data, 0700, before));
    static const char *const folders[] = { "run", "tls", "data", "data/base", "data_failed" };
    static const char *const files[] = { "patroni.yml", "tls/member.key", "data/PG_VERSION", "data/base/1",
                                         "run/lock" };
    for (size_t i = 0; i < LENGTH(folders); i++)
        assert_true(disk_below_make_folder(folder.data, folders[i], 0700, before));
    for (size_t i = 0; i < LENGTH(files); i++)
        assert_true(disk_below_replace(folder.data, files[i], STR("x"), 0600, before));
    for (int pass = 0; pass < 2; pass++)
        assert_ptr_equal(prepare_owner(p.arena, folder, own), OK);
    static const struct {
        const char *name;
        uid_t user;
        mode_t mode;
    } wanted[] = { { "run", 0, 01770 },
                   { "tls", 0, 0750 },
                   { "patroni.yml", 0, 0640 },
                   { "tls/member.key", 0, 0640 },
                   { "data", 70001, 0700 },
                   { "data/base", 70001, 0700 },
                   { "data/base/1", 70001, 0600 },
                   { "data_failed", 70001, 0700 } };
    for (size_t i = 0; i < LENGTH(wanted); i++) {
        struct stat status;
        assert_true(disk_below_look(folder.data, wanted[i].name, &status));
        if (status.st_uid != wanted[i].user || status.st_gid != 70001 || (status.st_mode & 07777) != wanted[i].mode)
            fail_msg("%s: %u:%u %o", wanted[i].name, status.st_uid, status.st_gid, status.st_mode);
    }
    struct stat status;
    assert_false(disk_below_look(folder.data, "run/lock", &status)); /* of a server that is gone */
    tear_down(&p);
}

static void
rules_name_users_and_addresses(void **state)
{
    (void)state;
    struct arena *arena = arena_new(1 << 22);
    struct wall_member one = { 70001, STR("10.0.0.1"), 27017, STR("10.0.0.2,;flush ruleset"), STR("2379,x") };
    str text = wall_text(arena, &one);
    assert_non_null(strstr(text.data, "own4 { 70001 . 10.0.0.1 }\n"));
    assert_non_null(strstr(text.data, "own4 { 70001 . 10.0.0.2 }\n"));
    assert_non_null(strstr(text.data, "doors4 { 10.0.0.1 . 27017 }\n"));
    assert_non_null(strstr(text.data, "etcd { 2379 }\n"));
    assert_null(strstr(text.data, "ruleset"));
    assert_non_null(strstr(text.data, "meta skuid 70000-89999 ip daddr { 169.254.0.0/16,"));
    one.address = STR("2001:db8::1");
    assert_non_null(strstr(wall_text(arena, &one).data, "own6 { 70001 . 2001:db8::1 }\n"));
    arena_free(arena);
}

static void
who_uploads_reaches_the_store_and_nothing_else(void **state)
{
    (void)state;
    struct arena *arena = arena_new(1 << 22);
    struct net_address addresses[2];
    assert_true(net_parse_address(STR("192.0.2.7"), &addresses[0]));
    assert_true(net_parse_address(STR("2001:db8::7"), &addresses[1]));
    struct wall_store store = { 70009, 2, addresses, 9000 };
    str text = wall_store_text(arena, &store);
    assert_non_null(strstr(text.data, "add element inet reeve confined { 70009 }\n"));
    assert_non_null(strstr(text.data, "stores4 { 70009 . 192.0.2.7 . 9000 }\n"));
    assert_non_null(strstr(text.data, "stores6 { 70009 . 2001:db8::7 . 9000 }\n"));
    /* Before anything that lets others through. */
    const char *confined = strstr(text.data, "meta skuid @confined counter reject"),
               *open = strstr(text.data, "@own4 accept");
    assert_true(confined != NULL && open != NULL && confined < open);
    arena_free(arena);
}

static void
a_seat_in_a_store_reaches_that_and_its_members(void **state)
{
    (void)state;
    struct arena *arena = arena_new(1 << 22);
    struct wall_place before[2] = { { .port = 443 }, { .port = 27017 } },
                      after[2] = { { .port = 443 }, { .port = 27017 } };
    assert_true(net_parse_address(STR("192.0.2.7"), &before[0].address));
    assert_true(net_parse_address(STR("10.0.0.1"), &before[1].address));
    assert_true(net_parse_address(STR("2001:db8::7"), &after[0].address));
    after[1] = before[1];
    struct wall_reach old = { 70009, 2, before }, reach = { 70009, 2, after };
    str text = wall_reach_text(arena, &old, &reach);
    assert_non_null(strstr(text.data, "add element inet reeve confined { 70009 }\n"));
    assert_non_null(strstr(text.data, "delete element inet reeve stores4 { 70009 . 192.0.2.7 . 443 }\n"));
    assert_non_null(strstr(text.data, "add element inet reeve stores6 { 70009 . 2001:db8::7 . 443 }\n"));
    /* What stays is there in the end: everything is one step. */
    const char *gone = strstr(text.data, "delete element inet reeve stores4 { 70009 . 10.0.0.1 . 27017 }\n");
    assert_non_null(gone);
    assert_non_null(strstr(gone, "add element inet reeve stores4 { 70009 . 10.0.0.1 . 27017 }\n"));
    /* A gate of a seat that is shut in still answers. */
    const char *gates = strstr(text.data, "@gates4 accept"), *confined = strstr(text.data, "meta skuid @confined");
    assert_true(gates != NULL && confined != NULL && gates < confined);
    arena_free(arena);
}

int
main(void)
{
    json_init();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_has_its_own_and_keeps_it),
        cmocka_unit_test(a_file_that_is_damaged_is_not_guessed),
        cmocka_unit_test(data_say_whose_they_are_when_the_file_is_lost),
        cmocka_unit_test(killed_anywhere_no_two_share_one),
        cmocka_unit_test(files_go_to_their_owner_and_what_the_agent_wrote_to_root),
        cmocka_unit_test(rules_name_users_and_addresses),
        cmocka_unit_test(who_uploads_reaches_the_store_and_nothing_else),
        cmocka_unit_test(a_seat_in_a_store_reaches_that_and_its_members),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
