import type { HealthCheck, PodChange } from '@rxlet/agent-api';
import type { PodSourceProblem } from '@rxlet/agent-api/sources';
import type { CurrentValue } from '@rxlet/component-base/streams';
import type { HttpEndpoint } from '@rxlet/agent-api/http';
import type { Clock, Logger } from '@rxlet/component-base';
import type { RecordedEvent } from '@rxlet/component-base/events';
import type { RuntimeService } from '@rxlet/cri-api';
import type { Pod } from '@rxlet/kube-api';
import type { Observable } from 'rxjs';
import type { StreamKind } from './streams/stream-kind.ts';
import type { NodeLogsPorts } from './endpoints/node-logs/node-logs.ts';

/** The pods of a node. */
export interface PodLister {
  /** Returns the pods with their current statuses. */
  list(): readonly Pod[];
}

/** Calls of the runtime behind `/exec`, `/attach`, `/portForward`, `/run`, `/checkpoint` and `/runningpods/`. */
export type ServerRuntime = Pick<
  RuntimeService,
  'attach' | 'checkpointContainer' | 'exec' | 'execSync' | 'listContainers' | 'listPodSandbox' | 'portForward'
>;

/** Content of the endpoints. An endpoint whose port is absent does not exist. */
export interface KubeletServerPorts {
  readonly clock: Clock;
  readonly pods: PodLister & { readonly changes$: Observable<PodChange> };
  /** Whether every pod source has reported; until then an empty list of pods is no answer. Absent: always. */
  sourcesReady?(): boolean;
  /** Present problems of the pod sources, and all of them after each change; replays. Absent: pods are shown without them. */
  readonly sourceProblems?: CurrentValue<readonly PodSourceProblem[]>;
  /** Events of the pods. */
  readonly events: {
    list(): readonly RecordedEvent[];
    readonly events$: Observable<RecordedEvent>;
  };
  readonly healthChecks: readonly HealthCheck[];
  /** The metrics in the Prometheus text format. */
  metrics(): Promise<{ readonly contentType: string; readonly text: string }>;
  /** Endpoints of other packages. Read when the server starts. */
  readonly endpoints?: readonly HttpEndpoint[];
  readonly runtime?: ServerRuntime;
  /** Called for each stream over a WebSocket that is translated for the runtime. */
  readonly onWebSocketStream?: (kind: StreamKind) => void;
  /** Files below `/logs/`. */
  readonly nodeLogs?: NodeLogsPorts;
  /** Directory of the archives of `/checkpoint`. */
  readonly checkpointDirectory?: string;
  /** Returns the configuration in effect, for `/configz`. */
  readonly configuration?: () => unknown;
  /** Returns the flags of the command line, for `/flagz`. */
  readonly flags?: () => Readonly<Record<string, string>>;
  /** Sets the verbosity of the log, for `/debug/flags/v`. */
  readonly setVerbosity?: (verbosity: number) => void;
  /** Version of Kubernetes that the node speaks, for `/statusz`. */
  readonly version?: string;
  /** When the process started, in epoch milliseconds. Default: 0. */
  readonly startTimeMs?: number;
  /** Internal state, as plain data for people, for `/debug/state` of the local socket. */
  readonly debugState?: () => unknown;
  readonly logger?: Logger;
}
