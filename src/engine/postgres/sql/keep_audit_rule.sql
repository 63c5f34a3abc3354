-- Hands the rule over to audit_apply.
SELECT set_config('reeve.audit', $1, false)
