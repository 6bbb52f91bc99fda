import type { Duplex, Readable, Writable } from 'node:stream';
import type { StreamStatus } from './stream-status.ts';

/** Kinds of streams, as in the paths of their URLs. */
export type StreamKind = 'exec' | 'attach' | 'portforward';

/** Size of a terminal in characters. */
export interface TerminalSize {
  readonly width: number;
  readonly height: number;
}

/** The client's end of an exec or attach. Streams that the client did not request are `undefined`. */
export interface CommandStreams {
  /** Input until the client closes it or disconnects. */
  readonly stdin: Readable | undefined;
  readonly stdout: Writable | undefined;
  readonly stderr: Writable | undefined;
  /** Aborts when the client has disconnected. */
  readonly signal: AbortSignal;
  /** Calls `listener` with the current size of the client's terminal, if there is one, and each later one. */
  onResize(listener: (size: TerminalSize) => void): void;
}

/** An exec or attach that waits for its client. */
export interface CommandRequest {
  readonly kind: 'exec' | 'attach';
  /** Id of the container. */
  readonly container: string;
  /** Whether the stream has a terminal, which has one output: stdout. */
  readonly tty: boolean;
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  /** Runs it when the client has connected. The status is sent when all output has been. A rejection is reported as an internal error. */
  run(streams: CommandStreams): Promise<StreamStatus>;
}

/** A port-forward that waits for its client. */
export interface PortForwardRequest {
  readonly kind: 'portforward';
  /** Id of the sandbox, which names the pod in messages. */
  readonly pod: string;
  /** Ports of a WebSocket, which cannot name them itself. */
  readonly ports: readonly number[];
  /** Connects to a port of the pod. Rejects when no service listens there. */
  dial(port: number): Promise<Duplex>;
}

/** A stream that waits for its client. */
export type StreamRequest = CommandRequest | PortForwardRequest;

/** A stream whose client is connected. */
export interface OpenStream {
  readonly kind: StreamKind;
  /** The container, or the sandbox of a port-forward. */
  readonly id: string;
  /** Last size of the client's terminal. */
  readonly terminalSize: TerminalSize | undefined;
}
