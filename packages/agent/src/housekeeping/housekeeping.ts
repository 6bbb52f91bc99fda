import type { NodeIdentity } from '@rxlet/agent-api';
import type { HousekeepingStep } from '@rxlet/agent-api/housekeeping';
import type { MirrorPods } from '@rxlet/agent-api/statuses';
import { createLifetime, errorMessage, type Logger } from '@rxlet/component-base';
import type { Metrics } from '@rxlet/component-base/metrics';
import type { Pod } from '@rxlet/kube-api';
import type { Pleg } from '@rxlet/pleg';
import type { PodConfig } from '@rxlet/pod-config';
import { isKnownTerminated, type PodWorkers } from '@rxlet/pod-workers';
import { isStaticPod, podFullName, podUid } from '@rxlet/pod-model';
import type { NodeFiles } from '@rxlet/node-files';
import type { StatusManager } from '@rxlet/status-manager';
import type { JournalRecorder } from '../journal/journal-recorder.ts';
import type { PodView } from '../outputs/pod-view.ts';
import { createIsolatedSteps, type StepFailures } from './isolated-steps.ts';
import { mayRun } from './may-run.ts';
import { createOrphanDirectories } from './orphan-directories.ts';
import { createPodCounts } from './pod-counts.ts';

/** Dependencies of {@link createHousekeeping}. */
export interface HousekeepingPorts {
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly config: Pick<PodConfig, 'sourcesReady' | 'pods' | 'find'>;
  readonly pleg: Pick<Pleg, 'pods' | 'find'>;
  readonly workers: Pick<PodWorkers, 'retain' | 'state' | 'states' | 'inspect' | 'terminateRuntimePod'>;
  /** Default: none, as without an API server. */
  readonly mirrorPods?: Pick<MirrorPods, 'fullNames' | 'remove'> | undefined;
  readonly statusManager: Pick<StatusManager, 'removeOrphaned'>;
  readonly view: PodView;
  readonly journal: Pick<JournalRecorder, 'retain'>;
  readonly files: Pick<NodeFiles, 'list' | 'removeTree' | 'removeFile' | 'removeEmptyDirectory'>;
  readonly node: Pick<NodeIdentity, 'rootDirectory'>;
  /** Steps of modules. */
  readonly housekeeping: readonly HousekeepingStep[];
  /** Gets the failed steps of the latest round. */
  readonly failures: Pick<StepFailures, 'errors'>;
  /** Adds a desired pod, unless it has a worker, waits for its admission or was rejected. */
  readonly addMissing: (pod: Pod) => void;
  /** Reports whether a desired pod waits to be added. */
  readonly awaitsAdmission: (podUid: string) => boolean;
}

/** Terminates orphaned pods and removes their mirrors, directories and statuses. Disposal waits for the removals in flight. */
export interface Housekeeping extends AsyncDisposable {
  /** Runs one round. Steps are isolated from each other; slow ones run in the background, one round of them at a time. */
  run(): void;
}

/** Creates {@link Housekeeping}: the kubelet's HandlePodCleanups, in its order. */
export function createHousekeeping(ports: HousekeepingPorts): Housekeeping {
  const { logger, config, pleg, workers, statusManager, view, addMissing, awaitsAdmission, mirrorPods } = ports;
  const lifetime = createLifetime();
  const { signal } = lifetime;
  const steps = createIsolatedSteps({ job: 'housekeeping', logger, failures: ports.failures, signal });
  const isRunning = (uid: string): boolean => mayRun(pleg.find(uid));
  const isDesired = (uid: string): boolean => config.find(uid) !== undefined;
  const isKnown = (uid: string): boolean => workers.state(uid) !== undefined || isDesired(uid) || isRunning(uid);
  const directories = createOrphanDirectories({ files: ports.files, logger, isKnown }, ports.node.rootDirectory);
  const count = createPodCounts(ports.metrics);
  const running = new Set<HousekeepingStep>();
  let cleaning = false;

  const clean = async (): Promise<void> => {
    cleaning = true;
    await steps.runAsync('remove orphaned pod directories', () => directories.remove(signal));
    await steps.runAsync('remove orphaned mirror pods', removeOrphanedMirrors);
    cleaning = false;
  };

  /** Keeps the mirror of a static pod until the pod has finished, so that the API server shows its termination. */
  const removeOrphanedMirrors = async (): Promise<void> => {
    if (mirrorPods === undefined) return;
    const mirrors = [...mirrorPods.fullNames()];
    if (mirrors.length === 0) return;
    const kept = new Set(config.pods().filter(isStaticPod).map(podFullName));
    for (const { pod, state } of workers.inspect()) if (state.kind !== 'finished') kept.add(pod);
    for (const fullName of mirrors) {
      if (kept.has(fullName)) continue;
      await attempt(`cannot remove the mirror of ${fullName}`, () => mirrorPods.remove(fullName, signal));
    }
  };

  /** Runs a step of a module, in the background when it is asynchronous, so that a slow one delays no other. */
  const runStep = (step: HousekeepingStep, knownPodUids: ReadonlySet<string>): void => {
    const work = steps.runEither(`run ${step.name}`, () => step.run({ knownPodUids, signal }));
    if (work === undefined) return;
    running.add(step);
    void lifetime.track(work.then(() => void running.delete(step)));
  };

  const isActive = (pod: Pod): boolean => {
    const state = workers.state(podUid(pod));
    return state !== undefined && !isKnownTerminated(state);
  };

  const attempt = async (failure: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (!signal.aborted) logger.warn(failure, { error: errorMessage(error) });
    }
  };

  const isUnknown = (uid: string): boolean => workers.state(uid) === undefined;

  return {
    run() {
      // Before that, any pod may belong to a source that has not reported yet.
      if (!config.sourcesReady() || signal.aborted) return;
      const pods = config.pods();
      const desired = new Set(pods.map(podUid));
      const known = (): Set<string> => new Set([...desired, ...workers.states().keys()]);
      steps.run('terminate removed pods', () => workers.retain(desired));
      steps.runEach('forget removed pods', view.all().map(podUid), (uid) => {
        if (!desired.has(uid) && isUnknown(uid)) view.remove(uid);
      });
      steps.run('forget statuses of removed pods', () => statusManager.removeOrphaned(known()));
      steps.runEach('add missing pods', pods, addMissing);
      steps.runEach('terminate orphaned pods', pleg.pods().filter(mayRun), (pod) => {
        // A desired pod of an earlier run of the agent keeps running until its admission is decided, however often that fails.
        if (isUnknown(pod.uid) && !awaitsAdmission(pod.uid)) workers.terminateRuntimePod(pod);
      });
      steps.run('count pods', () =>
        count({ desired: pods, active: pods.filter(isActive), mirrors: [...(mirrorPods?.fullNames() ?? [])].length }),
      );
      if (!cleaning) void lifetime.track(clean());
      const knownPodUids = known();
      steps.run('end the journals of removed pods', () => ports.journal.retain(knownPodUids));
      for (const step of ports.housekeeping) if (!running.has(step)) runStep(step, knownPodUids);
    },
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}
