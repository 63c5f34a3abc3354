/* SPDX-License-Identifier: Apache-2.0 */
#include "base/net/net.h"

#include <arpa/inet.h>

static const uint8_t mapped_prefix[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF };

enum { MAPPED_BITS = 96 };

struct net_address
net_from_v4(const uint8_t bytes[4])
{
    struct net_address address;
    memcpy(address.bytes, mapped_prefix, sizeof(mapped_prefix));
    memcpy(address.bytes + 12, bytes, 4);
    return address;
}

struct net_address
net_from_v6(const uint8_t bytes[16])
{
    struct net_address address;
    memcpy(address.bytes, bytes, 16);
    return address;
}

bool
net_is_v4(const struct net_address *address)
{
    return memcmp(address->bytes, mapped_prefix, sizeof(mapped_prefix)) == 0;
}

struct net_address
net_host(const struct net_address *address)
{
    enum { NETWORK_BYTES_V6 = 8 };
    struct net_address host = *address;
    if (!net_is_v4(address))
        memset(host.bytes + NETWORK_BYTES_V6, 0, sizeof(host.bytes) - NETWORK_BYTES_V6);
    return host;
}

bool
net_parse_address(str text, struct net_address *ret)
{
    char copy[INET6_ADDRSTRLEN];
    if (text.len == 0 || text.len >= sizeof(copy) || !str_is_text(text))
        return false;
    memcpy(copy, text.data, text.len);
    copy[text.len] = '\0';
    uint8_t bytes[16];
    if (inet_pton(AF_INET, copy, bytes) == 1)
        *ret = net_from_v4(bytes);
    else if (inet_pton(AF_INET6, copy, bytes) == 1)
        *ret = net_from_v6(bytes);
    else
        return false;
    return true;
}

bool
net_parse_block(str text, struct net_block *ret)
{
    str rest = text;
    str address_text = str_cut(&rest, '/');
    bool has_prefix = address_text.len < text.len;
    struct net_block block;
    if (!net_parse_address(address_text, &block.base))
        return false;
    /* "::ffff:10.0.0.0/104" is written in IPv6 and counts its bits there. */
    bool counts_v4 = net_is_v4(&block.base) && str_find(address_text, ':') < 0;
    int64_t prefix = counts_v4 ? 32 : 128;
    if (has_prefix) {
        if (rest.len > 1 && rest.data[0] == '0')
            return false;
        if (!str_to_int(rest, 0, counts_v4 ? 32 : 128, &prefix) || rest.data[0] == '-')
            return false;
    }
    block.prefix = (uint8_t)(prefix + (counts_v4 ? MAPPED_BITS : 0));
    for (unsigned bit = block.prefix; bit < 128; bit++) {
        if (block.base.bytes[bit / 8] >> (7 - bit % 8) & 1)
            return false;
    }
    *ret = block;
    return true;
}

bool
net_contains(const struct net_block *block, const struct net_address *address)
{
    /* "::/0" means every IPv6 address; that IPv4 is kept in the mapped form is our own affair. */
    if (block->prefix < MAPPED_BITS && net_is_v4(address))
        return false;
    unsigned whole = block->prefix / 8, bits = block->prefix % 8;
    if (memcmp(block->base.bytes, address->bytes, whole) != 0)
        return false;
    return bits == 0 || ((block->base.bytes[whole] ^ address->bytes[whole]) >> (8 - bits)) == 0;
}

str
net_address_text(struct arena *arena, const struct net_address *address)
{
    char text[INET6_ADDRSTRLEN];
    bool v4 = net_is_v4(address);
    if (inet_ntop(v4 ? AF_INET : AF_INET6, v4 ? address->bytes + 12 : address->bytes, text, sizeof(text)) == NULL)
        return STR_EMPTY;
    return str_dup(arena, str_from(text));
}

str
net_block_text(struct arena *arena, const struct net_block *block)
{
    bool v4 = net_is_v4(&block->base) && block->prefix >= MAPPED_BITS;
    str address = net_address_text(arena, &block->base);
    return str_format(arena, "%.*s/%d", STR_ARG(address), v4 ? block->prefix - MAPPED_BITS : block->prefix);
}
