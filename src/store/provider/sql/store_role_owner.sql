-- Whether a project has a role with this external id.
-- scope: none, because operators make roles for the projects of all organizations
SELECT EXISTS (SELECT FROM resource r WHERE r.kind = 'providerRole' AND r.document ->> 'serviceAssumedRoleExternalId' = :external) AS is_there
