-- Makes the figures about the fleet anew, and says how many there are.
-- scope: none, because metrics are about all organizations
SELECT fleet_figures_take() AS count
