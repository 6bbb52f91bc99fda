import type { VolumeAttachment } from '@rxlet/kube-api';
import { errorMessage } from '@rxlet/component-base';
import type { CsiContext } from './csi-context.ts';
import { attachmentName } from './csi-names.ts';
import type { CsiVolume } from './csi-volume.ts';

/** Returns the facts that the driver's controller returned when it attached a volume to this node. Rejects with the kubelet's message while it is not attached. */
export async function attachmentMetadata(
  { objects, nodeName }: Pick<CsiContext, 'objects' | 'nodeName'>,
  { driver, handle }: CsiVolume,
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  const name = attachmentName(handle, driver, nodeName);
  if (objects === undefined) throw new Error(`cannot read volume attachment ${name}: there is no API server`);
  let attachment: VolumeAttachment;
  try {
    attachment = await objects.attachment(name, signal);
  } catch (error) {
    signal.throwIfAborted();
    const cause = errorMessage(error);
    throw new Error(`volume ${handle} has GET error for volume attachment ${name}: ${cause}`, { cause: error });
  }
  const { metadata, status } = attachment;
  if (metadata?.deletionTimestamp !== undefined) throw new Error('volume attachment is being deleted');
  if (status?.attached === true) return status.attachmentMetadata ?? {};
  throw new Error(status?.attachError?.message ?? `volume ${handle} is not attached for volume attachment ${name}`);
}
