import { type AgentModule, contribute, podSteps, provide } from '@rxlet/agent-api';
import { housekeepingSteps } from '@rxlet/agent-api/housekeeping';
import { containerFields, supportedPodFields } from '@rxlet/agent-api/pod-fields';
import { podProbes } from '@rxlet/agent-api/containers';
import { createProbeRunner } from './create-probe-runner.ts';
import type { ProbeNetwork } from './network/probe-network.ts';
import type { ProbeRunner } from './probe-runner.ts';
import { createProber, type ProberOptions } from './prober.ts';

/** Options of {@link probes}. */
export interface ProbesOptions extends ProberOptions {
  /** Network of HTTP, TCP and gRPC probes. Default: that of the node. */
  readonly network?: ProbeNetwork;
  /** Runs the probes. Default: a runner for `network` and the runtime. */
  readonly runner?: ProbeRunner;
}

const PROBES: readonly string[] = containerFields('livenessProbe', 'readinessProbe', 'startupProbe');

/** Creates the agent module that runs liveness, readiness and startup probes. */
export function probes(options: ProbesOptions = {}): AgentModule {
  return {
    name: 'probes',
    provides: [podProbes],
    setup({ runtime, clock, random, logger, metrics, events, journal, core }) {
      const { network } = options;
      const runner = options.runner ?? createProbeRunner({ runtime, clock, ...(network !== undefined && { network }) });
      const prober = createProber(
        { runner, clock, random, logger, metrics, events, journal, podStatus: core.podStatus },
        options,
      );
      return {
        services: [provide(podProbes, { ...prober, statusSet: prober.updateStatus })],
        contributions: [
          contribute(podSteps, {
            name: 'probes',
            prepare: (pod) => prober.addPod(pod),
            // Readiness probes continue, because clients must see the pod become unready.
            terminating: ({ uid }) => prober.stopLivenessAndStartup(uid),
            stopped: ({ uid }) => prober.removePod(uid),
          }),
          contribute(housekeepingSteps, { name: 'probes', run: ({ knownPodUids }) => prober.retainPods(knownPodUids) }),
          contribute(supportedPodFields, ...PROBES),
        ],
        [Symbol.asyncDispose]: () => prober[Symbol.asyncDispose](),
      };
    },
  };
}
