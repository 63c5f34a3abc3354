-- A report that was asked for, as long as it is kept.
-- scope: organization $1
SELECT content FROM cost_report WHERE org_id = $1 AND token = $2 AND expires_at > now()
