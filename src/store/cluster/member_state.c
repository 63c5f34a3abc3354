/* SPDX-License-Identifier: Apache-2.0 */
#include "store/cluster/member_state.h"

#include "base/attributes.h"

static const char *const desired_words[] = {
    [MEMBER_PLANNED] = "PLANNED",
    [MEMBER_RUNNING] = "RUNNING",
    [MEMBER_STOPPED] = "STOPPED",
    [MEMBER_REMOVED] = "REMOVED",
};
static const char *const role_words[] = {
    [MEMBER_HAS_NO_ROLE] = "NONE",
    [MEMBER_IS_PRIMARY] = "PRIMARY",
    [MEMBER_IS_REPLICA] = "REPLICA",
    [MEMBER_IS_SYNC_STANDBY] = "SYNC_STANDBY",
};
static const char *const unit_words[] = {
    [UNIT_OTHER] = "",
    [UNIT_ACTIVE] = "active",
    [UNIT_INACTIVE] = "inactive",
    [UNIT_ABSENT] = "absent",
};
static const char *const server_words[] = {
    [SERVER_OTHER] = "",
    [SERVER_RUNNING] = "running",
    [SERVER_STREAMING] = "streaming",
};

/* The first one when there is no such word. */
static size_t
find(const char *const *words, size_t count, str word)
{
    for (size_t i = 0; i < count; i++) {
        if (str_is(word, words[i]))
            return i;
    }
    return 0;
}

const char *
member_desired_word(enum member_desired desired)
{
    return desired_words[desired];
}

enum member_desired
member_desired_from(str word)
{
    return (enum member_desired)find(desired_words, LENGTH(desired_words), word);
}

enum member_role
member_role_from(str word)
{
    return (enum member_role)find(role_words, LENGTH(role_words), word);
}

enum member_unit
member_unit_from(str word)
{
    return (enum member_unit)find(unit_words, LENGTH(unit_words), word);
}

enum member_server
member_server_from(str word)
{
    return (enum member_server)find(server_words, LENGTH(server_words), word);
}
