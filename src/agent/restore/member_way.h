/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of a member's pass share: the pass itself, and the ways on which it goes. */
#ifndef AGENT_RESTORE_MEMBER_WAY_H
#define AGENT_RESTORE_MEMBER_WAY_H

#include "agent/member.h"

struct pass {
    const struct member_host *host;
    struct engine_member self;
    struct member_memory *memory;
    struct report_member *report;
    str unit, unit_path;
    error growth; /* why its disk could not be made larger */
    enum member_key_state key;
    error key_trouble; /* its data are open, and something is wrong with the key */
};

/* The disks that it should have here. */
struct volume_wish member_volume_wish(struct pass *pass);
/* Running, and as the goal says. */
MUST_USE error member_bring_up(struct pass *pass);
/* Neither running nor started with the host; its data stays. */
MUST_USE error member_bring_down(struct pass *pass);
/* What anything of it needs before it can run: its user, folders and certificates. */
MUST_USE error member_make_ready(struct pass *pass, bool *ret_certificate_changed);

#endif
