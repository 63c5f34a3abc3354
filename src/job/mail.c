/* SPDX-License-Identifier: Apache-2.0 */
#include "job/mail.h"

#include <curl/curl.h>
#include <time.h>

#include "base/net/mail_address.h"

enum { CONNECT_MS = 5000, WHOLE_MS = 15000, MESSAGE_MAX_BYTES = 256 * 1024, LINE_OF_BASE64 = 76 };

static str
date_of(struct arena *arena, int64_t date_s)
{
    /* Names as the protocol has them, whatever the locale. */
    static const char days[][4] = { "Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat" };
    static const char months[][4] = {
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"
    };
    struct tm tm;
    time_t moment = (time_t)date_s;
    gmtime_r(&moment, &tm);
    return str_format(arena, "%s, %02d %s %d %02d:%02d:%02d +0000", days[tm.tm_wday], tm.tm_mday, months[tm.tm_mon],
                      tm.tm_year + 1900, tm.tm_hour, tm.tm_min, tm.tm_sec);
}

static str
domain_of(const char *from)
{
    str address = str_from(from);
    ptrdiff_t at = str_find(address, '@');
    return at < 0 ? address : str_slice(address, (size_t)at + 1, address.len);
}

/* Nothing in a subject may end its line. */
static void
add_subject(struct buf *out, str subject)
{
    buf_add_text(out, "Subject: ");
    for (size_t i = 0; i < subject.len; i++)
        buf_add_char(out, subject.data[i] >= ' ' && subject.data[i] <= '~' ? subject.data[i] : '?');
    buf_add_text(out, "\r\n");
}

/* The text is base64, so that no server changes it and no line of it can be taken for the end. */
str
mail_text(struct arena *arena, const struct mail_server *server, const struct mail *mail)
{
    struct buf out = buf_in(arena, MESSAGE_MAX_BYTES);
    str domain = domain_of(server->from);
    buf_format(&out, "From: Reeve <%s>\r\n", server->from);
    buf_add_text(&out, "To: undisclosed-recipients:;\r\n");
    add_subject(&out, mail->subject);
    buf_format(&out, "Date: %s\r\n", date_of(arena, mail->date_s).data);
    buf_format(&out, "Message-ID: <%.*s@%.*s>\r\n", STR_ARG(mail->id), STR_ARG(domain));
    buf_add_text(&out,
                 "Auto-Submitted: auto-generated\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=UTF-8\r\n"
                 "Content-Transfer-Encoding: base64\r\n\r\n");
    str text = str_base64(arena, mail->text.data, mail->text.len);
    for (size_t at = 0; at < text.len; at += LINE_OF_BASE64) {
        buf_add(&out, str_slice(text, at, at + LINE_OF_BASE64 < text.len ? at + LINE_OF_BASE64 : text.len));
        buf_add_text(&out, "\r\n");
    }
    return buf_str(&out);
}

struct reading {
    str rest;
};

static size_t
read_on(char *bytes, size_t size, size_t count, void *context)
{
    struct reading *reading = context;
    size_t n = size * count < reading->rest.len ? size * count : reading->rest.len;
    if (n > 0)
        memcpy(bytes, reading->rest.data, n);
    reading->rest = str_slice(reading->rest, n, reading->rest.len);
    return n;
}

static struct curl_slist *
recipient_list(struct arena *arena, const struct mail *mail)
{
    struct curl_slist *list = NULL;
    for (size_t i = 0; i < mail->recipient_count; i++) {
        if (!mail_address_is_plain(mail->recipients[i]))
            continue;
        str address = str_format(arena, "<%.*s>", STR_ARG(mail->recipients[i]));
        struct curl_slist *longer = curl_slist_append(list, address.data);
        if (longer == NULL) {
            curl_slist_free_all(list);
            return NULL;
        }
        list = longer;
    }
    return list;
}

static CURLcode
perform(CURL *c, const struct mail_server *server, struct curl_slist *recipients, struct reading *reading,
        char problem[CURL_ERROR_SIZE])
{
    CURLcode bad = CURLE_OK;
#define SET(option, value) (bad = bad != CURLE_OK ? bad : curl_easy_setopt(c, option, value))
    SET(CURLOPT_URL, server->url);
    SET(CURLOPT_PROTOCOLS_STR, "smtp,smtps");
    SET(CURLOPT_PROXY, "");
    SET(CURLOPT_NOPROXY, "*");
    SET(CURLOPT_NOSIGNAL, 1L);
    SET(CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
    SET(CURLOPT_TIMEOUT_MS, (long)WHOLE_MS);
    SET(CURLOPT_SSL_VERIFYPEER, 1L);
    SET(CURLOPT_SSL_VERIFYHOST, 2L);
    SET(CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    SET(CURLOPT_MAIL_FROM, server->from);
    SET(CURLOPT_MAIL_RCPT, recipients);
    /* One address that is not taken does not keep the others from being told. */
    SET(CURLOPT_MAIL_RCPT_ALLLOWFAILS, 1L);
    SET(CURLOPT_UPLOAD, 1L);
    SET(CURLOPT_READFUNCTION, read_on);
    SET(CURLOPT_READDATA, reading);
    SET(CURLOPT_ERRORBUFFER, problem);
    if (server->ca_file != NULL)
        SET(CURLOPT_CAINFO, server->ca_file);
#undef SET
    return bad != CURLE_OK ? bad : curl_easy_perform(c);
}

int
mail_send(struct arena *arena, const struct mail_server *server, const struct mail *mail, str *ret_why)
{
    char problem[CURL_ERROR_SIZE] = "";
    long status = 0;
    struct reading reading = { mail_text(arena, server, mail) };
    struct curl_slist *recipients = recipient_list(arena, mail);
    CURL *c = curl_easy_init();
    *ret_why = STR("There is no memory.");
    if (reading.rest.len > 0 && recipients != NULL && c != NULL) {
        CURLcode result = perform(c, server, recipients, &reading, problem);
        curl_easy_getinfo(c, CURLINFO_RESPONSE_CODE, &status);
        if (result == CURLE_OK)
            *ret_why = STR_EMPTY;
        else
            *ret_why = str_format(arena, "%s.", problem[0] != '\0' ? problem : curl_easy_strerror(result));
    }
    curl_easy_cleanup(c);
    curl_slist_free_all(recipients);
    if (ret_why->len > 0)
        return 0;
    return status == 0 ? 250 : (int)status;
}
