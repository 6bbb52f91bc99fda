import { type CorePorts, provide } from '@rxlet/agent-api';
import { pullObserver } from '@rxlet/agent-api/images';
import { runtimeHealth } from '@rxlet/agent-api/node';
import type { Lifetime } from '@rxlet/component-base';
import type { EventLog } from '@rxlet/component-base/events';
import { containerEventHints, type HintSource } from '@rxlet/pleg';
import {
  createPodStartLatency,
  createStartErrors,
  type PodStartLatency,
  type StartErrors,
} from '@rxlet/status-manager';
import type { AgentOptions, AgentPorts } from '../agent.ts';
import { createPodView, type PodView } from '../outputs/pod-view.ts';
import type { CoreParts } from '../host/module-host.ts';
import { coreCollections, coreContributions, coreRuntimeHealth } from './core-contributions.ts';
import { type CoreHandle, createCoreHandle } from './core-handle.ts';
import { createCorePorts } from './core-ports.ts';
import { createRuntimeIdentity, type RuntimeIdentity } from './runtime-identity.ts';

/** Parts that exist before the modules of an agent, and the core as its modules see it. */
export interface Foundation {
  readonly ports: CorePorts & { readonly events: EventLog };
  /** Event streams of the runtime, in order of preference. */
  readonly hints: readonly HintSource[];
  readonly runtimeIdentity: RuntimeIdentity;
  /** Returns the name of the runtime once the agent was started. */
  readonly runtimeName: RuntimeIdentity['name'];
  readonly view: PodView;
  readonly startLatency: PodStartLatency;
  readonly startErrors: StartErrors;
  readonly handle: CoreHandle;
  /** Collections, contributions and services of the core itself. */
  readonly parts: CoreParts;
}

/** Creates the {@link Foundation} of an agent. */
export function createFoundation(given: AgentPorts, options: AgentOptions, lifetime: Lifetime): Foundation {
  const ports = createCorePorts(given, options);
  const { clock, events, node } = ports;
  const view = createPodView(clock);
  lifetime.defer(() => {
    view.close();
    events.close();
  });
  const runtimeIdentity = createRuntimeIdentity(ports.runtime, node.ips);
  const startLatency = createPodStartLatency(ports);
  const handle = createCoreHandle({ clock, pods: view, events, podIps: runtimeIdentity.podIps });
  return {
    ports,
    hints: given.hints ?? [containerEventHints(given.runtime)],
    runtimeIdentity,
    runtimeName: runtimeIdentity.name,
    view,
    startLatency,
    startErrors: createStartErrors(),
    handle,
    parts: {
      collects: coreCollections,
      contributions: coreContributions(handle.bound),
      services: [provide(pullObserver, startLatency), provide(runtimeHealth, coreRuntimeHealth(handle.bound))],
    },
  };
}
