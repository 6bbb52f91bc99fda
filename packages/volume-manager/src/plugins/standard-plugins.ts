import { csiPlugin } from './csi/csi-plugin.ts';
import type { BlockVolumePlugin } from './block-volume-plugin.ts';
import { csiBlockPlugin } from './csi/csi-block-plugin.ts';
import { emptyDirPlugin } from './empty-dir.ts';
import { hostPathPlugin } from './host-path.ts';
import { imagePlugin } from './image.ts';
import { localBlockPlugin } from './local-block.ts';
import { localPlugin } from './local.ts';
import { nfsPlugin } from './nfs.ts';
import { payloadPlugins } from './payload-plugins.ts';
import type { PluginContext } from './plugin-context.ts';
import type { VolumePlugin } from './volume-plugin.ts';

/** Creates the plugins of the kubelet; that of CSI volumes where there are drivers. */
export function standardPlugins(context: PluginContext): readonly VolumePlugin[] {
  return [
    emptyDirPlugin(context),
    hostPathPlugin(context),
    ...payloadPlugins(context),
    nfsPlugin(context),
    localPlugin(context),
    imagePlugin(),
    ...(context.csiDrivers === undefined ? [] : [csiPlugin(context, context.csiDrivers)]),
  ];
}

/** Creates the plugins of block volumes. */
export function blockPlugins(context: PluginContext): readonly BlockVolumePlugin[] {
  return [
    localBlockPlugin(context),
    ...(context.csiDrivers === undefined ? [] : [csiBlockPlugin(context, context.csiDrivers)]),
  ];
}
