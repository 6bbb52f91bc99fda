import type { PodSandboxConfig } from '@rxlet/cri-api';
import type { RuntimeState } from '../runtime-state.ts';
import type { FailingPod } from './failpoints.ts';

/** Fields by which requests name a pod. A request has at most one of them, apart from CreateContainer's `config`. */
interface Naming {
  readonly podSandboxId?: string;
  readonly containerId?: string;
  /** Of RunPodSandbox. */
  readonly config?: PodSandboxConfig;
  /** Of PullImage. */
  readonly sandboxConfig?: PodSandboxConfig;
}

/** Returns the pod of a call: by its sandbox, its container, or the sandbox's configuration in the request. */
export function targetPod(state: RuntimeState, request: unknown): FailingPod | undefined {
  const { podSandboxId, containerId, config, sandboxConfig } = request as Naming;
  const sandbox =
    (podSandboxId && state.sandboxes.find(podSandboxId)) ||
    (containerId && state.containers.find(containerId)?.sandbox);
  if (sandbox) return podOf(sandbox.config);
  if (podSandboxId !== undefined || containerId !== undefined) return undefined;
  return podOf(sandboxConfig ?? config);
}

function podOf(config: PodSandboxConfig | undefined): FailingPod | undefined {
  if (config?.metadata === undefined) return undefined;
  return { uid: config.metadata.uid, annotations: config.annotations };
}
