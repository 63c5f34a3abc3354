/* SPDX-License-Identifier: Apache-2.0 */
/* Where clusters can be, and in which sizes. */
export interface Regions {
  results: { provider: string; instanceSizes: { name: string; availableRegions: { name: string; default: boolean }[] }[] }[];
}

export interface Offer {
  provider: string;
  region: string;
  sizes: string[];
}

/* Clusters of this size are made elsewhere, and a cluster of another cannot become one. */
const FLEX = "FLEX";

export function offersOf(regions: Regions): Offer[] {
  const offers = new Map<string, Offer>();
  for (const { provider, instanceSizes } of regions.results)
    for (const size of instanceSizes.filter((one) => one.name !== FLEX))
      for (const region of size.availableRegions) {
        const key = `${provider}/${region.name}`;
        const offer = offers.get(key) ?? { provider, region: region.name, sizes: [] };
        offer.sizes.push(size.name);
        offers.set(key, offer);
      }
  return [...offers.values()];
}
