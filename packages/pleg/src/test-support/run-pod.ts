import type { FakeRuntime } from '@rxlet/fake-cri';
import { PodLabel } from '@rxlet/pod-model';

/** Runs a pod of one container `main` on the fake runtime, the way a kubelet labels it. */
export async function runPod(
  fake: FakeRuntime,
  uid: string,
  command: string[] = ['pause'],
): Promise<{ sandboxId: string; containerId: string }> {
  const labels = { [PodLabel.podName]: uid, [PodLabel.podNamespace]: 'default', [PodLabel.podUid]: uid };
  const sandbox = { metadata: { name: uid, namespace: 'default', uid }, labels };
  await fake.images.pullImage({ image: { image: 'busybox' } });
  const { podSandboxId } = await fake.runtime.runPodSandbox({ config: sandbox });
  const { containerId } = await fake.runtime.createContainer({
    podSandboxId,
    sandboxConfig: sandbox,
    config: {
      metadata: { name: 'main' },
      image: { image: 'busybox' },
      command,
      labels: { ...labels, [PodLabel.containerName]: 'main' },
    },
  });
  await fake.runtime.startContainer({ containerId });
  return { sandboxId: podSandboxId, containerId };
}
