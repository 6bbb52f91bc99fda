import { FileError, parentOf, resolvePath } from '../fs/file-system.ts';
import type { FileSystem } from '../fs/file-system.ts';
import type { Command } from './command.ts';

/** Creates a command that processes each of its paths. A failure is printed, and makes the status 1. */
function forEachPath(
  name: string,
  flags: RegExp,
  act: (files: FileSystem, path: string, flags: string, write: (text: string) => void) => void,
): Command {
  return (args, { files, workingDirectory, write }) => {
    const given = args.filter((arg) => flags.test(arg)).join('');
    const paths = args.filter((arg) => !flags.test(arg));
    let status = 0;
    for (const path of paths.length === 0 && name === 'ls' ? ['.'] : paths) {
      try {
        act(files, resolvePath(workingDirectory, path), given, (text) => write('stdout', text));
      } catch (error) {
        if (!(error instanceof FileError)) throw error;
        write('stderr', `${name}: ${path}: ${error.message}\n`);
        status = 1;
      }
    }
    return status;
  };
}

const ls = forEachPath('ls', /^-[1alA]+$/, (files, path, flags, write) => {
  if (files.kind(path) === 'file') {
    write(`${path}\n`);
    return;
  }
  const hidden = /[aA]/.test(flags);
  for (const name of files.list(path)) if (hidden || !name.startsWith('.')) write(`${name}\n`);
});

const mkdir = forEachPath('mkdir', /^-p$/, (files, path, flags) => {
  if (flags === '') {
    files.makeDirectory(path);
    return;
  }
  const makeAll = (directory: string): void => {
    if (files.kind(directory) === 'directory') return;
    makeAll(parentOf(directory));
    files.makeDirectory(directory);
  };
  makeAll(path);
});

const rm = forEachPath('rm', /^-[rfR]+$/, (files, path, flags) => {
  const kind = files.kind(path);
  if (kind === undefined && flags.includes('f')) return;
  if (kind === 'directory' && !/r/i.test(flags)) throw new FileError('EISDIR');
  const removeAll = (target: string): void => {
    if (files.kind(target) === 'directory') for (const name of files.list(target)) removeAll(resolvePath(target, name));
    files.remove(target);
  };
  removeAll(path);
});

const touch = forEachPath('touch', /^-$/, (files, path) => {
  if (files.kind(path) === undefined) files.write(path, '', true);
});

export const FILE_COMMANDS: readonly (readonly [string, Command])[] = [
  ['ls', ls],
  ['mkdir', mkdir],
  ['rm', rm],
  ['touch', touch],
];
