import { CsiCallError } from '../csi-drivers.ts';
import { errorMessage } from '@rxlet/component-base';
import type { Pod } from '@rxlet/kube-api';
import { VolumeExpansionError } from '@rxlet/agent-api/volumes';
import type { CsiContext } from './csi-context.ts';
import { csiSecrets } from './csi-secrets.ts';
import { csiAccessMode, type CsiVolume } from './csi-volume.ts';

/** A CSI volume to expand. */
export interface CsiExpansion {
  readonly pod: Pod;
  readonly volume: CsiVolume;
  /** Path of the volume in the pod, or of its device. */
  readonly volumePath: string;
  readonly stagingTargetPath: string;
  readonly requiredBytes: bigint;
  readonly isBlock: boolean;
}

const INFEASIBLE: readonly string[] = ['InvalidArgument', 'OutOfRange', 'NotFound'];

/** Lets a driver expand a volume on this node (kubelet: csiPlugin.NodeExpand). Rejects with VolumeExpansionError. */
export async function expandCsiVolume(
  context: Pick<CsiContext, 'drivers' | 'objects' | 'podObjects'>,
  { pod, volume, isBlock, ...request }: CsiExpansion,
  signal: AbortSignal,
): Promise<void> {
  const { driver, handle: volumeId, fsType, mountOptions: mountFlags } = volume;
  const node = await attempt('transient', '', signal, async () => context.drivers.node(driver));
  const unknown = 'Expander.NodeExpand failed to check if node supports expansion : ';
  const capabilities = await attempt('other', unknown, signal, async () => node.capabilities(signal));
  if (!capabilities.has('EXPAND_VOLUME'))
    throw new VolumeExpansionError('not-supported', `NodeExpand is not supported by the CSI driver ${driver}`);
  const failure = (secret: string) => `expander.NodeExpand failed to get NodeExpandSecretRef ${secret}`;
  const secrets = await attempt('other', '', signal, () =>
    csiSecrets(context, volume, volume.expandSecret, { failure, pod, signal }),
  );
  const call = { ...request, volumeId, fsType, mountFlags, secrets, isBlock };
  try {
    await node.expandVolume({ ...call, accessMode: csiAccessMode(volume, capabilities) }, signal);
  } catch (error) {
    signal.throwIfAborted();
    const code = error instanceof CsiCallError ? error.code : '';
    const message = 'Expander.NodeExpand failed to expand the volume';
    const cause = errorMessage(error);
    if (code === 'FailedPrecondition')
      throw new VolumeExpansionError('in-use', `${message} : ${cause}`, { cause: error });
    if (INFEASIBLE.includes(code))
      throw new VolumeExpansionError('infeasible', `${message} ${cause}`, { cause: error });
    throw new VolumeExpansionError('other', `${message} : ${cause}`, { cause: error });
  }
}

async function attempt<T>(
  failure: 'transient' | 'other',
  prefix: string,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    signal.throwIfAborted();
    throw new VolumeExpansionError(failure, `${prefix}${errorMessage(error)}`, { cause: error });
  }
}
