import type { OutputStream } from '../logs/log-line.ts';

/** A phase that begins at a time after the container's start. Lists of it are in the order of their times. */
export interface Phase {
  /** Seconds since the container started. Default: 0. */
  readonly afterSeconds?: number;
}

/** Lines in the container's log. */
export interface ScriptedLog extends Phase {
  readonly text: string;
  /** Default: `stdout`. */
  readonly stream?: OutputStream;
  /** Interval of repetitions, in seconds. Default: none. */
  readonly everySeconds?: number;
  /** Number of lines at the interval. Default: unlimited. */
  readonly count?: number;
}

/** Result of an exec. */
export interface ScriptedExecResult extends Phase {
  /** Default: 0. */
  readonly exitCode?: number;
  readonly stdout?: string;
  readonly stderr?: string;
  /** Duration in seconds. Default: 0. */
  readonly takesSeconds?: number;
}

/** The results of a command, changing over time. Before the first one the command runs as without a script. */
export interface ScriptedExec {
  /** The whole command line. */
  readonly command: readonly string[];
  readonly results: readonly ScriptedExecResult[];
}

/** Response of a port. */
export interface ScriptedResponse extends Phase {
  /** HTTP status. Default: 200. */
  readonly status?: number;
  /** HTTP body. */
  readonly body?: string;
  /** HTTP path of the response, without the query. Default: any. */
  readonly path?: string;
  /** Status of a gRPC health check. Default: `SERVING`. */
  readonly health?: 'SERVING' | 'NOT_SERVING' | 'UNKNOWN';
  /** Duration in seconds. Default: 0. */
  readonly takesSeconds?: number;
}

/** A port that listens while the container runs. */
export interface ScriptedPort {
  readonly port: number;
  readonly protocol: 'http' | 'tcp' | 'grpc';
  /** Default: always a success. Before the first one HTTP answers 503, gRPC `NOT_SERVING`, and TCP rejects connections. */
  readonly responses?: readonly ScriptedResponse[];
}

/** CPU and memory in use. */
export interface ScriptedUsage extends Phase {
  readonly cpuMillis: number;
  readonly memoryBytes: number;
}

/** Behaviour of a container. */
export interface Behaviour {
  /** Running time in seconds. Default: until it is stopped; with an exit code, 0. */
  readonly runSeconds?: number;
  /** Default: 0. */
  readonly exitCode?: number;
  readonly ignoreSigterm?: boolean;
  /** Time of its OOM kill (code 137, reason `OOMKilled`), in seconds after the start. */
  readonly oomKillAfterSeconds?: number;
  /** Duration of StartContainer in seconds. */
  readonly startDelaySeconds?: number;
  readonly log?: readonly ScriptedLog[];
  readonly exec?: readonly ScriptedExec[];
  readonly ports?: readonly ScriptedPort[];
  readonly usage?: readonly ScriptedUsage[];
}

/**
 * A behaviour script. With any of `runSeconds`, `exitCode`, `ignoreSigterm` and `log` it replaces the container's command; the other fields add to it.
 */
export interface BehaviourScript extends Behaviour {
  /** Scripts of the attempts of the container (its `metadata.attempt`), the last also for all later ones; each overrides the common fields. */
  readonly attempts?: readonly Behaviour[];
}
