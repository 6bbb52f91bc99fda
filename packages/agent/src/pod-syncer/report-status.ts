import type { Pod, PodStatus } from '@rxlet/kube-api';
import { isHostNetworkPod, type RuntimePodStatus } from '@rxlet/pod-model';
import type { Prober } from '@rxlet/prober';
import { generatePodStatus, type PodStartLatency, type StartErrors, type StatusManager } from '@rxlet/status-manager';
import type { ActiveDeadlines } from './active-deadlines.ts';
import type { TerminationMessages } from './termination-messages.ts';

/** What a pod's status is made of, and who learns of it. */
export interface ReportStatusPorts {
  readonly statusManager: Pick<StatusManager, 'get' | 'previousStatus' | 'setPodStatus'>;
  readonly prober: Pick<Prober, 'updateStatus' | 'isReady' | 'isStarted'>;
  readonly startLatency: Pick<PodStartLatency, 'statusGenerated'>;
  readonly terminationMessages: TerminationMessages;
  readonly startErrors: Pick<StartErrors, 'forPod'>;
  readonly activeDeadlines: Pick<ActiveDeadlines, 'failureOf' | 'watch'>;
  /** Addresses of the node, the primary one first. */
  readonly hostIps: readonly string[];
}

/** What is special about a status. */
export interface ReportOptions {
  /** All containers are stopped for good. Default: no. */
  readonly podIsTerminal?: boolean;
  /** What whoever ends the pod has to say about it: that it was evicted, and why. */
  readonly amend?: (generated: PodStatus) => PodStatus;
}

/** Generates the status of a pod from what the runtime holds of it, and hands it to all who want to know. @returns it */
export type ReportStatus = (pod: Pod, runtime: RuntimePodStatus, options?: ReportOptions) => Promise<PodStatus>;

/** Creates {@link ReportStatus}. */
export function createReportStatus(ports: ReportStatusPorts): ReportStatus {
  const { statusManager, prober, startLatency, terminationMessages, startErrors, activeDeadlines, hostIps } = ports;
  return async (pod, runtime, { podIsTerminal = false, amend = unchanged } = {}) => {
    const uid = pod.metadata?.uid ?? '';
    const withMessages = await terminationMessages(pod, runtime);
    const previous = statusManager.previousStatus(pod);
    const generated = amend(
      generatePodStatus({
        pod,
        runtime: withKnownIps(pod, withMessages, previous),
        previous,
        lastStartErrors: startErrors.forPod(uid),
        podIsTerminal,
        hostIps,
        probes: prober,
        failure: activeDeadlines.failureOf(pod, previous),
      }),
    );
    startLatency.statusGenerated(pod, statusManager.get(uid), generated);
    statusManager.setPodStatus(pod, generated);
    activeDeadlines.watch(pod, statusManager.get(uid));
    prober.updateStatus(uid);
    return generated;
  };
}

/** A pod whose sandboxes have ended keeps the addresses that it had. Pleg remembers them for as long as the agent runs, the status over its restart. */
function withKnownIps(pod: Pod, runtime: RuntimePodStatus, { podIPs = [] }: PodStatus): RuntimePodStatus {
  if (runtime.ips.length > 0 || isHostNetworkPod(pod)) return runtime;
  if (runtime.sandboxes.some(({ state }) => state === 'ready')) return runtime;
  return { ...runtime, ips: podIPs.map(({ ip }) => ip) };
}

function unchanged(generated: PodStatus): PodStatus {
  return generated;
}
