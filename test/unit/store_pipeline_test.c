/* SPDX-License-Identifier: Apache-2.0 */
#include "store_fixture.h"

#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "store/connection.h"
#include "store/pipeline.h"

/* ---- A loop as small as one can be ---- */
static int watched = -1, watch_calls;
static struct arena *arena;

static void
on_watch(void *owner, int fd)
{
    (void)owner;
    watched = fd;
    watch_calls++;
}

static void
turn(struct pipeline *pipeline, int timeout_ms)
{
    struct pollfd socket = { .fd = watched, .events = pipeline_wants_write(pipeline) ? POLLOUT : POLLIN };
    pipeline_flush(pipeline);
    if (pipeline_is_ready(pipeline) && pipeline_wants_write(pipeline))
        socket.events = POLLIN | POLLOUT;
    if (poll(&socket, 1, timeout_ms) > 0) {
        if ((socket.revents & ~POLLOUT) != 0)
            pipeline_readable(pipeline);
        else
            pipeline_writable(pipeline);
    }
    pipeline_flush(pipeline);
}

static struct pipeline *
connected(const struct store_config *config)
{
    struct pipeline *pipeline = pipeline_new(config, on_watch, NULL);
    assert_non_null(pipeline);
    for (int i = 0; i < 500 && !pipeline_is_ready(pipeline); i++)
        turn(pipeline, 10);
    assert_true(pipeline_is_ready(pipeline));
    return pipeline;
}

/* ---- What came back ---- */
struct answer {
    int calls;
    error problem;
    int count;
    char text[32];
};

/* Of any statement. */
static void
on_counted(void *context, error problem, struct rows rows)
{
    struct answer *answer = context;
    answer->calls++;
    answer->problem = problem;
    answer->count = rows.count;
}

/* Of those that give a seq. */
static void
on_done(void *context, error problem, struct rows rows)
{
    struct answer *answer = context;
    on_counted(context, problem, rows);
    if (problem == OK && rows.count > 0)
        snprintf(answer->text, sizeof(answer->text), "%.*s", STR_ARG(rows_text(&rows, 0, C_SEQ)));
}

/* event_verify_chain answers the seq of an organization's chain: chains 1 to 100 have seq 1001 to 1100. */
static bool
send_good(struct pipeline *pipeline, uint32_t number, struct answer *answer)
{
    struct params params = { 0 };
    params_id(&params, P_ORGANIZATION, fixture_id(number));
    return pipeline_send(pipeline, arena, SQL_EVENT_VERIFY_CHAIN, &params, on_done, answer);
}

/* A text where a number is expected. */
static bool
send_bad(struct pipeline *pipeline, struct answer *answer)
{
    struct params params = { 0 };
    params_id(&params, P_AFTER_ORGANIZATION, fixture_id(1));
    params_text(&params, P_AFTER_SEQ, STR("not a number"));
    return pipeline_send(pipeline, arena, SQL_EVENT_VERIFY_NEXT, &params, on_done, answer);
}

static void
run_until_answered(struct pipeline *pipeline, struct answer *answers, int count, int timeout_ms)
{
    int64_t deadline = clock_steady_ms() + patient(timeout_ms), ticked = clock_steady_ms();
    for (int done = 0; done < count;) {
        turn(pipeline, 10);
        if (clock_steady_ms() - ticked > 100) {
            pipeline_tick(pipeline);
            ticked = clock_steady_ms();
        }
        while (done < count && answers[done].calls > 0)
            done++;
        if (clock_steady_ms() > deadline)
            fail_msg("only %d of %d statements were answered", done, count);
    }
}

static void
assert_good(const struct answer *answer, int number)
{
    char expected[32];
    snprintf(expected, sizeof(expected), "%d", 1000 + number);
    assert_int_equal(answer->calls, 1);
    assert_ok(answer->problem);
    assert_string_equal(answer->text, expected);
}

static int
set_up_all(void **state)
{
    if (fixture_set_up(state) != 0)
        return -1;
    for (uint32_t i = 1; i <= 100; i++)
        fixture_ask("INSERT INTO event_chain (org_id, seq, hash) VALUES (%s, %d, '')", fixture_quote(fixture_id(i)),
                    (int)(1000 + i));
    return 0;
}

static int
set_up(void **state)
{
    (void)state;
    arena = arena_new(FIXTURE_ARENA_BYTES);
    return 0;
}

static int
tear_down(void **state)
{
    (void)state;
    arena_free(arena);
    return 0;
}

static void
statements_are_answered_in_any_number(void **state)
{
    (void)state;
    struct store_config config = fixture_config();
    struct pipeline *pipeline = connected(&config);
    for (int round = 0; round < 20; round++) {
        struct answer answers[100] = { { 0 } };
        int count = round < 10 ? round + 1 : 100;
        for (int i = 0; i < count; i++)
            assert_true(send_good(pipeline, (uint32_t)i + 1, &answers[i]));
        run_until_answered(pipeline, answers, count, 5000);
        for (int i = 0; i < count; i++)
            assert_good(&answers[i], i + 1);
    }
    pipeline_free(pipeline);
}

/* The statement was never prepared before, and is not after: both fail at every place among good ones. */
static void
failure_does_not_touch_its_neighbours(void **state)
{
    (void)state;
    struct store_config config = fixture_config();
    for (int bad = 0; bad < 9; bad++) {
        struct pipeline *pipeline = connected(&config);
        for (int round = 0; round < 3; round++) {
            struct answer answers[9] = { { 0 } };
            for (int i = 0; i < 9; i++)
                assert_true(i == bad || i == (bad + 3) % 9 ? send_bad(pipeline, &answers[i])
                                                           : send_good(pipeline, (uint32_t)i + 1, &answers[i]));
            run_until_answered(pipeline, answers, 9, 5000);
            for (int i = 0; i < 9; i++) {
                if (i == bad || i == (bad + 3) % 9)
                    assert_fails(answers[i].problem, INTERNAL_ERROR);
                else
                    assert_good(&answers[i], i + 1);
            }
        }
        assert_true(pipeline_is_ready(pipeline));
        pipeline_free(pipeline);
    }
}

static void
large_parameters_survive_being_sent_again(void **state)
{
    (void)state;
    struct store_config config = fixture_config();
    struct pipeline *pipeline = connected(&config);
    fixture_ask(
        "INSERT INTO idempotency (principal_id, key, request_hash, status, answer) VALUES (%s, repeat('k', 5000), '', "
        "7, '')",
        fixture_quote(fixture_id(1)));
    char key[5001];
    memset(key, 'k', sizeof(key) - 1);
    key[5000] = '\0';
    struct answer answers[3] = { { 0 } };
    struct params params = { 0 };
    params_id(&params, P_PRINCIPAL, fixture_id(1));
    params_text(&params, P_KEY, str_from(key));
    assert_true(send_bad(pipeline, &answers[0]));
    assert_true(pipeline_send(pipeline, arena, SQL_IDEMPOTENCY_FIND, &params, on_counted, &answers[1]));
    /* Behind a Prepare, so in another batch than the bad one; the second of its kind stands right behind one. */
    assert_true(send_bad(pipeline, &answers[0]));
    assert_true(pipeline_send(pipeline, arena, SQL_IDEMPOTENCY_FIND, &params, on_counted, &answers[2]));
    memset(key, 'x', sizeof(key) - 1); /* copied out: the caller's text may go */
    memset(&params, 0, sizeof(params));
    run_until_answered(pipeline, answers, 3, 5000);
    assert_int_equal(answers[0].calls, 2);
    assert_int_equal(answers[1].count, 1);
    assert_int_equal(answers[2].count, 1);
    pipeline_free(pipeline);
}

static void
full_queue_refuses(void **state)
{
    (void)state;
    struct store_config config = fixture_config();
    struct pipeline *pipeline = connected(&config);
    static struct answer answers[1100];
    int accepted = 0;
    memset(answers, 0, sizeof(answers));
    while (accepted < 1100 && send_good(pipeline, (uint32_t)accepted % 100 + 1, &answers[accepted]))
        accepted++;
    assert_int_equal(accepted, 1024);
    run_until_answered(pipeline, answers, accepted, 10000);
    for (int i = 0; i < accepted; i++)
        assert_good(&answers[i], i % 100 + 1);
    assert_int_equal(answers[accepted].calls, 0);
    struct answer more = { 0 };
    assert_true(send_good(pipeline, 5, &more));
    run_until_answered(pipeline, &more, 1, 5000);
    pipeline_free(pipeline);
}

/* Not whoever holds a lock: it must stay until the waiting ones are gone. */
static void
kill_readers(void)
{
    fixture_ask("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = current_database() AND "
                "usename = current_user AND pid <> pg_backend_pid() AND state <> 'idle in transaction'");
}

static void
lost_connection_fails_what_waits_and_comes_back(void **state)
{
    (void)state;
    struct store_config config = fixture_config();
    struct pipeline *pipeline = connected(&config);
    struct answer first = { 0 }, waiting[5] = { { 0 } }, after = { 0 };
    assert_true(send_good(pipeline, 1, &first));
    run_until_answered(pipeline, &first, 1, 5000);
    PGconn *blocker = fixture_connect(fixture_dsn);
    fixture_ask_on(blocker, "BEGIN; LOCK TABLE event_chain IN ACCESS EXCLUSIVE MODE");
    for (int i = 0; i < 5; i++)
        assert_true(send_good(pipeline, 1, &waiting[i]));
    turn(pipeline, 50);
    kill_readers();
    run_until_answered(pipeline, waiting, 5, 1500);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(waiting[i].calls, 1);
        assert_fails(waiting[i].problem, DATABASE_UNAVAILABLE);
    }
    PQfinish(blocker);
    for (int i = 0; i < 300 && !pipeline_is_ready(pipeline); i++) {
        turn(pipeline, 10);
        pipeline_tick(pipeline);
    }
    assert_true(send_good(pipeline, 2, &after));
    run_until_answered(pipeline, &after, 1, 5000);
    assert_good(&after, 2);
    pipeline_free(pipeline);
    assert_int_equal(watched, -1);
}

static void
slow_statement_fails_alone(void **state)
{
    (void)state;
    struct store_config config = fixture_config();
    config.statement_timeout_ms = 300;
    struct pipeline *pipeline = connected(&config);
    struct answer warm[2] = { { 0 } }, answers[3] = { { 0 } };
    struct params params = { 0 };
    params_id(&params, P_PRINCIPAL, fixture_id(1));
    params_text(&params, P_KEY, STR("k"));
    assert_true(pipeline_send(pipeline, arena, SQL_IDEMPOTENCY_FIND, &params, on_counted, &warm[0]));
    assert_true(send_good(pipeline, 1, &warm[1]));
    run_until_answered(pipeline, warm, 2, 5000);
    PGconn *blocker = fixture_connect(fixture_dsn);
    fixture_ask_on(blocker, "BEGIN; LOCK TABLE idempotency IN ACCESS EXCLUSIVE MODE");
    assert_true(send_good(pipeline, 1, &answers[0]));
    assert_true(pipeline_send(pipeline, arena, SQL_IDEMPOTENCY_FIND, &params, on_counted, &answers[1]));
    assert_true(send_good(pipeline, 3, &answers[2]));
    run_until_answered(pipeline, answers, 3, 3000);
    assert_good(&answers[0], 1);
    assert_fails(answers[1].problem, DATABASE_UNAVAILABLE);
    assert_good(&answers[2], 3);
    PQfinish(blocker);
    pipeline_free(pipeline);
}

/* A server that takes everything and says nothing: a stopped machine, a cut link. */
static void
silent_server_is_given_up(void **state)
{
    (void)state;
    struct store_config config = fixture_config();
    config.statement_timeout_ms = 200;
    struct pipeline *pipeline = connected(&config);
    struct answer first = { 0 }, waiting = { 0 };
    assert_true(send_good(pipeline, 1, &first));
    run_until_answered(pipeline, &first, 1, 5000);
    /* Not reading the socket looks the same from in here. */
    assert_true(send_good(pipeline, 1, &waiting));
    pipeline_flush(pipeline);
    int64_t before = clock_steady_ms();
    while (waiting.calls == 0 && clock_steady_ms() - before < patient(5000)) {
        usleep(20000);
        pipeline_tick(pipeline);
    }
    assert_int_equal(waiting.calls, 1);
    assert_fails(waiting.problem, DATABASE_UNAVAILABLE);
    assert_in_range(clock_steady_ms() - before, 200, patient(2500));
    assert_false(pipeline_is_ready(pipeline));
    pipeline_free(pipeline);
}

static void
freeing_fails_what_waits(void **state)
{
    (void)state;
    struct store_config config = fixture_config();
    struct pipeline *pipeline = connected(&config);
    struct answer answers[4] = { { 0 } };
    for (int i = 0; i < 4; i++)
        assert_true(send_good(pipeline, 1, &answers[i]));
    pipeline_free(pipeline);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(answers[i].calls, 1);
        assert_fails(answers[i].problem, DATABASE_UNAVAILABLE);
    }
}

static void
unreachable_database_is_never_ready(void **state)
{
    (void)state;
    struct store_config config = fixture_config();
    config.dsn = "host=/nonexistent dbname=none";
    struct pipeline *pipeline = pipeline_new(&config, on_watch, NULL);
    struct answer answer = { 0 };
    for (int i = 0; i < 20; i++) {
        turn(pipeline, 5);
        pipeline_tick(pipeline);
        assert_false(send_good(pipeline, 1, &answer));
    }
    assert_int_equal(answer.calls, 0);
    pipeline_free(pipeline);
}

/* A callback that sends the next statement, as a request with several reads does. */
struct chain {
    struct pipeline *pipeline;
    int left, calls;
};

static void
send_next(void *context, error problem, struct rows rows)
{
    struct chain *chain = context;
    (void)rows;
    assert_ok(problem);
    chain->calls++;
    if (chain->left-- > 0) {
        struct params params = { 0 };
        params_id(&params, P_ORGANIZATION, fixture_id(1));
        assert_true(pipeline_send(chain->pipeline, arena, SQL_EVENT_VERIFY_CHAIN, &params, send_next, chain));
    }
}

static void
callback_may_send_the_next_statement(void **state)
{
    (void)state;
    struct store_config config = fixture_config();
    struct pipeline *pipeline = connected(&config);
    struct chain chains[20];
    for (int i = 0; i < 20; i++) {
        chains[i] = (struct chain){ .pipeline = pipeline, .left = 50 };
        send_next(&chains[i], OK, (struct rows){ 0 });
    }
    int64_t before = clock_steady_ms();
    bool done = false;
    while (!done && clock_steady_ms() - before < patient(10000)) {
        turn(pipeline, 10);
        done = true;
        for (int i = 0; i < 20; i++)
            done &= chains[i].calls == 51;
    }
    assert_true(done);
    pipeline_free(pipeline);
}

/* ---- Blocking readers on top ---- */
static void *
read_often(void *context)
{
    struct store *store = context;
    for (int i = 0; i < 500; i++) {
        struct arena *own CLEANUP(arena_cleanup) = arena_new(FIXTURE_ARENA_BYTES);
        uint32_t number = (uint32_t)(i % 100) + 1;
        struct params params = { 0 };
        struct rows rows;
        params_id(&params, P_ORGANIZATION, fixture_id(number));
        if (store_read(store, own, SQL_EVENT_VERIFY_CHAIN, &params, &rows) != OK || rows.count != 1 ||
            rows_int(&rows, 0, C_SEQ) != 1000 + (int64_t)number)
            return "wrong";
    }
    return NULL;
}

static void
readers_serve_many_threads(void **state)
{
    (void)state;
    struct store_config config = fixture_config();
    struct store *store = fixture_store(&config);
    pthread_t threads[16];
    int64_t before = clock_steady_us();
    for (size_t i = 0; i < LENGTH(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, read_often, store), 0);
    for (size_t i = 0; i < LENGTH(threads); i++) {
        void *wrong;
        pthread_join(threads[i], &wrong);
        assert_null(wrong);
    }
    print_message("%d blocking reads a second\n", (int)(8000.0 * 1e6 / (double)(clock_steady_us() - before)));
    store_free(store);
}

static void
readers_come_back_after_a_loss(void **state)
{
    (void)state;
    struct store_config config = fixture_config();
    struct store *store = fixture_store(&config);
    kill_readers();
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, fixture_id(1));
    error problem = OK;
    for (int i = 0; i < patient(100); i++) {
        problem = store_read(store, arena, SQL_EVENT_VERIFY_CHAIN, &params, &rows);
        if (problem == OK)
            break;
        assert_int_equal(problem->code, DATABASE_UNAVAILABLE);
        usleep(20000);
    }
    assert_ok(problem);
    store_free(store);
}

static void
measure_one_loop(void **state)
{
    (void)state;
    struct store_config config = fixture_config();
    struct pipeline *pipeline = connected(&config);
    int sent = 0;
    int64_t before = clock_steady_us();
    struct arena *outer = arena;
    while (sent < 20000) {
        struct answer answers[32] = { { 0 } };
        arena = arena_new(FIXTURE_ARENA_BYTES);
        for (int i = 0; i < 32; i++)
            assert_true(send_good(pipeline, (uint32_t)i + 1, &answers[i]));
        run_until_answered(pipeline, answers, 32, 5000);
        arena_free(arena);
        sent += 32;
    }
    arena = outer;
    print_message("%d reads a second in batches of 32\n", (int)(sent * 1e6 / (double)(clock_steady_us() - before)));
    pipeline_free(pipeline);
}

/* ---- Several hosts ---- */

/* A machine that is switched off, as far as a client can tell: nobody ever says anything. */
static int
silent_port(int *ret_socket)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t len = sizeof(address);
    *ret_socket = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(*ret_socket, (struct sockaddr *)&address, sizeof(address)), 0);
    assert_int_equal(listen(*ret_socket, 64), 0);
    assert_int_equal(getsockname(*ret_socket, (struct sockaddr *)&address, &len), 0);
    return ntohs(address.sin_port);
}

/* The fixture's database behind a silent machine. */
static const char *
dsn_behind_silence(char text[2048], int *ret_socket)
{
    const char *host, *port;
    assert_true(connection_place(fixture_dsn, 0, arena, &host, &port));
    snprintf(text, 2048, "%s host=127.0.0.1,%s port=%d,%s", fixture_dsn, host, silent_port(ret_socket), port);
    return text;
}

static void
host_behind_a_silent_one_has_its_turn(void **state)
{
    (void)state;
    char dsn[2048];
    int silent;
    struct store_config config = fixture_config();
    config.dsn = dsn_behind_silence(dsn, &silent);
    struct pipeline *pipeline = pipeline_new(&config, on_watch, NULL);
    int64_t began = clock_steady_ms();
    while (!pipeline_is_ready(pipeline) && clock_steady_ms() - began < patient(8000)) {
        turn(pipeline, 10);
        pipeline_tick(pipeline);
    }
    assert_true(pipeline_is_ready(pipeline));
    pipeline_free(pipeline);

    /* The next one knows where to go. */
    began = clock_steady_ms();
    struct connection *connection = connection_open(config.dsn, NULL, patient(1000));
    assert_non_null(connection);
    assert_true(clock_steady_ms() - began < patient(1500));
    connection_close(connection);
    close(silent);
}

static void
connections_begin_with_the_host_that_was_reached_last(void **state)
{
    (void)state;
    const char *dsn = "host=a,b,c port=1,2,3";
    struct connection_words words;
    PGconn *pg = PQconnectStart("host=/nonexistent port=2"); /* stands for one that is at b */
    connection_words(dsn, &words);
    unsigned begin = words.begin;
    connection_missed(&words, pg, false);
    connection_words(dsn, &words);
    assert_int_equal(words.begin, (begin + 1) % 3);
    while (words.begin != 0) {
        connection_missed(&words, pg, false);
        connection_words(dsn, &words);
    }
    assert_string_equal(words.places[0], "a,b,c");
    connection_missed(&words, pg, false);
    connection_words(dsn, &words);
    assert_string_equal(words.places[0], "b,c,a");
    assert_string_equal(words.places[2], "2,3,1");
    PQfinish(pg);

    connection_words("host=a,b", &words);
    assert_string_equal(words.places[2], "");
    connection_words("host=a port=1", &words);
    assert_string_equal(words.places[0], "");
    connection_words("postgresql://a:1,b:2/x", &words);
    assert_string_equal(words.places[0], words.begin == 0 ? "a,b" : "b,a");
    assert_string_equal(words.places[2], words.begin == 0 ? "1,2" : "2,1");
    /* libpq says what is wrong with it, and in its own words. */
    connection_words("host=a,b port=1,2,3", &words);
    assert_string_equal(words.places[0], "");
    connection_words("no dsn", &words);
    assert_string_equal(words.places[0], "");
}

static void
places_of_a_connection_string_are_found(void **state)
{
    (void)state;
    const char *host, *port;
    assert_true(connection_place("host=a,b port=7", 1, arena, &host, &port));
    assert_string_equal(host, "b");
    assert_string_equal(port, "7");
    assert_true(connection_place("host=a,b", 0, arena, &host, &port));
    assert_string_equal(port, "5432");
    assert_false(connection_place("host=a,b", 2, arena, &host, &port));
    assert_false(connection_place("dbname=x", 0, arena, &host, &port));
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(statements_are_answered_in_any_number),
        TEST(failure_does_not_touch_its_neighbours),
        TEST(large_parameters_survive_being_sent_again),
        TEST(full_queue_refuses),
        TEST(lost_connection_fails_what_waits_and_comes_back),
        TEST(slow_statement_fails_alone),
        TEST(silent_server_is_given_up),
        TEST(freeing_fails_what_waits),
        TEST(unreachable_database_is_never_ready),
        TEST(callback_may_send_the_next_statement),
        TEST(readers_serve_many_threads),
        TEST(readers_come_back_after_a_loss),
        TEST(host_behind_a_silent_one_has_its_turn),
        TEST(connections_begin_with_the_host_that_was_reached_last),
        TEST(places_of_a_connection_string_are_found),
        TEST(measure_one_loop),
    };
    return cmocka_run_group_tests(tests, set_up_all, fixture_tear_down);
}
