/* SPDX-License-Identifier: Apache-2.0 */
/* What happens when Redis goes away and comes back. Starts, stops and kills a Redis of its own. */
#include "check.h"

#include <hiredis/hiredis.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "limit/limit_internal.h"

enum {
    THREADS = 8,
    WITNESSES = 4,
    TIMEOUT_MS = 50,
    LONGEST_WAIT_MS = 200,
    LONG_TIMEOUT_MS = 2000 /* where nothing hangs: a busy machine may well take 50 ms for an answer */
};

static char directory[] = "/tmp/reeve-limit.XXXXXX";
static char redis_socket[64];
static pid_t redis_pid;

static bool
redis_answers(void)
{
    redisContext *context = redisConnectUnixWithTimeout(redis_socket, (struct timeval){ .tv_sec = 1 });
    redisReply *reply = context != NULL && context->err == 0 ? redisCommand(context, "PING") : NULL;
    bool answers = reply != NULL;
    freeReplyObject(reply);
    redisFree(context);
    return answers;
}

static void
redis_start(void)
{
    redis_pid = fork();
    assert_true(redis_pid >= 0);
    if (redis_pid == 0) {
        execlp("redis-server", "redis-server", "--port", "0", "--unixsocket", redis_socket, "--save", "",
               "--appendonly", "no", "--dir", directory, "--logfile", "/dev/null", (char *)NULL);
        _exit(127);
    }
    for (int i = 0; i < patient(200) && !redis_answers(); i++)
        usleep(20 * 1000);
    assert_true(redis_answers());
}

static void
redis_kill(void)
{
    kill(redis_pid, SIGKILL);
    waitpid(redis_pid, NULL, 0);
    redis_pid = 0;
    unlink(redis_socket);
}

static struct limiter *
node_with(int timeout_ms)
{
    struct limit_config config = { .redis_socket = redis_socket, .redis_timeout_ms = timeout_ms };
    struct limiter *limiter = limiter_new(&config);
    assert_non_null(limiter);
    return limiter;
}

static struct limiter *
node_new(void)
{
    return node_with(TIMEOUT_MS);
}

static bool
comes_up(struct limiter *limiter, bool expected)
{
    for (int i = 0; i < patient(300) && limit_status(limiter).redis_is_up != expected; i++)
        usleep(10 * 1000);
    return limit_status(limiter).redis_is_up == expected;
}

static int
with_redis(void **state)
{
    (void)state;
    redis_start();
    return 0;
}

static int
without_redis(void **state)
{
    (void)state;
    if (redis_pid > 0)
        redis_kill();
    return 0;
}

/* ---- Under load ---- */

struct load {
    struct limiter *limiter;
    struct bucket_name names[16];
    atomic_bool stop;
    atomic_llong takes, denied, longest_ms, longest_turn_ms;
};

static void
keep_longest(atomic_llong *longest_ms, long long lasted_ms)
{
    long long before_ms = atomic_load(longest_ms);
    while (lasted_ms > before_ms && !atomic_compare_exchange_weak(longest_ms, &before_ms, lasted_ms))
        ;
}

/* Takes nothing: what it waits for is a processor, which a busy machine may give to others for longer than Redis may take. */
static void *
witness_work(void *argument)
{
    struct load *load = argument;
    int64_t before_ms = clock_steady_ms();
    for (size_t i = 1; !atomic_load(&load->stop); i++) {
        int64_t now_ms = clock_steady_ms();
        keep_longest(&load->longest_turn_ms, now_ms - before_ms);
        before_ms = now_ms;
        if (i % 10000 == 0) /* as busy as the others: who sleeps gets the next turn */
            usleep(200);
    }
    return NULL;
}

static void *
load_work(void *argument)
{
    struct load *load = argument;
    for (size_t i = 0; !atomic_load(&load->stop); i++) {
        int64_t start_ms = clock_steady_ms();
        struct take take = limit_take(load->limiter, &load->names[i % LENGTH(load->names)],
                                      (struct bucket_size){ 100000000, 100 }, true);
        keep_longest(&load->longest_ms, clock_steady_ms() - start_ms);
        atomic_fetch_add(&load->takes, 1);
        if (take.outcome != TAKE_ALLOWED)
            atomic_fetch_add(&load->denied, 1);
        if (i % 64 == 0)
            usleep(200); /* a machine with few processors must also run Redis */
    }
    return NULL;
}

static void
killing_redis_under_load_fails_no_take_and_delays_none(void **state)
{
    (void)state;
    static struct load load;
    pthread_t threads[THREADS], witnesses[WITNESSES];
    load.limiter = node_new();
    assert_true(comes_up(load.limiter, true));
    for (size_t i = 0; i < LENGTH(load.names); i++)
        load.names[i] = bucket_of_id(S17, id_new(1));
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, load_work, &load), 0);
    for (int i = 0; i < WITNESSES; i++)
        assert_int_equal(pthread_create(&witnesses[i], NULL, witness_work, &load), 0);
    usleep(400 * 1000);
    redis_kill();
    assert_true(comes_up(load.limiter, false));
    usleep(800 * 1000);
    redis_start();
    assert_true(comes_up(load.limiter, true));
    usleep(300 * 1000);
    /* Stopped, it accepts what is sent and answers nothing: the worse way to go away. */
    kill(redis_pid, SIGSTOP);
    assert_true(comes_up(load.limiter, false));
    usleep(300 * 1000);
    kill(redis_pid, SIGCONT);
    assert_true(comes_up(load.limiter, true));
    usleep(200 * 1000);
    atomic_store(&load.stop, true);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < WITNESSES; i++)
        pthread_join(witnesses[i], NULL);
    limiter_free(load.limiter);
    print_message("%lld takes, the longest lasted %lld ms; a processor was waited for %lld ms\n",
                  atomic_load(&load.takes), atomic_load(&load.longest_ms), atomic_load(&load.longest_turn_ms));
    assert_int_equal(atomic_load(&load.denied), 0);
    assert_true(atomic_load(&load.longest_ms) <= LONGEST_WAIT_MS + 2 * atomic_load(&load.longest_turn_ms));
    assert_true(atomic_load(&load.takes) > 1000);
}

/* ---- One flight a bucket ---- */

static struct bucket_name shared_name;

static atomic_int on_their_way;

static void *
take_one(void *limiter)
{
    atomic_fetch_add(&on_their_way, 1);
    limit_take(limiter, &shared_name, (struct bucket_size){ 1000, 100 }, true);
    return NULL;
}

static int
script_runs(void)
{
    redisContext *context = redisConnectUnix(redis_socket);
    redisReply *reply = redisCommand(context, "INFO commandstats");
    assert_non_null(reply);
    const char *found = strstr(reply->str, "cmdstat_evalsha:calls=");
    int count = found != NULL ? (int)strtol(found + strlen("cmdstat_evalsha:calls="), NULL, 10) : 0;
    freeReplyObject(reply);
    redisFree(context);
    return count;
}

static void
requests_that_meet_at_a_bucket_wait_for_one_answer(void **state)
{
    (void)state;
    struct limit_config config = { .redis_socket = redis_socket, .redis_timeout_ms = 10000 };
    struct limiter *node = limiter_new(&config);
    pthread_t threads[THREADS];
    assert_true(comes_up(node, true));
    usleep(300 * 1000); /* past the first heartbeat */
    shared_name = bucket_of_id(S17, id_new(1));
    int runs_before = script_runs();
    kill(redis_pid, SIGSTOP);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, take_one, node), 0);
    while (atomic_load(&on_their_way) < THREADS)
        usleep(10 * 1000);
    usleep(300 * 1000); /* the few instructions to the bucket */
    kill(redis_pid, SIGCONT);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    /* One for the first, one for all who came while it was under way; another if somebody came between. */
    assert_in_range(script_runs() - runs_before, 1, 3);
    assert_int_equal(limit_take(node, &shared_name, (struct bucket_size){ 1000, 100 }, true).remaining,
                     1000 - THREADS - 1);
    limiter_free(node);
}

/* ---- One by one ---- */

static void
lease_is_dropped_when_redis_comes_back(void **state)
{
    (void)state;
    struct limiter *node = node_with(LONG_TIMEOUT_MS);
    struct bucket_name name = bucket_of_id(S17, id_new(1));
    struct bucket_size size = { 10000, 5000 };
    assert_true(comes_up(node, true));
    for (int i = 0; i < 1000; i++)
        assert_int_equal(limit_take(node, &name, size, true).outcome, TAKE_ALLOWED);
    redis_kill();
    /* Another bucket notices the loss, before the sweep takes the lease away. */
    struct bucket_name other = bucket_of_id(S17, id_new(1));
    assert_int_equal(limit_take(node, &other, size, true).outcome, TAKE_ALLOWED);
    assert_false(limit_status(node).redis_is_up);
    redis_start();
    assert_true(comes_up(node, true));
    assert_int_equal(limit_take(node, &name, size, false).outcome, TAKE_MUST_ASK);
    assert_int_equal(limit_take(node, &name, size, true).remaining, 9999);
    limiter_free(node);
}

static void
take_that_may_not_block_does_not_wait_for_a_stopped_redis(void **state)
{
    (void)state;
    struct limiter *node = node_with(LONG_TIMEOUT_MS);
    assert_true(comes_up(node, true));
    struct bucket_name name = bucket_of_id(S17, id_new(1));
    struct bucket_size size = { 100, 50 };
    kill(redis_pid, SIGSTOP);
    int64_t start_us = clock_steady_us();
    struct take take = limit_take(node, &name, size, false);
    assert_true(clock_steady_us() - start_us < LONG_TIMEOUT_MS * 1000 / 2);
    /* The heartbeat may have noticed first. */
    assert_int_equal(take.outcome, limit_status(node).redis_is_up ? TAKE_MUST_ASK : take.outcome);

    int64_t start_ms = clock_steady_ms();
    take = limit_take(node, &name, size, true);
    assert_int_equal(take.outcome, TAKE_ALLOWED);
    assert_true(clock_steady_ms() - start_ms <= LONG_TIMEOUT_MS + patient(LONGEST_WAIT_MS));
    assert_false(limit_status(node).redis_is_up);

    start_us = clock_steady_us();
    for (int64_t i = take.remaining; i > 0; i--)
        assert_int_equal(limit_take(node, &name, size, false).outcome, TAKE_ALLOWED);
    take = limit_take(node, &name, size, false);
    assert_int_equal(take.outcome, TAKE_DENIED);
    assert_in_range(take.retry_after_s, 59 - (clock_steady_ms() - start_ms) / 1000, 60);
    assert_true(clock_steady_us() - start_us < LONG_TIMEOUT_MS * 1000 / 2);

    kill(redis_pid, SIGCONT);
    assert_true(comes_up(node, true));
    /* Back to the bucket in Redis: the local one is forgotten. */
    assert_int_equal(limit_take(node, &name, size, true).outcome, TAKE_ALLOWED);
    limiter_free(node);
}

static void
node_has_its_share_of_the_limit_without_redis(void **state)
{
    (void)state;
    struct limiter *nodes[3];
    for (int i = 0; i < 3; i++)
        nodes[i] = node_with(LONG_TIMEOUT_MS);
    for (int i = 0; i < patient(500) && limit_status(nodes[0]).known_nodes != 3; i++)
        usleep(10 * 1000);
    assert_int_equal(limit_status(nodes[0]).known_nodes, 3);
    redis_kill();
    assert_true(comes_up(nodes[0], false));
    assert_int_equal(limit_status(nodes[0]).known_nodes, 3);
    struct bucket_name name = bucket_of_id(S17, id_new(1)), tiny = bucket_of_id(S17, id_new(1));
    int count = 0;
    while (limit_take(nodes[0], &name, (struct bucket_size){ 30, 30 }, false).outcome == TAKE_ALLOWED)
        count++;
    assert_int_equal(count, 10);
    assert_int_equal(limit_take(nodes[0], &tiny, (struct bucket_size){ 2, 1 }, false).outcome, TAKE_ALLOWED);
    assert_int_equal(limit_take(nodes[0], &tiny, (struct bucket_size){ 2, 1 }, false).outcome, TAKE_DENIED);
    for (int i = 0; i < 3; i++)
        limiter_free(nodes[i]);
}

static void
limiter_starts_without_redis_and_finds_it_later(void **state)
{
    (void)state;
    redis_kill();
    struct limiter *node = node_with(LONG_TIMEOUT_MS);
    struct bucket_name name = bucket_of_id(S17, id_new(1));
    int64_t start_ms = clock_steady_ms();
    assert_int_equal(limit_take(node, &name, (struct bucket_size){ 100, 50 }, true).remaining, 99);
    assert_int_equal(limit_take(node, &name, (struct bucket_size){ 100, 50 }, true).remaining, 98);
    assert_true(clock_steady_ms() - start_ms <= patient(LONGEST_WAIT_MS));
    redis_start();
    assert_true(comes_up(node, true));
    assert_int_equal(limit_take(node, &name, (struct bucket_size){ 100, 50 }, true).remaining, 99);
    limiter_free(node);
}

/* Makes the bucket of a node's own older, in place of a sleep. */
static void
let_pass_ms(struct limiter *node, const struct bucket_name *name, int64_t passed_ms)
{
    uint64_t hash = bucket_table_hash(&node->table, name);
    struct shard *shard = bucket_table_shard(&node->table, hash);
    pthread_mutex_lock(&shard->mutex);
    struct bucket *bucket = shard_find(shard, hash, name);
    assert_non_null(bucket);
    bucket->local_start_ms -= passed_ms;
    pthread_mutex_unlock(&shard->mutex);
    usleep((DENIAL_MEMORY_MS + 20) * 1000);
}

static void
local_bucket_is_refilled_in_whole_steps(void **state)
{
    (void)state;
    redis_kill();
    enum { HOUR_MS = 3600 * 1000 };
    struct limit_config config = { .redis_socket = redis_socket, .redis_timeout_ms = LONG_TIMEOUT_MS };
    struct limiter *node = limiter_new_tuned(&config, &(struct limit_tuning){ .period_ms = HOUR_MS });
    struct bucket_name name = bucket_of_id(S17, id_new(1));
    struct bucket_size size = { 10, 4 };
    const int64_t passed_ms[] = { 0, HOUR_MS / 2, HOUR_MS / 2, 10 * HOUR_MS }, expected[] = { 10, 0, 4, 10 };
    for (size_t i = 0; i < LENGTH(passed_ms); i++) {
        if (passed_ms[i] > 0)
            let_pass_ms(node, &name, passed_ms[i]);
        int64_t count = 0;
        while (limit_take(node, &name, size, true).outcome == TAKE_ALLOWED)
            count++;
        assert_int_equal(count, expected[i]);
    }
    limiter_free(node);
}

static void
text_used_before_the_loss_stays_used(void **state)
{
    (void)state;
    struct limiter *node = node_with(LONG_TIMEOUT_MS);
    assert_true(limit_use_once(node, STR("nonce:00000001"), 30));
    redis_kill();
    assert_false(limit_use_once(node, STR("nonce:00000001"), 30));
    assert_true(limit_use_once(node, STR("nonce:00000002"), 30));
    assert_false(limit_use_once(node, STR("nonce:00000002"), 30));
    assert_true(limit_use_once(node, STR("nonce:00000003"), 1));
    usleep(1100 * 1000);
    assert_true(limit_use_once(node, STR("nonce:00000003"), 1));
    limiter_free(node);
}

/* ---- Several ---- */

/* A second Redis, at the first one's path and ".second". */
static pid_t
second_start(char path[80])
{
    char first[sizeof(redis_socket)];
    pid_t first_pid = redis_pid;
    memcpy(first, redis_socket, sizeof(first));
    snprintf(path, 80, "%s.2", first);
    memcpy(redis_socket, path, strlen(path) + 1);
    redis_start();
    pid_t pid = redis_pid;
    memcpy(redis_socket, first, sizeof(first));
    redis_pid = first_pid;
    return pid;
}

static void
second_redis_is_used_until_the_first_is_back(void **state)
{
    (void)state;
    char path[80];
    pid_t second_pid = second_start(path);
    struct limit_config config = { .redis_socket = redis_socket,
                                   .redis_timeout_ms = LONG_TIMEOUT_MS,
                                   .others = &(struct redis_place){ .socket = path },
                                   .other_count = 1 };
    struct limiter *one = limiter_new(&config), *two = limiter_new(&config);
    struct bucket_name name = bucket_of_id(S17, id_new(1));
    struct bucket_size size = { 4, 4 };
    assert_true(comes_up(one, true));
    assert_true(comes_up(two, true));
    redis_kill();
    assert_true(comes_up(one, false));
    assert_true(comes_up(one, true));
    assert_true(comes_up(two, true));
    /* Both count there: four tokens for the two of them. */
    int allowed = 0;
    for (int i = 0; i < 8; i++)
        allowed += limit_take(i % 2 == 0 ? one : two, &name, size, true).outcome == TAKE_ALLOWED;
    assert_int_equal(allowed, 4);
    /* Back at the first, which knows nothing: the second can go away without anybody's noticing. */
    redis_start();
    for (int i = 0; i < patient(500) && limit_take(one, &name, size, true).outcome != TAKE_ALLOWED; i++)
        usleep(10 * 1000);
    for (int i = 0; i < patient(500) && limit_take(two, &name, size, true).outcome != TAKE_ALLOWED; i++)
        usleep(10 * 1000);
    kill(second_pid, SIGKILL);
    waitpid(second_pid, NULL, 0);
    unlink(path);
    usleep(300 * 1000);
    assert_true(limit_status(one).redis_is_up);
    assert_true(limit_status(two).redis_is_up);
    limiter_free(one);
    limiter_free(two);
}

static void
tell_redis(const char *format, const char *key)
{
    redisContext *context = redisConnectUnix(redis_socket);
    assert_non_null(context);
    redisReply *reply = redisCommand(context, format, key);
    assert_non_null(reply);
    assert_int_not_equal(reply->type, REDIS_REPLY_ERROR);
    freeReplyObject(reply);
    redisFree(context);
}

/* R7: one key of another type had all sharing lost and found four times a second, for good. */
static void
something_else_under_the_name_of_a_bucket_costs_that_bucket_only(void **state)
{
    (void)state;
    struct limiter *one = node_with(LONG_TIMEOUT_MS), *two = node_with(LONG_TIMEOUT_MS);
    struct bucket_size size = { 4, 4 };
    assert_true(comes_up(one, true));
    assert_true(comes_up(two, true));
    static const char *const others[] = { "SET %s x", "RPUSH %s x", "HSET %s t x s y r z", "HSET %s t 3" };
    for (size_t i = 0; i < LENGTH(others); i++) {
        struct bucket_name name = bucket_of_id(S17, id_new(1));
        char key[BUCKET_KEY_BYTES];
        int allowed = 0;
        bucket_key(&name, key);
        tell_redis(others[i], key);
        tell_redis("DEL %s", "reeve:nodes");
        tell_redis("SET %s x", "reeve:nodes");
        for (int take = 0; take < 8; take++)
            allowed += limit_take(take % 2 == 0 ? one : two, &name, size, true).outcome == TAKE_ALLOWED;
        assert_int_equal(allowed, 4); /* both count in Redis: nobody has a share of their own */
        for (int wait = 0; wait < 50; wait++) {
            assert_true(limit_status(one).redis_is_up);
            assert_true(limit_status(two).redis_is_up);
            usleep(50 * 1000);
        }
    }
    limiter_free(one);
    limiter_free(two);
}

int
main(void)
{
    if (mkdtemp(directory) == NULL) {
        perror("mkdtemp");
        return 1;
    }
    snprintf(redis_socket, sizeof(redis_socket), "%s/redis.sock", directory);
    const struct CMUnitTest tests[] = {
#define WITH_REDIS(test) cmocka_unit_test_setup_teardown(test, with_redis, without_redis)
        WITH_REDIS(killing_redis_under_load_fails_no_take_and_delays_none),
        WITH_REDIS(requests_that_meet_at_a_bucket_wait_for_one_answer),
        WITH_REDIS(lease_is_dropped_when_redis_comes_back),
        WITH_REDIS(take_that_may_not_block_does_not_wait_for_a_stopped_redis),
        WITH_REDIS(node_has_its_share_of_the_limit_without_redis),
        WITH_REDIS(limiter_starts_without_redis_and_finds_it_later),
        WITH_REDIS(local_bucket_is_refilled_in_whole_steps),
        WITH_REDIS(text_used_before_the_loss_stays_used),
        WITH_REDIS(second_redis_is_used_until_the_first_is_back),
        WITH_REDIS(something_else_under_the_name_of_a_bucket_costs_that_bucket_only),
    };
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(redis_socket);
    rmdir(directory);
    return failures;
}
