import { describe, expect, it } from 'vitest';
import type { CallFacts, ContainerFacts, HistoryFact, PodFacts } from '../history/history.ts';
import { PROPERTIES } from './properties.ts';
import { checkProperties } from './property.ts';

const pod: PodFacts = {
  uid: 'u',
  name: 'web',
  isStatic: false,
  isStatusKept: true,
  restartPolicy: 'Always',
  graceSeconds: 30,
  hasHooks: false,
  priority: 0,
  isCritical: false,
  isCrashing: false,
  images: { app: 'image:1' },
  initContainers: [],
};
const app: ContainerFacts = { id: 'c0', uid: 'u', name: 'app', attempt: 0, image: 'image:1' };
const desired: HistoryFact = { kind: 'desired', pod };
const undesired: HistoryFact = { kind: 'undesired', uid: 'u', graceSeconds: undefined };
const sandbox: HistoryFact = { kind: 'sandbox', change: 'ready', id: 's0', uid: 'u' };
const container = (
  change: 'created' | 'started' | 'exited' | 'removed',
  more: Partial<ContainerFacts> = {},
): HistoryFact => ({
  kind: 'container',
  change,
  container: { ...app, ...more },
});
const call = (rpc: string, target: string, more: Partial<CallFacts> = {}): HistoryFact => ({
  kind: 'call',
  rpc,
  target,
  uid: 'u',
  ...more,
});
const status = (phase: string, count = 0): HistoryFact => ({
  kind: 'status',
  status: { uid: 'u', phase, isReady: false, restartCounts: { app: count } },
});
const running = [desired, sandbox, container('created'), container('started')];

/** Returns the names of the properties that a history violates. */
function violated(...facts: readonly HistoryFact[]): readonly string[] {
  const history = facts.map((fact, index) => ({ atMs: index, ...fact }));
  return [...new Set(checkProperties(PROPERTIES, history).map(({ property }) => property))];
}

describe('properties', () => {
  it.each<[string, string, readonly HistoryFact[]]>([
    [
      'single-instances',
      'a container that runs twice',
      [...running, container('created', { id: 'c1', attempt: 1 }), container('started', { id: 'c1', attempt: 1 })],
    ],
    ['single-instances', 'two ready sandboxes', [...running, { kind: 'sandbox', change: 'ready', id: 's1', uid: 'u' }]],
    [
      'no-start-after-termination',
      'a start in a pod that is being terminated',
      [desired, sandbox, container('created'), undesired, call('stopPodSandbox', 's0'), container('started')],
    ],
    [
      'rising-attempts',
      'a new instance with the number of the last one',
      [...running, container('exited'), container('created', { id: 'c1' })],
    ],
    [
      'healthy-containers-run',
      'a stop of a healthy container',
      [...running, call('stopContainer', 'c0', { timeoutSeconds: 30 })],
    ],
    ['healthy-containers-run', 'a stop of its sandbox', [...running, call('stopPodSandbox', 's0')]],
    ['rising-restart-counts', 'a falling restart count', [desired, status('Running', 2), status('Running', 1)]],
    ['terminal-phases-stay', 'a pod that runs after its end', [desired, status('Succeeded'), status('Running')]],
    [
      'confirmed-after-exit',
      'a confirmed deletion of a running pod',
      [...running, undesired, { kind: 'confirmed', uid: 'u' }],
    ],
    [
      'grace-periods-given',
      'a stop that is too short',
      [...running, undesired, call('stopContainer', 'c0', { timeoutSeconds: 2 })],
    ],
    [
      'calls-are-bounded',
      'a loop of calls',
      [desired, ...Array.from({ length: 1_000 }, () => call('createContainer', 'app'))],
    ],
    [
      'quiet-at-rest',
      'a change at rest',
      [...running, { kind: 'rest', touched: new Set() }, call('createContainer', 'app')],
    ],
  ])('%s reports %s', (property, _, facts) => {
    expect(violated(...facts)).toEqual([property]);
  });

  it('accept the life of a healthy pod', () => {
    expect(
      violated(
        ...running,
        status('Running'),
        container('exited'),
        container('created', { id: 'c1', attempt: 1 }),
        container('started', { id: 'c1', attempt: 1 }),
        status('Running', 1),
        { kind: 'rest', touched: new Set() },
        { kind: 'emptied' },
        undesired,
        call('stopContainer', 'c1', { timeoutSeconds: 30 }),
        container('exited', { id: 'c1', attempt: 1 }),
        call('stopPodSandbox', 's0'),
        { kind: 'sandbox', change: 'not ready', id: 's0', uid: 'u' },
        status('Failed', 1),
        { kind: 'confirmed', uid: 'u' },
      ),
    ).toEqual([]);
  });

  it('let a deletion by force end a container at once', () => {
    expect(
      violated(...running, { ...undesired, graceSeconds: 0 }, call('stopContainer', 'c0', { timeoutSeconds: 0 })),
    ).toEqual([]);
  });

  it.each<[string, number, readonly HistoryFact[], readonly string[]]>([
    ['let an end that is not in the checkpoint yet be lost with the agent', 50, [], []],
    ['demand that an end in the checkpoint stays', 51, [], ['terminal-phases-stay']],
    [
      'let an end be lost that a full disk keeps out of the checkpoint',
      60_000,
      [{ kind: 'step', text: 'disk code=ENOSPC isOnlyWriting=true ms=1000' }],
      [],
    ],
  ])('%s', (_, killedMs, before, expected) => {
    const facts: readonly HistoryFact[] = [
      ...before,
      { kind: 'desired', pod: { ...pod, isStatic: true } },
      status('Succeeded'),
    ];
    const history = [
      ...facts.map((fact) => ({ atMs: 0, ...fact })),
      { atMs: killedMs, kind: 'agent', change: 'killed' } as const,
      { atMs: killedMs, ...status('Running') },
    ];
    expect(checkProperties(PROPERTIES, history).map(({ property }) => property)).toEqual(expected);
  });

  it('let a dead sandbox be stopped once at rest, before it is removed', () => {
    const stop = call('stopPodSandbox', 's0');
    const atRest: readonly HistoryFact[] = [
      desired,
      sandbox,
      { kind: 'sandbox', change: 'not ready', id: 's0', uid: 'u' },
      { kind: 'rest', touched: new Set() },
      stop,
    ];
    expect(violated(...atRest, call('removePodSandbox', 's0'))).toEqual([]);
    expect(violated(...atRest, stop)).toEqual(['quiet-at-rest']);
  });

  it('let an image change replace a container', () => {
    expect(
      violated(...running, { kind: 'replaced', uid: 'u' }, call('stopContainer', 'c0', { timeoutSeconds: 30 })),
    ).toEqual([]);
  });
});
