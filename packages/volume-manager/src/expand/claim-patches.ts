import type { PersistentVolumeClaim, PersistentVolumeClaimCondition, Quantity } from '@rxlet/kube-api';

/** Strategic merge patches of the status of a claim whose volume is expanded. */
const STORAGE = 'storage';
const FAILED = 'NodeResizeError';
const RESIZE_CONDITIONS: readonly string[] = [
  'FileSystemResizePending',
  'Resizing',
  'ControllerResizeError',
  'NodeResizeError',
];

/** Returns the patch for an expansion that begins on this node; `undefined` when the claim says so already. It fails if the claim has changed. */
export function inProgressPatch({ metadata, status }: PersistentVolumeClaim): object | undefined {
  const step = 'NodeResizeInProgress';
  if (status?.allocatedResourceStatuses?.[STORAGE] === step) return undefined;
  return { ...versionOf(metadata), status: { allocatedResourceStatuses: { [STORAGE]: step } } };
}

/**
 * Returns the patch for an expansion that has failed; `undefined` when the claim says so already.
 *
 * @param time of the failure, as the API writes it
 * @param isInfeasible whether the controller must take over
 */
export function failedPatch(
  { status }: PersistentVolumeClaim,
  message: string,
  time: string,
  isInfeasible: boolean,
): object | undefined {
  const isKnown = status?.conditions?.some((condition) => condition.type === FAILED && condition.status === 'True');
  if (isKnown === true && !isInfeasible) return undefined;
  const condition: PersistentVolumeClaimCondition = {
    type: FAILED,
    status: 'True',
    lastTransitionTime: time,
    message: `failed to expand pvc with ${message}`,
  };
  return {
    status: {
      ...(isKnown !== true && { conditions: [condition] }),
      ...(isInfeasible && { allocatedResourceStatuses: { [STORAGE]: 'NodeResizeInfeasible' } }),
    },
  };
}

/** Returns the patch for an expansion that has ended with a size. It fails if the claim has changed. */
export function finishedPatch({ metadata, status }: PersistentVolumeClaim, size: Quantity): object {
  const { conditions = [], allocatedResourceStatuses = {} } = status ?? {};
  const obsolete = conditions.filter(({ type }) => RESIZE_CONDITIONS.includes(type));
  const others = Object.keys(allocatedResourceStatuses).filter((name) => name !== STORAGE);
  const isLastStep = STORAGE in allocatedResourceStatuses && others.length === 0;
  return {
    ...versionOf(metadata),
    status: {
      capacity: { [STORAGE]: size },
      ...(isLastStep && { allocatedResourceStatuses: null }),
      ...(others.length > 0 && { allocatedResourceStatuses: { [STORAGE]: null } }),
      ...(obsolete.length > 0 && { conditions: obsolete.map(({ type }) => ({ type, $patch: 'delete' })) }),
    },
  };
}

function versionOf(metadata: PersistentVolumeClaim['metadata']): { readonly metadata: object } {
  return { metadata: { resourceVersion: metadata?.resourceVersion } };
}
