import type { PodSource } from '@rxlet/agent-api/sources';
import type { Lifetime } from '@rxlet/component-base';
import { createEmitter } from '@rxlet/component-base/streams';
import type { Pod } from '@rxlet/kube-api';
import { ReplaySubject } from 'rxjs';
import { createProblemLedger, type ProblemLedger } from './problem-ledger.ts';

/** The outputs of a source of manifests. */
export interface SourceOutputs {
  /** The present problems. */
  readonly ledger: ProblemLedger;
  /** The latest snapshot; `undefined` before the first. */
  published(): readonly Pod[] | undefined;
  /** Emits a snapshot, unless it is the same as the latest. */
  publish(pods: readonly Pod[]): void;
  /** Emits a pod before the snapshot that contains it. */
  upsert(pod: Pod): void;
  /** Creates the source, which calls `begin` at its first start. */
  source(begin: () => void, manifestOf: (pod: Pod) => string | undefined): PodSource;
}

/** Creates {@link SourceOutputs} that complete with `lifetime`. Disposing of the source ends that. */
export function createSourceOutputs(name: string, lifetime: Lifetime): SourceOutputs {
  const snapshots$ = new ReplaySubject<readonly Pod[]>(1);
  const upserts = createEmitter<readonly Pod[]>();
  const ledger = createProblemLedger(name);
  let published: readonly Pod[] | undefined;
  let started = false;
  lifetime.defer(() => {
    snapshots$.complete();
    upserts.complete();
    ledger.complete();
  });
  return {
    ledger,
    published: () => published,
    publish(pods) {
      if (published?.length === pods.length && published.every((pod, index) => pod === pods[index])) return;
      published = pods;
      snapshots$.next(pods);
    },
    upsert: (pod) => upserts.emit([pod]),
    source: (begin, manifestOf) => ({
      name,
      snapshots$: snapshots$.asObservable(),
      upserts$: upserts.values$,
      problems$: ledger.problems.value$,
      manifestOf,
      start() {
        if (started) return;
        started = true;
        begin();
      },
      [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
    }),
  };
}
