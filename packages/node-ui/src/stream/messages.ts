// Data on the wire between the agent and the page. The page imports these types, so that this file imports nothing.

/** A container of a pod as lists show it. */
export interface ContainerRow {
  readonly name: string;
  readonly kind: 'init' | 'regular' | 'ephemeral';
  readonly ready: boolean;
  /** `running`, `waiting` or `terminated`; `unknown` before there is a status. */
  readonly state: 'running' | 'waiting' | 'terminated' | 'unknown';
}

/** A pod as lists show it. Times are those of the API. */
export interface PodRow {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  /** As kubectl's READY: `1/2`. */
  readonly ready: string;
  /** As kubectl's STATUS. */
  readonly status: string;
  readonly restarts: number;
  readonly lastRestart?: string;
  readonly created?: string;
  readonly ip?: string;
  readonly qos?: string;
  readonly containers: readonly ContainerRow[];
  /** Problem of the pod's source, such as a broken manifest. */
  readonly problem?: string;
}

/** An event as lists show it. */
export interface EventRow {
  readonly namespace: string;
  readonly object: string;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
  readonly firstMs: number;
  readonly lastMs: number;
}

/** Content of a {@link StreamMessage} by its kind. */
export interface StreamValues {
  readonly pod: PodRow;
  readonly event: EventRow;
}

/** Kind of an object of the stream. */
export type StreamKind = keyof StreamValues;

/** An object that was added or has changed. */
export type StreamChange = {
  readonly [K in StreamKind]: {
    readonly kind: K;
    /** Unique within the kind. */
    readonly key: string;
    /** `null`: the object is gone. */
    readonly value: StreamValues[K] | null;
  };
}[StreamKind];

/** A message of the stream: the changes since the message before. */
export interface StreamMessage {
  /** Whether this is everything there is: the reader forgets what it has. */
  readonly isSnapshot: boolean;
  readonly node: string;
  /** The agent's clock, epoch milliseconds. */
  readonly nowMs: number;
  readonly changes: readonly StreamChange[];
}
