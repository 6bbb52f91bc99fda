import { decodeMountField } from '@rxlet/machine';

/** A mount of the node. */
export interface MountPoint {
  /** Path of the directory or file that something is mounted on. */
  readonly target: string;
  readonly fsType: string;
  /** Device, server or name of the file system. */
  readonly source: string;
  /** Path within the file system that is visible at the target; `/` unless it is a bind mount of a part. */
  readonly root: string;
  /** Options of the mount, then those of the file system. */
  readonly options: readonly string[];
}

/** The mounts of the node at one moment. Paths are those of the kernel, without links. */
export interface MountTable {
  readonly points: readonly MountPoint[];
  /** Returns the topmost mount on a path. */
  at(path: string): MountPoint | undefined;
  /** Returns the mounts on a path and on everything below it, the last ones first, which is the order to unmount them. */
  within(path: string): readonly MountPoint[];
}

/** Creates a {@link MountTable} from mounts in the order in which they were made. */
export function mountTable(points: readonly MountPoint[]): MountTable {
  return {
    points,
    at: (path) => points.findLast(({ target }) => target === path),
    within: (path) => points.filter(({ target }) => target === path || target.startsWith(`${path}/`)).toReversed(),
  };
}

/** Parses `/proc/self/mountinfo`. Lines that do not have its form are left out. Only lines that a query selects are parsed: a node has thousands. */
export function parseMountInfo(text: string): MountTable {
  const lines = text.split('\n');
  const select = (isSelected: (target: string) => boolean): readonly MountPoint[] =>
    lines.filter((line) => isSelected(targetOf(line))).flatMap((line) => parseLine(line) ?? []);
  return {
    get points() {
      return select(() => true);
    },
    at: (path) => select((target) => target === path).at(-1),
    within: (path) => select((target) => target === path || target.startsWith(`${path}/`)).toReversed(),
  };
}

function targetOf(line: string): string {
  return decodeMountField(line.split(' ', TARGET + 1)[TARGET] ?? '');
}

/** Index of the mount point among the fields. */
const TARGET = 4;

/** `36 35 98:0 /root /target rw,noatime shared:1 - ext4 /dev/sda1 rw,errors=continue` */
function parseLine(line: string): MountPoint | undefined {
  const [before = '', after = ''] = line.split(' - ');
  const [, , , root, target, options] = before.split(' ');
  const [fsType, source, superOptions = ''] = after.split(' ');
  if (root === undefined || target === undefined || options === undefined) return undefined;
  if (fsType === undefined || source === undefined) return undefined;
  return {
    target: decodeMountField(target),
    fsType,
    source: decodeMountField(source),
    root: decodeMountField(root),
    options: [...options.split(','), ...superOptions.split(',')].filter(Boolean),
  };
}
