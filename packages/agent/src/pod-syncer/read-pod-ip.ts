import type { RuntimeService } from '@rxlet/cri-api';
import type { Pod } from '@rxlet/kube-api';
import { readRuntimePods, readRuntimePodStatus } from '@rxlet/pod-model';

/** What is read for it. */
export type PodIpRuntime = Pick<
  RuntimeService,
  'listPodSandbox' | 'listContainers' | 'podSandboxStatus' | 'containerStatus'
>;

/** The first IP of a pod, read from the runtime now: a hook runs when no status may have been published yet. `undefined` while it has none. */
export async function readPodIp(
  runtime: PodIpRuntime,
  runtimeName: string,
  { metadata }: Pod,
  signal: AbortSignal,
): Promise<string | undefined> {
  const options = { runtimeName, uid: metadata?.uid ?? '', signal };
  const [found] = await readRuntimePods(runtime, options);
  return found && (await readRuntimePodStatus(runtime, found, options)).ips[0];
}
