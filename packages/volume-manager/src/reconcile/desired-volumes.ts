import { goQuote } from '@rxlet/component-base/go';
import type { Pod, Volume } from '@rxlet/kube-api';
import type { VolumeSourceName } from '@rxlet/agent-api/volumes';
import { podContainers } from '@rxlet/pod-model';
import type { MeasuredVolume } from '../volume-metrics.ts';
import type { BlockVolumePlugin, PodDevice } from '@rxlet/agent-api/volumes';
import type { MountableVolume, PodVolume, VolumePlugin } from '@rxlet/agent-api/volumes';

/** A plugin of volumes that containers mount, or of those whose devices they use. */
export type AnyVolumePlugin = VolumePlugin | BlockVolumePlugin;

/** A volume that containers of a pod use. */
export interface DesiredVolume {
  /** Name in the pod's spec. */
  readonly name: string;
  /** Definition; a persistent volume has its own name. */
  readonly volume: MountableVolume;
  readonly plugin: AnyVolumePlugin;
}

/** Returns the volumes of a pod that at least one container uses, in the order of the spec. The others are not mounted. */
export function usedVolumes(pod: Pod): readonly Volume[] {
  const used = new Set(
    podContainers(pod).flatMap(({ container }) => [
      ...(container.volumeMounts ?? []).map(({ name }) => name),
      ...(container.volumeDevices ?? []).map(({ name }) => name),
    ]),
  );
  return (pod.spec?.volumes ?? []).filter(({ name }) => used.has(name));
}

/** Returns the plugin of a volume. @throws Error when there is none */
export function pluginOf(volume: MountableVolume, plugins: readonly AnyVolumePlugin[]): AnyVolumePlugin {
  const wanted = volume.persistent?.mode ?? 'Filesystem';
  const sources = (volume.persistent?.spec ?? volume) as Readonly<Partial<Record<VolumeSourceName, unknown>>>;
  const matching = plugins.filter(({ field }) => sources[field] !== undefined);
  const plugin = matching.find(({ mode }) => mode === wanted);
  if (plugin !== undefined) return plugin;
  const [other] = matching;
  if (other === undefined) throw new Error('no volume plugin matched');
  throw new Error(`volumes of the plugin ${other.name} cannot have the volumeMode ${wanted}`);
}

/** Returns the name of a volume's plugin for metrics. */
export function qualifiedPluginName({ plugin, volume }: DesiredVolume): string {
  return plugin.metricName?.(volume) ?? plugin.name;
}

/** Returns the labels of a volume for the metrics of operations. */
export function measuredVolume(desired: DesiredVolume): MeasuredVolume {
  return {
    plugin: qualifiedPluginName(desired),
    isTranslated: desired.volume.persistent?.isTranslated === true,
  };
}

/** Returns the definition of a volume for a pod. @throws Error when it cannot be used */
export function definitionOf({ plugin, volume }: DesiredVolume, pod: Pod): PodVolume | PodDevice {
  return plugin.mode === 'Block' ? plugin.device(volume, pod) : plugin.volume(volume, pod);
}

/** Returns the message for volumes that were not mounted in time (kubelet: WaitForAttachAndMount). */
export function unmountedMessage(
  unmounted: readonly string[],
  unattached: readonly string[],
  unprocessed: readonly string[],
  cause: string,
): string {
  const list = (names: readonly string[]): string => `[${names.toSorted().join(' ')}]`;
  return `unmounted volumes=${list(unmounted)}, unattached volumes=${list(unattached)}, failed to process volumes=${list(unprocessed)}: ${cause}`;
}

/** Returns the message of an operation, as events show it. */
export function operationMessage(outcome: string, volumeName: string, detail: string): string {
  return `${outcome} for volume ${goQuote(volumeName)} ${detail}`;
}
