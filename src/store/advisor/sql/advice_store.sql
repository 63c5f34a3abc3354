-- Takes over what the advisor of a member saw.
-- scope: none, because hosts are the operator's and hold members of many organizations
SELECT advice_store(:host, :member, :document::jsonb) AS outcome
