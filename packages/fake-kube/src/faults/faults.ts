import type { ApiErrorReason } from '../api-error.ts';
import type { Verb } from '../request/parse-request.ts';

/** Requests that a fault concerns; absent members match all. */
export interface FaultMatch {
  readonly verb?: Verb;
  /** Plural name, such as `pods`. */
  readonly resource?: string;
  /** Subresource; empty for requests without one. */
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  /** User name, such as `system:node:node1`. */
  readonly user?: string;
}

/** Effect of a fault on a request. */
export type FaultAction =
  /** Only the delay. */
  | { readonly type: 'delay' }
  /** The server rejects the request. */
  | {
      readonly type: 'error';
      readonly reason: ApiErrorReason;
      readonly message?: string;
      readonly retryAfterSeconds?: number;
    }
  /** The connection breaks: before the request has its effect, or after it and before the answer. */
  | { readonly type: 'drop'; readonly when: 'before' | 'after' }
  /** No answer, until the client gives up. */
  | { readonly type: 'hang' }
  /** A watch that opens and sends nothing; for other requests as `hang`. */
  | { readonly type: 'silent' }
  /** An answer, or for a watch a line, that is no JSON. */
  | { readonly type: 'garbage' }
  /** Other text in place of an answer, or of each line of a watch. */
  | { readonly type: 'rewrite'; readonly rewrite: (text: string) => string };

/** A scripted fault. */
export interface Fault {
  readonly match?: FaultMatch;
  /** Number of requests that it concerns. Default: all until it is removed. */
  readonly times?: number;
  /** Pause before the request is handled, in milliseconds. */
  readonly delayMs?: number;
  /** Default: only the delay. */
  readonly action?: FaultAction;
}

/** Attributes of a request by which faults are selected. */
export interface FaultSubject {
  readonly verb: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly user: string;
}

/** Scripted faults, tried in the order in which they were added. */
export interface FaultScript {
  /** Adds a fault. Disposal removes it. */
  add(fault: Fault): Disposable;
  clear(): void;
  /** Returns the first fault that concerns a request, and counts its use. */
  take(subject: FaultSubject): Fault | undefined;
}

/** Creates an empty {@link FaultScript}. */
export function createFaultScript(): FaultScript {
  let entries: { readonly fault: Fault; used: number }[] = [];
  return {
    add(fault) {
      const entry = { fault, used: 0 };
      entries.push(entry);
      return { [Symbol.dispose]: () => void (entries = entries.filter((other) => other !== entry)) };
    },
    clear: () => void (entries = []),
    take(subject) {
      const found = entries.find(({ fault }) => matches(fault.match ?? {}, subject));
      if (found === undefined) return undefined;
      found.used += 1;
      if (found.used >= (found.fault.times ?? Infinity)) entries = entries.filter((other) => other !== found);
      return found.fault;
    },
  };
}

function matches(match: FaultMatch, subject: FaultSubject): boolean {
  return Object.entries(match).every(
    ([key, value]) => value === undefined || subject[key as keyof FaultSubject] === value,
  );
}
