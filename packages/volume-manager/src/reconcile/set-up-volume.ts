import { inSpan } from '@rxlet/agent-api/journal';
import { podUid } from '@rxlet/pod-model';
import { checkNodeAffinity, createSinglePodVolumes } from './check-claim.ts';
import { mapVolume } from './map-volume.ts';
import { mountVolume } from './mount-volume.ts';
import type { SetUpSteps, VolumeSetUp, VolumeSetUpPorts } from './set-up-steps.ts';

/** Creates the function that sets a volume up for a pod, once. It rejects with the cause; the progress has the step that failed. */
export function createVolumeSetUp(ports: VolumeSetUpPorts): (setUp: VolumeSetUp) => Promise<void> {
  const { actual, attachments } = ports;
  const steps: SetUpSteps = {
    ...ports,
    singlePod: createSinglePodVolumes(actual, (name, uid) => ports.isRecordedElsewhere(name, uid)),
    async attach({ pod, desired: { name }, progress, signal }, definition, operation) {
      const uniqueName = definition.attachedAs?.();
      if (uniqueName === undefined) return;
      progress.failure = 'VerifyControllerAttachedVolume failed';
      const span = { kind: 'volume.attach', subject: name, isQuiet: true, attributes: { uniqueName } } as const;
      await inSpan(
        ports.journal,
        pod.metadata,
        span,
        () => attachments.waitUntilAttached({ podUid: podUid(pod), name, uniqueName }, signal),
        signal,
      );
      progress.failure = `${operation}.WaitForAttach failed`;
      await definition.waitForAttach?.(signal);
    },
  };
  return async (setUp) => {
    const { desired, progress } = setUp;
    const { plugin, volume } = desired;
    progress.failure = `${plugin.mode === 'Block' ? 'MapVolume' : 'MountVolume'}.NodeAffinity check failed`;
    checkNodeAffinity(volume, ports.node?.cached());
    await (plugin.mode === 'Block' ? mapVolume(steps, setUp, plugin) : mountVolume(steps, setUp, plugin));
  };
}
