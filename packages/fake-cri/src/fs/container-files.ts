import type { DNSConfig, Mount } from '@rxlet/cri-api';
import { type FileSystem, resolvePath } from './file-system.ts';
import { createGeneratedFiles } from './generated-files.ts';
import type { HostFiles } from './host-files.ts';
import { createMemoryFiles } from './memory-files.ts';
import { createMountedFiles, type MountPoint } from './mounted-files.ts';

/** Mount of host files, or of a part of an image. */
export type ContainerMount = Pick<Mount, 'containerPath' | 'hostPath' | 'readonly'> & {
  readonly recursiveReadOnly?: boolean;
  /** Text of the mounted files of an image, by path below the mount. */
  readonly imageFiles?: Readonly<Record<string, string>> | undefined;
};

/** Properties of a container that determine its file system. */
export interface ContainerFilesSource {
  readonly hostname: string;
  readonly ip: string | undefined;
  readonly dns?: DNSConfig | undefined;
  readonly mounts: readonly ContainerMount[];
  /** Text of the files of its image by path. Default: none. */
  readonly imageFiles?: Readonly<Record<string, string>>;
  /** Files below `/proc`. Default: none. */
  readonly proc?: FileSystem;
  readonly readonlyRootfs?: boolean;
  /** Paths whose files are empty, and whose directories are empty and read-only. */
  readonly maskedPaths?: readonly string[];
  readonly readonlyPaths?: readonly string[];
}

/**
 * Creates the file system of a container: the files of its image, `/etc/hosts`, `/etc/hostname`, `/etc/resolv.conf`, a few directories, what its programs write, in
 * memory, and its mounts.
 */
export function createContainerFiles(source: ContainerFilesSource, hostFiles: HostFiles): FileSystem {
  const { hostname, ip, dns, imageFiles = {}, proc, readonlyRootfs = false, readonlyPaths = [] } = source;
  const root = createMemoryFiles(
    {
      ...imageFiles,
      '/etc/hostname': `${hostname}\n`,
      '/etc/hosts': `127.0.0.1\tlocalhost\n${ip === undefined ? '' : `${ip}\t${hostname}\n`}`,
      '/etc/resolv.conf': formatResolvConf(dns),
    },
    [
      '/bin',
      '/dev',
      '/home',
      '/proc',
      '/root',
      '/run',
      '/tmp',
      '/usr/bin',
      '/var/lib',
      '/var/log',
      '/var/run',
      '/var/tmp',
    ],
  );
  const mounts = source.mounts.flatMap((mount) => mountPoint(mount, hostFiles));
  if (proc !== undefined) mounts.push({ path: '/proc', readonly: true, files: proc });
  const masks = (source.maskedPaths ?? []).flatMap((path) => mask(root, resolvePath('/', path)));
  const readonly = [...readonlyPaths.map((path) => resolvePath('/', path)), ...(readonlyRootfs ? ['/'] : [])];
  return mounts.length + masks.length + readonly.length === 0
    ? root
    : createMountedFiles(root, [...masks, ...mounts], readonly);
}

function mountPoint(mount: ContainerMount, hostFiles: HostFiles): MountPoint[] {
  const path = resolvePath('/', mount.containerPath);
  const { hostPath, imageFiles, readonly, recursiveReadOnly = false } = mount;
  if (imageFiles !== undefined) return [{ path, readonly: true, files: createMemoryFiles(imageFiles, []) }];
  return hostPath === '' ? [] : [{ path, readonly, recursiveReadOnly, files: hostFiles.open(hostPath) }];
}

/** As the OCI runtime, does nothing for a path that does not exist. */
function mask(root: FileSystem, path: string): MountPoint[] {
  const kind = root.kind(path);
  if (kind === undefined) return [];
  const empty = new Map(kind === 'file' ? [['/', () => '']] : []);
  return [{ path, readonly: true, files: createGeneratedFiles(() => empty) }];
}

function formatResolvConf({
  servers,
  searches,
  options,
}: Pick<DNSConfig, 'servers' | 'searches' | 'options'> = NO_DNS) {
  const line = (name: string, values: readonly string[]): string =>
    values.length === 0 ? '' : `${name} ${values.join(' ')}\n`;
  return (
    line('search', searches) + servers.map((server) => line('nameserver', [server])).join('') + line('options', options)
  );
}

const NO_DNS = { servers: [], searches: [], options: [] };
