import type { Container, Pod, Probe } from '@rxlet/kube-api';
import type { ProbeKind } from './probe-target.ts';

/** One run of a probe. */
export interface ProbeRequest {
  readonly kind: ProbeKind;
  readonly pod: Pod;
  readonly container: Container;
  /** Container id without the prefix of the runtime. */
  readonly containerId: string;
  readonly probe: Probe;
  readonly timeoutMs: number;
  /** First IP of the pod; `undefined` when it has none yet. */
  readonly podIp: string | undefined;
}

/** Outcome of a run. A `warning` counts as a success. */
export interface ProbeOutcome {
  readonly result: 'success' | 'warning' | 'failure';
  /** Output of the probe, for an event. */
  readonly output: string;
}

/** Runs probes: the port through which a prober reaches containers. */
export interface ProbeRunner {
  /** Runs the probe once, limited by the timeout of the request. Rejects with {@link ProbeError} when there is no result, or with the reason of the signal. */
  run(request: ProbeRequest, signal: AbortSignal): Promise<ProbeOutcome>;
}

/** A run without a result, which counts neither as a success nor as a failure. */
export class ProbeError extends Error {
  override readonly name = 'ProbeError';
  /** Name of the resulting state in events. */
  readonly reason: 'unknown' | 'failure';

  constructor(reason: 'unknown' | 'failure', message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
