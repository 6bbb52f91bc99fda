import { type PodStep, PodStepError } from '@rxlet/agent-api';
import { noopJournal } from '@rxlet/agent-api/journal';
import { abortable } from '@rxlet/component-base';
import { createEventLog } from '@rxlet/component-base/events';
import { createVirtualClock, recordingLogger } from '@rxlet/component-base/testing';
import { emptyRuntimePodStatus } from '@rxlet/pod-model/runtime';
import { testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { createPodSteps } from './pod-steps.ts';

const pod = testPod({ uid: 'uid-web', name: 'web' });
const subject = { uid: 'uid-web', pod, status: emptyRuntimePodStatus('uid-web', 'web', 'default') };
const { signal } = new AbortController();

function setup(...steps: readonly PodStep[]) {
  const clock = createVirtualClock();
  const events = createEventLog(clock);
  const logger = recordingLogger();
  return { clock, events, logger, steps: createPodSteps(steps, { clock, events, journal: noopJournal, logger }) };
}

const failing = (error: Error) => () => Promise.reject(error);

describe('pod steps', () => {
  it('prepare in order and tear down in reverse', async () => {
    const log: string[] = [];
    const step = (name: string): PodStep => ({
      name,
      prepare: () => void log.push(`prepare ${name}`),
      prepareSandbox: () => void log.push(`prepare sandbox ${name}`),
      terminating: () => void log.push(`terminating ${name}`),
      stopped: () => void log.push(`stopped ${name}`),
      release: () => void log.push(`release ${name}`),
      tearDown: () => void log.push(`tear down ${name}`),
    });
    const { steps } = setup(step('a'), step('b'));
    expect(await steps.prepare(pod, signal)).toBeUndefined();
    await steps.prepareSandbox(pod, signal);
    steps.terminating(subject);
    steps.stopped(subject);
    await steps.release(subject, signal);
    await steps.tearDown(subject, signal);
    expect(log).toEqual([
      ...['prepare a', 'prepare b', 'prepare sandbox a', 'prepare sandbox b'],
      ...['terminating a', 'terminating b', 'stopped a', 'stopped b', 'release a', 'release b'],
      ...['tear down b', 'tear down a'],
    ]);
  });

  it('may be instances of classes', async () => {
    class Claims implements PodStep {
      readonly name = 'claims';
      readonly #log: string[] = [];
      get log(): readonly string[] {
        return this.#log;
      }
      prepare(): void {
        this.#log.push('prepare');
      }
      terminating(): void {
        this.#log.push('terminating');
      }
      stopped(): void {
        this.#log.push('stopped');
      }
      release(): void {
        this.#log.push('release');
      }
      tearDown(): void {
        this.#log.push('tear down');
      }
    }
    const claims = new Claims();
    const { steps } = setup(claims);
    await steps.prepare(pod, signal);
    steps.terminating(subject);
    steps.stopped(subject);
    await steps.release(subject, signal);
    await steps.tearDown(subject, signal);
    expect(claims.log).toEqual(['prepare', 'terminating', 'stopped', 'release', 'tear down']);
  });

  it('keep a sandbox from being created that cannot be prepared', async () => {
    let isLaterPrepared = false;
    const error = new PodStepError('FailedPrepareDynamicResources', 'Failed to prepare dynamic resources: busy');
    const { steps, events } = setup(
      { name: 'claims', prepareSandbox: failing(error) },
      { name: 'later', prepareSandbox: () => void (isLaterPrepared = true) },
    );
    await expect(steps.prepareSandbox(pod, signal)).rejects.toBe(error);
    expect(isLaterPrepared).toBe(false);
    expect(events.list().map(({ reason, message }) => `${reason}: ${message}`)).toEqual([
      'FailedPrepareDynamicResources: Failed to prepare dynamic resources: busy',
    ]);
  });

  it('release all, and reject with the first failure', async () => {
    let isLaterReleased = false;
    const error = new Error('busy');
    const { steps } = setup(
      { name: 'claims', release: failing(error) },
      { name: 'later', release: () => void (isLaterReleased = true) },
    );
    await expect(steps.release(subject, signal)).rejects.toBe(error);
    expect(isLaterReleased).toBe(true);
  });

  it('stop at the first that cannot prepare, with its reason as an event', async () => {
    let isLaterPrepared = false;
    const error = new PodStepError('FailedMount', 'configmap "settings" not found');
    const { steps, events } = setup(
      { name: 'volumes', prepare: failing(error) },
      { name: 'later', prepare: () => void (isLaterPrepared = true) },
    );
    expect(await steps.prepare(pod, signal)).toBe(error);
    expect(isLaterPrepared).toBe(false);
    expect(events.list()).toMatchObject([
      { type: 'Warning', reason: 'FailedMount', message: 'configmap "settings" not found' },
    ]);
  });

  it('tear down all, although some fail or hang', async () => {
    const log: string[] = [];
    const { steps, events, clock } = setup(
      { name: 'first', tearDown: () => void log.push('first') },
      {
        name: 'hung',
        tearDown: (_subject, given) => abortable(new Promise<never>(() => undefined), given),
      },
      { name: 'broken', tearDown: failing(new Error('device busy')) },
    );
    let isDone = false;
    void steps.tearDown(subject, signal).then(() => (isDone = true));
    await clock.advance(29_999);
    expect(isDone).toBe(false);
    await clock.advance(1);
    expect([isDone, log]).toEqual([true, ['first']]);
    expect(events.list().map(({ reason, message }) => `${reason}: ${message}`)).toEqual([
      'FailedKillPod: error tearing down broken of the pod after it stopped, will be retried: device busy',
      'FailedKillPod: error tearing down hung of the pod after it stopped, will be retried: no answer within 30000 ms',
    ]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('end with the pod worker', async () => {
    const controller = new AbortController();
    const { steps, events } = setup({
      name: 'slow',
      prepare: (_pod, given) => abortable(new Promise<never>(() => undefined), given),
    });
    const preparing = steps.prepare(pod, controller.signal);
    controller.abort(new Error('stopped'));
    await expect(preparing).rejects.toThrow('stopped');
    expect(events.list()).toEqual([]);
  });

  it('continue when a step throws at termination', () => {
    const log: string[] = [];
    const { steps, logger } = setup(
      {
        name: 'broken',
        terminating: () => {
          throw new Error('no such pod');
        },
      },
      { name: 'next', terminating: () => void log.push('next') },
    );
    steps.terminating(subject);
    expect(log).toEqual(['next']);
    expect(logger.lines).toMatchObject([{ level: 'error', fields: { step: 'broken', error: 'no such pod' } }]);
  });
});
