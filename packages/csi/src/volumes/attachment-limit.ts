import type { CSIDriver, VolumeAttachment } from '@rxlet/kube-api';
import type { MountableVolume } from '@rxlet/agent-api/volumes';
import type { CsiContext } from './csi-context.ts';
import { attachmentName } from './csi-names.ts';

/** gRPC code of a driver's controller that cannot attach a further volume to the node. */
const RESOURCE_EXHAUSTED = 8;

/** Reports whether an attachment has failed because the node has as many volumes as the driver can attach. It counts for drivers whose limit is read again (KEP-4876). */
export function isLimitReached(driver: CSIDriver | undefined, attachment: VolumeAttachment): boolean {
  return (
    (driver?.spec.nodeAllocatableUpdatePeriodSeconds ?? 0) > 0 &&
    attachment.status?.attachError?.errorCode === RESOURCE_EXHAUSTED
  );
}

/**
 * Reports whether a persistent volume is not attached because the node has reached the limit of its driver, and then reads that limit again, so that the scheduler learns it
 * before it sends the next pod. Best effort: where objects cannot be read, the pod waits on.
 */
export async function isOverAttachmentLimit(
  { objects, drivers, nodeName }: Pick<CsiContext, 'objects' | 'drivers' | 'nodeName'>,
  { persistent }: MountableVolume,
  signal: AbortSignal,
): Promise<boolean> {
  const source = persistent?.spec.csi;
  if (source === undefined || objects === undefined) return false;
  const { driver, volumeHandle } = source;
  try {
    const attachment = await objects.attachment(attachmentName(volumeHandle, driver, nodeName), signal);
    if (!isLimitReached(await objects.driver(driver, signal), attachment)) return false;
  } catch {
    signal.throwIfAborted();
    return false;
  }
  await drivers.refresh(driver, signal).catch(() => signal.throwIfAborted());
  return true;
}
