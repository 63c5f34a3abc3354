/* SPDX-License-Identifier: Apache-2.0 */
#include "auth/authorization.h"

bool
authorization_is_token_char(char c)
{
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'))
        return true;
    return c != '\0' && strchr("!#$%&'*+-.^_`|~", c) != NULL;
}

bool
authorization_parse(str header, struct authorization *ret_authorization)
{
    if (header.len > AUTHORIZATION_MAX_BYTES)
        return false;
    for (size_t i = 0; i < header.len; i++) {
        unsigned char c = (unsigned char)header.data[i];
        if ((c < ' ' && c != '\t') || c == 0x7F)
            return false;
    }
    str text = str_trim(header);
    size_t end = 0;
    while (end < text.len && authorization_is_token_char(text.data[end]))
        end++;
    if (end == 0 || (end < text.len && text.data[end] != ' '))
        return false;
    ret_authorization->scheme = str_slice(text, 0, end);
    ret_authorization->rest = str_trim(str_slice(text, end, text.len));
    return true;
}

bool
authorization_parse_basic(struct arena *arena, str encoded, str *ret_id, str *ret_secret)
{
    str plain, user, password;
    if (!str_from_base64(arena, encoded, &plain) || str_find(plain, ':') < 0)
        return false;
    str rest = plain;
    user = str_cut(&rest, ':');
    /* Form encoding, so a plus is a space; neither part of our own credentials has anything to decode. */
    if (!str_percent_decode(arena, user, true, &user) || !str_percent_decode(arena, rest, true, &password))
        return false;
    if (!str_is_text(user) || !str_is_text(password))
        return false;
    *ret_id = user;
    *ret_secret = password;
    return true;
}
