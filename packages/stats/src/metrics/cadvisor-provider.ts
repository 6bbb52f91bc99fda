import { errorMessage, type Logger } from '@rxlet/component-base';
import type { Labels } from '@rxlet/component-base/metrics';
import type { RuntimeService } from '@rxlet/cri-api';
import type { Pod } from '@rxlet/kube-api';
import type { Machine } from '@rxlet/machine';
import { findPodContainer, PodLabel, podUid } from '@rxlet/pod-model';
import type { CgroupReader } from '../cgroup/cgroup-sample.ts';
import type { KernelFiles } from '../cgroup/kernel-files.ts';
import type { NodeCgroups, PodCgroup } from '../cgroup/node-cgroups.ts';
import type { CgroupEntry } from './cgroup-entry.ts';
import type { MetricFamily, MetricSample } from './exposition.ts';
import { fileSystemFamilies } from './file-system-metrics.ts';
import { machineMetrics, parseCpuTopology } from './machine-metrics.ts';
import { countProcesses } from './process-counts.ts';
import { cgroupMetrics } from './cgroup-metrics.ts';

/** Ports of {@link createCadvisorProvider}. */
export interface CadvisorProviderPorts {
  readonly runtime: Pick<RuntimeService, 'listContainers' | 'listPodSandbox'>;
  readonly cgroups: NodeCgroups;
  readonly reader: CgroupReader | undefined;
  readonly kernelFiles: KernelFiles;
  readonly machine: Pick<Machine, 'facts'>;
  /** Returns the pods of the node. */
  pods(): readonly Pod[];
  /** Returns the paths of further cgroups. Default: none. */
  readonly systemCgroups?: (() => readonly (string | undefined)[]) | undefined;
  readonly logger: Logger;
}

/** Returns the metrics of `/metrics/cadvisor`: the machine, every cgroup of pods, and those of the system with the ones in them. */
export type CadvisorProvider = (signal?: AbortSignal) => Promise<readonly MetricFamily[]>;

/** Identity of a container, a sandbox or a pod. */
interface Owner {
  readonly image: string;
  readonly pod: string;
  readonly namespace: string;
  readonly container: string;
  readonly isSandbox: boolean;
}

const NO_OWNER: Owner = { image: '', pod: '', namespace: '', container: '', isSandbox: false };

/** Creates a {@link CadvisorProvider}. Nothing is read but on request. */
export function createCadvisorProvider(ports: CadvisorProviderPorts): CadvisorProvider {
  const { runtime, cgroups, reader, kernelFiles, machine, logger } = ports;

  const readOwners = async (signal: AbortSignal | undefined): Promise<ReadonlyMap<string, Owner>> => {
    const [{ containers }, { items }] = await Promise.all([
      runtime.listContainers({}, { signal }),
      runtime.listPodSandbox({}, { signal }),
    ]);
    const owners = new Map<string, Owner>();
    const pods = new Map(ports.pods().map((pod) => [podUid(pod), pod]));
    for (const { id, metadata, labels } of items) {
      const owner = { ...NO_OWNER, pod: metadata?.name ?? '', namespace: metadata?.namespace ?? '', isSandbox: true };
      owners.set(id, owner);
      const uid = labels[PodLabel.podUid] ?? metadata?.uid ?? '';
      owners.set(podKey(uid), { ...owner, isSandbox: false });
    }
    for (const { id, image, labels } of containers) {
      owners.set(id, {
        image: imageName(pods.get(labels[PodLabel.podUid] ?? ''), labels, image),
        pod: labels[PodLabel.podName] ?? '',
        namespace: labels[PodLabel.podNamespace] ?? '',
        container: labels[PodLabel.containerName] ?? '',
        isSandbox: false,
      });
    }
    return owners;
  };

  const readEntry = async (
    path: string,
    labels: Labels,
    hasNetwork: boolean,
    deviceNames: CgroupEntry['deviceNames'],
  ): Promise<CgroupEntry | undefined> => {
    const sample = cgroups.sample(path);
    if (sample === undefined || reader === undefined) return undefined;
    return {
      labels,
      sample,
      deviceNames,
      details: reader.details(path),
      interfaces: hasNetwork ? cgroups.interfaces(path) : [],
      ioPressure: reader.ioPressure(path),
      // The processes of the root are those of the system: cAdvisor counts those without a cgroup of their own only.
      processes: await countProcesses(kernelFiles, reader.processes(path)),
    };
  };

  /** Finds the cgroups of the system and those in them. All of the machine's would be too many: an agent in the root has none of its own. */
  async function* findSystemCgroups(signal: AbortSignal | undefined): AsyncIterable<string> {
    const found = (ports.systemCgroups?.() ?? []).filter((path) => path !== undefined && path !== '/');
    for (const path of found) {
      if (path === undefined) continue;
      signal?.throwIfAborted();
      yield path;
      found.push(...((await reader?.children(path)) ?? []));
    }
  }

  const readEntries = async (signal: AbortSignal | undefined): Promise<readonly CgroupEntry[]> => {
    const owners = await readOwners(signal);
    const deviceNames = parseDeviceNames(kernelFiles.read('/proc/diskstats'));
    const entries = [await readEntry('/', labelsOf('/', '', NO_OWNER), true, deviceNames)];
    for await (const cgroup of cgroups.find(signal)) {
      const owner = ownerOf(cgroup, owners);
      if (owner === undefined) continue;
      const labels = labelsOf(cgroup.path, cgroup.containerId ?? '', owner);
      entries.push(await readEntry(cgroup.path, labels, owner.isSandbox, deviceNames));
    }
    const paths = new Set(entries.flatMap((entry) => entry?.labels['id'] ?? []));
    for await (const path of findSystemCgroups(signal)) {
      if (paths.has(path)) continue;
      paths.add(path);
      entries.push(await readEntry(path, labelsOf(path, '', NO_OWNER), false, deviceNames));
    }
    return entries.filter((entry) => entry !== undefined);
  };

  return async (signal) => {
    const facts = await machine.facts();
    const general = machineMetrics(facts, parseCpuTopology(kernelFiles.read('/proc/cpuinfo')));
    try {
      const entries = await readEntries(signal);
      const files = await fileSystemFamilies(kernelFiles, labelsOf('/', '', NO_OWNER), entries[0]?.sample.timeMs);
      return merge([...general, ...cgroupFamilies(entries), ...files, ...scrapeErrors(0)]);
    } catch (error) {
      signal?.throwIfAborted();
      logger.warn('cannot measure the containers', { error: errorMessage(error) });
      return [...general, ...scrapeErrors(1)];
    }
  };
}

/** Returns whom a cgroup belongs to; `undefined` for a container that the runtime does not have. */
function ownerOf({ podUid, containerId }: PodCgroup, owners: ReadonlyMap<string, Owner>): Owner | undefined {
  if (containerId !== undefined) return owners.get(containerId);
  return (podUid === undefined ? undefined : owners.get(podKey(podUid))) ?? NO_OWNER;
}

/** Returns the name of an image as users know it: the runtime may report its digest instead. */
function imageName(
  pod: Pod | undefined,
  labels: Readonly<Record<string, string>>,
  image: { readonly image: string; readonly userSpecifiedImage: string } | undefined,
): string {
  const container = pod && findPodContainer(pod, labels[PodLabel.containerName] ?? '');
  return image?.userSpecifiedImage || container?.container.image || image?.image || '';
}

function podKey(uid: string): string {
  return `pod ${uid}`;
}

function labelsOf(path: string, name: string, { image, pod, namespace, container }: Owner): Labels {
  return { container, id: path, image, name, namespace, pod };
}

/** Parses the numbers and names of devices, such as `8:0` and `/dev/sda`. */
function parseDeviceNames(diskstats: string | undefined): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const line of (diskstats ?? '').split('\n')) {
    const [major, minor, name] = line.trim().split(/\s+/);
    if (name !== undefined) names.set(`${String(major)}:${String(minor)}`, `/dev/${name}`);
  }
  return names;
}

function scrapeErrors(containers: number): readonly MetricFamily[] {
  const family = (of: string, help: string, value: number): MetricFamily => {
    return { name: `${of}_scrape_error`, help, type: 'gauge', samples: [{ value }] };
  };
  return [
    family('container', '1 if there was an error while getting container metrics, 0 otherwise', containers),
    family('machine', '1 if there was an error while getting machine metrics, 0 otherwise.', 0),
  ];
}

/** Joins families of one name, which must not appear twice. Of the machine's disks, the file systems' own counts win over those of the root cgroup. */
function merge(families: readonly MetricFamily[]): readonly MetricFamily[] {
  return [...Map.groupBy(families, ({ name }) => name).values()].map((same) => {
    if (same.length === 1) return same[0]!;
    const byLabels = new Map(
      same.flatMap(({ samples }) => samples).map((sample) => [JSON.stringify(sample.labels), sample]),
    );
    return { ...same[0]!, samples: [...byLabels.values()] };
  });
}

/** Returns the metrics of these cgroups. Each cgroup has the same labels. */
function cgroupFamilies(entries: readonly CgroupEntry[]): readonly MetricFamily[] {
  return cgroupMetrics.map(({ name, help, type, read, isSetting = false }) => ({
    name,
    help,
    type,
    samples: entries.flatMap((entry): readonly MetricSample[] => {
      const values = read(entry);
      if (values === undefined) return [];
      const { labels } = entry;
      const time = isSetting ? {} : { timeMs: entry.sample.timeMs };
      if (typeof values === 'number') return [{ labels, value: values, ...time }];
      return values.map((sample) => ({ labels: { ...labels, ...sample.labels }, value: sample.value, ...time }));
    }),
  }));
}
