import { statfs } from 'node:fs/promises';
import type { Labels } from '@rxlet/component-base/metrics';
import { decodeMountField } from '@rxlet/machine';
import type { KernelFiles } from '../cgroup/kernel-files.ts';
import type { MetricFamily } from './exposition.ts';

/** A file system of the machine. */
interface MountedFileSystem {
  readonly device: string;
  readonly capacityBytes: number;
  readonly usedBytes: number;
  readonly inodes: number;
  readonly inodesFree: number;
  /** Fields of `/proc/diskstats` after the name; `undefined` when there is no such device. */
  readonly disk: readonly number[] | undefined;
}

/** Types of file systems with a disk of this machine, or with memory. Remote ones may not answer. */
const LOCAL = /^(?:ext\d|xfs|btrfs|zfs|overlay2?|tmpfs|f2fs|vfat)$/;
/** Mounts in the directories of pods and containers are none of the machine. */
const OF_CONTAINERS = /\/(?:kubelet\/pods|pods\/[\da-f-]{32,36}|io\.containerd\.[^/]*|overlay2?|overlay-containers)\//;

/** Returns the metrics of the machine's file systems, as those of the root cgroup. */
export async function fileSystemFamilies(
  kernelFiles: Pick<KernelFiles, 'read'>,
  labels: Labels,
  timeMs: number | undefined,
): Promise<readonly MetricFamily[]> {
  const found = await readFileSystems(kernelFiles);
  return families.map(({ name, help, type, read }) => ({
    name: `container_fs_${name}`,
    help,
    type,
    samples: found.flatMap((fileSystem) => {
      const value = read(fileSystem);
      if (value === undefined) return [];
      return [{ labels: { ...labels, device: fileSystem.device }, value, ...(timeMs !== undefined && { timeMs }) }];
    }),
  }));
}

async function readFileSystems(kernelFiles: Pick<KernelFiles, 'read'>): Promise<readonly MountedFileSystem[]> {
  const disks = new Map<string, readonly number[]>(
    (kernelFiles.read('/proc/diskstats') ?? '').split('\n').map((line) => {
      const [, , name = '', ...fields] = line.trim().split(/\s+/);
      return [`/dev/${name}`, fields.map(Number)] as const;
    }),
  );
  const mounts = new Map<string, string>();
  for (const line of (kernelFiles.read('/proc/self/mountinfo') ?? '').split('\n')) {
    const [mount = '', origin = ''] = line.split(' - ');
    const [, , number = '', , escapedTarget = ''] = mount.split(' ');
    const target = decodeMountField(escapedTarget);
    const [type = '', escapedSource = ''] = origin.split(' ');
    const source = decodeMountField(escapedSource);
    if (!LOCAL.test(type) || OF_CONTAINERS.test(target)) continue;
    // Of the overlays, only the root of the machine is none of a container.
    if (type.startsWith('overlay') && target !== '/') continue;
    // Memory has no device: each mount is a file system of its own. Others count once, however often they are mounted.
    const device = source.startsWith('/') ? source : type === 'tmpfs' ? target : `${type}_${number.replace(':', '-')}`;
    if (!mounts.has(device)) mounts.set(device, target);
  }
  const found = await Promise.all(
    [...mounts].map(async ([device, target]): Promise<readonly MountedFileSystem[]> => {
      const stats = await statfs(target).catch(() => undefined);
      if (stats === undefined || stats.blocks === 0) return [];
      const { bsize, blocks, bfree, files: inodes, ffree: inodesFree } = stats;
      const capacityBytes = blocks * bsize;
      return [
        {
          device,
          capacityBytes,
          usedBytes: capacityBytes - bfree * bsize,
          inodes,
          inodesFree,
          disk: disks.get(device),
        },
      ];
    }),
  );
  return found.flat();
}

interface FileSystemMetric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge';
  read(fileSystem: MountedFileSystem): number | undefined;
}

const families: readonly FileSystemMetric[] = [
  space(
    'limit_bytes',
    'Number of bytes that can be consumed by the container on this filesystem.',
    (it) => it.capacityBytes,
  ),
  space('usage_bytes', 'Number of bytes that are consumed by the container on this filesystem.', (it) => it.usedBytes),
  space('inodes_total', 'Number of Inodes', (it) => it.inodes),
  space('inodes_free', 'Number of available Inodes', (it) => it.inodesFree),
  disk('reads_total', 'Cumulative count of reads completed', 0),
  disk('reads_merged_total', 'Cumulative count of reads merged', 1),
  disk('sector_reads_total', 'Cumulative count of sector reads completed', 2),
  disk('read_seconds_total', 'Cumulative count of seconds spent reading', 3, 1000),
  disk('writes_total', 'Cumulative count of writes completed', 4),
  disk('writes_merged_total', 'Cumulative count of writes merged', 5),
  disk('sector_writes_total', 'Cumulative count of sector writes completed', 6),
  disk('write_seconds_total', 'Cumulative count of seconds spent writing', 7, 1000),
  { ...disk('io_current', 'Number of I/Os currently in progress', 8), type: 'gauge' },
  disk('io_time_seconds_total', 'Cumulative count of seconds spent doing I/Os', 9, 1000),
  disk('io_time_weighted_seconds_total', 'Cumulative weighted I/O time in seconds', 10, 1000),
];

function space(name: string, help: string, read: FileSystemMetric['read']): FileSystemMetric {
  return { name, help, type: 'gauge', read };
}

/** Describes a field of the kernel's statistics of a disk. */
function disk(name: string, help: string, field: number, divisor = 1): FileSystemMetric {
  return { name, help, type: 'counter', read: (it) => it.disk && (it.disk[field] ?? 0) / divisor };
}
