-- Changes the settings of an organization: whether its credentials need an access list, and those that have no column.
-- scope: organization $1
UPDATE organization SET access_list_required = coalesce($2::boolean, access_list_required), settings = $3::jsonb,
       revision = nextval('revision')
WHERE id = $1
