/* SPDX-License-Identifier: Apache-2.0 */
/* Answers of SAML providers, before and after anybody has looked at their signature. */
#include "fuzz.h"

#include "auth/saml/answer.h"

/* What is written in canonical form can be read, and is its own canonical form: so the bytes that were signed say one thing only. */
static void
check_canonical(struct arena *arena, const xmlDoc *document)
{
    const xmlDoc *again;
    const char *why = NULL;
    str once, twice;
    if (!saml_xml_canonical(arena, saml_xml_root(document), NULL, STR_EMPTY, &once))
        return;
    MUST(saml_xml_read(arena, once, &again, &why));
    MUST(saml_xml_canonical(arena, saml_xml_root(again), NULL, STR_EMPTY, &twice) && str_eq(once, twice));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *arena = arena_new(16 << 20);
    static json_t *certificates;
    if (certificates == NULL)
        certificates = json_array();
    struct saml_question question = {
        .issuer = STR("i"),
        .audience = STR("a"),
        .acs = STR("c"),
        .request_id = STR("_q"),
        .trust = { .certificates = certificates, .now_ms = INT64_C(1000000000000) },
        .asked_at_s = 999999000,
    };
    struct saml_statement statement;
    const xmlDoc *document;
    const char *why = NULL;
    str bytes = input(data, size);
    MUST(!saml_answer_read(arena, bytes, &question, &statement, &why)); /* there is no key that could have signed it */
    MUST(why != NULL);
    if (saml_assertion_read(arena, bytes, &question, &statement, &why))
        MUST(why == NULL && str_find(statement.address, '@') > 0 && str_is_one_line(statement.address));
    else
        MUST(why != NULL);
    if (saml_xml_read(arena, bytes, &document, &why)) {
        check_canonical(arena, document);
        for (const xmlNode *at = saml_xml_root(document); at != NULL; at = saml_xml_walk(at)) {
            if (saml_xml_is(at, SAML_NS, "Assertion"))
                MUST(!saml_signed_bytes(arena, at, "the assertion", &question.trust, &bytes, &why) && why != NULL);
        }
    }
    arena_free(arena);
    return 0;
}
