/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fleet's certificate authority. It decides what a certificate is for; of a request it uses only the key. Every
 * certificate is recorded before it is sent, in the transaction that made it necessary.
 */
#ifndef FLEET_AUTHORITY_H
#define FLEET_AUTHORITY_H

#include "base/crypto/certificate.h"
#include "fleet/fleet.h"

struct authority {
    id id;
    str certificate, key; /* PEM */
};

/* Makes the authority unless there is one. */
MUST_USE error authority_create(struct fleet *fleet, struct arena *arena, bool *ret_created);
/* FLEET_NOT_READY when there is none. */
MUST_USE error authority_open(struct fleet *fleet, struct arena *arena, struct authority *ret_authority);
/* The authority of one cluster, in this transaction; made when it is asked for the first time. `scope` is for people. */
MUST_USE error authority_of_cluster(struct fleet *fleet, struct tx *tx, id cluster, str scope,
                                    struct authority *ret_authority);
/* SHA-256 of its certificate, in hexadecimal: how an agent knows the control plane before it has a certificate. */
MUST_USE error authority_fingerprint(const struct authority *authority, struct arena *arena, str *ret_hex);

/*
 * What a certificate is for. A member has one for each: MEMBER is what agents from before have for everything. An etcd client's has no
 * common name: etcd's gateway refuses those that have one, and etcd would take it for the name of a user.
 */
enum certificate_kind {
    CERTIFICATE_HOST,
    CERTIFICATE_MEMBER,
    CERTIFICATE_MEMBER_SERVER,  /* to clients of the database */
    CERTIFICATE_MEMBER_CLUSTER, /* to other members of the cluster, signed by its own authority */
    CERTIFICATE_MEMBER_ETCD,    /* to etcd */
    CERTIFICATE_SEAT,     /* of a repository host to one cluster's members, signed by the cluster's own authority */
    CERTIFICATE_GATE,     /* of a repository host to the members of a restore's target, likewise */
    CERTIFICATE_DOWNLOAD, /* of a repository host to the nodes that fetch a file there */
    CERTIFICATE_LOG,      /* of a host to the nodes that read logs there */
    CERTIFICATE_SERVICE,
};
/* INVALID_ATTRIBUTE_VALUE of csr when the request is not good. `owner` is the id of the host or member, or the name. The
 * lifetime is the kind's own unless the subject says one. */
MUST_USE error authority_issue(const struct authority *authority, struct tx *tx, enum certificate_kind kind, str owner,
                               str request, struct certificate_subject subject, str *ret_certificate);

#endif
