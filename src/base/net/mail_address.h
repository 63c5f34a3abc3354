/* SPDX-License-Identifier: Apache-2.0 */
/* Whether an address can stand in a command of SMTP: nothing in it means something to a mail server. */
#ifndef BASE_NET_MAIL_ADDRESS_H
#define BASE_NET_MAIL_ADDRESS_H

#include "base/str.h"

bool mail_address_is_plain(str address);

#endif
