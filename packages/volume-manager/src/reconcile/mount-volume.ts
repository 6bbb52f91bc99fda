import { podUid } from '@rxlet/pod-model';
import type { VolumePlugin } from '@rxlet/agent-api/volumes';
import { measuredVolume } from './desired-volumes.ts';
import type { SetUpSteps, VolumeSetUp } from './set-up-steps.ts';

/** Mounts a volume for a pod (kubelet: GenerateMountVolumeFunc). */
export async function mountVolume(
  steps: Pick<SetUpSteps, 'actual' | 'metrics' | 'singlePod' | 'attach' | 'expansion'>,
  setUp: VolumeSetUp,
  plugin: VolumePlugin,
): Promise<void> {
  const { pod, desired, progress, signal } = setUp;
  const { name, volume } = desired;
  progress.failure = 'MountVolume.NewMounter initialization failed';
  const definition = plugin.volume(volume, pod);
  await definition.initialize?.(signal);
  progress.failure = 'MountVolume.SetUp failed';
  using _reservation = await steps.singlePod.reserve(volume, podUid(pod));
  await steps.attach(setUp, definition, 'MountVolume');
  if (definition.mountDevice !== undefined) {
    progress.failure = 'MountVolume.MountDevice failed';
    await definition.mountDevice(signal);
  }
  progress.failure = 'MountVolume.SetUp failed';
  await steps.metrics.measure('volume_mount', measuredVolume(desired), () => definition.setUp(signal));
  progress.failure = 'MountVolume.Setup failed while expanding volume';
  await steps.expansion.duringSetUp({ pod, desired, definition }, signal);
  const { hostPath, attributes } = definition;
  steps.actual.set(podUid(pod), {
    name,
    plugin,
    isCertain: true,
    isPersistent: volume.persistent !== undefined,
    isTranslated: volume.persistent?.isTranslated === true,
    mounted: {
      hostPath,
      seLinuxLabeled: false,
      ...attributes,
      group: volume.persistent?.group,
      innerVolumeSpecName: volume.name,
    },
    refreshes: definition.refreshes?.() ?? plugin.refreshes,
  });
}
