/* SPDX-License-Identifier: Apache-2.0 */
/*
 * People's sessions in a browser and on devices, their passkeys, the tokens with which they add the first one or a password, and challenges that were used. People belong to
 * no organization: every transaction here is the service's own.
 */
#ifndef STORE_SESSION_SESSION_H
#define STORE_SESSION_SESSION_H

#include "store/store.h"

struct session_draft {
    id session, person;
    str mac; /* of the cookie's or the token's value */
    int pepper_version;
    str address, browser;
    bool is_verified; /* the person has just shown the best that they have */
    id provider;      /* with which they signed in; zero: none */
    int64_t provider_epoch;
};
/* SIGN_IN_REFUSED when the provider has changed since. */
MUST_USE error store_session_add(struct tx *tx, const struct session_draft *draft, str *ret_expires);
/* Notes that it is in use, in a transaction of its own. */
MUST_USE error store_session_touch(struct store *store, struct arena *arena, id session);
/* The next two tell all nodes. The person proved once more who they are; SESSION_ENDED when it has ended. */
MUST_USE error store_session_verified(struct tx *tx, id person, id session);
/* `provider`: only a session that began with it; zero: any. */
MUST_USE error store_session_end(struct tx *tx, id person, id session, id provider, bool *ret_ended);
/* JSON list. `provider` as above. */
MUST_USE error store_session_list(struct store *store, struct arena *arena, id person, id provider, str *ret_list);

/*
 * ---- Devices: programs that a person in a session lets in. `device` is what is kept of one's code. ----
 */
enum { DEVICE_CODES_IN_A_SESSION = 10 /* that are typed and not decided on */ };
struct device_claim {
    bool is_there;
    str user_code, state, device, host, address, asked; /* what the device said: empty until it is found */
};
MUST_USE error store_device_claim(struct store *store, struct arena *arena, id person, id session,
                                  struct device_claim *ret_claim);
/* False: too many codes were typed in the session. */
MUST_USE error store_device_claim_put(struct tx *tx, id person, id session, str user_code, bool *ret_put);
/* False: the device is not the one that the person saw, or was decided on before. */
MUST_USE error store_device_decide(struct tx *tx, id person, id session, str device, bool approved, bool *ret_decided);
enum device_fate { DEVICE_UNKNOWN, DEVICE_LOOKED_FOR, DEVICE_SEEN, DEVICE_APPROVED, DEVICE_DENIED, DEVICE_USED };
MUST_USE error store_device_fate(struct store *store, struct arena *arena, str user_code, str device,
                                 enum device_fate *ret_fate);
/* Whoever typed the code sees what the device is. */
MUST_USE error store_device_met(struct tx *tx, str user_code, str device, str host, str address, int64_t asked_at_s);
/* `person` of the draft is not looked at: it is whoever approved the device. *ret_lasts_s is 0 when nobody has. */
MUST_USE error store_device_session_add(struct tx *tx, const struct session_draft *draft, str device,
                                        int64_t *ret_lasts_s);

struct passkey_row {
    bool is_found;
    id passkey, person;
    str username, public_key;
    int64_t counter;
};
MUST_USE error store_passkey_find(struct store *store, struct arena *arena, str credential,
                                  struct passkey_row *ret_row);
/* SIGN_IN_REFUSED when another one has the credential's id, or the person has too many. */
MUST_USE error store_passkey_add(struct tx *tx, id person, str credential, str public_key, int64_t counter, str name);
/* False when it did not count on since it was found. */
MUST_USE error store_passkey_used(struct tx *tx, const struct passkey_row *row, int64_t counter, bool *ret_counts);

enum enrolment_outcome { ENROLMENT_MADE, ENROLMENT_NOBODY, ENROLMENT_HAS_ONE };
struct enrolment_draft {
    str username, mac;
    int pepper_version;
    int64_t hours;
    bool recovers; /* whoever uses the token loses what they had before */
};
MUST_USE error store_enrolment_add(struct tx *tx, const struct enrolment_draft *draft,
                                   enum enrolment_outcome *ret_outcome, str *ret_expires);
struct enrolment {
    id person; /* none: the token is nobody's */
    str username, mac;
    bool recovers;
};
MUST_USE error store_enrolment_find(struct store *store, struct arena *arena, str mac, struct enrolment *ret_enrolment);
/* *ret_recovers as it is now, and not as it was found. */
MUST_USE error store_enrolment_use(struct tx *tx, const struct enrolment *enrolment, bool *ret_used,
                                   bool *ret_recovers);

/* *ret_is_first is false when it was used before. */
MUST_USE error store_challenge_use(struct tx *tx, str challenge, int64_t expires_at_s, bool *ret_is_first);

#endif
