import type { FakeImage } from './images/fake-image.ts';
import { LOOPBACK_POD_CIDR, type PodNetworkMode } from './network/pod-network.ts';
import type { BehaviourScript } from './scripts/script.ts';
import type { StreamingOptions } from '@rxlet/streaming';

/** Options of {@link createFakeRuntime}. */
export interface FakeRuntimeOptions {
  /** `runtime_name` in the Version response. Default: `fake`. */
  readonly runtimeName?: string;
  /** `runtime_version` in the Version response. Default: `0.1.0`. */
  readonly runtimeVersion?: string;
  /** Latency of each call that changes something, in milliseconds. Default: 0. */
  readonly latencyMs?: number;
  /**
   * Reachability of the ports of pods: from this process only, or listening on loopback addresses, so that other programs reach them. Default: in-process.
   */
  readonly podNetwork?: PodNetworkMode;
  /**
   * Range of the IPv4 addresses of sandboxes. Default: `10.244.0.0/16`, and UpdateRuntimeConfig replaces it; when ports listen it is `127.64.0.0/10`, does not
   * change, and must be within `127.0.0.0/8`.
   */
  readonly podCidr?: string;
  /** Cgroup driver in the RuntimeConfig response. Default: `systemd`. */
  readonly cgroupDriver?: 'systemd' | 'cgroupfs';
  /** Runtime handlers besides the default one, which is the empty string. A sandbox for any other is rejected. Default: none. */
  readonly runtimeHandlers?: readonly string[];
  /** Images whose properties matter. Any other image can be pulled too, unless it is listed in {@link missingImages}. */
  readonly images?: readonly FakeImage[];
  /** References that no registry has: pulling them fails with NotFound. */
  readonly missingImages?: readonly string[];
  /** Behaviour scripts of containers by image reference, as objects or as YAML. A bad one makes the creation fail with InvalidArgument. */
  readonly scripts?: Readonly<Record<string, BehaviourScript | string>>;
  /** Disk space for images in bytes; a pull beyond it fails with `no space left on device`. Default: unlimited. */
  readonly imageDiskBytes?: number;
  /** Address of the server of Exec, Attach and PortForward. Default: any free port of `127.0.0.1`. */
  readonly streaming?: StreamingOptions;
  /** Number of events that a subscriber of GetContainerEvents may be behind before its stream ends with ResourceExhausted. Default: 1000. */
  readonly eventQueueSize?: number;
}

/** {@link FakeRuntimeOptions} with the defaults filled in. */
export type ResolvedOptions = Required<FakeRuntimeOptions>;

/** Fills in the defaults. */
export function resolveOptions(options: FakeRuntimeOptions): ResolvedOptions {
  const { podNetwork = 'in-process' } = options;
  return {
    runtimeName: options.runtimeName ?? 'fake',
    runtimeVersion: options.runtimeVersion ?? '0.1.0',
    latencyMs: options.latencyMs ?? 0,
    podNetwork,
    podCidr: options.podCidr ?? (podNetwork === 'loopback' ? LOOPBACK_POD_CIDR : '10.244.0.0/16'),
    cgroupDriver: options.cgroupDriver ?? 'systemd',
    runtimeHandlers: options.runtimeHandlers ?? [],
    images: options.images ?? [],
    missingImages: options.missingImages ?? [],
    scripts: options.scripts ?? {},
    imageDiskBytes: options.imageDiskBytes ?? Infinity,
    streaming: options.streaming ?? {},
    eventQueueSize: options.eventQueueSize ?? 1000,
  };
}
