/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The way of a request is a list of stages, and nothing happens to a request that is not in the list. The API and the operators' API have a
 * list each (`way` of struct api); one function runs both, counts every request and gives every answer its headers: api_advance().
 */
#ifndef API_STAGE_LIST_H
#define API_STAGE_LIST_H

#include "api/api.h"

struct stage {
    const char *name;
    /* OK to go on, WOULD_BLOCK to go on in a thread, or the error to answer with. May run again from its beginning then. */
    error (*run)(struct request *req);
    const char *question, *refuses; /* in words, for ARCHITECTURE */
};

struct stage_list {
    const char *title; /* whose requests take it */
    const struct stage *stages;
    size_t count;
    void (*challenge)(struct request *req, error why); /* adds to a 401 how to authenticate (RFC 9110, section 15.5.2) */
};

extern const struct stage_list tenant_stages;

/* The stages as a table of Markdown. */
void stage_list_print(const struct stage_list *list, FILE *out);

#endif
