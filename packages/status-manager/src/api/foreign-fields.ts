import type { PodStatus } from '@rxlet/kube-api';

/** The fields of a pod's status that others write: the scheduler, and the controllers of resource claims. */
const names = [
  'nominatedNodeName',
  'resourceClaimStatuses',
  'extendedResourceClaimStatus',
  'nodeAllocatableResourceClaimStatuses',
] as const;

type ForeignFields = Pick<PodStatus, (typeof names)[number]>;

/** The status without what others write. */
export function withoutForeignFields(status: PodStatus): Omit<PodStatus, keyof ForeignFields> {
  const foreign: ReadonlySet<string> = new Set(names);
  return Object.fromEntries(Object.entries(status).filter(([name]) => !foreign.has(name)));
}

/** The status with what others write as `source` has it. */
export function withForeignFieldsOf(source: PodStatus, status: PodStatus): PodStatus {
  const there = names.flatMap((name) => (source[name] === undefined ? [] : [[name, source[name]]]));
  return { ...withoutForeignFields(status), ...(Object.fromEntries(there) as ForeignFields) };
}
