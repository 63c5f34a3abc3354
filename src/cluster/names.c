/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/names.h"

#include "base/crypto/crypto.h"

str
name_new_set(struct arena *arena)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    enum { LETTERS = sizeof(letters) - 1, FAIR = 256 - 256 % LETTERS };
    char name[SET_NAME_LENGTH];
    for (size_t i = 0; i < SET_NAME_LENGTH;) {
        uint8_t byte;
        crypto_random(&byte, sizeof(byte));
        /* What is left of the last turn would make some letters more frequent than others. */
        if (byte < FAIR)
            name[i++] = letters[byte % LETTERS];
    }
    return str_dup(arena, (str){ name, sizeof(name) });
}

str
name_of_member(struct arena *arena, str set_name, int ordinal)
{
    return str_format(arena, "%.*s-shard-00-%02d", STR_ARG(set_name), ordinal);
}

str
name_of_host(struct arena *arena, const struct cluster_names *names, int ordinal, bool is_private)
{
    return str_format(arena, "%.*s-shard-00-%02d%s.%.*s.%.*s", STR_ARG(names->set_name), ordinal,
                      is_private ? "-pri" : "", STR_ARG(names->label), STR_ARG(names->domain));
}

str
name_of_service(struct arena *arena, const struct cluster_names *names, bool is_private)
{
    return str_format(arena, "_postgresql._tcp.%.*s%s.%.*s.%.*s", STR_ARG(names->set_name), is_private ? "-pri" : "",
                      STR_ARG(names->label), STR_ARG(names->domain));
}

str
name_service_target(struct arena *arena, str host)
{
    return str_format(arena, "0 0 %d %.*s", CLUSTER_PORT, STR_ARG(host));
}
