import { type Lifetime, type Logger } from '@rxlet/component-base';
import type { Pod } from '@rxlet/kube-api';
import { ReplaySubject, Subject } from 'rxjs';
import type { PodSnapshotSource } from './pod-snapshot-source.ts';
import { createProblemLedger, type ProblemLedger } from './problem-ledger.ts';
import type { SourceProblem } from './source-problem.ts';

/** What a source of manifests tells the world, and how it begins and ends. */
export interface SourceOutputs {
  /** What is wrong at present; each new thing is logged and told. */
  readonly ledger: ProblemLedger;
  /** The set that was told last; `undefined` before the first. */
  published(): readonly Pod[] | undefined;
  /** Tells the set of pods, unless it is the same as before. */
  publish(pods: readonly Pod[]): void;
  /** The source itself, which calls `begin` at its first start. */
  source(begin: () => void): PodSnapshotSource;
}

/** Creates {@link SourceOutputs} that end with `lifetime`, and with which that ends. */
export function createSourceOutputs(name: string, logger: Logger, lifetime: Lifetime): SourceOutputs {
  const snapshots$ = new ReplaySubject<readonly Pod[]>(1);
  const problems$ = new Subject<SourceProblem>();
  let published: readonly Pod[] | undefined;
  let started = false;
  lifetime.defer(() => {
    snapshots$.complete();
    problems$.complete();
  });
  return {
    ledger: createProblemLedger(
      name,
      (problem) => {
        logger.warn(problem.message, { source: problem.source, path: problem.path, reason: problem.reason });
        problems$.next(problem);
      },
      (repaired) => logger.info(`${repaired} is in order again`, { source: name, path: repaired }),
    ),
    published: () => published,
    publish(pods) {
      if (published?.length === pods.length && published.every((pod, index) => pod === pods[index])) return;
      published = pods;
      snapshots$.next(pods);
    },
    source: (begin) => ({
      name,
      snapshots$: snapshots$.asObservable(),
      problems$: problems$.asObservable(),
      start() {
        if (started) return;
        started = true;
        begin();
      },
      [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
    }),
  };
}
