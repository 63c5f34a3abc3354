/* SPDX-License-Identifier: Apache-2.0 */
/* A port for a server that a test starts, and maybe starts again. */
#ifndef TEST_UNIT_FREE_PORT_H
#define TEST_UNIT_FREE_PORT_H

#include "check.h"

#include <arpa/inet.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <unistd.h>

/*
 * None that the kernel gives to connections of its own accord, so that nobody has it while the server is away; nor one of those that
 * script/with-services and test/api/node.py give. Programs that run side by side begin at different ones.
 */
enum { FREE_PORT_FROM = 15000, FREE_PORT_COUNT = 5000, FREE_PORT_STEP = 37 };

static int
free_port(void)
{
    static int given;
    for (int tries = 0; tries < 1000; tries++) {
        int port = FREE_PORT_FROM + ((int)getpid() * FREE_PORT_STEP + given++) % FREE_PORT_COUNT;
        struct sockaddr_in address = { .sin_family = AF_INET,
                                       .sin_port = htons((uint16_t)port),
                                       .sin_addr = { htonl(INADDR_LOOPBACK) } };
        int fd = socket(AF_INET, SOCK_STREAM, 0);
        bool is_free = bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0;
        close(fd);
        if (is_free)
            return port;
    }
    fail_msg("no port is free");
    return 0;
}

#endif
