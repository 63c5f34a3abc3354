-- Where a role in an object store writes, for whoever has the external id that it was made for.
-- scope: none, because the external id, which only one project has, decides who is told
SELECT encode(a.id, 'hex') AS role, a.endpoint, a.region, a.bucket, a.prefix FROM store_role_assume(:arn, :external) a
