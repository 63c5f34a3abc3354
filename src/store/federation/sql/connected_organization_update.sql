-- Changes how an organization uses its federation. The reference keeps it to providers of that federation.
-- scope: organization $1
UPDATE connected_organization SET provider_id = $2, domain_restriction = $3::boolean,
    domain_allow_list = ARRAY(SELECT DISTINCT lower(named.domain) FROM jsonb_array_elements_text($4::jsonb) AS named (domain) ORDER BY 1),
    sign_in_roles = ARRAY(SELECT DISTINCT named.role FROM jsonb_array_elements_text($5::jsonb) AS named (role) ORDER BY 1),
    revision = nextval('revision')
WHERE org_id = $1
