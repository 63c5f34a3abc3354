/* SPDX-License-Identifier: Apache-2.0 */
/*
 * XML as SAML needs it and no more: UTF-8 without a document type, comments, processing instructions or CDATA, so there are no entities but the five, nothing is
 * fetched, and no two readers see different texts. Documents are libxml2's, live as long as the arena, and are only read.
 */
#ifndef AUTH_SAML_XML_H
#define AUTH_SAML_XML_H

#include <libxml/tree.h>

#include "base/str.h"

#define SAML_NS     "urn:oasis:names:tc:SAML:2.0:assertion"
#define PROTOCOL_NS "urn:oasis:names:tc:SAML:2.0:protocol"
#define DSIG_NS     "http://www.w3.org/2000/09/xmldsig#"
#define C14N_NS     "http://www.w3.org/2001/10/xml-exc-c14n#" /* also the name of the algorithm */

enum { SAML_XML_MAX_BYTES = 48 * 1024, SAML_CANONICAL_MAX_BYTES = 256 * 1024 };

/* False with half a sentence when it is not well-formed, or has any of these. */
MUST_USE bool saml_xml_read(struct arena *arena, str text, const xmlDoc **ret_document, const char **ret_why);
const xmlNode *saml_xml_root(const xmlDoc *document);

bool saml_xml_is(const xmlNode *node, const char *ns, const char *name);
/* The first element among the children with this name, and how many there are. */
const xmlNode *saml_xml_child(const xmlNode *parent, const char *ns, const char *name, size_t *ret_count);
/* The only one; NULL when there is none, or more than one. */
const xmlNode *saml_xml_only(const xmlNode *parent, const char *ns, const char *name);
/* The next element with the name of this one. */
const xmlNode *saml_xml_next(const xmlNode *node);
/* Depth first through all elements below the root, beginning with it; NULL at the end. */
const xmlNode *saml_xml_walk(const xmlNode *node);

/* An attribute without a namespace; empty when it is not there. */
str saml_xml_attribute(struct arena *arena, const xmlNode *node, const char *name);
bool saml_xml_has(const xmlNode *node, const char *name);
/* The text in an element that has nothing but text in it; false when there are elements in it. */
MUST_USE bool saml_xml_text(struct arena *arena, const xmlNode *node, str *ret_text);
/* base64 with any white space in it; false when it is none. */
MUST_USE bool saml_xml_bytes(struct arena *arena, str text, str *ret_bytes);

/* Exclusive canonical form, without comments (https://www.w3.org/TR/xml-exc-c14n/), of an element without one of those in it (or NULL). `prefixes` has a space between two; empty:
 * none. False when it is longer than SAML_CANONICAL_MAX_BYTES. */
MUST_USE bool saml_xml_canonical(struct arena *arena, const xmlNode *apex, const xmlNode *without, str prefixes,
                                 str *ret_text);

#endif
