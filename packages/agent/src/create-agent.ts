import { admissionHandlers, type AgentModule, podSteps, syncTriggers } from '@rxlet/agent-api';
import { eventSinks } from '@rxlet/agent-api/events';
import { garbageCollectionSteps, housekeepingSteps } from '@rxlet/agent-api/housekeeping';
import { supportedPodFields } from '@rxlet/agent-api/pod-fields';
import { podSources } from '@rxlet/agent-api/sources';
import {
  mirrorPods,
  podEvictors,
  podStatusContributors,
  statusRestorers,
  statusSinks,
} from '@rxlet/agent-api/statuses';
import { podProbes, terminationMessages } from '@rxlet/agent-api/containers';
import { podAllocations } from '@rxlet/agent-api/node';
import { createLifetime, type Lifetime } from '@rxlet/component-base';
import type { Agent, AgentOptions, AgentPorts } from './agent.ts';
import { containerServices } from './core/container-services.ts';
import { createFoundation } from './core/foundation.ts';
import { createStart } from './core/start.ts';
import { combineRestorers } from './core/status-restorers.ts';
import { setUpModules } from './host/module-host.ts';
import { rollBackOnFailure } from './host/roll-back.ts';
import { connectOutputs } from './outputs/connect-outputs.ts';
import { type AgentParts, defaultParts } from './parts.ts';
import { noPodProbes } from './pod-syncer/no-pod-probes.ts';
import { podStepsOf } from './pod-syncer/pod-steps.ts';
import { admissionHandlersOf } from './sync-loop/admission.ts';
import { withAllocations } from './sync-loop/allocated-pods.ts';

/**
 * Creates a node agent from the core and modules. It does no I/O and starts nothing; when a part cannot be created, those created before are disposed of.
 *
 * @param parts replacements for parts of the core
 * @throws ModuleError when the modules do not fit together, and whatever the set-up of a module throws
 */
export async function createAgent(
  ports: AgentPorts,
  modules: readonly AgentModule[],
  options: AgentOptions = {},
  parts: Partial<AgentParts> = {},
): Promise<Agent> {
  const lifetime = createLifetime();
  return rollBackOnFailure(lifetime, () => assemble(ports, modules, options, { ...defaultParts, ...parts }, lifetime));
}

async function assemble(
  given: AgentPorts,
  modules: readonly AgentModule[],
  options: AgentOptions,
  make: AgentParts,
  lifetime: Lifetime,
): Promise<Agent> {
  const own = <T extends AsyncDisposable>(part: T): T => {
    lifetime.defer(async () => part[Symbol.asyncDispose]());
    return part;
  };
  const foundation = createFoundation(given, options, lifetime);
  const { ports, runtimeName, view, startLatency, startErrors, handle } = foundation;
  const host = own(await setUpModules(modules, ports, handle.forModules, foundation.parts));
  const { contributions } = host;
  const mirrors = contributions(mirrorPods);
  const probes = host.find(podProbes) ?? noPodProbes;

  // pod sources ──PodUpdate──▶
  const config = own(make.createPodConfig({ ...ports, sources: contributions(podSources) }));

  // ◀──PodLifecycleEvent── pleg ◀── runtime
  const runtimeState = own(make.createRuntimeState(ports));
  const pleg = own(make.createPleg({ ...ports, hints: foundation.hints }, { ...options, runtimeName }));

  // runtime manager ──▶ services of modules, runtime
  const services = { ...containerServices(host, ports.images), stopping: lifetime.signal };
  const runtimeManager = own(make.createRuntimeManager({ ...ports, ...services }, { ...options, node: given.node }));

  // status manager ──PodStatus──▶ sinks
  const restorer = combineRestorers(contributions(statusRestorers), ports.logger);
  const sinks = contributions(statusSinks);
  const mirrorPod = mirrors[0]?.mirrorOf;
  const couldHaveRunningContainers = handle.couldHaveRunningContainers;
  const statusManager = own(
    make.createStatusManager({ ...ports, sinks, restorer, mirrorPod, couldHaveRunningContainers }),
  );

  // pod workers ──(sync | terminating | terminated)──▶ pod syncer ──▶ the two managers
  const steps = podStepsOf(contributions(podSteps), mirrors, ports);
  const statusParts = { evictors: contributions(podEvictors), contributors: contributions(podStatusContributors) };
  const messages = { terminationMessages: host.find(terminationMessages) };
  const managers = { runtimeState, pleg, runtimeManager, statusManager, probes, podSteps: steps, ...statusParts };
  const reports = { runtimeName, startErrors, startLatency, hostIps: ports.node.ips };
  const syncAgain = handle.requestSync;
  const syncer = make.createPodSyncer({ ...ports, ...managers, ...messages, ...reports, syncAgain });
  const desiredPods = own(make.createPodWorkers({ ...ports, syncer, statuses: pleg.cache }, options));

  // admission and pod workers get the allocated version of each pod
  const allocations = host.find(podAllocations);
  const handlers = admissionHandlersOf(contributions(admissionHandlers), contributions(supportedPodFields));
  const desired = { workers: desiredPods, admission: handlers };
  const { workers, admission } = withAllocations(desired, allocations, { ...ports, lifetime });

  // sources, pleg, probes and sync triggers ──▶ sync loop ──▶ pod workers
  const core = { config, pleg, runtimeState, runtimeManager, statusManager, workers };
  const loopParts = {
    syncTriggers: contributions(syncTriggers),
    housekeeping: contributions(housekeepingSteps),
    garbageCollection: contributions(garbageCollectionSteps),
    mirrorPods: mirrors[0],
  };
  const loop = own(make.createSyncLoop({ ...ports, ...loopParts, ...core, admission, probes, view }, options));

  handle.bind({ ...core, loop, allocations });
  connectOutputs({ ...foundation, ...core, eventSinks: contributions(eventSinks) }, lifetime);
  const { pods, events, sourcesReady, sourceProblems, debugState } = handle.forModules(contributions);
  const start = createStart({ ...foundation, ...core, host, restorer, loop }, lifetime);
  const dispose = { [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose]() };
  return { start, pods, events, sourcesReady, sourceProblems, contributions, debugState, ...dispose };
}
