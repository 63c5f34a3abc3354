/* SPDX-License-Identifier: Apache-2.0 */
#include "job/federation/provider_keys.h"

#include <pthread.h>

#include "base/json.h"
#include "base/log.h"
#include "job/kinds.h"
#include "store/federation/identity_provider.h"

enum { FETCH_ARENA_BYTES = 8 * 1024 * 1024, AGAIN_AFTER_S = 300, KEYS_MAX = 64 };

/* ---- One issuer ---- */

static bool
fetch_object(struct arena *arena, document_fetcher *fetch, const struct egress_allowed *allowed, const char *ca_file,
             str url, json_t **ret_object, str *ret_why)
{
    str body;
    if (!fetch(arena, allowed, ca_file, url, &body, ret_why)) {
        *ret_why = str_format(arena, "%.*s: %.*s", STR_ARG(url), STR_ARG(*ret_why));
        return false;
    }
    error problem = json_parse_within(arena, body, DOCUMENT_MAX_BYTES, ret_object);
    if (problem == OK && json_is_object(*ret_object))
        return true;
    *ret_why = str_format(arena, "%.*s: what it answers is not a JSON object.", STR_ARG(url));
    return false;
}

/* Both addresses must be such as could be used. Where tokens are all that a provider has, they count without these. */
static str
read_pages(struct arena *arena, const json_t *discovery)
{
    str authorization = json_str(json_object_get(discovery, "authorization_endpoint"));
    str token = json_str(json_object_get(discovery, "token_endpoint"));
    struct egress_url url;
    const char *why;
    if (!egress_parse(arena, authorization, &url, &why) || !egress_parse(arena, token, &url, &why))
        return STR_EMPTY;
    bool names_issuer = json_is_true(json_object_get(discovery, "authorization_response_iss_parameter_supported"));
    return json_text(
        arena, json_in(arena, json_pack("{s:s%, s:s%, s:b}", "authorization", authorization.data, authorization.len,
                                        "token", token.data, token.len, "namesIssuer", names_issuer)));
}

bool
provider_keys_fetch(struct arena *arena, document_fetcher *fetch, const struct egress_allowed *allowed,
                    const char *ca_file, str issuer, str *ret_keys, str *ret_pages, str *ret_why)
{
    json_t *discovery, *set;
    str base = str_ends_with(issuer, STR("/")) ? str_slice(issuer, 0, issuer.len - 1) : issuer;
    str url = str_format(arena, "%.*s/.well-known/openid-configuration", STR_ARG(base));
    if (!fetch_object(arena, fetch, allowed, ca_file, url, &discovery, ret_why))
        return false;
    if (!str_eq(json_str(json_object_get(discovery, "issuer")), issuer)) {
        *ret_why = str_format(arena, "%.*s: it says that it is another issuer's.", STR_ARG(url));
        return false;
    }
    str keys_url = str_dup(arena, json_str(json_object_get(discovery, "jwks_uri")));
    if (!fetch_object(arena, fetch, allowed, ca_file, keys_url, &set, ret_why))
        return false;
    const json_t *keys = json_object_get(set, "keys");
    if (!json_is_array(keys) || json_array_size(keys) == 0 || json_array_size(keys) > KEYS_MAX) {
        *ret_why = str_format(arena, "%.*s: it has no keys, or more than %d.", STR_ARG(keys_url), KEYS_MAX);
        return false;
    }
    *ret_keys = json_text(arena, keys);
    *ret_pages = read_pages(arena, discovery);
    return ret_keys->len > 0;
}

/* ---- Those that are due, side by side: a slow server holds up no other one ---- */

struct fetching {
    struct sweep_context *context;
    struct identity_provider_place place;
    pthread_t thread;
};

static error
fetch_one(struct fetching *self, struct arena *arena)
{
    struct store *store = self->context->store;
    const struct job_environment *environment = self->context->environment;
    struct identity_provider_claim claim;
    bool claimed;
    str keys, pages, why;
    TRY(store_identity_provider_claim(store, arena, self->place, &claimed, &claim));
    if (!claimed)
        return OK;
    if (provider_keys_fetch(arena, environment->fetch_document, &environment->egress, environment->egress_ca,
                            claim.issuer, &keys, &pages, &why))
        return store_identity_provider_fetched(store, arena, &claim, keys, pages, AGAIN_AFTER_S);
    log_line(LOG_WARNING, "provider_keys_failed", "Identity provider %s: %.*s",
             id_text(arena, self->place.provider).data, STR_ARG(why));
    return store_identity_provider_not_fetched(store, arena, &claim, why);
}

static void *
run_one(void *context)
{
    struct fetching *self = context;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(FETCH_ARENA_BYTES);
    error problem = arena == NULL ? OK : fetch_one(self, arena);
    if (problem != OK)
        log_line(LOG_WARNING, "provider_keys_failed", "%.*s", STR_ARG(problem->detail));
    return NULL;
}

static error
fetch_due(struct sweep_context *context)
{
    struct identity_provider_place due[IDENTITY_PROVIDER_DUE_MAX];
    struct fetching fetching[IDENTITY_PROVIDER_DUE_MAX];
    size_t count, running = 0;
    if (context->environment->fetch_document == NULL)
        return OK;
    TRY(store_identity_provider_due(context->store, context->arena, due, &count));
    for (size_t i = 0; i < count; i++) {
        fetching[running] = (struct fetching){ .context = context, .place = due[i] };
        running += pthread_create(&fetching[running].thread, NULL, run_one, &fetching[running]) == 0;
    }
    for (size_t i = 0; i < running; i++)
        pthread_join(fetching[i].thread, NULL);
    return OK;
}

const struct sweep provider_keys_sweep = {
    .name = "provider-keys",
    .doc =
        "Fetches the public keys of identity providers, and where their pages are: every five minutes, and when a token names one that is not known.",
    .every_s = 1,
    .run = fetch_due,
};
