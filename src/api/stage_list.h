/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A request goes through a list of stages, and nothing happens to it that is not in the list. The tenants', the operators' and the agents'
 * API have a list each (`stages` of struct api). One function runs them all, counts every request and gives every answer its headers:
 * api_advance().
 */
#ifndef API_STAGE_LIST_H
#define API_STAGE_LIST_H

#include "api/api.h"

struct stage {
    const char *name;
    /* OK to go on, WOULD_BLOCK to wait for what req->needs says, or the error to answer with. One that waited runs again. */
    error (*run)(struct request *req);
    const char *question, *refuses; /* in words, for ARCHITECTURE */
};

struct stage_list {
    const char *title; /* whose requests take it */
    const struct stage *stages;
    size_t count;
    /* Adds to a 401 how to authenticate (RFC 9110, section 15.5.2); NULL: nothing is added. */
    void (*challenge)(struct request *req, error why);
};

extern const struct stage_list tenant_stages;

/* The stages as a table of Markdown. */
void stage_list_print(const struct stage_list *list, FILE *out);

#endif
