/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The two modules in ngx_http_reeve_module.so. The first reads reeve.conf and starts and stops what a process has; the
 * second has the directives of locations, and the variables of the log line.
 */
#ifndef HTTP_MODULE_H
#define HTTP_MODULE_H

#include <ngx_config.h>
#include <ngx_core.h>

extern ngx_module_t ngx_reeve_module;
extern ngx_module_t ngx_http_reeve_module;

#endif
