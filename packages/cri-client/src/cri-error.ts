import type { StatusCode } from '@rxlet/cri-api';
import type { CallOutcome } from './call-outcome.ts';

/**
 * Kind of failure, by its remedy:
 *
 * - `invalid-endpoint`: the endpoint's text cannot be used; nothing was tried.
 * - `socket-missing`, `permission-denied`, `connection-refused`: reported by the operating system.
 * - `not-a-cri`: the peer does not speak gRPC, or has no service of CRI v1 or v1alpha2.
 * - `unavailable`: the connection was lost during the call, or the peer accepts connections and does not answer them.
 * - `runtime-not-ready`: the runtime reports that it is still starting.
 * - `unimplemented`: the runtime lacks this one RPC; always a {@link CapabilityMissing}.
 * - `deadline`: no answer in time. Whether a mutating call took effect is unknown.
 * - `canceled`: the caller's signal aborted (its reason is the `cause`), or the client was closed.
 * - `rejected`: the runtime rejected the call with any other status.
 */
export type CriErrorKind =
  | 'invalid-endpoint'
  | 'socket-missing'
  | 'permission-denied'
  | 'connection-refused'
  | 'not-a-cri'
  | 'unavailable'
  | 'runtime-not-ready'
  | 'unimplemented'
  | 'deadline'
  | 'canceled'
  | 'rejected';

/** Properties of a {@link CriError} besides its message. */
export interface CriErrorInit {
  readonly kind: CriErrorKind;
  readonly code: StatusCode;
  readonly endpoint: string;
  readonly method?: string | undefined;
  readonly details?: string;
  /** Default: `none`. */
  readonly outcome?: CallOutcome;
  readonly cause?: unknown;
}

/**
 * The one error of this package, with {@link CapabilityMissing} a special case of it. Its message is a line for people: what failed, at which endpoint, and the
 * way out. Programs use `kind`, or `code` through `callErrorCode` of `@rxlet/cri-api`, as with every implementation of the ports.
 */
export class CriError extends Error {
  override readonly name: string = 'CriError';
  readonly kind: CriErrorKind;
  /** gRPC status code. A connection that cannot be made has `Unavailable`, whatever the reason. */
  readonly code: StatusCode;
  /** The RPC, such as `RunPodSandbox`; `undefined` where the error is that of the connection. */
  readonly method: string | undefined;
  /** The endpoint in its canonical form, `unix:///path`; an invalid one as it was given. */
  readonly endpoint: string;
  /** Message of the runtime, unchanged; empty when there was none. */
  readonly details: string;
  /** Effect of the failed call. */
  readonly outcome: CallOutcome;

  constructor(message: string, init: CriErrorInit) {
    super(message, init.cause === undefined ? undefined : { cause: init.cause });
    this.kind = init.kind;
    this.code = init.code;
    this.method = init.method;
    this.endpoint = init.endpoint;
    this.details = init.details ?? '';
    this.outcome = init.outcome ?? 'none';
  }
}

/**
 * The runtime lacks an RPC, as containerd 1.6 does many. It has been asked once on this connection; from then on calls fail without asking again, until the
 * client connects anew, maybe to an upgraded runtime. Nothing was done. Its kind is `unimplemented`, its code `Unimplemented`.
 */
export class CapabilityMissing extends CriError {
  override readonly name: string = 'CapabilityMissing';
  /** Whether this call was not sent, because an earlier one had failed in this way. */
  readonly cached: boolean;

  constructor(message: string, init: Omit<CriErrorInit, 'kind'> & { readonly cached: boolean }) {
    super(message, { ...init, kind: 'unimplemented' });
    this.cached = init.cached;
  }
}
