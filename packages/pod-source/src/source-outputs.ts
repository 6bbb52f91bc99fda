import type { PodSource } from '@rxlet/agent-api/sources';
import type { Lifetime } from '@rxlet/component-base';
import { createCurrentValue, createEmitter } from '@rxlet/component-base/streams';
import type { Pod } from '@rxlet/kube-api';
import { createProblemLedger, type ProblemLedger } from './problem-ledger.ts';
import { filter } from 'rxjs';

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
  const snapshot = createCurrentValue<readonly Pod[] | undefined>(undefined);
  const upserts = createEmitter<readonly Pod[]>();
  const ledger = createProblemLedger(name);
  let started = false;
  lifetime.defer(() => {
    snapshot.complete();
    upserts.complete();
    ledger.complete();
  });
  return {
    ledger,
    published: () => snapshot.value,
    publish(pods) {
      const published = snapshot.value;
      if (published?.length === pods.length && published.every((pod, index) => pod === pods[index])) return;
      snapshot.set(pods);
    },
    upsert: (pod) => upserts.emit([pod]),
    source: (begin, manifestOf) => ({
      name,
      snapshots$: snapshot.value$.pipe(filter((pods) => pods !== undefined)),
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
