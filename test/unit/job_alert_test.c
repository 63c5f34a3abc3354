/* SPDX-License-Identifier: Apache-2.0 */
#include "arena_fixture.h"

#include "base/given_secret.h"
#include "base/json.h"
#include "base/net/mail_address.h"
#include "base/net/post.h"
#include "job/alert/alert_config.h"
#include "job/alert/alert_message.h"
#include "job/alert/alert_rule.h"
#include "job/alert/alert_template.h"
#include "job/mail.h"
#include "store/event/event.h"

static bool
is_event(str name)
{
    for (int i = 0; i < EVENT_TYPE_COUNT; i++) {
        if (str_is(name, event_type_names[i]))
            return true;
    }
    return false;
}

static void
rules_name_events_that_there_are(void **state)
{
    (void)state;
    for (const struct alert_rule *rule = alert_rules; rule->type != NULL; rule++) {
        if (!is_event(str_from(rule->type)))
            fail_msg("%s is no event", rule->type);
        str ends = str_from(rule->ended_by);
        while (ends.len > 0)
            assert_true(is_event(str_cut(&ends, ',')));
    }
}

static void
alerts_raise_no_alerts(void **state)
{
    (void)state;
    for (const struct alert_rule *rule = alert_rules; rule->type != NULL; rule++)
        assert_false(str_starts_with(str_from(rule->type), STR("ALERT_")));
}

static void
what_lasts_ends_with_its_event_or_its_cluster(void **state)
{
    (void)state;
    const struct alert_rule *paused = alert_rule_find(STR("CLUSTER_PAUSED"));
    assert_true(alert_rule_is_ended_by(paused, STR("CLUSTER_RESUMED")));
    assert_true(alert_rule_is_ended_by(paused, STR("CLUSTER_DELETED")));
    assert_false(alert_rule_is_ended_by(paused, STR("CLUSTER_PAUSED")));
    assert_false(alert_rule_is_ended_by(alert_rule_find(STR("INDEX_FAILED")), STR("CLUSTER_DELETED")));
    assert_null(alert_rule_find(STR(ALERT_METRIC_TYPE)));
}

static bool
holds(const char *operator, const char * value, const char *cluster)
{
    const json_t *matchers = json_in(
        arena, json_pack("[{s:s, s:s, s:s}]", "fieldName", "CLUSTER_NAME", "operator", operator, "value", value));
    return alert_matchers_hold(matchers, &(struct alert_matched){ { [MATCH_CLUSTER] = str_from(cluster) } });
}

static void
matchers_compare_the_name_of_the_cluster(void **state)
{
    (void)state;
    assert_true(holds("EQUALS", "orders", "orders"));
    assert_false(holds("EQUALS", "orders", "orders2"));
    assert_true(holds("NOT_EQUALS", "orders", "orders2"));
    assert_true(holds("CONTAINS", "der", "orders"));
    assert_false(holds("CONTAINS", "dre", "orders"));
    assert_true(holds("NOT_CONTAINS", "dre", "orders"));
    assert_true(holds("STARTS_WITH", "ord", "orders"));
    assert_false(holds("STARTS_WITH", "ers", "orders"));
    assert_true(holds("EWITH", "ers", "orders"));
    assert_true(holds("REGEX", "^o.*s$", "orders"));
    assert_false(holds("REGEX", "^x", "orders"));
    assert_false(holds("REGEX", "(a+)+$", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab")); /* and in time */
    assert_false(holds("NOT_EQUALS", "orders", ""));
    assert_false(alert_expression_is_fine(STR("(")));
}

static void
secrets_are_masked_and_bound_to_their_configuration(void **state)
{
    (void)state;
    struct key key = { { 1 } };
    id config = id_new(1), other = id_new(1);
    assert_true(str_is(given_secret_mask(arena, STR("0123456789abcdef")), "****cdef"));
    assert_true(str_is(given_secret_mask(arena, STR("0123cdef")), "********"));
    json_t *secrets = json_in(arena, json_pack("{s:{s:s}}", "n", "apiToken", "very secret"));
    json_t *hidden = alert_hidden_new(arena, &key, config, secrets, 7);
    json_t *document = json_in(arena, json_pack("{s:O}", ALERT_HIDDEN_FIELD, hidden));
    assert_int_equal(alert_config_after_seq(document), 7);
    assert_true(json_equal(alert_secrets_open(arena, &key, config, document), secrets));
    assert_null(alert_secrets_open(arena, &key, other, document));
    assert_null(strstr(json_text(arena, document).data, "very secret"));
}

static struct alert_message
make(enum notification_about about, const char *relay, const char *type, const char *field, const char *value,
     const char *region)
{
    struct alert_facts facts = {
        .notification = { { 9 } },
        .about = about,
        .alert = json_in(arena, json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "id", "650000000000000000000001", "groupId",
                                          "650000000000000000000002", "eventTypeName", "CLUSTER_PAUSED", "severity",
                                          "WARNING", "clusterName", "orders", "created", "2026-01-01T00:00:00Z")),
        .project_name = STR("shop"),
        .now_s = 1767225600,
    };
    struct alert_message message;
    json_t *notifier = json_in(arena, json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "typeName", type, "channelName", "#a",
                                                "region", region, "opsGenieRegion", region, "datadogRegion", region,
                                                "webhookUrl", "https://hooks.example.org/x"));
    json_t *secrets = json_in(arena, json_pack("{s:s}", field, value));
    assert_true(alert_message_make(arena, &facts, notifier, secrets, str_from(relay), &message));
    return message;
}

static void
services_are_reached_where_they_are(void **state)
{
    (void)state;
    static const struct {
        const char *type, *field, *region, *url, *closed_url;
    } rows[] = {
        { "SLACK", "apiToken", "US", "https://slack.com/api/chat.postMessage", NULL },
        { "PAGER_DUTY", "serviceKey", "US", "https://events.pagerduty.com/v2/enqueue", NULL },
        { "PAGER_DUTY", "serviceKey", "EU", "https://events.eu.pagerduty.com/v2/enqueue", NULL },
        { "OPS_GENIE", "opsGenieApiKey", "US", "https://api.opsgenie.com/v2/alerts",
          "https://api.opsgenie.com/v2/alerts/650000000000000000000001/close?identifierType=alias" },
        { "OPS_GENIE", "opsGenieApiKey", "EU", "https://api.eu.opsgenie.com/v2/alerts",
          "https://api.eu.opsgenie.com/v2/alerts/650000000000000000000001/close?identifierType=alias" },
        { "VICTOR_OPS", "victorOpsApiKey", "US",
          "https://alert.victorops.com/integrations/generic/20131114/alert/the-key", NULL },
        { "DATADOG", "datadogApiKey", "US", "https://api.datadoghq.com/api/v1/events", NULL },
        { "DATADOG", "datadogApiKey", "US1_FED", "https://api.ddog-gov.com/api/v1/events", NULL },
        { "WEBHOOK", "webhookSecret", "US", "https://hooks.example.org/x", NULL },
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct alert_message opened = make(ABOUT_OPENED, NULL, rows[i].type, rows[i].field, "the-key", rows[i].region);
        struct alert_message closed = make(ABOUT_CLOSED, NULL, rows[i].type, rows[i].field, "the-key", rows[i].region);
        assert_string_equal(opened.url.data, rows[i].url);
        assert_string_equal(closed.url.data, rows[i].closed_url == NULL ? rows[i].url : rows[i].closed_url);
    }
    assert_string_equal(make(ABOUT_OPENED, "https://relay:1", "SLACK", "apiToken", "the-key", "US").url.data,
                        "https://relay:1/slack.com/api/chat.postMessage");
    assert_string_equal(make(ABOUT_OPENED, "https://relay:1", "WEBHOOK", "apiToken", "the-key", "US").url.data,
                        "https://hooks.example.org/x");
}

/* What somebody called their project or cluster stays between the quotes of the template, and nothing that it says is done. */
static void
templates_are_filled_and_never_evaluated(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "",
        "x",
        "[\"{{text}}\"]",
        "{\"a\": {{text}}}",
        "{\"a\": \"{{nothing}}\"}",
        "{\"a\": \"{{text}\"}",
        "{\"a\": \"{{text",
        "{\"a\": \"{{ {{text}} }}\"}",
        "{\"a\": \"b\", \"a\": \"c\"}",
        "{\"a\": \"${alertId} {{alert.id}}\"}",
    };
    for (size_t i = 0; i < LENGTH(wrong); i++)
        assert_true(alert_template_problem(arena, str_from(wrong[i])).len > 0);
    struct buf many = buf_in(arena, 1 << 16);
    buf_add_text(&many, "{\"a\": \"");
    for (int i = 0; i < 65; i++)
        buf_add_text(&many, "{{text}}");
    buf_add_text(&many, "\"}");
    assert_true(alert_template_problem(arena, buf_str(&many)).len > 0);

    str template =
        STR("{\"said\": \"{{ projectName }} {{clusterName}}\", \"n\": {{value}}, \"{{about}}\": \"}} { }\"}");
    assert_int_equal(alert_template_problem(arena, template).len, 0);
    str facts[ALERT_TEMPLATE_FACT_COUNT] = { [TEMPLATE_projectName] = STR("a\", \"n\": 2, \"x\": \"\\\n\t{{text}}"),
                                             [TEMPLATE_clusterName] = STR("\xc3\xa9"),
                                             [TEMPLATE_value] = STR("1.5"),
                                             [TEMPLATE_about] = STR("OPENED"),
                                             [TEMPLATE_text] = STR("never") };
    json_t *body = json_parse_own(arena, alert_template_fill(arena, template, facts));
    assert_int_equal(json_object_size(body), 3);
    assert_string_equal(json_string_value(json_object_get(body, "said")),
                        "a\", \"n\": 2, \"x\": \"\\\n\t{{text}} \xc3\xa9");
    assert_true(json_number_value(json_object_get(body, "n")) == 1.5);
    assert_string_equal(json_string_value(json_object_get(body, "OPENED")), "}} { }");
    /* Too long: nothing, and then the alert goes out in our own form. */
    char *huge = arena_alloc(arena, 70000);
    memset(huge, 'x', 70000);
    facts[TEMPLATE_clusterName] = (str){ huge, 70000 };
    assert_int_equal(alert_template_fill(arena, template, facts).len, 0);
}

static void
a_refusal_in_a_good_answer_is_seen(void **state)
{
    (void)state;
    assert_int_equal(alert_message_refusal(STR("SLACK"), STR("{\"ok\":true}")).len, 0);
    assert_true(alert_message_refusal(STR("SLACK"), STR("{\"ok\":false,\"error\":\"invalid_auth\"}")).len > 0);
    assert_int_equal(alert_message_refusal(STR("WEBHOOK"), STR("{\"ok\":false}")).len, 0);
}

static void
nothing_in_a_mail_becomes_a_header(void **state)
{
    (void)state;
    str to = STR("ada@example.org");
    struct mail_server server = { .url = "smtp://127.0.0.1:25", .from = "reeve@example.org" };
    struct mail mail = { &to, 1, STR("1f"), STR("a\r\nBcc: eve@example.org"), STR("b\r\n.\r\nMAIL FROM"), 0 };
    str text = mail_text(arena, &server, &mail);
    assert_non_null(strstr(text.data, "Subject: a??Bcc: eve@example.org\r\n"));
    assert_non_null(strstr(text.data, "Message-ID: <1f@example.org>\r\n"));
    assert_non_null(strstr(text.data, "Date: Thu, 01 Jan 1970 00:00:00 +0000\r\n"));
    assert_null(strstr(text.data, "\r\n.\r\n"));
    assert_true(mail_address_is_plain(to));
    assert_false(mail_address_is_plain(STR("a@b>\r\nRCPT TO:<c@d")));
}

static void
nothing_is_fetched_where_nobody_answers(void **state)
{
    (void)state;
    struct net_block loopback;
    assert_true(net_parse_block(STR("127.0.0.0/8"), &loopback) && post_init());
    const struct egress_allowed allowed = { 1, &loopback };
    str body = STR("as before"), why = STR_EMPTY;
    assert_false(poster_fetch(arena, &allowed, NULL, STR("https://127.0.0.1:1/keys"), &body, &why));
    assert_true(why.len > 0);
    assert_string_equal(body.data, "as before");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(rules_name_events_that_there_are, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(alerts_raise_no_alerts, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(what_lasts_ends_with_its_event_or_its_cluster, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(matchers_compare_the_name_of_the_cluster, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(secrets_are_masked_and_bound_to_their_configuration, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(services_are_reached_where_they_are, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(templates_are_filled_and_never_evaluated, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(a_refusal_in_a_good_answer_is_seen, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(nothing_in_a_mail_becomes_a_header, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(nothing_is_fetched_where_nobody_answers, open_arena, close_arena),
    };
    json_init();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
