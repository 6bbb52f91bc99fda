import type { OutputStream } from '../logs/log-line.ts';

/** Something that begins to hold at a time after the container's start. Lists of it are in the order of their times. */
export interface Phase {
  /** Seconds since the container started. Default: 0. */
  readonly afterSeconds?: number;
}

/** Lines in the container's log. */
export interface ScriptedLog extends Phase {
  readonly text: string;
  /** Default: `stdout`. */
  readonly stream?: OutputStream;
  /** Comes again at this interval. Default: it comes once. */
  readonly everySeconds?: number;
  /** How often it comes when it does so at an interval. Default: until the end. */
  readonly count?: number;
}

/** What an exec comes to. */
export interface ScriptedExecResult extends Phase {
  /** Default: 0. */
  readonly exitCode?: number;
  readonly stdout?: string;
  readonly stderr?: string;
  /** How long it takes. Default: 0. */
  readonly takesSeconds?: number;
}

/** The results of a command, changing over time. Before the first of them the command is run as without a script. */
export interface ScriptedExec {
  /** All of its command line. */
  readonly command: readonly string[];
  readonly results: readonly ScriptedExecResult[];
}

/** What a port answers. */
export interface ScriptedResponse extends Phase {
  /** HTTP status. Default: 200. */
  readonly status?: number;
  /** HTTP body. */
  readonly body?: string;
  /** HTTP path that it is for, without the query. Default: any. */
  readonly path?: string;
  /** What a gRPC health check says. Default: `SERVING`. */
  readonly health?: 'SERVING' | 'NOT_SERVING' | 'UNKNOWN';
  /** How long it takes. Default: 0. */
  readonly takesSeconds?: number;
}

/** A port that listens while the container runs. */
export interface ScriptedPort {
  readonly port: number;
  readonly protocol: 'http' | 'tcp' | 'grpc';
  /** Default: always answers well. Before the first of them HTTP answers 503, gRPC `NOT_SERVING`, and TCP refuses connections. */
  readonly responses?: readonly ScriptedResponse[];
}

/** CPU and memory in use. */
export interface ScriptedUsage extends Phase {
  readonly cpuMillis: number;
  readonly memoryBytes: number;
}

/** How a container behaves. */
export interface Behaviour {
  /** It runs this long and then exits. Default: until it is stopped, unless there is an exit code: then it exits at once. */
  readonly runSeconds?: number;
  /** Default: 0. */
  readonly exitCode?: number;
  readonly ignoreSigterm?: boolean;
  /** It is killed for lack of memory: code 137, reason `OOMKilled`. */
  readonly oomKillAfterSeconds?: number;
  /** How long StartContainer takes. */
  readonly startDelaySeconds?: number;
  readonly log?: readonly ScriptedLog[];
  readonly exec?: readonly ScriptedExec[];
  readonly ports?: readonly ScriptedPort[];
  readonly usage?: readonly ScriptedUsage[];
}

/**
 * A behaviour script. With any of `runSeconds`, `exitCode`, `ignoreSigterm` and `log` it takes the place of the container's command; the rest adds to
 * whatever the container runs.
 */
export interface BehaviourScript extends Behaviour {
  /** One for each attempt of the container (its `metadata.attempt`), the last also for all later ones; each overrides the fields beside it. */
  readonly attempts?: readonly Behaviour[];
}
