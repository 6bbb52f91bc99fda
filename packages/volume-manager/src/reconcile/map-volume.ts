import { podEventObject, podUid } from '@rxlet/pod-model';
import { goQuote } from '@rxlet/component-base/go';
import type { BlockVolumePlugin } from '@rxlet/agent-api/volumes';
import { operationMessage, measuredVolume } from './desired-volumes.ts';
import type { SetUpSteps, VolumeSetUp } from './set-up-steps.ts';

/** Makes the device of a block volume available to a pod (kubelet: GenerateMapVolumeFunc). */
export async function mapVolume(
  steps: Pick<SetUpSteps, 'actual' | 'metrics' | 'singlePod' | 'attach' | 'mapping' | 'events' | 'expansion'>,
  setUp: VolumeSetUp,
  plugin: BlockVolumePlugin,
): Promise<void> {
  const { pod, desired, progress, signal } = setUp;
  const { name, volume } = desired;
  const { devices, paths, realPath } = steps.mapping;
  const uid = podUid(pod);
  progress.reason = 'FailedMapVolume';
  progress.failure = 'MapVolume.NewBlockVolumeMapper initialization failed';
  const definition = plugin.device(volume, pod);
  await definition.initialize?.(signal);
  progress.failure = 'MapVolume.SetUpDevice failed';
  using _reservation = await steps.singlePod.reserve(volume, uid);
  await steps.attach(setUp, definition, 'MapVolume');
  const { readOnly, globalMapPath } = definition;
  await steps.metrics.measure('map_volume', measuredVolume(desired), async () => {
    progress.failure = 'MapVolume.SetUpDevice failed';
    await definition.setUpDevice?.(signal);
    progress.failure = 'MapVolume.MapPodDevice failed';
    const publishedPath = await definition.mapPodDevice(signal);
    progress.failure = 'MapVolume.EvalHostSymlinks failed';
    const devicePath = await realPath(publishedPath);
    progress.failure = 'MapVolume.MapBlockVolume failed';
    await devices.map({ podUid: uid, plugin: plugin.name, name: volume.name, globalMapPath }, devicePath, signal);
  });
  const volumeMapPath = paths.pluginVolumeDevices(uid, plugin.name);
  for (const path of [`globalMapPath ${goQuote(globalMapPath)}`, `volumeMapPath ${goQuote(volumeMapPath)}`]) {
    const message = operationMessage('MapVolume.MapPodDevice succeeded', volume.name, path);
    steps.events.event(podEventObject(pod), 'Normal', 'SuccessfulMountVolume', message);
  }
  progress.failure = 'MapVolume.MarkVolumeAsMounted failed while expanding volume';
  await steps.expansion.duringSetUp({ pod, desired, definition }, signal);
  steps.actual.set(uid, {
    name,
    plugin,
    isCertain: true,
    isPersistent: volume.persistent !== undefined,
    isTranslated: volume.persistent?.isTranslated === true,
    refreshes: false,
    mounted: {
      hostPath: '',
      devicePath: paths.volumeDevice(uid, plugin.name, volume.name),
      readOnly,
      managed: false,
      seLinuxRelabel: false,
      seLinuxLabeled: false,
      group: volume.persistent?.group,
      innerVolumeSpecName: volume.name,
    },
  });
}
