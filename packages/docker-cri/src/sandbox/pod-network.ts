import type { SandboxName } from '../names/docker-names.ts';

/** A port of the host that leads to a port of a pod. */
export interface HostPort {
  readonly protocol: 'tcp' | 'udp' | 'sctp';
  readonly containerPort: number;
  readonly hostPort: number;
  readonly hostIp: string;
}

/** A sandbox to connect to the network. */
export interface SandboxNetwork {
  readonly sandboxId: string;
  readonly pod: Omit<SandboxName, 'attempt'>;
  /** Path of the network namespace; `undefined` when it is gone. */
  readonly netnsPath: string | undefined;
  readonly hostPorts: readonly HostPort[];
  readonly annotations: Readonly<Record<string, string>>;
  readonly dns: {
    readonly servers: readonly string[];
    readonly searches: readonly string[];
    readonly options: readonly string[];
  };
}

/** Network of pods, implemented by CNI plugins or another mechanism. */
export interface PodNetwork {
  /** Returns why the network is not ready; `undefined` when it is. */
  notReadyReason(signal?: AbortSignal): Promise<string | undefined>;
  /** Connects a sandbox and returns its addresses. */
  setUp(network: SandboxNetwork, signal?: AbortSignal): Promise<readonly string[]>;
  /** Disconnects a sandbox; succeeds when it is not connected. */
  tearDown(network: SandboxNetwork, signal?: AbortSignal): Promise<void>;
  /** Returns the addresses of a sandbox; none when it is not connected. Also knows sandboxes that an earlier process connected. */
  addresses(sandboxId: string): Promise<readonly string[]>;
  /** Returns the ids of all sandboxes that are connected, for the removal of those that no longer exist. */
  connectedSandboxes(): Promise<readonly string[]>;
}
