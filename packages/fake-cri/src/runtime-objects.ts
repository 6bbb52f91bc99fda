import type {
  Container as ContainerMessage,
  ContainerConfig,
  ContainerStatus,
  PodSandbox as PodSandboxMessage,
  PodSandboxConfig,
  PodSandboxStatus,
} from '@rxlet/cri-api';
import type { FileSystem } from './fs/file-system.ts';
import type { Image } from './image.ts';
import type { LogWriter } from './logs/log-writer.ts';
import type { Pipe } from './shell/pipe.ts';
import type { Plan } from './scripts/plan.ts';
import type { Process } from './process/process.ts';
import type { UsageModel } from './stats/usage-model.ts';

/**
 * A pod sandbox:
 *
 *                RunPodSandbox            StopPodSandbox                RemovePodSandbox
 *     (absent) ────────────────▶ READY ──────────────────▶ NOTREADY ────────────────────▶ (absent)
 *                                  │     kills containers,             removes containers,  ▲
 *                                  │     releases its IP               frees its name       │
 *                                  └────────────────────────────────────────────────────────┘
 *                                        RemovePodSandbox, which stops it first
 *
 * Stop and remove are idempotent, and succeed for a sandbox that does not exist. The messages are replaced on each change and never changed
 * themselves, so that answers and events can share them.
 */
export interface Sandbox {
  readonly id: string;
  /** Reserved name: `name_namespace_uid_attempt`. */
  readonly name: string;
  /** As requested, apart from the resources that UpdatePodSandboxResources changes. */
  config: PodSandboxConfig;
  /** Its containers by id, the oldest first. */
  readonly containers: Map<string, Container>;
  /** Its address; `undefined` on the host's network and after it was stopped. */
  ip: string | undefined;
  /** Hostname of its containers, which their programs may change. */
  hostname: string;
  /** Bridges that programs of its containers added to its network. */
  readonly bridges: Set<string>;
  /** CPU time of its removed containers. */
  removedCpuNanoseconds: bigint;
  status: PodSandboxStatus;
  /** Entry in lists. */
  listed: PodSandboxMessage;
}

/**
 * A container:
 *
 *                CreateContainer            StartContainer            program ends, StopContainer,
 *                                                                     StopPodSandbox
 *     (absent) ──────────────────▶ CREATED ────────────────▶ RUNNING ─────────────────────────────▶ EXITED
 *                                   │   │   start fails: StartError, exit code 128                    ▲  │
 *                                   │   └─────────────────────────────────────────────────────────────┘  │
 *                                   │  RemoveContainer, RemovePodSandbox; what runs is killed first      ▼
 *                                   └────────────────────────────────────────────────────────────────▶ (absent)
 *
 * It is started at most once; a restart is a new container with the next attempt. Stopping one that does not run, and stopping or removing one that
 * does not exist, succeeds and does nothing. The messages are replaced on each change and never changed themselves, so that answers and events can
 * share them.
 */
export interface Container {
  readonly id: string;
  /** Reserved name: `container_pod_namespace_uid_attempt`. */
  readonly name: string;
  readonly sandbox: Sandbox;
  readonly config: ContainerConfig;
  /** The image at the time of the container's creation. */
  readonly image: Image;
  /** Behaviour by its script. */
  readonly plan: Plan | undefined;
  /** Its files, created on first use: see `filesOf`. */
  files: FileSystem | undefined;
  /** Start on the monotonic clock. */
  startedMs: number | undefined;
  /** Its scripted ports, which are served while it runs. */
  ports: readonly Disposable[];
  /** Standard input, to which attached clients write, when it was created with `stdin`. */
  readonly input: Pipe | undefined;
  /** Its programs that Exec and ExecSync started. */
  readonly execs: Set<Process>;
  status: ContainerStatus;
  /** Entry in lists. */
  listed: ContainerMessage;
  /** While it runs. */
  process: Process | undefined;
  /** While it runs, unless it has no log path. */
  log: LogWriter | undefined;
  /** Resource usage over time; `undefined` for the default. Must be set before the start, since used CPU time stays used. */
  usage: UsageModel | undefined;
}
