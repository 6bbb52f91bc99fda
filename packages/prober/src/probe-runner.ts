import type { Container, Pod, Probe } from '@rxlet/kube-api';
import type { ProbeKind } from './probe-target.ts';

/** One run of a probe. */
export interface ProbeRequest {
  readonly kind: ProbeKind;
  readonly pod: Pod;
  readonly container: Container;
  /** Id as the runtime knows it, without the runtime's name. */
  readonly containerId: string;
  readonly probe: Probe;
  readonly timeoutMs: number;
  /** The pod's first IP; `undefined` when it has none yet. */
  readonly podIp: string | undefined;
}

/** How a run ended. A `warning` counts as a success. */
export interface ProbeOutcome {
  readonly result: 'success' | 'warning' | 'failure';
  /** What the probe has to say, for an event. */
  readonly output: string;
}

/** Runs probes: the port through which a prober reaches containers. */
export interface ProbeRunner {
  /**
   * Runs the probe once. Rejects with {@link ProbeError} when there is no result, or with the reason of the signal. What takes too long is ended here, by
   * the request's timeout.
   */
  run(request: ProbeRequest, signal: AbortSignal): Promise<ProbeOutcome>;
}

/** A probe could not be run to a result: it counts neither as a success nor as a failure. */
export class ProbeError extends Error {
  override readonly name = 'ProbeError';
  /** What the kubelet calls the state that this leads to. */
  readonly reason: 'unknown' | 'failure';

  constructor(reason: 'unknown' | 'failure', message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
