-- Exactly the programs in the JSON list :programs stand for a service account. The answer is the place of the first one that names something else than a provider for
-- programs of the organization's federation: the transaction ends then.
-- scope: organization :organization
WITH named AS (
    SELECT n.subject, n.place, p.id
    FROM ROWS FROM (jsonb_to_recordset(:programs::jsonb) AS ("identityProviderId" text, subject text)) WITH ORDINALITY AS n (provider, subject, place)
    LEFT JOIN (identity_provider p JOIN organization o ON o.federation_id = p.federation_id AND o.id = :organization)
        ON encode(p.id, 'hex') = n.provider AND provider_is_for_programs(p)
), gone AS (
    DELETE FROM trusted_program t WHERE t.org_id = :organization AND t.account_id = :credential
        AND NOT EXISTS (SELECT FROM named n WHERE n.id = t.provider_id AND n.subject = t.subject)
), added AS (
    INSERT INTO trusted_program (account_id, org_id, provider_id, subject)
    SELECT DISTINCT :credential::bytea, :organization::bytea, n.id, n.subject FROM named n WHERE n.id IS NOT NULL
    ON CONFLICT DO NOTHING
)
SELECT min(n.place) - 1 AS unknown FROM named n WHERE n.id IS NULL
