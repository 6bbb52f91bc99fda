import type { RuntimeService } from '@rxlet/cri-api';
import type { Pod, PodStatus } from '@rxlet/kube-api';
import { emptyRuntimePodStatus, readRuntimePods, readRuntimePodStatus, type RuntimePodStatus } from '@rxlet/pod-model';
import type { PodSubject, PodSyncer } from '@rxlet/pod-workers';
import type { PodSyncResult, RuntimeManager } from '@rxlet/runtime-manager';
import { generatePodStatus, type StartErrors, type StatusManager } from '@rxlet/status-manager';
import type { TerminationMessages } from './termination-messages.ts';

/** What a pod syncer joins. */
export interface PodSyncerPorts {
  readonly runtime: Pick<RuntimeService, 'listPodSandbox' | 'listContainers' | 'podSandboxStatus' | 'containerStatus'>;
  /** Runtime name that prefixes container ids. */
  readonly runtimeName: string;
  readonly runtimeManager: Pick<RuntimeManager, 'syncPod' | 'killPod' | 'removePod'>;
  readonly statusManager: Pick<StatusManager, 'get' | 'setPodStatus' | 'terminatePod'>;
  readonly terminationMessages: TerminationMessages;
  readonly startErrors: Pick<StartErrors, 'update' | 'forPod' | 'forget'>;
  /** Asks for a look at a pod in which something was changed. */
  requestRelist(podUid: string): void;
  /** Addresses of the node, the primary one first. */
  readonly hostIps: readonly string[];
}

/** The runtime still runs containers although it said that it stopped them all. */
export class ContainersStillRunning extends Error {
  override readonly name = 'ContainersStillRunning';

  constructor(names: readonly string[]) {
    super(`the runtime still runs ${names.join(', ')} after it stopped the pod`);
  }
}

/** What the workers call for each pod: runtime manager, status manager and start errors, in the kubelet's order (SyncPod and its siblings). */
export function createPodSyncer(ports: PodSyncerPorts): PodSyncer {
  const {
    runtime,
    runtimeName,
    runtimeManager,
    statusManager,
    terminationMessages,
    startErrors,
    requestRelist,
    hostIps,
  } = ports;

  const report = async (pod: Pod, status: RuntimePodStatus, podIsTerminal = false): Promise<PodStatus> => {
    const uid = pod.metadata?.uid ?? '';
    const generated = generatePodStatus({
      pod,
      runtime: await terminationMessages(pod, status),
      previous: statusManager.get(uid),
      lastStartErrors: startErrors.forPod(uid),
      podIsTerminal,
      hostIps,
    });
    statusManager.setPodStatus(pod, generated);
    return generated;
  };

  const rememberStartErrors = (uid: string, { results }: PodSyncResult): void => {
    startErrors.update(
      uid,
      results
        .filter(({ action }) => action === 'StartContainer')
        .map(({ target, reason, message = '' }) => ({
          container: target,
          ...(reason && { error: { reason, message } }),
        })),
    );
  };

  /** Reads past the cache: only the runtime itself can tell that nothing runs any more. */
  const readAfresh = async (uid: string, signal: AbortSignal): Promise<RuntimePodStatus> => {
    const [pod] = await readRuntimePods(runtime, { runtimeName, uid, signal });
    return pod === undefined ? emptyRuntimePodStatus(uid) : readRuntimePodStatus(runtime, pod, { runtimeName, signal });
  };

  return {
    async syncPod({ pod, status, signal }) {
      const uid = pod.metadata?.uid ?? '';
      const { phase } = await report(pod, status);
      if (phase === 'Succeeded' || phase === 'Failed') return { completed: true };
      const result = await runtimeManager.syncPod(pod, status, {
        signal,
        isTerminationRequested: () => signal.aborted,
      });
      rememberStartErrors(uid, result);
      if (result.results.length > 0) requestRelist(uid);
      if (result.error === undefined) return { completed: false };
      signal.throwIfAborted();
      // Why a container cannot start is shown at once, not with the next sync.
      await report(pod, status);
      throw result.error;
    },

    async syncTerminatingPod({ subject, status, gracePeriodSeconds, signal }) {
      if (subject.kind === 'pod') await report(subject.pod, status);
      const { error } = await runtimeManager.killPod(podOf(subject), status, { gracePeriodSeconds, signal });
      requestRelist(status.uid);
      signal.throwIfAborted();
      if (error !== undefined) throw error;
      const after = await readAfresh(status.uid, signal);
      const running = after.containers.filter(({ state }) => state === 'running');
      if (running.length > 0) throw new ContainersStillRunning(running.map(({ name }) => name));
      if (subject.kind === 'pod') await report(subject.pod, { ...after, ips: status.ips }, true);
    },

    async syncTerminatedPod({ subject, status, removeContent, signal }) {
      if (removeContent) {
        const identity = subject.kind === 'pod' ? subject.pod.metadata : subject.pod;
        const { name = '', namespace = '' } = identity ?? {};
        const { error } = await runtimeManager.removePod({ ...status, name, namespace }, { signal });
        requestRelist(status.uid);
        if (error !== undefined) throw error;
      }
      startErrors.forget(status.uid);
      if (subject.kind === 'pod') statusManager.terminatePod(subject.pod);
    },
  };
}

function podOf(subject: PodSubject): Pod | undefined {
  return subject.kind === 'pod' ? subject.pod : undefined;
}
