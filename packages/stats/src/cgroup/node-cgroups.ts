import type { Clock } from '@rxlet/component-base';
import { memoryInfoBytes } from '@rxlet/machine';
import type { CgroupStats, PodCgroupStats } from '../summary/cgroup-stats.ts';
import { noCgroupStats } from '../summary/cgroup-stats.ts';
import type { CgroupReader, CgroupSample } from './cgroup-sample.ts';
import type { KernelFiles } from './kernel-files.ts';
import { type InterfaceCounts, parseNetDev } from './net-dev.ts';
import { containerIdOf, podUidOf } from './pod-cgroup-names.ts';
import { createCgroupRates } from './rates.ts';
import { toCgroupStats, toNetworkStats } from './to-cgroup-stats.ts';

/** Ports of {@link createNodeCgroups}. */
export interface NodeCgroupsPorts {
  readonly kernelFiles: KernelFiles;
  /** `undefined` on a node without cgroups. */
  readonly reader: CgroupReader | undefined;
  readonly clock: Clock;
  /** Returns the path of the cgroup of all pods; `undefined` when the runtime chooses the cgroups of containers. */
  podsPath(): string | undefined;
}

/** Cgroups of a node, as far as they concern its pods. */
export interface NodeCgroups {
  /** Measures the machine as a whole. */
  root(): CgroupStats | undefined;
  /** Measures a cgroup by its path. */
  measure(path: string): (CgroupStats & { readonly createdMs: number }) | undefined;
  /** Measures the cgroups of pods and containers, and the networks of these sandboxes. */
  pods(sandboxIds: ReadonlySet<string>, signal?: AbortSignal, podUids?: ReadonlySet<string>): Promise<PodCgroupStats>;
  /** Measures only the memory of a cgroup. */
  memory(path: string): CgroupStats['memory'] | undefined;
  /** Finds the cgroups below that of all pods, parents before children. */
  find(signal?: AbortSignal): AsyncIterable<PodCgroup>;
  /** Returns a sample of a cgroup. That of the root has the limits of the machine. */
  sample(path: string): CgroupSample | undefined;
  /** Returns the interfaces in the network of a cgroup's first process. */
  interfaces(path: string): readonly InterfaceCounts[];
}

/** A cgroup below that of all pods. */
export interface PodCgroup {
  readonly path: string;
  /** `undefined` for the cgroups of all pods and of the classes. */
  readonly podUid: string | undefined;
  /** Id of the container or sandbox; `undefined` for the pod's own cgroup. */
  readonly containerId: string | undefined;
}

/** Creates {@link NodeCgroups}. Nothing is read but on request. */
export function createNodeCgroups({ kernelFiles, reader, clock, podsPath }: NodeCgroupsPorts): NodeCgroups {
  const rates = createCgroupRates();
  const sample = (path: string): CgroupSample | undefined => {
    const taken = reader?.sample(path, clock.now());
    return path === '/' && taken !== undefined ? withLimitsOf(taken, kernelFiles.read('/proc/meminfo') ?? '') : taken;
  };
  const measure = (path: string): CgroupStats | undefined => {
    const taken = sample(path);
    if (taken === undefined || reader === undefined) return undefined;
    const io = reader.hasIo ? { psi: reader.ioPressure(path) } : undefined;
    return toCgroupStats(taken, { usageNanoCores: rates.update(taken), io });
  };
  const interfaces = (path: string): readonly InterfaceCounts[] => {
    const pid = path === '/' ? 1 : reader?.processes(path)[0];
    return pid === undefined ? [] : parseNetDev(kernelFiles.read(`/proc/${String(pid)}/net/dev`));
  };

  async function* find(signal?: AbortSignal): AsyncIterable<PodCgroup> {
    const pods = podsPath();
    if (reader === undefined || pods === undefined) return;
    const classes = [pods];
    yield { path: pods, podUid: undefined, containerId: undefined };
    for (const parent of classes) {
      for (const path of await reader.children(parent)) {
        signal?.throwIfAborted();
        const podUid = podUidOf(path);
        if (podUid === undefined) {
          // The cgroups of the QoS classes are in that of all pods, and have pods in them.
          if (parent === pods) classes.push(path);
          yield { path, podUid, containerId: undefined };
          continue;
        }
        yield { path, podUid, containerId: undefined };
        for (const child of await reader.children(path)) {
          yield { path: child, podUid, containerId: containerIdOf(child) };
        }
      }
    }
  }

  return {
    sample,
    interfaces,
    find,
    root() {
      const stats = measure('/');
      const network = stats && toNetworkStats(stats.cpu.time, interfaces('/'));
      return stats && { ...stats, ...(network && { network }) };
    },
    measure(path) {
      const stats = measure(path);
      return stats && { ...stats, createdMs: reader?.createdMs(path) ?? 0 };
    },
    memory(path) {
      const taken = sample(path);
      return taken?.memory === undefined
        ? undefined
        : toCgroupStats(taken, { usageNanoCores: undefined, io: undefined }).memory;
    },
    async pods(sandboxIds, signal, podUids) {
      if (reader === undefined) return noCgroupStats;
      const pods = new Map<string, CgroupStats>();
      const containers = new Map<string, CgroupStats>();
      for await (const { path, podUid, containerId } of find(signal)) {
        if (podUid === undefined || podUids?.has(podUid) === false) continue;
        const stats = measure(path);
        if (stats === undefined) continue;
        if (containerId === undefined) pods.set(podUid, stats);
        else if (sandboxIds.has(containerId)) {
          const network = toNetworkStats(stats.cpu.time, interfaces(path));
          containers.set(containerId, { ...stats, ...(network && { network }) });
        } else containers.set(containerId, { ...stats, processes: reader.processes(path).length });
      }
      rates.collectGarbage(clock.now());
      return { ofPod: (uid) => pods.get(uid), ofContainer: (id) => containers.get(id) };
    },
  };
}

/** Returns the root's sample with the memory of the machine as its limits. */
function withLimitsOf(sample: CgroupSample, meminfo: string): CgroupSample {
  const { memory } = sample;
  if (memory === undefined) return sample;
  const limitBytes = memoryInfoBytes(meminfo, 'MemTotal');
  return { ...sample, memory: { ...memory, limitBytes, swapLimitBytes: memoryInfoBytes(meminfo, 'SwapTotal') } };
}
