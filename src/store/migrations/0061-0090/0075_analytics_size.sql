-- Members for analytics may have another size than the others: the parameters that follow from its memory, which they have instead of the cluster's.
ALTER TABLE cluster ADD COLUMN analytics_parameters jsonb NOT NULL DEFAULT '{}';
