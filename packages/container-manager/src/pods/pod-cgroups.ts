import { inSpan, type Journal } from '@rxlet/agent-api/journal';
import type { PodCgroups } from '@rxlet/agent-api/node';
import { type Clock, errorMessage, type Logger } from '@rxlet/component-base';
import type { Pod } from '@rxlet/kube-api';
import { formatPod, podUid, type QosClass } from '@rxlet/pod-model';
import {
  type CgroupDriver,
  type CgroupName,
  cgroupPath,
  podCgroupName,
  podsCgroupName,
} from '@rxlet/pod-model/cgroups';
import type { CgroupFileSystem } from '../tree/cgroup-file-system.ts';
import type { CgroupTree } from '../tree/cgroup-tree.ts';
import { type QosCgroups, qosName } from '../tree/qos-cgroups.ts';
import { podValues, type PodValuesOptions } from '../values/pod-values.ts';
import { readPodCgroup } from './pod-cgroup-values.ts';

/** Dependencies of {@link createManagedPodCgroups}. */
export interface ManagedPodCgroupsPorts {
  readonly cgroups: CgroupFileSystem;
  readonly tree: CgroupTree;
  readonly qos: Pick<QosCgroups, 'update'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly journal: Journal;
}

/** Options of {@link createManagedPodCgroups}. */
export interface ManagedPodCgroupsOptions extends PodValuesOptions {
  /** Cgroup below which the cgroup of all pods is. */
  readonly root: CgroupName;
  readonly driver: CgroupDriver;
}

/** Cgroups of the pods of a node. */
export interface ManagedPodCgroups extends PodCgroups {
  /** Creates the cgroup of a pod with its values unless it exists. Of an earlier run of the agent, one without children may have been left without values. */
  ensure(pod: Pod): Promise<void>;
  /** Kills what is left in the cgroup of a pod and removes it, whatever the pod's QoS class. Rejects while processes remain. */
  remove(podUid: string, signal?: AbortSignal): Promise<void>;
  /** Returns the UIDs of the pods that have a cgroup. */
  list(): Promise<ReadonlySet<string>>;
  /** Lets a stopped pod use no more than the minimum of CPU, while its cgroup must stay. */
  throttle(podUid: string): Promise<void>;
}

const CLASSES: readonly QosClass[] = ['Guaranteed', 'Burstable', 'BestEffort'];
const POD = 'pod';
/** The kernel's minimum. */
const MIN_SHARES = 2;

/** Creates {@link ManagedPodCgroups}. */
export function createManagedPodCgroups(
  ports: ManagedPodCgroupsPorts,
  options: ManagedPodCgroupsOptions,
): ManagedPodCgroups {
  const { cgroups, tree, qos, clock, logger, journal } = ports;
  const { root, driver } = options;
  const nameOf = (pod: Pod): CgroupName => [...root, ...podCgroupName(pod)];
  /** Names of the cgroups that were created or found by this agent. */
  const known = new Map<string, CgroupName>();
  /** The cgroups that a pod may have: its UID does not show its class. */
  const namesOf = (uid: string): CgroupName[] => {
    const name = known.get(uid);
    return name === undefined ? CLASSES.map((qosClass) => [...qosName(root, qosClass), POD + uid]) : [name];
  };

  return {
    parentOf: (pod) => cgroupParent(nameOf(pod), driver),
    podsPath: () => tree.pathOf([...root, ...podsCgroupName]),
    async ensure(pod) {
      const name = nameOf(pod);
      const isKnown = known.has(podUid(pod));
      known.set(podUid(pod), name);
      const exists = await tree.exists(name);
      if (exists && isKnown) return;
      try {
        // The class must not limit the pod to the shares of those before, also when an earlier agent created its cgroup.
        await qos.update();
      } catch (error) {
        logger.warn('cannot update the cgroups of QoS classes', { pod: formatPod(pod), error: errorMessage(error) });
      }
      if (exists && (await cgroups.children(tree.pathOf(name))).length > 0) return;
      const create = (): Promise<void> => tree.create(name, podValues(pod, options));
      await inSpan(journal, pod.metadata, { kind: 'cgroup.create' }, create);
    },
    async remove(uid, signal) {
      const remove = async (): Promise<void> => {
        for (const name of namesOf(uid)) await tree.remove(name, { clock, signal });
      };
      await inSpan(journal, { uid }, { kind: 'cgroup.remove' }, remove, signal);
      known.delete(uid);
    },
    async list() {
      const uids = new Set<string>();
      for (const qosClass of CLASSES) {
        for (const child of await cgroups.children(tree.pathOf(qosName(root, qosClass)))) {
          const uid = podUidOf(child, driver);
          if (uid !== undefined) uids.add(uid);
        }
      }
      return uids;
    },
    async throttle(uid) {
      for (const name of namesOf(uid)) if (await tree.exists(name)) await tree.update(name, { cpuShares: MIN_SHARES });
    },
    async read(pod) {
      const values = await readPodCgroup(tree, nameOf(pod), cgroups.format);
      if (values === undefined) throw new Error(`the cgroup ${tree.pathOf(nameOf(pod))} does not exist`);
      return values;
    },
    write: (pod, values) => tree.update(nameOf(pod), values),
  };
}

/** Returns `cgroup_parent` of a CRI sandbox: the path for cgroupfs, the slice for systemd. */
function cgroupParent(name: CgroupName, driver: CgroupDriver): string {
  const path = cgroupPath(name, driver);
  return driver === 'cgroupfs' ? path : path.slice(path.lastIndexOf('/') + 1);
}

/** Returns the UID of the pod whose cgroup has this name in the file system; `undefined` for other cgroups. */
export function podUidOf(child: string, driver: CgroupDriver): string | undefined {
  const part = driver === 'cgroupfs' ? child : /(?:^|-)(pod[^-]+)\.slice$/.exec(child)?.[1];
  if (part?.startsWith(POD) !== true || part === POD) return undefined;
  const uid = part.slice(POD.length);
  return driver === 'cgroupfs' ? uid : uid.replaceAll('_', '-');
}
