/* SPDX-License-Identifier: Apache-2.0 */
#include "auth/saml/request.h"

#include <zlib.h>

#include "base/date.h"

enum { REQUEST_MAX_BYTES = 16 * 1024, ADDRESS_MAX_BYTES = 64 * 1024, RAW_DEFLATE = -15 };

void
saml_add_quoted(struct buf *out, str text)
{
    for (size_t i = 0; i < text.len; i++) {
        switch (text.data[i]) {
        case '&': buf_add_text(out, "&amp;"); break;
        case '<': buf_add_text(out, "&lt;"); break;
        case '>': buf_add_text(out, "&gt;"); break;
        case '"': buf_add_text(out, "&quot;"); break;
        default: buf_add_char(out, text.data[i]);
        }
    }
}

static void
add_attribute(struct buf *out, const char *name, str value)
{
    buf_format(out, " %s=\"", name);
    saml_add_quoted(out, value);
    buf_add_char(out, '"');
}

str
saml_request_xml(struct arena *arena, const struct saml_request *request)
{
    struct buf out = buf_in(arena, REQUEST_MAX_BYTES);
    buf_add_text(&out, "<samlp:AuthnRequest xmlns:samlp=\"urn:oasis:names:tc:SAML:2.0:protocol\""
                       " xmlns:saml=\"urn:oasis:names:tc:SAML:2.0:assertion\" Version=\"2.0\"");
    add_attribute(&out, "ID", request->id);
    add_attribute(&out, "IssueInstant", date_text(arena, request->now_s * 1000));
    add_attribute(&out, "Destination", request->sso_url);
    add_attribute(&out, "AssertionConsumerServiceURL", request->acs);
    add_attribute(&out, "ProtocolBinding", STR("urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST"));
    if (request->asks_anew)
        add_attribute(&out, "ForceAuthn", STR("true"));
    buf_add_text(&out, "><saml:Issuer>");
    saml_add_quoted(&out, request->audience);
    buf_add_text(&out,
                 "</saml:Issuer><samlp:NameIDPolicy Format=\"urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress\""
                 " AllowCreate=\"true\"/></samlp:AuthnRequest>");
    return buf_str(&out);
}

str
saml_request_posted(struct arena *arena, const struct saml_request *request)
{
    str xml = saml_request_xml(arena, request);
    return xml.len == 0 ? STR_EMPTY : str_base64(arena, xml.data, xml.len);
}

static str
deflate_raw(struct arena *arena, str text)
{
    z_stream stream = { 0 };
    unsigned char *out = arena_alloc(arena, REQUEST_MAX_BYTES);
    if (out == NULL ||
        deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, RAW_DEFLATE, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return STR_EMPTY;
    stream.next_in = (unsigned char *)text.data;
    stream.avail_in = (uInt)text.len;
    stream.next_out = out;
    stream.avail_out = REQUEST_MAX_BYTES;
    int ended = deflate(&stream, Z_FINISH);
    size_t size = stream.total_out;
    deflateEnd(&stream);
    return ended == Z_STREAM_END ? (str){ (const char *)out, size } : STR_EMPTY;
}

str
saml_request_address(struct arena *arena, const struct saml_request *request, str relay_state)
{
    str packed = deflate_raw(arena, saml_request_xml(arena, request));
    struct buf out = buf_in(arena, ADDRESS_MAX_BYTES);
    if (packed.len == 0)
        return STR_EMPTY;
    buf_add(&out, request->sso_url);
    buf_format(&out, "%cSAMLRequest=", str_find(request->sso_url, '?') < 0 ? '?' : '&');
    buf_add_percent_encoded(&out, str_base64(arena, packed.data, packed.len));
    buf_add_text(&out, "&RelayState=");
    buf_add_percent_encoded(&out, relay_state);
    return buf_str(&out);
}
