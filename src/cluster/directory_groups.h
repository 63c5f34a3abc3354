/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How people of a group are found in a project's directory, and their names: the settings that turn a name into an entry
 * (`userToDNMapping`) and an entry into its groups (`authzQueryTemplate`), read the other way around.
 */
#ifndef CLUSTER_DIRECTORY_GROUPS_H
#define CLUSTER_DIRECTORY_GROUPS_H

#include <jansson.h>

#include "base/error.h"

struct directory_filter { /* what stands before and after the value */
    str before, after;
};
struct directory_people {
    str base, attribute; /* the attribute has the name */
    struct directory_filter filter;
    bool is_put_together; /* "prefix" NAME "suffix" is the entry; otherwise any entry below the base */
    str prefix, suffix;
};
struct directory_groups {
    struct directory_people people;
    str of_person; /* attribute of a person with the names of their groups; or it is empty, and */
    str base;      /* there is an entry for each group below this one, */
    bool is_subtree;
    struct directory_filter filter; /* that is found with a person's name, */
    str has_person;                 /* because it is in this attribute, */
    str named_by;                   /* and whose name is in this one; empty: its own distinguished name */
};

/* INVALID_ATTRIBUTE_VALUE or MISSING_ATTRIBUTE names what cannot be read the other way around. The settings are such as
 * directory_login_read() takes. */
MUST_USE error directory_groups_read(struct arena *arena, const json_t *ldap, bool has_password,
                                     struct directory_groups *ret_groups);

/* Parts with an attribute and a value each: cn=dba,ou=groups,dc=example,dc=org. */
bool directory_is_distinguished_name(str name);

#endif
