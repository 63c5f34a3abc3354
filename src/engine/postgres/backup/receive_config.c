/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/postgres/backup/receive_config.h"

#include "base/disk.h"
#include "base/json.h"
#include "engine/postgres/postgres.h"

enum { FILE_BYTES = 1024 * 1024, CONNINFO_BYTES = 16 * 1024 };

error
receive_config_read(struct arena *arena, str folder, struct receive_config *ret_config)
{
    str path = str_format(arena, "%s/" SEAT_RECEIVE_FILE, folder.data), text;
    struct receive_config config = { .folder = folder };
    json_t *said = disk_read(arena, path.data, FILE_BYTES, &text) ? json_parse_own(arena, text) : NULL, *one;
    size_t i;
    config.stanza = str_dup(arena, json_str(json_object_get(said, "stanza")));
    config.slot = str_dup(arena, json_str(json_object_get(said, "slot")));
    config.connection = str_dup(arena, json_str(json_object_get(said, "connection")));
    json_array_foreach(json_object_get(said, "members"), i, one)
    {
        if (i < RECEIVE_MOST_MEMBERS)
            config.members[config.member_count++] =
                (struct receive_member){ str_dup(arena, json_str(json_object_get(one, "name"))),
                                         str_dup(arena, json_str(json_object_get(one, "address"))),
                                         (int)json_integer_value(json_object_get(one, "port")) };
    }
    if (config.stanza.len == 0 || config.slot.len == 0)
        return problem(arena, "%s cannot be understood.", path.data);
    *ret_config = config;
    return OK;
}

/* A server that is gone must not be waited for: the next one is the primary soon. */
#define IMPATIENT " connect_timeout=3 keepalives_idle=5 keepalives_interval=2 keepalives_count=3 tcp_user_timeout=10000"

str
receive_conninfo(struct arena *arena, const struct receive_config *config, int member)
{
    struct buf out = buf_in(arena, CONNINFO_BYTES);
    size_t first = member < 0 ? 0 : (size_t)member, behind = member < 0 ? config->member_count : first + 1;
    if (config->connection.len > 0)
        return str_format(arena, "%s application_name=%s target_session_attrs=read-write" IMPATIENT,
                          config->connection.data, config->slot.data);
    buf_add_text(&out, "host=");
    for (size_t i = first; i < behind; i++)
        buf_format(&out, "%s%s", i == first ? "" : ",", config->members[i].address.data);
    buf_add_text(&out, " port=");
    for (size_t i = first; i < behind; i++)
        buf_format(&out, "%s%d", i == first ? "" : ",", config->members[i].port);
    buf_format(&out,
               " user=" WAL_ROLE " dbname=" SUPERUSER " application_name=%s target_session_attrs=%s sslmode=verify-full"
               " sslrootcert=%s/tls/authority.crt sslcert=%s/tls/seat.crt sslkey=%s/tls/seat.key" IMPATIENT,
               config->slot.data, member < 0 ? "read-write" : "any", config->folder.data, config->folder.data,
               config->folder.data);
    return buf_str(&out);
}
