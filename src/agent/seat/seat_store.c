/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/seat/seat_store.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/seat/seat_files.h"
#include "agent/wall.h"
#include "base/clock.h"
#include "base/failpoint.h"
#include "base/json.h"
#include "base/net/egress.h"

#define STORE_FILE "store.json" /* {"addresses": of the store, "places": ["ADDRESS PORT"] that the wall lets through} */
#define HOSTS_FILE "hosts"

enum {
    WALL_AGAIN_MS = 30 * 1000,
    HOSTS_BYTES = 4096,
    MOST_PLACES = 2 * (EGRESS_MAX_ADDRESSES + 2 * GOAL_MAX_SEAT_MEMBERS), /* before and after a change */
};

static bool
is_in_store(const struct goal_seat *seat)
{
    return seat->store.endpoint.len > 0;
}

str
seat_store_lines(struct arena *arena, const struct goal_seat *seat, str seat_folder)
{
    return is_in_store(seat) ? str_format(arena, "BindReadOnlyPaths=%s/" HOSTS_FILE ":/etc/hosts\n", seat_folder.data)
                             : STR_EMPTY;
}

/* ---- Where it is ---- */
/* As pgBackRest has it. */
static str
url_of(struct arena *arena, const struct goal_seat_store *store)
{
    static const char scheme[] = "https://";
    str host = str_starts_with(store->endpoint, STR("https://"))
                   ? str_slice(store->endpoint, strlen(scheme), store->endpoint.len)
                   : store->endpoint;
    return str_is(store->uri_style, "path")
               ? str_format(arena, "%s%.*s", scheme, STR_ARG(host))
               : str_format(arena, "%s%.*s.%.*s", scheme, STR_ARG(store->bucket), STR_ARG(host));
}

static error
look_up(struct seat_pass *pass, struct egress_target *ret_target)
{
    str why = STR_EMPTY;
    return egress_resolve_operators(pass->arena, url_of(pass->arena, &pass->seat->store), ret_target, &why)
               ? OK
               : problem(pass->arena, "The object store's name cannot be looked up: %.*s", STR_ARG(why));
}

/* Until the name is known again, the addresses from before are used. */
static error
find(struct seat_pass *pass, const json_t *memory, struct egress_target *ret_target)
{
    const json_t *known = json_object_get(memory, "addresses"), *one;
    size_t i;
    error why = look_up(pass, ret_target);
    const char *ignored;
    if (why == OK || json_array_size(known) == 0)
        return why;
    ret_target->count = 0;
    if (!egress_parse(pass->arena, url_of(pass->arena, &pass->seat->store), &ret_target->url, &ignored))
        return why;
    json_array_foreach(known, i, one)
    {
        if (ret_target->count < EGRESS_MAX_ADDRESSES &&
            net_parse_address(json_str(one), &ret_target->addresses[ret_target->count]))
            ret_target->count++;
    }
    return OK;
}

/* ---- Its name ---- */
/*
 * Written in place and always of one size: units see this very file, and go on seeing it. A reader finds the names from before, or these.
 */
static error
write_names(struct seat_pass *pass, const struct egress_target *target)
{
    struct buf text = buf_in(pass->arena, HOSTS_BYTES);
    str path = str_format(pass->arena, "%s/" HOSTS_FILE, pass->folder.data);
    buf_add_text(&text, "127.0.0.1 localhost\n::1 localhost\n");
    for (size_t i = 0; i < target->count; i++)
        buf_format(&text, "%s %.*s\n", net_address_text(pass->arena, &target->addresses[i]).data,
                   STR_ARG(target->url.host));
    str names = buf_str(&text);
    char bytes[HOSTS_BYTES];
    memset(bytes, '\n', sizeof(bytes));
    memcpy(bytes, names.data, names.len);
    int file = open(path.data, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
    bool is_written = file >= 0 && names.len > 0 && fchmod(file, 0644) == 0 &&
                      pwrite(file, bytes, sizeof(bytes), 0) == (ssize_t)sizeof(bytes);
    if (file >= 0)
        close(file);
    return is_written ? OK : problem(pass->arena, "%s cannot be written: %s.", path.data, strerror(errno));
}

/* ---- The wall ---- */
static void
add_place(struct wall_reach *reach, struct wall_place *places, const struct net_address *address, int64_t port)
{
    if (reach->count < MOST_PLACES)
        places[reach->count++] = (struct wall_place){ *address, (int)port };
}

/* The store, and the members of this cluster. */
static error
what_is_reached(struct seat_pass *pass, const struct egress_target *target, struct wall_reach *ret_reach)
{
    struct wall_place *places = ARENA_ARRAY(pass->arena, struct wall_place, MOST_PLACES);
    if (places == NULL)
        return fail(pass->arena, OVERLOADED);
    *ret_reach = (struct wall_reach){ pass->owner.user, 0, places };
    for (size_t i = 0; i < target->count; i++)
        add_place(ret_reach, places, &target->addresses[i], target->url.port);
    for (size_t i = 0; i < pass->seat->members.count; i++) {
        const struct goal_seat_member *member = &pass->seat->members.items[i];
        struct net_address address;
        if (!net_parse_address(member->address, &address))
            continue;
        add_place(ret_reach, places, &address, member->port);
        add_place(ret_reach, places, &address, member->backup_port);
    }
    return OK;
}

static error
what_was_reached(struct seat_pass *pass, const json_t *memory, struct wall_reach *ret_reach)
{
    struct wall_place *places = ARENA_ARRAY(pass->arena, struct wall_place, MOST_PLACES);
    const json_t *one;
    size_t i;
    if (places == NULL)
        return fail(pass->arena, OVERLOADED);
    *ret_reach = (struct wall_reach){ pass->owner.user, 0, places };
    json_array_foreach(json_object_get(memory, "places"), i, one)
    {
        str port_text = json_str(one), address_text = str_cut(&port_text, ' ');
        struct net_address address;
        int64_t port;
        if (net_parse_address(address_text, &address) && str_to_int(port_text, 1, 65535, &port))
            add_place(ret_reach, places, &address, port);
    }
    return OK;
}

static error
remember(struct seat_pass *pass, const struct egress_target *target, const struct wall_reach *reach)
{
    json_t *addresses = json_array(), *places = json_array();
    for (size_t i = 0; i < target->count; i++)
        json_array_append_new(addresses, json_string(net_address_text(pass->arena, &target->addresses[i]).data));
    for (size_t i = 0; i < reach->count; i++)
        json_array_append_new(
            places,
            json_string(str_format(pass->arena, "%s %d", net_address_text(pass->arena, &reach->places[i].address).data,
                                   reach->places[i].port)
                            .data));
    json_t *memory = json_in(pass->arena, json_pack("{s:o, s:o}", "addresses", addresses, "places", places));
    return memory == NULL ? fail(pass->arena, OVERLOADED) : seat_own_write(pass, STORE_FILE, memory);
}

static bool
is_same(const struct wall_reach *a, const struct wall_reach *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++)
        same = memcmp(&a->places[i].address, &b->places[i].address, sizeof(a->places[i].address)) == 0 &&
               a->places[i].port == b->places[i].port;
    return same;
}

static error
remember_both(struct seat_pass *pass, const struct egress_target *target, const struct wall_reach *before,
              const struct wall_reach *reach)
{
    struct wall_place *places = ARENA_ARRAY(pass->arena, struct wall_place, MOST_PLACES);
    struct wall_reach both = { reach->user, 0, places };
    if (places == NULL)
        return fail(pass->arena, OVERLOADED);
    for (size_t i = 0; i < reach->count; i++)
        add_place(&both, places, &reach->places[i].address, reach->places[i].port);
    for (size_t i = 0; i < before->count; i++)
        add_place(&both, places, &before->places[i].address, before->places[i].port);
    return remember(pass, target, &both);
}

/* Whoever is killed in between knows everything that there may be to take away. */
static error
change_wall(struct seat_pass *pass, const struct egress_target *target, const struct wall_reach *before,
            const struct wall_reach *reach)
{
    bool is_new = !is_same(before, reach);
    if (is_new)
        TRY(remember_both(pass, target, before, reach));
    failpoint("agent:seat:reach:before");
    TRY(wall_put_reach(pass->arena, before, reach));
    return is_new ? remember(pass, target, reach) : OK;
}

/* ---- ---- */
static bool
is_due(const struct seat_pass *pass)
{
    int64_t now = clock_steady_ms();
    const struct seat_memory *memory = pass->memory;
    return memory->reach_ms == 0 || now - memory->reach_ms >= WALL_AGAIN_MS ||
           memory->reach_version != pass->goal->version;
}

error
seat_store_keep(struct seat_pass *pass)
{
    struct egress_target target;
    struct wall_reach before, reach;
    if (!is_in_store(pass->seat) || !is_due(pass))
        return OK;
    json_t *memory = seat_own_read(pass, STORE_FILE, json_object());
    TRY(find(pass, memory, &target));
    TRY(what_was_reached(pass, memory, &before));
    TRY(what_is_reached(pass, &target, &reach));
    TRY(change_wall(pass, &target, &before, &reach));
    TRY(write_names(pass, &target));
    pass->memory->reach_ms = clock_steady_ms();
    pass->memory->reach_version = pass->goal->version;
    return OK;
}

error
seat_store_end(struct seat_pass *pass)
{
    struct wall_reach before;
    if (!is_in_store(pass->seat))
        return OK;
    TRY(what_was_reached(pass, seat_own_read(pass, STORE_FILE, json_object()), &before));
    return wall_remove_reach(pass->arena, &before);
}
