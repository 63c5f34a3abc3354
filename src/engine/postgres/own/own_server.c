/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/postgres/own/own_server.h"

#include <libpq-fe.h>

#include "engine/sql.gen.h"

enum { CONNECTION_BYTES = 16 * 1024 };

/* ---- The connection string ---- */
/* What is given in another way, and how. */
static const struct {
    const char *keyword, *instead;
} refused[] = {
    { "passfile", "--password-file" },      { "sslrootcert", "--authority" },
    { "sslcert", "--certificate" },         { "sslkey", "--key" },
    { "sslpassword", "a key without one" }, { "replication", "nothing" },
    { "service", "the server itself" },
};

static error
check_keyword(struct arena *arena, const char *keyword)
{
    for (size_t i = 0; i < LENGTH(refused); i++) {
        if (strcmp(refused[i].keyword, keyword) == 0)
            return problem(arena, "The connection must not have `%s`: give %s.", keyword, refused[i].instead);
    }
    return OK;
}

static void
add_value(struct buf *out, const char *keyword, const char *value)
{
    buf_format(out, "%s%s='", out->len == 0 ? "" : " ", keyword);
    for (; *value != '\0'; value++) {
        if (*value == '\'' || *value == '\\')
            buf_add_char(out, '\\');
        buf_add_char(out, *value);
    }
    buf_add_char(out, '\'');
}

static error
take_options(struct arena *arena, const PQconninfoOption *options, str *ret_connection, str *ret_password)
{
    struct buf out = buf_in(arena, CONNECTION_BYTES);
    str password = STR_EMPTY;
    for (; options->keyword != NULL; options++) {
        if (options->val == NULL)
            continue;
        TRY(check_keyword(arena, options->keyword));
        if (strcmp(options->keyword, "password") == 0)
            password = str_dup(arena, str_from(options->val));
        else
            add_value(&out, options->keyword, options->val);
    }
    str connection = buf_str(&out);
    if (connection.len == 0 || !str_is_one_line(connection))
        return problem(arena, "The connection must say at least host, user and dbname, in one line.");
    *ret_connection = connection;
    *ret_password = password;
    return OK;
}

error
own_server_connection(struct arena *arena, str given, str *ret_connection, str *ret_password)
{
    char *said = NULL;
    PQconninfoOption *options = PQconninfoParse(given.data, &said);
    error why = options == NULL ? problem(arena, "The connection cannot be understood: %s", said == NULL ? "" : said)
                                : take_options(arena, options, ret_connection, ret_password);
    PQfreemem(said);
    PQconninfoFree(options);
    return why;
}

/* ---- What the server says ---- */
static str
column(struct arena *arena, const PGresult *result, const char *name)
{
    return str_dup(arena, str_from(PQgetvalue(result, 0, PQfnumber(result, name))));
}

static error
read_answer(struct arena *arena, PGconn *connection, const PGresult *result, struct own_server *ret_server)
{
    if (PQresultStatus(result) != PGRES_TUPLES_OK || PQntuples(result) != 1)
        return problem(arena, "The server does not say what it is: %s", PQerrorMessage(connection));
    if (!str_is(column(arena, result, "may_replicate"), "t"))
        return problem(arena, "The role may not replicate: ALTER ROLE %s REPLICATION", PQuser(connection));
    if (!str_is(column(arena, result, "has_wal"), "t"))
        return problem(arena, "The server writes too little WAL: set wal_level = replica, and restart it.");
    if (!str_is(column(arena, result, "is_bounded"), "t"))
        return problem(arena,
                       "A repository host that is gone would fill the server's disk: set max_slot_wal_keep_size, to a "
                       "fifth of the disk or so, and reload.");
    *ret_server = (struct own_server){ .major_version = column(arena, result, "major"),
                                       .system = column(arena, result, "system"),
                                       .superuser = column(arena, result, "superuser") };
    return OK;
}

error
own_server_look(struct arena *arena, str connection, struct own_server *ret_server)
{
    str whole = str_format(arena, "%s target_session_attrs=read-write connect_timeout=10", connection.data);
    PGconn *server = PQconnectdb(whole.data);
    PGresult *result =
        PQstatus(server) == CONNECTION_OK ? PQexec(server, member_sql_rows[SQL_OWN_SERVER_LOOK].text) : NULL;
    error why = PQstatus(server) == CONNECTION_OK
                    ? read_answer(arena, server, result, ret_server)
                    : problem(arena, "The server cannot be reached: %s", PQerrorMessage(server));
    PQclear(result);
    PQfinish(server);
    return why;
}
