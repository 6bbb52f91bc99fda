import type { CpuProfile } from './cpu-profile.ts';

/** What a measured agent is started with, as JSON. */
export interface MeasuredAgentOptions {
  /** The runtime's, `unix:///…`. */
  readonly endpoint: string;
  /** Holds the manifests, in `manifests`, and takes all that the agent writes. */
  readonly folder: string;
  /** Where it hears of what happens to containers. `none`: it only polls. */
  readonly hints: 'cri' | 'containerd' | 'none';
}

/** CPU time so far in milliseconds, and memory. */
export interface AgentUsage {
  /** All threads. */
  readonly cpuMs: number;
  /** The same by the names of the threads: that of JavaScript, libuv's for files, V8's for compiling and collecting garbage. */
  readonly threadsMs: Readonly<Record<string, number>>;
  readonly rssMb: number;
}

/** How the pods of the manifests came up; milliseconds since the agent was told to start. */
export interface StartReport {
  /** When the last StartContainer was answered. */
  readonly startedMs: number;
  /** When the status of the last pod was Running. */
  readonly runningMs: number;
  /** CPU time meanwhile, as in {@link AgentUsage}. */
  readonly cpuMs: number;
  readonly threadsMs: Readonly<Record<string, number>>;
  /** Calls of the runtime meanwhile. */
  readonly calls: Readonly<Record<string, number>>;
}

/** When the agent asked for a container to be created, in milliseconds since the epoch. */
export interface CreateCall {
  readonly podUid: string;
  readonly atMs: number;
}

/** What a measured agent does when it is told to. */
export interface AgentCommands {
  /** Starts the agent, and reports once `podCount` pods run. */
  start(podCount: number): Promise<StartReport>;
  usage(): AgentUsage;
  /** How often each method of the runtime was called so far. */
  calls(): Readonly<Record<string, number>>;
  /** The latest thousand calls of CreateContainer. */
  creates(): readonly CreateCall[];
  startProfile(): Promise<void>;
  stopProfile(): Promise<CpuProfile>;
}

/** A command on its way to the agent's process. */
export interface CommandMessage {
  readonly command: keyof AgentCommands;
  readonly args: readonly unknown[];
}

/** What came of the command before: commands are answered in order. */
export type AnswerMessage = { readonly value: unknown } | { readonly error: string };
