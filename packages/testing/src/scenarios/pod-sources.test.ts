import { createCurrentValue } from '@rxlet/component-base/streams';
import type { Pod } from '@rxlet/kube-api';
import { contribute, healthChecks } from '@rxlet/agent-api';
import { type PodSource, type PodSourceProblem, podSources } from '@rxlet/agent-api/sources';
import { filter, NEVER } from 'rxjs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { manifestPod } from '@rxlet/pod-model/testing';
import { contributing } from '../test-modules.ts';
import { createTestNode, type TestNode } from '../test-node.ts';

/** A custom source, and its subjects. */
function customSource(name: string) {
  const snapshot = createCurrentValue<readonly Pod[] | undefined>(undefined);
  const problems = createCurrentValue<readonly PodSourceProblem[]>([]);
  const source: PodSource = {
    name,
    snapshots$: snapshot.value$.pipe(filter((pods) => pods !== undefined)),
    problems$: problems.value$,
    start: () => undefined,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  return { source, snapshot, problems };
}

function bench(): TestNode {
  const made = createTestNode();
  onTestFinished(() => made[Symbol.asyncDispose]());
  return made;
}
const problemOf = (made: TestNode, name: string): string | undefined =>
  made
    .agent()
    .contributions(healthChecks)
    .find((check) => check.name === name)
    ?.check();

describe('the sources of an agent', () => {
  it('become ready when each has reported; until then the agent reports its pods as incomplete', async () => {
    const made = bench();
    const [one, two] = [customSource('one'), customSource('two')];
    await made.start({
      modules: [contributing({ contributions: [contribute(podSources, one.source, two.source)] }, 'pods-from-file')],
    });
    one.snapshot.set([]);
    await made.clock.advance(5_000);
    expect(made.agent().pods.list()).toEqual([]);
    expect(made.agent().sourcesReady()).toBe(false);
    two.snapshot.set([]);
    await made.clock.settle();
    expect(made.agent().sourcesReady()).toBe(true);
  });

  it('show their problems in the debug state, and in a health check while one cannot be read', async () => {
    const made = bench();
    const { source, snapshot, problems } = customSource('mine');
    await made.start({
      modules: [contributing({ contributions: [contribute(podSources, source)] }, 'pods-from-file')],
    });
    snapshot.set([]);
    await made.clock.settle();
    const warning = { source: 'mine', path: '/pods/a.yaml', reason: 'ManifestWarning', message: 'a warning' } as const;
    problems.set([warning]);
    expect(problemOf(made, 'sources')).toBeUndefined();
    const unavailable = { source: 'mine', path: '/pods', reason: 'SourceUnavailable', message: 'no folder' } as const;
    problems.set([warning, unavailable]);
    expect(problemOf(made, 'sources')).toBe('no folder');
    expect(made.agent().debugState()).toMatchObject({ sources: { ready: true, problems: [warning, unavailable] } });
    problems.set([]);
    expect(problemOf(made, 'sources')).toBeUndefined();
  });

  it('do not stop the housekeeping by a pod without a UID', async () => {
    const made = bench();
    await made.start();
    made.desire(manifestPod('orphan'), manifestPod('web'));
    await made.clock.advance(5_000);
    await made.kill();
    const { source, snapshot } = customSource('mine');
    const nameless = manifestPod('nameless');
    await made.start({
      modules: [contributing({ contributions: [contribute(podSources, source)] }, 'pods-from-file')],
    });
    snapshot.set([{ ...nameless, metadata: { ...nameless.metadata, uid: '' } }, manifestPod('web')]);
    await made.clock.advance(10_000);
    expect(made.running()).toEqual(['web/app']);
    expect(made.agent().debugState()).toMatchObject({ sources: { problems: [{ reason: 'InvalidPod' }] } });
  });

  it('keep all pods running that they may contain until they report', async () => {
    const made = bench();
    await made.start();
    made.desire(manifestPod('web'));
    await made.clock.advance(5_000);
    await made.kill();
    const [one, two] = [customSource('file'), { ...customSource('api').source, snapshots$: NEVER }];
    await made.start({
      modules: [contributing({ contributions: [contribute(podSources, one.source, two)] }, 'pods-from-file')],
    });
    one.snapshot.set([manifestPod('web', {}, 2)]);
    await made.clock.advance(60_000);
    // As in the kubelet: the other source may depend on the new version.
    expect(made.running()).toEqual(['web/app', 'web/app']);
    one.snapshot.set([]);
    await made.clock.advance(60_000);
    expect(made.running()).toEqual(['web/app', 'web/app']);
  });
});
