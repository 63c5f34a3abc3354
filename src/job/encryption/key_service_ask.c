/* SPDX-License-Identifier: Apache-2.0 */
#include "job/encryption/key_service_ask.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/given_secret.h"
#include "base/json.h"
#include "base/log.h"
#include "base/net/kmip.h"
#include "job/delivery_threads.h"
#include "store/encryption/key_service.h"
#include "store/event/event.h"

enum {
    ANSWER_MS = 5000,
    QUICK_MS = 2000,
    LEASE_S = 120, /* longer than a lookup of the service's name and all questions may take */
    TURN_ARENA_BYTES = 4 * 1024 * 1024,
};

struct lane { /* those that answered quickly, or the others */
    struct key_service_asker *asker;
    bool is_proven;
    struct delivery_threads *threads;
};
struct key_service_asker {
    struct key_service_asker_config config;
    struct lane lanes[2];
    atomic_bool stop;
};

static enum kmip_outcome
ask(const struct key_service_asker_config *config, struct arena *arena, const struct key_service_row *row,
    const json_t *document, str *ret_why)
{
    const json_t *kmip = json_object_get(document, "kmip");
    const json_t *secrets =
        given_secret_open(arena, &config->key, given_secret_place(arena, KEY_SERVICE_KIND, row->resource),
                          json_str(json_object_get(document, "sealed")));
    *ret_why = STR("The private key cannot be opened with this worker's key.");
    if (secrets == NULL)
        return KMIP_SILENT;
    struct kmip_service service = {
        .host = json_str(json_object_get(kmip, "hostname")),
        .port = (int)json_integer_value(json_object_get(kmip, "port")),
        .authority = json_str(json_object_get(kmip, "caCertificate")),
        .certificate = json_str(json_object_get(kmip, "clientCertificate")),
        .key = json_str(json_object_get(secrets, "clientKey")),
    };
    return kmip_try(arena, &config->allowed, &service, json_str(json_object_get(kmip, "keyIdentifier")), ANSWER_MS,
                    ret_why);
}

static error
note(struct store *store, struct arena *arena, const struct key_service_row *row, const json_t *document, bool is_valid,
     str why)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    const json_t *kmip = json_object_get(document, "kmip");
    bool written, was_valid = json_is_true(json_object_get(kmip, "valid")),
                  is_first = json_object_get(kmip, "checkedAt") == NULL;
    json_t *state = json_in(arena, json_pack("{s:b, s:I}", "valid", is_valid, "membersOnOtherKeys", row->others));
    if (!is_valid)
        json_object_set_new(state, "problem", json_stringn(why.data, why.len));
    TRY(tx_begin(store, arena, row->organization, &tx));
    TRY(store_key_service_checked(tx, row, json_text(arena, state), &written));
    if (!written)
        return OK;
    struct event_draft event = {
        .type = is_valid ? EVENT_KEY_USABLE : EVENT_KEY_NOT_USABLE,
        .organization = row->organization,
        .project = row->project,
        .after = state,
    };
    if (is_first || is_valid != was_valid)
        TRY(store_event_add_by_worker(tx, &event));
    return tx_commit(tx);
}

/* It is given back even when nothing could be noted: then it is asked again a while later, and until then the others are. */
static error
work(const struct key_service_asker_config *config, struct arena *arena, id project)
{
    struct key_service_row row;
    bool found;
    str why;
    int64_t began_ms = clock_steady_ms();
    TRY(store_key_service_task(config->store, arena, project, &found, &row));
    if (!found)
        return store_key_service_asked(config->store, arena, project, false);
    const json_t *document = json_parse_own(arena, row.document);
    enum kmip_outcome outcome = ask(config, arena, &row, document, &why);
    bool is_quick = outcome != KMIP_SILENT && clock_steady_ms() - began_ms < QUICK_MS;
    error noted = note(config->store, arena, &row, document, outcome == KMIP_GIVEN, why);
    TRY(store_key_service_asked(config->store, arena, project, is_quick));
    return noted;
}

/* True when anything was done. */
static bool
take_turn(void *context)
{
    struct lane *lane = context;
    struct key_service_asker *asker = lane->asker;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(TURN_ARENA_BYTES);
    id due[KEY_SERVICES_DUE_MAX];
    size_t count = 0;
    bool did = false;
    if (arena == NULL || store_key_services_due(asker->config.store, arena, lane->is_proven, due, &count) != OK)
        return false;
    for (size_t i = 0; i < count && !atomic_load(&asker->stop); i++) {
        struct arena *own CLEANUP(arena_cleanup) = arena_new(TURN_ARENA_BYTES);
        bool claimed = false;
        if (own == NULL || store_key_service_claim(asker->config.store, own, due[i], LEASE_S, &claimed) != OK)
            return did;
        if (!claimed)
            continue;
        error problem = work(&asker->config, own, due[i]);
        if (problem != OK)
            log_line(LOG_WARNING, "key_service_not_noted", "The key service of project %s: %.*s",
                     id_text(own, due[i]).data, STR_ARG(problem->detail));
        did |= problem == OK;
    }
    return did;
}

struct key_service_asker *
key_service_asker_new(const struct key_service_asker_config *config)
{
    struct key_service_asker *asker = calloc(1, sizeof(*asker));
    if (asker == NULL)
        return NULL;
    asker->config = *config;
    for (size_t i = 0; i < LENGTH(asker->lanes); i++) {
        struct lane *lane = &asker->lanes[i];
        *lane = (struct lane){ .asker = asker, .is_proven = i == 1 };
        lane->threads = delivery_threads_new(config->dsn, EVENT_CHANNEL, config->threads, take_turn, lane);
        if (lane->threads == NULL) {
            key_service_asker_free(asker);
            return NULL;
        }
    }
    return asker;
}

void
key_service_asker_free(struct key_service_asker *asker)
{
    if (asker == NULL)
        return;
    atomic_store(&asker->stop, true);
    for (size_t i = 0; i < LENGTH(asker->lanes); i++)
        delivery_threads_free(asker->lanes[i].threads);
    crypto_wipe(&asker->config.key, sizeof(asker->config.key));
    free(asker);
}
