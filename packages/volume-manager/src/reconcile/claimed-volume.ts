import type { ClaimName, PersistentVolumes } from '@rxlet/agent-api/volumes';
import { errorMessage } from '@rxlet/component-base';
import type { PersistentVolume, PersistentVolumeClaim, Pod, Volume } from '@rxlet/kube-api';
import { podUid } from '@rxlet/pod-model';

const PROTECTION_FINALIZER = 'kubernetes.io/pvc-protection';

/** The persistent volume of a claim. */
export interface ClaimedVolume {
  readonly claim: ClaimName;
  readonly volume: PersistentVolume;
}

/** Reports whether a volume refers to a claim, by name or as a generic ephemeral volume. */
export function isClaim({ persistentVolumeClaim, ephemeral }: Volume): boolean {
  return persistentVolumeClaim !== undefined || ephemeral !== undefined;
}

/** Finds the persistent volume of a pod's claim (kubelet: getPVCExtractPV and getPVSpec). Rejects with the kubelet's message. */
export async function claimedVolume(
  pod: Pod,
  volume: Volume,
  volumes: PersistentVolumes | undefined,
  signal: AbortSignal,
): Promise<ClaimedVolume> {
  const namespace = pod.metadata?.namespace ?? '';
  const { persistentVolumeClaim, ephemeral } = volume;
  const claimName = persistentVolumeClaim?.claimName ?? `${pod.metadata?.name ?? ''}-${volume.name}`;
  try {
    if (volumes === undefined) throw new Error('failed to fetch PVC from API server: there is no API server');
    const claim = await boundClaim(volumes, namespace, claimName, signal);
    if (persistentVolumeClaim === undefined && ephemeral !== undefined) checkOwner(claim, pod, namespace, claimName);
    return { claim: { namespace, name: claimName }, volume: await boundVolume(volumes, claim, signal) };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ClaimError) throw error;
    throw new ClaimError(`error processing PVC ${namespace}/${claimName}: ${errorMessage(error)}`);
  }
}

/** A claim that cannot be used, with the kubelet's whole message. */
class ClaimError extends Error {
  override readonly name = 'ClaimError';
}

async function boundClaim(
  volumes: PersistentVolumes,
  namespace: string,
  name: string,
  signal: AbortSignal,
): Promise<PersistentVolumeClaim> {
  const claim = await naming('failed to fetch PVC from API server', volumes.claim(namespace, name, signal));
  const { metadata, status, spec } = claim;
  if (metadata?.deletionTimestamp !== undefined && metadata.finalizers?.includes(PROTECTION_FINALIZER) !== true)
    throw new Error('PVC is being deleted');
  if (status?.phase !== 'Bound') throw new Error('PVC is not bound');
  if (!spec?.volumeName) throw new Error('PVC has empty pvc.Spec.VolumeName');
  return claim;
}

async function boundVolume(
  volumes: PersistentVolumes,
  { metadata, spec }: PersistentVolumeClaim,
  signal: AbortSignal,
): Promise<PersistentVolume> {
  const name = spec!.volumeName!;
  const volume = await naming(`failed to fetch PV ${name} from API server`, volumes.volume(name, signal));
  const claimRef = volume.spec?.claimRef;
  if (claimRef === undefined) {
    const fault = 'it has a nil pv.Spec.ClaimRef indicating it is not yet bound to the claim';
    throw new Error(`found PV object ${name} but ${fault}`);
  }
  if (claimRef.uid !== metadata?.uid) {
    const fault = `its pv.Spec.ClaimRef.UID ${claimRef.uid ?? ''} does not point to claim.UID ${metadata?.uid ?? ''}`;
    throw new Error(`found PV object ${name} but ${fault}`);
  }
  return volume;
}

async function naming<T>(failure: string, call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw new Error(`${failure}: ${errorMessage(error)}`, { cause: error });
  }
}

/** The claim of a generic ephemeral volume must be the pod's own. */
function checkOwner(claim: PersistentVolumeClaim, pod: Pod, namespace: string, name: string): void {
  const owner = claim.metadata?.ownerReferences?.find(({ controller }) => controller === true);
  if (owner?.uid === podUid(pod)) return;
  const podName = `${namespace}/${pod.metadata?.name ?? ''}`;
  throw new ClaimError(`PVC ${namespace}/${name} was not created for pod ${podName} (pod is not owner)`);
}
