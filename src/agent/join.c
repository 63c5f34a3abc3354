/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/join.h"

#include <errno.h>

#include "agent/control.h"
#include "agent/facts.h"
#include "base/failpoint.h"

enum { PEM_BYTES = 256 * 1024 };

static const struct disk_owner root = { 0, 0 };

/* Two connections: the first only to see which authorities the server shows, the second checked against the one that the
 * token names. Whatever stands in between cannot have it. */
static error
find_authority(struct caller *caller, struct arena *arena, const struct state *state, str fingerprint_hex)
{
    uint8_t fingerprint[SHA256_BYTES];
    str chain, authority;
    if (!str_from_hex(fingerprint_hex, fingerprint, sizeof(fingerprint)))
        return problem(arena, "The token is not whole: it ends with a colon and 64 hexadecimal digits.");
    TRY(call_chain(caller, arena, str_format(arena, "%s/", state->url.data), &chain));
    if (!certificate_find(arena, chain, fingerprint, &authority))
        return problem(arena, "%s does not show the authority that the token was made for. Is the address right?",
                       state->url.data);
    return state_write(arena, state->authority, authority);
}

error
join_fleet(struct arena *arena, struct state *state, str url, str token)
{
    struct caller *caller CLEANUP(caller_cleanup) = caller_new();
    struct report_facts facts;
    struct control_joined joined;
    str key, request, rest = token, secret = str_cut(&rest, ':');
    if (caller == NULL)
        return fail(arena, OVERLOADED);
    if (str_ends_with(url, STR("/")))
        url = str_dup(arena, str_slice(url, 0, url.len - 1));
    if (!str_starts_with(url, STR("https://")))
        return problem(arena, "The address must begin with https://.");
    state->url = url;
    TRY(facts_read(arena, &engine_postgres, &facts));
    if (!disk_make_folder(state->folder.data, 0700, root))
        return problem(arena, "%s cannot be made: %s.", state->folder.data, strerror(errno));
    TRY(find_authority(caller, arena, state, rest));
    if (!disk_read(arena, state->key.data, PEM_BYTES, &key)) {
        if (!certificate_key_new(arena, &key))
            return problem(arena, "A key could not be made.");
        TRY(state_write(arena, state->key, key));
    }
    if (!certificate_request_new(arena, key, STR("reeve-host"), &request))
        return problem(arena, "A certificate request could not be made.");
    caller_forget(caller);
    TRY(control_join(caller, arena, state, str_dup(arena, secret), request, facts_text(arena, &facts), &joined));
    state->host = joined.host;
    state->host_name = joined.host_name;
    state->epoch = joined.epoch;
    /* The certificate last: a unit that waits for it finds everything else. */
    failpoint("agent:join:write:before");
    TRY(state_write(arena, state->authority, joined.authority));
    TRY(state_save_identity(arena, state));
    TRY(state_write(arena, state->certificate, joined.certificate));
    failpoint("agent:join:write:after");
    return OK;
}
