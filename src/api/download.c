/* SPDX-License-Identifier: Apache-2.0 */
#include "api/download.h"

#include "api/api.h"
#include "base/crypto/download_token.h"
#include "base/json.h"
#include "store/event/event.h"
#include "store/restore/download.h"

enum { NOT_READY_AGAIN_S = 10 };

static struct key
own_key(struct request *req)
{
    return auth_key_for(req->api->auth, DOWNLOAD_KEY_PURPOSE);
}

str
download_address(struct request *req, id download)
{
    struct key key = own_key(req);
    str name = id_text(req->arena, download), token = download_token(req->arena, &key, download);
    crypto_wipe(&key, sizeof(key));
    return str_format(req->arena, "%.*s" DOWNLOADS_PATH "%s/%s/%s.tar.gz", STR_ARG(req->api->base_url), name.data,
                      token.data, name.data);
}

/* As it was written: nothing is decoded, so there is one way to write it. */
static bool
read_path(struct request *req, id *ret_download)
{
    str rest = str_slice(req->path, strlen(DOWNLOADS_PATH), req->path.len);
    str name = str_cut(&rest, '/'), token = str_cut(&rest, '/');
    struct key key = own_key(req);
    bool is_it = id_parse(name, ret_download) &&
                 str_eq(rest, str_format(req->arena, "%s.tar.gz", id_text(req->arena, *ret_download).data)) &&
                 download_token_is(req->arena, &key, *ret_download, token);
    crypto_wipe(&key, sizeof(key));
    return is_it;
}

/* Counted, so that whoever tries many is slowed down. Whoever has the right one never is. */
static error
refuse_guess(struct request *req)
{
    static const str any = { "download", sizeof("download") - 1 };
    TRY(auth_check_guard(req->api->auth, req->arena, &req->in.client, any));
    if (!req->may_block)
        return WOULD_BLOCK;
    return auth_count_failure(req->api->auth, req->arena, &req->in.client, any, request_not_found(req));
}

static error
note_first_use(struct request *req, id download, const struct download_place *place)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    bool is_first;
    id event;
    TRY(tx_begin(req->api->store, req->arena, place->organization, &tx));
    TRY(store_download_use(tx, place->organization, download, &is_first));
    if (!is_first)
        return OK;
    struct event_draft draft = {
        .type = EVENT_DOWNLOAD_FETCHED,
        .organization = place->organization,
        .project = place->project,
        .actor_name = STR("whoever has the address"),
        .actor_kind = STR("SERVICE"),
        .address = net_address_text(req->arena, &req->in.client),
        .request_id = req->in.request_id,
        .cluster = place->cluster,
        .after = json_in(req->arena, json_pack("{s:s}", "restoreJobId", id_text(req->arena, download).data)),
    };
    TRY(store_event_add(tx, &draft, &event));
    return tx_commit(tx);
}

static str
inner_path(struct request *req, id download, const struct download_place *place)
{
    bool is_v6 = str_find(place->address, ':') >= 0;
    return str_format(req->arena, DOWNLOADS_INNER_PATH "%s%.*s%s:%d/%s/%s", is_v6 ? "[" : "", STR_ARG(place->address),
                      is_v6 ? "]" : "", (int)place->port, id_text(req->arena, place->project).data,
                      id_text(req->arena, download).data);
}

error
download_answer(struct request *req)
{
    id download;
    struct download_place place;
    bool found;
    if (!read_path(req, &download))
        return refuse_guess(req);
    if (!req->may_block)
        return WOULD_BLOCK;
    TRY(store_download_find(req->api->store, req->arena, download, &found, &place));
    if (!found || place.is_over || (place.is_made && place.address.len == 0))
        return fail(req->arena, DOWNLOAD_EXPIRED);
    if (!place.is_made)
        return error_retry_after(req->arena, fail(req->arena, DOWNLOAD_NOT_READY), NOT_READY_AGAIN_S);
    if (!place.is_used && !req->head)
        TRY(note_first_use(req, download, &place));
    req->out = (struct response){
        .status = 200, .body = STR_EMPTY, .content_type = STR_EMPTY, .inner = inner_path(req, download, &place)
    };
    return arena_is_exhausted(req->arena) ? fail(req->arena, OVERLOADED) : OK;
}
