import { ReplaySubject, Subject } from 'rxjs';
import type { Pod } from '@rxlet/kube-api';
import type { PodSnapshotSource } from './pod-snapshot-source.ts';
import type { SourceProblem } from './source-problem.ts';

/** A source whose pods are set by code. */
export interface ManualSource extends PodSnapshotSource {
  /**
   * Replaces the set of pods.
   *
   * @throws TypeError when a pod lacks its name, namespace or UID; the set stays as it was. `makeStaticPod` gives a pod what it lacks.
   */
  set(pods: readonly Pod[]): void;
}

/** Creates a {@link ManualSource}. It is silent until the first `set`, so an agent takes it as not ready until then. */
export function createManualSource(name: string): ManualSource {
  const snapshots$ = new ReplaySubject<readonly Pod[]>(1);
  const problems$ = new Subject<SourceProblem>();
  return {
    name,
    snapshots$: snapshots$.asObservable(),
    problems$: problems$.asObservable(),
    start: () => undefined,
    set(pods) {
      for (const { metadata } of pods) {
        for (const field of ['name', 'namespace', 'uid'] as const) {
          if (!metadata?.[field])
            throw new TypeError(`pod ${JSON.stringify(metadata?.name ?? '')} has no metadata.${field}`);
        }
      }
      snapshots$.next([...pods]);
    },
    async [Symbol.asyncDispose]() {
      snapshots$.complete();
      problems$.complete();
    },
  };
}
