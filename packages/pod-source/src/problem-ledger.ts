import { type PodSourceProblem, problemKey, problemPod } from '@rxlet/agent-api/sources';
import type { Pod } from '@rxlet/kube-api';
import { createCurrentValue, type CurrentValue } from '@rxlet/component-base/streams';
import type { PodSourceProblemReason } from './problem-reason.ts';

/** A problem of a file, folder or URL, and the pod that is kept in spite of it. */
export interface LedgerEntry {
  readonly reason: PodSourceProblemReason;
  readonly message: string;
  readonly keptPod?: Pod | undefined;
}

/** The present problems of a source, by path. */
export interface ProblemLedger {
  /** The list as of the last {@link flush}. */
  readonly problems: CurrentValue<readonly PodSourceProblem[]>;
  /** Replaces the problems of `key`. The path reported is the key unless given. */
  set(key: string, entries: readonly LedgerEntry[], path?: string): void;
  /** Drops the problems of all other keys. */
  keepOnly(keys: ReadonlySet<string>): void;
  /** Emits the list if it changed since the last call: once a reading, because a list of every broken manifest is long. */
  flush(): void;
  complete(): void;
}

/** Creates a {@link ProblemLedger}. */
export function createProblemLedger(source: string): ProblemLedger {
  const byKey = new Map<string, readonly PodSourceProblem[]>();
  const current = createCurrentValue<readonly PodSourceProblem[]>([]);
  let changed = false;
  return {
    problems: current,
    set(key, entries, path = key) {
      const problems = entries.map(({ reason, message, keptPod }): PodSourceProblem => ({
        source,
        path,
        reason,
        message,
        ...(keptPod && { pod: problemPod(keptPod), isPodKept: true }),
      }));
      if (isSame(byKey.get(key) ?? [], problems)) return;
      changed = true;
      if (problems.length === 0) byKey.delete(key);
      else byKey.set(key, problems);
    },
    keepOnly(keys) {
      for (const key of byKey.keys()) {
        if (keys.has(key)) continue;
        byKey.delete(key);
        changed = true;
      }
    },
    flush() {
      if (!changed) return;
      changed = false;
      current.set([...byKey.values()].flat());
    },
    complete: current.complete,
  };
}

function isSame(a: readonly PodSourceProblem[], b: readonly PodSourceProblem[]): boolean {
  return a.length === b.length && a.every((problem, index) => problemKey(problem) === problemKey(b[index]!));
}
