/* SPDX-License-Identifier: Apache-2.0 */
#include "base/net/egress.h"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

enum { MAX_HOST = 253, HTTPS_PORT = 443, MAX_PORT = 65535, V4_AT = 12 };

/* ---- Addresses ---- */
/* What is not the public Internet, after IANA's registries of special-purpose addresses. */
static const struct {
    uint8_t base[4], prefix;
} not_public_v4[] = {
    { { 0, 0, 0, 0 }, 8 },       { { 10, 0, 0, 0 }, 8 },      { { 100, 64, 0, 0 }, 10 },   { { 127, 0, 0, 0 }, 8 },
    { { 169, 254, 0, 0 }, 16 },  { { 172, 16, 0, 0 }, 12 },   { { 192, 0, 0, 0 }, 24 },    { { 192, 0, 2, 0 }, 24 },
    { { 192, 31, 196, 0 }, 24 }, { { 192, 52, 193, 0 }, 24 }, { { 192, 88, 99, 0 }, 24 },  { { 192, 168, 0, 0 }, 16 },
    { { 192, 175, 48, 0 }, 24 }, { { 198, 18, 0, 0 }, 15 },   { { 198, 51, 100, 0 }, 24 }, { { 203, 0, 113, 0 }, 24 },
    { { 224, 0, 0, 0 }, 4 },     { { 240, 0, 0, 0 }, 4 },
};
static const struct {
    uint8_t base[6], prefix;
} not_public_v6[] = {
    { { 0x20, 0x01, 0x0d, 0xb8 }, 32 },             /* documentation */
    { { 0x20, 0x01, 0x00, 0x00 }, 23 },             /* protocol assignments; Teredo is looked into before */
    { { 0x26, 0x20, 0x00, 0x4f, 0x80, 0x00 }, 48 }, /* AS112 */
    { { 0x3f, 0xff, 0x00 }, 20 },                   /* documentation */
};

static bool
starts_with_bits(const uint8_t *bytes, const uint8_t *base, unsigned bits)
{
    for (unsigned i = 0; i < bits; i++) {
        if (((bytes[i / 8] ^ base[i / 8]) >> (7 - i % 8) & 1) != 0)
            return false;
    }
    return true;
}

static bool
is_public_v4(const uint8_t bytes[4])
{
    for (size_t i = 0; i < LENGTH(not_public_v4); i++) {
        if (starts_with_bits(bytes, not_public_v4[i].base, not_public_v4[i].prefix))
            return false;
    }
    return true;
}

static bool
is_isatap(const uint8_t *b)
{
    return (b[8] & 0xfd) == 0 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe;
}

bool
egress_is_public(const struct net_address *address)
{
    static const uint8_t nat64[12] = { 0x00, 0x64, 0xff, 0x9b }, teredo[4] = { 0x20, 0x01 };
    const uint8_t *b = address->bytes;
    if (net_is_v4(address))
        return is_public_v4(b + V4_AT);
    if (memcmp(b, nat64, sizeof(nat64)) == 0)
        return is_public_v4(b + V4_AT);
    if (b[0] == 0x20 && b[1] == 0x02) /* 6to4 */
        return is_public_v4(b + 2);
    if (memcmp(b, teredo, sizeof(teredo)) == 0) { /* the server, and the client with its bits turned over */
        const uint8_t client[4] = { (uint8_t)~b[12], (uint8_t)~b[13], (uint8_t)~b[14], (uint8_t)~b[15] };
        return is_public_v4(b + 4) && is_public_v4(client);
    }
    if (is_isatap(b) && !is_public_v4(b + V4_AT))
        return false;
    if ((b[0] & 0xe0) != 0x20) /* 2000::/3 is all that is global unicast */
        return false;
    for (size_t i = 0; i < LENGTH(not_public_v6); i++) {
        if (starts_with_bits(b, not_public_v6[i].base, not_public_v6[i].prefix))
            return false;
    }
    return true;
}

bool
egress_is_allowed(const struct egress_allowed *allowed, const struct net_address *address)
{
    if (egress_is_public(address))
        return true;
    for (size_t i = 0; i < allowed->count; i++) {
        if (net_contains(&allowed->blocks[i], address))
            return true;
    }
    return false;
}

/* ---- Addresses of pages ---- */
static bool
is_plain(str text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if (c <= ' ' || c >= 0x7f || strchr("\\\"<>^`{|}", c) != NULL)
            return false;
    }
    return true;
}

static bool
is_host(str host)
{
    for (size_t i = 0; i < host.len; i++) {
        char c = host.data[i];
        bool fine = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-';
        if (!fine)
            return false;
    }
    return host.len > 0 && host.len <= MAX_HOST && host.data[0] != '-' && host.data[0] != '.';
}

/* "HOST", "HOST:PORT" or "[V6]:PORT" */
static bool
split_authority(str authority, str *ret_host, str *ret_port)
{
    struct net_address address;
    str rest = authority;
    if (authority.len > 0 && authority.data[0] == '[') {
        rest = str_slice(authority, 1, authority.len);
        if (str_find(rest, ']') < 0)
            return false;
        *ret_host = str_cut(&rest, ']');
        /* The text of a slice is not NUL-terminated, and the parser does not need it to be. */
        if (!net_parse_address(*ret_host, &address) || str_find(*ret_host, ':') < 0)
            return false;
        if (rest.len > 0 && rest.data[0] != ':')
            return false;
        *ret_port = rest.len == 0 ? STR("443") : str_slice(rest, 1, rest.len);
        return true;
    }
    bool has_port = str_find(authority, ':') >= 0;
    *ret_host = str_cut(&rest, ':');
    *ret_port = has_port ? rest : STR("443");
    return is_host(*ret_host);
}

bool
egress_parse(struct arena *arena, str url, struct egress_url *ret_url, const char **ret_why)
{
    static const str scheme = { "https://", 8 };
    if (url.len > EGRESS_MAX_URL || !is_plain(url)) {
        *ret_why = "it must be at most 2048 printable ASCII characters";
        return false;
    }
    if (url.len < scheme.len || !str_eq_nocase(str_slice(url, 0, scheme.len), scheme)) {
        *ret_why = "it must begin with https://";
        return false;
    }
    str rest = str_slice(url, scheme.len, url.len), host, port_text;
    size_t end = 0;
    while (end < rest.len && rest.data[end] != '/' && rest.data[end] != '?' && rest.data[end] != '#')
        end++;
    str authority = str_slice(rest, 0, end);
    if (str_find(authority, '@') >= 0 || str_find(rest, '#') >= 0) {
        *ret_why = "it must have neither a user nor a fragment";
        return false;
    }
    int64_t port;
    if (!split_authority(authority, &host, &port_text) || !str_to_int(port_text, 1, MAX_PORT, &port)) {
        *ret_why = "its host or port is not valid";
        return false;
    }
    *ret_url = (struct egress_url){ .host = str_dup(arena, host), .port = (uint16_t)port };
    return true;
}

static struct net_address
address_of(const struct sockaddr *from)
{
    if (from->sa_family == AF_INET)
        return net_from_v4((const uint8_t *)&((const struct sockaddr_in *)from)->sin_addr);
    return net_from_v6((const uint8_t *)&((const struct sockaddr_in6 *)from)->sin6_addr);
}

/* ---- Names that are never public ---- */
/* Names of this machine (RFC 6761), and what every Debian has in /etc/hosts. */
static const char *const own_names[] = { "localhost",  "localdomain", "ip6-localhost", "ip6-loopback",
                                         "localhost4", "localhost6",  "localdomain4",  "localdomain6" };
/* Domains that are set aside for private networks or for nobody (RFC 6761, 6762, 7686, 8375, 9476; ICANN's `internal`). */
static const char *const private_domains[] = { "local", "internal", "home.arpa", "lan",   "intranet", "corp",
                                               "home",  "private",  "invalid",   "onion", "alt" };

static bool
is_in_domain(str host, const char *domain)
{
    str wanted = str_from(domain);
    if (host.len < wanted.len || !str_eq_nocase(str_slice(host, host.len - wanted.len, host.len), wanted))
        return false;
    return host.len == wanted.len || host.data[host.len - wanted.len - 1] == '.';
}

static bool
is_in_any(str host, const char *const *domains, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (is_in_domain(host, domains[i]))
            return true;
    }
    return false;
}

/* What a name says by itself. The names of private networks are fine where the operator allows some: what they resolve to decides. */
static bool
name_may_be_allowed(const struct egress_allowed *allowed, str host)
{
    static const uint8_t loopback_v4[4] = { 127, 0, 0, 1 }, loopback_v6[16] = { [15] = 1 };
    if (host.len > 0 && host.data[host.len - 1] == '.') /* the same name, from the root */
        host = str_slice(host, 0, host.len - 1);
    if (is_in_any(host, own_names, LENGTH(own_names))) {
        struct net_address v4 = net_from_v4(loopback_v4), v6 = net_from_v6(loopback_v6);
        return egress_is_allowed(allowed, &v4) || egress_is_allowed(allowed, &v6);
    }
    bool is_private = str_find(host, '.') < 0 ||
                      is_in_any(host, private_domains, LENGTH(private_domains)); /* or of the search list */
    return !is_private || allowed->count > 0;
}

bool
egress_host_may_be_allowed(const struct egress_allowed *allowed, const struct egress_url *url)
{
    struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST };
    struct addrinfo *found = NULL;
    bool fine = true;
    if (getaddrinfo(url->host.data, NULL, &hints, &found) != 0)
        return name_may_be_allowed(allowed, url->host);
    for (const struct addrinfo *at = found; at != NULL && fine; at = at->ai_next) {
        struct net_address address = address_of(at->ai_addr);
        fine = egress_is_allowed(allowed, &address);
    }
    freeaddrinfo(found);
    return fine;
}

bool
egress_resolve(struct arena *arena, const struct egress_allowed *allowed, str url, struct egress_target *ret_target,
               str *ret_why)
{
    const char *why;
    struct egress_target target = { 0 };
    if (!egress_parse(arena, url, &target.url, &why)) {
        *ret_why = str_format(arena, "The address is not valid: %s.", why);
        return false;
    }
    struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM }, *found = NULL;
    /* One sentence for every reason: who names a place must not learn which names there are inside, nor what they resolve to. */
    *ret_why = str_format(arena, "%s was not found, or is not public.", target.url.host.data);
    if (getaddrinfo(target.url.host.data, NULL, &hints, &found) != 0)
        return false;
    bool fine = true;
    for (const struct addrinfo *at = found; at != NULL && fine; at = at->ai_next) {
        if (at->ai_family != AF_INET && at->ai_family != AF_INET6)
            continue;
        struct net_address address = address_of(at->ai_addr);
        fine = egress_is_allowed(allowed, &address);
        if (fine && target.count < EGRESS_MAX_ADDRESSES)
            target.addresses[target.count++] = address;
    }
    freeaddrinfo(found);
    fine &= target.count > 0;
    if (fine) {
        *ret_target = target;
        *ret_why = STR_EMPTY;
    }
    return fine;
}

bool
egress_resolve_operators(struct arena *arena, str url, struct egress_target *ret_target, str *ret_why)
{
    struct net_block everywhere[2];
    const struct egress_allowed allowed = { LENGTH(everywhere), everywhere };
    return net_parse_block(STR("0.0.0.0/0"), &everywhere[0]) && net_parse_block(STR("::/0"), &everywhere[1]) &&
           egress_resolve(arena, &allowed, url, ret_target, ret_why);
}
