import type { VolumePluginSet } from '@rxlet/agent-api/volumes';
import { inTreeFields, inTreeTranslation } from '../in-tree/in-tree-translation.ts';
import { csiBlockPlugin } from './csi-block-plugin.ts';
import type { CsiVolumesPorts } from './csi-context.ts';
import { csiPlugin } from './csi-plugin.ts';

/** Returns the kinds of volumes of CSI drivers: inline and persistent ones that containers mount, and persistent ones whose devices they use. In-tree sources
 * mean volumes of the drivers that serve them now. */
export function csiVolumes(ports: CsiVolumesPorts): VolumePluginSet {
  return {
    sources: ['csi', ...inTreeFields],
    translation: inTreeTranslation,
    create(host) {
      const context = { ...ports, ...host };
      return [csiPlugin(context), csiBlockPlugin(context)];
    },
  };
}
