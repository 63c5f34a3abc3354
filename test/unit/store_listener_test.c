/* SPDX-License-Identifier: Apache-2.0 */
#include "open_store_fixture.h"

#include <pthread.h>
#include <stdatomic.h>

#include "store/listener.h"

struct heard {
    pthread_mutex_t lock;
    int connected, lost, count;
    char last[64];
};

static void
on_notify(void *owner, str payload)
{
    struct heard *heard = owner;
    pthread_mutex_lock(&heard->lock);
    heard->count++;
    snprintf(heard->last, sizeof(heard->last), "%.*s", STR_ARG(payload));
    pthread_mutex_unlock(&heard->lock);
}

static void
on_state(void *owner, bool connected)
{
    struct heard *heard = owner;
    pthread_mutex_lock(&heard->lock);
    heard->connected += connected;
    heard->lost += !connected;
    pthread_mutex_unlock(&heard->lock);
}

static bool
reaches(struct heard *heard, const int *number, int expected)
{
    for (int i = 0; i < patient(500); i++) {
        pthread_mutex_lock(&heard->lock);
        bool reached = *number >= expected;
        pthread_mutex_unlock(&heard->lock);
        if (reached)
            return true;
        usleep(10000);
    }
    return false;
}

static void
tell(const char *channel, const char *payload, bool commit)
{
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(FIXTURE_ARENA_BYTES);
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    assert_ok(tx_begin(store, arena, fixture_id(1), &tx));
    assert_ok(tx_notify(tx, channel, str_from(payload)));
    if (commit)
        assert_ok(tx_commit(tx));
}

static void
committed_notification_is_heard_and_rolled_back_is_not(void **state)
{
    (void)state;
    struct heard heard = { .lock = PTHREAD_MUTEX_INITIALIZER };
    struct listener *listener = listener_new(fixture_dsn, "reeve_test", on_notify, on_state, &heard);
    assert_non_null(listener);
    assert_true(reaches(&heard, &heard.connected, 1));
    tell("reeve_test", "rolled back", false);
    tell("other", "elsewhere", true);
    tell("reeve_test", "committed", true);
    assert_true(reaches(&heard, &heard.count, 1));
    usleep(50000);
    listener_free(listener);
    assert_int_equal(heard.count, 1);
    assert_string_equal(heard.last, "committed");
    assert_int_equal(heard.lost, 1); /* the end is a loss, too */
}

static void
loss_is_reported_and_listening_starts_again(void **state)
{
    (void)state;
    struct heard heard = { .lock = PTHREAD_MUTEX_INITIALIZER };
    struct listener *listener = listener_new(fixture_dsn, "reeve_test", on_notify, on_state, &heard);
    assert_true(reaches(&heard, &heard.connected, 1));
    fixture_ask("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
                "WHERE datname = current_database() AND query LIKE 'LISTEN%%'");
    assert_true(reaches(&heard, &heard.lost, 1));
    assert_true(reaches(&heard, &heard.connected, 2));
    tell("reeve_test", "again", true);
    assert_true(reaches(&heard, &heard.count, 1));
    listener_free(listener);
}

static void
listener_of_a_database_that_is_gone_ends_when_told(void **state)
{
    (void)state;
    struct heard heard = { .lock = PTHREAD_MUTEX_INITIALIZER };
    struct listener *listener = listener_new("host=/nonexistent", "reeve_test", on_notify, on_state, &heard);
    usleep(200000);
    listener_free(listener);
    assert_int_equal(heard.connected, 0);
    assert_int_equal(heard.lost, 0);
}

/* Longer than the probe's interval: a probe in the middle must not disturb anything. */
static void
quiet_connection_is_probed_and_stays(void **state)
{
    (void)state;
    struct heard heard = { .lock = PTHREAD_MUTEX_INITIALIZER };
    struct listener *listener = listener_new(fixture_dsn, "reeve_test", on_notify, on_state, &heard);
    assert_true(reaches(&heard, &heard.connected, 1));
    usleep(2500000);
    assert_string_equal(fixture_ask("SELECT query FROM pg_stat_activity WHERE datname = current_database() AND "
                                    "query IN ('SELECT 1', 'LISTEN reeve_test')"),
                        "SELECT 1");
    tell("reeve_test", "late", true);
    assert_true(reaches(&heard, &heard.count, 1));
    pthread_mutex_lock(&heard.lock);
    assert_int_equal(heard.lost, 0);
    pthread_mutex_unlock(&heard.lock);
    listener_free(listener);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(committed_notification_is_heard_and_rolled_back_is_not),
        cmocka_unit_test(loss_is_reported_and_listening_starts_again),
        cmocka_unit_test(listener_of_a_database_that_is_gone_ends_when_told),
        cmocka_unit_test(quiet_connection_is_probed_and_stays),
    };
    return cmocka_run_group_tests(tests, open_store, close_store);
}
