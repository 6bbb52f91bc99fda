import { UnsafePathError } from '../errors.ts';
import type { FileInfo } from '../file-info.ts';

/** An entry of the tree. */
export type MemoryNode = MemoryRegularFile | MemoryDirectory | MemoryLink | MemorySpecial;

interface Attributes {
  readonly inode: number;
  mode: number;
  uid: number;
  gid: number;
  /** Increases with each change. */
  version: number;
  /** Names of the node. */
  links: number;
}
export interface MemoryRegularFile extends Attributes {
  readonly kind: 'file';
  bytes: Uint8Array;
}
export interface MemoryDirectory extends Attributes {
  readonly kind: 'directory';
  readonly entries: Map<string, MemoryNode>;
  /** Entries that are hidden by a mount of the same name. */
  covered?: Map<string, MemoryNode>;
}
export interface MemoryLink extends Attributes {
  readonly kind: 'symlink';
  readonly target: string;
}
export interface MemorySpecial extends Attributes {
  readonly kind: 'fifo' | 'socket' | 'block-device';
}

/** Creates a system error as the kernel reports it. */
export function systemError(code: string, path: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: ${path}`), { code, path });
}

/** A tree of directories in memory, with links, owners and modes. */
export class MemoryTree {
  #inodes = 0;
  #version = 0;
  readonly root: MemoryDirectory = this.newDirectory(0o755);
  /** Files and directories that are open through the ports. */
  openHandles = 0;

  newFile(mode: number, bytes: Uint8Array = new Uint8Array()): MemoryRegularFile {
    return { ...this.#attributes(mode), kind: 'file', bytes };
  }

  newDirectory(mode: number): MemoryDirectory {
    return { ...this.#attributes(mode), kind: 'directory', entries: new Map() };
  }

  newLink(target: string): MemoryLink {
    return { ...this.#attributes(0o777), kind: 'symlink', target };
  }

  newSpecial(kind: MemorySpecial['kind']): MemorySpecial {
    return { ...this.#attributes(0o666), kind };
  }

  /** Counts a handle until it is closed. */
  opened<T extends object>(handle: T): T & AsyncDisposable {
    this.openHandles += 1;
    let isOpen = true;
    const close = async (): Promise<void> => {
      if (isOpen) this.openHandles -= 1;
      isOpen = false;
    };
    return Object.assign(handle, { [Symbol.asyncDispose]: close });
  }

  #attributes(mode: number): Attributes {
    return { inode: ++this.#inodes, mode, uid: 0, gid: 0, version: ++this.#version, links: 1 };
  }

  /** Marks a node as changed. */
  touch(node: MemoryNode): void {
    node.version = ++this.#version;
  }

  /** Finds the node of an absolute path, links followed. */
  follow(path: string, hops = 0): MemoryNode | undefined {
    if (hops > 40) throw systemError('ELOOP', path);
    let node: MemoryNode = this.root;
    const names = path.split('/').filter((name) => name !== '');
    for (let index = 0; index < names.length; index += 1) {
      const name = names[index]!;
      if (node.kind !== 'directory') return undefined;
      const next: MemoryNode | undefined = node.entries.get(name);
      if (next === undefined) return undefined;
      if (next.kind === 'symlink') {
        const above = `/${names.slice(0, index).join('/')}`;
        const target = next.target.startsWith('/') ? next.target : `${above}/${next.target}`;
        return this.follow([normalize(target), ...names.slice(index + 1)].join('/'), hops + 1);
      }
      node = next;
    }
    return node;
  }

  /** Finds the node of names below a directory; a link on the way, or in the last place, is returned as far as `last` allows. @throws UnsafePathError */
  below(
    base: MemoryDirectory,
    names: readonly string[],
    path: string,
    last: 'reject-link' | 'allow-link',
  ): MemoryNode | undefined {
    let node: MemoryNode = base;
    for (let index = 0; index < names.length; index += 1) {
      const name = names[index]!;
      if (node.kind !== 'directory') return undefined;
      const next: MemoryNode | undefined = node.entries.get(name);
      if (next === undefined) return undefined;
      const isLast = index === names.length - 1;
      if (next.kind === 'symlink' && !(isLast && last === 'allow-link'))
        throw new UnsafePathError('SymbolicLink', path);
      node = next;
    }
    return node;
  }
}

/** Removes an entry of a directory with everything below it. @throws UnsafePathError for a mount point among them */
export function removeNode(directory: MemoryDirectory, name: string, path: string): boolean {
  if (directory.covered?.has(name) === true) throw new UnsafePathError('MountPoint', path);
  const node = directory.entries.get(name);
  if (node?.kind === 'directory') {
    for (const below of [...node.entries.keys()]) removeNode(node, below, `${path}/${below}`);
  }
  return directory.entries.delete(name);
}

const BLOCK_BYTES = 4096;

/** Describes a node. */
export function infoOf(node: MemoryNode): FileInfo {
  return {
    kind: node.kind,
    sizeBytes: node.kind === 'file' ? node.bytes.length : 0,
    allocatedBytes: node.kind === 'file' ? Math.ceil(node.bytes.length / BLOCK_BYTES) * BLOCK_BYTES : 0,
    links: node.links,
    mode: node.mode,
    uid: node.uid,
    gid: node.gid,
    // The tree has no clock.
    modifiedMs: 0,
    identity: String(node.inode),
    version: `${String(node.inode)}:${String(node.version)}`,
  };
}

/** An empty name, `.` or `..` in a path. */
const UNRESOLVED = /\/(?:\.{0,2})(?:\/|$)/;

/** Resolves `.` and `..` in an absolute path. */
export function normalize(path: string): string {
  if (path.startsWith('/') && !UNRESOLVED.test(path)) return path;
  const names: string[] = [];
  for (const name of path.split('/')) {
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  }
  return `/${names.join('/')}`;
}

/** Returns a copy of the bytes of a content, text in UTF-8. */
export function bytesOf(content: string | Uint8Array): Uint8Array {
  return typeof content === 'string' ? new TextEncoder().encode(content) : content.slice();
}

/** Changes the owner; -1 keeps a user or group. */
export function own(node: MemoryNode, uid: number, gid: number): void {
  if (uid !== -1) node.uid = uid;
  if (gid !== -1) node.gid = gid;
}
