import type { DescMethod } from '@bufbuild/protobuf';

/**
 * CRI v1alpha2 as this client needs it: the paths of its RPCs. Messages are encoded alike in both versions, so its descriptors, some 2 MB of memory in each
 * agent, are not loaded for that; a test compares this list with them.
 */

/** The RPCs that came with v1 or later. v1alpha2, which is frozen, has all others under the same names. */
const LATER_THAN_V1ALPHA2: ReadonlySet<string> = new Set([
  'CheckpointContainer',
  'GetContainerEvents',
  'ListMetricDescriptors',
  'ListPodSandboxMetrics',
  'RuntimeConfig',
  'StreamContainers',
  'StreamContainerStats',
  'StreamImages',
  'StreamPodSandboxes',
  'StreamPodSandboxMetrics',
  'StreamPodSandboxStats',
  'UpdatePodSandboxResources',
]);

/** Whether v1alpha2 lacks an RPC of v1, which is given by its name; no name is in both services. */
export function isLaterThanV1alpha2(rpc: string): boolean {
  return LATER_THAN_V1ALPHA2.has(rpc);
}

/** The path in v1alpha2 of an RPC of v1; `undefined` if it came later. */
export function v1alpha2Path({ parent, name }: DescMethod): string | undefined {
  return isLaterThanV1alpha2(name) ? undefined : `/runtime.v1alpha2.${parent.name}/${name}`;
}
