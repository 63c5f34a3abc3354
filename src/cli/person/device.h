/* SPDX-License-Identifier: Apache-2.0 */
/* Logging in as a person: they let this program in with a browser, on any device (RFC 8628). No secret is typed here. */
#ifndef CLI_PERSON_DEVICE_H
#define CLI_PERSON_DEVICE_H

#include "cli/client.h"

/* Whether the server of the profile has pages for it. EXIT_SUCCESS, or the problem was printed. */
MUST_USE int device_is_offered(struct cli *cli, bool *ret_offered);
/* Shows where to go and what to type there, and waits. EXIT_SUCCESS: the profile has the token of a session; nothing is kept yet. */
MUST_USE int device_log_in(struct cli *cli);
/* Ends the session of the profile on the server; false when that is not known to have worked. */
bool device_log_out(struct cli *cli);

#endif
