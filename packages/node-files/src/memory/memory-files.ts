import type { HostFiles } from '../host-files.ts';
import type { NodeFiles } from '../node-files.ts';
import { memoryHostFiles, type MemoryWatch } from './memory-host-files.ts';
import { memoryDirectoryHandle } from './memory-directory-handle.ts';
import { memoryNodeFiles, type MemoryNodeFilesPorts } from './memory-node-files.ts';
import { infoOf, type MemoryDirectory, type MemoryNode, MemoryTree, normalize } from './memory-tree.ts';
import type { FileInfo } from '../file-info.ts';

/** Options of {@link createMemoryFiles}. */
export interface MemoryFilesOptions {
  /** Roots of the agent's own directories. Default: `/`. */
  readonly roots?: readonly string[];
  /** Path → text of files that exist from the beginning, with mode 0644 and parents of mode 0755. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Files of a node in memory, for tests: the two ports on one tree, and a way to look into it and to break it. */
export interface MemoryFiles {
  readonly nodeFiles: NodeFiles;
  readonly hostFiles: HostFiles;
  /** Writes a file as a container or an administrator would, with its parents; watches see it. */
  put(path: string, content: string | Uint8Array, mode?: number): void;
  /** Opens a file for appending, as a runtime does with a log; creates it if there is none. What is appended goes to that file, also after a rename. */
  openToAppend(path: string): { append(text: string): void; close(): void };
  /** Creates a directory with its parents. */
  putDirectory(path: string, mode?: number): void;
  /** Creates a link, replacing what is there. */
  putLink(path: string, target: string): void;
  /** Creates a pipe, socket or block device. */
  putSpecial(path: string, kind: 'fifo' | 'socket' | 'block-device'): void;
  /**
   * Mounts a directory or file over an entry, as the kernel does; what was there is hidden until it is unmounted.
   *
   * @param source path of what is bind-mounted, links followed. Default: a new file system, an empty directory
   */
  mount(target: string, source?: string): void;
  /** Undoes the last mount on an entry. @throws Error when nothing is mounted there */
  unmount(target: string): void;
  /** Renames a file as a runtime or an administrator would; watches see it. */
  rename(from: string, to: string): void;
  /** Empties a file in place. */
  truncate(path: string): void;
  /** Removes whatever is at a path; watches see it. */
  remove(path: string): void;
  /** Returns the text of a file, links followed; `undefined` when there is none. */
  text(path: string): string | undefined;
  /** Returns the content of a file, links followed; `undefined` when there is none. */
  bytes(path: string): Uint8Array | undefined;
  /** Describes the entry at a path, a link as a link. */
  info(path: string): FileInfo | undefined;
  /** Returns the paths of all entries but directories, sorted; a link as `path -> target`. */
  paths(): readonly string[];
  /** Makes changes that no watch reports, as when events are lost. */
  unseen(change: () => void): void;
  /** Ends all watches with an error. */
  endWatches(error: Error): void;
  /** Number of open watches. */
  readonly openWatches: number;
  /** Number of files and directories that are open through the ports. */
  readonly openHandles: number;
  /**
   * Sets a fault that is consulted before each call of the ports, and as `stat` for each entry of a listing of the host: it may throw, or return a promise that the
   * call waits for, except for `watch`. `undefined` removes it.
   */
  fault: ((operation: string, path: string) => void | Promise<void>) | undefined;
}

/** Creates {@link MemoryFiles}. */
export function createMemoryFiles({ roots = ['/'], files = {} }: MemoryFilesOptions = {}): MemoryFiles {
  const tree = new MemoryTree();
  const watches = new Set<MemoryWatch>();
  let isUnseen = false;
  const changed = (path: string, isPlaced = false): void => {
    if (isUnseen) return;
    for (const watch of [...watches]) watch.changed(path, isPlaced);
  };
  const parentOf = (path: string): MemoryDirectory => {
    let node = tree.root;
    for (const name of normalize(path).split('/').filter(Boolean).slice(0, -1)) {
      let next = node.entries.get(name);
      if (next === undefined) node.entries.set(name, (next = tree.newDirectory(0o755)));
      if (next.kind === 'symlink') {
        const target = tree.follow(next.target);
        if (target !== undefined) next = target;
      }
      if (next.kind !== 'directory') throw new Error(`${name} in ${path} is a ${next.kind}, expected a directory`);
      node = next;
    }
    return node;
  };
  const put = (path: string, node: MemoryNode, isPlaced = false): void => {
    parentOf(path).entries.set(nameOf(path), node);
    changed(normalize(path), isPlaced);
  };

  const ports: MemoryNodeFilesPorts = { tree, roots, changed, check: (...call) => memory.fault?.(...call) };
  const memory: MemoryFiles = {
    nodeFiles: memoryNodeFiles(ports),
    hostFiles: memoryHostFiles({
      ...ports,
      watches,
      openDirectory: (directory, path) => memoryDirectoryHandle(directory, path, ports),
    }),
    put(path, content, mode = 0o644) {
      const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
      const old = parentOf(path).entries.get(nameOf(path));
      if (old?.kind !== 'file') {
        put(path, tree.newFile(mode, bytes));
        return;
      }
      old.bytes = bytes;
      old.mode = mode;
      tree.touch(old);
      changed(normalize(path));
    },
    openToAppend(path) {
      if (memory.info(path) === undefined) memory.put(path, '');
      const file = parentOf(path).entries.get(nameOf(path));
      if (file?.kind !== 'file') throw new Error(`${path} is not a regular file`);
      return {
        append(text) {
          file.bytes = Buffer.concat([file.bytes, Buffer.from(text)]);
          tree.touch(file);
          changed(normalize(path));
        },
        close: () => undefined,
      };
    },
    mount(target, source) {
      const node = source === undefined ? tree.newDirectory(0o1777) : tree.follow(source);
      const parent = parentOf(target);
      const hidden = parent.entries.get(nameOf(target));
      if (node === undefined) throw new Error(`there is no ${String(source)}`);
      if (hidden === undefined) throw new Error(`there is no ${target}`);
      if (parent.covered?.has(nameOf(target)) === true) throw new Error(`something is mounted on ${target} already`);
      (parent.covered ??= new Map()).set(nameOf(target), hidden);
      parent.entries.set(nameOf(target), node);
    },
    unmount(target) {
      const parent = parentOf(target);
      const hidden = parent.covered?.get(nameOf(target));
      if (hidden === undefined) throw new Error(`nothing is mounted on ${target}`);
      parent.covered?.delete(nameOf(target));
      parent.entries.set(nameOf(target), hidden);
    },
    rename(from, to) {
      const node = parentOf(from).entries.get(nameOf(from));
      if (node === undefined) throw new Error(`there is no ${from}`);
      parentOf(from).entries.delete(nameOf(from));
      changed(normalize(from));
      put(to, node, true);
    },
    truncate: (path) => memory.put(path, '', memory.info(path)?.mode),
    unseen(change) {
      isUnseen = true;
      try {
        change();
      } finally {
        isUnseen = false;
      }
    },
    endWatches: (error) => [...watches].forEach((watch) => watch.end(error)),
    get openWatches() {
      return watches.size;
    },
    get openHandles() {
      return tree.openHandles;
    },
    putDirectory: (path, mode = 0o755) => put(path, tree.newDirectory(mode)),
    putLink: (path, target) => put(path, tree.newLink(target)),
    putSpecial: (path, kind) => put(path, tree.newSpecial(kind)),
    remove(path) {
      parentOf(path).entries.delete(nameOf(path));
      changed(normalize(path));
    },
    text(path) {
      const bytes = memory.bytes(path);
      return bytes && new TextDecoder().decode(bytes);
    },
    bytes(path) {
      const node = tree.follow(path);
      return node?.kind === 'file' ? node.bytes.slice() : undefined;
    },
    info(path) {
      const above = tree.follow(normalize(`${path}/..`));
      const node = above?.kind === 'directory' ? above.entries.get(nameOf(path)) : undefined;
      return node && infoOf(node);
    },
    paths: () => [...leaves(tree.root, '')].toSorted(),
    fault: undefined,
  };
  for (const [path, text] of Object.entries(files)) memory.put(path, text);
  return memory;
}

function nameOf(path: string): string {
  return normalize(path).split('/').at(-1)!;
}

function* leaves(directory: MemoryDirectory, path: string): Generator<string> {
  for (const [name, node] of directory.entries) {
    const below = `${path}/${name}`;
    if (node.kind === 'directory') yield* leaves(node, below);
    else yield node.kind === 'symlink' ? `${below} -> ${node.target}` : below;
  }
}
