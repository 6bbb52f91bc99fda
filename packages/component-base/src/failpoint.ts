import { parseGoDuration } from './go-duration.ts';

/** gRPC status codes that a failpoint can fail with, by their name in the notation. */
export const FAILPOINT_CODES = {
  cancelled: 1,
  unknown: 2,
  invalid_argument: 3,
  deadline_exceeded: 4,
  not_found: 5,
  already_exists: 6,
  permission_denied: 7,
  resource_exhausted: 8,
  failed_precondition: 9,
  aborted: 10,
  out_of_range: 11,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  data_loss: 15,
  unauthenticated: 16,
} as const;

/** A gRPC status code other than Ok, as a number. */
export type FailpointCode = (typeof FAILPOINT_CODES)[keyof typeof FAILPOINT_CODES];

/** Action of a failpoint on one call. */
export type FailpointAction =
  /** The call is carried out. */
  | { readonly kind: 'off' }
  /** The call fails without any effect. */
  | { readonly kind: 'error'; readonly code: FailpointCode; readonly message: string }
  /** The call is carried out after a delay. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** The call has no effect and no response: its deadline or its caller's signal ends it. */
  | { readonly kind: 'hang' }
  /** The call is carried out, but its caller gets an error: the connection was lost. */
  | { readonly kind: 'lose-reply' }
  /** The runtime crashes. */
  | { readonly kind: 'panic'; readonly message: string };

/** An action and the number of calls that it applies to. */
export interface FailpointTerm {
  /** `Infinity` without a count. */
  readonly count: number;
  readonly action: FailpointAction;
}

/** Terms in order: each applies once the count of the one before is used up. */
export type Failpoint = readonly FailpointTerm[];

/** Reason why the text of a failpoint is invalid. */
export type FailpointErrorReason =
  'count-invalid' | 'action-unknown' | 'argument-missing' | 'argument-unclosed' | 'delay-invalid' | 'chain-broken';

/** The text of a failpoint cannot be parsed. */
export class FailpointError extends Error {
  override readonly name = 'FailpointError';
  readonly reason: FailpointErrorReason;
  /** Text of the failpoint. */
  readonly text: string;
  /** Offset of the problem in the text, from 0. */
  readonly position: number;

  constructor(reason: FailpointErrorReason, problem: string, text: string, position: number) {
    super(`failpoint ${JSON.stringify(text)}: ${problem} at position ${String(position)}`);
    this.reason = reason;
    this.text = text;
    this.position = position;
  }
}

const ACTIONS = 'off, error(…), panic(…), delay(…), hang or lost';
const SIMPLE_ACTIONS: Readonly<Record<string, FailpointAction>> = {
  off: { kind: 'off' },
  hang: { kind: 'hang' },
  lost: { kind: 'lose-reply' },
};

/**
 * Parses a failpoint in the notation of containerd, which follows FreeBSD's fail(9): `1*off->2*error(unavailable: no shim)->delay(200)`.
 *
 * ```text
 * chain  = term *( "->" term )
 * term   = [ count "*" ] action      ; count: digits; unlimited without it
 * action = "off"                     ; nothing happens
 *        | "error(" message ")"      ; fails with Unknown
 *        | "error(" code [ ": " message ] ")" ; fails with a gRPC code in lower_snake
 *        | "panic(" message ")"      ; the runtime crashes
 *        | "delay(" duration ")"     ; milliseconds or a Go duration: 200, 1.5s
 *        | "hang"                    ; no effect, no response
 *        | "lost"                    ; carried out, but the response is lost
 * ```
 *
 * Every text that containerd accepts has the same meaning here. Extensions are the optional count, codes, Go durations, `hang`, `lost`, and messages with
 * parentheses: an argument ends at the first `)` after which the term ends.
 *
 * @throws FailpointError
 */
export function parseFailpoint(text: string): Failpoint {
  const terms: FailpointTerm[] = [];
  let position = 0;
  for (;;) {
    const { term, end } = parseTerm(text, position);
    terms.push(term);
    if (end === text.length) return terms;
    if (!text.startsWith('->', end)) throw new FailpointError('chain-broken', 'expected "->" or the end', text, end);
    position = end + 2;
  }
}

function parseTerm(text: string, start: number): { term: FailpointTerm; end: number } {
  const [counted = '', digits] = /^(\d*)\*/.exec(text.slice(start)) ?? [];
  const count = digits === undefined ? Infinity : Number(digits);
  if (digits === '' || (digits !== undefined && !Number.isSafeInteger(count))) {
    throw new FailpointError('count-invalid', 'expected a whole number before "*"', text, start);
  }
  const nameAt = start + counted.length;
  const [name = ''] = /^[a-z]+/.exec(text.slice(nameAt)) ?? [];
  const nameEnd = nameAt + name.length;
  const simple = Object.hasOwn(SIMPLE_ACTIONS, name) ? SIMPLE_ACTIONS[name] : undefined;
  if (simple !== undefined) return { term: { count, action: simple }, end: nameEnd };
  if (name !== 'error' && name !== 'panic' && name !== 'delay') {
    throw new FailpointError('action-unknown', `expected ${ACTIONS}`, text, nameAt);
  }
  const { argument, end } = parseArgument(text, nameEnd, name);
  if (name === 'error') return { term: { count, action: errorAction(argument) }, end };
  if (name === 'panic') return { term: { count, action: { kind: 'panic', message: argument } }, end };
  const ms = /^\d+$/.test(argument) ? Number(argument) : parseGoDuration(argument);
  if (ms === undefined || !(ms >= 0 && ms < Infinity)) {
    throw new FailpointError('delay-invalid', 'expected milliseconds or a duration such as 1.5s', text, nameEnd + 1);
  }
  return { term: { count, action: { kind: 'delay', ms } }, end };
}

function parseArgument(text: string, start: number, name: string): { argument: string; end: number } {
  if (text[start] !== '(') {
    throw new FailpointError('argument-missing', `expected the argument of ${name} in parentheses`, text, start);
  }
  const [whole, argument = ''] = /^\((.*?)\)(?=->|$)/s.exec(text.slice(start)) ?? [];
  if (whole === undefined) {
    const close = text.indexOf(')', start);
    if (close === -1) throw new FailpointError('argument-unclosed', 'the argument does not end', text, start);
    throw new FailpointError('chain-broken', 'expected "->" or the end', text, close + 1);
  }
  if (argument === '') {
    throw new FailpointError('argument-missing', `expected the argument of ${name} in parentheses`, text, start + 1);
  }
  return { argument, end: start + whole.length };
}

function errorAction(argument: string): FailpointAction {
  const [, name, message = ''] = /^([a-z_]+)(?:: *(.*))?$/s.exec(argument) ?? [];
  const code = name === undefined ? undefined : failpointCode(name);
  if (name === undefined || code === undefined) {
    return { kind: 'error', code: FAILPOINT_CODES.unknown, message: argument };
  }
  return { kind: 'error', code, message: message === '' ? name : message };
}

function failpointCode(name: string): FailpointCode | undefined {
  // Go's spelling, besides gRPC's.
  if (name === 'canceled') return FAILPOINT_CODES.cancelled;
  return Object.hasOwn(FAILPOINT_CODES, name) ? FAILPOINT_CODES[name as keyof typeof FAILPOINT_CODES] : undefined;
}

/** Formats a failpoint. {@link parseFailpoint} returns the same terms. */
export function formatFailpoint(failpoint: Failpoint): string {
  return failpoint
    .map(({ count, action }) => `${count === Infinity ? '' : `${String(count)}*`}${formatAction(action)}`)
    .join('->');
}

function formatAction(action: FailpointAction): string {
  switch (action.kind) {
    case 'error': {
      const [name] = Object.entries(FAILPOINT_CODES).find(([, code]) => code === action.code)!;
      return action.message === name ? `error(${name})` : `error(${name}: ${action.message})`;
    }
    case 'panic':
      return `panic(${action.message})`;
    case 'delay':
      return Number.isInteger(action.ms) ? `delay(${String(action.ms)})` : `delay(${String(action.ms * 1e6)}ns)`;
    case 'lose-reply':
      return 'lost';
    default:
      return action.kind;
  }
}

/** A failpoint that counts its calls. */
export interface FailpointEvaluator {
  /** Returns the action on the next call; `undefined` once all terms are used up. */
  evaluate(): FailpointAction | undefined;
  /** Remaining terms with their remaining counts. */
  readonly remaining: Failpoint;
}

/**
 * Creates a {@link FailpointEvaluator} from the text of a failpoint (see {@link parseFailpoint}).
 * @throws FailpointError
 */
export function createFailpoint(text: string): FailpointEvaluator {
  const terms = parseFailpoint(text).map(({ count, action }) => ({ count, action }));
  return {
    evaluate() {
      const term = terms.find(({ count }) => count > 0);
      if (term === undefined) return undefined;
      term.count -= 1;
      return term.action;
    },
    get remaining() {
      return terms.filter(({ count }) => count > 0).map((term) => ({ ...term }));
    },
  };
}
