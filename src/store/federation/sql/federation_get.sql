-- What an organization's federation is, in short.
-- scope: organization :organization
SELECT d.document, text_revision(d.document) AS revision
FROM (SELECT json_strip_nulls(json_build_object(
          'id', encode(o.federation_id, 'hex'),
          'federatedDomains', (SELECT coalesce(json_agg(f.domain ORDER BY f.domain), '[]')
                               FROM federation_domain f WHERE f.federation_id = o.federation_id),
          'hasRoleMappings', EXISTS (SELECT FROM role_mapping m WHERE m.org_id = o.id),
          'identityProviderId', encode(c.provider_id, 'hex'),
          'identityProviderStatus', p.status))::text AS document
      FROM organization o
      JOIN connected_organization c ON c.org_id = o.id
      LEFT JOIN identity_provider p ON p.id = c.provider_id
      WHERE o.id = :organization) d
