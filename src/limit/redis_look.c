/* SPDX-License-Identifier: Apache-2.0 */
#include "limit/redis_look.h"

#include <stdio.h>

#include "limit/redis_link.h"

_Static_assert((int)REDIS_LOOK_BYTES >= (int)LINK_WHY_BYTES, "a reason has room");

enum { PATIENCE_MS = 2000 };

static void
ask(redisContext *context, struct redis_condition *ret_condition)
{
    redisReply *pong = redisCommand(context, "PING");
    ret_condition->answers = pong != NULL && pong->type == REDIS_REPLY_STATUS;
    if (!ret_condition->answers)
        snprintf(ret_condition->why, REDIS_LOOK_BYTES, "%s", pong != NULL ? pong->str : context->errstr);
    freeReplyObject(pong);
    redisReply *policy = ret_condition->answers ? redisCommand(context, "CONFIG GET maxmemory-policy") : NULL;
    if (policy != NULL && policy->type == REDIS_REPLY_ARRAY && policy->elements == 2)
        snprintf(ret_condition->policy, REDIS_LOOK_BYTES, "%s", policy->element[1]->str);
    freeReplyObject(policy);
}

void
redis_look(const struct limit_config *config, struct redis_condition *ret_condition)
{
    struct limit_config patient = *config;
    patient.redis_timeout_ms = PATIENCE_MS;
    *ret_condition = (struct redis_condition){ .why = "no memory" };
    struct redis_link *link = redis_link_new(&patient);
    redisContext *context = link == NULL ? NULL : redis_link_open(link, ret_condition->why);
    if (context != NULL)
        ask(context, ret_condition);
    redisFree(context);
    redis_link_free(link);
}
