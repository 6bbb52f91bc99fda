import { admissionHandlers, type AgentModule, debugSections, podSteps, provide, syncTriggers } from '@rxlet/agent-api';
import { eventSinks } from '@rxlet/agent-api/events';
import { journalSinks } from '@rxlet/agent-api/journal';
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
import { pullObserver, pullProgressSource } from '@rxlet/agent-api/images';
import { podAllocations, runtimeHealth } from '@rxlet/agent-api/node';
import { createLifetime, type Lifetime, type Logger } from '@rxlet/component-base';
import { createEmitter } from '@rxlet/component-base/streams';
import type { Pod } from '@rxlet/kube-api';
import { containerEventHints } from '@rxlet/pleg';
import { couldHaveRunningContainers, createPodStates } from '@rxlet/pod-workers';
import { createPodStartLatency, createStartErrors } from '@rxlet/status-manager';
import type { Agent, AgentOptions, AgentPorts } from './agent.ts';
import { createAgentCore } from './core/agent-core.ts';
import { createCoreCommands } from './core/core-commands.ts';
import { coreCollections, coreContributions } from './core/core-contributions.ts';
import { createCorePorts } from './core/core-ports.ts';
import { createRuntimeHealth } from './core/runtime-health.ts';
import { createRuntimeIdentity } from './core/runtime-identity.ts';
import { runtimeManagerPorts } from './core/runtime-manager-ports.ts';
import { createStart } from './core/start.ts';
import { combineRestorers } from './core/status-restorers.ts';
import { createJournalWorkers } from './journal/journal-workers.ts';
import { createModuleHost } from './host/module-host.ts';
import { rollBackOnFailure } from './host/roll-back.ts';
import { mayRun } from './housekeeping/may-run.ts';
import { createStepFailures } from './housekeeping/isolated-steps.ts';
import { connectOutputs } from './outputs/connect-outputs.ts';
import { measurePodStarts } from './outputs/measure-pod-starts.ts';
import { createPodView } from './outputs/pod-view.ts';
import { type AgentParts, defaultParts } from './parts.ts';
import { noPodProbes } from './pod-syncer/no-pod-probes.ts';
import { createRestartRequests } from './pod-syncer/restart-requests.ts';
import { podStepsOf } from './pod-syncer/pod-steps.ts';
import { admissionHandlersOf } from './sync-loop/admission.ts';
import { createActivePods } from './sync-loop/active-pods.ts';
import { withAllocations } from './sync-loop/allocated-pods.ts';
import { createLoopActivity } from './sync-loop/loop-activity.ts';
import { createPodAdmissions } from './sync-loop/pod-admissions.ts';
import { createRejectPod } from './sync-loop/reject-pod.ts';

/**
 * Creates a node agent from the core and modules. It does no I/O and starts nothing; when a part cannot be created, those created before are disposed of.
 *
 * @param parts replacements for parts of the core
 * @throws ModuleError when the modules do not fit together, and whatever the set-up of a module throws
 *
 * @example
 * ```ts
 * import { createAgent } from '@rxlet/agent';
 * import { systemClock, systemRandom } from '@rxlet/component-base';
 * import { createFakeRuntime } from '@rxlet/fake-cri';
 * import { createManualSource, podsFrom } from '@rxlet/pod-config';
 *
 * const { runtime, images } = createFakeRuntime({ clock: systemClock, random: systemRandom });
 * const node = { rootDirectory: '/var/lib/rxlet', podLogsDirectory: '/var/log/pods', memoryCapacityBytes: 8n << 30n };
 * const source = createManualSource('mine');
 * await using agent = await createAgent({ runtime, images, node }, [podsFrom(source)]);
 * await agent.start();
 * source.set([]);
 * ```
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

/**
 * Creates the parts in the order of the data flow. Those that modules read come before the set-up, with collections that the modules fill; those that use
 * the services of modules come after it.
 */
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
  const host = createModuleHost(modules, coreCollections);
  const { contributions, find } = host;
  const ports = createCorePorts(given, options, contributions(journalSinks));
  const { runtime, files, clock, random, logger, metrics, events, journal, node } = ports;
  lifetime.defer(() => journal[Symbol.dispose]());
  const view = createPodView(clock);
  const syncRequests = createEmitter<string>();
  lifetime.defer(() => {
    view.close();
    syncRequests.complete();
    events.close();
  });
  own(host);
  const loggerOf = (part: string): Logger => logger.child({ logger: part });
  const mirrors = contributions(mirrorPods);

  // pod sources ──PodUpdate──▶
  const config = own(
    make.createPodConfig({
      clock,
      sources: contributions(podSources),
      events,
      logger: loggerOf('pod-config'),
      metrics,
    }),
  );

  // ◀──PodLifecycleEvent── pleg ◀── runtime
  const runtimeIdentity = createRuntimeIdentity(runtime, node.ips);
  const runtimeName = runtimeIdentity.name;
  const runtimeState = own(make.createRuntimeState({ runtime, clock, logger: loggerOf('runtime-state') }));
  const hints = given.hints ?? [containerEventHints(runtime)];
  const pleg = own(
    make.createPleg(
      { runtime, hints, clock, random, logger: loggerOf('pleg'), metrics },
      { runtimeName, relistPeriodMs: options.relistPeriodMs },
    ),
  );

  // what the sync loop and the pod workers record
  const podStates = createPodStates(clock);
  const admissions = createPodAdmissions(config, podStates);
  const allocated = (pod: Pod): Pod => find(podAllocations)?.allocated(pod) ?? pod;
  const activePods = createActivePods({
    config,
    states: podStates,
    isRunning: (uid) => mayRun(pleg.find(uid)),
    allocated,
  });
  const activity = createLoopActivity(clock);
  const housekeepingFailures = createStepFailures();
  const startErrors = createStartErrors();
  const startLatency = createPodStartLatency({ clock, metrics });

  // status manager ──PodStatus──▶ sinks
  const restorer = combineRestorers(contributions(statusRestorers), logger);
  const statusManager = own(
    make.createStatusManager({
      clock,
      sinks: contributions(statusSinks),
      restorer,
      mirrorPod: (pod) => mirrors[0]?.mirrorOf?.(pod),
      couldHaveRunningContainers(uid) {
        const state = podStates.state(uid);
        return state !== undefined && couldHaveRunningContainers(state);
      },
      metrics,
      logger: loggerOf('status-manager'),
    }),
  );

  // modules ──▶ contributions, services
  const commands = createCoreCommands();
  const restarts = createRestartRequests();
  const core = createAgentCore({
    clock,
    pods: view,
    events,
    podIps: runtimeIdentity.podIps,
    config,
    pleg,
    podStates,
    admissions,
    statusManager,
    activePods,
    allocated,
    debugSections: contributions(debugSections),
    restarts,
    requestSync: syncRequests.emit,
    commands,
  });
  await host.setUp({
    ports,
    core,
    services: [
      provide(pullObserver, startLatency),
      provide(runtimeHealth, createRuntimeHealth(runtimeState, pleg)),
      ...(given.pullProgress === undefined ? [] : [provide(pullProgressSource, given.pullProgress)]),
    ],
    contributions: coreContributions({
      config,
      pleg,
      runtimeState,
      podStates,
      admissions,
      activity,
      housekeepingFailures,
      syncRequests$: syncRequests.values$,
    }),
  });
  const probes = find(podProbes) ?? noPodProbes;

  // runtime manager ──▶ services of modules, runtime
  const runtimeManager = own(
    make.createRuntimeManager(
      runtimeManagerPorts({ ...ports, logger: loggerOf('runtime-manager') }, host, lifetime.signal),
      { ...options, node: given.node },
    ),
  );

  const rejectPod = createRejectPod({ statusManager, events, journal, metrics });
  const journalWorkers = createJournalWorkers({ journal, clock, statuses: pleg.cache });

  // pod workers ──(sync | terminating | terminated)──▶ pod syncer ──▶ the two managers
  const syncer = make.createPodSyncer({
    runtime,
    runtimeName,
    runtimeState,
    clock,
    events,
    journal,
    logger: loggerOf('pod-syncer'),
    pleg,
    rejectPod,
    podSteps: podStepsOf(contributions(podSteps), mirrors, { clock, events, journal, logger: loggerOf('pod-steps') }),
    runtimeManager,
    statusManager,
    probes,
    terminationMessages: find(terminationMessages),
    startErrors,
    restarts,
    startLatency,
    evictors: contributions(podEvictors),
    contributors: contributions(podStatusContributors),
    hostIps: node.ips,
    requestSync: syncRequests.emit,
  });
  const desiredPods = own(
    make.createPodWorkers(
      {
        syncer,
        statuses: journalWorkers.statuses,
        retries: journalWorkers.retries,
        states: podStates,
        clock,
        random,
        events,
        logger: loggerOf('pod-workers'),
        metrics,
      },
      options,
    ),
  );
  commands.connect({ workers: desiredPods, runtimeManager });

  // admission and pod workers get the allocated version of each pod
  const handlers = admissionHandlersOf(contributions(admissionHandlers), contributions(supportedPodFields));
  const allocations = find(podAllocations);
  const { workers, admission } = withAllocations({ workers: desiredPods, admission: handlers }, allocations, {
    logger,
    lifetime,
  });

  // pod updates, lifecycle events, probe results, sync triggers ──▶ sync loop ──▶ pod workers
  const loop = own(
    make.createSyncLoop(
      {
        clock,
        logger: loggerOf('sync-loop'),
        metrics,
        events,
        config,
        pleg,
        probes,
        syncTriggers: contributions(syncTriggers),
        requestSync: syncRequests.emit,
        admission,
        admissions,
        rejectPod,
        activity,
        workers,
        activePods,
        allocations,
        runtimeManager,
        statusManager,
        mirrorPods: mirrors[0],
        view,
        journal,
        podChangedState: journalWorkers.transition,
        housekeeping: contributions(housekeepingSteps),
        housekeepingFailures,
        garbageCollection: contributions(garbageCollectionSteps),
        files,
        node,
      },
      options,
    ),
  );

  connectOutputs({ logger, events, eventSinks: contributions(eventSinks), statusManager, view }, lifetime);
  measurePodStarts({ startLatency, config, statusManager, logger }, lifetime);
  const start = createStart({ host, restorer, runtimeIdentity, runtimeState, loop, pleg, config, logger }, lifetime);
  const { pods, sourcesReady, sourceProblems, debugState } = core;
  const dispose = { [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose]() };
  return { start, pods, events, sourcesReady, sourceProblems, contributions, debugState, ...dispose };
}
