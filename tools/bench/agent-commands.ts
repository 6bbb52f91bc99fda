import type { CpuProfile } from './cpu-profile.ts';

/** Options of a measured agent, passed as JSON. */
export interface MeasuredAgentOptions {
  /** The runtime's, `unix:///…`. */
  readonly endpoint: string;
  /** Folder of the manifests, in `manifests`, and of all files that the agent writes. */
  readonly folder: string;
  /** Source of container events. `none`: the agent only polls. */
  readonly hints: 'cri' | 'containerd' | 'none';
  /** Whether it keeps the journal of its pods. Default: yes. */
  readonly hasJournal?: boolean;
  /** Cgroup below which each pod gets a cgroup of its own. Default: none. */
  readonly cgroupRoot?: string;
  /** File with the credentials of an API server, whose node the agent is. Default: the agent stands alone. */
  readonly kubeconfig?: string;
  /** Number of pods that the node admits. Default: 1000, for the largest start-up. */
  readonly maxPods?: number;
}

/** CPU time so far in milliseconds, and memory. */
export interface AgentUsage {
  /** All threads. */
  readonly cpuMs: number;
  /** CPU time of the programs that it has run, such as mount(8). */
  readonly programsMs: number;
  /** CPU time by thread name: JavaScript's thread, libuv's for files, V8's for compilation and garbage collection. */
  readonly threadsMs: Readonly<Record<string, number>>;
  readonly rssMb: number;
}

/** Start of the pods of the manifests, in milliseconds since the start of the agent was requested. */
export interface StartReport {
  /** When the first StartContainer was answered. */
  readonly firstStartedMs: number;
  /** When the last StartContainer was answered. */
  readonly startedMs: number;
  /** When the status of the last pod was Running. */
  readonly runningMs: number;
  /** CPU time meanwhile, as in {@link AgentUsage}. */
  readonly cpuMs: number;
  readonly programsMs: number;
  readonly threadsMs: Readonly<Record<string, number>>;
  /** Calls of the runtime meanwhile. */
  readonly calls: Readonly<Record<string, number>>;
}

/** When the agent requested the creation of a container, in milliseconds since the epoch. */
export interface CreateCall {
  readonly podUid: string;
  readonly atMs: number;
}

/** Commands of a measured agent. */
export interface AgentCommands {
  /** Starts the agent, and reports once `podCount` pods run. */
  start(podCount: number): Promise<StartReport>;
  usage(): AgentUsage;
  /** Number of calls of each method of the runtime so far. */
  calls(): Readonly<Record<string, number>>;
  /** Number of steps of pod workers so far, by their cause: `create`, `update`, `sync` and so on. */
  steps(): Promise<Readonly<Record<string, number>>>;
  /** The latest 1,000 calls of CreateContainer. */
  creates(): readonly CreateCall[];
  startProfile(): Promise<void>;
  stopProfile(): Promise<CpuProfile>;
}

/** A command sent to the agent's process. */
export interface CommandMessage {
  readonly command: keyof AgentCommands;
  readonly args: readonly unknown[];
}

/** Outcome of a command. Commands are answered in order. */
export type AnswerMessage = { readonly value: unknown } | { readonly error: string };
