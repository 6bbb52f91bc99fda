/** The CPU and the memory of a process are accounted in different cgroups, so that none of them shows both. */
export class ProcessCgroupError extends Error {
  override readonly name = 'ProcessCgroupError';
}

/**
 * Returns the cgroup that accounts for a process, from the text of `/proc/<pid>/cgroup`; `undefined` when there is none. With cgroup v1 it is that of systemd, or
 * else that of the CPU.
 *
 * @throws ProcessCgroupError when CPU and memory are in different cgroups
 */
export function cgroupOfProcess(text: string): string | undefined {
  const paths = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [, controllers, path] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? [];
    if (controllers === undefined || path === undefined) continue;
    for (const controller of controllers.split(',')) paths.set(controller, path);
  }
  const [cpu, memory] = [paths.get('cpu'), paths.get('memory')];
  if (cpu === undefined && memory === undefined) return paths.get('');
  if (cpu === undefined || memory === undefined) return undefined;
  if (cpu !== memory)
    throw new ProcessCgroupError(`cpu and memory cgroup hierarchy not unified.  cpu: ${cpu}, memory: ${memory}`);
  return paths.get('name=systemd') ?? cpu;
}
