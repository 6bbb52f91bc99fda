import { FileError, type FileSystem } from '../fs/file-system.ts';
import { nameOfId } from '../security/container-user.ts';
import type { Command } from './command.ts';

/** `id [-u|-g|-G] [-n]`, with the names of the container's `/etc/passwd` and `/etc/group`. */
const id: Command = (args, { uid, gid, groups, files, write }) => {
  const flags = args.join('').replaceAll('-', '');
  if (!/^(?:[ugG]n?|n[ugG])?$/.test(flags)) {
    write('stderr', `id: invalid option: ${args.join(' ')}\n`);
    return 1;
  }
  const userName = (): string => nameOfId(uid, textOf(files, '/etc/passwd')) ?? '';
  const groupName = (group: bigint): string => nameOfId(group, textOf(files, '/etc/group')) ?? '';
  const allGroups = [gid, ...groups.filter((group) => group !== gid).toSorted((a, b) => Number(a - b))];
  const asText = (number: bigint, name: (number: bigint) => string): string =>
    flags.includes('n') ? name(number) || String(number) : String(number);
  const asBoth = (number: bigint, name: string): string => `${String(number)}${name === '' ? '' : `(${name})`}`;
  const output = flags.includes('u')
    ? asText(uid, userName)
    : flags.includes('g')
      ? asText(gid, groupName)
      : flags.includes('G')
        ? allGroups.map((group) => asText(group, groupName)).join(' ')
        : `uid=${asBoth(uid, userName())} gid=${asBoth(gid, groupName(gid))} groups=${allGroups.map((group) => asBoth(group, groupName(group))).join(',')}`;
  write('stdout', `${output}\n`);
  return 0;
};

const whoami: Command = (_args, { uid, files, write }) => {
  const name = nameOfId(uid, textOf(files, '/etc/passwd'));
  if (name === undefined) write('stderr', `whoami: unknown uid ${String(uid)}\n`);
  else write('stdout', `${name}\n`);
  return Number(name === undefined);
};

function textOf(files: FileSystem, path: string): string {
  try {
    return files.read(path);
  } catch (error) {
    if (error instanceof FileError) return '';
    throw error;
  }
}

export const USER_COMMANDS: readonly (readonly [string, Command])[] = [
  ['id', id],
  ['whoami', whoami],
];
