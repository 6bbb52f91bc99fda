import { join } from 'node:path';

/** Paths of one private containerd, and names of its kernel objects. Plain data: also the content of its marker file. */
export interface Layout {
  /** Holds all of its files. */
  readonly directory: string;
  /** The bridge of its pod network, at most 15 characters. Also the name of that network. */
  readonly bridge: string;
  /** The pod network, for example `10.64.7.0/24`. */
  readonly subnet: string;
  /** The process that started it. Its start time (field 22 of /proc/PID/stat) distinguishes it from a later one with the same id. */
  readonly owner: { readonly pid: number; readonly startTime: string };
}

/** Marker file in the directory, so that a later run can clean up after a killed one. */
export const MARKER = 'private-containerd.json';

/** Folder of the programs of Debian's containernetworking-plugins. */
export const CNI_BIN_DIRECTORY = '/usr/lib/cni';

/** The files and folders inside {@link Layout.directory}. */
export interface Paths {
  readonly marker: string;
  readonly config: string;
  readonly log: string;
  /** The gRPC socket: CRI and containerd's own API. */
  readonly socket: string;
  readonly root: string;
  readonly state: string;
  /** runc's state; a folder per container in `<runcRoot>/k8s.io`. */
  readonly runcRoot: string;
  readonly cniConfig: string;
  /** Specifications of CDI devices, for containerd 2. */
  readonly cdi: string;
  readonly cniAddresses: string;
}

/** Derives the paths of a layout. */
export function pathsOf({ directory }: Pick<Layout, 'directory'>): Paths {
  return {
    marker: join(directory, MARKER),
    config: join(directory, 'config.toml'),
    log: join(directory, 'containerd.log'),
    socket: join(directory, 'containerd.sock'),
    root: join(directory, 'root'),
    state: join(directory, 'state'),
    runcRoot: join(directory, 'runc'),
    cniConfig: join(directory, 'cni', 'net.d'),
    cdi: join(directory, 'cdi'),
    cniAddresses: join(directory, 'cni', 'addresses'),
  };
}
