/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which version of a resource is served. A client asks with Accept (RFC 9110, section 12.5.1): a date selects the
 * newest version up to that date, so that a client always gets the version that it was written for. Without a date it
 * is the newest.
 */
#ifndef API_MEDIA_H
#define API_MEDIA_H

#include "api/contract.h"

#define FIRST_VERSION "2023-01-01"

/* VERSION_NOT_AVAILABLE when only versions were asked for that do not exist; NOT_ACCEPTABLE when nothing else fits. */
MUST_USE error media_choose(struct arena *arena, const struct endpoint *endpoint, str accept, const char **ret_version);

/* Whether text/event-stream is what the client wants most, of an endpoint that has a feed. */
bool media_wants_stream(const struct endpoint *endpoint, str accept);

/* "application/vnd.svc.2025-03-12+json"; the suffix of a file is another one. */
str media_type(struct arena *arena, const char *version, const char *suffix);

/* "csv", "gzip": how the media type of an endpoint's files ends. */
const char *media_file_suffix(const struct endpoint *endpoint);

/* Of a request with a body: application/json or application/vnd.svc.<date>+json, in UTF-8. */
MUST_USE error media_check_body(struct arena *arena, str content_type);

/* The endpoint's newest version. */
str media_newest(const struct endpoint *endpoint);

#endif
