/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/users.h"

#include <dirent.h>
#include <errno.h>
#include <grp.h>
#include <pthread.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/disk_below.h"
#include "base/failpoint.h"
#include "base/json.h"
#include "engine/program.h"

enum { FILE_BYTES = 4 * 1024 * 1024, ENTRY_BYTES = 16 * 1024, RANGE = USERS_LAST - USERS_FIRST + 1 };

struct users {
    pthread_mutex_t lock;
    char *file, *places[3]; /* folders of members, of seats, and of drills */
    uid_t next;             /* where the search for a free one begins: what was given back comes last */
    struct taken {
        id member;
        uid_t user;
    } * taken; /* RANGE of them */
    size_t count;
};

/* ---- The file: {"next":70002,"members":{"<id>":70001}} ---- */
static error
not_readable(struct arena *arena, const struct users *users)
{
    return problem(arena, "%s cannot be understood: members would get other users than they have.", users->file);
}

static error
read_file(struct users *users, struct arena *arena)
{
    str text;
    if (!disk_read(arena, users->file, FILE_BYTES, &text))
        return errno == ENOENT ? OK : problem(arena, "%s cannot be read: %s.", users->file, strerror(errno));
    json_t *said = json_parse_own(arena, text), *value;
    const char *name;
    json_int_t next = json_integer_value(json_object_get(said, "next"));
    if (next < USERS_FIRST || next > USERS_LAST || !json_is_object(json_object_get(said, "members")))
        return not_readable(arena, users);
    users->next = (uid_t)next;
    json_object_foreach(json_object_get(said, "members"), name, value)
    {
        json_int_t user = json_integer_value(value);
        id member;
        if (!id_parse(str_from(name), &member) || user < USERS_FIRST || user > USERS_LAST || users->count == RANGE)
            return not_readable(arena, users);
        users->taken[users->count++] = (struct taken){ member, (uid_t)user };
    }
    return OK;
}

/* Under the lock. */
static error
write_file(struct users *users, struct arena *arena)
{
    static const struct disk_owner unchanged = { (uid_t)-1, (gid_t)-1 }; /* whoever the agent is: root */
    struct buf out = buf_in(arena, FILE_BYTES);
    buf_format(&out, "{\"next\":%u,\"members\":{", users->next);
    for (size_t i = 0; i < users->count; i++)
        buf_format(&out, "%s\"%s\":%u", i == 0 ? "" : ",", id_text(arena, users->taken[i].member).data,
                   users->taken[i].user);
    buf_add_text(&out, "}}\n");
    if (out.failed || !disk_replace(users->file, buf_str(&out), 0600, unchanged))
        return problem(arena, "%s cannot be written: %s.", users->file, strerror(errno));
    return OK;
}

error
users_open(struct arena *arena, str folder, str members, str seats, str drills, struct users **ret_users)
{
    struct users *users = calloc(1, sizeof(*users));
    if (users == NULL)
        return fail(arena, OVERLOADED);
    pthread_mutex_init(&users->lock, NULL);
    users->next = USERS_FIRST;
    users->taken = calloc(RANGE, sizeof(*users->taken));
    users->places[0] = strdup(members.data);
    users->places[1] = strdup(seats.data);
    users->places[2] = strdup(drills.data);
    error why = OK;
    if (asprintf(&users->file, "%s/users.json", folder.data) < 0 || users->taken == NULL || users->places[0] == NULL ||
        users->places[1] == NULL || users->places[2] == NULL)
        why = fail(arena, OVERLOADED);
    if (why == OK)
        why = read_file(users, arena);
    if (why == OK)
        *ret_users = users;
    else
        users_close(users);
    return why;
}

void
users_close(struct users *users)
{
    if (users == NULL)
        return;
    pthread_mutex_destroy(&users->lock);
    free(users->taken);
    free(users->places[0]);
    free(users->places[1]);
    free(users->places[2]);
    free(users->file);
    free(users);
}

/* ---- Which is free ---- */
/* Under the lock. */
static struct taken *
find(struct users *users, id member)
{
    for (size_t i = 0; i < users->count; i++) {
        if (id_eq(users->taken[i].member, member))
            return &users->taken[i];
    }
    return NULL;
}

static bool
is_taken(const struct users *users, uid_t user)
{
    for (size_t i = 0; i < users->count; i++) {
        if (users->taken[i].user == user)
            return true;
    }
    return false;
}

/* Somebody else of this host has the number: an account that is not ours. */
static bool
is_foreign(struct arena *arena, uid_t user)
{
    char entry[ENTRY_BYTES];
    struct passwd account, *found = NULL;
    struct group group, *found_group = NULL;
    str ours = users_name(arena, user);
    if (getpwuid_r(user, &account, entry, sizeof(entry), &found) == 0 && found != NULL && !str_is(ours, found->pw_name))
        return true;
    return getgrgid_r(user, &group, entry, sizeof(entry), &found_group) == 0 && found_group != NULL &&
           !str_is(ours, found_group->gr_name);
}

/* What belongs to the user in the folder of a member, of a seat, and of a drill. */
static const char *const owned[] = { "data", "repo", "data" };

static bool
owner_in(struct arena *arena, const char *place, const char *name, const char *what, uid_t *ret_user)
{
    struct stat status;
    str folder = str_format(arena, "%s/%s", place, name);
    if (!disk_below_look(folder.data, what, &status) || status.st_uid < USERS_FIRST || status.st_uid > USERS_LAST)
        return false;
    *ret_user = status.st_uid;
    return true;
}

/* The user that data of the member belong to: when the file was lost they keep theirs, and nobody else gets it. */
static bool
owner_of_data(const struct users *users, struct arena *arena, const char *member, uid_t *ret_user)
{
    for (size_t i = 0; i < LENGTH(users->places); i++) {
        if (owner_in(arena, users->places[i], member, owned[i], ret_user))
            return true;
    }
    return false;
}

static bool
owns_data_in(struct arena *arena, const char *place, const char *what, uid_t user)
{
    DIR *all = opendir(place);
    bool found = false;
    for (const struct dirent *one = all == NULL ? NULL : readdir(all); one != NULL && !found; one = readdir(all)) {
        uid_t owner;
        found = one->d_name[0] != '.' && owner_in(arena, place, one->d_name, what, &owner) && owner == user;
    }
    if (all != NULL)
        closedir(all);
    return found;
}

static bool
owns_data(const struct users *users, struct arena *arena, uid_t user)
{
    for (size_t i = 0; i < LENGTH(users->places); i++) {
        if (owns_data_in(arena, users->places[i], owned[i], user))
            return true;
    }
    return false;
}

/* Under the lock. */
static bool
choose(struct users *users, struct arena *arena, uid_t *ret_user)
{
    for (int i = 0; i < RANGE; i++) {
        uid_t user = (uid_t)(USERS_FIRST + (int)((users->next - USERS_FIRST + (unsigned)i) % RANGE));
        if (is_taken(users, user) || is_foreign(arena, user) || users_has_process(user) ||
            owns_data(users, arena, user))
            continue;
        users->next = user == USERS_LAST ? USERS_FIRST : user + 1;
        *ret_user = user;
        return true;
    }
    return false;
}

/* ---- ---- */
/* Under the lock. */
static error
take(struct users *users, struct arena *arena, id member, uid_t *ret_user)
{
    uid_t user;
    const struct taken *known = find(users, member);
    if (known != NULL) {
        *ret_user = known->user;
        return OK;
    }
    bool had_one = owner_of_data(users, arena, id_text(arena, member).data, &user) && !is_taken(users, user);
    uid_t next = users->next;
    if (!had_one && !choose(users, arena, &user))
        return problem(arena, "All users from %d to %d are taken.", USERS_FIRST, USERS_LAST);
    users->taken[users->count++] = (struct taken){ member, user };
    failpoint("agent:users:take:before");
    error why = write_file(users, arena);
    failpoint("agent:users:take:after");
    if (why != OK) {
        users->count--;
        users->next = next;
        return why;
    }
    *ret_user = user;
    return OK;
}

error
users_take(struct users *users, struct arena *arena, id member, uid_t *ret_user)
{
    pthread_mutex_lock(&users->lock);
    error why = take(users, arena, member, ret_user);
    pthread_mutex_unlock(&users->lock);
    return why;
}

bool
users_find(struct users *users, id member, uid_t *ret_user)
{
    pthread_mutex_lock(&users->lock);
    const struct taken *known = find(users, member);
    if (known != NULL)
        *ret_user = known->user;
    pthread_mutex_unlock(&users->lock);
    return known != NULL;
}

error
users_release(struct users *users, struct arena *arena, id member)
{
    error why = OK;
    pthread_mutex_lock(&users->lock);
    struct taken *known = find(users, member);
    if (known != NULL && users_has_process(known->user)) {
        why = problem(arena, "Processes of user %u are left.", known->user);
    } else if (known != NULL) {
        struct taken released = *known;
        *known = users->taken[--users->count];
        failpoint("agent:users:release:before");
        why = write_file(users, arena);
        failpoint("agent:users:release:after");
        if (why != OK)
            users->taken[users->count++] = released;
    }
    pthread_mutex_unlock(&users->lock);
    return why;
}

/* ---- The system ---- */
str
users_name(struct arena *arena, uid_t user)
{
    return str_format(arena, USERS_NAME, user);
}

error
users_make_account(struct arena *arena, uid_t user)
{
    char entry[ENTRY_BYTES];
    struct passwd account, *found = NULL;
    str name = users_name(arena, user);
    if (getpwnam_r(name.data, &account, entry, sizeof(entry), &found) == 0 && found != NULL)
        return found->pw_uid == user && found->pw_gid == user
                   ? OK
                   : problem(arena, "The user %s is another one: it must have the number %u.", name.data, user);
    /* Locks, syncs and replaces /etc/passwd and /etc/group, as packages have it done. */
    str line = str_format(arena, "u %s %u \"Member of a database cluster\" / /usr/sbin/nologin", name.data, user);
    const char *const argv[] = { "/usr/bin/systemd-sysusers", "--inline", line.data, NULL };
    failpoint("agent:users:account:before");
    TRY(program_run(arena, argv, STR_EMPTY));
    failpoint("agent:users:account:after");
    return OK;
}

bool
users_has_process(uid_t user)
{
    DIR *all = opendir("/proc");
    bool found = false;
    for (const struct dirent *one = all == NULL ? NULL : readdir(all); one != NULL && !found; one = readdir(all)) {
        struct stat status;
        found = one->d_name[0] >= '1' && one->d_name[0] <= '9' && fstatat(dirfd(all), one->d_name, &status, 0) == 0 &&
                status.st_uid == user;
    }
    if (all != NULL)
        closedir(all);
    return found;
}
