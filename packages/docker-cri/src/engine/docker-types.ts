/** The fields of Docker's objects that this package reads, in the names of the Docker Engine API. */

/** Answer of `GET /containers/{id}/json`. */
export interface DockerContainer {
  readonly Id: string;
  /** With a slash before it. */
  readonly Name: string;
  readonly Created: string;
  /** Id of the image. */
  readonly Image: string;
  readonly ResolvConfPath: string;
  readonly LogPath: string;
  readonly SizeRw?: number;
  readonly State: DockerState;
  readonly Config: {
    readonly Image: string;
    readonly Labels: Readonly<Record<string, string>> | null;
    readonly Tty: boolean;
    readonly OpenStdin: boolean;
    readonly StdinOnce: boolean;
  };
  readonly HostConfig: DockerHostConfig;
  readonly Mounts: readonly DockerMount[];
}

/** State of a container. */
export interface DockerState {
  readonly Status: string;
  readonly Running: boolean;
  readonly OOMKilled: boolean;
  readonly Pid: number;
  readonly ExitCode: number;
  readonly Error: string;
  readonly StartedAt: string;
  readonly FinishedAt: string;
}

/** A mount of a container. */
export interface DockerMount {
  readonly Type: string;
  readonly Source: string;
  readonly Destination: string;
  readonly RW: boolean;
  readonly Propagation: string;
}

/** Host configuration of a container; the fields are those of `POST /containers/create`. */
export interface DockerHostConfig {
  readonly NetworkMode?: string;
  readonly IpcMode?: string;
  readonly PidMode?: string;
  readonly UTSMode?: string;
  readonly Runtime?: string;
  readonly Binds?: readonly string[];
  readonly Mounts?: readonly object[];
  readonly Devices?: readonly object[];
  readonly Privileged?: boolean;
  readonly ReadonlyRootfs?: boolean;
  readonly CapAdd?: readonly string[];
  readonly CapDrop?: readonly string[];
  readonly GroupAdd?: readonly string[];
  readonly SecurityOpt?: readonly string[];
  readonly MaskedPaths?: readonly string[];
  readonly ReadonlyPaths?: readonly string[];
  readonly Sysctls?: Readonly<Record<string, string>>;
  readonly CgroupParent?: string;
  readonly OomScoreAdj?: number;
  readonly RestartPolicy?: { readonly Name: string };
  readonly LogConfig?: { readonly Type: string; readonly Config: Readonly<Record<string, string>> };
  readonly CpuPeriod?: number;
  readonly CpuQuota?: number;
  readonly CpuShares?: number;
  readonly Memory?: number;
  readonly MemorySwap?: number;
  readonly CpusetCpus?: string;
  readonly CpusetMems?: string;
}

/** Body of `POST /containers/create`. */
export interface DockerCreateBody {
  readonly Image: string;
  readonly Hostname?: string;
  readonly User?: string;
  readonly Entrypoint?: readonly string[];
  readonly Cmd?: readonly string[];
  readonly Env?: readonly string[];
  readonly WorkingDir?: string;
  readonly Labels: Readonly<Record<string, string>>;
  readonly OpenStdin?: boolean;
  readonly StdinOnce?: boolean;
  readonly Tty?: boolean;
  readonly StopSignal?: string;
  readonly Healthcheck?: { readonly Test: readonly string[] };
  readonly HostConfig: DockerHostConfig;
}

/** Entry of `GET /containers/json`. */
export interface DockerListedContainer {
  readonly Id: string;
  readonly Names: readonly string[] | null;
  readonly Image: string;
  readonly ImageID: string;
  /** Seconds since the epoch. */
  readonly Created: number;
  readonly State: string;
  readonly Status: string;
  readonly Labels: Readonly<Record<string, string>> | null;
  readonly HostConfig?: { readonly NetworkMode?: string };
}

/** Answer of `GET /images/{name}/json`. */
export interface DockerImage {
  readonly Id: string;
  readonly RepoTags: readonly string[] | null;
  readonly RepoDigests: readonly string[] | null;
  readonly Size: number;
  readonly Config?: {
    readonly User?: string;
    readonly Labels?: Readonly<Record<string, string>> | null;
  } | null;
}

/** Answer of `GET /info`. */
export interface DockerInfo {
  readonly DockerRootDir: string;
  readonly CgroupDriver: string;
  readonly CgroupVersion?: string;
  readonly LiveRestoreEnabled: boolean;
  readonly Runtimes?: Readonly<Record<string, unknown>> | null;
}

/** Entry of `GET /events`. */
export interface DockerEvent {
  readonly Type: string;
  readonly Action: string;
  readonly Actor: { readonly ID: string; readonly Attributes: Readonly<Record<string, string>> };
  readonly timeNano: number;
}

/** Answer of `GET /containers/{id}/stats`. */
export interface DockerStats {
  readonly read: string;
  readonly pids_stats: { readonly current?: number };
  readonly cpu_stats: { readonly cpu_usage: { readonly total_usage: number } };
  readonly memory_stats: {
    readonly usage?: number;
    readonly limit?: number;
    readonly stats?: Readonly<Record<string, number>>;
  };
}

/** Answer of `GET /exec/{id}/json`. */
export interface DockerExec {
  readonly Running: boolean;
  readonly ExitCode: number | null;
  /** Process id on the host; 0 when the program never started. */
  readonly Pid: number;
}
