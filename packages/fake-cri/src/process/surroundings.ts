import type { FileSystem } from '../fs/file-system.ts';

/** The answer to an HTTP request. */
export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
}

/** Access of programs to the ports of pods. Both methods reject when no service listens there. */
export interface Peers {
  httpGet(host: string, port: number, path: string, signal: AbortSignal): Promise<HttpAnswer>;
  /** Opens a connection and closes it. */
  connect(host: string, port: number, signal: AbortSignal): Promise<void>;
}

/** The container of a program. */
export interface Surroundings {
  /** Environment variables by name. */
  readonly env: ReadonlyMap<string, string>;
  readonly files: FileSystem;
  readonly workingDirectory: string;
  readonly hostname: string;
  readonly uid: bigint;
  readonly gid: bigint;
  readonly peers: Peers;
  /** Sends a signal to a process of the container; `false` when there is none with this id. */
  kill(pid: number, signal: number): boolean;
}
