/* SPDX-License-Identifier: Apache-2.0 */
/* Directives of locations: reeve_api, reeve_operator, reeve_agent, reeve_error. */
#include "http/exchange.h"
#include "http/module.h"
#include "http/worker.h"

static char *
set_handler(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    (void)conf;
    static const struct {
        const char *directive;
        ngx_http_handler_pt handler;
    } handlers[] = {
        { "reeve_api", handle_api },
        { "reeve_operator", handle_operator },
        { "reeve_agent", handle_agent },
        { "reeve_error", handle_error },
    };
    ngx_http_core_loc_conf_t *location = ngx_http_conf_get_module_loc_conf(cf, ngx_http_core_module);
    for (size_t i = 0; i < LENGTH(handlers); i++) {
        if (str_is(str_of(cmd->name), handlers[i].directive))
            location->handler = handlers[i].handler;
    }
    return NGX_CONF_OK;
}

static ngx_command_t commands[] = {
    { ngx_string("reeve_api"), NGX_HTTP_LOC_CONF | NGX_CONF_NOARGS, set_handler, 0, 0, NULL },
    { ngx_string("reeve_operator"), NGX_HTTP_LOC_CONF | NGX_CONF_NOARGS, set_handler, 0, 0, NULL },
    { ngx_string("reeve_agent"), NGX_HTTP_LOC_CONF | NGX_CONF_NOARGS, set_handler, 0, 0, NULL },
    { ngx_string("reeve_error"), NGX_HTTP_LOC_CONF | NGX_CONF_NOARGS, set_handler, 0, 0, NULL },
    ngx_null_command,
};

static ngx_int_t
on_read(ngx_http_request_t *r)
{
    r->log_handler = variables_log_context;
    return NGX_DECLINED;
}

static ngx_int_t
on_log(ngx_http_request_t *r)
{
    /* r->keepalive says nothing here: nginx clears it before it logs. */
    if (r == r->main && r->http_version < NGX_HTTP_VERSION_20)
        idle_connections_note(r->connection);
    return NGX_OK;
}

static bool
add_phase(ngx_http_core_main_conf_t *core, ngx_http_phases phase, ngx_http_handler_pt function)
{
    ngx_http_handler_pt *place = ngx_array_push(&core->phases[phase].handlers);
    if (place == NULL)
        return false;
    *place = function;
    return true;
}

static ngx_int_t
add_phases(ngx_conf_t *cf)
{
    ngx_http_core_main_conf_t *core = ngx_http_conf_get_module_main_conf(cf, ngx_http_core_module);
    return add_phase(core, NGX_HTTP_POST_READ_PHASE, on_read) && add_phase(core, NGX_HTTP_LOG_PHASE, on_log)
               ? NGX_OK
               : NGX_ERROR;
}

static ngx_http_module_t context = { variables_add, add_phases, NULL, NULL, NULL, NULL, NULL, NULL };

ngx_module_t ngx_http_reeve_module = {
    NGX_MODULE_V1, &context, commands, NGX_HTTP_MODULE, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NGX_MODULE_V1_PADDING,
};
