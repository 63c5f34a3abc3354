/* SPDX-License-Identifier: Apache-2.0 */
/* `reeved worker`: work without a request: jobs, sweeps, webhooks, alerts, groups of directories, key services, and measurements that are sent to other services. */
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/crypto/directory_password.h"
#include "base/crypto/invitation_token.h"
#include "base/crypto/webhook_signature.h"
#include "base/given_secret.h"
#include "base/log.h"
#include "base/net/post.h"
#include "job/access/directory.h"
#include "job/access/directory_sync.h"
#include "job/alert/alert.h"
#include "job/alert/alert_config.h"
#include "job/alert/integration.h"
#include "job/encryption/key_service_ask.h"
#include "job/engine.h"
#include "job/etcd/etcd_call.h"
#include "job/event/webhook.h"
#include "job/kinds.h"
#include "job/monitor/measurement_push.h"
#include "main/commands.h"
#include "main/node.h"

enum { DAY_S = 24 * 3600 };

/* The threads inherit that these are blocked; only this one takes them. */
static void
wait_for_signal(const sigset_t *signals)
{
    int number;
    sigwait(signals, &number);
    log_line(LOG_INFO, "worker_stops", "Signal %d: what is under way is finished first.", number);
}

/* A JSON list, NULL without memory. */
static char *
endpoints_text(const struct config_list *endpoints)
{
    json_t *list = json_array();
    for (size_t i = 0; i < endpoints->count; i++)
        json_array_append_new(list, json_string(endpoints->values[i]));
    char *text = json_dumps(list, JSON_COMPACT);
    json_decref(list);
    return text;
}

static int
work(const struct config *config, struct node *node)
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGQUIT);
    struct webhook_config webhooks = {
        .store = node->api.store,
        .dsn = config->database,
        .key = auth_key_for(node->api.auth, WEBHOOK_KEY_PURPOSE),
        .allowed = node->api.egress,
        .ca_file = config->egress_ca[0] == '\0' ? NULL : config->egress_ca,
        .threads = (int)config->worker_threads,
        .pause_after_s = config->webhook_pause_days * DAY_S,
    };
    struct alert_worker_config alerts = {
        .store = node->api.store,
        .dsn = config->database,
        .key = auth_key_for(node->api.auth, ALERT_KEY_PURPOSE),
        .integration_key = auth_key_for(node->api.auth, INTEGRATION_KEY_PURPOSE),
        .allowed = node->api.egress,
        .ca_file = webhooks.ca_file,
        .mail = { .url = config->smtp[0] == '\0' ? NULL : config->smtp,
                  .from = config->smtp_from,
                  .ca_file = webhooks.ca_file },
        .relay = config->alert_relay,
        .threads = (int)config->worker_threads,
    };
    alerts.invitations = (struct invitation_mailer){
        .store = node->api.store,
        .key = auth_key_for(node->api.auth, INVITATION_KEY_PURPOSE),
        .base_url = config->base_url,
        .mail = alerts.mail,
    };
    struct push_config pushes = {
        .store = node->api.store,
        .monitor = node->monitor,
        .dsn = config->database,
        .integration_key = alerts.integration_key,
        .allowed = node->api.egress,
        .ca_file = webhooks.ca_file,
        .relay = config->alert_relay,
        .threads = (int)config->worker_threads,
    };
    struct directory_sync_config directories = {
        .store = node->api.store,
        .dsn = config->database,
        .key = auth_key_for(node->api.auth, DIRECTORY_KEY_PURPOSE),
        .allowed = node->api.egress,
        .threads = (int)config->worker_threads,
    };
    struct key_service_asker_config key_services = {
        .store = node->api.store,
        .dsn = config->database,
        .key = auth_key_for(node->api.auth, KEY_SERVICE_KEY_PURPOSE),
        .allowed = node->api.egress,
        .threads = (int)config->worker_threads,
    };
    char *etcd = endpoints_text(&config->etcd);
    struct job_engine_config jobs = {
        .store = node->api.store,
        .dsn = config->database,
        .kinds = all_job_kinds,
        .sweeps = all_sweeps,
        .environment = { .domain = config->domain,
                         .key = config->key,
                         .egress = webhooks.allowed,
                         .egress_ca = webhooks.ca_file,
                         .ask_directory = directory_ask,
                         .fetch_document = poster_fetch,
                         .call_etcd = etcd_call,
                         .etcd = etcd,
                         .monitor = node->monitor,
                         .price_file = config->price_file,
                         .retention_days = config->retention_days,
                         .payment_due_days = config->payment_due_days },
        .threads = (int)config->job_threads,
    };
    struct webhook_worker *worker = webhook_worker_new(&webhooks);
    struct alert_worker *alerting = alert_worker_new(&alerts);
    struct push_worker *pushing = NULL;
    if (monitor_stores_count(node->monitor) > 0) /* otherwise nothing is measured */
        pushing = push_worker_new(&pushes);
    struct directory_sync *synchronizing = directory_sync_new(&directories);
    struct key_service_asker *asking = key_service_asker_new(&key_services);
    struct job_engine *engine = job_engine_new(&jobs);
    struct presence *presence = presence_new(node->api.store, "WORKER", NULL, false);
    bool has_started = worker != NULL && alerting != NULL && synchronizing != NULL && asking != NULL &&
                       engine != NULL && (pushing != NULL || monitor_stores_count(node->monitor) == 0);
    if (has_started) {
        log_line(LOG_INFO, "worker_started", "%d threads do jobs, %d deliver events to webhooks, %d tell of alerts.",
                 jobs.threads, webhooks.threads, alerts.threads);
        wait_for_signal(&signals);
    }
    presence_free(presence);
    job_engine_free(engine);
    key_service_asker_free(asking);
    directory_sync_free(synchronizing);
    push_worker_free(pushing);
    alert_worker_free(alerting);
    webhook_worker_free(worker);
    free(etcd);
    return has_started ? EXIT_SUCCESS : EXIT_FAILURE;
}

int
command_worker(int argc, char **argv)
{
    struct option_value options[] = { { "--config", "The configuration file.", .value = DEFAULT_CONFIG } };
    int status;
    if (!read_options(argc, argv, "worker [--config FILE]", options, LENGTH(options), NULL, &status))
        return status;
    status = EXIT_FAILURE;
    if (!job_tables_check(all_job_kinds, all_sweeps, stderr))
        return status;
    struct config *config = config_load(options[0].value, stderr);
    if (config != NULL && config_read_key(config, stderr) && post_init()) {
        sigset_t signals;
        sigemptyset(&signals);
        sigaddset(&signals, SIGTERM);
        sigaddset(&signals, SIGINT);
        sigaddset(&signals, SIGQUIT);
        pthread_sigmask(SIG_BLOCK, &signals, NULL);
        signal(SIGPIPE, SIG_IGN);
        struct node *node = node_new(config, NULL);
        if (node != NULL)
            status = work(config, node);
        node_free(node);
    }
    config_free(config);
    return status;
}
