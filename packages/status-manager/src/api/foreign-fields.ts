import type { PodStatus } from '@rxlet/kube-api';

/** Status fields of other writers: the scheduler and the controllers of resource claims. */
const names = [
  'nominatedNodeName',
  'resourceClaimStatuses',
  'extendedResourceClaimStatus',
  'nodeAllocatableResourceClaimStatuses',
] as const;

type ForeignFields = Pick<PodStatus, (typeof names)[number]>;

/** Returns the status without the fields of other writers. */
export function withoutForeignFields(status: PodStatus): Omit<PodStatus, keyof ForeignFields> {
  const foreign: ReadonlySet<string> = new Set(names);
  return Object.fromEntries(Object.entries(status).filter(([name]) => !foreign.has(name)));
}

/** Returns the status with the fields of other writers from `source`. */
export function withForeignFieldsOf(source: PodStatus, status: PodStatus): PodStatus {
  const present = names.flatMap((name) => (source[name] === undefined ? [] : [[name, source[name]]]));
  return { ...withoutForeignFields(status), ...(Object.fromEntries(present) as ForeignFields) };
}
