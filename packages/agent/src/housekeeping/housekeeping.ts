import { createLifetime, errorMessage, type Logger, type Metrics } from '@rxlet/component-base';
import type { Pod } from '@rxlet/kube-api';
import type { Pleg } from '@rxlet/pleg';
import type { PodConfig } from '@rxlet/pod-source';
import { couldHaveRunningContainers, isKnownTerminated, type PodWorkers } from '@rxlet/pod-workers';
import { isStaticPod, podFullName } from '@rxlet/pod-model';
import type { Prober } from '@rxlet/prober';
import type { FileSystem } from '@rxlet/runtime-manager';
import type { StatusManager } from '@rxlet/status-manager';
import type { PodView } from '../outputs/pod-view.ts';
import { type MirrorPods, noMirrorPods } from '../pod-syncer/mirror-pods.ts';
import { createOrphanDirectories } from './orphan-directories.ts';
import type { PodCgroupCleaner } from './pod-cgroup-cleaner.ts';
import { createPodCounts } from './pod-counts.ts';

/** What housekeeping looks at, and what it may take from. */
export interface HousekeepingPorts {
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly config: Pick<PodConfig, 'sourcesReady' | 'pods'>;
  readonly pleg: Pick<Pleg, 'pods'>;
  readonly workers: Pick<PodWorkers, 'retain' | 'podsSynced' | 'state' | 'states' | 'inspect' | 'terminateRuntimePod'>;
  /** Default: there is no API server that would show static pods. */
  readonly mirrorPods?: Pick<MirrorPods, 'fullNames' | 'remove'> | undefined;
  readonly statusManager: Pick<StatusManager, 'removeOrphaned'>;
  readonly prober: Pick<Prober, 'retainPods'>;
  readonly view: PodView;
  readonly files: Pick<FileSystem, 'list' | 'removeTree' | 'removeFile' | 'removeEmptyDirectory'>;
  /** The agent's own directory, as the kubelet's `--root-dir`. */
  readonly rootDirectory: string;
  /** Default: the agent makes no cgroups. */
  readonly podCgroupCleaner?: PodCgroupCleaner | undefined;
  /** A source has this pod, but no worker: it was overlooked. */
  readonly addMissing: (pod: Pod) => void;
}

/** Ends and removes what should not be there. Disposing of it waits for what is being removed. */
export interface Housekeeping extends AsyncDisposable {
  /** One round. What takes time goes on in the background, one round of it at a time. */
  run(): void;
}

/** Creates {@link Housekeeping}: the kubelet's HandlePodCleanups, in its order. */
export function createHousekeeping(ports: HousekeepingPorts): Housekeeping {
  const { logger, config, pleg, workers, statusManager, prober, view, podCgroupCleaner, addMissing } = ports;
  const { mirrorPods = noMirrorPods } = ports;
  const lifetime = createLifetime();
  const isHeld = (uid: string): boolean => pleg.pods().some((pod) => pod.uid === uid);
  const isDesired = (uid: string): boolean => config.pods().some((pod) => uidOf(pod) === uid);
  const isKnown = (uid: string): boolean => workers.state(uid) !== undefined || isDesired(uid) || isHeld(uid);
  const directories = createOrphanDirectories({ files: ports.files, logger, isKnown }, ports.rootDirectory);
  const count = createPodCounts(ports.metrics);
  const destroying = new Set<string>();
  let cleaning = false;

  const clean = async (): Promise<void> => {
    cleaning = true;
    try {
      await attempt('removing directories of pods that are gone', () => directories.remove(lifetime.signal));
      await removeOrphanMirrors();
      await attempt('looking for cgroups of pods that are gone', removeCgroups);
    } finally {
      cleaning = false;
    }
  };

  /** The mirror of a static pod stays until that has come to its end, so that its end can be seen. */
  const removeOrphanMirrors = async (): Promise<void> => {
    const mirrors = [...mirrorPods.fullNames()];
    if (mirrors.length === 0) return;
    const kept = new Set(config.pods().filter(isStaticPod).map(podFullName));
    for (const { pod, state } of workers.inspect()) if (state.kind !== 'finished') kept.add(pod);
    for (const fullName of mirrors) {
      if (kept.has(fullName)) continue;
      await attempt(`removing the mirror of ${fullName}`, () => mirrorPods.remove(fullName, lifetime.signal));
    }
  };

  const removeCgroups = async (): Promise<void> => {
    for (const uid of (await podCgroupCleaner?.list(lifetime.signal)) ?? []) {
      if (mayRun(uid) || destroying.has(uid)) continue;
      destroying.add(uid);
      // One that resists must not keep the others.
      void lifetime.track(
        attempt(`removing the cgroup of pod ${uid}`, () => podCgroupCleaner!.destroy(uid, lifetime.signal)).finally(
          () => destroying.delete(uid),
        ),
      );
    }
  };

  /** Whether something may run in the pod's cgroup, now or soon. What only the runtime holds has a worker by now, which ends it. */
  const mayRun = (uid: string): boolean => couldHaveRunningContainers(workers.state(uid), workers.podsSynced());

  const isActive = (pod: Pod): boolean => {
    const state = workers.state(uidOf(pod));
    return state !== undefined && !isKnownTerminated(state);
  };

  const attempt = async (what: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (!lifetime.signal.aborted) logger.warn(`${what} failed`, { error: errorMessage(error) });
    }
  };

  return {
    run() {
      // Until then a pod that nobody has mentioned may yet be.
      if (!config.sourcesReady() || lifetime.signal.aborted) return;
      const desired = new Set(config.pods().map(uidOf));
      workers.retain(desired);
      for (const { metadata } of view.list()) {
        const uid = metadata?.uid ?? '';
        if (!desired.has(uid) && workers.state(uid) === undefined) view.remove(uid);
      }
      const known = new Set([...desired, ...workers.states().keys()]);
      prober.retainPods(known);
      statusManager.removeOrphaned(known);
      for (const pod of config.pods()) if (workers.state(uidOf(pod)) === undefined) addMissing(pod);
      for (const held of pleg.pods()) if (workers.state(held.uid) === undefined) workers.terminateRuntimePod(held);
      const pods = config.pods();
      count({ desired: pods, active: pods.filter(isActive), mirrors: [...mirrorPods.fullNames()].length });
      if (!cleaning) void lifetime.track(clean());
    },
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}

function uidOf(pod: Pod): string {
  return pod.metadata?.uid ?? '';
}
