/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/names.h"

#include "base/crypto/crypto.h"

const struct cluster_naming cluster_naming_usual = { NAMES_NAMED, 5432, 6432 };

bool
name_scheme_from(str word, enum name_scheme *ret_scheme)
{
    static const char *const words[] = { [NAMES_NAMED] = "named", [NAMES_RANDOM] = "random", [NAMES_SHARD] = "shard" };
    for (size_t i = 0; i < LENGTH(words); i++) {
        if (!str_is(word, words[i]))
            continue;
        *ret_scheme = (enum name_scheme)i;
        return true;
    }
    return false;
}

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
        if (byte >= FAIR)
            continue;
        char letter = letters[byte % LETTERS];
        /* What ends a label is never taken for the number of a member. */
        if (i > 0 || letter > '9')
            name[i++] = letter;
    }
    return str_dup(arena, (str){ name, sizeof(name) });
}

/* Small letters and digits with single hyphens between them: "--" would have a meaning to resolvers ("xn--"). */
static size_t
plain_label(str name, char *ret_label, size_t size)
{
    size_t len = 0;
    for (size_t i = 0; i < name.len && len < size; i++) {
        char c = name.data[i];
        bool is_capital = c >= 'A' && c <= 'Z';
        if (is_capital || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
            ret_label[len++] = (char)(is_capital ? c - 'A' + 'a' : c);
        else if (len > 0 && ret_label[len - 1] != '-')
            ret_label[len++] = '-';
    }
    while (len > 0 && ret_label[len - 1] == '-')
        len--;
    return len;
}

str
name_new_label(struct arena *arena, enum name_scheme scheme, str name, str set_name)
{
    char plain[LABEL_MAX_LENGTH - SET_NAME_LENGTH - 1];
    size_t len = scheme == NAMES_NAMED ? plain_label(name, plain, sizeof(plain)) : 0;
    if (scheme == NAMES_SHARD)
        return STR_EMPTY;
    return len == 0 ? set_name : str_format(arena, "%.*s-%.*s", (int)len, plain, STR_ARG(set_name));
}

str
name_of_member(struct arena *arena, str set_name, str host_label, int ordinal)
{
    if (host_label.len == 0)
        return str_format(arena, "%.*s-shard-00-%02d", STR_ARG(set_name), ordinal);
    return str_format(arena, "%.*s-%d", STR_ARG(host_label), ordinal + 1);
}

str
name_of_host(struct arena *arena, const struct cluster_names *names, int ordinal, bool is_private)
{
    str member = name_of_member(arena, names->set_name, names->host_label, ordinal);
    return str_format(arena, "%.*s%s.%.*s.%.*s", STR_ARG(member), is_private ? "-pri" : "", STR_ARG(names->label),
                      STR_ARG(names->domain));
}

str
name_of_service(struct arena *arena, const struct cluster_names *names, bool is_private)
{
    str cluster = names->host_label.len > 0 ? names->host_label : names->set_name;
    return str_format(arena, "_postgresql._tcp.%.*s%s.%.*s.%.*s", STR_ARG(cluster), is_private ? "-pri" : "",
                      STR_ARG(names->label), STR_ARG(names->domain));
}

str
name_service_target(struct arena *arena, int64_t port, str host)
{
    return str_format(arena, "0 0 %d %.*s", (int)port, STR_ARG(host));
}
