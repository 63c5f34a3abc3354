-- Why a project cannot have a block of addresses in a region; empty when nothing is in the way.
-- scope: none, because the function looks at the pool of all projects, and only for the organization that the transaction named
SELECT coalesce(container_obstacle(:project, :provider, :region, :block::cidr), '') AS obstacle
