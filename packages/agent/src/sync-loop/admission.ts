import type { AdmissionHandler, AdmissionPreparation, AdmissionRejection, OtherPods } from '@rxlet/agent-api';
import { inSpan, type Journal } from '@rxlet/agent-api/journal';
import type { SupportedPodField } from '@rxlet/agent-api/pod-fields';
import { type Clock, errorMessage, withDeadline } from '@rxlet/component-base';
import type { Metrics } from '@rxlet/component-base/metrics';
import type { Pod } from '@rxlet/kube-api';
import { listSome } from '@rxlet/pod-model/validation';
import { createUnsupportedPodFields } from '../host/supported-pod-fields.ts';

/** Dependencies of {@link admitPod}. */
export interface AdmissionContext {
  readonly clock: Clock;
  readonly journal: Journal;
  /** Pods with which the new one shares the node. */
  readonly others: OtherPods;
  /** Aborts when the decision is no longer needed. */
  readonly signal: AbortSignal;
}

/** Time that the handlers have for their decision on a pod. */
const DECISION_TIMEOUT_MS = 30_000;

/**
 * Calls the handlers in order, and then prepares the node as they request. The first rejection counts. A handler or a preparation that throws or exceeds its
 * deadline rejects. Rejects with the reason of `signal` when that aborts.
 */
export async function admitPod(
  handlers: readonly AdmissionHandler[],
  pod: Pod,
  { clock, journal, others, signal }: AdmissionContext,
): Promise<AdmissionRejection | undefined> {
  try {
    const { rejection, preparations } = await withDeadline(clock, DECISION_TIMEOUT_MS, signal, (handlerSignal) =>
      decide(handlers, pod, { journal, others, signal: handlerSignal }),
    );
    if (rejection !== undefined) return rejection;
    for (const preparation of preparations)
      await inSpan(
        journal,
        pod.metadata,
        { kind: 'admission.preparation' },
        () => withDeadline(clock, preparation.timeoutMs, signal, async (own) => preparation.prepare(own)),
        signal,
      );
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    // Fail closed.
    const message = `Admission failed due to ${errorMessage(error)}, which is unexpected.`;
    return { reason: 'UnexpectedAdmissionError', message };
  }
}

/** Reports whether the handlers admit a pod to the node as it is, without a preparation. Rejects with the reason of `signal` when that aborts. */
export async function isAdmittedAsIs(
  handlers: readonly AdmissionHandler[],
  pod: Pod,
  { clock, journal, others, signal }: AdmissionContext,
): Promise<boolean> {
  try {
    const { rejection, preparations } = await withDeadline(clock, DECISION_TIMEOUT_MS, signal, (handlerSignal) =>
      decide(handlers, pod, { journal, others, signal: handlerSignal }),
    );
    return rejection === undefined && preparations.length === 0;
  } catch {
    signal.throwIfAborted();
    return false;
  }
}

/** Calls the handlers in order, up to the first that rejects. */
async function decide(
  handlers: readonly AdmissionHandler[],
  pod: Pod,
  { journal, others, signal }: Omit<AdmissionContext, 'clock'>,
): Promise<{ readonly rejection?: AdmissionRejection; readonly preparations: readonly AdmissionPreparation[] }> {
  const preparations: AdmissionPreparation[] = [];
  for (const handler of handlers) {
    const span = { kind: 'admission.handler', subject: handler.name, isQuiet: true } as const;
    const decision = await inSpan(journal, pod.metadata, span, () => handler.admit(pod, others, signal), signal);
    // A decision after the deadline is ignored, and the next handlers are not called.
    signal.throwIfAborted();
    if (decision === undefined) continue;
    if (!('prepare' in decision)) return { rejection: decision, preparations };
    preparations.push(decision);
  }
  return { preparations };
}

/** Returns the handlers of an agent: pod fields that no module supports are rejected first. */
export function admissionHandlersOf(
  handlers: readonly AdmissionHandler[],
  supportedFields: readonly SupportedPodField[],
): readonly AdmissionHandler[] {
  return [rejectUnsupportedFields(createUnsupportedPodFields(supportedFields)), ...handlers];
}

/** Creates a handler that rejects pods with unsupported fields, because ignoring a field would break its pod silently. */
export function rejectUnsupportedFields(unsupportedFields: (pod: Pod) => readonly string[]): AdmissionHandler {
  return {
    name: 'supported-pod-fields',
    admit(pod) {
      const fields = unsupportedFields(pod);
      if (fields.length === 0) return undefined;
      return { reason: 'PodFeatureUnsupported', message: `this node agent does not support ${listSome(fields, ', ')}` };
    },
  };
}

/** Reasons with a label of their own; the number of custom reasons is unbounded. */
const COUNTED_REASONS: ReadonlySet<string> = new Set([
  'AppArmor',
  'Evicted',
  'InitContainerRestartPolicyForbidden',
  'InvalidNodeInfo',
  'NodeShutdown',
  'OutOfcpu',
  'OutOfephemeral-storage',
  'OutOfmemory',
  'OutOfpods',
  'PodFeatureUnsupported',
  'PodLevelResourcesNotSupported',
  'PodOSNotSupported',
  'PodOSSelectorNodeLabelDoesNotMatch',
  'SupplementalGroupsPolicyNotSupported',
  'SysctlForbidden',
  'TaintToleration',
  'TopologyAffinityError',
  'UnexpectedAdmissionError',
  'UnexpectedPredicateFailureType',
  'UnknownReason',
  'VolumeAttachmentLimitExceeded',
]);

/** Registers the kubelet's metric. @returns a function that counts a rejection by its reason. */
export function createRejectionCounter(metrics: Metrics): (reason: string) => void {
  const rejections = metrics.counter({
    name: 'kubelet_admission_rejections_total',
    help: '[ALPHA] Cumulative number pod admission rejections by the Kubelet.',
    labelNames: ['reason'],
  });
  return (reason) => rejections.inc({ reason: countedReason(reason) });
}

function countedReason(reason: string): string {
  if (COUNTED_REASONS.has(reason)) return reason;
  return reason.startsWith('OutOf') ? 'OutOfExtendedResources' : 'Other';
}
