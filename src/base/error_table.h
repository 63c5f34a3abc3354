/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every error that a client can see, one row each: code, status, detail and what to do about it. A `{}` in the
 * detail is one parameter of the error document, in order. The enum, the error documents, the reference
 * documentation and the OpenAPI document are made from these rows.
 */
// clang-format off
#ifndef BASE_ERROR_TABLE_H
#define BASE_ERROR_TABLE_H

#define ERROR_TABLE(ROW) \
    /* The request itself. */ \
    ROW(INVALID_REQUEST, 400, "The request is not valid HTTP: {}.", \
        "Send a well-formed HTTP request over TLS.") \
    ROW(INVALID_JSON, 400, "The request body is not valid JSON: {}.", \
        "Correct the body where the detail says. Keys must not repeat, text must be UTF-8, and nesting must not exceed 32 levels.") \
    ROW(INVALID_ATTRIBUTE, 400, "Invalid attribute {} specified.", \
        "Remove the field or correct its spelling; the reference lists the fields of each operation.") \
    ROW(MISSING_ATTRIBUTE, 400, "The required attribute {} was not specified.", \
        "Add the field.") \
    ROW(UNMODIFIABLE_ATTRIBUTE, 400, "Attribute {} cannot be set by this request.", \
        "Leave the field out: the service decides its value, or it is fixed when the entity is created.") \
    ROW(INVALID_ATTRIBUTE_VALUE, 400, "Attribute {} is not valid: {}.", \
        "Change the value as the detail says.") \
    ROW(INVALID_QUERY_PARAMETER, 400, "Query parameter {} is not valid: {}.", \
        "Change or remove the parameter as the detail says.") \
    ROW(INVALID_PATH_PARAMETER, 400, "Path parameter {} is not valid: {}.", \
        "Correct the path as the detail says.") \
    ROW(INVALID_HEADER, 400, "Header {} is not valid: {}.", \
        "Correct the header as the detail says.") \
    ROW(DRY_RUN_NOT_AVAILABLE, 400, "{} changes nothing, so dryRun does not apply to it.", \
        "Leave dryRun out of requests that only read.") \
    ROW(MEASUREMENTS_TOO_MANY, 400, "More than {} points would have to be read for this answer.", \
        "Ask for fewer metrics or a shorter time, or for steps of PT1H or P1D.") \
    ROW(NOT_OFFERED, 400, "{} is not offered: {}.", \
        "Ask for something that is offered; the detail says why this is not.") \
    ROW(INTEGRATION_MISSING, 400, "{} has no {} of its own, and the project has no integration of type {}.", \
        "Send the key or address with the notification, or create the integration first.") \
    ROW(SERVERLESS_NOT_OFFERED, 400, "Serverless instances are not offered: a cluster on the operator's own hosts has members of its own, with a size, and can follow its load.", \
        "Upgrade the flex cluster to a dedicated one with tenantUpgrade, and switch on autoScaling.") \
    ROW(CANNOT_ASSUME_ROLE, 400, "Role {} cannot be assumed: the operator has no role of that name for external id {}.", \
        "Give the external id to the operator, who makes the role in an object store for it and tells its name.") \
    ROW(KEY_SERVICE_NOT_READY, 400, "The project's key cannot be used: {}.", \
        "Describe the project's key service with kmip of its encryptionAtRest, wait until kmip.valid is true, then try again.") \
    ROW(HOSTS_CANNOT_ENCRYPT, 400, "No host in region {} of provider {} can keep data under a key of yours.", \
        "Choose another region, leave encryptionAtRestProvider out, or ask the operator for hosts with volumes on a file system that can encrypt.") \
    ROW(BACKUPS_NOT_UNDER_KEY, 400, "Backups of a cluster that is under the project's own key are not offered: they would not be under that key.", \
        "Leave backupEnabled out and keep dumps of your own, or create the cluster without encryptionAtRestProvider.") \
    /* Who is calling. */ \
    ROW(NOT_AUTHENTICATED, 401, "This resource needs credentials.", \
        "Send a bearer token of a service account, or answer the Digest challenge with an API key.") \
    ROW(INVALID_CREDENTIALS, 401, "The credentials are not valid: {}.", \
        "Check the credentials. A token is valid for one hour; then fetch a new one.") \
    ROW(SESSION_ENDED, 401, "The session has ended.", \
        "Sign in again.") \
    ROW(SIGN_IN_REFUSED, 401, "Signing in was refused: {}.", \
        "Try again from the beginning. If it goes on, ask whoever runs the service for another token.") \
    ROW(SESSION_OF_PROVIDER, 403, "This session began with your organization's identity provider, and passkeys and passwords of your own are not its business.", \
        "Sign in with a passkey or a password of your own to change them. To confirm something in this session, use POST …/sign-in/provider/confirm.") \
    ROW(LAST_WAY_IN, 409, "This is the last thing that the account signs in with, or there is none.", \
        "Add another passkey first, or set a password.") \
    ROW(CROSS_SITE_REQUEST, 403, "The request carries a browser's cookie, and does not come from a page of this service: {}.", \
        "Use the service's own pages, or call the API with a bearer token or an API key, and without the cookie.") \
    ROW(STEP_UP_REQUIRED, 403, "This cannot be undone, or makes new credentials: it needs your passkey once more, or the password of an account without one, or your organization's sign-in.", \
        "Confirm with it (POST …/sign-in/confirm, …/confirm-password or …/provider/confirm) and repeat the request within five minutes. With `reeve`: `reeve login` again, and let it in with the passkey.") \
    ROW(NOT_A_MEMBER, 401, "The caller does not belong to {}.", \
        "Use credentials of that organization or project, or have the caller added to it.") \
    ROW(ADDRESS_NOT_ALLOWED, 403, "Address {} is not on the access list of these credentials.", \
        "Add the address to the access list, or call from one that is on it.") \
    ROW(ACCESS_LIST_REQUIRED, 403, "The organization requires an access list, and these credentials have none.", \
        "Add the caller's address to the access list of the service account or API key.") \
    ROW(NOT_THE_AUTHORIZED_PERSON, 403, "Only {} can end this policy.", \
        "Have that person end it, with their own credentials.") \
    ROW(MISSING_ROLE, 403, "This operation needs one of the roles {}.", \
        "Have one of these roles granted to the caller.") \
    ROW(BEYOND_THE_PROJECT, 403, "{} also holds roles outside this project.", \
        "Ask an owner of the organization: only they can change credentials that reach further than one project.") \
    ROW(ROLE_NOT_GRANTABLE, 403, "Role {} can be granted only by a caller who holds it.", \
        "Have somebody with that role grant it.") \
    ROW(ORGANIZATION_LOCKED, 403, "Organization {} is locked: {}. It can be read, and things in it can be deleted, but nothing else can be changed.", \
        "Settle what the organization owes with the operator; a payment that the operator records unlocks it.") \
    ROW(DOMAIN_NOT_ALLOWED, 403, "The organization accepts people from certain domains only, and the address is in none of them.", \
        "Have an owner of the organization add the domain to domainAllowList of its federation settings, or switch domainRestrictionEnabled off.") \
    ROW(POLICY_FORBIDS, 403, "Resource policy {} ({}) forbids the value of {}.", \
        "Ask for something that the policy allows, or have an owner of the organization change it.") \
    /* What is addressed. */ \
    ROW(RESOURCE_NOT_FOUND, 404, "Cannot find resource {}.", \
        "Check the path and the identifiers in it.") \
    ROW(INVITATION_NOT_VALID, 404, "There is no open invitation with this token for this address.", \
        "Check the token and the address. An invitation works once and for a limited time: ask for another one.") \
    ROW(DOWNLOAD_EXPIRED, 410, "The file is gone: its address has expired, its job was cancelled, or its snapshot was deleted.", \
        "Ask for another download of the snapshot, or of another one.") \
    ROW(METHOD_NOT_ALLOWED, 405, "Method {} is not supported by {}.", \
        "Use one of the methods in the Allow header.") \
    ROW(NOT_ACCEPTABLE, 406, "None of the media types in Accept is available: {}.", \
        "Ask for application/vnd.svc.2025-03-12+json.") \
    ROW(NO_BACKUPS, 404, "Nothing is kept of cluster {}: it has no backups.", \
        "Set backupEnabled of the cluster to true. Its region needs a repository host, which the operator adds.") \
    ROW(VERSION_NOT_AVAILABLE, 406, "Version {} cannot be served: {}.", \
        "Ask for the date of an existing version, such as 2025-03-12, or a later one.") \
    ROW(REQUEST_TIMEOUT, 408, "The request did not arrive in time.", \
        "Send the whole request without long pauses.") \
    ROW(DUPLICATE_NAME, 409, "Attribute {} must be unique, and {} is in use.", \
        "Choose another value.") \
    ROW(ORGANIZATION_NOT_EMPTY, 409, "Organization {} still has {} projects.", \
        "Delete or move its projects first.") \
    ROW(PROJECT_NOT_EMPTY, 409, "Project {} still has {} clusters.", \
        "Terminate its clusters first.") \
    ROW(NO_CAPACITY, 409, "No host in region {} of {} has room for another member of size {} with {} GB.", \
        "Ask for a smaller size, fewer members or another region, or have the operator add a host. A project with a network " \
        "container in the region uses addresses of that block only.") \
    ROW(NO_ETCD_CAPACITY, 409, "No etcd group has room for another cluster in region {} of {}.", \
        "Ask the operator to add an etcd group or to enlarge one, or choose another region.") \
    ROW(NO_BACKUP_CAPACITY, 409, "No repository host in region {} of {} has room for backups of {} GB.", \
        "Ask the operator to add a repository host with pgBackRest 2.55 or newer to the region, or to give one more disk; or leave backups off.") \
    ROW(ADDRESSES_NOT_FREE, 409, "Some addresses of block {} are reserved for another project or used by one.", \
        "Choose another block; the operator knows which addresses are free.") \
    ROW(CONTAINER_IN_USE, 409, "Members of the project's clusters use addresses of container {}.", \
        "Terminate the clusters that use it first, or leave the container as it is.") \
    ROW(NO_RELAY, 409, "No relay host in region {} of {} has an address left.", \
        "Ask the operator to add a relay host or addresses there, or choose another region.") \
    ROW(REGIONAL_MODE_OFF, 409, "Project {} has a private endpoint service in another region, and its regional mode is off.", \
        "Switch the regional mode of private endpoints on, or use the service that is there.") \
    ROW(REGIONAL_MODE_IN_USE, 409, "Project {} has private endpoint services in {} regions.", \
        "Delete the services of all regions but one first.") \
    ROW(ENDPOINT_SERVICE_IN_USE, 409, "Private endpoint service {} still has {} endpoints.", \
        "Delete its endpoints first.") \
    ROW(ENDPOINT_SERVICE_FULL, 409, "Private endpoint service {} has 64 endpoints, and no more can be added.", \
        "Delete endpoints that nobody uses. One that is being deleted counts until its relay has let go of it.") \
    ROW(CONTAINER_HAS_PEERS, 409, "Container {} has peering connections.", \
        "Remove its peering connections first, and wait until they are gone.") \
    ROW(NO_PEERING_CAPACITY, 409, "Region {} of {} has no port left for another peering connection.", \
        "Remove a peering connection that is not needed, or ask the operator.") \
    ROW(KEYS_IN_USE, 409, "Clusters of the project are under its key: {} of them.", \
        "Leave the key service enabled until these clusters are terminated. To use another service, have the same keys there, wait until membersOnOtherKeys is 0, and change hostname and port without keyIdentifier. Another keyIdentifier can be set alone, while they run.") \
    ROW(CLUSTER_NOT_CHANGEABLE, 409, "Cluster {} cannot be changed now: {}.", \
        "Wait until the state that the detail names has ended, or end it, then try again.") \
    ROW(ACCESS_NOT_GRANTED, 409, "The owner of cluster {} does not consent to this: {}.", \
        "Ask the owner of the cluster for the consent that the detail names (grantVendorEmployeeAccess), then try again.") \
    ROW(SWITCHED_OFF, 409, "The settings of this project switch this off: {} is false.", \
        "Set it to true with PATCH /groups/{groupId}/settings, which a project owner may do. What was not collected meanwhile is not there.") \
    ROW(TERMINATION_PROTECTED, 409, "Cluster {} is protected against termination.", \
        "Set terminationProtectionEnabled to false first.") \
    ROW(BACKUPS_NOT_ENABLED, 409, "Cluster {} has no backups.", \
        "Set backupEnabled of the cluster to true. Its region needs a repository host, which the operator adds.") \
    ROW(DRILL_UNFINISHED, 409, "A drill of cluster {} is under way or waits for its turn.", \
        "Wait until it has ended: its result counts as well.") \
    ROW(EXPORT_UNFINISHED, 409, "An export of cluster {} is under way or waits for its turn.", \
        "Wait until it has ended, then ask again.") \
    ROW(EXPORT_BUCKET_IN_USE, 409, "Bucket {} is in use: an export to it is not finished, or the schedule of a cluster exports to it.", \
        "Set autoExportEnabled of schedules that export to it to false, and wait until exports have ended.") \
    ROW(PROVIDER_ROLE_NOT_AUTHORIZED, 409, "Role {} is not authorized, or the operator has made its role in the object store anew.", \
        "Authorize it with the name of the role that the operator made for its external id.") \
    ROW(PROVIDER_ROLE_IN_USE, 409, "Role {} is in use: {}.", \
        "Remove first what uses the role: featureUsages of the role names it.") \
    ROW(LOG_EXPORT_EXISTS, 409, "The project has a log export already.", \
        "Change it with PATCH, or remove it first. Log integrations of type S3_LOG_EXPORT can be added beside it.") \
    ROW(SNAPSHOT_UNFINISHED, 409, "A snapshot of cluster {} was requested before and is not finished.", \
        "Wait until it is completed or failed, or delete it.") \
    ROW(POINT_NOT_RESTORABLE, 409, "Cluster {} cannot be restored to {}: {}.", \
        "Choose a point that its backups reach. GET …/backup/window says which moments can be restored, and up to when.") \
    ROW(RESTORE_TARGET_UNFIT, 409, "What was kept of cluster {} cannot be restored into cluster {}: {}.", \
        "Restore into a cluster that fits: of the same major version, and with enough disk. It can be created first, and deleted afterwards.") \
    ROW(DOWNLOAD_UNFINISHED, 409, "Another snapshot of cluster {} is being made into a file, or can still be fetched.", \
        "Wait until its address has expired, or cancel that job; a few seconds later this works.") \
    ROW(NO_DOWNLOAD_CAPACITY, 409, "The repository host that keeps the snapshot has no room for a file of it: {} GB are needed.", \
        "Try again later, ask the operator for more disk there, or restore the snapshot into a cluster.") \
    ROW(DOWNLOAD_NOT_READY, 409, "The file is still being made.", \
        "Try again when the job is DONE: its deliveryUrl is there then.") \
    ROW(RESTORE_NOT_CANCELLABLE, 409, "The restore can no longer be cancelled: {}.", \
        "Nothing needs to be done. To go back, restore the cluster to a moment before; what it had then is kept.") \
    ROW(BACKUP_PROTECTED, 409, "It is protected by the project's backup compliance policy until {}.", \
        "Wait until then. Nobody can shorten this, neither the owner of the project nor the operator.") \
    ROW(BELOW_COMPLIANCE_POLICY, 409, "{} is less than what the project's backup compliance policy asks for: {}.", \
        "Ask for as much as the policy does, or for more.") \
    ROW(COMPLIANCE_POLICY_IN_FORCE, 409, "The backup compliance policy is in force, and {} would make it weaker or change who it names.", \
        "Send at least what the policy has now. Only the person whom it names can have another one named.") \
    ROW(NO_MAINTENANCE_WAITS, 409, "No maintenance is waiting in project {}.", \
        "Nothing needs to be done. Maintenance can be put off while it waits; with autoDefer it is put off as soon as it waits.") \
    ROW(MAINTENANCE_NOT_DEFERRABLE, 409, "The maintenance was already put off {} times, the most that is allowed.", \
        "Choose another day or hour, or let it begin.") \
    ROW(LAST_OWNER, 409, "The organization would be left without an owner.", \
        "Make somebody else an owner first.") \
    ROW(LAST_ROLE, 409, "Role {} is the last one that the person holds here.", \
        "Add another role first, or remove the person.") \
    ROW(ALREADY_A_MEMBER, 409, "{} already belongs to {}.", \
        "Change the roles of that person instead.") \
    ROW(ALREADY_INVITED, 409, "{} was already invited to {}.", \
        "Change the open invitation, or take it back first.") \
    ROW(TOO_MANY_INVITATIONS, 409, "The organization has made {} invitations today, the most that it can make in a day.", \
        "Try again tomorrow (UTC).") \
    ROW(PROJECT_LIMIT_REACHED, 409, "Limit {} of the project is {}, and all of it is in use.", \
        "Remove something first, or raise the limit.") \
    ROW(CALLER_WOULD_BE_LOCKED_OUT, 409, "The calling credentials have no access list and could not call again from {}.", \
        "Add the caller's address to the access list of these credentials first.") \
    ROW(ROLE_IN_USE, 409, "Role {} is held by {}.", \
        "Take the role away from its holder first.") \
    ROW(CERTIFICATES_NOT_MANAGED, 409, "Database user {} has no certificates of this service.", \
        "Create the user with x509Type MANAGED, or have your own authority issue its certificates.") \
    ROW(CERTIFICATES_STILL_VALID, 409, "Certificates of an earlier user {} are valid until {}, and would work for the new user as well.", \
        "Choose another name, or wait until then.") \
    ROW(SAME_ORGANIZATION, 409, "The project belongs to organization {} already.", \
        "Name another organization.") \
    ROW(TOO_MANY_SECRETS, 409, "The service account already has {} secrets that have not expired.", \
        "Delete one of them first.") \
    ROW(TOO_MANY_TEAMS, 409, "The organization already has {} teams, the most that it can have.", \
        "Delete a team that nobody needs any more first.") \
    ROW(TOO_MANY_TEAM_MEMBERS, 409, "A team can have at most {} members.", \
        "Take somebody out of the team first, or make another team.") \
    ROW(TOO_MANY_POLICIES, 409, "The organization already has {} resource policies, the most that it can have.", \
        "Put several rules into one policy, or delete one that is not needed.") \
    ROW(TOO_MANY_IDENTITY_PROVIDERS, 409, "The federation already has {} identity providers, the most that it can have.", \
        "Delete one that nobody uses any more first.") \
    ROW(TOO_MANY_ROLE_MAPPINGS, 409, "The organization already has {} role mappings, the most that it can have.", \
        "Give several roles to one group, or delete a mapping that is not needed.") \
    ROW(IDENTITY_PROVIDER_IN_USE, 409, "An organization uses identity provider {}.", \
        "Set identityProviderId of the connected organizations to null or to another provider first.") \
    ROW(IDENTITY_PROVIDER_IS_SHARED, 409, "Identity provider {} is also used by organization {}, which has to agree.", \
        "Create another identity provider with the new settings. Owners of each organization choose it for themselves " \
        "(identityProviderId of their connectedOrgConfigs). Once nobody else uses this one, it can be changed or deleted.") \
    ROW(ONLY_CONNECTED_ORGANIZATION, 409, "Organization {} is the only one in its federation.", \
        "Delete the federation settings instead, or set identityProviderId to null to end federated sign-in.") \
    ROW(FEDERATION_IS_SHARED, 409, "The federation still connects {} organizations.", \
        "Disconnect the other organizations first.") \
    ROW(TOO_MANY_WEBHOOKS, 409, "The organization already has {} webhooks.", \
        "Delete one of them first.") \
    ROW(ALERT_CLOSED, 409, "Alert {} is closed.", \
        "Only an open alert can be acknowledged.") \
    ROW(INTEGRATION_IN_USE, 409, "Integration {} is used by a notification of alert configuration {}.", \
        "Give that notification a key or address of its own, or delete it, then delete the integration.") \
    ROW(ADDRESS_IN_USE, 409, "The caller uses this entry: it calls from {}.", \
        "Add another entry for the caller's address first, or remove this one with other credentials.") \
    ROW(IDEMPOTENCY_KEY_IN_FLIGHT, 409, "A request with the Idempotency-Key {} is being processed.", \
        "Wait as long as Retry-After says, then repeat the request.") \
    ROW(CONCURRENT_CHANGE, 409, "Another request changed {} at the same moment.", \
        "Repeat the request.") \
    ROW(PRECONDITION_FAILED, 412, "The entity's current ETag is {}.", \
        "Read the entity again, apply the change to what it is now, and send the new ETag in If-Match.") \
    ROW(BODY_TOO_LARGE, 413, "The request body is larger than {} bytes.", \
        "Send a smaller body.") \
    ROW(URI_TOO_LONG, 414, "The request's address is too long.", \
        "Shorten the path or the query.") \
    ROW(UNSUPPORTED_MEDIA_TYPE, 415, "Content type {} is not supported.", \
        "Send the body as application/json.") \
    ROW(IDEMPOTENCY_KEY_REUSED, 422, "The Idempotency-Key {} was used with another request.", \
        "Use a new key for each new request.") \
    ROW(RATE_LIMITED_TOKEN_BUCKET, 429, "Rate limit exceeded for {}. Please retry after {} seconds. Request capacity: {}. Refill rate: {} per {} seconds.", \
        "Wait as long as Retry-After says. After further refusals wait longer each time, and add a random part.") \
    ROW(TOO_MANY_FAILURES, 429, "Too many requests from {} failed to authenticate.", \
        "Wait as long as Retry-After says, and check the credentials.") \
    ROW(TOO_MANY_STREAMS, 429, "The caller already follows {} event streams here.", \
        "Close one of them first, or follow the organization instead of each project.") \
    ROW(HEADERS_TOO_LARGE, 431, "The request's headers are too large or too many.", \
        "Send fewer or shorter headers.") \
    /* The service. */ \
    ROW(INTERNAL_ERROR, 500, "The service failed unexpectedly.", \
        "Retry later; report the X-Request-Id to the operator if it happens again.") \
    ROW(NOT_IMPLEMENTED, 501, "{} {} is not implemented yet.", \
        "Do without it for now. The reference marks what is not there yet; operators see it with `reeved catalog --status`.") \
    ROW(DATABASE_UNAVAILABLE, 503, "The service cannot reach its database.", \
        "Retry after the time that Retry-After gives; a POST with the same Idempotency-Key has one effect.") \
    ROW(OUTCOME_UNKNOWN, 503, "The connection to the database broke while the change was committed.", \
        "Read the entity to see whether the change is there, or repeat a POST with the same Idempotency-Key.") \
    ROW(LOGS_UNAVAILABLE, 503, "The host that has these logs does not answer. They are kept there only, so they cannot be read now.", \
        "Retry later. If the host is lost, so are its logs; those of the cluster's other members can be read.") \
    ROW(OVERLOADED, 503, "The service has no capacity for this request now.", \
        "Retry after the time that Retry-After gives.") \
    ROW(MEASUREMENTS_NOT_COLLECTED, 503, "Measurements are not collected here: the operator has named no store for them.", \
        "The operator sets monitor_stores in reeve.conf on all nodes; from then on hosts are measured.") \
    ROW(MEASUREMENTS_UNAVAILABLE, 503, "{} Measurements cannot be stored or read now.", \
        "Retry after the time that Retry-After gives. What is measured meanwhile is kept on the hosts and is not lost.") \
    /* What only operators see, on their own address. */ \
    ROW(OPERATOR_TOKEN_REQUIRED, 401, "This resource needs the token of an operator.", \
        "Make one with `reeved operator add NAME` on a node, and send it as `Authorization: Bearer TOKEN`; `reeve fleet login` keeps it.") \
    ROW(OPERATOR_TOKEN_NOT_VALID, 401, "The token does not belong to an operator.", \
        "The token is unknown or has expired, or its operator was removed. Make another one with `reeved operator add NAME` on a node.") \
    ROW(OPERATOR_TLS_REQUIRED, 403, "Operators are not served over plain HTTP from {}.", \
        "Set operator_certificate and operator_certificate_key in reeve.conf and use https://, or ask on the node itself, at its loopback address.") \
    ROW(HOST_HAS_MEMBERS, 409, "Host {} still has {} members.", \
        "Drain the host and wait until none is left. Remove a host that will never come back with `--lost`: its members are replaced.") \
    ROW(HOST_HAS_BACKUPS, 409, "Host {} still keeps the backups of {} clusters.", \
        "They go with their clusters, or when backups are switched off and deleted. Remove a host that will never come back with `--lost`: " \
        "what it kept is lost, and other repository hosts begin anew.") \
    ROW(FLEET_NOT_FOUNDED, 409, "The fleet has no certificate authority yet.", \
        "Run `reeved fleet init` on a node.") \
    ROW(OBJECT_STORE_UNUSABLE, 409, "Object store {} cannot be used: {}.", \
        "Change what the detail names, and try again.") \
    ROW(STILL_IN_USE, 409, "{} {} cannot be removed: {}.", \
        "Remove first what the detail names.") \
    ROW(UPDATE_NOT_POSSIBLE, 409, "This rollout is not possible: {}.", \
        "`reeve fleet updates list` shows rollouts, `reeve fleet versions list` what would be updated.") \
    ROW(JOB_NOT_CHANGEABLE, 409, "Job {} cannot be changed now: {}.", \
        "Look at the job: its state and history say what is going on.") \
    ROW(LOCKED_FOR_INVOICE, 409, "Organization {} is locked because invoice {} is overdue.", \
        "Record that the invoice was paid, or agree on a date until which the organization is not locked.") \
    ROW(INVOICE_NOT_PAYABLE, 409, "Invoice {} is not closed, has nothing to pay, or was paid before.", \
        "List the unpaid invoices: only those can be paid.") \
    /* What only agents of hosts see, on their own address. */ \
    ROW(CERTIFICATE_REQUIRED, 401, "This resource needs the certificate of a host.", \
        "Join first: the operator's `reeved fleet tokens create` prints the command.") \
    ROW(CERTIFICATE_NOT_ACCEPTED, 403, "The certificate is not accepted: {}.", \
        "Join again with a new token; see `reeved fleet hosts list`.") \
    ROW(JOIN_TOKEN_NOT_VALID, 403, "The join token is not valid: {}.", \
        "Make a new one with `reeved fleet tokens create`. A token works once and for a limited time.") \
    ROW(STALE_EPOCH, 409, "Another machine has joined as this host: the epoch is {} now.", \
        "Stop this agent. Join again if this machine is the one that should be the host.") \
    ROW(FLEET_NOT_READY, 503, "The fleet has no certificate authority yet.", \
        "Run `reeved fleet init`.")

#endif
