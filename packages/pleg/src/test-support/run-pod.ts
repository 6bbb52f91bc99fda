import type { FakeRuntime } from '@rxlet/fake-cri';
import { PodLabel } from '@rxlet/pod-model';

/** Runs a pod on the fake runtime, labelled as by a kubelet, with a container `main`. */
export async function runPod(fake: FakeRuntime, uid: string): Promise<{ sandboxId: string; containerId: string }> {
  await fake.images.pullImage({ image: { image: 'busybox' } });
  const { podSandboxId } = await fake.runtime.runPodSandbox({ config: sandboxConfig(uid) });
  return { sandboxId: podSandboxId, containerId: await runContainer(fake, uid, podSandboxId, 'main') };
}

/** Runs one more container in a pod. @returns its id */
export async function runContainer(fake: FakeRuntime, uid: string, sandboxId: string, name: string): Promise<string> {
  const { containerId } = await fake.runtime.createContainer({
    podSandboxId: sandboxId,
    sandboxConfig: sandboxConfig(uid),
    config: {
      metadata: { name },
      image: { image: 'busybox' },
      command: ['pause'],
      labels: { ...podLabels(uid), [PodLabel.containerName]: name },
    },
  });
  await fake.runtime.startContainer({ containerId });
  return containerId;
}

function podLabels(uid: string): Record<string, string> {
  return { [PodLabel.podName]: uid, [PodLabel.podNamespace]: 'default', [PodLabel.podUid]: uid };
}

function sandboxConfig(uid: string) {
  return { metadata: { name: uid, namespace: 'default', uid }, labels: podLabels(uid) };
}
