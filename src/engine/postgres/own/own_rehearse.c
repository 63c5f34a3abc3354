/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/postgres/own/own_rehearse.h"

#include <errno.h>

#include "base/crypto/crypto.h"
#include "base/disk.h"
#include "engine/program.h"

enum { SAID_BYTES = 64 * 1024, MASTER_KEY_BYTES = 32 };

static const struct disk_owner unchanged = { (uid_t)-1, (gid_t)-1 };

static error
write_file(struct arena *arena, str path, str text)
{
    if (text.len == 0 || !disk_replace(path.data, text, 0600, unchanged))
        return problem(arena, "%s cannot be written: %s.", path.data, strerror(errno));
    return OK;
}

/* The questions of a drill go past every setting of the server; a control plane is to be started with them, as it would be. */
static error
connection(struct arena *arena, str folder, str database, const char *superuser, str *ret_connection)
{
    if (strpbrk(database.data, "'\\\n") != NULL || strpbrk(superuser, "'\\\n") != NULL)
        return problem(arena, "Names with quotes in them cannot be put into a configuration.");
    *ret_connection =
        str_format(arena, "host=%s/run port=5432 dbname='%s' user='%s'", folder.data, database.data, superuser);
    return OK;
}

error
own_rehearse(struct arena *arena, str folder, const json_t *wish, const char *superuser, str *ret_said)
{
    uint8_t key[MASTER_KEY_BYTES];
    str config = str_format(arena, "%s/conf/reeve.conf", folder.data),
        key_file = str_format(arena, "%s/conf/key", folder.data);
    str database, said = STR_EMPTY;
    str program = json_text_at(wish, "program");
    const char *const argv[] = { program.data, "rehearse", "--config", config.data, NULL };
    TRY(connection(arena, folder, json_text_at(wish, "database"), superuser, &database));
    crypto_random(key, sizeof(key));
    TRY(write_file(arena, key_file, str_format(arena, "%s\n", str_hex(arena, key, sizeof(key)).data)));
    /* It listens nowhere, so nobody looks for the certificate. */
    TRY(write_file(arena, config,
                   str_format(arena,
                              "database = %s\nkey_file = %s\nrun_dir = %s/run\ncertificate = /nonexistent\n"
                              "certificate_key = /nonexistent\n",
                              database.data, key_file.data, folder.data)));
    error why = program_ask(arena, argv, STR_EMPTY, SAID_BYTES, &said);
    str first = str_cut(&said, '\n');
    if (problem_is_of_moment(why))
        return why;
    if (why != OK)
        return problem(arena, "No control plane starts from it: %.*s", STR_ARG(first.len > 0 ? first : why->detail));
    *ret_said = str_dup(arena, first);
    return OK;
}
