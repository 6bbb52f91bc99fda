import type { ImageService, RuntimeService } from '@rxlet/cri-api';
import { IMAGE } from './manifests.ts';

const CONCURRENCY = 16;

/** Runs `count` pods of one container, with the labels and annotations that an agent gives them. */
export async function fillRuntime(
  { runtime, images }: { readonly runtime: RuntimeService; readonly images: ImageService },
  count: number,
): Promise<void> {
  await images.pullImage({ image: { image: IMAGE } });
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await runPod(runtime, next++);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
}

async function runPod(runtime: RuntimeService, index: number): Promise<void> {
  const name = `pod-${String(index)}`;
  const uid = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
  const labels = {
    'io.kubernetes.pod.name': name,
    'io.kubernetes.pod.namespace': 'default',
    'io.kubernetes.pod.uid': uid,
  };
  const sandboxConfig = { metadata: { name, namespace: 'default', uid, attempt: 0 }, labels };
  const { podSandboxId } = await runtime.runPodSandbox({ config: sandboxConfig });
  const config = {
    metadata: { name: 'main', attempt: 0 },
    image: { image: IMAGE },
    labels: { ...labels, 'io.kubernetes.container.name': 'main' },
    annotations: {
      'io.kubernetes.container.hash': 'a1b2c3d4',
      'io.kubernetes.container.restartCount': '0',
      'io.kubernetes.container.terminationMessagePath': '/dev/termination-log',
      'io.kubernetes.container.terminationMessagePolicy': 'File',
      'io.kubernetes.pod.terminationGracePeriod': '30',
    },
  };
  const { containerId } = await runtime.createContainer({ podSandboxId, sandboxConfig, config });
  await runtime.startContainer({ containerId });
}
