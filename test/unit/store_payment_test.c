/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Invoices that nobody pays: their organization is locked when they are overdue, by a sweep that may be killed at any of its steps, and
 * unlocked by what the operator notes. Each has one event.
 */
#include "sweep_fixture.h"

#include "store/billing/billing.h"
#include "store/billing/payment.h"

enum { DUE_DAYS = 14, DAY_S = 24 * 3600 };

/* 2026-03-01, one hour after the month: when February's invoice is closed. */
static const int64_t closed_s = 1772326800;
static uint32_t next = 100; /* every test has organizations of its own */

static void
set_day(int days_after)
{
    fixture_set_clock(closed_s + (int64_t)days_after * DAY_S);
}

static id
new_organization(void)
{
    id organization = fixture_id(next += 10);
    fixture_add_organization(organization);
    set_day(0);
    return organization;
}

/* As it is after its month; `cents` 0: free. */
static id
new_invoice(id organization, int month, int64_t cents)
{
    id invoice = fixture_id(next++);
    fixture_ask(
        "INSERT INTO invoice (id, org_id, began_at, ends_at, status, subtotal_cents, created_at, updated_at, closed_at) VALUES "
        "(%s, %s, '2026-%02d-01+00', '2026-%02d-01+00', '%s', %lld, now(), now(), to_timestamp(%lld))",
        fixture_quote(invoice), fixture_quote(organization), month, month + 1, cents == 0 ? "FREE" : "CLOSED",
        (long long)cents, (long long)closed_s);
    return invoice;
}

static void
sweep_with(int64_t due_days)
{
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(FIXTURE_ARENA_BYTES);
    struct job_environment environment = { .payment_due_days = due_days };
    struct sweep_context context = { store, arena, &environment };
    assert_ok(payments_sweep.run(&context));
}

static void
sweep(void)
{
    sweep_with(DUE_DAYS);
}

static bool
is_locked(id organization)
{
    return strcmp(
               fixture_ask("SELECT locked_at IS NOT NULL AND lock_reason IS NOT NULL FROM organization WHERE id = %s",
                           fixture_quote(organization)),
               "t") == 0;
}

static const char *
events_of(id organization)
{
    return fixture_ask("SELECT coalesce(string_agg(type, ',' ORDER BY seq), '') FROM event WHERE org_id = %s",
                       fixture_quote(organization));
}

static const struct event_actor by = { .name = { "ada", 3 }, .kind = { "OPERATOR", 8 } };

static bool
pay(id organization, id invoice)
{
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(FIXTURE_ARENA_BYTES);
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    bool changed;
    assert_ok(tx_begin(store, arena, organization, &tx));
    assert_ok(store_payment_add(tx, organization, &by, invoice, STR("by transfer"), DUE_DAYS, &changed));
    assert_ok(tx_commit(tx));
    return changed;
}

static bool
agree(id organization, int until_day)
{
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(FIXTURE_ARENA_BYTES);
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    bool changed;
    int64_t until_ms = until_day == 0 ? 0 : (closed_s + (int64_t)until_day * DAY_S) * 1000;
    assert_ok(tx_begin(store, arena, organization, &tx));
    assert_ok(store_payment_agree(tx, organization, &by, until_ms, DUE_DAYS, &changed));
    assert_ok(tx_commit(tx));
    return changed;
}

static bool
set_lock(id organization, str reason)
{
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(FIXTURE_ARENA_BYTES);
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    bool changed;
    assert_ok(tx_begin(store, arena, organization, &tx));
    assert_ok(store_organization_set_lock(tx, organization, &by, reason, &changed));
    assert_ok(tx_commit(tx));
    return changed;
}

/* ---- Tests ---- */

static void
an_overdue_invoice_locks_until_it_is_paid(void **state)
{
    (void)state;
    id owes = new_organization(), owes_nothing = new_organization(), free = new_organization();
    id invoice = new_invoice(owes, 2, 4711);
    new_invoice(free, 2, 0);
    set_day(DUE_DAYS - 1);
    sweep();
    assert_false(is_locked(owes));
    set_day(DUE_DAYS);
    sweep();
    sweep();
    assert_true(is_locked(owes));
    assert_false(is_locked(owes_nothing));
    assert_false(is_locked(free));
    const char *reason = fixture_ask("SELECT lock_reason FROM organization WHERE id = %s", fixture_quote(owes));
    assert_non_null(strstr(reason, " of 2026-02 is not paid"));
    assert_string_equal(events_of(owes), "ORG_LOCKED");
    /* Another's payment is none, and the first one counts. */
    assert_false(pay(owes_nothing, invoice));
    assert_true(pay(owes, invoice));
    assert_false(pay(owes, invoice));
    assert_false(is_locked(owes));
    sweep();
    assert_string_equal(events_of(owes), "ORG_LOCKED,INVOICE_PAID,ORG_UNLOCKED");
    assert_string_equal(events_of(owes_nothing), "");
}

static void
an_invoice_that_is_open_or_free_is_not_paid(void **state)
{
    (void)state;
    id organization = new_organization(), free = new_invoice(organization, 2, 0), open = fixture_id(next++);
    fixture_ask(
        "INSERT INTO invoice (id, org_id, began_at, ends_at, created_at, updated_at) VALUES (%s, %s, '2026-03-01+00', "
        "'2026-04-01+00', now(), now())",
        fixture_quote(open), fixture_quote(organization));
    assert_false(pay(organization, free));
    assert_false(pay(organization, open));
    set_day(DUE_DAYS * 10);
    sweep();
    assert_false(is_locked(organization));
}

static void
all_that_is_overdue_must_be_paid(void **state)
{
    (void)state;
    id organization = new_organization(), january = new_invoice(organization, 1, 100),
       february = new_invoice(organization, 2, 200);
    set_day(DUE_DAYS);
    sweep();
    assert_true(pay(organization, january));
    assert_true(is_locked(organization)); /* for the other one, and says so */
    assert_non_null(strstr(
        fixture_ask("SELECT lock_reason FROM organization WHERE id = %s", fixture_quote(organization)), "2026-02"));
    assert_true(pay(organization, february));
    assert_false(is_locked(organization));
    assert_string_equal(events_of(organization), "ORG_LOCKED,INVOICE_PAID,ORG_LOCKED,INVOICE_PAID,ORG_UNLOCKED");
}

static void
what_is_agreed_holds_until_its_day(void **state)
{
    (void)state;
    id organization = new_organization();
    new_invoice(organization, 2, 100);
    set_day(DUE_DAYS);
    sweep();
    assert_true(is_locked(organization));
    assert_true(agree(organization, 30));
    assert_false(agree(organization, 30));
    assert_false(is_locked(organization));
    set_day(29);
    sweep();
    assert_false(is_locked(organization));
    set_day(30);
    sweep();
    assert_true(is_locked(organization));
    assert_true(agree(organization, 60));
    assert_false(is_locked(organization));
    assert_true(agree(organization, 0)); /* not any more: locked at once */
    assert_true(is_locked(organization));
    assert_string_equal(
        events_of(organization),
        "ORG_LOCKED,PAYMENT_AGREED,ORG_UNLOCKED,ORG_LOCKED,PAYMENT_AGREED,ORG_UNLOCKED,PAYMENT_AGREED,ORG_LOCKED");
}

static void
what_the_operator_locked_stays_locked(void **state)
{
    (void)state;
    id organization = new_organization(), invoice = new_invoice(organization, 2, 100);
    assert_true(set_lock(organization, STR("abuse")));
    set_day(DUE_DAYS);
    sweep();
    assert_true(pay(organization, invoice));
    sweep();
    assert_true(is_locked(organization));
    assert_string_equal(fixture_ask("SELECT lock_reason FROM organization WHERE id = %s", fixture_quote(organization)),
                        "abuse");
    assert_true(set_lock(organization, STR_EMPTY));
    assert_false(is_locked(organization));
}

/* Else the sweep would lock it again a few minutes later, and nobody would know why. */
static void
a_lock_for_an_invoice_is_not_ended_by_hand(void **state)
{
    (void)state;
    id organization = new_organization(), invoice = new_invoice(organization, 2, 100);
    set_day(DUE_DAYS);
    sweep();
    assert_false(set_lock(organization, STR_EMPTY));
    assert_true(is_locked(organization));
    /* But the operator can make it a lock of their own. */
    assert_true(set_lock(organization, STR("abuse")));
    assert_true(pay(organization, invoice));
    assert_true(is_locked(organization));
    assert_true(set_lock(organization, STR_EMPTY));
}

static void
nobody_is_locked_where_nothing_is_ever_due(void **state)
{
    (void)state;
    id organization = new_organization();
    new_invoice(organization, 2, 100);
    set_day(1000);
    sweep_with(0);
    assert_false(is_locked(organization));
    sweep();
    assert_true(is_locked(organization));
    sweep_with(0); /* the operator has given it up */
    assert_false(is_locked(organization));
}

/* ---- Killed in the middle ---- */

static void
a_sweep_that_is_killed_leaves_whole_locks(void **state)
{
    (void)state;
    set_day(DUE_DAYS);
    sweep(); /* what other tests left */
    id first = new_organization(), second = new_organization();
    id owed[] = { new_invoice(first, 2, 100), new_invoice(second, 2, 100) };
    set_day(DUE_DAYS);
    assert_true(fixture_is_killed("sweep:payments:judged=kill"));
    assert_false(is_locked(first));
    assert_string_equal(events_of(first), "");
    assert_true(fixture_is_killed("sweep:payments:committed=kill"));
    assert_true(is_locked(first));
    assert_false(is_locked(second));
    assert_true(fixture_is_killed("sweep:payments:judged=kill"));
    sweep();
    assert_true(is_locked(first) && is_locked(second));
    /* To unlock is one step as well. */
    fixture_ask("INSERT INTO invoice_payment SELECT id, org_id, now(), '' FROM invoice WHERE id IN (%s, %s)",
                fixture_quote(owed[0]), fixture_quote(owed[1]));
    assert_true(fixture_is_killed("sweep:payments:judged=kill"));
    assert_true(is_locked(first) && is_locked(second));
    assert_true(fixture_is_killed("sweep:payments:committed=kill"));
    assert_false(is_locked(first));
    assert_true(is_locked(second));
    sweep();
    assert_false(is_locked(second));
    assert_string_equal(events_of(first), "ORG_LOCKED,ORG_UNLOCKED");
    assert_string_equal(events_of(second), "ORG_LOCKED,ORG_UNLOCKED");
}

static int
set_up(void **state)
{
    if (open_store(state) != 0)
        return -1;
    fixture_make_clock(0);
    return 0;
}

int
main(int argc, char **argv)
{
    int status;
    struct job_environment environment = { .payment_due_days = DUE_DAYS };
    if (fixture_is_sweeper(argc, argv, &payments_sweep, &environment, &status))
        return status;
    json_init();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_overdue_invoice_locks_until_it_is_paid),
        cmocka_unit_test(an_invoice_that_is_open_or_free_is_not_paid),
        cmocka_unit_test(all_that_is_overdue_must_be_paid),
        cmocka_unit_test(what_is_agreed_holds_until_its_day),
        cmocka_unit_test(what_the_operator_locked_stays_locked),
        cmocka_unit_test(a_lock_for_an_invoice_is_not_ended_by_hand),
        cmocka_unit_test(nobody_is_locked_where_nothing_is_ever_due),
        cmocka_unit_test(a_sweep_that_is_killed_leaves_whole_locks),
    };
    return cmocka_run_group_tests(tests, set_up, close_store);
}
