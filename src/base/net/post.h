/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One HTTPS POST to an address that a tenant chose, checked by base/net/egress.h: no redirects, no proxy, bounded in
 * time and size. Of the answer only the status and the first kilobyte are kept. Or one GET, or one
 * POST of a form, whose answer is kept.
 */
#ifndef BASE_NET_POST_H
#define BASE_NET_POST_H

#include "base/net/egress.h"

struct poster; /* a connection that is kept for the next POST to the same place */

struct post_header {
    str name, value;
};

/* Looks the name up, once. NULL with a sentence when nothing may be sent there. `ca_file` may be NULL: the system's. */
MUST_USE struct poster *poster_new(struct arena *arena, const struct egress_allowed *allowed, str url,
                                   const char *ca_file, str *ret_why);
void poster_free(struct poster *poster);
void poster_cleanup(struct poster **poster);

/* The status, or 0 with a sentence when there was none. */
int poster_send(struct poster *poster, struct arena *arena, const struct post_header *headers, size_t header_count,
                str body, str *ret_why);

/* The beginning of the last answer, cut anywhere; it can be anything. Valid until the next POST. */
str poster_answer(const struct poster *poster);

/* One GET instead, for documents that somebody else publishes: a body of at most DOCUMENT_MAX_BYTES with status 200. False with a
 * sentence otherwise. */
enum { DOCUMENT_MAX_BYTES = 256 * 1024 };
typedef bool document_fetcher(struct arena *arena, const struct egress_allowed *allowed, const char *ca_file, str url,
                              str *ret_body, str *ret_why);
document_fetcher poster_fetch;

/* One POST of a form, whose answer is such a document. */
typedef bool form_sender(struct arena *arena, const struct egress_allowed *allowed, const char *ca_file, str url,
                         str form, str *ret_body, str *ret_why);
form_sender poster_send_form;

/* Once in the process, before threads start. */
MUST_USE bool post_init(void);

#endif
