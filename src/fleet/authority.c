/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet/authority.h"

#include "base/log.h"
#include "store/fleet/fleet.h"

enum { DAY_S = 24 * 3600 };
#define AUTHORITY_LIFETIME_S ((int64_t)10 * 365 * DAY_S)

// clang-format off
static const struct {
    const char *name, *organization;
    enum certificate_use use;
    int64_t lifetime_s;
} kinds[] = {
    [CERTIFICATE_HOST]           = { "HOST",    "reeve-host",    USE_CLIENT, 30 * DAY_S },
    [CERTIFICATE_MEMBER]         = { "MEMBER",  "reeve-member",  USE_BOTH,   90 * DAY_S },
    [CERTIFICATE_MEMBER_SERVER]  = { "MEMBER",  "reeve-member",  USE_SERVER, 90 * DAY_S },
    [CERTIFICATE_MEMBER_CLUSTER] = { "MEMBER",  "reeve-cluster", USE_BOTH,   90 * DAY_S },
    [CERTIFICATE_MEMBER_ETCD]    = { "MEMBER",  "reeve-etcd",    USE_CLIENT, 90 * DAY_S },
    [CERTIFICATE_SEAT]           = { "SEAT",    "reeve-repository", USE_BOTH, 90 * DAY_S },
    [CERTIFICATE_GATE]           = { "GATE",    "reeve-repository", USE_BOTH, 30 * DAY_S },
    [CERTIFICATE_DOWNLOAD]       = { "DOWNLOAD", "reeve-repository", USE_SERVER, 30 * DAY_S },
    [CERTIFICATE_LOG]            = { "LOG",     "reeve-log",     USE_SERVER, 30 * DAY_S },
    [CERTIFICATE_SERVICE]        = { "SERVICE", "reeve-service", USE_BOTH,   365 * DAY_S }, /* etcd is a client of itself */
};
// clang-format on

/* What the sealed key is tied to: another row's cannot be put in its place. */
static str
place_of_key(struct arena *arena, id authority)
{
    return str_format(arena, "authority/%s/key", id_text(arena, authority).data);
}

static error
make(struct fleet *fleet, struct arena *arena, str name, struct authority_row *ret_row, int64_t *ret_not_after_ms)
{
    struct certificate_subject subject = {
        .common_name = name,
        .organization = STR("reeve"),
        .lifetime_s = AUTHORITY_LIFETIME_S,
    };
    struct certificate made;
    str key;
    ret_row->id = id_new(store_cell(fleet->store));
    if (!certificate_key_new(arena, &key) || !certificate_authority_new(arena, key, &subject, &made) ||
        !crypto_seal(arena, &fleet->authority_key, place_of_key(arena, ret_row->id), key, &ret_row->sealed_key))
        return fail(arena, INTERNAL_ERROR);
    ret_row->certificate = made.pem;
    *ret_not_after_ms = made.not_after_ms;
    return OK;
}

error
authority_create(struct fleet *fleet, struct arena *arena, bool *ret_created)
{
    struct authority_row before, row = { 0 };
    int64_t not_after_ms = 0;
    TRY(store_fleet_authority(fleet->store, arena, &before));
    *ret_created = before.certificate.len == 0;
    if (!*ret_created)
        return OK;
    TRY(make(fleet, arena, STR("Reeve fleet authority"), &row, &not_after_ms));
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    TRY(tx_begin_service(fleet->store, arena, &tx));
    TRY(store_fleet_authority_add(tx, &row, not_after_ms));
    return tx_commit(tx);
}

static error
open_row(struct fleet *fleet, struct arena *arena, const struct authority_row *row, struct authority *ret_authority)
{
    *ret_authority = (struct authority){ .id = row->id, .certificate = row->certificate };
    if (crypto_open(arena, &fleet->authority_key, place_of_key(arena, row->id), row->sealed_key, &ret_authority->key))
        return OK;
    log_line(LOG_ERROR, "authority_unreadable", "The key of an authority was sealed with another key_file.");
    return fail(arena, INTERNAL_ERROR);
}

error
authority_open(struct fleet *fleet, struct arena *arena, struct authority *ret_authority)
{
    struct authority_row row;
    TRY(store_fleet_authority(fleet->store, arena, &row));
    if (row.certificate.len == 0)
        return fail(arena, FLEET_NOT_READY);
    return open_row(fleet, arena, &row, ret_authority);
}

error
authority_of_cluster(struct fleet *fleet, struct tx *tx, id cluster, str scope, struct authority *ret_authority)
{
    struct arena *arena = tx_arena(tx);
    struct authority_row row, made = { 0 };
    int64_t not_after_ms = 0;
    TRY(store_cluster_authority(tx, cluster, &row));
    if (row.certificate.len == 0) {
        TRY(make(fleet, arena, str_format(arena, "Reeve cluster %.*s", STR_ARG(scope)), &made, &not_after_ms));
        TRY(store_cluster_authority_add(tx, cluster, &made, not_after_ms));
        TRY(store_cluster_authority(tx, cluster, &row)); /* another host's may have been first */
    }
    if (row.certificate.len == 0)
        return fail(arena,
                    OVERLOADED); /* the cluster is just going, or the other one not seen yet: the host asks again */
    return open_row(fleet, arena, &row, ret_authority);
}

error
authority_fingerprint(const struct authority *authority, struct arena *arena, str *ret_hex)
{
    uint8_t digest[SHA256_BYTES];
    if (!certificate_fingerprint(authority->certificate, digest))
        return fail(arena, INTERNAL_ERROR);
    *ret_hex = str_hex(arena, digest, sizeof(digest));
    return OK;
}

error
authority_issue(const struct authority *authority, struct tx *tx, enum certificate_kind kind, str owner, str request,
                struct certificate_subject subject, str *ret_certificate)
{
    struct arena *arena = tx_arena(tx);
    struct certificate made;
    if (!certificate_request_is_fine(request))
        return fail(
            arena, INVALID_ATTRIBUTE_VALUE, V("csr"),
            V("it must be a certificate request in PEM, signed with its own key: EC on P-256 or P-384, or RSA of 2048 bits"));
    subject.organization = str_from(kinds[kind].organization);
    subject.use = kinds[kind].use;
    if (subject.lifetime_s == 0)
        subject.lifetime_s = kinds[kind].lifetime_s;
    if (!certificate_sign(arena, authority->certificate, authority->key, request, &subject, &made))
        return fail(arena, INTERNAL_ERROR);
    struct certificate_row row = {
        .serial = str_dup(arena, str_from(made.serial)),
        .authority = authority->id,
        .kind = str_from(kinds[kind].name),
        .owner = owner,
        .not_after_ms = made.not_after_ms,
    };
    TRY(store_certificate_add(tx, &row));
    *ret_certificate = made.pem;
    return OK;
}
