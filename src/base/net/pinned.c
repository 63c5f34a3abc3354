/* SPDX-License-Identifier: Apache-2.0 */
#include "base/net/pinned.h"

#include <netinet/in.h>
#include <sys/socket.h>

/* "host:port:address,address" */
bool
pinned_host(struct pinned *pinned, struct arena *arena, str host, uint16_t port)
{
    struct net_address literal;
    if (net_parse_address(host, &literal))
        return true;
    struct buf line = buf_in(arena, 4096);
    buf_format(&line, "%.*s:%u", STR_ARG(host), port);
    for (size_t i = 0; i < pinned->count; i++) {
        const struct net_address *address = &pinned->addresses[i];
        buf_add_text(&line, i == 0 ? ":" : ",");
        buf_format(&line, net_is_v4(address) ? "%s" : "[%s]", net_address_text(arena, address).data);
    }
    str text = buf_str(&line);
    pinned->hosts = text.len == 0 ? NULL : curl_slist_append(NULL, text.data);
    return pinned->hosts != NULL;
}

curl_socket_t
pinned_open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address)
{
    const struct pinned *pinned = context;
    struct net_address wanted;
    if (purpose != CURLSOCKTYPE_IPCXN)
        return CURL_SOCKET_BAD;
    if (address->family == AF_INET)
        wanted = net_from_v4((const uint8_t *)&((const struct sockaddr_in *)(const void *)&address->addr)->sin_addr);
    else if (address->family == AF_INET6)
        wanted = net_from_v6((const uint8_t *)&((const struct sockaddr_in6 *)(const void *)&address->addr)->sin6_addr);
    else
        return CURL_SOCKET_BAD;
    for (size_t i = 0; i < pinned->count; i++) {
        if (memcmp(pinned->addresses[i].bytes, wanted.bytes, sizeof(wanted.bytes)) == 0)
            return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    }
    return CURL_SOCKET_BAD;
}
