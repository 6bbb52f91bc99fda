import type { AdmissionHandler } from '@rxlet/agent-api';
import { manifestPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { createSyncLoopBench, rejectNamed, runtimePod } from '../test-support/sync-loop-bench.ts';

const UID = 'uid-web-1';

/** An admission handler that fails until it is repaired. */
function failingHandler(): AdmissionHandler & { repair(): void } {
  let isBroken = true;
  return {
    name: 'failing',
    admit() {
      if (isBroken) throw new Error('no plugin');
      return undefined;
    },
    repair: () => void (isBroken = false),
  };
}

/** Returns reason and message of the events of a bench. */
const eventsOf = ({ events }: ReturnType<typeof createSyncLoopBench>): readonly string[] =>
  events.list().map(({ reason, message }) => `${reason ?? ''}: ${message ?? ''}`);

describe('a desired pod whose handling fails', () => {
  it('keeps its running containers, has one event, and is added once it can be handled', async () => {
    const bench = createSyncLoopBench();
    const { world, fail, steps, clock, emit, admissions } = bench;
    world.held = [runtimePod(UID)];
    fail.previousStatus = new Error('no status');
    await emit('ADD', manifestPod('web'), manifestPod('other'));
    await bench.becomeReady();
    await clock.advance(600_000);
    expect(steps).toEqual([]);
    expect(admissions.awaitsAdmission(UID)).toBe(true);
    const expected = 'FailedSync: error handling pod, will be retried: no status';
    expect(eventsOf(bench)).toEqual([expected, expected]);
    fail.previousStatus = undefined;
    await clock.advance(60_000);
    expect(new Set(steps)).toEqual(new Set(['sync web', 'sync other']));
  });

  it('is still handled again after its status has changed in the API', async () => {
    const { fail, steps, clock, emit, becomeReady } = createSyncLoopBench();
    await becomeReady(false);
    fail.previousStatus = new Error('no status');
    await emit('ADD', manifestPod('web'));
    await emit('RECONCILE', { ...manifestPod('web'), status: { phase: 'Pending' } });
    fail.previousStatus = undefined;
    await clock.advance(60_000);
    expect(steps).toEqual(['sync web']);
  });

  it('is forgotten when it is removed, and its containers end', async () => {
    const { world, fail, steps, clock, emit, becomeReady } = createSyncLoopBench();
    world.held = [runtimePod(UID)];
    fail.previousStatus = new Error('no status');
    await emit('ADD', manifestPod('web'));
    await becomeReady();
    await emit('REMOVE', manifestPod('web'));
    await clock.advance(5_000);
    expect(new Set(steps)).toEqual(new Set([`stop ${UID}`]));
  });

  it('is rejected once the status of its rejection can be set', async () => {
    const { fail, statuses, clock, emit, rejections } = createSyncLoopBench({ admission: [rejectNamed('web')] });
    fail.setPodStatus = new Error('no status');
    await emit('ADD', manifestPod('web'));
    await clock.advance(10_000);
    expect(rejections).toEqual([]);
    fail.setPodStatus = undefined;
    await clock.advance(60_000);
    expect(statuses.get(UID)).toMatchObject({ phase: 'Failed', reason: 'OutOfcpu' });
    expect(rejections).toEqual(['kubelet_admission_rejections_total OutOfcpu']);
  });

  it('keeps its running containers while an admission handler throws', async () => {
    const handler = failingHandler();
    const bench = createSyncLoopBench({ admission: [handler] });
    const { world, steps, clock, emit, becomeReady, rejections } = bench;
    world.held = [runtimePod(UID)];
    await emit('ADD', manifestPod('web'));
    await becomeReady();
    await clock.advance(600_000);
    expect([steps, rejections]).toEqual([[], []]);
    expect(eventsOf(bench)).toEqual([
      'FailedSync: error handling pod, will be retried: Admission failed due to no plugin, which is unexpected.',
    ]);
    handler.repair();
    await clock.advance(60_000);
    expect(new Set(steps)).toEqual(new Set(['sync web']));
  });

  it('is rejected by an admission handler that throws if it does not run', async () => {
    const { emit, statuses, clock } = createSyncLoopBench({ admission: [failingHandler()] });
    await emit('ADD', manifestPod('web'));
    await clock.advance(5_000);
    expect(statuses.get(UID)).toMatchObject({ phase: 'Failed', reason: 'UnexpectedAdmissionError' });
  });

  it('keeps its running containers while its source lists it as an invalid pod', async () => {
    const { world, steps, clock, becomeReady } = createSyncLoopBench();
    world.held = [runtimePod(UID)];
    world.invalid.add(UID);
    await becomeReady();
    await clock.advance(60_000);
    expect(steps).toEqual([]);
    world.invalid.clear();
    await clock.advance(5_000);
    expect(new Set(steps)).toEqual(new Set([`stop ${UID}`]));
  });
});
