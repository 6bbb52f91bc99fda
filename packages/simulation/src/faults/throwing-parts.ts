import type { AgentParts } from '@rxlet/agent';
import { admissionHandlers, type AgentModule, contribute, podSteps } from '@rxlet/agent-api';
import { containerSteps } from '@rxlet/agent-api/containers';
import { eventSinks } from '@rxlet/agent-api/events';
import { garbageCollectionSteps, housekeepingSteps } from '@rxlet/agent-api/housekeeping';
import { podEvictors, podStatusContributors, statusRestorers, statusSinks } from '@rxlet/agent-api/statuses';
import { createPleg } from '@rxlet/pleg';
import { createPodConfig } from '@rxlet/pod-config';
import { createPodWorkers } from '@rxlet/pod-workers';
import { createRuntimeManager } from '@rxlet/runtime-manager';
import { createStatusManager } from '@rxlet/status-manager';

/** Contributions of modules that can throw. */
const CONTRIBUTIONS = [
  'admission.admit',
  'podStep.prepare',
  'podStep.terminating',
  'podStep.stopped',
  'podStep.tearDown',
  'containerStep.additions',
  'containerStep.preCreate',
  'containerStep.preStart',
  'containerStep.postStop',
  'evictor.shouldEvict',
  'evictor.statusSet',
  'podStatus.conditions',
  'podStatus.allocatedResources',
  'restorer.restored',
  'restorer.record',
  'restorer.forget',
  'restorer.retain',
  'sink.publish',
  'eventSink',
  'housekeeping.run',
  'garbageCollection.run',
] as const;

/** Methods of the core's parts that can throw, by part. */
const METHODS = {
  config: ['pods', 'find', 'isInvalid', 'sourcesReady'],
  pleg: ['pods', 'requestRelist', 'requestReinspect'],
  workers: ['add', 'update', 'reconcile', 'sync', 'terminate', 'terminateRuntimePod', 'retain', 'state', 'states'],
  statusManager: [
    'previousStatus',
    'setPodStatus',
    'setContainerReadiness',
    'setContainerStartup',
    'setReadyToStartContainers',
    'terminatePod',
    'forget',
    'removeOrphaned',
    'get',
  ],
  runtimeManager: ['syncPod', 'killPod', 'removePod', 'collectGarbage', 'trimDeadContainers', 'actuatedResources'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** Places in which an agent can be made to throw. */
export const throwingPlaces: readonly string[] = [
  ...CONTRIBUTIONS,
  ...Object.entries(METHODS).flatMap(([part, methods]) => methods.map((method) => `${part}.${method}`)),
];

/** Places that admission handlers call: an exception there rejects a pod for good, as their own does. */
export const rejectingPlaces: ReadonlySet<string> = new Set(['config.find', 'workers.states']);

/** Exceptions in the handlers and steps of an agent. */
export interface ThrowingParts {
  /** Makes the next calls of a place throw. */
  arm(place: string, times: number): void;
  /** Ends all exceptions. */
  disarm(): void;
  readonly parts: Partial<AgentParts>;
  readonly module: AgentModule;
}

/**
 * Creates parts of an agent that throw when they are armed.
 *
 * @param mayReject whether an admission handler may throw for a pod: it rejects a pod that does not run
 */
export function createThrowingParts(base: Partial<AgentParts>, mayReject: (podUid: string) => boolean): ThrowingParts {
  const left = new Map<string, number>();
  const pass = (place: string): undefined => {
    const times = left.size === 0 ? 0 : (left.get(place) ?? 0);
    if (times === 0) return undefined;
    left.set(place, times - 1);
    throw new Error(`injected into ${place}`);
  };
  const wrap = <T extends object>(name: keyof typeof METHODS, part: T): T => {
    // Made once, since agents call them all the time.
    const wrapped: Record<string, unknown> = {};
    for (const key of METHODS[name]) {
      const place = `${name}.${key}`;
      const member = Reflect.get(part, key) as (...args: unknown[]) => unknown;
      wrapped[key] = (...args: unknown[]): unknown => {
        pass(place);
        return member.apply(part, args);
      };
    }
    return new Proxy(part, {
      get: (target, key): unknown => (Object.hasOwn(wrapped, key) ? wrapped[key as string] : Reflect.get(target, key)),
    });
  };
  const parts: Partial<AgentParts> = {
    ...base,
    createPodConfig: (ports) => wrap('config', (base.createPodConfig ?? createPodConfig)(ports)),
    createPleg: (ports, options) => wrap('pleg', (base.createPleg ?? createPleg)(ports, options)),
    createPodWorkers: (ports, options) => wrap('workers', (base.createPodWorkers ?? createPodWorkers)(ports, options)),
    createStatusManager: (ports, options) =>
      wrap('statusManager', (base.createStatusManager ?? createStatusManager)(ports, options)),
    createRuntimeManager: (ports, options) =>
      wrap('runtimeManager', (base.createRuntimeManager ?? createRuntimeManager)(ports, options)),
  };
  const module: AgentModule = {
    name: 'throwing',
    setup: () => ({
      contributions: [
        contribute(admissionHandlers, {
          name: 'throwing',
          admit: ({ metadata }) => (mayReject(metadata?.uid ?? '') ? pass('admission.admit') : undefined),
        }),
        contribute(podSteps, {
          name: 'throwing',
          prepare: () => pass('podStep.prepare'),
          terminating: () => pass('podStep.terminating'),
          stopped: () => pass('podStep.stopped'),
          tearDown: () => pass('podStep.tearDown'),
        }),
        contribute(containerSteps, {
          name: 'throwing',
          additions: () => pass('containerStep.additions'),
          preCreate: () => pass('containerStep.preCreate'),
          preStart: () => pass('containerStep.preStart'),
          postStop: () => pass('containerStep.postStop'),
        }),
        contribute(podEvictors, {
          name: 'throwing',
          shouldEvict: () => pass('evictor.shouldEvict'),
          statusSet: () => pass('evictor.statusSet'),
        }),
        contribute(podStatusContributors, {
          name: 'throwing',
          conditionTypes: [],
          conditions: () => pass('podStatus.conditions') ?? [],
          allocatedResources: () => pass('podStatus.allocatedResources') ?? [],
        }),
        contribute(statusRestorers, {
          load: () => Promise.resolve(),
          restored: () => pass('restorer.restored'),
          record: () => pass('restorer.record'),
          forget: () => pass('restorer.forget'),
          retain: () => pass('restorer.retain'),
        }),
        contribute(statusSinks, { publish: async () => pass('sink.publish') }),
        contribute(eventSinks, () => pass('eventSink')),
        contribute(housekeepingSteps, { name: 'throwing', run: () => pass('housekeeping.run') }),
        contribute(garbageCollectionSteps, {
          name: 'throwing',
          failureReason: 'GCFailed',
          run: async () => pass('garbageCollection.run'),
        }),
      ],
    }),
  };
  return {
    arm: (place, times) => void left.set(place, times),
    disarm: () => left.clear(),
    parts,
    module,
  };
}
