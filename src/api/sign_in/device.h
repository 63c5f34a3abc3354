/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a program such as `reeve login` is let in by a person in a browser (RFC 8628): what /api/sign-in/device… answers. Whoever only asks leaves nothing behind:
 * the code that they get is a statement of ours (auth/person/device.h). A person in a session types the short code; the next question of the device
 * that shows it then tells the person what it is, and they decide.
 */
#ifndef API_SIGN_IN_DEVICE_H
#define API_SIGN_IN_DEVICE_H

#include "api/request.h"

/* The program's side, in the form of OAuth. */
MUST_USE error device_ask(struct request *req);   /* never blocks */
MUST_USE error device_token(struct request *req); /* may block */
/* The program ends its own session, with the token of it. */
MUST_USE error device_end(struct request *req);
/* The person's side, in a session in a browser. */
MUST_USE error device_look(struct request *req);
MUST_USE error device_decide(struct request *req); /* needs the passkey */

#endif
