import type { DescMethod } from '@bufbuild/protobuf';

/**
 * Paths of the RPCs of CRI v1alpha2. Messages are encoded alike in both versions, so its descriptors, some 2 MB of memory in each agent, are not loaded; a test
 * compares this list with them.
 */

/** RPCs added in v1 or later. v1alpha2, which is frozen, has all others under the same names. */
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

/** Reports whether v1alpha2 lacks an RPC of v1, by name; no name is in both services. */
export function isLaterThanV1alpha2(rpc: string): boolean {
  return LATER_THAN_V1ALPHA2.has(rpc);
}

/** Returns the path in v1alpha2 of an RPC of v1; `undefined` for a later one. */
export function v1alpha2Path({ parent, name }: DescMethod): string | undefined {
  return isLaterThanV1alpha2(name) ? undefined : `/runtime.v1alpha2.${parent.name}/${name}`;
}
