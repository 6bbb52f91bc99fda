import { MountError, type MountRequest, type UnmountOptions } from './mounter.ts';

/** File descriptor of the program under which it inherits an open entry. */
export const INHERITED_DESCRIPTOR = 3;

/**
 * Returns the arguments of mount(8). Paths come after `--`, so that none is taken for an option, and nothing is resolved again.
 *
 * @throws MountError for values that the program could read in another way
 */
export function mountArguments({ source, target, fsType, options }: MountRequest): readonly string[] {
  checkPath(target, 'target');
  for (const option of options) checkOption(option);
  const isEntry = typeof source !== 'string';
  const from = isEntry ? `/proc/self/fd/${String(INHERITED_DESCRIPTOR)}` : source;
  if (from === '' || from.includes('\0')) throw new MountError('mount failed: the source has an invalid name');
  return [
    // Otherwise the program would replace the descriptor by the path that it has at that moment.
    ...(isEntry ? ['--no-canonicalize'] : []),
    ...(fsType === undefined ? [] : ['-t', checkType(fsType)]),
    ...(options.length === 0 ? [] : ['-o', options.join(',')]),
    '--',
    from,
    target,
  ];
}

/** Returns the arguments of umount(8). The path is not resolved, because that hangs for an unreachable server. */
export function unmountArguments(target: string, { force = false }: UnmountOptions): readonly string[] {
  checkPath(target, 'target');
  return ['--no-canonicalize', ...(force ? ['--force'] : []), '--', target];
}

function checkPath(path: string, role: string): void {
  if (!path.startsWith('/') || path.includes('\0') || path.split('/').some((name) => name === '.' || name === '..'))
    throw new MountError(`mount failed: the ${role} ${JSON.stringify(path)} is not an absolute path`);
}

/** The type is part of the name of a helper program. */
function checkType(fsType: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9_.+-]*$/.test(fsType) || fsType.includes('..'))
    throw new MountError(`mount failed: ${JSON.stringify(fsType)} is not a type of a file system`);
  return fsType;
}

function checkOption(option: string): void {
  if (option === '' || /[\u0000-\u001f]/.test(option))
    throw new MountError(`mount failed: ${JSON.stringify(option)} is not a mount option`);
}
