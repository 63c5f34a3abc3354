/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a program that wants to be let in shows (RFC 8628). Its own code is a statement that any node can read and nobody else can make: when and from
 * where it asked, and what it calls its host. The short code that a person types is the beginning of a MAC over it. So nothing is kept of whoever only asks.
 * Pure: no clock, no store.
 */
#ifndef AUTH_PERSON_DEVICE_H
#define AUTH_PERSON_DEVICE_H

#include "base/crypto/crypto.h"
#include "base/net/net.h"

#define DEVICE_KEY_PURPOSE "device code v1"
enum {
    DEVICE_LIFETIME_S = 600,
    DEVICE_INTERVAL_S = 5,        /* between two questions of a device */
    DEVICE_HOST_MAX = 100,        /* bytes of what it calls its host */
    DEVICE_USER_CODE_LETTERS = 8, /* 20 letters each: 34 bits */
    DEVICE_CODE_TEXT_MAX = 300
};

struct device {
    int64_t expires_at_s;
    struct net_address address; /* from where it asked */
    str host;                   /* as it calls itself */
    uint8_t hash[SHA256_BYTES]; /* of its code: what is kept of it */
    char user_code[DEVICE_USER_CODE_LETTERS + 1];
};
enum device_state { DEVICE_GOOD, DEVICE_EXPIRED, DEVICE_FOREIGN };

/* Letters, digits, dots, hyphens and underscores. */
bool device_host_is_good(str host);
/* Empty when the arena is full. */
str device_code_new(struct arena *arena, const struct key *key, int64_t now_s, const struct net_address *address,
                    str host);
/* *ret_device is filled unless it is foreign. */
MUST_USE enum device_state device_code_read(struct arena *arena, const struct key *key, int64_t now_s, str code,
                                            struct device *ret_device);

/* What a person typed, in any case and with or without hyphens and spaces. */
MUST_USE bool device_user_code_read(str typed, char ret_code[DEVICE_USER_CODE_LETTERS + 1]);
/* "BCDF-GHJK" */
str device_user_code_text(struct arena *arena, const char *code);

#endif
