-- Takes over what a host says about its own members and tasks.
-- scope: none, because hosts are the operator's and hold members of many organizations
SELECT host_report(:host, :epoch::bigint, :report::jsonb) AS outcome
