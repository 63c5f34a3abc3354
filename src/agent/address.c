/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <linux/if_addr.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/net/net.h"

static bool
address_of(const struct sockaddr *from, struct net_address *ret)
{
    if (from == NULL)
        return false;
    if (from->sa_family == AF_INET)
        *ret = net_from_v4((const uint8_t *)&((const struct sockaddr_in *)(const void *)from)->sin_addr);
    else if (from->sa_family == AF_INET6)
        *ret = net_from_v6((const uint8_t *)&((const struct sockaddr_in6 *)(const void *)from)->sin6_addr);
    else
        return false;
    return true;
}

static bool
same_network(const struct net_address *a, const struct net_address *b, int prefix)
{
    int bits = net_is_v4(a) ? prefix + 96 : prefix;
    if (net_is_v4(a) != net_is_v4(b) || memcmp(a->bytes, b->bytes, (size_t)bits / 8) != 0)
        return false;
    int rest = bits % 8;
    return rest == 0 || (a->bytes[bits / 8] ^ b->bytes[bits / 8]) >> (8 - rest) == 0;
}

/* Looks at every address of the host. With `prefix` < 0 for the address itself, else for another one in its network. */
static unsigned
find_interface(const struct net_address *wanted, int prefix)
{
    struct ifaddrs *all;
    unsigned found = 0;
    if (getifaddrs(&all) != 0)
        return 0;
    for (const struct ifaddrs *one = all; one != NULL && found == 0; one = one->ifa_next) {
        struct net_address have;
        if (!address_of(one->ifa_addr, &have))
            continue;
        bool same = memcmp(have.bytes, wanted->bytes, sizeof(have.bytes)) == 0;
        if (prefix < 0 ? same : !same && same_network(&have, wanted, prefix))
            found = if_nametoindex(one->ifa_name);
    }
    freeifaddrs(all);
    return found;
}

/* ---- rtnetlink ---- */
struct request {
    struct nlmsghdr header;
    struct ifaddrmsg body;
    char attributes[64];
};

static void
add_attribute(struct request *request, unsigned short type, const void *bytes, unsigned short count)
{
    struct rtattr *attribute = (struct rtattr *)(void *)((char *)request + NLMSG_ALIGN(request->header.nlmsg_len));
    attribute->rta_type = type;
    attribute->rta_len = (unsigned short)RTA_LENGTH(count);
    memcpy(RTA_DATA(attribute), bytes, count);
    request->header.nlmsg_len = (unsigned)(NLMSG_ALIGN(request->header.nlmsg_len) + RTA_ALIGN(attribute->rta_len));
}

/* 0, or the errno that the kernel answered. */
static int
send_request(struct request *request)
{
    struct {
        struct nlmsghdr header;
        struct nlmsgerr body;
        char rest[256];
    } answer;
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (fd < 0)
        return errno;
    int result = EIO;
    if (send(fd, request, request->header.nlmsg_len, 0) < 0)
        result = errno;
    else if (recv(fd, &answer, sizeof(answer), 0) >= (ssize_t)sizeof(answer.header) + (ssize_t)sizeof(int) &&
             answer.header.nlmsg_type == NLMSG_ERROR)
        result = -answer.body.error;
    close(fd);
    return result;
}

/* As a network of one: it does not become secondary to the host's own address, with which it would go. */
static int
change(unsigned short type, unsigned short flags, const struct net_address *address, unsigned interface)
{
    bool is_v4 = net_is_v4(address);
    const uint8_t *bytes = is_v4 ? address->bytes + 12 : address->bytes;
    unsigned short count = is_v4 ? 4 : 16;
    struct request request = {
        .header = { .nlmsg_len = NLMSG_LENGTH(sizeof(struct ifaddrmsg)),
                    .nlmsg_type = type,
                    .nlmsg_flags = (unsigned short)(NLM_F_REQUEST | NLM_F_ACK | flags) },
        .body = { .ifa_family = is_v4 ? AF_INET : AF_INET6,
                  .ifa_prefixlen = is_v4 ? 32 : 128,
                  .ifa_flags = is_v4 ? 0 : IFA_F_NODAD,
                  .ifa_index = interface },
    };
    add_attribute(&request, IFA_LOCAL, bytes, count);
    add_attribute(&request, IFA_ADDRESS, bytes, count);
    return send_request(&request);
}

error
address_add(struct arena *arena, str text, int prefix)
{
    struct net_address address;
    if (!net_parse_address(text, &address) || prefix < 0 || prefix > (net_is_v4(&address) ? 32 : 128))
        return problem(arena, "%.*s/%d is no address.", STR_ARG(text), prefix);
    if (find_interface(&address, -1) != 0)
        return OK;
    unsigned interface = find_interface(&address, prefix);
    if (interface == 0)
        return problem(arena, "No interface of this host has an address in the network of %.*s/%d.", STR_ARG(text),
                       prefix);
    int why = change(RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL, &address, interface);
    if (why != 0 && why != EEXIST)
        return problem(arena, "%.*s cannot be added: %s.", STR_ARG(text), strerror(why));
    return OK;
}

error
address_remove(struct arena *arena, str text)
{
    struct net_address address;
    if (!net_parse_address(text, &address))
        return problem(arena, "%.*s is no address.", STR_ARG(text));
    unsigned interface = find_interface(&address, -1);
    if (interface == 0)
        return OK;
    int why = change(RTM_DELADDR, 0, &address, interface);
    if (why != 0 && why != EADDRNOTAVAIL)
        return problem(arena, "%.*s cannot be removed: %s.", STR_ARG(text), strerror(why));
    return OK;
}
