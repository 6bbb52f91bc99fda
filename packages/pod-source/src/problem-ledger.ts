import type { SourceProblem, SourceProblemReason } from './source-problem.ts';

/** A problem of a file or folder. */
export type LedgerEntry = readonly [reason: SourceProblemReason, message: string];

/** What is wrong at present, so that each thing is told once, and again only when it changed or came back. */
export interface ProblemLedger {
  /** Replaces the problems of `key`, and tells those that are new. The path they are told with is the key unless given. */
  set(key: string, problems: readonly LedgerEntry[], path?: string): void;
  /** Forgets the problems of all other keys. */
  keepOnly(keys: ReadonlySet<string>): void;
}

/** Creates a {@link ProblemLedger} that hands new problems to `tell`, and paths that have none any more to `repaired`. */
export function createProblemLedger(
  source: string,
  tell: (problem: SourceProblem) => void,
  repaired: (path: string) => void,
): ProblemLedger {
  const messages = new Map<string, ReadonlySet<string>>();
  return {
    set(key, problems, path = key) {
      const told = messages.get(key);
      if (problems.length === 0) {
        if (messages.delete(key)) repaired(path);
        return;
      }
      messages.set(key, new Set(problems.map(([, message]) => message)));
      for (const [reason, message] of problems) {
        if (!told?.has(message)) tell({ source, path, reason, message });
      }
    },
    keepOnly(keys) {
      for (const key of messages.keys()) if (!keys.has(key)) messages.delete(key);
    },
  };
}
