import type { AgentModule } from '@rxlet/agent-api';
import type { KubeClients } from '@rxlet/kube-api/client';
import { assemble, defaultChoices } from './assemble.ts';
import { KUBELET_MODULES } from './modules.ts';

/**
 * Returns the modules of an agent without an API server: admission, volumes, images, hooks, probes, logs, garbage collection and statuses that survive a restart.
 * A module of `own` takes the place of the preset's module of its name, or is added at the end.
 *
 * @example
 * ```ts
 * import { createAgent } from '@rxlet/agent';
 * import { systemClock, systemRandom } from '@rxlet/component-base';
 * import { createFakeRuntime } from '@rxlet/fake-cri';
 * import { standalone } from '@rxlet/kubelet';
 * import { staticPods } from '@rxlet/pod-source';
 *
 * const fake = createFakeRuntime({ clock: systemClock, random: systemRandom });
 * const node = { rootDirectory: '/var/lib/rxlet', podLogsDirectory: '/var/log/pods', memoryCapacityBytes: 8n << 30n };
 * const modules = standalone([staticPods({ path: '/etc/kubernetes/manifests' })]);
 * await using agent = await createAgent({ runtime: fake.runtime, images: fake.images, node }, modules);
 * await agent.start();
 * ```
 */
export function standalone(own: readonly AgentModule[] = []): readonly AgentModule[] {
  return assemble(KUBELET_MODULES, defaultChoices, own);
}

/**
 * Returns the modules of an agent that is a node of a cluster: those of {@link standalone}, and what connects them with the API server. The clients belong to the
 * caller, who disposes of their connections after the agent.
 */
export function node(clients: KubeClients, own: readonly AgentModule[] = []): readonly AgentModule[] {
  return assemble(KUBELET_MODULES, defaultChoices, own, clients);
}
