-- Why an endpoint cannot have an address; empty when nothing is in the way.
-- scope: none, because the function looks at the addresses of all hosts, and only for the organization that the transaction named
SELECT coalesce(private_endpoint_obstacle(:id, :address::inet), '') AS obstacle
