/* SPDX-License-Identifier: Apache-2.0 */
/* What notifications look like on the wire: to chat and paging services and webhooks by HTTPS, and as the text of a mail. */
#ifndef JOB_ALERT_ALERT_MESSAGE_H
#define JOB_ALERT_ALERT_MESSAGE_H

#include <jansson.h>

#include "base/id.h"
#include "base/net/post.h"
#include "store/alert/alert_notification.h"

struct alert_facts {
    id notification; /* its id goes out with it, the same for each try */
    enum notification_about about;
    const json_t *alert; /* as the API shows it */
    str project_name;
    int64_t now_s;
};

enum { ALERT_HEADERS_MAX = 6 };
struct alert_message {
    str url;
    struct post_header headers[ALERT_HEADERS_MAX];
    size_t header_count;
    str body;
};

/*
 * `secrets` are those of the notifier, by field. With a `relay` the services are reached over it: what would go to
 * https://host/path goes to <relay>/host/path. False when it cannot be made.
 */
MUST_USE bool alert_message_make(struct arena *arena, const struct alert_facts *facts, const json_t *notifier,
                                 const json_t *secrets, str relay, struct alert_message *ret_message);
/* What is wrong with a successful answer, for services that answer 200 to everything; empty: nothing. */
str alert_message_refusal(str type_name, str answer);

str alert_subject(struct arena *arena, const struct alert_facts *facts);
str alert_text(struct arena *arena, const struct alert_facts *facts);

#endif
