import type { RuntimePod } from '@rxlet/pod-model/runtime';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { computePodLifecycleEvents } from './pod-lifecycle-event.ts';

const STATES = ['created', 'running', 'exited', 'unknown'] as const;
type State = (typeof STATES)[number];

function pod(
  containers: Readonly<Record<string, State>>,
  sandboxes: Readonly<Record<string, 'ready' | 'notready'>> = {},
): RuntimePod {
  return {
    uid: 'u',
    name: 'web',
    namespace: 'default',
    sandboxes: Object.entries(sandboxes).map(([id, state]) => ({ id, state, attempt: 0, createdAtNanos: 0n })),
    containers: Object.entries(containers).map(([id, state]) => ({
      id: { type: 'fake', id },
      name: `name-of-${id}`,
      sandboxId: 's',
      state,
      hash: '',
      attempt: 0,
      createdAtNanos: 0n,
      image: '',
      imageRef: '',
    })),
  };
}

describe('computePodLifecycleEvents', () => {
  const types = (earlier: RuntimePod | undefined, later: RuntimePod | undefined): string[] =>
    computePodLifecycleEvents('u', earlier, later).map(({ type }) => type);

  it.each<[State | 'absent', State | 'absent', string[]]>([
    ['absent', 'created', ['ContainerChanged']],
    ['absent', 'running', ['ContainerStarted']],
    ['absent', 'exited', ['ContainerDied']],
    ['created', 'running', ['ContainerStarted']],
    ['created', 'exited', ['ContainerDied']],
    ['created', 'unknown', []],
    ['running', 'exited', ['ContainerDied']],
    ['running', 'unknown', ['ContainerChanged']],
    ['unknown', 'running', ['ContainerStarted']],
    ['exited', 'running', ['ContainerStarted']],
    ['exited', 'absent', ['ContainerRemoved']],
    ['running', 'absent', ['ContainerDied', 'ContainerRemoved']],
    ['created', 'absent', ['ContainerDied', 'ContainerRemoved']],
    ['unknown', 'absent', ['ContainerDied', 'ContainerRemoved']],
  ])('computes for a container that was %s and is %s: %j', (before, after, expected) => {
    expect(
      types(before === 'absent' ? pod({}) : pod({ a: before }), after === 'absent' ? pod({}) : pod({ a: after })),
    ).toEqual(expected);
  });

  it('names pod, container and its name', () => {
    expect(computePodLifecycleEvents('u', undefined, pod({ a: 'running' }))).toStrictEqual([
      { type: 'ContainerStarted', podUid: 'u', containerId: 'a', containerName: 'name-of-a' },
    ]);
  });

  it('counts a sandbox as a container without a name', () => {
    expect(computePodLifecycleEvents('u', undefined, pod({}, { s: 'ready' }))).toStrictEqual([
      { type: 'ContainerStarted', podUid: 'u', containerId: 's' },
    ]);
    expect(computePodLifecycleEvents('u', pod({}, { s: 'ready' }), pod({}, { s: 'notready' }))).toStrictEqual([
      { type: 'ContainerDied', podUid: 'u', containerId: 's' },
    ]);
  });

  it('reports the death and removal of each container of a pod that vanishes', () => {
    expect(types(pod({ a: 'running' }, { s: 'ready' }), undefined)).toEqual([
      'ContainerDied',
      'ContainerRemoved',
      'ContainerDied',
      'ContainerRemoved',
    ]);
  });

  it('is silent exactly when no observed state differs', () => {
    const containers = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.constantFrom(...STATES));
    const observed = (states: Readonly<Record<string, State>>): string =>
      JSON.stringify(
        Object.entries(states)
          .map(([id, state]) => [id, state === 'created' ? 'unknown' : state])
          .sort(),
      );
    fc.assert(
      fc.property(containers, containers, (before, after) => {
        expect(types(pod(before), pod(after)).length === 0).toBe(observed(before) === observed(after));
      }),
    );
  });
});
