import { PodRejectedError, PodStepError } from '@rxlet/agent-api';
import { failedOutcome, type Journal } from '@rxlet/agent-api/journal';
import type { MountableVolume } from '@rxlet/agent-api/volumes';
import {
  type Clock,
  DeadlineExceededError,
  errorMessage,
  type Logger,
  sleep,
  withDeadline,
} from '@rxlet/component-base';
import type { Pod, Volume } from '@rxlet/kube-api';
import { formatPod, podEventObject, podUid } from '@rxlet/pod-model';
import { isClaim } from './claimed-volume.ts';
import {
  type AnyVolumePlugin,
  definitionOf,
  type DesiredVolume,
  operationMessage,
  pluginOf,
  qualifiedPluginName,
  unmountedMessage,
  usedVolumes,
} from './desired-volumes.ts';
import { claimVolume, type ClaimVolumePorts, sourceVolume } from './mountable-volume.ts';
import type { SetUpProgress, VolumeSetUpPorts } from './set-up-steps.ts';
import { createVolumeSetUp } from './set-up-volume.ts';
import { limitVolumes, type LimitVolumes, type VolumeOperations } from './volume-operations.ts';
import type { ActualState } from './volume-states.ts';

/** Ports of {@link createVolumeMounting}. */
export interface VolumeMountingPorts extends VolumeSetUpPorts, ClaimVolumePorts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly journal: Journal;
  readonly plugins: readonly AnyVolumePlugin[];
  readonly operations: VolumeOperations;
}

/** Sets up the volumes of pods (kubelet: WaitForAttachAndMount with the reconciler's mounts). */
export interface VolumeMounting extends Disposable {
  /**
   * Waits until all volumes that containers of the pod use are set up, and brings those up to date whose content follows the API. Failures are events and are
   * retried until the kubelet's deadline of 123 seconds. An update that takes long continues in the background until the pod has ended, or the disposal.
   */
  mount(pod: Pod, signal: AbortSignal): Promise<void>;
  /** Ends the back-off of a pod's volumes and retries at once, because objects that they refer to have changed. */
  retry(podUid: string): void;
  /** Reports whether the pod wants its volumes: they were mounted, or are about to be, and the pod has not ended. */
  isWanted(podUid: string): boolean;
  /** Returns the volumes of all pods that have not ended. */
  desired(): readonly DesiredVolume[];
  /** Records that the pod has ended. */
  forget(podUid: string): void;
}

/** Volumes of a pod that are being mounted. */
interface PodMounting {
  readonly pod: Pod;
  readonly limited: LimitVolumes;
  readonly signal: AbortSignal;
}

/** Longest wait for the volumes of a pod; the next sync of the pod continues it. */
const MOUNT_TIMEOUT_MS = 123_000;
/** Longest wait for the update of a volume that the containers use already. Containers that have ended must not wait longer for their restart. */
const UPDATE_WAIT_MS = 10_000;
const FAILED_MOUNT = 'FailedMount';

/** Creates {@link VolumeMounting}. */
export function createVolumeMounting(ports: VolumeMountingPorts): VolumeMounting {
  const { clock, logger, events, journal, plugins, translations, operations, actual, attachments } = ports;
  const { expansion, metrics } = ports;
  const setUp = createVolumeSetUp(ports);
  /** Volumes of each pod that has not ended. */
  const wanted = new Map<string, readonly DesiredVolume[]>();
  /** Updates of volumes that run, by the UID of their pod. */
  const updates = new Map<string, { readonly stop: AbortController; readonly volumeNames: Set<string> }>();
  /** Aborts the waits of each pod that waits for a back-off. */
  const waits = new Map<string, AbortController>();

  const report = (pod: Pod, reason: string, message: string): void => {
    logger.warn('cannot mount a volume', { pod: formatPod(pod), error: message });
    events.event(podEventObject(pod), 'Warning', reason, message);
  };

  /** Sets a volume up once. Returns whether it is. */
  const attempt = async ({ pod, limited, signal }: PodMounting, desired: DesiredVolume): Promise<boolean> => {
    const { volume } = desired;
    const progress: SetUpProgress = { reason: FAILED_MOUNT, failure: '' };
    const isKnown = actual.ofPod(podUid(pod)).get(desired.name)?.isCertain === true;
    const span = journal.begin(pod.metadata, {
      kind: 'volume.mount',
      subject: desired.name,
      isQuiet: isKnown,
      attributes: { plugin: desired.plugin.name },
    });
    try {
      const work = (): Promise<void> => limited(() => setUp({ pod, desired, progress, signal }), signal);
      await operations.run(podUid(pod), volume.name, work, signal);
      span.end();
      return true;
    } catch (error) {
      const message = operationMessage(progress.failure, volume.name, `: ${errorMessage(error)}`);
      span.end(signal.aborted ? { result: 'cancelled' } : { ...failedOutcome(error, progress.reason), message });
      signal.throwIfAborted();
      report(pod, progress.reason, message);
      return false;
    }
  };

  /** Brings a volume up to date that containers use, unless an earlier sync has begun to. */
  const update = async (mounting: PodMounting, desired: DesiredVolume): Promise<void> => {
    const { pod, signal } = mounting;
    const uid = podUid(pod);
    const running = updates.get(uid) ?? { stop: new AbortController(), volumeNames: new Set() };
    if (running.volumeNames.has(desired.name)) return;
    updates.set(uid, running);
    running.volumeNames.add(desired.name);
    const { stop, volumeNames } = running;
    const untilStopped = { ...mounting, signal: AbortSignal.any([signal, stop.signal]) };
    const updated = attempt(untilStopped, desired).finally(() => {
      volumeNames.delete(desired.name);
      if (volumeNames.size === 0 && updates.get(uid) === running) updates.delete(uid);
    });
    await withDeadline(clock, UPDATE_WAIT_MS, signal, () => updated).catch(() => signal.throwIfAborted());
  };

  const stopUpdates = (uid: string): void => {
    updates.get(uid)?.stop.abort(new Error('the volume is not updated any more'));
    updates.delete(uid);
  };

  const mountOne = async (mounting: PodMounting, desired: DesiredVolume): Promise<void> => {
    const { pod, signal } = mounting;
    const { name, volume } = desired;
    const uid = podUid(pod);
    const beganMs = clock.monotonicNow();
    const known = actual.ofPod(uid).get(name);
    if (known?.isCertain === true) {
      // The containers run on with the content that they have.
      if (known.refreshes && operations.blockedForMs(uid, volume.name) === 0) await update(mounting, desired);
      if (volume.persistent !== undefined)
        expansion.whileMounted({ pod, desired, definition: definitionOf(desired, pod) });
      return;
    }
    for (;;) {
      await waitForBackoff(pod, desired, signal);
      if (await attempt(mounting, desired)) {
        if (desired.plugin.mode === 'Filesystem') metrics.mounted(qualifiedPluginName(desired), beganMs);
        return;
      }
    }
  };

  const waitForBackoff = async (
    pod: Pod,
    { name, volume, plugin }: DesiredVolume,
    signal: AbortSignal,
  ): Promise<void> => {
    const uid = podUid(pod);
    const delayMs = operations.blockedForMs(uid, volume.name);
    if (delayMs === 0) return;
    const attributes = { plugin: plugin.name, untilMs: Math.round(clock.now() + delayMs) };
    const span = journal.begin(pod.metadata, { kind: 'volume.backoff', subject: name, attributes });
    const wait = waits.get(uid) ?? new AbortController();
    waits.set(uid, wait);
    try {
      await sleep(clock, delayMs, AbortSignal.any([signal, wait.signal]));
    } catch {
      signal.throwIfAborted();
    } finally {
      span.end(signal.aborted ? { result: 'cancelled' } : undefined);
    }
  };

  /** Finds the definitions and plugins. A claim is looked up once, as in the kubelet. Rejects with the failures of all volumes. */
  const process = async (pod: Pod, used: readonly Volume[], signal: AbortSignal): Promise<readonly DesiredVolume[]> => {
    const before = new Map(wanted.get(podUid(pod))?.map((one) => [one.name, one]));
    const withPlugin = (name: string, volume: MountableVolume): DesiredVolume => ({
      name,
      volume,
      plugin: pluginOf(volume, plugins),
    });
    const processOne = async (volume: Volume): Promise<DesiredVolume> => {
      const { name } = volume;
      if (!isClaim(volume)) return withPlugin(name, sourceVolume(pod, volume, translations));
      return before.get(name) ?? withPlugin(name, await claimVolume(pod, volume, ports, signal));
    };
    const results = await Promise.allSettled(used.map(processOne));
    signal.throwIfAborted();
    const isFailed = (index: number): boolean => results[index]!.status === 'rejected';
    const failed = used.filter((_, index) => isFailed(index)).map(({ name }) => name);
    if (failed.length === 0) return results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
    const unmounted = used.map(({ name }) => name).filter((name) => !isMounted(actual, podUid(pod), name));
    const causes = results.flatMap((result) => (result.status === 'rejected' ? errorMessage(result.reason) : []));
    const message = unmountedMessage(unmounted, [], failed, causes.join('; '));
    throw new PodStepError(FAILED_MOUNT, `Unable to attach or mount volumes: ${message}`);
  };

  const isOverAttachmentLimit = async (unattached: readonly DesiredVolume[], signal: AbortSignal): Promise<boolean> => {
    for (const { volume, plugin } of unattached)
      if ((await plugin.isOverAttachmentLimit?.(volume, signal)) === true) return true;
    return false;
  };

  return {
    async mount(pod, signal) {
      const used = usedVolumes(pod);
      if (used.length === 0) return;
      const desired = await process(pod, used, signal);
      wanted.set(podUid(pod), desired);
      const limited = limitVolumes(desired.length);
      try {
        await withDeadline(clock, MOUNT_TIMEOUT_MS, signal, async (bounded) => {
          await Promise.all(desired.map((one) => mountOne({ pod, limited, signal: bounded }, one)));
        });
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof DeadlineExceededError)) throw error;
        const missing = desired.map(({ name }) => name).filter((name) => !isMounted(actual, podUid(pod), name));
        // The failures themselves have been reported; like the kubelet, this adds no event.
        const unattached = attachments.pending(podUid(pod));
        if (missing.length === 0) return;
        const message = unmountedMessage(missing, unattached, [], 'context deadline exceeded');
        if (
          await isOverAttachmentLimit(
            desired.filter(({ name }) => unattached.includes(name)),
            signal,
          )
        )
          throw new PodRejectedError(
            'VolumeAttachmentLimitExceeded',
            `Node has reached its volume attachment limit, rejecting pod. ${message}`,
          );
        throw new VolumesNotMounted(message);
      } finally {
        waits.delete(podUid(pod));
      }
    },
    retry(uid) {
      for (const { volume } of wanted.get(uid) ?? []) operations.reset(uid, volume.name);
      waits.get(uid)?.abort();
      waits.delete(uid);
    },
    desired: () => [...wanted.values()].flat(),
    isWanted: (uid) => wanted.has(uid),
    forget(uid) {
      wanted.delete(uid);
      stopUpdates(uid);
    },
    [Symbol.dispose]: () => [...updates.keys()].forEach(stopUpdates),
  };
}

/** The volumes of a pod could not be set up in time. */
export class VolumesNotMounted extends Error {
  override readonly name = 'VolumesNotMounted';
}

function isMounted(actual: ActualState, podUidOfVolume: string, name: string): boolean {
  return actual.ofPod(podUidOfVolume).get(name)?.isCertain === true;
}
