/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages of lists. Every list statement takes an offset and a limit and returns (total, document, key) with one row at least:
 * an empty page is one row whose document is NULL.
 */
#ifndef API_LIST_H
#define API_LIST_H

#include "api/request.h"

/* Binds offset and limit for the request's page; one row more than asked tells whether there is a next page. */
void list_bind(const struct request *req, struct params *params);
/* The organization, then the page: all that a list of an organization's own things needs. */
MUST_USE error list_bind_organization(struct request *req, struct params *params);
MUST_USE error list_answer(struct request *req, const struct rows *rows);
/* For a list below an entity: a statement without any row means that the entity does not exist. */
MUST_USE error list_answer_below(struct request *req, const struct rows *rows);

#endif
