import { errorMessage, systemClock, withDeadline } from '@rxlet/component-base';
import { differences } from './difference.ts';
import type { Answer, RunVector } from './vector-kind.ts';
import type { VectorLine } from './vector-files.ts';

/** A vector for which the packages return another answer than a kubelet. */
export interface VectorFailure {
  /** The vector's name; without one its line and subject. */
  readonly name: string;
  /** Differences of the answers, or the error. */
  readonly differences: readonly string[];
}

/** Result of one file. */
export interface VectorResults {
  readonly passed: number;
  readonly failures: readonly VectorFailure[];
}

/** Deadline of a vector. None takes a thousandth of it; a hanging one must not end the run of the others. */
const VECTOR_TIMEOUT_MS = 30_000;

/** Runs the vectors of one file, one after the other. Never rejects: an error in one vector is its failure. */
export async function runVectorFile(lines: readonly VectorLine[], run: RunVector): Promise<VectorResults> {
  const failures: VectorFailure[] = [];
  for (const line of lines) {
    const found = await runLine(line, run);
    if (found.length > 0) failures.push({ name: nameOf(line), differences: found });
  }
  return { passed: lines.length - failures.length, failures };
}

async function runLine({ vector, error }: VectorLine, run: RunVector): Promise<readonly string[]> {
  if (error !== undefined) return [error];
  try {
    deepFreeze(vector);
    const answer = async (): Promise<Answer> => run(vector as never);
    const { got, want } = await withDeadline(systemClock, VECTOR_TIMEOUT_MS, undefined, answer);
    return differences(got, want);
  } catch (failure) {
    return [`failed: ${failure instanceof Error ? `${failure.name}: ` : ''}${errorMessage(failure)}`];
  }
}

function nameOf({ line, vector }: VectorLine): string {
  const { name, fn } = (vector ?? {}) as { name?: unknown; fn?: unknown };
  if (typeof name === 'string') return name;
  return typeof fn === 'string' ? `line ${String(line)}, ${fn}` : `line ${String(line)}`;
}

function deepFreeze(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  Object.freeze(value);
  for (const item of Object.values(value)) deepFreeze(item);
}
