/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet/join.h"

#include "base/json.h"
#include "fleet/agent_parts.h"
#include "fleet/refusal.h"
#include "fleet/report.h"
#include "store/network/peer.h"
#include "wire/patroni.h"

#define TOKEN_KIND "join"

/* ---- Tokens ---- */
static str
hash_token(struct fleet *fleet, struct arena *arena, str token)
{
    uint8_t mac[SHA256_BYTES];
    crypto_hmac_sha256(&fleet->token_key, token, mac);
    return str_dup(arena, (str){ (const char *)mac, sizeof(mac) });
}

error
join_token_add(struct fleet *fleet, struct tx *tx, const struct join_place *place, int64_t lifetime_s,
               bool *ret_is_valid, str *ret_token)
{
    struct arena *arena = tx_arena(tx);
    struct authority authority;
    str fingerprint;
    TRY(authority_open(fleet, arena, &authority));
    TRY(authority_fingerprint(&authority, arena, &fingerprint));
    str secret = secret_new(arena, TOKEN_KIND);
    TRY(store_join_token_add(tx, hash_token(fleet, arena, secret), place, lifetime_s, ret_is_valid));
    if (*ret_is_valid)
        *ret_token = str_format(arena, "%.*s:%.*s", STR_ARG(secret), STR_ARG(fingerprint));
    return OK;
}

/* ---- Joining ---- */
struct joining {
    str token, csr;
    struct host_facts facts;
    bool has_patroni;
};

static error
read_joining(struct request *req, struct joining *ret_joining)
{
    struct arena *arena = req->arena;
    json_t *said, *facts;
    TRY(report_parse(arena, req->in.body, &said));
    /* What stands behind the colon is for the agent's eyes. */
    str token = json_str(json_object_get(said, "token"));
    ret_joining->token = str_cut(&token, ':');
    ret_joining->csr = json_str(json_object_get(said, "csr"));
    if (ret_joining->token.len == 0)
        return fail(arena, MISSING_ATTRIBUTE, V("token"));
    if (ret_joining->csr.len == 0)
        return fail(arena, MISSING_ATTRIBUTE, V("csr"));
    TRY(report_read_facts(arena, "facts.", json_object_get(said, "facts"), &facts));
    json_t *cpus = json_object_get(facts, "cpus"), *memory = json_object_get(facts, "memoryMb"),
           *disk = json_object_get(facts, "diskGb");
    if (cpus == NULL || json_integer_value(memory) <= 0 || json_integer_value(disk) <= 0)
        return fail(arena, MISSING_ATTRIBUTE, V("facts.cpus, facts.memoryMb and facts.diskGb"));
    str patroni = json_str(json_object_get(facts, "patroniVersion"));
    if (patroni.len > 0 && !patroni_is_new_enough(patroni))
        return fail(
            arena, INVALID_ATTRIBUTE_VALUE, V("facts.patroniVersion"),
            V("Patroni before " PATRONI_LEAST " can lose acknowledged writes; install a newer one on this host"));
    ret_joining->has_patroni = patroni.len > 0;
    str address = json_str(json_object_get(facts, "address"));
    ret_joining->facts = (struct host_facts){
        .cpus = str_format(arena, "%.3f", json_number_value(cpus)),
        .memory_mb = json_integer_value(memory),
        .disk_gb = json_integer_value(disk),
        .address = address.len > 0 ? address : net_address_text(arena, &req->in.client),
        .json = json_text(arena, facts),
    };
    return OK;
}

static const char *
why_not(enum join_token_state state)
{
    switch (state) {
    case TOKEN_USED: return "it was used already";
    case TOKEN_EXPIRED: return "it has expired";
    case TOKEN_UNKNOWN:
    case TOKEN_TAKEN: break;
    }
    return "there is no such token";
}

static error
take_token(struct fleet *fleet, struct tx *tx, str token, struct join_place *ret_place)
{
    struct arena *arena = tx_arena(tx);
    enum join_token_state state = TOKEN_UNKNOWN;
    if (secret_is_well_formed(token, TOKEN_KIND))
        TRY(store_join_token_take(tx, hash_token(fleet, arena, token), &state, ret_place));
    if (state == TOKEN_TAKEN)
        return OK;
    refusal_note(ID_NONE, "join_refused", str_format(arena, "somebody tried to join: %s.", why_not(state)));
    return fail(arena, JOIN_TOKEN_NOT_VALID, V(why_not(state)));
}

str
agent_certificate_document(struct arena *arena, str certificate, const struct authority *authority)
{
    struct buf out = buf_in(arena, 4 * CERTIFICATE_MAX_BYTES);
    buf_add_text(&out, "{\"certificate\":");
    buf_add_json(&out, certificate);
    buf_add_text(&out, ",\"authority\":");
    buf_add_json(&out, authority->certificate);
    buf_add_text(&out, "}");
    return buf_str(&out);
}

static str
joined_document(struct arena *arena, str host, str name, int64_t epoch, str certificate,
                const struct authority *authority)
{
    struct buf out = buf_in(arena, 4 * CERTIFICATE_MAX_BYTES);
    buf_format(&out, "{\"hostId\":\"%.*s\",\"hostName\":", STR_ARG(host));
    buf_add_json(&out, name);
    buf_format(&out, ",\"epoch\":%lld,\"certificate\":", (long long)epoch);
    buf_add_json(&out, certificate);
    buf_add_text(&out, ",\"authority\":");
    buf_add_json(&out, authority->certificate);
    buf_add_text(&out, "}");
    return buf_str(&out);
}

/* As for addresses of members: those of a tenant's network, to which a tunnel leads, are no host's. */
static error
check_address(struct tx *tx, str address)
{
    str block;
    TRY(store_address_is_peered(tx, address, 1, &block));
    return block.len == 0
               ? OK
               : fail(tx_arena(tx), INVALID_ATTRIBUTE_VALUE, V("facts.address"),
                      V(str_format(
                            tx_arena(tx),
                            "a client's network that is connected by a peering has %.*s; give the host another address",
                            STR_ARG(block))
                            .data));
}

/* The token is used up, the host made, its older certificates revoked and the new one recorded, or nothing of it. */
error
agent_join(struct request *req)
{
    struct fleet *fleet = agents_fleet(req);
    struct arena *arena = req->arena;
    struct joining joining;
    struct authority authority;
    struct join_place place;
    id host;
    bool joined;
    int64_t epoch, revoked;
    str certificate;
    TRY(read_joining(req, &joining));
    TRY(authority_open(fleet, arena, &authority));
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    TRY(tx_begin_service(fleet->store, arena, &tx));
    TRY(take_token(fleet, tx, joining.token, &place));
    if (place.purpose == HOST_FOR_DATABASES && !joining.has_patroni)
        return fail(arena, INVALID_ATTRIBUTE_VALUE, V("facts.patroniVersion"),
                    V("members need Patroni; install " PATRONI_LEAST " or newer on this host"));
    TRY(check_address(tx, joining.facts.address));
    TRY(store_host_join(tx, id_new(store_cell(fleet->store)), &place, &joining.facts, &joined, &host, &epoch));
    if (!joined)
        return fail(arena, JOIN_TOKEN_NOT_VALID, V("the host of this name has another purpose, and is not empty"));
    str owner = id_text(arena, host);
    TRY(store_certificate_revoke(tx, STR("HOST"), owner, &revoked));
    TRY(authority_issue(&authority, tx, CERTIFICATE_HOST, owner, joining.csr,
                        (struct certificate_subject){ .common_name = owner }, &certificate));
    TRY(tx_notify(tx, GOAL_CHANNEL, owner)); /* a poll of whoever was this host before ends now */
    TRY(tx_commit(tx));
    agent_answer(req, 201, joined_document(arena, owner, place.host_name, epoch, certificate, &authority));
    return OK;
}
