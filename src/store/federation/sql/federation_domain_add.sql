-- A domain of e-mail addresses is a federation's.
-- scope: none, because domains are the operator's to give
INSERT INTO federation_domain (domain, federation_id) VALUES (:domain, :federation)
