-- Changes how an organization uses its federation. The reference keeps it to providers of that federation.
-- scope: organization :organization
UPDATE connected_organization SET provider_id = :provider, domain_restriction = :domain_restriction::boolean,
    domain_allow_list = ARRAY(SELECT DISTINCT lower(named.domain) FROM jsonb_array_elements_text(:domain_allow_list::jsonb) AS named (domain) ORDER BY 1),
    sign_in_roles = ARRAY(SELECT DISTINCT named.role FROM jsonb_array_elements_text(:sign_in_roles::jsonb) AS named (role) ORDER BY 1),
    revision = nextval('revision')
WHERE org_id = :organization
