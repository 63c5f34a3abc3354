/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A customer's key service: a real one (test/keys/key_service.py), and answers that nobody should believe. Started by that program, which says in
 * REEVE_TEST_KMIP where it is: "ADDRESS PORT KEY FOLDER KEY-THAT-ONLY-ENCRYPTS".
 */
#include "base/net/kmip.h"

#include <stdlib.h>

#include "base/disk.h"
#include "check.h"

enum {
    ARENA_BYTES = 1024 * 1024,
    LIMIT_MS = 5000,
    SECRET_BYTES = 64,
    FILE_BYTES = 64 * 1024,
    TRIES = 20000,
    LONGER_BYTES = 64
};

static struct net_block here;
static struct egress_allowed loopback = { 1, &here }, nobody;

struct customer {
    struct arena *arena;
    struct kmip_service service;
    str key, one_way;
};

static str
file(struct arena *arena, str folder, const char *name)
{
    str text;
    assert_true(disk_read(arena, str_format(arena, "%.*s/%s", STR_ARG(folder), name).data, FILE_BYTES, &text));
    return text;
}

static struct customer
customer(struct arena *arena)
{
    str words = str_dup(arena, str_from(getenv("REEVE_TEST_KMIP")));
    int64_t port;
    assert_true(net_parse_block(STR("127.0.0.0/8"), &here));
    struct customer made = { .arena = arena };
    made.service.host = str_cut(&words, ' ');
    assert_true(str_to_int(str_cut(&words, ' '), 1, UINT16_MAX, &port));
    made.service.port = (int)port;
    made.key = str_cut(&words, ' ');
    str folder = str_cut(&words, ' ');
    made.one_way = words;
    made.service.authority = file(arena, folder, "ca.crt");
    made.service.certificate = file(arena, folder, "client.crt");
    made.service.key = file(arena, folder, "client.key");
    return made;
}

static void
what_was_wrapped_is_unwrapped(void **state)
{
    (void)state;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(ARENA_BYTES);
    struct customer own = customer(arena);
    char secret[SECRET_BYTES];
    memset(secret, 'k', sizeof(secret));
    str plain = { secret, sizeof(secret) }, wrapped, back, why;
    assert_int_equal(kmip_wrap(arena, &loopback, &own.service, own.key, plain, LIMIT_MS, &wrapped, &why), KMIP_GIVEN);
    assert_null(memmem(wrapped.data, wrapped.len, secret, KMIP_IV_BYTES));
    assert_int_equal(kmip_unwrap(arena, &loopback, &own.service, own.key, wrapped, LIMIT_MS, &back, &why), KMIP_GIVEN);
    assert_true(str_eq(back, plain));
    assert_int_equal(kmip_try(arena, &loopback, &own.service, own.key, LIMIT_MS, &why), KMIP_GIVEN);
}

/* What nobody could unwrap again must not be the only copy of a key. */
static void
a_key_that_only_encrypts_wraps_nothing(void **state)
{
    (void)state;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(ARENA_BYTES);
    struct customer own = customer(arena);
    char secret[SECRET_BYTES];
    memset(secret, 'k', sizeof(secret));
    str wrapped = STR_EMPTY, why = STR_EMPTY;
    assert_int_equal(kmip_wrap(arena, &loopback, &own.service, own.one_way, (str){ secret, sizeof(secret) }, LIMIT_MS,
                               &wrapped, &why),
                     KMIP_REFUSED);
    assert_int_equal(wrapped.len, 0);
    assert_non_null(strstr(why.data, "ecrypt"));
}

/* Memory that is freed is somebody else's then. */
static void
a_question_leaves_no_copy_of_a_key(void **state)
{
    (void)state;
    enum { LARGE = ARENA_BYTES / 2, ROOM = 8 * 1024 };
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(ARENA_BYTES);
    char secret[SECRET_BYTES], iv[KMIP_IV_BYTES] = { 0 };
    memset(secret, 'k', sizeof(secret));
    assert_non_null(arena_alloc(arena, LARGE)); /* so that the arena has one block for all that follows */
    const char *from = arena_alloc(arena, KMIP_HEAD_BYTES);
    struct kmip_question question = { KMIP_ENCRYPT, STR("name"), { iv, sizeof(iv) }, { secret, sizeof(secret) } };
    str bytes = kmip_question_write(arena, &question);
    assert_true(bytes.len > SECRET_BYTES && bytes.data > from && bytes.data - from < ROOM);
    const char *found = memmem(from, (size_t)(bytes.data - from), secret, KMIP_IV_BYTES);
    assert_null(found);
    assert_non_null(memmem(bytes.data, bytes.len, secret, sizeof(secret)));
}

static void
a_key_that_is_not_there_is_refused(void **state)
{
    (void)state;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(ARENA_BYTES);
    struct customer own = customer(arena);
    str why;
    assert_int_equal(kmip_try(arena, &loopback, &own.service, STR("another"), LIMIT_MS, &why), KMIP_REFUSED);
    assert_non_null(strstr(why.data, "refused"));
}

static void
a_service_that_is_not_reached_refuses_nothing(void **state)
{
    (void)state;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(ARENA_BYTES);
    struct customer own = customer(arena), other = own;
    str why, first;
    assert_int_equal(kmip_try(arena, &nobody, &own.service, own.key, LIMIT_MS, &first), KMIP_SILENT); /* not public */
    other.service.port = 1;
    assert_int_equal(kmip_try(arena, &loopback, &other.service, own.key, LIMIT_MS, &why), KMIP_SILENT);
    assert_string_equal(why.data, first.data); /* nothing is learned about ports */
    other = own;
    other.service.authority = own.service.certificate;
    assert_int_equal(kmip_try(arena, &loopback, &other.service, own.key, LIMIT_MS, &why), KMIP_SILENT);
    assert_string_equal(why.data, first.data);
    other = own;
    other.service.host = STR("127.0.0.2"); /* its certificate is for another address */
    assert_int_equal(kmip_try(arena, &loopback, &other.service, own.key, LIMIT_MS, &why), KMIP_SILENT);
    assert_string_equal(why.data, first.data);
    other = own;
    other.service.key = STR("no key");
    assert_int_equal(kmip_try(arena, &loopback, &other.service, own.key, LIMIT_MS, &why), KMIP_SILENT);
}

/* ---- Answers ---- */
/* As the service of the test gives them: "data" of 16 bytes. */
static const unsigned char good[] = {
    0x42, 0x00, 0x7B, 0x01, 0, 0, 0, 0x80, 0x42, 0x00, 0x7A, 0x01, 0, 0, 0, 0x10, 0x42, 0x00, 0x0D, 0x02, 0, 0, 0,  4,
    0,    0,    0,    1,    0, 0, 0, 0,    0x42, 0x00, 0x0F, 0x01, 0, 0, 0, 0x60, 0x42, 0x00, 0x5C, 0x05, 0, 0, 0,  4,
    0,    0,    0,    0x20, 0, 0, 0, 0,    0x42, 0x00, 0x7F, 0x05, 0, 0, 0, 4,    0,    0,    0,    0,    0, 0, 0,  0,
    0x42, 0x00, 0x7C, 0x01, 0, 0, 0, 0x38, 0x42, 0x00, 0x94, 0x07, 0, 0, 0, 1,    '1',  0,    0,    0,    0, 0, 0,  0,
    0x42, 0x00, 0xC2, 0x08, 0, 0, 0, 0x10, 'd',  'a',  't',  'a',  0, 1, 2, 3,    4,    5,    6,    7,    8, 9, 10, 11,
    0x42, 0x00, 0x3D, 0x08, 0, 0, 0, 1,    7,    0,    0,    0,    0, 0, 0, 0,
};

/* In memory of exactly that size, so that a sanitizer sees who reads beyond it. */
static enum kmip_outcome
read_exactly(const unsigned char *bytes, size_t count, str *ret_data)
{
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(ARENA_BYTES);
    char *copy = malloc(count > 0 ? count : 1);
    str data = STR_EMPTY, why = STR_EMPTY;
    memcpy(copy, bytes, count);
    enum kmip_outcome outcome = kmip_answer_read(arena, (str){ copy, count }, KMIP_DECRYPT, &data, &why);
    assert_true(outcome == KMIP_GIVEN || why.len > 0);
    assert_true(data.len < KMIP_MOST_BYTES && why.len < FILE_BYTES);
    free(copy);
    *ret_data = (str){ "", data.len };
    return outcome;
}

static void
answers_that_are_cut_off_give_nothing(void **state)
{
    (void)state;
    str data;
    assert_int_equal(read_exactly(good, sizeof(good), &data), KMIP_GIVEN);
    assert_int_equal(data.len, KMIP_IV_BYTES);
    for (size_t count = 0; count < sizeof(good); count++)
        assert_int_equal(read_exactly(good, count, &data), KMIP_SILENT);
}

static void
lengths_beyond_the_answer_are_not_followed(void **state)
{
    (void)state;
    static const size_t lengths[] = { 4, 12, 36, 44, 60, 76, 84, 100 };
    str data;
    for (size_t i = 0; i < LENGTH(lengths); i++) {
        unsigned char bad[sizeof(good)];
        memcpy(bad, good, sizeof(bad));
        memset(bad + lengths[i], UINT8_MAX, sizeof(uint32_t));
        assert_int_equal(read_exactly(bad, sizeof(bad), &data), KMIP_SILENT);
        bad[lengths[i]] = 0x7F;
        assert_int_equal(read_exactly(bad, sizeof(bad), &data), KMIP_SILENT);
    }
}

static void
an_answer_to_something_else_gives_nothing(void **state)
{
    (void)state;
    enum { OPERATION_AT = 51 };
    unsigned char bad[sizeof(good)];
    str data;
    memcpy(bad, good, sizeof(bad));
    bad[OPERATION_AT] = KMIP_ENCRYPT;
    assert_int_equal(read_exactly(bad, sizeof(bad), &data), KMIP_SILENT);
}

static void
structures_in_structures_are_not_walked_down(void **state)
{
    (void)state;
    enum { LEVELS = 1500 };
    unsigned char *deep = calloc(LEVELS + 1, KMIP_HEAD_BYTES);
    str data;
    for (size_t i = 0; i < LEVELS; i++) {
        unsigned char *head = deep + i * KMIP_HEAD_BYTES;
        uint32_t left = (uint32_t)((LEVELS - i) * KMIP_HEAD_BYTES);
        head[0] = 0x42, head[2] = i == 0 ? 0x7B : 0x0F, head[3] = 1;
        head[6] = (unsigned char)(left >> 8), head[7] = (unsigned char)left;
    }
    assert_int_equal(read_exactly(deep, (size_t)(LEVELS + 1) * KMIP_HEAD_BYTES, &data), KMIP_SILENT);
    free(deep);
}

static void
heads_of_long_or_other_messages_are_refused(void **state)
{
    (void)state;
    enum { LENGTH_AT = 4 };
    uint8_t head[KMIP_HEAD_BYTES];
    memcpy(head, good, sizeof(head));
    assert_int_equal(kmip_answer_length(head), sizeof(good));
    for (unsigned byte = 0x40; byte <= UINT8_MAX; byte++) {
        for (size_t at = LENGTH_AT; at < LENGTH_AT + 3; at++) {
            memcpy(head, good, sizeof(head));
            head[at] = (uint8_t)byte;
            assert_int_equal(kmip_answer_length(head), 0);
        }
    }
    memcpy(head, "HTTP/1.1", sizeof(head));
    assert_int_equal(kmip_answer_length(head), 0);
}

/* What a service says is shown to people: only one line, and not all of it. */
static void
words_of_a_refusal_are_bounded(void **state)
{
    (void)state;
    enum { SAID_BYTES = 400 };
    unsigned char bytes[FILE_BYTES] = { 0 };
    size_t at = 0;
    const unsigned tags[] = { 0x7B, 0x0F };
    for (size_t i = 0; i < LENGTH(tags); i++, at += KMIP_HEAD_BYTES) {
        uint32_t inner = (uint32_t)(2 * 16 + 8 + SAID_BYTES + (i == 0 ? KMIP_HEAD_BYTES : 0));
        unsigned char head[KMIP_HEAD_BYTES] = { 0x42, 0, (unsigned char)tags[i],      1,
                                                0,    0, (unsigned char)(inner >> 8), (unsigned char)inner };
        memcpy(bytes + at, head, sizeof(head));
    }
    const unsigned char status[] = { 0x42,
                                     0,
                                     0x7F,
                                     5,
                                     0,
                                     0,
                                     0,
                                     4,
                                     0,
                                     0,
                                     0,
                                     1,
                                     0,
                                     0,
                                     0,
                                     0,
                                     0x42,
                                     0,
                                     0x7E,
                                     5,
                                     0,
                                     0,
                                     0,
                                     4,
                                     0,
                                     0,
                                     0,
                                     0x0C,
                                     0,
                                     0,
                                     0,
                                     0,
                                     0x42,
                                     0,
                                     0x7D,
                                     7,
                                     0,
                                     0,
                                     SAID_BYTES >> 8,
                                     SAID_BYTES & 255 };
    memcpy(bytes + at, status, sizeof(status));
    at += sizeof(status);
    memset(bytes + at, 'x', SAID_BYTES);
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(ARENA_BYTES);
    str data, why;
    assert_int_equal(kmip_answer_read(arena, (str){ (char *)bytes, at + SAID_BYTES }, KMIP_DECRYPT, &data, &why),
                     KMIP_REFUSED);
    assert_true(why.len < SAID_BYTES);
    bytes[at] = '\n';
    assert_int_equal(kmip_answer_read(arena, (str){ (char *)bytes, at + SAID_BYTES }, KMIP_DECRYPT, &data, &why),
                     KMIP_REFUSED);
    assert_true(str_is_one_line(why));
}

static void
nothing_that_is_answered_leads_outside_of_it(void **state)
{
    (void)state;
    unsigned char bad[sizeof(good) + LONGER_BYTES];
    uint32_t seed = 1;
    str data;
    for (int i = 0; i < TRIES; i++) {
        memcpy(bad, good, sizeof(good));
        memset(bad + sizeof(good), 0, LONGER_BYTES);
        for (int change = 0; change < 1 + i % 4; change++) {
            seed = seed * 1664525 + 1013904223;
            bad[(seed >> 8) % sizeof(good)] = (unsigned char)(seed >> 24);
        }
        (void)read_exactly(bad, (seed >> 4) % (sizeof(bad) + 1), &data);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_wrapped_is_unwrapped),
        cmocka_unit_test(a_key_that_only_encrypts_wraps_nothing),
        cmocka_unit_test(a_question_leaves_no_copy_of_a_key),
        cmocka_unit_test(a_key_that_is_not_there_is_refused),
        cmocka_unit_test(a_service_that_is_not_reached_refuses_nothing),
        cmocka_unit_test(answers_that_are_cut_off_give_nothing),
        cmocka_unit_test(lengths_beyond_the_answer_are_not_followed),
        cmocka_unit_test(an_answer_to_something_else_gives_nothing),
        cmocka_unit_test(structures_in_structures_are_not_walked_down),
        cmocka_unit_test(heads_of_long_or_other_messages_are_refused),
        cmocka_unit_test(words_of_a_refusal_are_bounded),
        cmocka_unit_test(nothing_that_is_answered_leads_outside_of_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
