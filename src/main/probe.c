/* SPDX-License-Identifier: Apache-2.0 */
#include "main/probe.h"

#include <arpa/inet.h>
#include <arpa/nameser.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <resolv.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PATIENCE_MS = 2000, PACKET_BYTES = 4096, SERIAL_FROM_END = 20 };

/* A connected socket that does not block; -1 with the reason. */
static int
open_socket(const char *host, const char *port, int type, const char **ret_why)
{
    struct addrinfo hints = { .ai_socktype = type }, *found;
    int problem = getaddrinfo(host, port, &hints, &found);
    if (problem != 0) {
        *ret_why = gai_strerror(problem);
        return -1;
    }
    int fd = socket(found->ai_family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, found->ai_addr, found->ai_addrlen) != 0 && errno != EINPROGRESS) {
        *ret_why = strerror(errno);
        close(fd);
        fd = -1;
    } else if (fd < 0) {
        *ret_why = strerror(errno);
    }
    freeaddrinfo(found);
    return fd;
}

static bool
wait_for(int fd, short events, const char **ret_why)
{
    struct pollfd one = { .fd = fd, .events = events };
    if (poll(&one, 1, PATIENCE_MS) == 1)
        return true;
    *ret_why = "no answer within two seconds";
    return false;
}

bool
probe_tcp(const char *host, const char *port, const char **ret_why)
{
    int fd = open_socket(host, port, SOCK_STREAM, ret_why);
    if (fd < 0)
        return false;
    int problem = 0;
    socklen_t len = sizeof(problem);
    bool answers = wait_for(fd, POLLOUT, ret_why);
    if (answers && (getsockopt(fd, SOL_SOCKET, SO_ERROR, &problem, &len) != 0 || problem != 0)) {
        *ret_why = strerror(problem);
        answers = false;
    }
    close(fd);
    return answers;
}

/* The serial is the first of the five numbers that end a SOA record. */
static bool
read_serial(const unsigned char *packet, int len, uint32_t *ret_serial, const char **ret_why)
{
    ns_msg message;
    ns_rr record;
    *ret_why = "it does not know the zone";
    if (ns_initparse(packet, len, &message) != 0 || ns_msg_getflag(message, ns_f_rcode) != ns_r_noerror ||
        ns_msg_count(message, ns_s_an) == 0 || ns_parserr(&message, ns_s_an, 0, &record) != 0 ||
        ns_rr_type(record) != ns_t_soa || ns_rr_rdlen(record) < SERIAL_FROM_END)
        return false;
    memcpy(ret_serial, ns_rr_rdata(record) + ns_rr_rdlen(record) - SERIAL_FROM_END, sizeof(*ret_serial));
    *ret_serial = ntohl(*ret_serial);
    return true;
}

bool
probe_zone_serial(const char *address, const char *port, const char *zone, uint32_t *ret_serial, const char **ret_why)
{
    unsigned char packet[PACKET_BYTES];
    int fd = open_socket(address, port, SOCK_DGRAM, ret_why);
    if (fd < 0)
        return false;
    int len = res_mkquery(ns_o_query, zone, ns_c_in, ns_t_soa, NULL, 0, NULL, packet, sizeof(packet));
    bool known = false;
    *ret_why = "the question cannot be written";
    if (len > 0 && send(fd, packet, (size_t)len, 0) == len && wait_for(fd, POLLIN, ret_why)) {
        ssize_t got = recv(fd, packet, sizeof(packet), 0);
        *ret_why = got < 0 ? strerror(errno) : "";
        known = got > 0 && read_serial(packet, (int)got, ret_serial, ret_why);
    }
    close(fd);
    return known;
}
