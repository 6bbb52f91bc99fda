import type { PodObjects, PodTokens } from '@rxlet/agent-api/kube';
import type { VolumeHost } from '@rxlet/agent-api/volumes';
import type { NodeFiles } from '@rxlet/node-files';
import type { CsiDrivers, CsiObjects } from '../csi-drivers.ts';

/** Ports of {@link csiVolumes}. */
export interface CsiVolumesPorts {
  /** Files of the agent; the root directory must be among their roots. */
  readonly files: NodeFiles;
  /** Directory of the agent. */
  readonly rootDirectory: string;
  /** Name of the node, which the records of volumes contain. */
  readonly nodeName: string;
  readonly drivers: CsiDrivers;
  /** Objects of the API server. Default: none, so that the drivers' own configuration counts. */
  readonly objects?: CsiObjects | undefined;
  /** Secrets that pods name. Default: none, so that volumes with such a Secret fail. */
  readonly podObjects?: Pick<PodObjects, 'secret'> | undefined;
  /** Tokens of service accounts. Default: none, so that drivers which ask for them fail. */
  readonly podTokens?: PodTokens | undefined;
}

/** Dependencies of the plugins. */
export interface CsiContext extends CsiVolumesPorts, VolumeHost {}
