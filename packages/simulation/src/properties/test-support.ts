import type { CallFacts, ContainerFacts, History, HistoryFact, PodFacts, StatusFacts } from '../history/history.ts';
import { PROPERTIES } from './properties.ts';
import { checkProperties } from './property.ts';

/** A pod of one container, which runs for ever. */
export const pod: PodFacts = {
  uid: 'u',
  name: 'web',
  isStatic: false,
  isStatusKept: true,
  isEndless: true,
  graceSeconds: 30,
  hasHooks: false,
  priority: 0,
  isCritical: false,
  isCrashing: false,
  images: { app: 'image:1' },
  initContainers: [],
  ephemeralContainers: [],
  requests: { cpuMillis: 1_000, memoryBytes: 2 ** 30 },
  devices: 0,
  claims: {},
  health: {},
  deadlineSeconds: undefined,
  restartAllCodes: {},
};

/** Another pod, which may take the place of others. */
export const criticalPod: PodFacts = {
  ...pod,
  uid: 'critical',
  name: 'agent',
  priority: 2_000_001_000,
  isCritical: true,
};

/** The first instance of its container. */
export const app: ContainerFacts = { id: 'c0', uid: 'u', name: 'app', attempt: 0, image: 'image:1' };

/** A source has the pod. */
export const desire = (more: Partial<PodFacts> = {}): HistoryFact => ({ kind: 'desired', pod: { ...pod, ...more } });

/** A container of the pod changes. */
export const container = (
  change: Extract<HistoryFact, { kind: 'container' }>['change'],
  more: Partial<ContainerFacts> = {},
): HistoryFact => ({ kind: 'container', change, container: { ...app, ...more } });

/** The agent calls the runtime about the pod. */
export const call = (rpc: string, target: string, more: Partial<CallFacts> = {}): HistoryFact => ({
  kind: 'call',
  rpc,
  target,
  uid: 'u',
  ...more,
});

/** The agent stops the first instance. */
export const stop = (timeoutSeconds: number): HistoryFact => call('stopContainer', 'c0', { timeoutSeconds });

/** The agent publishes a status of the pod. */
export const status = (phase: string, more: Partial<StatusFacts> = {}): HistoryFact => ({
  kind: 'status',
  status: { uid: 'u', phase, isReady: false, restartCounts: { app: 0 }, ...more },
});

/** The agent decides to end the pod. */
export const terminate = (reason: Extract<HistoryFact, { kind: 'terminate' }>['reason']): HistoryFact => ({
  kind: 'terminate',
  uid: 'u',
  reason,
});

/** The machine runs short of memory, or no longer. */
export const pressure = (isPressed: boolean, reported?: readonly string[]): HistoryFact => ({
  kind: 'pressure',
  conditions: isPressed ? ['MemoryPressure'] : [],
  ...(reported && { reported }),
});

/** The machine shuts down, cancels that, or goes off. */
export const power = (change: Extract<HistoryFact, { kind: 'power' }>['change']): HistoryFact => ({
  kind: 'power',
  change,
});

/** The life of an agent changes. */
export const agent = (change: Extract<HistoryFact, { kind: 'agent' }>['change']): HistoryFact => ({
  kind: 'agent',
  change,
});

/** The sandbox of the pod is ready. */
export const sandbox: HistoryFact = { kind: 'sandbox', change: 'ready', id: 's0', uid: 'u' };

/** The pod runs. */
export const running: readonly HistoryFact[] = [desire(), sandbox, container('created'), container('started')];

/** A fact, with the time since the one before in milliseconds unless that is 1. */
export type Timed = HistoryFact | readonly [afterMs: number, fact: HistoryFact];

/** Returns the history of facts. */
export function historyOf(facts: readonly Timed[]): History {
  let atMs = 0;
  return facts.map((one) => {
    const [afterMs, fact] = 'kind' in one ? [1, one] : one;
    atMs += afterMs;
    return { atMs, ...fact };
  });
}

/** Returns the names of the properties that a history violates. */
export function violated(...facts: readonly Timed[]): readonly string[] {
  return [...new Set(checkProperties(PROPERTIES, historyOf(facts)).map(({ property }) => property))];
}
