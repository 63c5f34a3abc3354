/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GET /api/downloads/{id}/{token}/{id}.tar.gz: the file of a snapshot, for whoever has the address. No credentials are looked at: the address is the proof, as
 * with every link that is handed on to a program which knows nothing else. The bytes do not come through here: the node's own nginx fetches them from the
 * repository host.
 */
#ifndef API_DOWNLOAD_H
#define API_DOWNLOAD_H

#include "api/request.h"

#define DOWNLOADS_PATH "/api/downloads/"
/* Of the node's nginx, and reachable from nowhere else: /reeve-download/ADDRESS:PORT/PROJECT/ID. */
#define DOWNLOADS_INNER_PATH "/reeve-download/"

/* The address, from the scheme on. */
str download_address(struct request *req, id download);
/* Sets req->out.inner. RESOURCE_NOT_FOUND when the address is wrong, DOWNLOAD_NOT_READY and DOWNLOAD_EXPIRED before and after. */
MUST_USE error download_answer(struct request *req);

#endif
