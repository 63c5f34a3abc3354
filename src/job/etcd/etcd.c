/* SPDX-License-Identifier: Apache-2.0 */
#include "job/etcd/etcd.h"

#include "base/crypto/certificate.h"
#include "base/crypto/etcd_password.h"
#include "base/failpoint.h"
#include "base/json.h"
#include "job/kinds.h"
#include "store/etcd/etcd.h"
#include "store/fleet/fleet.h"

enum { IDENTITY_LIFETIME_S = 3600 };
#define NAMESPACE "/reeve/" /* of keys, as the engine has it */
#define ROOT      "root"    /* etcd's own name for who may do everything */

/* A group that is spoken to: with a certificate that was made for this, and as root when it has users. */
struct talk {
    struct arena *arena;
    const struct job_environment *environment;
    struct etcd_place place;
    struct key key;
    str authority, certificate, certificate_key, token;
    json_t *endpoints;
    str why; /* a sentence, when something failed */
};

/* ---- Requests ---- */
/* Gateways of different age call it differently. */
static str
error_of(struct talk *talk, const json_t *said, int status)
{
    str words = json_str(json_object_get(said, "error"));
    if (words.len == 0)
        words = json_str(json_object_get(said, "message"));
    return words.len > 0 ? words : str_format(talk->arena, "it answered %d", status);
}

/* False with a sentence when no server answered. An answer that is an error comes with etcd's own words in *ret_error. */
static bool
ask(struct talk *talk, const char *path, json_t *body, json_t **ret_answer, str *ret_error)
{
    str text = json_text(talk->arena, json_in(talk->arena, body)), answer;
    *ret_error = STR_EMPTY;
    for (size_t i = 0; i < json_array_size(talk->endpoints); i++) {
        const char *endpoint = json_string_value(json_array_get(talk->endpoints, i));
        struct etcd_request request = {
            .url = str_format(talk->arena, "%s%s", endpoint, path),
            .authority = talk->authority,
            .certificate = talk->certificate,
            .key = talk->certificate_key,
            .token = talk->token,
            .body = text,
        };
        failpoint("etcd:ask:before");
        int status = talk->environment->call_etcd(talk->arena, &request, &answer, &talk->why);
        failpoint("etcd:ask:after");
        if (status == 0)
            continue; /* the next one may answer */
        json_t *said = json_parse_own(talk->arena, answer);
        if (status != 200)
            *ret_error = error_of(talk, said, status);
        if (ret_answer != NULL)
            *ret_answer = said;
        return true;
    }
    return false;
}

/* Whether it is done; `fine` is what etcd says when it was done before. */
static bool
order(struct talk *talk, const char *path, json_t *body, const char *fine)
{
    str problem;
    if (!ask(talk, path, body, NULL, &problem))
        return false;
    if (problem.len == 0 || (fine != NULL && strstr(str_dup(talk->arena, problem).data, fine) != NULL))
        return true;
    talk->why = str_format(talk->arena, "etcd refused %s: %.*s.", path, STR_ARG(problem));
    return false;
}

/* ---- Beginning ---- */
/* Signed for an hour by the fleet's authority, without a name: etcd's gateway takes no other when it has users. */
static error
make_identity(struct talk *talk, struct store *store)
{
    struct arena *arena = talk->arena;
    struct authority_row row;
    struct certificate made;
    str key, request;
    TRY(store_fleet_authority(store, arena, &row));
    struct key sealing = crypto_derive(&talk->environment->key, "fleet authority v1");
    str place = str_format(arena, "authority/%s/key", id_text(arena, row.id).data);
    struct certificate_subject subject = { .organization = STR("reeve-etcd"),
                                           .lifetime_s = IDENTITY_LIFETIME_S,
                                           .use = USE_CLIENT };
    if (row.certificate.len == 0)
        return fail(arena, FLEET_NOT_READY);
    if (!crypto_open(arena, &sealing, place, row.sealed_key, &key) ||
        !certificate_key_new(arena, &talk->certificate_key) ||
        !certificate_request_new(arena, talk->certificate_key, STR("reeve"), &request) ||
        !certificate_sign(arena, row.certificate, key, request, &subject, &made))
        return fail(arena, INTERNAL_ERROR);
    talk->authority = row.certificate;
    talk->certificate = made.pem;
    return OK;
}

static error
begin(struct talk *talk, struct store *store)
{
    struct arena *arena = talk->arena;
    talk->key = crypto_derive(&talk->environment->key, ETCD_KEY_PURPOSE);
    talk->token = talk->why = STR_EMPTY;
    talk->endpoints = json_parse_own(arena, talk->place.endpoints);
    if (json_array_size(talk->endpoints) == 0)
        talk->endpoints =
            json_parse_own(arena, str_from(talk->environment->etcd == NULL ? "[]" : talk->environment->etcd));
    if (talk->environment->call_etcd == NULL)
        return fail(arena, INTERNAL_ERROR);
    talk->why = STR("The group has no endpoints.");
    return make_identity(talk, store);
}

/* As root, when there are users already. */
static bool
log_in(struct talk *talk)
{
    json_t *answer = NULL;
    str password, problem;
    if (!etcd_password_of_root_open(talk->arena, &talk->key, talk->place.group, talk->place.sealed_root, &password)) {
        talk->why = STR("The password of etcd's root cannot be opened with this node's key.");
        return false;
    }
    if (!ask(talk, "/v3/auth/authenticate",
             json_pack("{s:s, s:s%}", "name", ROOT, "password", password.data, password.len), &answer, &problem))
        return false;
    if (problem.len > 0) {
        bool is_off = strstr(str_dup(talk->arena, problem).data, "authentication is not enabled") != NULL;
        talk->why = str_format(talk->arena, "etcd does not know its root: %.*s.", STR_ARG(problem));
        return is_off;
    }
    talk->token = json_str(json_object_get(answer, "token"));
    return talk->token.len > 0;
}

/* ---- A cluster's user ---- */
static str
user_of(struct talk *talk)
{
    return str_format(talk->arena, "reeve-%.*s", STR_ARG(talk->place.scope));
}

/* The keys that begin with this, as the gateway wants them: the prefix, and the first key behind. */
static json_t *
range_of(struct talk *talk)
{
    str from = str_format(talk->arena, NAMESPACE "%.*s/", STR_ARG(talk->place.scope));
    str to = str_format(talk->arena, NAMESPACE "%.*s0", STR_ARG(talk->place.scope)); /* '0' follows '/' */
    return json_pack("{s:s, s:s}", "key", str_base64(talk->arena, from.data, from.len).data, "range_end",
                     str_base64(talk->arena, to.data, to.len).data);
}

/* One that is there already may have another password, of a try that was rolled back. Each password costs etcd a tenth of a second. */
static bool
add_login(struct talk *talk, json_t *login)
{
    str problem;
    if (!ask(talk, "/v3/auth/user/add", json_incref(login), NULL, &problem))
        return false;
    if (problem.len == 0)
        return true;
    if (strstr(str_dup(talk->arena, problem).data, "already exists") != NULL)
        return order(talk, "/v3/auth/user/changepw", json_incref(login), NULL);
    talk->why = str_format(talk->arena, "etcd refused /v3/auth/user/add: %.*s.", STR_ARG(problem));
    return false;
}

static bool
make_user(struct talk *talk, str password)
{
    str user = user_of(talk);
    json_t *permission = json_in(talk->arena, range_of(talk));
    json_object_set_new(permission, "permType", json_string("READWRITE"));
    json_t *login =
        json_in(talk->arena, json_pack("{s:s, s:s%}", "name", user.data, "password", password.data, password.len));
    return order(talk, "/v3/auth/role/add", json_pack("{s:s}", "name", user.data), "already exists") &&
           order(talk, "/v3/auth/role/grant", json_pack("{s:s, s:O}", "name", user.data, "perm", permission), NULL) &&
           add_login(talk, login) &&
           order(talk, "/v3/auth/user/grant", json_pack("{s:s, s:s}", "user", user.data, "role", user.data), NULL);
}

/* The password first, in the same transaction as the word that the user is there: a try that fails is rolled back and begins anew. */
static error
make_scope(struct talk *talk, struct store *store, struct tx *tx, id organization, id cluster, bool *ret_is_done)
{
    str sealed = talk->place.sealed_password, password;
    *ret_is_done = false;
    TRY(begin(talk, store));
    if (sealed.len == 0 && !etcd_password_of_cluster_new(talk->arena, &talk->key, cluster, &sealed))
        return fail(talk->arena, INTERNAL_ERROR);
    if (!etcd_password_of_cluster_open(talk->arena, &talk->key, cluster, sealed, &password))
        return fail(talk->arena, INTERNAL_ERROR);
    if (!log_in(talk) || !make_user(talk, password))
        return OK;
    TRY(store_cluster_etcd_password(tx, organization, cluster, sealed));
    TRY(store_cluster_etcd_user(tx, cluster, user_of(talk)));
    *ret_is_done = true;
    return OK;
}

error
etcd_make_scope(struct job_context *context, id cluster, bool *ret_is_done, str *ret_why)
{
    struct talk talk = { .arena = context->arena, .environment = context->environment };
    bool found;
    TRY(store_etcd_of_cluster(context->store, context->arena, cluster, &found, &talk.place));
    /* While others of the group work without, this one does, too; otherwise it waits the moment until the group is locked. */
    bool is_on = talk.place.auth == ETCD_AUTH_ON, is_early = talk.place.is_early || talk.place.waiting > 0;
    *ret_is_done = !found || talk.place.auth == ETCD_AUTH_OFF || talk.place.user.len > 0;
    *ret_why = STR("Authentication of the group is being turned on.");
    if (*ret_is_done || (!is_on && !is_early))
        return OK;
    TRY(make_scope(&talk, context->store, context->tx, context->job->organization, cluster, ret_is_done));
    *ret_why = talk.why;
    return OK;
}

static bool
remove_user(struct talk *talk)
{
    str user = user_of(talk);
    return order(talk, "/v3/auth/user/delete", json_pack("{s:s}", "name", user.data), "not found") &&
           order(talk, "/v3/auth/role/delete", json_pack("{s:s}", "role", user.data), "not found");
}

static error
remove_scope(struct job_context *context, id cluster, bool also_user, bool *ret_is_mine, bool *ret_is_done,
             str *ret_why)
{
    struct talk talk = { .arena = context->arena, .environment = context->environment };
    bool found;
    TRY(store_etcd_of_cluster(context->store, context->arena, cluster, &found, &talk.place));
    *ret_is_mine = found && talk.place.auth != ETCD_AUTH_OFF;
    *ret_is_done = false;
    if (!*ret_is_mine)
        return OK;
    TRY(begin(&talk, context->store));
    *ret_is_done = log_in(&talk) && (!also_user || remove_user(&talk)) &&
                   order(&talk, "/v3/kv/deleterange", range_of(&talk), NULL);
    *ret_why = talk.why;
    return OK;
}

error
etcd_remove_scope(struct job_context *context, id cluster, bool *ret_is_mine, bool *ret_is_done, str *ret_why)
{
    return remove_scope(context, cluster, true, ret_is_mine, ret_is_done, ret_why);
}

error
etcd_remove_keys(struct job_context *context, id cluster, bool *ret_is_mine, bool *ret_is_done, str *ret_why)
{
    return remove_scope(context, cluster, false, ret_is_mine, ret_is_done, ret_why);
}

/* ---- Groups ---- */
/* Whether there is a key that is not ours: whoever has it would be locked out. */
static bool
has_strangers(struct talk *talk, bool *ret_has)
{
    static const char *const ends[][2] = { { "\x01", NAMESPACE }, { "/reeve0", "\xff" } };
    *ret_has = false;
    for (size_t i = 0; i < LENGTH(ends); i++) {
        json_t *answer = NULL;
        str problem, from = str_base64(talk->arena, ends[i][0], strlen(ends[i][0])),
                     to = str_base64(talk->arena, ends[i][1], strlen(ends[i][1]));
        if (!ask(talk, "/v3/kv/range",
                 json_pack("{s:s, s:s, s:b}", "key", from.data, "range_end", to.data, "count_only", 1), &answer,
                 &problem))
            return false;
        talk->why = str_format(talk->arena, "etcd refused to be looked at: %.*s.", STR_ARG(problem));
        if (problem.len > 0)
            return false;
        *ret_has |= json_object_get(answer, "count") != NULL;
    }
    return true;
}

static bool
turn_on(struct talk *talk)
{
    str password;
    bool has = false;
    if (!etcd_password_of_root_open(talk->arena, &talk->key, talk->place.group, talk->place.sealed_root, &password) ||
        !log_in(talk))
        return false;
    if (talk->token.len > 0)
        return true; /* it is on, and this is its root: the word about it was lost */
    if (!has_strangers(talk, &has))
        return false;
    talk->why =
        STR("This etcd contains keys of somebody else, who would be locked out: use an etcd only for clusters.");
    json_t *login =
        json_in(talk->arena, json_pack("{s:s, s:s%}", "name", ROOT, "password", password.data, password.len));
    return !has && order(talk, "/v3/auth/role/add", json_pack("{s:s}", "name", ROOT), "already exists") &&
           order(talk, "/v3/auth/user/add", json_incref(login), "already exists") &&
           order(talk, "/v3/auth/user/changepw", json_incref(login), NULL) &&
           order(talk, "/v3/auth/user/grant", json_pack("{s:s, s:s}", "user", ROOT, "role", ROOT), NULL) &&
           order(talk, "/v3/auth/enable", json_object(), NULL);
}

static error
settle_group(struct sweep_context *context, const struct etcd_place *place)
{
    struct talk talk = { .arena = context->arena, .environment = context->environment, .place = *place };
    bool is_on = place->auth == ETCD_AUTH_ON;
    if (is_on)
        return OK;
    TRY(begin(&talk, context->store));
    if (place->waiting > 0) {
        if (log_in(&talk))
            talk.why = str_format(context->arena, "%lld members must start once more: each does in its turn.",
                                  (long long)place->waiting);
    } else {
        is_on = turn_on(&talk);
    }
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    TRY(tx_begin_service(context->store, context->arena, &tx));
    TRY(store_etcd_group_set_auth(tx, place->group, is_on ? ETCD_AUTH_ON : ETCD_AUTH_PREPARED,
                                  is_on ? STR_EMPTY : talk.why));
    return tx_commit(tx);
}

static error
settle_cluster(struct sweep_context *context, id organization, id cluster)
{
    struct talk talk = { .arena = context->arena, .environment = context->environment };
    bool found, is_done;
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    TRY(store_etcd_of_cluster(context->store, context->arena, cluster, &found, &talk.place));
    if (!found || talk.place.auth == ETCD_AUTH_OFF || talk.place.user.len > 0)
        return OK;
    TRY(tx_begin(context->store, context->arena, organization, &tx));
    TRY(make_scope(&talk, context->store, tx, organization, cluster, &is_done));
    return is_done ? tx_commit(tx) : OK;
}

static error
settle_groups(struct sweep_context *context)
{
    struct etcd_place *places;
    id clusters[ETCD_CLUSTERS_MAX], organizations[ETCD_CLUSTERS_MAX];
    size_t count;
    TRY(store_etcd_without_user(context->store, context->arena, &count, clusters, organizations));
    for (size_t i = 0; i < count; i++)
        TRY(settle_cluster(context, organizations[i], clusters[i]));
    TRY(store_etcd_groups(context->store, context->arena, &count, &places));
    for (size_t i = 0; i < count; i++)
        TRY(settle_group(context, &places[i]));
    return OK;
}

const struct sweep etcd_groups_sweep = {
    .name = "etcd-groups",
    .doc = "Gives clusters from before users in etcd, and turns authentication on when nobody works without.",
    .every_s = 5,
    .run = settle_groups,
};
