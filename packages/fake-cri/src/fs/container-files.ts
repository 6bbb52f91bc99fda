import type { Mount } from '@rxlet/cri-api';
import { type FileSystem, resolvePath } from './file-system.ts';
import type { HostFiles } from './host-files.ts';
import { createMemoryFiles } from './memory-files.ts';
import { createMountedFiles } from './mounted-files.ts';

/** Properties of a container that determine its file system. */
export interface ContainerFilesSource {
  readonly hostname: string;
  readonly ip: string | undefined;
  readonly mounts: readonly Pick<Mount, 'containerPath' | 'hostPath' | 'readonly'>[];
}

/**
 * Creates the file system of a container. Its image is empty: it has `/etc/hosts`, `/etc/hostname`, a few directories, the files of its programs, in memory,
 * and its mounts of host files.
 */
export function createContainerFiles({ hostname, ip, mounts }: ContainerFilesSource, hostFiles: HostFiles): FileSystem {
  const root = createMemoryFiles(
    {
      '/etc/hostname': `${hostname}\n`,
      '/etc/hosts': `127.0.0.1\tlocalhost\n${ip === undefined ? '' : `${ip}\t${hostname}\n`}`,
      '/proc/1/comm': 'main\n',
    },
    ['/bin', '/dev', '/home', '/root', '/run', '/tmp', '/usr/bin', '/var/lib', '/var/log', '/var/run', '/var/tmp'],
  );
  const mountPoints = mounts
    // A mount of an image instead of a host path is empty.
    .filter(({ hostPath }) => hostPath !== '')
    .map((mount) => ({
      path: resolvePath('/', mount.containerPath),
      readonly: mount.readonly,
      files: hostFiles.open(mount.hostPath),
    }));
  return mountPoints.length === 0 ? root : createMountedFiles(root, mountPoints);
}
