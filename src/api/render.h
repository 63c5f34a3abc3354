/* SPDX-License-Identifier: Apache-2.0 */
/* Turns what a handler answered into the response: links, lists, envelope, pretty printing, headers. */
#ifndef API_RENDER_H
#define API_RENDER_H

#include "api/api.h"

#define API_PREFIX      "/api/svc/v2"
#define API_PREFIX_V1   "/api/svc/v1.0"
#define OPERATOR_PREFIX "/operator/v1" /* of the operator's own (operator/operator.h) */

MUST_USE error render_answer(struct request *req);
/* The error document, with the headers that belong to it. */
void render_error(struct request *req, error why);

#endif
