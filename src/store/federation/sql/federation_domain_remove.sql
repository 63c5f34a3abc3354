-- A domain of e-mail addresses is a federation's no more; federation_domain_left() ends sessions.
-- scope: none, because domains are the operator's to take
DELETE FROM federation_domain WHERE domain = :domain AND federation_id = :federation
