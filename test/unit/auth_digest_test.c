/* SPDX-License-Identifier: Apache-2.0 */
/* Digest authentication: the RFC's own figures, hostile headers, nonces, and real clients. */
#include "auth_support.h"

#include "auth/authorization.h"
#include "auth/digest.h"

static struct new_api_key api_key;
static id organization;

static void
make_key(void)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    organization = new_organization(&node, false);
    assert_ok(tx_begin(node.store, arena, organization, &tx));
    assert_ok(auth_create_api_key(node.auth, tx, organization, STR("for tests"), &api_key));
    assert_ok(tx_commit(tx));
}

/* ---- The client's side ---- */

struct request {
    enum digest_algorithm algorithm;
    str username, password, nonce, target, sent_target, method;
    int nc;
};

static str
fresh_nonce(void)
{
    str challenges[3];
    const struct principal *principal;
    assert_code(authenticate(&node, STR_EMPTY, true, false, &principal), NOT_AUTHENTICATED);
    auth_challenges(node.auth, arena, false, challenges);
    const char *at = strstr(challenges[1].data, "nonce=\"");
    assert_non_null(at);
    return (str){ at + 7, DIGEST_NONCE_LENGTH };
}

static struct request
good_request(void)
{
    return (struct request){ .algorithm = DIGEST_SHA256,
                             .username = api_key.public_key,
                             .password = api_key.private_key,
                             .nonce = fresh_nonce(),
                             .target = STR("/api/svc/v2/groups?x=\"1"),
                             .method = STR("GET"),
                             .nc = 1 };
}

static error
send_request(struct node *to, const struct request *request, bool may_block)
{
    char a1[DIGEST_HEX_MAX], response[DIGEST_HEX_MAX];
    struct digest_header header = { .algorithm = request->algorithm,
                                    .nonce = request->nonce,
                                    .uri = request->target,
                                    .cnonce = STR("c/n+o=nce"),
                                    .nc = str_format(arena, "%08x", request->nc) };
    digest_a1(arena, request->algorithm, request->username, STR(DIGEST_REALM), request->password, a1);
    digest_response(arena, &header, request->method, a1, response);
    struct buf uri = buf_in(arena, 1000);
    buf_add_json(&uri, request->target); /* the same escapes */
    str text = str_format(
        arena,
        "Digest username=\"%.*s\", realm=\"reeve\", nonce=\"%.*s\", uri=%.*s, algorithm=%s, response=\"%.*s\", "
        "qop=auth, nc=%.*s, cnonce=\"%.*s\", opaque=\"x\", unknown=1",
        STR_ARG(request->username), STR_ARG(request->nonce), STR_ARG(buf_str(&uri)),
        digest_algorithm_name(request->algorithm), (int)digest_hex_length(request->algorithm), response,
        STR_ARG(header.nc), STR_ARG(header.cnonce));
    struct credentials credentials = { .authorization = text,
                                       .method = STR("GET"),
                                       .client = address("192.0.2.1"),
                                       .target =
                                           request->sent_target.len > 0 ? request->sent_target : request->target };
    const struct principal *principal = NULL;
    TRY(auth_authenticate(to->auth, arena, &credentials, may_block, false, &principal));
    assert_true(id_eq(principal->id, api_key.id));
    assert_int_equal(principal->kind, PRINCIPAL_API_KEY);
    return OK;
}

/* ---- Tests ---- */

static void
hashes_are_those_of_rfc_7616(void **state)
{
    (void)state;
    static const struct {
        enum digest_algorithm algorithm;
        const char *response;
    } rows[] = {
        { DIGEST_MD5, "8ca523f5e9506fed4657c9700eebdbec" },
        { DIGEST_SHA256, "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1" },
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        char a1[DIGEST_HEX_MAX], response[DIGEST_HEX_MAX];
        struct digest_header header = {
            .algorithm = rows[i].algorithm,
            .uri = STR("/dir/index.html"),
            .nonce = STR("7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v"),
            .nc = STR("00000001"),
            .cnonce = STR("f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"),
        };
        digest_a1(arena, header.algorithm, STR("Mufasa"), STR("http-auth@example.org"), STR("Circle of Life"), a1);
        digest_response(arena, &header, STR("GET"), a1, response);
        assert_int_equal(digest_hex_length(header.algorithm), strlen(rows[i].response));
        assert_memory_equal(response, rows[i].response, strlen(rows[i].response));
    }
}

#define MD5_RESPONSE "8ca523f5e9506fed4657c9700eebdbec"
#define REST         "realm=r,nonce=n,uri=\"/\",response=" MD5_RESPONSE ",cnonce=c,nc=00000001,qop=auth"

static void
header_is_read_in_any_order_and_spelling(void **state)
{
    (void)state;
    struct digest_header header;
    assert_true(digest_parse(arena, STR("username=u," REST), &header));
    assert_int_equal(header.algorithm, DIGEST_MD5);
    assert_true(digest_parse(
        arena, STR("\tuSeRnAmE = \"a\\\"b\\\\c, d\" ,, x=y , ALGORITHM=\"md5\",userhash=false," REST ", "), &header));
    assert_text(header.username, "a\"b\\c, d");
    assert_true(digest_parse(arena,
                             STR("username=u,realm=r,nonce=n,uri=\"/\",response=\"" MD5_RESPONSE MD5_RESPONSE
                                 "\",cnonce=c,nc=\"0000000f\",qop=\"auth\",algorithm=SHA-256"),
                             &header));
    assert_int_equal(header.algorithm, DIGEST_SHA256);
    assert_text(header.nc, "0000000f");
}

static void
hostile_headers_are_refused(void **state)
{
    (void)state;
    struct digest_header header;
    static const char *const wrong[] = {
        "",
        ",",
        "username",
        "username=",
        "username=\"",
        "username=\"u",
        "username=\"u\\",
        "=u",
        "username=u " REST,
        REST,                          /* no username */
        "username=\"\"," REST,         /* empty */
        "username=u,username=u," REST, /* twice */
        "username=u,Username=u," REST,
        "username=u,x=1,X=2," REST,
        "username*=UTF-8''u," REST, /* not supported */
        "username=u,userhash=true," REST,
        "username=u,algorithm=SHA-512-256," REST,
        "username=u,algorithm=MD5-sess," REST,
        "username=u,algorithm=SHA-256," REST,
        "username=u,realm=r,nonce=n,uri=\"/\",response=" MD5_RESPONSE ",cnonce=c,nc=1,qop=auth",
        "username=u,realm=r,nonce=n,uri=\"/\",response=" MD5_RESPONSE ",cnonce=c,nc=0000000g,qop=auth",
        "username=u,realm=r,nonce=n,uri=\"/\",response=" MD5_RESPONSE ",cnonce=c,nc=00000001,qop=auth-int",
        "username=u,realm=r,nonce=n,uri=\"/\",response=zz,cnonce=c,nc=00000001,qop=auth",
        "username=u,realm=r,nonce=n,uri=\"/\",response=" MD5_RESPONSE,
        "username=u;" REST,
        "username=u, a b=c," REST,
        "username=\"u\"x," REST,
    };
    for (size_t i = 0; i < LENGTH(wrong); i++) {
        if (digest_parse(arena, str_from(wrong[i]), &header))
            fail_msg("accepted: %s", wrong[i]);
    }
    struct buf many = buf_in(arena, 1 << 20);
    for (int i = 0; i < 40; i++)
        buf_format(&many, "x%d=1,", i);
    buf_add_text(&many, "username=u," REST);
    assert_false(digest_parse(arena, buf_str(&many), &header));
    for (int i = 0; i < 2000; i++)
        buf_add_text(&many, ",,,,");
    assert_false(digest_parse(arena, buf_str(&many), &header));
    assert_false(digest_parse(arena, (str){ "username=\"u\0\"," REST, sizeof("username=\"u\0\"," REST) - 1 }, &header));
    /* Cut anywhere, it is refused and nothing behind the end is read. */
    str whole = STR("username=\"u\\\"\",algorithm=MD5," REST);
    for (size_t length = 0; length < whole.len; length++) {
        char *copy = malloc(length + 1);
        memcpy(copy, whole.data, length);
        assert_false(digest_parse(arena, (str){ copy, length }, &header));
        free(copy);
    }
}

static void
key_signs_with_both_algorithms(void **state)
{
    (void)state;
    make_key();
    assert_int_equal(api_key.public_key.len, 8);
    assert_true(secret_is_well_formed(api_key.private_key, "pk"));
    for (int algorithm = DIGEST_SHA256; algorithm <= DIGEST_MD5; algorithm++) {
        struct request request = good_request();
        request.algorithm = (enum digest_algorithm)algorithm;
        assert_ptr_equal(send_request(&node, &request, false), WOULD_BLOCK);
        assert_ok(send_request(&node, &request, true));
        request.nc = 2;
        assert_ok(send_request(&node, &request, true));
    }
}

static void
nonce_of_one_node_is_good_on_another(void **state)
{
    (void)state;
    make_key();
    struct node other = node_new(NULL, NULL);
    struct request request = good_request();
    assert_ok(send_request(&other, &request, true));
    request.nc = 2;
    assert_ok(auth_rotate_signing_key(node.auth, arena));
    assert_ok(send_request(&other, &request, true));
    request = good_request();
    assert_ok(send_request(&other, &request, true));
    node_free(&other);
}

static void
replayed_nonce_count_is_refused_on_every_node(void **state)
{
    (void)state;
    make_key();
    struct node other = node_new(NULL, NULL);
    struct request request = good_request();
    assert_ok(send_request(&node, &request, true));
    error again = send_request(&node, &request, true);
    assert_code(again, INVALID_CREDENTIALS);
    assert_true(auth_is_stale_nonce(again));
    assert_code(send_request(&other, &request, true), INVALID_CREDENTIALS);
    request.nc = 7;
    assert_ok(send_request(&other, &request, true));
    node_free(&other);
}

static void
wrong_requests_are_refused(void **state)
{
    (void)state;
    make_key();
    struct request good = good_request(), request;
    request = good, request.password = STR("reeve_pk_wrong");
    assert_code(send_request(&node, &request, true), INVALID_CREDENTIALS);
    request = good, request.username = STR("aaaaaaaa");
    assert_code(send_request(&node, &request, true), INVALID_CREDENTIALS);
    request = good, request.username = STR("much longer than any public key");
    assert_code(send_request(&node, &request, true), INVALID_CREDENTIALS);
    request = good, request.method = STR("DELETE");
    assert_code(send_request(&node, &request, true), INVALID_CREDENTIALS);
    request = good, request.sent_target = STR("/api/svc/v2/orgs");
    assert_code(send_request(&node, &request, true), INVALID_CREDENTIALS);
    request = good, request.nonce = STR("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA");
    error foreign = send_request(&node, &request, true);
    assert_code(foreign, INVALID_CREDENTIALS);
    assert_false(auth_is_stale_nonce(foreign));
    /* None of these used the count up. */
    assert_ok(send_request(&node, &good, true));
}

static void
unknown_key_and_wrong_response_look_the_same(void **state)
{
    (void)state;
    make_key();
    struct request wrong = good_request(), unknown = wrong;
    wrong.password = STR("x");
    unknown.username = STR("zzzzzzzz");
    error one = send_request(&node, &wrong, true), other = send_request(&node, &unknown, true);
    assert_true(str_eq(one->detail, other->detail));
}

static void
old_nonce_is_stale_and_a_changed_one_is_foreign(void **state)
{
    (void)state;
    struct key key = { { 4 } }, other = { { 5 } };
    str nonce = digest_nonce_new(arena, &key, 1000000);
    assert_int_equal(nonce.len, DIGEST_NONCE_LENGTH);
    assert_int_equal(digest_nonce_check(&key, nonce, 1000000), NONCE_GOOD);
    assert_int_equal(digest_nonce_check(&key, nonce, 1000300), NONCE_GOOD);
    assert_int_equal(digest_nonce_check(&key, nonce, 1000301), NONCE_STALE);
    assert_int_equal(digest_nonce_check(&key, nonce, 999990), NONCE_GOOD);
    assert_int_equal(digest_nonce_check(&key, nonce, 900000), NONCE_STALE);
    assert_int_equal(digest_nonce_check(&other, nonce, 1000000), NONCE_FOREIGN);
    for (size_t i = 0; i < nonce.len; i++) {
        char *copy = (char *)str_dup(arena, nonce).data;
        copy[i] = copy[i] == 'A' ? 'B' : 'A';
        assert_int_equal(digest_nonce_check(&key, (str){ copy, nonce.len }, 1000000), NONCE_FOREIGN);
    }
}

static void
stale_nonce_is_refused_with_a_new_one_on_offer(void **state)
{
    (void)state;
    make_key();
    fresh_nonce();
    struct key key;
    assert_int_equal(keyring_nonce_keys(node.auth->keyring, &key, 1), 1);
    struct request request = good_request();
    request.nonce = digest_nonce_new(arena, &key, clock_now_ms() / 1000 - 301);
    error problem = send_request(&node, &request, true);
    assert_code(problem, INVALID_CREDENTIALS);
    assert_true(auth_is_stale_nonce(problem));
    str challenges[3];
    auth_challenges(node.auth, arena, true, challenges);
    assert_true(str_starts_with(challenges[0], STR("Bearer realm=\"reeve\"")));
    assert_true(
        str_starts_with(challenges[1], STR("Digest realm=\"reeve\", qop=\"auth\", algorithm=SHA-256, nonce=\"")));
    assert_true(str_starts_with(challenges[2], STR("Digest realm=\"reeve\", qop=\"auth\", algorithm=MD5, nonce=\"")));
    assert_true(str_ends_with(challenges[1], STR("\", stale=true")));
}

static void
deleted_key_is_refused_and_its_use_was_noted(void **state)
{
    (void)state;
    make_key();
    struct request request = good_request();
    assert_ok(send_request(&node, &request, true));
    run_sql(str_format(
                arena,
                "DO $$ BEGIN IF NOT EXISTS (SELECT FROM api_key WHERE public_key = '%s' AND last_used_at IS NOT NULL) "
                "THEN RAISE 'not noted'; END IF; END $$",
                api_key.public_key.data)
                .data);
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    assert_ok(tx_begin(node.store, arena, organization, &tx));
    assert_ok(delete_principal(tx, api_key.id, organization, NULL));
    assert_ok(tx_commit(tx));
    const struct principal *principal;
    const struct digest_secret *secret;
    assert_ok(snapshot_api_key(node.auth->snapshot, arena, api_key.public_key, true, true, &principal, &secret));
    assert_null(principal);
    request.nc = 2;
    assert_code(send_request(&node, &request, true), INVALID_CREDENTIALS);
}

static void
stored_key_is_of_no_use_in_another_row_and_is_nowhere_in_plain(void **state)
{
    (void)state;
    make_key();
    struct new_api_key first = api_key;
    make_key();
    char a1[DIGEST_HEX_MAX];
    digest_a1(arena, DIGEST_MD5, first.public_key, STR(DIGEST_REALM), first.private_key, a1);
    run_sql(str_format(
                arena,
                "DO $$ BEGIN IF EXISTS (SELECT FROM api_key k WHERE k::text LIKE '%%%.*s%%' OR k::text LIKE '%%%.*s%%' "
                "OR position('%.*s'::bytea in ha1_md5) > 0) THEN RAISE 'in plain'; END IF; END $$",
                32, a1, STR_ARG(str_slice(first.private_key, 9, 40)), 32, a1)
                .data);
    run_sql(
        str_format(
            arena,
            "UPDATE api_key SET (ha1_md5, ha1_sha256) = (SELECT ha1_md5, ha1_sha256 FROM api_key WHERE public_key = "
            "'%s') WHERE public_key = '%s'",
            first.public_key.data, api_key.public_key.data)
            .data);
    struct request request = good_request();
    request.password = first.private_key;
    assert_code(send_request(&node, &request, true), INTERNAL_ERROR);
}

/* ---- A server just large enough for real clients ---- */

static void
answer_one(int fd)
{
    static char text[65536];
    size_t length = 0;
    while (length < sizeof(text) - 1 && (length < 4 || memmem(text, length, "\r\n\r\n", 4) == NULL)) {
        ssize_t count = read(fd, text + length, sizeof(text) - 1 - length);
        if (count <= 0)
            return;
        length += (size_t)count;
    }
    str rest = { text, length };
    str line = str_cut(&rest, '\r');
    str method = str_cut(&line, ' '), target = str_cut(&line, ' ');
    struct credentials credentials = {
        .method = method, .target = target, .client = address("127.0.0.1"), .authorization = STR_EMPTY
    };
    while (rest.len > 1) {
        str value = str_slice(rest, 1, rest.len);
        value = str_cut(&value, '\r');
        rest = str_slice(rest, 1 + value.len + 1, rest.len);
        str name = str_cut(&value, ':');
        if (str_eq_nocase(name, STR("authorization")))
            credentials.authorization = str_trim(value);
    }
    const struct principal *principal;
    struct arena *own CLEANUP(arena_cleanup) = arena_new(1024 * 1024); /* the test's own is another thread's */
    error problem = auth_authenticate(node.auth, own, &credentials, true, false, &principal);
    str answer = STR("HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\nhello\n");
    if (problem != OK) {
        str challenges[3];
        auth_challenges(node.auth, own, auth_is_stale_nonce(problem), challenges);
        answer = str_format(
            own,
            "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: %s\r\nWWW-Authenticate: %s\r\nWWW-Authenticate: %s\r\n"
            "Content-Length: 0\r\nConnection: close\r\n\r\n",
            challenges[0].data, challenges[1].data, challenges[2].data);
    }
    if (write(fd, answer.data, answer.len) < 0)
        print_error("the client went away\n");
}

static void *
serve(void *listening)
{
    for (int fd; (fd = accept(*(int *)listening, NULL, NULL)) >= 0; close(fd))
        answer_one(fd);
    return NULL;
}

static void
curl_and_requests_understand_the_challenge(void **state)
{
    (void)state;
    make_key();
    struct sockaddr_in here = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
    socklen_t length = sizeof(here);
    pthread_t thread;
    int listening = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(listening, (struct sockaddr *)&here, sizeof(here)), 0);
    assert_int_equal(listen(listening, 16), 0);
    assert_int_equal(getsockname(listening, (struct sockaddr *)&here, &length), 0);
    pthread_create(&thread, NULL, serve, &listening);
    const char *url =
        str_format(arena, "http://127.0.0.1:%d/api/svc/v2/groups?name=a%%20b&x=1", ntohs(here.sin_port)).data;
    int curl =
        system(str_format(arena, "test \"$(curl -sS --digest -u '%s:%s' '%s' '%s')\" = \"$(printf 'hello\\nhello')\"",
                          api_key.public_key.data, api_key.private_key.data, url, url)
                   .data);
    int wrong = system(
        str_format(arena, "test \"$(curl -sS -o /dev/null -w '%%{http_code}' --digest -u '%s:wrong' '%s')\" = 401",
                   api_key.public_key.data, url)
            .data);
    int python =
        system(str_format(arena,
                          "python3 -c 'import requests' 2>/dev/null || exit 0; python3 -c \"import requests; "
                          "from requests.auth import HTTPDigestAuth as D; s = requests.Session(); "
                          "s.auth = D('%s', '%s'); assert [s.get('%s').text for _ in range(3)] == ['hello\\n'] * 3\"",
                          api_key.public_key.data, api_key.private_key.data, url)
                   .data);
    shutdown(listening, SHUT_RDWR);
    pthread_join(thread, NULL);
    close(listening);
    assert_int_equal(curl, 0);
    assert_int_equal(wrong, 0);
    assert_int_equal(python, 0);
}

int
main(void)
{
    need_services();
    const struct CMUnitTest tests[] = {
        TEST(hashes_are_those_of_rfc_7616),
        TEST(header_is_read_in_any_order_and_spelling),
        TEST(hostile_headers_are_refused),
        TEST(key_signs_with_both_algorithms),
        TEST(nonce_of_one_node_is_good_on_another),
        TEST(replayed_nonce_count_is_refused_on_every_node),
        TEST(wrong_requests_are_refused),
        TEST(unknown_key_and_wrong_response_look_the_same),
        TEST(old_nonce_is_stale_and_a_changed_one_is_foreign),
        TEST(stale_nonce_is_refused_with_a_new_one_on_offer),
        TEST(deleted_key_is_refused_and_its_use_was_noted),
        TEST(stored_key_is_of_no_use_in_another_row_and_is_nowhere_in_plain),
        TEST(curl_and_requests_understand_the_challenge),
    };
    return cmocka_run_group_tests(tests, before_all, after_all);
}
