/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/state.h"

#include <errno.h>

#include "wire/shape.h"

enum { IDENTITY_BYTES = 64 * 1024 };

static const struct disk_owner root = { 0, 0 };

// clang-format off
static const struct wire_field identity_fields[] = {
    { "url",      WIRE_TEXT, WIRE_REQUIRED, offsetof(struct state, url),       .max = 2048 },
    { "hostId",   WIRE_ID,   WIRE_REQUIRED, offsetof(struct state, host) },
    { "hostName", WIRE_TEXT, WIRE_REQUIRED, offsetof(struct state, host_name), .max = 1024 },
    { "epoch",    WIRE_INT,  WIRE_REQUIRED, offsetof(struct state, epoch),     .max = INT64_MAX },
};
static const struct wire_shape identity_shape = WIRE_SHAPE(struct state, identity_fields);
// clang-format on

struct state
state_in(struct arena *arena, str folder)
{
    return (struct state){
        .folder = folder,
        .key = str_format(arena, "%s/host.key", folder.data),
        .certificate = str_format(arena, "%s/host.crt", folder.data),
        .authority = str_format(arena, "%s/authority.crt", folder.data),
        .identity = str_format(arena, "%s/identity.json", folder.data),
        .goal = str_format(arena, "%s/goal.json", folder.data),
        .report = str_format(arena, "%s/report.json", folder.data),
    };
}

error
state_load(struct arena *arena, struct state *state)
{
    str text;
    if (!disk_read(arena, state->identity.data, IDENTITY_BYTES, &text)) {
        if (errno == ENOENT)
            return OK;
        return problem(arena, "%s cannot be read: %s.", state->identity.data, strerror(errno));
    }
    return wire_read(arena, text, &identity_shape, state);
}

error
state_write(struct arena *arena, str path, str content)
{
    if (!disk_replace(path.data, content, 0600, root))
        return problem(arena, "%s cannot be written: %s.", path.data, strerror(errno));
    return OK;
}

error
state_save_identity(struct arena *arena, const struct state *state)
{
    struct buf out = buf_in(arena, IDENTITY_BYTES);
    buf_add_text(&out, "{\"url\":");
    buf_add_json(&out, state->url);
    buf_format(&out, ",\"hostId\":\"%s\",\"hostName\":", id_text(arena, state->host).data);
    buf_add_json(&out, state->host_name);
    buf_format(&out, ",\"epoch\":%lld}\n", (long long)state->epoch);
    return state_write(arena, state->identity, buf_str(&out));
}

struct call_identity
state_call_identity(const struct state *state)
{
    return (struct call_identity){ state->authority.data, state->certificate.data, state->key.data };
}
