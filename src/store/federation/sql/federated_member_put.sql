-- What a person's token says, unless a newer one was seen meanwhile.
-- scope: organization :organization
INSERT INTO federated_member (org_id, person_id, provider_id, external_groups, issued_at)
VALUES (:organization, :person, :provider, ARRAY(SELECT jsonb_array_elements_text(:groups::jsonb)), to_timestamp(:issued_s::bigint))
ON CONFLICT (org_id, person_id) DO UPDATE SET provider_id = excluded.provider_id, external_groups = excluded.external_groups,
    issued_at = excluded.issued_at, signed_in_at = now()
WHERE federated_member.issued_at <= excluded.issued_at
