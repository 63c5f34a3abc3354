/* SPDX-License-Identifier: Apache-2.0 */
/* Answers of SAML providers: what is right is read, and whatever is changed in it is refused or says the same. */
#include <stdlib.h>
#include <zlib.h>

#include "arena_fixture.h"
#include "saml_fixture.h"

#include "auth/saml/answer.h"
#include "auth/saml/request.h"
#include "base/json.h"

enum { NOW_S = 1767225600 /* 2026-01-01T00:00:00Z */ };

static struct saml_question
good_question(struct arena *in)
{
    json_t *certificates = json_in(in, json_array());
    json_array_append_new(certificates, json_string(saml_certificate));
    return (struct saml_question){
        .issuer = STR("https://login.example.org"),
        .audience = STR("https://reeve.example.org/api/saml/1"),
        .acs = STR("https://reeve.example.org/api/saml/1/acs"),
        .request_id = STR("_QUESTION"),
        .asked_at_s = NOW_S - 10,
        .trust = { .certificates = certificates, .now_ms = NOW_S * INT64_C(1000) },
    };
}

static void
answer_is_read(void **state)
{
    (void)state;
    struct saml_question question = good_question(arena);
    struct saml_statement statement;
    const char *why = NULL;
    assert_true(saml_answer_read(arena, ((str){ saml_answer, sizeof(saml_answer) - 1 }), &question, &statement, &why));
    assert_null(why);
    assert_true(str_is(statement.address, "ada@example.org"));
    assert_int_equal(statement.issued_s, NOW_S);
    assert_int_equal(statement.authenticated_at_s, NOW_S);
    assert_true(str_is(json_text(arena, statement.groups), "[\"people\",\"r&d\"]"));
}

/* Of 2,700 bytes, each is changed in three ways. What is not signed may change as long as it says nothing else. */
static void
every_changed_byte_is_refused_or_says_the_same(void **state)
{
    (void)state;
    size_t taken = 0, length = sizeof(saml_answer) - 1;
    char *copy = malloc(length);
    for (size_t i = 0; i < length; i++) {
        for (int way = 0; way < 3; way++) {
            struct arena *own = arena_new(16 << 20);
            struct saml_question question = good_question(own);
            struct saml_statement statement;
            const char *why = NULL;
            memcpy(copy, saml_answer, length);
            copy[i] = way == 0 ? (char)(copy[i] ^ 1) : way == 1 ? '<' : ' ';
            if (memcmp(copy, saml_answer, length) != 0) {
                if (saml_answer_read(own, (str){ copy, length }, &question, &statement, &why)) {
                    assert_true(str_is(statement.address, "ada@example.org") &&
                                json_array_size(statement.groups) == 2 && statement.issued_s == NOW_S);
                    taken++;
                } else {
                    assert_non_null(why);
                }
            }
            arena_free(own);
        }
    }
    free(copy);
    assert_true(
        taken <
        150); /* white space in base64 and between elements, the instant and the identifier around the assertion */
}

static void
every_beginning_is_refused(void **state)
{
    (void)state;
    struct saml_question question = good_question(arena);
    struct saml_statement statement;
    const char *why = NULL;
    for (size_t length = 0; length < sizeof(saml_answer) - 1; length += 7)
        assert_false(saml_answer_read(arena, (str){ saml_answer, length }, &question, &statement, &why));
}

/* What would be compared with all others of its element is not even parsed. */
static void
too_many_attributes_are_refused(void **state)
{
    (void)state;
    const xmlDoc *document;
    const char *why;
    struct buf text = buf_in(arena, 48 * 1024);
    buf_add_text(&text, "<a");
    for (int i = 0; i < 3000; i++)
        buf_format(&text, " a%d=''", i);
    buf_add_text(&text, "/>");
    assert_false(saml_xml_read(arena, buf_str(&text), &document, &why));
    assert_non_null(strstr(why, "too many attributes"));
}

/* Under the address sanitizer: a document is freed once, also when there is no room to note that it must be. */
static void
memory_that_runs_out_is_freed_once(void **state)
{
    (void)state;
    for (size_t bytes = 256; bytes < 4096; bytes += 16) {
        struct arena *small = arena_new(bytes);
        const xmlDoc *document;
        const char *why;
        if (small != NULL && saml_xml_read(small, STR("<a><b/></a>"), &document, &why))
            assert_non_null(saml_xml_root(document));
        arena_free(small);
    }
}

/* The question is another one in each part once. */
static void
answer_to_another_question_is_refused(void **state)
{
    (void)state;
    struct saml_question questions[] = { good_question(arena), good_question(arena), good_question(arena),
                                         good_question(arena), good_question(arena), good_question(arena),
                                         good_question(arena) };
    struct saml_statement statement;
    const char *why;
    questions[0].issuer = STR("https://login.example.org/");
    questions[1].audience = STR("https://reeve.example.org/api/saml/2");
    questions[2].acs = STR("https://reeve.example.org/api/saml/2/acs");
    questions[3].request_id = STR("_QUESTION2");
    questions[4].trust.now_ms += 400 * 1000;
    questions[5].trust.now_ms -= 400 * 1000;
    questions[6].trust.certificates = json_in(arena, json_array());
    for (size_t i = 0; i < LENGTH(questions); i++) {
        why = NULL;
        assert_false(
            saml_answer_read(arena, ((str){ saml_answer, sizeof(saml_answer) - 1 }), &questions[i], &statement, &why));
        assert_non_null(why);
    }
}

static void
clocks_may_differ_by_a_minute(void **state)
{
    (void)state;
    /* The answer holds until five minutes after it was made. */
    static const struct {
        int moved_s;
        bool is_good;
    } clocks[] = { { 0, true }, { 300 + 59, true }, { 300 + 60, false } };
    for (size_t i = 0; i < LENGTH(clocks); i++) {
        struct saml_question question = good_question(arena);
        struct saml_statement statement;
        const char *why = NULL;
        question.trust.now_ms += clocks[i].moved_s * 1000;
        assert_int_equal(
            saml_answer_read(arena, ((str){ saml_answer, sizeof(saml_answer) - 1 }), &question, &statement, &why),
            clocks[i].is_good);
    }
}

static void
canonical_form_is_bounded(void **state)
{
    (void)state;
    struct buf out = buf_in(arena, SAML_CANONICAL_MAX_BYTES);
    const xmlDoc *document;
    const char *why;
    str text;
    buf_add_text(&out, "<a xmlns:n=\"urn:");
    for (int i = 0; i < 20000; i++)
        buf_add_char(&out, 'x');
    buf_add_text(&out, "\">");
    for (int i = 0; i < 2000; i++)
        buf_add_text(&out, "<n:b/>");
    buf_add_text(&out, "</a>");
    assert_true(saml_xml_read(arena, buf_str(&out), &document, &why));
    assert_false(saml_xml_canonical(arena, saml_xml_root(document), NULL, STR_EMPTY, &text));
}

static void
question_is_written_as_providers_read_it(void **state)
{
    (void)state;
    struct saml_request request = {
        .id = STR("_1"),
        .audience = STR("https://reeve.example.org/api/saml/1"),
        .acs = STR("https://reeve.example.org/api/saml/1/acs"),
        .sso_url = STR("https://login.example.org/sso?a=1&b=\"2\""),
        .now_s = NOW_S,
        .asks_anew = true,
    };
    const xmlDoc *document;
    const char *why;
    str xml = saml_request_xml(arena, &request);
    assert_true(saml_xml_read(arena, xml, &document, &why));
    const xmlNode *root = saml_xml_root(document);
    assert_true(saml_xml_is(root, PROTOCOL_NS, "AuthnRequest"));
    assert_true(str_eq(saml_xml_attribute(arena, root, "Destination"), request.sso_url));
    assert_true(str_is(saml_xml_attribute(arena, root, "IssueInstant"), "2026-01-01T00:00:00Z"));
    assert_true(str_is(saml_xml_attribute(arena, root, "ForceAuthn"), "true"));
    /* In an address it is packed: what is unpacked is the same. */
    str address = saml_request_address(arena, &request, STR("state")), packed, bytes;
    str from = STR("https://login.example.org/sso?a=1&b=\"2\"&SAMLRequest=");
    assert_true(str_starts_with(address, from) && str_ends_with(address, STR("&RelayState=state")));
    assert_true(str_percent_decode(arena, str_slice(address, from.len, address.len - strlen("&RelayState=state")),
                                   false, &packed));
    assert_true(str_from_base64(arena, packed, &bytes));
    char plain[4096];
    z_stream stream = { .next_in = (unsigned char *)bytes.data,
                        .avail_in = (uInt)bytes.len,
                        .next_out = (unsigned char *)plain,
                        .avail_out = sizeof(plain) };
    assert_int_equal(inflateInit2(&stream, -15), Z_OK);
    assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
    assert_true(str_eq((str){ plain, stream.total_out }, xml));
    inflateEnd(&stream);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answer_is_read),
        cmocka_unit_test(every_changed_byte_is_refused_or_says_the_same),
        cmocka_unit_test(every_beginning_is_refused),
        cmocka_unit_test(too_many_attributes_are_refused),
        cmocka_unit_test(memory_that_runs_out_is_freed_once),
        cmocka_unit_test(answer_to_another_question_is_refused),
        cmocka_unit_test(clocks_may_differ_by_a_minute),
        cmocka_unit_test(canonical_form_is_bounded),
        cmocka_unit_test(question_is_written_as_providers_read_it),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
