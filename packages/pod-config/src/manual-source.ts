import type { PodSource, PodSourceProblem } from '@rxlet/agent-api/sources';
import { createCurrentValue } from '@rxlet/component-base/streams';
import type { Pod } from '@rxlet/kube-api';
import { describeFields } from '@rxlet/pod-model/validation';
import { checkPod } from './check-pod.ts';
import { filter } from 'rxjs';

/** A source whose pods are set by code. */
export interface ManualSource extends PodSource {
  /**
   * Replaces the set of pods.
   *
   * @throws TypeError when a pod has no valid name, namespace or UID; the set stays as it was. `makeStaticPod` gives a pod an identity.
   */
  set(pods: readonly Pod[]): void;
}

/** Options of {@link createManualSource}. */
export interface ManualSourceOptions {
  /** Check of each pod. Default: its name, namespace and UID, and the names of its containers and volumes. */
  readonly check?: NonNullable<PodSource['check']>;
}

/**
 * Creates a {@link ManualSource}. It is not ready before the first `set`.
 *
 * @example
 * ```ts
 * import { createManualSource } from '@rxlet/pod-config';
 *
 * const source = createManualSource('mine');
 * source.set([{ metadata: { name: 'web', namespace: 'default', uid: '1' }, spec: { containers: [{ name: 'main' }] } }]);
 * ```
 */
export function createManualSource(name: string, options: ManualSourceOptions = {}): ManualSource {
  const snapshot = createCurrentValue<readonly Pod[] | undefined>(undefined);
  const problems = createCurrentValue<readonly PodSourceProblem[]>([]);
  return {
    name,
    ...options,
    snapshots$: snapshot.value$.pipe(filter((pods) => pods !== undefined)),
    problems$: problems.value$,
    start: () => undefined,
    set(pods) {
      for (const pod of pods) {
        const checked = checkPod(pod);
        if ('problems' in checked) {
          const podName = JSON.stringify(pod.metadata?.name ?? '');
          throw new TypeError(`cannot set pod ${podName} of source ${name}: ${describeFields(checked.problems)}`);
        }
      }
      snapshot.set([...pods]);
    },
    async [Symbol.asyncDispose]() {
      snapshot.complete();
      problems.complete();
    },
  };
}
