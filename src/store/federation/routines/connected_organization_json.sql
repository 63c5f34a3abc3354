-- The organizations of one federation see each other's configuration: whoever asks has been found to belong to it.
CREATE OR REPLACE FUNCTION connected_organization_json(p_org bytea) RETURNS json LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT json_build_object(
        'orgId', encode(c.org_id, 'hex'),
        'identityProviderId', encode(c.provider_id, 'hex'),
        'domainRestrictionEnabled', c.domain_restriction,
        'domainAllowList', to_json(c.domain_allow_list),
        'postAuthRoleGrants', to_json(c.sign_in_roles),
        'instantUserProvisioningDisabled', true,
        'roleMappings', (SELECT coalesce(json_agg(role_mapping_json(m) ORDER BY m.id), '[]') FROM role_mapping m WHERE m.org_id = c.org_id),
        'userConflicts', (SELECT coalesce(json_agg(json_build_object(
                                'userId', encode(n.id, 'hex'), 'emailAddress', n.username, 'firstName', m.first_name,
                                'lastName', m.last_name, 'federationSettingsId', encode(c.federation_id, 'hex')) ORDER BY n.id), '[]')
                          FROM person n, LATERAL person_names(n.id, ARRAY[c.org_id::bytea]) m
                          WHERE c.domain_restriction
                            AND n.id IN (SELECT g.principal_id FROM role_grant g WHERE g.org_id = c.org_id)
                            AND NOT email_domain(n.username) = ANY (c.domain_allow_list)
                            AND NOT EXISTS (SELECT FROM federation_domain d
                                            WHERE d.federation_id = c.federation_id AND d.domain = email_domain(n.username))))
    FROM connected_organization c
    WHERE c.org_id = p_org
$$;
