import type { Logger, RecordedEvent } from '@rxlet/component-base';
import type { Pod } from '@rxlet/kube-api';
import type { Observable } from 'rxjs';

/** A change of a pod or of its status. */
export interface PodChange {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly pod: Pod;
}

/** Which part of which container's log is asked for (PodLogOptions of the API). */
export interface LogQuery {
  readonly namespace: string;
  readonly podName: string;
  readonly containerName: string;
  readonly follow: boolean;
  /** The instance before the current one. */
  readonly previous: boolean;
  readonly timestamps: boolean;
  /** Lines from the end; `undefined`: all. */
  readonly tailLines?: number;
  /** Only lines written at or after this time, epoch milliseconds. */
  readonly sinceMs?: number;
  /** The same as an RFC 3339 time, to the nanosecond. */
  readonly sinceTime?: string;
  /** At most so many bytes. */
  readonly limitBytes?: number;
}

/** One named check behind /healthz. */
export interface HealthCheck {
  readonly name: string;
  /** What is wrong; `undefined` when nothing is. */
  check(): string | undefined;
}

/** What the endpoints show. */
export interface KubeletServerPorts {
  /** The pods of this node with their current status. */
  readonly pods: {
    list(): readonly Pod[];
    readonly changes$: Observable<PodChange>;
  };
  /** What happened to the pods. */
  readonly events: {
    list(): readonly RecordedEvent[];
    readonly events$: Observable<RecordedEvent>;
  };
  readonly healthChecks: readonly HealthCheck[];
  /** The metrics in the Prometheus text format. */
  metrics(): Promise<{ readonly contentType: string; readonly text: string }>;
  /** What goes on inside, as plain data for people. Absent: there is no such endpoint. */
  readonly debugState?: () => unknown;
  /**
   * Reads a container's log. May reject, or fail while it is read.
   * @throws RequestError when there is no such log.
   */
  readLog(query: LogQuery, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  readonly logger?: Logger;
}
