-- Whether an organization takes in people with this address.
CREATE OR REPLACE FUNCTION federation_lets_in(p_org bytea, p_address text) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT coalesce((SELECT NOT c.domain_restriction OR email_domain(p_address) = ANY (c.domain_allow_list)
                            OR EXISTS (SELECT FROM federation_domain d
                                       WHERE d.federation_id = c.federation_id AND d.domain = email_domain(p_address))
                     FROM connected_organization c WHERE c.org_id = p_org), true)
$$;
