/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include "base/clock.h"
#include "base/steady_cond.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t told;
static bool is_told;

static void *
tell(void *context)
{
    (void)context;
    pthread_mutex_lock(&lock);
    is_told = true;
    pthread_cond_signal(&told);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void
wait_ends_at_its_deadline(void **state)
{
    (void)state;
    int64_t deadline_ms = clock_steady_ms() + 50;
    steady_cond_init(&told);
    pthread_mutex_lock(&lock);
    while (steady_cond_wait(&told, &lock, deadline_ms)) {
        /* woken for nothing */
    }
    pthread_mutex_unlock(&lock);
    pthread_cond_destroy(&told);
    assert_true(clock_steady_ms() >= deadline_ms);
}

static void
wait_ends_when_somebody_tells(void **state)
{
    (void)state;
    pthread_t thread;
    bool in_time = true;
    steady_cond_init(&told);
    pthread_mutex_lock(&lock);
    assert_int_equal(pthread_create(&thread, NULL, tell, NULL), 0);
    while (!is_told && in_time)
        in_time = steady_cond_wait(&told, &lock, clock_steady_ms() + 60000);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    pthread_cond_destroy(&told);
    assert_true(is_told && in_time);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wait_ends_at_its_deadline),
        cmocka_unit_test(wait_ends_when_somebody_tells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
