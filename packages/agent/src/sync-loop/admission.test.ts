import type { Pod } from '@rxlet/kube-api';
import { describe, expect, it } from 'vitest';
import { manifestPod } from '../test-support/agent-bench.ts';
import { createSyncLoopBench, refuseNamed, withMetadata } from '../test-support/sync-loop-bench.ts';
import type { AdmissionHandler } from './admission.ts';

const created = (name: string, creationTimestamp: string): Pod =>
  withMetadata(manifestPod(name), { creationTimestamp });
describe('admission', () => {
  it('asks for older pods first, with those that run beside them', async () => {
    const asked: string[] = [];
    const handler: AdmissionHandler = (pod, others) => {
      asked.push([pod, ...others].map(({ metadata }) => metadata?.name).join(' '));
      return undefined;
    };
    const { tell } = createSyncLoopBench({ admission: [handler] });
    await tell('ADD', manifestPod('first'));
    await tell('ADD', created('young', '2026-01-02T00:00:00Z'), created('old', '2026-01-01T00:00:00Z'));
    expect(asked).toEqual(['first', 'old first', 'young first old']);
  });

  it('tells all the world of the first refusal, and starts nothing', async () => {
    const { tell, steps, statuses, events, rejections, view, workers } = createSyncLoopBench({
      admission: [() => undefined, refuseNamed('bad'), refuseNamed('bad', 'Later')],
    });
    await tell('ADD', manifestPod('bad'), manifestPod('good'));
    expect(steps).toEqual(['sync good']);
    expect(workers.state('uid-bad-1')).toBeUndefined();
    expect(statuses.get('uid-bad-1')).toEqual({
      phase: 'Failed',
      reason: 'OutOfcpu',
      message: 'Pod was rejected: no bad here',
      qosClass: 'BestEffort',
    });
    expect(events.list()).toMatchObject([{ type: 'Warning', reason: 'OutOfcpu', message: 'no bad here' }]);
    expect(rejections).toEqual(['kubelet_admission_rejections_total OutOfcpu']);
    expect(view.list()).toHaveLength(2);
  });

  it.each([
    ['OutOfcpu', 'OutOfcpu'],
    ['OutOfexample.com/gpu', 'OutOfExtendedResources'],
    ['NodePorts', 'Other'],
    ['SysctlForbidden', 'SysctlForbidden'],
  ])('counts %s as %s', async (reason, counted) => {
    const { tell, rejections } = createSyncLoopBench({ admission: [refuseNamed('bad', reason)] });
    await tell('ADD', manifestPod('bad'));
    expect(rejections).toEqual([`kubelet_admission_rejections_total ${counted}`]);
  });

  it('keeps a refused pod refused, whatever changes, until it is replaced', async () => {
    let refuses = true;
    const { tell, steps, clock, rejections, view } = createSyncLoopBench({
      admission: [() => (refuses ? { reason: 'OutOfpods', message: 'full' } : undefined)],
    });
    await tell('ADD', manifestPod('web'));
    refuses = false;
    await tell('UPDATE', manifestPod('web', { terminationGracePeriodSeconds: 3 }));
    await tell('RECONCILE', manifestPod('web', { terminationGracePeriodSeconds: 4 }));
    await clock.advance(60_000);
    expect(steps).toEqual([]);
    expect(rejections).toHaveLength(1);
    await tell('REMOVE', manifestPod('web'));
    await tell('ADD', manifestPod('web', {}, 2));
    expect(steps).toEqual(['sync web']);
    expect(view.list().map(({ metadata }) => metadata?.uid)).toEqual(['uid-web-2']);
  });

  it('is asked anew for a pod that comes back under its UID', async () => {
    let refuses = true;
    const { tell, steps } = createSyncLoopBench({
      admission: [() => (refuses ? { reason: 'OutOfpods', message: 'full' } : undefined)],
    });
    await tell('ADD', manifestPod('web'));
    refuses = false;
    await tell('REMOVE', manifestPod('web'));
    await tell('ADD', manifestPod('web'));
    await tell('UPDATE', manifestPod('web', { terminationGracePeriodSeconds: 3 }));
    expect(steps).toEqual(['sync web', 'sync web']);
  });

  it('does not keep a pod from its end', async () => {
    const { tell, steps, rejections, workers, clock } = createSyncLoopBench({ admission: [refuseNamed('web')] });
    await tell('ADD', withMetadata(manifestPod('web'), { deletionTimestamp: '2026-01-01T00:00:00Z' }));
    await clock.advance(1_000);
    expect(rejections).toEqual([]);
    expect(steps).toEqual(['stop uid-web-1']);
    expect(workers.state('uid-web-1')?.kind).toBe('finished');
  });

  it('sees a refused pod to its end when it is deleted', async () => {
    const { tell, workers, clock } = createSyncLoopBench({ admission: [refuseNamed('web')] });
    await tell('ADD', manifestPod('web'));
    await tell('DELETE', withMetadata(manifestPod('web'), { deletionTimestamp: '2026-01-01T00:00:00Z' }));
    await clock.advance(1_000);
    expect(workers.state('uid-web-1')?.kind).toBe('finished');
  });

  it('refuses a pod whose handler fails, and goes on with the others', async () => {
    const { tell, steps, statuses } = createSyncLoopBench({
      admission: [
        (pod) => {
          if (pod.metadata?.name === 'bad') throw new Error('no answer');
          return undefined;
        },
      ],
    });
    await tell('ADD', manifestPod('bad'), manifestPod('good'));
    expect(steps).toEqual(['sync good']);
    expect(statuses.get('uid-bad-1')).toMatchObject({
      reason: 'UnexpectedAdmissionError',
      message: 'Pod was rejected: Admission failed due to no answer, which is unexpected.',
    });
  });
});
