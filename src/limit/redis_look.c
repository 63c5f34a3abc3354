/* SPDX-License-Identifier: Apache-2.0 */
#include "limit/redis_look.h"

#include <hiredis/hiredis.h>
#include <stdio.h>

enum { PATIENCE_S = 2, DEFAULT_PORT = 6379 };

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
    *ret_condition = (struct redis_condition){ 0 };
    struct timeval patience = { .tv_sec = PATIENCE_S };
    redisContext *context =
        config->redis_socket != NULL
            ? redisConnectUnixWithTimeout(config->redis_socket, patience)
            : redisConnectWithTimeout(config->redis_host != NULL ? config->redis_host : "127.0.0.1",
                                      config->redis_port != 0 ? config->redis_port : DEFAULT_PORT, patience);
    if (context == NULL || context->err != 0 || redisSetTimeout(context, patience) != REDIS_OK)
        snprintf(ret_condition->why, REDIS_LOOK_BYTES, "%s", context != NULL ? context->errstr : "no memory");
    else
        ask(context, ret_condition);
    redisFree(context);
}
