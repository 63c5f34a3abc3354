/* SPDX-License-Identifier: Apache-2.0 */
/* Connections of curl to addresses that were judged before (base/net/egress.h), and to no other. */
#ifndef BASE_NET_PINNED_H
#define BASE_NET_PINNED_H

#include <curl/curl.h>

#include "base/arena.h"
#include "base/net/net.h"

struct pinned {
    size_t count;
    const struct net_address *addresses;
    struct curl_slist *hosts; /* for CURLOPT_RESOLVE; NULL: the host is an address, and nothing is looked up */
};

/* Of this host and port: curl looks nothing up by itself. False when memory is short. */
MUST_USE bool pinned_host(struct pinned *pinned, struct arena *arena, str host, uint16_t port);
/* For CURLOPT_OPENSOCKETFUNCTION, with a struct pinned. The last wall: whatever curl made of the address, it connects to one that was judged. */
curl_socket_t pinned_open_socket(void *pinned, curlsocktype purpose, struct curl_sockaddr *address);

#endif
