import type { Duplex } from 'node:stream';
import type { OutputStream } from '../logs/log-line.ts';
import type { Input } from '../process/program.ts';
import type { TerminalSize } from './channels.ts';
import type { StreamStatus } from './stream-status.ts';

/** The kinds of streams, as the paths of their URLs name them. */
export type StreamKind = 'exec' | 'attach' | 'portforward';

/** The client's end of an exec or attach. */
export interface CommandStreams {
  /** What the client sends, until it closes stdin or goes away; nothing when it asked for no stdin. */
  readonly stdin: Input;
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal;
  /** Sends output; what the client did not ask for is dropped. */
  write(stream: OutputStream, text: string): void;
}

/** An exec or attach under way. */
export interface StreamedCommand {
  /** How it ended; stays pending when the runtime goes away. */
  readonly ended: Promise<StreamStatus>;
  /** The client's terminal has another size now. */
  resize(size: TerminalSize): void;
}

/** An exec or attach that waits for its client. */
export interface CommandRequest {
  readonly kind: 'exec' | 'attach';
  readonly containerId: string;
  /** A terminal has one output: what the program writes to stderr arrives on stdout. */
  readonly tty: boolean;
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  /** Begins it when the client has come. Throws when that cannot be done any more. */
  start(streams: CommandStreams): StreamedCommand;
}

/** A port-forward that waits for its client. */
export interface PortForwardRequest {
  readonly kind: 'portforward';
  readonly podSandboxId: string;
  readonly ports: readonly number[];
  /** Connects to a port of the pod. Rejects when nothing listens there. */
  dial(port: number): Promise<Duplex>;
}

export type StreamRequest = CommandRequest | PortForwardRequest;

/** A stream whose client is connected. */
export interface OpenStream {
  readonly kind: StreamKind;
  /** The container, or the sandbox of a port-forward. */
  readonly id: string;
  /** The last size that the client gave its terminal. */
  readonly terminalSize: TerminalSize | undefined;
}
