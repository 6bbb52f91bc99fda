import type { VolumePluginSet } from '@rxlet/agent-api/volumes';
import { csiBlockPlugin } from './csi-block-plugin.ts';
import type { CsiVolumesPorts } from './csi-context.ts';
import { csiPlugin } from './csi-plugin.ts';

/** Returns the kinds of volumes of CSI drivers: inline and persistent ones that containers mount, and persistent ones whose devices they use. */
export function csiVolumes(ports: CsiVolumesPorts): VolumePluginSet {
  return {
    sources: ['csi'],
    create(host) {
      const context = { ...ports, ...host };
      return [csiPlugin(context), csiBlockPlugin(context)];
    },
  };
}
