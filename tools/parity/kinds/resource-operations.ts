import type { Container, Pod } from '@rxlet/kube-api';
import { noAffinity, type NumaHint } from '@rxlet/agent-api/topology';
import { findPodContainer } from '@rxlet/pod-model';

/** Operation of a recorded sequence on a resource manager. */
export type ResourceOperation =
  | { readonly op: 'podHints'; readonly pod: string }
  | { readonly op: 'remove'; readonly pod: string; readonly container: string }
  | { readonly op: 'allocate'; readonly pod: string; readonly container: string; readonly affinity?: WantedHint };

/** Hint as it is recorded. */
export interface WantedHint {
  readonly numaNodes?: readonly number[] | null;
  readonly preferred?: boolean;
}

/** Returns the pod with a name. */
export function podOf(pods: readonly Pod[], name: string): Pod {
  return pods.find(({ metadata }) => metadata?.name === name)!;
}

/** Returns the container of a pod with a name. */
export function containerOf(pod: Pod, name: string): Container {
  return findPodContainer(pod, name)!.container;
}

/** Returns the affinity that a topology manager has decided on. */
export function toAffinity(hint: WantedHint | undefined): NumaHint {
  if (hint === undefined) return noAffinity;
  return { numaNodes: hint.numaNodes ?? undefined, isPreferred: hint.preferred === true };
}

/** Returns a hint in its recorded form. */
export function fromHint({ numaNodes, isPreferred }: NumaHint): WantedHint {
  return { numaNodes: numaNodes ?? null, preferred: isPreferred };
}

/** Returns hints in a form that does not depend on their order. */
export function sameHints(hints: readonly WantedHint[]): readonly string[] {
  return hints
    .map(({ numaNodes, preferred }) => `${numaNodes?.join() ?? 'any'}${preferred === true ? ' preferred' : ''}`)
    .sort();
}
