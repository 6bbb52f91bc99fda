import type { BlockVolumePlugin, VolumePlugin, VolumePluginSet } from '@rxlet/agent-api/volumes';
import { emptyDirPlugin } from './empty-dir.ts';
import { hostPathPlugin } from './host-path.ts';
import { imagePlugin } from './image.ts';
import { localBlockPlugin } from './local-block.ts';
import { localPlugin } from './local.ts';
import { nfsPlugin } from './nfs.ts';
import { payloadPlugins } from './payload-plugins.ts';
import type { PluginContext } from './plugin-context.ts';

/** Creates the plugins that every volume manager has. */
export function standardPlugins(context: PluginContext): readonly (VolumePlugin | BlockVolumePlugin)[] {
  return [
    emptyDirPlugin(context),
    hostPathPlugin(context),
    ...payloadPlugins(context),
    nfsPlugin(context),
    localPlugin(context),
    imagePlugin(),
    localBlockPlugin(context),
  ];
}

/** Throws an Error for contributed plugins of a volume source that has a standard plugin. */
export function rejectTakenSources(
  sets: readonly VolumePluginSet[],
  standard: ReturnType<typeof standardPlugins>,
): void {
  const sources = new Set(sets.flatMap((set) => set.sources));
  const taken = standard.find(({ field }) => sources.has(field));
  if (taken === undefined) return;
  const message = `cannot add a volume plugin for the source "${taken.field}": the plugin ${taken.name} has it already`;
  throw new Error(`${message}; remove the module that contributes it`);
}
