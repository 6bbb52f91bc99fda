import type { KernelFiles } from './kernel-files.ts';

/**
 * Returns when a cgroup was created, in milliseconds since the epoch; 0 when it is not known. A directory is modified with each cgroup that is created in it, a file
 * of the kernel in it hardly ever.
 */
export function createdAt(files: KernelFiles, directory: string | undefined, file: string): number {
  if (directory === undefined) return 0;
  const times = [files.modifiedMs(directory), files.modifiedMs(`${directory}/${file}`)];
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? 0 : Math.min(...known);
}

const FILES_WITHOUT_DOT: ReadonlySet<string> = new Set(['notify_on_release', 'release_agent', 'tasks']);

/** Reports whether an entry of a cgroup's directory is a cgroup, and not a file of the kernel. All but a few of those have a dot, as units of systemd. */
export function isCgroupName(name: string): boolean {
  return name.includes('.') ? /\.(?:slice|scope|service)$/.test(name) : !FILES_WITHOUT_DOT.has(name);
}
