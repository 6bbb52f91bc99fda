import { callErrorCode, StatusCode, statusCodeName } from '@rxlet/cri-api';
import { CapabilityMissing, CriError, type CriErrorKind } from './cri-error.ts';
import type { Endpoint } from './endpoint.ts';
import { outcomeOfRefusal, outcomeWithoutAnswer } from './outcome.ts';
import type { CallOutcome } from './call-outcome.ts';

/** Call of an error. */
export interface CallSubject {
  readonly endpoint: Endpoint;
  /** Full name of the service, `runtime.v1.RuntimeService`. */
  readonly service: string;
  /** Name of the RPC, `RunPodSandbox`. */
  readonly method: string;
}

/** Status of a call in gRPC. */
export interface CallStatus {
  readonly code: number;
  readonly details: string;
}

/** Returns the error of a call that the runtime answered with a status other than OK. */
export function statusError(status: CallStatus, subject: CallSubject): CriError {
  const code = callErrorCode(status) ?? StatusCode.Unknown;
  const kind = statusKind(code, status.details, subject.method);
  if (kind === 'unimplemented') return capabilityMissing(subject, { cached: false, details: status.details });
  const message = `${subject.method} at ${subject.endpoint.url}: ${explain(kind, code, status.details, subject)}`;
  return new CriError(message, {
    kind,
    code,
    endpoint: subject.endpoint.url,
    method: subject.method,
    details: status.details,
    outcome: statusOutcome(kind, code, status.details, subject.method),
  });
}

/** A status that an intermediary set, rather than the end of the RPC's work, leaves its outcome unknown. */
function statusOutcome(kind: CriErrorKind, code: StatusCode, details: string, method: string): CallOutcome {
  if (kind === 'not-a-cri' || (kind === 'runtime-not-ready' && code === StatusCode.Unknown)) return 'none';
  const isOpen =
    code === StatusCode.Unavailable ||
    code === StatusCode.DeadlineExceeded ||
    code === StatusCode.Canceled ||
    (code === StatusCode.Internal && details.startsWith('Received RST_STREAM')) ||
    TOO_LARGE.test(details);
  return isOpen ? outcomeWithoutAnswer(method, true) : outcomeOfRefusal(method);
}

/** Returns the error of an RPC that the runtime lacks; `cached`: the call was not sent again. */
export function capabilityMissing(
  { endpoint, method }: CallSubject,
  init: { readonly cached: boolean; readonly details?: string },
): CapabilityMissing {
  const how = init.cached
    ? 'as it answered before'
    : `rpc error: code = Unimplemented desc = ${oneLine(init.details ?? '')}`;
  const message = `${method} at ${endpoint.url}: the ${endpoint.role.noun} does not have this RPC; a newer version of it may (${how})`;
  return new CapabilityMissing(message, { code: StatusCode.Unimplemented, endpoint: endpoint.url, method, ...init });
}

function statusKind(code: StatusCode, details: string, method: string): CriErrorKind {
  switch (code) {
    case StatusCode.Unimplemented:
      // Only Go's servers distinguish a missing service from a missing method. Every CRI has the methods of EVERYWHERE.
      return EVERYWHERE.has(method) || /unknown service/i.test(details) ? 'not-a-cri' : 'unimplemented';
    case StatusCode.Unavailable:
      return 'runtime-not-ready';
    case StatusCode.Unknown:
      return STILL_STARTING.test(details) ? 'runtime-not-ready' : 'rejected';
    case StatusCode.DeadlineExceeded:
      return 'deadline';
    default:
      return 'rejected';
  }
}

const EVERYWHERE = new Set(['Version', 'ListImages']);

/** Error text of containerd's CRI until it has loaded its state ("server is not initialized yet"). Its code is not specific. */
const STILL_STARTING = /^(the )?(server|service|runtime|cri plugin) (is )?not (yet )?(initialized|ready)( yet)?\.?$/i;

function explain(kind: CriErrorKind, code: StatusCode, details: string, { service, endpoint }: CallSubject): string {
  const reported = `rpc error: code = ${statusCodeName(code)} desc = ${oneLine(details)}`;
  switch (kind) {
    case 'not-a-cri':
      return (
        `the server has no service ${service}; CRI v1 or v1alpha2 is needed (containerd with its CRI plugin enabled, CRI-O), ` +
        `or is ${endpoint.role.flag} wrong? (${reported})`
      );
    case 'runtime-not-ready':
      return `the ${endpoint.role.noun} is not ready; try again (${reported})`;
    default:
      return TOO_LARGE.test(details) ? `the answer is larger than maxMessageBytes allows (${reported})` : reported;
  }
}

/** Matches the error of grpc-js for a response that is too large. */
const TOO_LARGE = /^Received message larger than max/;

/** Not by a pattern of spaces around a line break: it looks at a run of spaces once for each of them. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, (spaces) => (spaces.includes('\n') ? ' ' : spaces)).trim();
}

/** Returns the error of a call whose connection broke before it was answered. */
export function connectionLost({ endpoint, method }: CallSubject): CriError {
  const message = `${method} at ${endpoint.url}: the connection to the ${endpoint.role.noun} was lost during the call; what it did is unknown`;
  return new CriError(message, {
    kind: 'unavailable',
    code: StatusCode.Unavailable,
    endpoint: endpoint.url,
    method,
    outcome: outcomeWithoutAnswer(method, true),
  });
}

/** Returns the error of a call that was not answered in time. */
export function deadlineExceeded(timeoutMs: number, { endpoint, method }: CallSubject, sent: boolean): CriError {
  const message =
    `${method} at ${endpoint.url}: no answer from the ${endpoint.role.noun} within ${String(timeoutMs / 1000)} s; ` +
    'it may be overloaded or hung, and what it did is unknown';
  return new CriError(message, {
    kind: 'deadline',
    code: StatusCode.DeadlineExceeded,
    endpoint: endpoint.url,
    method,
    outcome: outcomeWithoutAnswer(method, sent),
  });
}

/** Returns the error of a call that its caller cancelled, with the reason of the caller's signal as the cause. */
export function callCanceled(reason: unknown, { endpoint, method }: CallSubject, sent: boolean): CriError {
  const message = `${method} at ${endpoint.url}: canceled by the caller`;
  return new CriError(message, {
    kind: 'canceled',
    code: StatusCode.Canceled,
    endpoint: endpoint.url,
    method,
    outcome: outcomeWithoutAnswer(method, sent),
    cause: reason,
  });
}

/** Returns the error of a call that was pending when the client was closed, or made later. */
export function clientClosed({ endpoint, method }: CallSubject, sent: boolean): CriError {
  const message = `${method} at ${endpoint.url}: the client is closed`;
  return new CriError(message, {
    kind: 'canceled',
    code: StatusCode.Canceled,
    endpoint: endpoint.url,
    method,
    outcome: outcomeWithoutAnswer(method, sent),
  });
}

/** Returns the error of a request that cannot be sent. */
export function invalidRequest(
  code: StatusCode,
  problem: string,
  { endpoint, method }: CallSubject,
  cause?: unknown,
): CriError {
  const message = `${method} at ${endpoint.url}: the request was not sent: ${oneLine(problem)}`;
  return new CriError(message, { kind: 'rejected', code, endpoint: endpoint.url, method, cause });
}

/** Returns the error of an answer that is not one of this method. */
export function invalidAnswer(problem: string, { endpoint, service, method }: CallSubject, cause?: unknown): CriError {
  const message = `${method} at ${endpoint.url}: ${problem}; does it really serve ${service}?`;
  return new CriError(message, {
    kind: 'not-a-cri',
    code: StatusCode.Internal,
    endpoint: endpoint.url,
    method,
    outcome: outcomeWithoutAnswer(method, true),
    cause,
  });
}
