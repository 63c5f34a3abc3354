-- Whether a cluster may begin now.
-- scope: none, because the function looks for itself at whom the transaction acts for
SELECT fleet_update_gate(:update, :cluster, :may_begin::boolean) AS outcome
