-- What a person's token says, unless a newer one was seen meanwhile.
-- scope: organization $1
INSERT INTO federated_member (org_id, person_id, provider_id, external_groups, issued_at)
VALUES ($1, $2, $3, ARRAY(SELECT jsonb_array_elements_text($4::jsonb)), to_timestamp($5::bigint))
ON CONFLICT (org_id, person_id) DO UPDATE SET provider_id = excluded.provider_id, external_groups = excluded.external_groups,
    issued_at = excluded.issued_at, signed_in_at = now()
WHERE federated_member.issued_at <= excluded.issued_at
