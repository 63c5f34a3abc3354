/* SPDX-License-Identifier: Apache-2.0 */
#include "job/alert/alert.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/failpoint.h"
#include "base/json.h"
#include "base/log.h"
#include "base/net/mail_address.h"
#include "job/alert/alert_config.h"
#include "job/alert/alert_message.h"
#include "job/alert/alert_raise.h"
#include "job/alert/integration.h"
#include "job/delivery_threads.h"
#include "job/identity/person_mail.h"
#include "job/identity/security_mail.h"
#include "store/alert/alert_notification.h"
#include "store/resource.h"

enum {
    LEASE_S = 20, /* longer than one notification may take */
    GIVE_UP_S = 24 * 3600,
    BATCHES_AT_ONCE = 50, /* then notifications have their turn */
    TURN_ARENA_BYTES = 4 * 1024 * 1024,
    RAISE_ARENA_BYTES = 256 * 1024 * 1024,
    SEND_ARENA_BYTES = 16 * 1024 * 1024,
    ARRAY_MAX_BYTES = 16 * 1024,
};

struct alert_worker {
    struct alert_worker_config config;
    struct delivery_threads *turns;
    atomic_bool stop;
};

/* ---- Raising ---- */

static bool
raise_due(struct alert_worker *worker, struct arena *arena)
{
    struct alert_place due[ALERT_DUE_MAX];
    size_t count = 0;
    bool did = false;
    if (store_alert_due(worker->config.store, arena, due, &count) != OK)
        return false;
    for (size_t i = 0; i < count; i++) {
        bool more = true;
        for (int batch = 0; more && batch < BATCHES_AT_ONCE && !atomic_load(&worker->stop); batch++) {
            struct arena *own CLEANUP(arena_cleanup) = arena_new(RAISE_ARENA_BYTES);
            if (own == NULL || alert_raise(worker->config.store, own, due[i], &more) != OK)
                break;
            did |= more;
        }
    }
    return did;
}

/* ---- Telling ---- */

/* How a try went: a status of 2xx is a success; else `why` is a sentence. */
struct outcome {
    int status;
    str why;
    bool is_pointless; /* nobody is to be told any more */
};

/* Roles come from the table of roles, so none needs quoting. */
static str
role_array(struct arena *arena, const json_t *roles)
{
    struct buf out = buf_in(arena, ARRAY_MAX_BYTES);
    if (json_array_size(roles) == 0)
        return STR_EMPTY;
    for (size_t i = 0; i < json_array_size(roles); i++) {
        buf_add_char(&out, i == 0 ? '{' : ',');
        buf_add(&out, json_str(json_array_get(roles, i)));
    }
    buf_add_char(&out, '}');
    return buf_str(&out);
}

static error
find_recipients(struct alert_worker *worker, struct arena *arena, const struct notification_claim *claim,
                const json_t *notifier, str ret_recipients[RECIPIENTS_MAX], size_t *ret_count)
{
    str type = json_str(json_object_get(notifier, "typeName"));
    if (str_is(type, "EMAIL")) {
        ret_recipients[0] = json_str(json_object_get(notifier, "emailAddress"));
        *ret_count = 1;
        return OK;
    }
    const json_t *username = json_object_get(notifier, "username");
    struct recipients_wanted wanted = {
        .roles = role_array(arena, json_object_get(notifier, "roles")),
        .username = username == NULL ? STR_EMPTY : json_str(username),
    };
    if (str_is(type, "GROUP"))
        wanted.project = claim->at.place.project;
    if (str_is(type, "TEAM") && !id_parse(json_str(json_object_get(notifier, "teamId")), &wanted.team))
        return fail(arena, INTERNAL_ERROR);
    return store_alert_recipients(worker->config.store, arena, claim->at.place.organization, &wanted, ret_recipients,
                                  ret_count);
}

static error
send_mail(struct alert_worker *worker, struct arena *arena, const struct notification_claim *claim,
          const json_t *notifier, const struct alert_facts *facts, struct outcome *ret_outcome)
{
    str recipients[RECIPIENTS_MAX];
    size_t count;
    if (worker->config.mail.url == NULL) {
        ret_outcome->why = STR("This deployment has no mail server.");
        return OK;
    }
    TRY(find_recipients(worker, arena, claim, notifier, recipients, &count));
    struct mail mail = {
        .recipients = recipients,
        .id = id_text(arena, claim->at.notification),
        .subject = alert_subject(arena, facts),
        .text = alert_text(arena, facts),
        .date_s = facts->now_s,
    };
    for (size_t i = 0; i < count; i++) { /* others could not be named to the server */
        if (mail_address_is_plain(recipients[i]))
            recipients[mail.recipient_count++] = recipients[i];
    }
    if (mail.recipient_count == 0)
        *ret_outcome = (struct outcome){ .why = STR("There is nobody with an address to tell."), .is_pointless = true };
    else
        ret_outcome->status = mail_send(arena, &worker->config.mail, &mail, &ret_outcome->why);
    return OK;
}

/* What a notification without a key of its own takes from the project's integration, as it is now. */
static error
borrow(struct alert_worker *worker, struct arena *arena, const struct notification_claim *claim, json_t *notifier,
       json_t *secrets, str *ret_why)
{
    id own;
    str document;
    const struct integration_type *type = integration_type_find(json_str(json_object_get(notifier, "typeName")));
    if (type == NULL || json_object_get(notifier, type->fields[0].of_notification) != NULL)
        return OK;
    TRY(store_resource_read(worker->config.store, arena, claim->at.place.project, STR(INTEGRATION_KIND),
                            str_from(type->name), &document));
    const json_t *integration = document.len == 0 ? NULL : json_parse_own(arena, document), *its_secrets = NULL;
    if (integration != NULL && id_parse(json_str(json_object_get(integration, "id")), &own))
        its_secrets = integration_secrets_open(arena, &worker->config.integration_key, own, integration);
    if (its_secrets == NULL)
        *ret_why = integration == NULL ? STR("The project has no integration of its type.")
                                       : STR("The secrets of the integration cannot be opened with this key.");
    else
        integration_lend(type, integration, its_secrets, notifier, secrets);
    return OK;
}

static error
send_post(struct alert_worker *worker, struct arena *arena, const struct notification_claim *claim,
          const json_t *config, const json_t *stored, const struct alert_facts *facts, struct outcome *ret_outcome)
{
    struct alert_message message;
    id config_id;
    const json_t *kept = NULL;
    if (id_parse(json_str(json_object_get(config, "id")), &config_id))
        kept = alert_secrets_open(arena, &worker->config.key, config_id, config);
    if (kept == NULL) {
        ret_outcome->why = STR("Its secrets cannot be opened with this key.");
        return OK;
    }
    json_t *secrets = json_object_get(kept, id_text(arena, claim->notifier).data);
    json_t *notifier = json_in(arena, json_deep_copy(stored));
    if (secrets == NULL || notifier == NULL)
        return fail(arena, OVERLOADED);
    TRY(borrow(worker, arena, claim, notifier, secrets, &ret_outcome->why));
    if (ret_outcome->why.len > 0)
        return OK;
    if (!alert_message_make(arena, facts, notifier, secrets, str_from(worker->config.relay), &message)) {
        ret_outcome->why = STR("It cannot be written.");
        return OK;
    }
    struct poster *poster CLEANUP(poster_cleanup) =
        poster_new(arena, &worker->config.allowed, message.url, worker->config.ca_file, &ret_outcome->why);
    if (poster == NULL)
        return OK;
    ret_outcome->status =
        poster_send(poster, arena, message.headers, message.header_count, message.body, &ret_outcome->why);
    if (ret_outcome->status >= 200 && ret_outcome->status <= 299)
        ret_outcome->why =
            alert_message_refusal(json_str(json_object_get(notifier, "typeName")), poster_answer(poster));
    else if (ret_outcome->status != 0)
        ret_outcome->why = str_format(arena, "It answered %d.", ret_outcome->status);
    return OK;
}

static error
try_to_tell(struct alert_worker *worker, struct arena *arena, const struct notification_claim *claim,
            const json_t *config, const json_t *notifier, struct outcome *ret_outcome)
{
    struct alert_facts facts = {
        .notification = claim->at.notification,
        .about = claim->about,
        .alert = json_parse_own(arena, claim->alert),
        .project_name = claim->project_name,
        .now_s = clock_now_ms() / 1000,
    };
    if (alert_is_mail(json_str(json_object_get(notifier, "typeName"))))
        return send_mail(worker, arena, claim, notifier, &facts, ret_outcome);
    return send_post(worker, arena, claim, config, notifier, &facts, ret_outcome);
}

static error
note_failure(struct alert_worker *worker, struct arena *arena, const struct notification_claim *claim,
             const struct outcome *outcome)
{
    enum notification_end end = outcome->is_pointless      ? NOTIFICATION_TAKEN_BACK
                                : claim->age_s > GIVE_UP_S ? NOTIFICATION_GIVEN_UP
                                                           : NOTIFICATION_AGAIN;
    log_line(LOG_WARNING, "alert_notification_failed", "Notification %s of alert %s: %.*s",
             id_text(arena, claim->at.notification).data, id_text(arena, claim->at.alert).data, STR_ARG(outcome->why));
    return store_notification_failed(worker->config.store, arena, claim, outcome->status, outcome->why,
                                     delivery_threads_backoff_ms(claim->tries - 1), end);
}

static error
tell(struct alert_worker *worker, struct arena *arena, const struct notification_claim *claim)
{
    const json_t *config = claim->config.len == 0 ? NULL : json_parse_own(arena, claim->config);
    const json_t *notifier = alert_config_notifier(arena, config, claim->notifier);
    struct outcome outcome = { .why = STR_EMPTY };
    if (notifier == NULL)
        outcome = (struct outcome){ .why = STR("The configuration does not have it any more."), .is_pointless = true };
    else
        TRY(try_to_tell(worker, arena, claim, config, notifier, &outcome));
    if (outcome.why.len > 0)
        return note_failure(worker, arena, claim, &outcome);
    failpoint("alert:send:after-effect");
    int64_t interval = json_integer_value(json_object_get(notifier, "intervalMin"));
    bool goes_on = claim->lasts && claim->about != ABOUT_CLOSED;
    TRY(store_notification_sent(worker->config.store, arena, claim, outcome.status, goes_on ? interval : 0));
    failpoint("alert:send:after-commit");
    return OK;
}

static bool
tell_due(struct alert_worker *worker, struct arena *arena)
{
    struct notification_place due[NOTIFICATION_DUE_MAX];
    size_t count = 0;
    bool did = false;
    if (store_notification_due(worker->config.store, arena, due, &count) != OK)
        return false;
    for (size_t i = 0; i < count && !atomic_load(&worker->stop); i++) {
        struct arena *own CLEANUP(arena_cleanup) = arena_new(SEND_ARENA_BYTES);
        struct notification_claim claim;
        bool claimed = false;
        if (own == NULL)
            return did;
        error problem = store_notification_claim(worker->config.store, own, due[i], LEASE_S, DELIVERY_BACKOFF_FIRST_MS,
                                                 &claimed, &claim);
        if (problem == OK && claimed) {
            failpoint("alert:send:before-effect");
            problem = tell(worker, own, &claim);
        }
        did |= problem == OK && claimed;
    }
    return did;
}

/* ---- ---- */

static bool
take_turn(void *context)
{
    struct alert_worker *worker = context;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(TURN_ARENA_BYTES);
    if (arena == NULL)
        return false;
    /* Alerts first: a mail server that is slow with other mails must not hold them up. */
    bool did = raise_due(worker, arena);
    did |= tell_due(worker, arena);
    did |= invitation_mails_send(&worker->config.invitations, arena, &worker->stop);
    did |= person_mails_send(&worker->config.invitations, &worker->stop);
    return security_mails_send(&worker->config.invitations, &worker->stop) || did;
}

struct alert_worker *
alert_worker_new(const struct alert_worker_config *config)
{
    struct alert_worker *worker = calloc(1, sizeof(*worker));
    if (worker == NULL)
        return NULL;
    worker->config = *config;
    worker->turns = delivery_threads_new(config->dsn, EVENT_CHANNEL, config->threads, take_turn, worker);
    if (worker->turns == NULL) {
        alert_worker_free(worker);
        return NULL;
    }
    return worker;
}

void
alert_worker_free(struct alert_worker *worker)
{
    if (worker == NULL)
        return;
    atomic_store(&worker->stop, true);
    delivery_threads_free(worker->turns);
    free(worker);
}
