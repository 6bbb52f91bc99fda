import { type ExpansionFailure, type PersistentVolumes, VolumeExpansionError } from '@rxlet/agent-api/volumes';
import { type Clock, errorMessage, type Logger, toRfc3339 } from '@rxlet/component-base';
import type { EventObject, EventRecorder } from '@rxlet/component-base/events';
import type { PersistentVolumeClaim, Pod, Quantity } from '@rxlet/kube-api';
import { podEventObject } from '@rxlet/pod-model';
import { parseQuantity, quantityValue } from '@rxlet/pod-model/quantity';
import { operationMessage } from '../reconcile/desired-volumes.ts';
import { failedPatch, finishedPatch, inProgressPatch } from './claim-patches.ts';
import { type ExpandPlan, isLess, planExpansion } from './plan-expansion.ts';

/** Ports of {@link expandVolume}. */
export interface ExpandVolumePorts {
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Logger;
  readonly events: EventRecorder;
  /** Changes the status of a claim. */
  readonly patchClaimStatus: NonNullable<PersistentVolumes['patchClaimStatus']>;
}

/** Expansions of a persistent volume on this node. */
export interface ExpansionState {
  /** Size that the volume has, as far as this node knows. */
  size?: Quantity | undefined;
  /** The driver does not expand the volume while it is in use. */
  isInUse: boolean;
  /** The last expansion has failed for good. */
  hasFailed: boolean;
}

/** A volume to expand. */
export interface Expansion {
  readonly pod: Pod;
  readonly claim: PersistentVolumeClaim;
  /** Name of the persistent volume. */
  readonly volumeName: string;
  /** Size of the persistent volume. */
  readonly capacity: Quantity;
  readonly state: ExpansionState;
  /** Calls the driver. Rejects with VolumeExpansionError. */
  expand(requiredBytes: bigint, signal: AbortSignal): Promise<void>;
}

/** Expands a volume and reports that in the status of its claim (kubelet: NodeExpander.expandOnPlugin). Rejects when it must be retried. */
export async function expandVolume(ports: ExpandVolumePorts, expansion: Expansion, signal: AbortSignal): Promise<void> {
  const { claim, capacity, state } = expansion;
  const plan = planExpansion(claim, capacity, state.hasFailed);
  if (plan.kind === 'wait') return;
  if (plan.kind === 'reached') {
    // Nothing is left of a larger size of the persistent volume itself.
    state.size = isLess(plan.size, capacity) ? capacity : plan.size;
    return;
  }
  const begun = plan.reportsProgress && !plan.isReported ? await begin(ports, claim, signal) : claim;
  try {
    await expansion.expand(quantityValue(parseQuantity(plan.size)), signal);
  } catch (error) {
    signal.throwIfAborted();
    if (await isOver(ports, { ...expansion, claim: begun }, plan, error, signal)) return;
    throw error;
  }
  const { pod, volumeName } = expansion;
  const message = operationMessage('MountVolume.NodeExpandVolume succeeded', volumeName, pod.spec?.nodeName ?? '');
  ports.events.event(podEventObject(pod), 'Normal', 'FileSystemResizeSuccessful', message);
  ports.events.event(claimEventObject(begun), 'Normal', 'FileSystemResizeSuccessful', message);
  state.hasFailed = false;
  if (!plan.isReported) {
    await patch(ports, begun, finishedPatch(begun, plan.size), signal).catch((error: unknown) => {
      signal.throwIfAborted();
      const failed = plan.reportsProgress ? 'update pvc status failed' : 'update PVC status failed';
      throw new Error(`mountVolume.NodeExpandVolume ${failed}: ${errorMessage(error)}`, { cause: error });
    });
  }
  state.size = plan.size;
}

/** Returns the reference of an event to a claim. */
export function claimEventObject({ metadata }: PersistentVolumeClaim): EventObject {
  const { namespace = '', name = '', uid = '', resourceVersion } = metadata ?? {};
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    namespace,
    name,
    uid,
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
}

async function begin(
  ports: ExpandVolumePorts,
  claim: PersistentVolumeClaim,
  signal: AbortSignal,
): Promise<PersistentVolumeClaim> {
  const change = inProgressPatch(claim);
  return change === undefined ? claim : patch(ports, claim, change, signal);
}

async function patch(
  { patchClaimStatus }: ExpandVolumePorts,
  { metadata }: PersistentVolumeClaim,
  body: object,
  signal: AbortSignal,
): Promise<PersistentVolumeClaim> {
  const { namespace = '', name = '' } = metadata ?? {};
  try {
    return await patchClaimStatus(namespace, name, body, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw new Error(`patchPVCStatus failed to patch PVC "${name}": ${errorMessage(error)}`, { cause: error });
  }
}

/** Reports a failure of the driver. Returns whether the volume may be used as it is. */
async function isOver(
  ports: ExpandVolumePorts,
  { claim, volumeName, capacity, state }: Expansion,
  { size, reportsProgress, isReported, isInfeasibleOnFailure }: ExpandPlan,
  error: unknown,
  signal: AbortSignal,
): Promise<boolean> {
  const failure = expansionFailure(error);
  if (failure === 'not-supported' && (isReported || !reportsProgress)) {
    state.size = reportsProgress ? size : capacity;
    return true;
  }
  if (reportsProgress && failure !== 'transient') {
    state.hasFailed = true;
    const time = toRfc3339(ports.clock.now());
    const change = failedPatch(claim, errorMessage(error), time, failure === 'infeasible' || isInfeasibleOnFailure);
    try {
      if (change !== undefined) await patch(ports, claim, change, signal);
    } catch (cause) {
      signal.throwIfAborted();
      ports.logger.warn('cannot report a failed expansion', { volume: volumeName, error: errorMessage(cause) });
    }
  }
  if (failure !== 'in-use') return false;
  state.isInUse = true;
  ports.logger.warn('the driver does not expand a volume in use', { volume: volumeName, error: errorMessage(error) });
  return true;
}

/** Returns how an expansion has failed. */
function expansionFailure(error: unknown): ExpansionFailure {
  return error instanceof VolumeExpansionError ? error.failure : 'other';
}
