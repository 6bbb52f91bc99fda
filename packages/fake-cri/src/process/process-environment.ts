import type { FileSystem } from '../fs/file-system.ts';

/** The answer to an HTTP request. */
export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
}

/** Access of programs to the ports of pods. `httpGet` and `connect` reject when no service listens there. */
export interface Peers {
  httpGet(host: string, port: number, path: string, signal: AbortSignal): Promise<HttpAnswer>;
  /** Opens a connection and closes it. */
  connect(host: string, port: number, signal: AbortSignal): Promise<void>;
  /** Reports whether a host is this machine or a pod. */
  isReachable(host: string): boolean;
  /** Returns the TCP ports that listen in the program's network: `address:port` each. */
  listening(): readonly string[];
}

/** A process as another one finds it. */
export interface ProcessInfo {
  /** Id in the PID namespace of the viewer. */
  readonly pid: number;
  /** Command line. */
  readonly argv: readonly string[];
  readonly uid: bigint;
}

/** The container of a program, as one of its processes finds it. */
export interface ProcessEnvironment {
  /** Id of the process in its own PID namespace. */
  readonly pid: number;
  /** Environment variables by name. */
  readonly env: ReadonlyMap<string, string>;
  readonly files: FileSystem;
  readonly workingDirectory: string;
  readonly uid: bigint;
  readonly gid: bigint;
  /** Supplemental groups; the primary one is among them. */
  readonly groups: readonly bigint[];
  readonly peers: Peers;
  hostname(): string;
  setHostname(name: string): void;
  /** Bridges in the network of its pod, which programs may change. */
  readonly bridges: Set<string>;
  /** Table of the shared memory segments that it sees, in the form of `/proc/sysvipc/shm`; empty without any. */
  sharedMemory(): string;
  /** Memory limit in bytes; 0 without one. */
  memoryLimitBytes(): number;
  /** Reports whether a process has a capability, and its seccomp filter allows system calls. */
  isPermitted(capability: string | undefined, ...syscalls: readonly string[]): boolean;
  /** Reports whether a program is hidden from its container. */
  isMasked(program: string): boolean;
  /** Returns the processes that it sees. */
  processes(): readonly ProcessInfo[];
  /** Sends a signal to a process that it sees; `false` when there is none with this id. */
  kill(pid: number, signal: number): boolean;
}
