/* SPDX-License-Identifier: Apache-2.0 */
#include "job/alert/alert_config.h"

#include "base/given_secret.h"
#include "base/json.h"

const char *const alert_secret_fields[] = {
    "apiToken",
    "datadogApiKey",
    "microsoftTeamsWebhookUrl",
    "opsGenieApiKey",
    "serviceKey",
    "victorOpsApiKey",
    "webhookSecret",
    NULL,
};

json_t *
alert_secrets_open(struct arena *arena, const struct key *key, id config, const json_t *document)
{
    return given_secret_open(arena, key, given_secret_place(arena, "alertConfig", config),
                             json_str(json_object_get(json_object_get(document, ALERT_HIDDEN_FIELD), "secrets")));
}

json_t *
alert_hidden_new(struct arena *arena, const struct key *key, id config, const json_t *secrets, int64_t after_seq)
{
    str sealed = given_secret_seal(arena, key, given_secret_place(arena, "alertConfig", config), secrets);
    if (sealed.len == 0)
        return NULL;
    return json_in(arena, json_pack("{s:s, s:I}", "secrets", sealed.data, "afterSequence", (json_int_t)after_seq));
}

int64_t
alert_config_after_seq(const json_t *document)
{
    return json_integer_value(json_object_get(json_object_get(document, ALERT_HIDDEN_FIELD), "afterSequence"));
}

bool
alert_is_mail(str type_name)
{
    static const char *const names[] = { "EMAIL", "GROUP", "ORG", "TEAM", "USER" };
    for (size_t i = 0; i < LENGTH(names); i++) {
        if (str_is(type_name, names[i]))
            return true;
    }
    return false;
}

const json_t *
alert_config_notifier(struct arena *arena, const json_t *document, id notifier)
{
    size_t i;
    const json_t *one;
    str wanted = id_text(arena, notifier);
    json_array_foreach(json_object_get(document, "notifications"), i, one)
    {
        if (str_eq(json_str(json_object_get(one, "notifierId")), wanted))
            return one;
    }
    return NULL;
}
