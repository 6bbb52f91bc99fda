import type { FakeImage } from './images/fake-image.ts';
import { LOOPBACK_POD_CIDR, type PodNetworkMode } from './network/pod-network.ts';
import type { BehaviourScript } from './scripts/script.ts';
import type { StreamingOptions } from './streaming/streaming-server.ts';

/** Options of {@link createFakeRuntime}. */
export interface FakeRuntimeOptions {
  /** `runtime_name` in the Version response. Default: `fake`. */
  readonly runtimeName?: string;
  /** `runtime_version` in the Version response. Default: `0.1.0`. */
  readonly runtimeVersion?: string;
  /** How long each call that changes something takes before it does so, in milliseconds. Default: 0. */
  readonly latencyMs?: number;
  /**
   * Whether the ports of pods exist only in this process, or really listen, on loopback addresses, so that other programs reach them. Default: in-process.
   */
  readonly podNetwork?: PodNetworkMode;
  /**
   * Where sandboxes get their IPv4 addresses from. Default: `10.244.0.0/16`, and UpdateRuntimeConfig replaces it; when ports really listen it is
   * `127.64.0.0/10`, stays what it is, and has to be within `127.0.0.0/8`.
   */
  readonly podCidr?: string;
  /** Cgroup driver in the RuntimeConfig response. Default: `systemd`. */
  readonly cgroupDriver?: 'systemd' | 'cgroupfs';
  /** Runtime handlers besides the default one, which is the empty string. A sandbox for any other is refused. Default: none. */
  readonly runtimeHandlers?: readonly string[];
  /** Images whose properties matter. Any other image can be pulled too, unless it is listed in {@link missingImages}. */
  readonly images?: readonly FakeImage[];
  /** References that no registry knows: pulling them fails with NotFound. */
  readonly missingImages?: readonly string[];
  /** How the containers of images behave, by image reference; as objects or as YAML. A bad one makes the creation fail with InvalidArgument. */
  readonly scripts?: Readonly<Record<string, BehaviourScript | string>>;
  /** Room for images in bytes; a pull that does not fit fails with `no space left on device`. Default: no end of it. */
  readonly imageDiskBytes?: number;
  /** Where the server of Exec, Attach and PortForward listens. Default: any free port of `127.0.0.1`. */
  readonly streaming?: StreamingOptions;
  /** How many events a subscriber of GetContainerEvents may be behind before its stream ends with ResourceExhausted. Default: 1000. */
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
