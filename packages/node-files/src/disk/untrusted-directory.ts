import { lstat, readlink } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** Why other users could replace a directory or its content. */
export interface UntrustedDirectory {
  /** The directory itself, one above it, or a link on the way. */
  readonly path: string;
  /** The problem as a verb phrase, such as `belongs to another user (uid 1000)`. */
  readonly problem: string;
  /** Command that solves it. */
  readonly remedy: string;
}

/** Attributes of a directory or link on the way. */
export interface PathComponent {
  readonly kind: 'directory' | 'link' | 'other';
  readonly uid: number;
  readonly gid: number;
  /** Mode with the sticky bit. */
  readonly mode: number;
}

/** Number of links after which a path counts as a circle, as in the kernel. */
const MAX_LINKS = 40;
const [STICKY, GROUP_WRITE, OTHER_WRITE] = [0o1000, 0o020, 0o002];

/**
 * Finds what lets a user other than root and `uid` replace an existing directory, or files in it: another owner of the directory, of one above it or of a link on the way,
 * and write permission for others. A directory above it may be writable with the sticky bit, or by a private group, whose number is that of the user.
 *
 * @returns `undefined` for a directory that only root and `uid` may change
 */
export async function findUntrustedDirectory(
  path: string,
  uid: number = process.geteuid?.() ?? 0,
): Promise<UntrustedDirectory | undefined> {
  const pending = namesOf(resolve(path));
  let current = '/';
  let links = 0;
  for (;;) {
    const found = await lstat(current);
    const component = { kind: kindOf(found), uid: found.uid, gid: found.gid, mode: found.mode & 0o7777 };
    const isLast = pending.length === 0 && component.kind !== 'link';
    const problem = checkComponent(component, uid, isLast);
    if (problem !== undefined) return { path: current, ...describe(problem, current, uid) };
    if (component.kind === 'link') {
      links += 1;
      if (links > MAX_LINKS) throw new Error(`too many links in the path "${path}"`);
      const target = resolve(dirname(current), await readlink(current));
      // From the beginning: each directory above the target counts as well.
      pending.unshift(...namesOf(target));
      current = '/';
      continue;
    }
    const next = pending.shift();
    if (next === undefined) return undefined;
    current = resolve(current, next);
  }
}

/** Problem of a component of a path. */
export type ComponentProblem =
  | { readonly type: 'owner'; readonly uid: number; readonly kind: PathComponent['kind'] }
  | { readonly type: 'group' | 'everyone'; readonly mode: number };

/** Judges a directory or link; `isLast` for the directory itself, in which the sticky bit is not enough. */
export function checkComponent(
  { kind, uid: owner, gid, mode }: PathComponent,
  uid: number,
  isLast: boolean,
): ComponentProblem | undefined {
  if (owner !== 0 && owner !== uid) return { type: 'owner', uid: owner, kind };
  if (kind === 'link' || (!isLast && (mode & STICKY) !== 0)) return undefined;
  if ((mode & OTHER_WRITE) !== 0) return { type: 'everyone', mode };
  if ((mode & GROUP_WRITE) !== 0 && (isLast || gid !== uid)) return { type: 'group', mode };
  return undefined;
}

function describe(problem: ComponentProblem, path: string, uid: number): Omit<UntrustedDirectory, 'path'> {
  if (problem.type === 'owner') {
    const noun = problem.kind === 'link' ? 'is a link of another user' : 'belongs to another user';
    const change = problem.kind === 'link' ? 'chown -h' : 'chown';
    return { problem: `${noun} (uid ${String(problem.uid)})`, remedy: `${change} ${String(uid)} "${path}"` };
  }
  const mode = problem.mode.toString(8);
  return problem.type === 'group'
    ? { problem: `can be written by its group (mode ${mode})`, remedy: `chmod g-w "${path}"` }
    : { problem: `can be written by every user (mode ${mode})`, remedy: `chmod o-w "${path}"` };
}

function kindOf(found: { isDirectory(): boolean; isSymbolicLink(): boolean }): PathComponent['kind'] {
  if (found.isDirectory()) return 'directory';
  return found.isSymbolicLink() ? 'link' : 'other';
}

function namesOf(path: string): string[] {
  return path.split('/').filter((name) => name !== '');
}
