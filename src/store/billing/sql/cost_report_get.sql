-- A report that was asked for, as long as it is kept.
-- scope: organization :organization
SELECT content FROM cost_report WHERE org_id = :organization AND token = :token AND expires_at > now()
