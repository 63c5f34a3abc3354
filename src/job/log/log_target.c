/* SPDX-License-Identifier: Apache-2.0 */
#include "job/log/log_target.h"

#include "base/json.h"

// clang-format off
#define REGION_TABLE(ROW) \
    ROW("US1",     "http-intake.logs.datadoghq.com") \
    ROW("US3",     "http-intake.logs.us3.datadoghq.com") \
    ROW("US5",     "http-intake.logs.us5.datadoghq.com") \
    ROW("EU",      "http-intake.logs.datadoghq.eu") \
    ROW("AP1",     "http-intake.logs.ap1.datadoghq.com") \
    ROW("AP2",     "http-intake.logs.ap2.datadoghq.com") \
    ROW("US1_FED", "http-intake.logs.ddog-gov.com")
// clang-format on
#define REGION_NAME(name, host) name,
#define REGION_HOST(name, host) host,
const char *const log_target_regions[] = { REGION_TABLE(REGION_NAME) NULL };
static const char *const hosts[] = { REGION_TABLE(REGION_HOST) NULL };

/* As it is, unless it names nothing but a host. */
static str
with_path(struct arena *arena, str url, const char *path)
{
    str scheme = STR("https://"), rest = str_slice(url, scheme.len, url.len);
    ptrdiff_t slash = str_find(rest, '/');
    bool is_bare = (slash < 0 && str_find(rest, '?') < 0) || (slash >= 0 && (size_t)slash + 1 == rest.len);
    if (!is_bare)
        return url;
    return str_format(arena, "https://%.*s%s", (int)(slash < 0 ? rest.len : (size_t)slash), rest.data, path);
}

static json_t *
pack(struct arena *arena, const char *form, str url, json_t *headers, bool relayed)
{
    return json_in(arena, json_pack("{s:s, s:s%, s:o, s:b}", "form", form, "url", url.data, url.len, "headers", headers,
                                    "relayed", (int)relayed));
}

static json_t *
make_otel(struct arena *arena, const json_t *integration, const json_t *secrets)
{
    size_t i;
    const json_t *header;
    json_t *headers = json_object();
    json_array_foreach(json_object_get(secrets, "otelSuppliedHeaders"), i, header)
        json_object_set(headers, json_str(json_object_get(header, "name")).data, json_object_get(header, "value"));
    return pack(arena, "OTLP", with_path(arena, json_str(json_object_get(integration, "otelEndpoint")), "/v1/logs"),
                headers, false);
}

static json_t *
make_splunk(struct arena *arena, const json_t *integration, const json_t *secrets)
{
    str value = str_format(arena, "Splunk %s", json_str(json_object_get(secrets, "hecToken")).data);
    str url = with_path(arena, json_str(json_object_get(integration, "hecUrl")), "/services/collector/event");
    return pack(arena, "EVENTS", url, json_pack("{s:s}", "Authorization", value.data), false);
}

static json_t *
make_datadog(struct arena *arena, const json_t *integration, const json_t *secrets)
{
    const char *host = hosts[0];
    for (size_t i = 0; log_target_regions[i] != NULL; i++) {
        if (str_is(json_str(json_object_get(integration, "region")), log_target_regions[i]))
            host = hosts[i];
    }
    return pack(arena, "ITEMS", str_format(arena, "https://%s/api/v2/logs", host),
                json_pack("{s:O}", "DD-API-KEY", json_object_get(secrets, "apiKey")), true);
}

/* Where the role writes, and its keys, are found when a host is told (fleet/log_goal.c). */
static json_t *
make_bucket(struct arena *arena, const json_t *integration, const json_t *secrets)
{
    (void)integration, (void)secrets;
    return pack(arena, "OBJECTS", STR("https://"), json_object(), false);
}

static const struct {
    const char *type;
    json_t *(*make)(struct arena *arena, const json_t *integration, const json_t *secrets);
} rows[] = {
    { "DATADOG_LOG_EXPORT", make_datadog },
    { "OTEL_LOG_EXPORT", make_otel },
    { "S3_LOG_EXPORT", make_bucket },
    { "SPLUNK_LOG_EXPORT", make_splunk },
};

bool
log_target_is_offered(str type)
{
    for (size_t i = 0; i < LENGTH(rows); i++) {
        if (str_is(type, rows[i].type))
            return true;
    }
    return false;
}

json_t *
log_target_make(struct arena *arena, const json_t *integration, const json_t *secrets)
{
    for (size_t i = 0; i < LENGTH(rows); i++) {
        if (str_is(json_str(json_object_get(integration, "type")), rows[i].type))
            return rows[i].make(arena, integration, secrets);
    }
    return NULL;
}
