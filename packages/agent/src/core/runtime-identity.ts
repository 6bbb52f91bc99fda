import type { AgentCore } from '@rxlet/agent-api';
import type { RuntimeService } from '@rxlet/cri-api';
import { isHostNetworkPod, podUid } from '@rxlet/pod-model';
import { readRuntimePods, readRuntimePodStatus } from '@rxlet/pod-model/cri';

/** Calls that {@link createRuntimeIdentity} makes. */
export type IdentifiedRuntime = Pick<
  RuntimeService,
  'version' | 'listPodSandbox' | 'listContainers' | 'podSandboxStatus' | 'containerStatus'
>;

/** Name of the runtime, which prefixes all container ids. */
export interface RuntimeIdentity {
  /** Requests the name of the runtime. Rejects with its error when it does not answer. */
  load(signal: AbortSignal): Promise<void>;
  /** Returns the name. @throws TypeError before it was loaded */
  name(): string;
  /** Reads the IPs of a pod from the runtime; see `AgentCore.podIps`. */
  readonly podIps: AgentCore['podIps'];
}

/** Creates a {@link RuntimeIdentity}. */
export function createRuntimeIdentity(runtime: IdentifiedRuntime, hostIps: readonly string[]): RuntimeIdentity {
  let loaded: string | undefined;
  const name = (): string => {
    if (loaded === undefined) throw new TypeError('the agent is not started: the name of its runtime is not known');
    return loaded;
  };
  return {
    name,
    async load(signal) {
      // Version of the CRI client's API, as the kubelet sends it.
      const { runtimeName } = await runtime.version({ version: '0.1.0' }, { signal });
      loaded = runtimeName;
    },
    async podIps(pod, signal) {
      if (isHostNetworkPod(pod)) return hostIps;
      const options = { runtimeName: name(), uid: podUid(pod), signal };
      const [found] = await readRuntimePods(runtime, options);
      return found === undefined ? [] : (await readRuntimePodStatus(runtime, found, options)).ips;
    },
  };
}
