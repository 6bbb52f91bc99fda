import { describe, expect, it } from 'vitest';
import type { HistoryFact } from '../history/history.ts';
import { PROPERTIES } from './properties.ts';
import { checkProperties } from './property.ts';
import {
  call,
  container,
  desire,
  pod,
  pressure,
  running,
  sandbox,
  status,
  stop,
  terminate,
  violated,
} from './test-support.ts';

const desired = desire();
const undesired: HistoryFact = { kind: 'undesired', uid: 'u', graceSeconds: undefined };

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
    ['healthy-containers-run', 'a stop of a healthy container', [...running, stop(30)]],
    ['healthy-containers-run', 'a stop of its sandbox', [...running, call('stopPodSandbox', 's0')]],
    [
      'rising-restart-counts',
      'a falling restart count',
      [desired, status('Running', { restartCounts: { app: 2 } }), status('Running', { restartCounts: { app: 1 } })],
    ],
    ['terminal-phases-stay', 'a pod that runs after its end', [desired, status('Succeeded'), status('Running')]],
    [
      'confirmed-after-exit',
      'a confirmed deletion of a running pod',
      [...running, undesired, { kind: 'confirmed', uid: 'u' }],
    ],
    ['grace-periods-given', 'a stop that is too short', [...running, undesired, stop(2)]],
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

  it('accept that a new agent starts from the count in the API when the one that evicted the pod could not report it', () => {
    const counted = (app: number): HistoryFact => status('Running', { restartCounts: { app } });
    const unreported: HistoryFact = { kind: 'unreported', uid: 'u' };
    const evicted = [...running, pressure(true), counted(2), terminate('evicted')];
    expect(violated(...evicted, unreported, counted(1))).toEqual([]);
    expect(violated(...evicted, counted(1))).toEqual(['rising-restart-counts']);
  });

  it('accept that a static pod without an instance loses what the killed agent had not saved yet', () => {
    const counted = (app: number): HistoryFact => status('Pending', { restartCounts: { app } });
    const created = [desire({ isStatic: true }), container('created'), counted(2)];
    const killed: HistoryFact = { kind: 'agent', change: 'killed' };
    expect(violated(...created, container('removed'), killed, counted(1))).toEqual([]);
    expect(violated(...created, killed, counted(1))).toEqual(['rising-restart-counts']);
    expect(violated(...created, container('removed'), counted(1))).toEqual(['rising-restart-counts']);
  });

  it('accept that the next agent has no count of a static pod whose status is not kept, without its instances', () => {
    const counted = (app: number): HistoryFact => status('Failed', { restartCounts: { app } });
    const stopped: HistoryFact = { kind: 'agent', change: 'stopped' };
    const after = (isStatusKept: boolean, ...facts: readonly HistoryFact[]) =>
      violated(desire({ isStatic: true, isStatusKept }), ...running.slice(1), counted(1), ...facts, counted(0));
    const ended = [container('exited'), container('removed')];
    expect(after(false, ...ended, stopped)).toEqual([]);
    expect(after(false, ...ended)).toEqual(['rising-restart-counts']);
    expect(after(false, stopped)).toEqual(['rising-restart-counts']);
    expect(after(true, ...ended, stopped)).toEqual(['rising-restart-counts']);
  });

  it('accept that a static pod comes back while its first container starts, and begins anew', () => {
    const isStatic = desire({ isStatic: true });
    const starting = [isStatic, sandbox, container('created'), undesired, isStatic, container('started')];
    const again = [container('exited'), container('removed'), container('created', { id: 'c1' })];
    expect(violated(...starting, ...again)).toEqual([]);
  });

  it('accept that a killed agent forgets an instance that it has removed because it did not start', () => {
    const counted = (app: number): HistoryFact => status('Running', { restartCounts: { app } });
    const killed: HistoryFact = { kind: 'agent', change: 'killed' };
    const removed = [container('removed', { id: 'c2', attempt: 2 }), killed];
    const replaced = [...running, container('created', { id: 'c2', attempt: 2 }), counted(2)];
    expect(violated(...replaced, ...removed, counted(1))).toEqual([]);
    const next = container('created', { id: 'c3', attempt: 3 });
    expect(violated(...replaced, removed[0]!, next, killed, counted(1))).toEqual(['rising-restart-counts']);
  });

  it('accept that a lost checkpoint of the statuses leaves the count of the newest instance', () => {
    const counted = (app: number): HistoryFact => status('Running', { restartCounts: { app } });
    const lost: HistoryFact = { kind: 'damaged', path: '/root/pod_statuses', how: 'lose' };
    const restarted = [
      ...running,
      container('exited'),
      container('created', { id: 'c1', attempt: 1 }),
      container('started', { id: 'c1', attempt: 1 }),
      counted(2),
    ];
    expect(violated(...restarted, lost, counted(1))).toEqual([]);
    expect(violated(...restarted, lost, counted(0))).toEqual(['rising-restart-counts']);
    expect(violated(...restarted, counted(1))).toEqual(['rising-restart-counts']);
  });

  it('accept that a container that has just started is put on its CPUs at rest', () => {
    const update = call('updateContainerResources', 'c0');
    const rest: HistoryFact = { kind: 'rest', touched: new Set() };
    expect(violated(...running, rest, update)).toEqual([]);
    expect(violated(...running, rest, [11_000, update])).toEqual(['quiet-at-rest']);
  });

  it('accept the life of a healthy pod', () => {
    expect(
      violated(
        ...running,
        status('Running'),
        container('exited'),
        container('created', { id: 'c1', attempt: 1 }),
        container('started', { id: 'c1', attempt: 1 }),
        status('Running', { restartCounts: { app: 1 } }),
        { kind: 'rest', touched: new Set() },
        { kind: 'emptied' },
        undesired,
        call('stopContainer', 'c1', { timeoutSeconds: 30 }),
        container('exited', { id: 'c1', attempt: 1 }),
        call('stopPodSandbox', 's0'),
        { kind: 'sandbox', change: 'not ready', id: 's0', uid: 'u' },
        status('Failed', { restartCounts: { app: 1 } }),
        { kind: 'confirmed', uid: 'u' },
      ),
    ).toEqual([]);
  });

  it('let an agent that does not know of a deletion replace a dead sandbox', () => {
    const dead: HistoryFact = { kind: 'sandbox', change: 'not ready', id: 's0', uid: 'u' };
    expect(
      violated(
        ...running,
        undesired,
        dead,
        stop(30),
        container('exited'),
        container('started', { id: 'c1', attempt: 1 }),
      ),
    ).toEqual([]);
  });

  it('let a deletion by force end a container within two seconds', () => {
    const forced: HistoryFact = { kind: 'undesired', uid: 'u', graceSeconds: 0 };
    expect(violated(...running, forced, stop(2))).toEqual([]);
    expect(violated(...running, forced, stop(0))).toEqual(['grace-periods-given']);
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
    const stopSandbox = call('stopPodSandbox', 's0');
    const atRest: readonly HistoryFact[] = [
      desired,
      sandbox,
      { kind: 'sandbox', change: 'not ready', id: 's0', uid: 'u' },
      { kind: 'rest', touched: new Set() },
      stopSandbox,
    ];
    expect(violated(...atRest, call('removePodSandbox', 's0'))).toEqual([]);
    expect(violated(...atRest, stopSandbox)).toEqual(['quiet-at-rest']);
  });

  it('let an image change replace a container', () => {
    expect(violated(...running, { kind: 'replaced', uid: 'u' }, stop(30))).toEqual([]);
  });
});
