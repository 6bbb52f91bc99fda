/** How an image behaves. What is not given is made up from its reference, the same each time. */
export interface FakeImage {
  /** References by which it can be pulled, e.g. `busybox:1.36`. All of them are tags of the one image. */
  readonly tags: readonly [string, ...string[]];
  /** Whether it is there from the start, without a pull. Default: no. */
  readonly present?: boolean;
  /** Unpacked size in bytes. Default: between 1 and 64 MiB. */
  readonly sizeBytes?: number;
  /** What runs when a container gives no command. Default: a program that runs until it is stopped. */
  readonly entrypoint?: readonly string[];
  /** Arguments of the entrypoint when a container gives neither command nor arguments. */
  readonly cmd?: readonly string[];
  /** Environment, `NAME=value` each. */
  readonly env?: readonly string[];
  /** `USER` of the image: a numeric UID or a user name. Default: none, which is root. */
  readonly user?: string;
}

/** Options of {@link createFakeRuntime}. */
export interface FakeRuntimeOptions {
  /** `runtime_name` in the Version response. Default: `fake`. */
  readonly runtimeName?: string;
  /** `runtime_version` in the Version response. Default: `0.1.0`. */
  readonly runtimeVersion?: string;
  /** How long each call that changes something takes before it does so, in milliseconds. Default: 0. */
  readonly latencyMs?: number;
  /** Where sandboxes get their IPv4 addresses from. Default: `10.244.0.0/16`. UpdateRuntimeConfig replaces it. */
  readonly podCidr?: string;
  /** Cgroup driver in the RuntimeConfig response. Default: `systemd`. */
  readonly cgroupDriver?: 'systemd' | 'cgroupfs';
  /** Runtime handlers besides the default one, which is the empty string. A sandbox for any other is refused. Default: none. */
  readonly runtimeHandlers?: readonly string[];
  /** Images whose properties matter. Any other image can be pulled too, unless it is listed in {@link missingImages}. */
  readonly images?: readonly FakeImage[];
  /** References that no registry knows: pulling them fails with NotFound. */
  readonly missingImages?: readonly string[];
  /** How many events a subscriber of GetContainerEvents may be behind before its stream ends with ResourceExhausted. Default: 1000. */
  readonly eventQueueSize?: number;
}

/** {@link FakeRuntimeOptions} with the defaults filled in. */
export type ResolvedOptions = Required<FakeRuntimeOptions>;

/** Fills in the defaults. */
export function resolveOptions(options: FakeRuntimeOptions): ResolvedOptions {
  return {
    runtimeName: options.runtimeName ?? 'fake',
    runtimeVersion: options.runtimeVersion ?? '0.1.0',
    latencyMs: options.latencyMs ?? 0,
    podCidr: options.podCidr ?? '10.244.0.0/16',
    cgroupDriver: options.cgroupDriver ?? 'systemd',
    runtimeHandlers: options.runtimeHandlers ?? [],
    images: options.images ?? [],
    missingImages: options.missingImages ?? [],
    eventQueueSize: options.eventQueueSize ?? 1000,
  };
}
