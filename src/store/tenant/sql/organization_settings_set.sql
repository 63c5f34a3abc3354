-- Changes the settings of an organization: whether its credentials need an access list, and those that have no column.
-- scope: organization :organization
UPDATE organization SET access_list_required = coalesce(:access_list_required::boolean, access_list_required), settings = :settings::jsonb,
       revision = nextval('revision')
WHERE id = :organization
