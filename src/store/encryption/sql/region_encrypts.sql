-- Whether a host of the region can keep members under keys of their projects.
-- scope: none, because hosts are the operator's
SELECT region_encrypts(:provider, :region) AS encrypts
