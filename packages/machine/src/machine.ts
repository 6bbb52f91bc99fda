/** Port to the machine that a node runs on. */
export interface Machine {
  /** Reads facts that change with a reboot or a change of hardware only. */
  facts(): Promise<MachineFacts>;
  /** Reads the addresses of the interfaces and of the default routes. */
  addresses(): Promise<MachineAddresses>;
  /** Returns the size of the file system of a path, or of the nearest directory above it that exists. */
  fileSystemBytes(path: string): Promise<number>;
}

/** The processor's architecture and the kernel. */
export interface MachinePlatform {
  /** Architecture in the words of Go: `amd64`, `arm64`. */
  readonly architecture: string;
  /** Version of the kernel, such as `6.12.0-18-amd64`. */
  readonly kernelVersion: string;
}

/** Facts about a machine. */
export interface MachineFacts extends MachinePlatform {
  /** CPUs that are online, as a kernel list such as `0-2,5`. */
  readonly cpus: string;
  /** Number of CPUs that are online. */
  readonly cores: number;
  readonly memoryBytes: number;
  readonly swapBytes: number;
  /** Ordered by size. */
  readonly hugePages: readonly HugePages[];
  /** Largest number of processes; `undefined` when the kernel does not report it. */
  readonly maxProcesses: number | undefined;
  readonly machineId: string;
  readonly systemUuid: string;
  readonly bootId: string;
  /** Name of the distribution, such as `Debian GNU/Linux 13 (trixie)`. */
  readonly osImage: string;
}

/** Huge pages of one size. */
export interface HugePages {
  readonly sizeBytes: number;
  readonly count: number;
}

/** Addresses of a machine, in canonical form. */
export interface MachineAddresses {
  /** Addresses of all interfaces that are up, with and without a carrier. */
  readonly hostIps: readonly string[];
  /** Address of the interface with the default route, by family; that of the loopback interface where it has none. */
  readonly defaultRouteIps: { readonly v4?: string | undefined; readonly v6?: string | undefined };
}
