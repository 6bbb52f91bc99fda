import { admissionHandlers, type AgentModule, contribute, provide } from '@rxlet/agent-api';
import { type HintProvider, topologyAlignment } from '@rxlet/agent-api/topology';
import { type MachineTopology, readMachineTopology } from '@rxlet/machine/topology';
import { admitPod } from './admit-pod.ts';
import { createTopologyMetrics } from './topology-metrics.ts';
import { createTopologyPolicy, type TopologyPolicy, type TopologyPolicySettings } from './topology-policy.ts';

/** Options of {@link topologyManager}. */
export interface TopologyManagerOptions extends Partial<Omit<TopologyPolicySettings, 'numaNodes'>> {
  /** Default: reads this machine. */
  readonly readTopology?: (() => Promise<MachineTopology>) | undefined;
}

/**
 * Creates the agent module that admits pods by the NUMA nodes of their CPUs, memory and devices. Other modules assign these resources; list them after this one, in
 * the order in which they assign. Its start rejects with a TopologyPolicyError when the policy does not suit the machine.
 */
export function topologyManager(options: TopologyManagerOptions = {}): AgentModule {
  const { policy: name = 'none', scope = 'container', options: policyOptions = {} } = options;
  return {
    name: 'topology-manager',
    provides: [topologyAlignment],
    setup({ clock, hostFiles, metrics }) {
      const { readTopology = () => readMachineTopology(hostFiles) } = options;
      const counters = createTopologyMetrics(metrics);
      const providers: HintProvider[] = [];
      let policy: TopologyPolicy = createTopologyPolicy({ policy: 'none', scope: 'container', numaNodes: [] });
      return {
        services: [provide(topologyAlignment, { addProvider: (provider) => void providers.push(provider) })],
        contributions: [
          contribute(admissionHandlers, {
            name: 'topology-manager',
            async admit(pod, _others, signal) {
              const startMs = clock.monotonicNow();
              const admission = await admitPod(policy, pod, providers, signal);
              counters.decided(policy, admission, clock.monotonicNow() - startMs);
              return admission.rejection;
            },
            mayTakeLong: (pod) => providers.some((provider) => provider.mayTakeLong?.(pod) === true),
          }),
        ],
        async start() {
          if (name === 'none') return;
          const { numaNodes } = await readTopology();
          policy = createTopologyPolicy({ policy: name, scope, options: policyOptions, numaNodes });
        },
      };
    },
  };
}
