/* SPDX-License-Identifier: Apache-2.0 */
/*
 * "Point your Prometheus here." Members are not reachable for tenants' Prometheus, so that it scrapes the API: a target for each cluster, which
 * answers for all of its members.
 */
#include "family/monitor/tools.h"

#include "base/clock.h"
#include "base/json.h"
#include "monitor/exposition.h"
#include "store/monitor/monitor.h"

enum { TARGETS_BYTES = 1024 * 1024 };

/* ---- Where to scrape ---- */
/* "https://reeve.example.org" has its port in no other place than its scheme. */
static str
authority_of(struct request *req, bool is_https)
{
    str rest = req->api->base_url;
    size_t scheme = is_https ? strlen("https://") : strlen("http://");
    rest = str_slice(rest, scheme, rest.len);
    str host = str_cut(&rest, '/');
    ptrdiff_t bracket = str_find(host, ']');
    bool has_port = str_find(bracket < 0 ? host : str_slice(host, (size_t)bracket, host.len), ':') >= 0;
    return has_port ? host : str_format(req->arena, "%.*s:%d", STR_ARG(host), is_https ? 443 : 80);
}

error
tools_targets(struct request *req)
{
    struct monitored_cluster *clusters;
    size_t count;
    struct buf out = buf_in(req->arena, TARGETS_BYTES);
    bool is_https = str_starts_with(req->api->base_url, STR("https://"));
    str authority = authority_of(req, is_https);
    TRY(store_monitor_clusters(req->api->store, req->arena, req->project, &clusters, &count));
    buf_add_char(&out, '[');
    for (size_t i = 0; i < count; i++) {
        buf_add_text(&out, i > 0 ? ",{\"targets\":[" : "{\"targets\":[");
        buf_add_json(&out, authority);
        buf_format(&out,
                   "],\"labels\":{\"__scheme__\":\"%s\",\"__metrics_path__\":\"" API_TOOLS_PATH
                   "%s/federate\",\"__param_cluster\":\"%s\",\"cluster_name\":",
                   is_https ? "https" : "http", id_text(req->arena, req->project).data,
                   id_text(req->arena, clusters[i].id).data);
        buf_add_json(&out, clusters[i].name);
        buf_add_text(&out, "}}");
    }
    buf_add_char(&out, ']');
    tools_reply(req, buf_str(&out), STR("application/json"));
    return out.failed ? fail(req->arena, OVERLOADED) : OK;
}

/* ---- What is measured now ---- */
/* Servers are looked at every 10 seconds, sizes of databases every few minutes. Of what was not measured for so long nothing is said. */
static str
expression(struct request *req, str cluster)
{
    return str_format(req->arena,
                      "last_over_time({name=\"\"%s%.*s%s}[1m]) or last_over_time({name!=\"\"%s%.*s%s}[11m])",
                      cluster.len > 0 ? ",cluster=\"" : "", STR_ARG(cluster), cluster.len > 0 ? "\"" : "",
                      cluster.len > 0 ? ",cluster=\"" : "", STR_ARG(cluster), cluster.len > 0 ? "\"" : "");
}

error
tools_federate(struct request *req, const struct tool_parameters *given)
{
    struct tool_parameters own = { .count = 1, .items = { { .name = STR("query") } } };
    struct tool_question question;
    str cluster = STR_EMPTY, why, text;
    id parsed;
    for (size_t i = 0; i < given->count; i++) {
        if (!str_is(given->items[i].name, "cluster"))
            continue;
        if (cluster.len > 0 || !id_parse(given->items[i].value, &parsed)) {
            tools_refuse(req, 400, "bad_data", STR("Parameter cluster: it is not the identifier of one cluster."));
            return OK;
        }
        cluster = given->items[i].value;
    }
    own.items[0].value = expression(req, cluster);
    if (tool_question_make(req->arena, STR("/api/v1/query"), &own, req->project, clock_now_ms(), &question, &why) !=
        TOOL_FINE)
        return fail(req->arena, OVERLOADED);
    struct tools_reply reply = tools_ask(req, &question);
    if (reply.status != 200 || reply.is_too_long ||
        !exposition_make(req->arena, reply.body, TOOLS_ANSWER_BYTES, &text)) {
        tools_refuse_reply(req, &reply);
        return OK;
    }
    tools_reply(req, text, STR("text/plain; version=0.0.4; charset=utf-8"));
    return OK;
}
