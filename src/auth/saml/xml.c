/* SPDX-License-Identifier: Apache-2.0 */
#include "auth/saml/xml.h"

#include <libxml/c14n.h>
#include <libxml/parser.h>
#include <libxml/xmlerror.h>
#include <pthread.h>

enum { PREFIXES_MAX = 32, ATTRIBUTES_MAX = 2000 };

/* libxml2 has a few tables of the process; they are made once and never freed. Everything else is a thread's or a document's own. */
static void
begin(void)
{
    xmlInitParser();
}

/* What libxml2 has to say about a stranger's text is nobody's business: else it writes to stderr. */
static void
#if LIBXML_VERSION >= 21200
ignore(void *context, const xmlError *problem)
#else
ignore(void *context, xmlErrorPtr problem)
#endif
{
    (void)context;
    (void)problem;
}

static void
be_quiet(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, begin);
    xmlSetStructuredErrorFunc(NULL, ignore); /* of this thread */
}

/* ---- Reading ---- */
static void
free_document(void *document)
{
    xmlFreeDoc(document);
}

/* `<!` begins comments, CDATA and everything of a document type, and cannot be anything else: `<` is never a letter. So what is refused here never gets to the parser.
 * `<?` is only the declaration in front. Each attribute of an element is compared with all others of it, by the parser and for the canonical form: 6,600 took a quarter of
 * a second. */
static const char *
find_forbidden(str text)
{
    size_t attributes = 0;
    for (size_t i = 0; i + 1 < text.len; i++) {
        attributes += text.data[i] == '=';
        if (attributes > ATTRIBUTES_MAX)
            return "the answer has too many attributes; have the provider send fewer attributes or groups";
        if (text.data[i] != '<')
            continue;
        if (text.data[i + 1] == '!')
            return "the answer has a document type, a comment or a CDATA section, and none of them is accepted";
        if (text.data[i + 1] == '?' && i > 0)
            return "the answer has a processing instruction, which is not accepted";
    }
    return NULL;
}

bool
saml_xml_read(struct arena *arena, str text, const xmlDoc **ret_document, const char **ret_why)
{
    *ret_why = "the answer is longer than 48 KiB; have the provider send fewer attributes or groups";
    if (text.len > SAML_CANONICAL_MAX_BYTES)
        return false;
    *ret_why = "the answer is not well-formed XML in UTF-8";
    if (text.len == 0 || !str_is_text(text))
        return false;
    const char *forbidden = find_forbidden(text);
    if (forbidden != NULL) {
        *ret_why = forbidden;
        return false;
    }
    be_quiet();
    xmlParserCtxt *parser = xmlNewParserCtxt();
    if (parser == NULL)
        return false;
    xmlDoc *document = xmlCtxtReadMemory(parser, text.data, (int)text.len, NULL, "UTF-8",
                                         XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_COMPACT);
    bool is_good = document != NULL && parser->wellFormed && parser->nsWellFormed && document->intSubset == NULL &&
                   document->extSubset == NULL && xmlDocGetRootElement(document) != NULL;
    xmlFreeParserCtxt(parser);
    if (!is_good) {
        if (document != NULL)
            xmlFreeDoc(document);
        return false;
    }
    if (!arena_on_free(arena, free_document, document)) /* which has freed it then */
        return false;
    *ret_document = document;
    *ret_why = NULL;
    return true;
}

const xmlNode *
saml_xml_root(const xmlDoc *document)
{
    return xmlDocGetRootElement(document);
}

bool
saml_xml_is(const xmlNode *node, const char *ns, const char *name)
{
    return node != NULL && node->type == XML_ELEMENT_NODE && node->ns != NULL && node->ns->href != NULL &&
           strcmp((const char *)node->name, name) == 0 && strcmp((const char *)node->ns->href, ns) == 0;
}

const xmlNode *
saml_xml_child(const xmlNode *parent, const char *ns, const char *name, size_t *ret_count)
{
    const xmlNode *first = NULL;
    *ret_count = 0;
    for (const xmlNode *at = parent == NULL ? NULL : parent->children; at != NULL; at = at->next) {
        if (!saml_xml_is(at, ns, name))
            continue;
        first = first == NULL ? at : first;
        (*ret_count)++;
    }
    return first;
}

const xmlNode *
saml_xml_only(const xmlNode *parent, const char *ns, const char *name)
{
    size_t count;
    const xmlNode *first = saml_xml_child(parent, ns, name, &count);
    return count == 1 ? first : NULL;
}

const xmlNode *
saml_xml_next(const xmlNode *node)
{
    for (const xmlNode *at = node->next; at != NULL; at = at->next) {
        if (saml_xml_is(at, (const char *)node->ns->href, (const char *)node->name))
            return at;
    }
    return NULL;
}

static const xmlNode *
first_element(const xmlNode *from)
{
    while (from != NULL && from->type != XML_ELEMENT_NODE)
        from = from->next;
    return from;
}

const xmlNode *
saml_xml_walk(const xmlNode *node)
{
    const xmlNode *below = first_element(node->children);
    if (below != NULL)
        return below;
    for (const xmlNode *at = node; at != NULL && at->type == XML_ELEMENT_NODE; at = at->parent) {
        const xmlNode *beside = first_element(at->next);
        if (beside != NULL)
            return beside;
    }
    return NULL;
}

/* ---- What is in elements ---- */
/* All of it is text: there are no entities, comments or CDATA in these documents. */
static bool
add_texts(const xmlNode *from, struct buf *out)
{
    for (const xmlNode *at = from; at != NULL; at = at->next) {
        if (at->type != XML_TEXT_NODE)
            return false;
        buf_add_text(out, at->content == NULL ? "" : (const char *)at->content);
    }
    return true;
}

static const xmlAttr *
find_attribute(const xmlNode *node, const char *name)
{
    for (const xmlAttr *at = node == NULL ? NULL : node->properties; at != NULL; at = at->next) {
        if (at->ns == NULL && strcmp((const char *)at->name, name) == 0)
            return at;
    }
    return NULL;
}

bool
saml_xml_has(const xmlNode *node, const char *name)
{
    return find_attribute(node, name) != NULL;
}

str
saml_xml_attribute(struct arena *arena, const xmlNode *node, const char *name)
{
    const xmlAttr *attribute = find_attribute(node, name);
    struct buf out = buf_in(arena, SAML_CANONICAL_MAX_BYTES);
    return attribute != NULL && add_texts(attribute->children, &out) ? buf_str(&out) : STR_EMPTY;
}

bool
saml_xml_text(struct arena *arena, const xmlNode *node, str *ret_text)
{
    struct buf out = buf_in(arena, SAML_CANONICAL_MAX_BYTES);
    if (node == NULL || !add_texts(node->children, &out) || out.failed)
        return false;
    *ret_text = buf_str(&out);
    return true;
}

bool
saml_xml_bytes(struct arena *arena, str text, str *ret_bytes)
{
    struct buf out = buf_in(arena, SAML_CANONICAL_MAX_BYTES);
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] != ' ' && text.data[i] != '\t' && text.data[i] != '\r' && text.data[i] != '\n')
            buf_add_char(&out, text.data[i]);
    }
    str tight = buf_str(&out);
    return tight.len > 0 && str_from_base64(arena, tight, ret_bytes);
}

/* ---- The canonical form ---- */
struct part {
    const xmlNode *apex, *without;
};

/* Whether a node, an attribute or a namespace belongs to what is written. libxml2's types: a namespace is given as a node, and has no parent of its own. */
static int
is_visible(void *context, xmlNode *node, xmlNode *parent)
{
    const struct part *part = context;
    const xmlNode *at = node->type == XML_NAMESPACE_DECL ? parent : node;
    for (; at != NULL && at->type != XML_DOCUMENT_NODE; at = at->parent) {
        if (at == part->without)
            return 0;
        if (at == part->apex)
            return 1;
    }
    return 0;
}

/* A namespace that is declared once may be written many times, so what comes out is bounded by itself. */
static int
take(void *context, const char *bytes, int count)
{
    struct buf *out = context;
    buf_add(out, (str){ bytes, (size_t)count });
    return out->failed ? -1 : count;
}

static int
finish(void *context)
{
    (void)context;
    return 0;
}

static bool
split_prefixes(struct arena *arena, str prefixes, xmlChar *ret_list[PREFIXES_MAX + 1])
{
    size_t count = 0;
    while (prefixes.len > 0) {
        str one = str_cut(&prefixes, ' ');
        if (one.len == 0)
            continue;
        if (count == PREFIXES_MAX)
            return false;
        ret_list[count++] = (xmlChar *)str_dup(arena, one).data;
    }
    ret_list[count] = NULL;
    return true;
}

bool
saml_xml_canonical(struct arena *arena, const xmlNode *apex, const xmlNode *without, str prefixes, str *ret_text)
{
    xmlChar *list[PREFIXES_MAX + 1];
    struct buf out = buf_in(arena, SAML_CANONICAL_MAX_BYTES);
    struct part part = { apex, without };
    if (!split_prefixes(arena, prefixes, list))
        return false;
    be_quiet();
    xmlOutputBuffer *buffer = xmlOutputBufferCreateIO(take, finish, &out, NULL);
    if (buffer == NULL)
        return false;
    int written =
        xmlC14NExecute(apex->doc, is_visible, &part, XML_C14N_EXCLUSIVE_1_0, list[0] == NULL ? NULL : list, 0, buffer);
    int closed = xmlOutputBufferClose(buffer);
    if (written < 0 || closed < 0 || out.failed || out.len == 0)
        return false;
    *ret_text = buf_str(&out);
    return true;
}
