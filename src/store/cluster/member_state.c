/* SPDX-License-Identifier: Apache-2.0 */
#include "store/cluster/member_state.h"

static const char *const desired_words[] = {
    [MEMBER_PLANNED] = "PLANNED",
    [MEMBER_RUNNING] = "RUNNING",
    [MEMBER_STOPPED] = "STOPPED",
    [MEMBER_REMOVED] = "REMOVED",
    NULL,
};
static const char *const role_words[] = {
    [MEMBER_HAS_NO_ROLE] = "NONE",
    [MEMBER_IS_PRIMARY] = "PRIMARY",
    [MEMBER_IS_REPLICA] = "REPLICA",
    [MEMBER_IS_SYNC_STANDBY] = "SYNC_STANDBY",
    NULL,
};
static const char *const unit_words[] = {
    [UNIT_OTHER] = "", [UNIT_ACTIVE] = "active", [UNIT_INACTIVE] = "inactive", [UNIT_ABSENT] = "absent", NULL,
};
static const char *const server_words[] = {
    [SERVER_OTHER] = "",
    [SERVER_RUNNING] = "running",
    [SERVER_STREAMING] = "streaming",
    NULL,
};

/* The first one when there is no such word. */
static int
find(const char *const *words, str word)
{
    int at = str_word(word, words);
    return at < 0 ? 0 : at;
}

const char *
member_desired_word(enum member_desired desired)
{
    return desired_words[desired];
}

enum member_desired
member_desired_from(str word)
{
    return (enum member_desired)find(desired_words, word);
}

enum member_role
member_role_from(str word)
{
    return (enum member_role)find(role_words, word);
}

enum member_unit
member_unit_from(str word)
{
    return (enum member_unit)find(unit_words, word);
}

enum member_server
member_server_from(str word)
{
    return (enum member_server)find(server_words, word);
}
