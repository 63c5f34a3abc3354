/* SPDX-License-Identifier: Apache-2.0 */
#include "job/alert/integration.h"

#include "base/given_secret.h"
#include "base/json.h"

// clang-format off
const struct integration_type integration_types[] = {
    { "DATADOG",         { { "datadogApiKey", "apiKey", PART_KEY }, { "datadogRegion", "region", PART_WITH_KEY } } },
    { "MICROSOFT_TEAMS", { { "microsoftTeamsWebhookUrl", "microsoftTeamsWebhookUrl", PART_KEY } } },
    { "OPS_GENIE",       { { "opsGenieApiKey", "apiKey", PART_KEY }, { "opsGenieRegion", "region", PART_WITH_KEY } } },
    { "PAGER_DUTY",      { { "serviceKey", "serviceKey", PART_KEY }, { "region", "region", PART_WITH_KEY } } },
    { "SLACK",           { { "apiToken", "apiToken", PART_KEY }, { "channelName", "channelName", PART_OPEN } } },
    { "VICTOR_OPS",      { { "victorOpsApiKey", "apiKey", PART_KEY }, { "victorOpsRoutingKey", "routingKey", PART_OPEN } } },
    { "WEBHOOK",         { { "webhookUrl", "url", PART_KEY }, { "webhookSecret", "secret", PART_WITH_KEY },
                           { "webhookBodyTemplate", "bodyTemplate", PART_OPEN } } },
    { .name = NULL },
};
// clang-format on

const char *const integration_secret_fields[] = { "apiKey", "apiToken",   "microsoftTeamsWebhookUrl",
                                                  "secret", "serviceKey", NULL };

const struct integration_type *
integration_type_find(str name)
{
    for (const struct integration_type *type = integration_types; type->name != NULL; type++) {
        if (str_is(name, type->name))
            return type;
    }
    return NULL;
}

const char *
integration_datadog_host(str region)
{
    static const struct {
        const char *region, *host;
    } hosts[] = {
        { "EU", "api.datadoghq.eu" },       { "US3", "api.us3.datadoghq.com" }, { "US5", "api.us5.datadoghq.com" },
        { "AP1", "api.ap1.datadoghq.com" }, { "US1_FED", "api.ddog-gov.com" },
    };
    for (size_t i = 0; i < LENGTH(hosts); i++) {
        if (str_is(region, hosts[i].region))
            return hosts[i].host;
    }
    return "api.datadoghq.com";
}

str
integration_relayed(struct arena *arena, str relay, str url)
{
    const str scheme = STR("https://");
    return relay.len == 0 ? url : str_format(arena, "%.*s/%s", STR_ARG(relay), url.data + scheme.len);
}

json_t *
integration_hidden_new(struct arena *arena, const struct key *key, id integration, const json_t *secrets)
{
    str sealed = given_secret_seal(arena, key, given_secret_place(arena, "integration", integration), secrets);
    return sealed.len == 0 ? NULL : json_in(arena, json_pack("{s:s}", "secrets", sealed.data));
}

json_t *
integration_secrets_open(struct arena *arena, const struct key *key, id integration, const json_t *document)
{
    return given_secret_open(arena, key, given_secret_place(arena, "integration", integration),
                             json_str(json_object_get(json_object_get(document, INTEGRATION_HIDDEN_FIELD), "secrets")));
}

void
integration_lend(const struct integration_type *type, const json_t *integration, const json_t *its_secrets,
                 json_t *notifier, json_t *secrets)
{
    for (size_t i = 0; i < INTEGRATION_FIELDS_MAX && type->fields[i].of_notification != NULL; i++) {
        const struct integration_field *field = &type->fields[i];
        json_t *secret = json_object_get(its_secrets, field->of_integration);
        if (json_object_get(notifier, field->of_notification) != NULL)
            continue;
        if (secret != NULL)
            json_object_set(secrets, field->of_notification, secret);
        else if (json_object_get(integration, field->of_integration) != NULL)
            json_object_set(notifier, field->of_notification, json_object_get(integration, field->of_integration));
    }
}
