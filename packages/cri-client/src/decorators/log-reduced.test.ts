import { createVirtualClock, type LogLine, recordingLogger } from '@rxlet/component-base/testing';
import { ServiceError, StatusCode } from '@rxlet/cri-api';
import { describe, expect, it } from 'vitest';
import { scriptedServices } from '../test-support/scripted-services.ts';
import { callTarget } from './call-target.ts';
import { logReduced } from './log-reduced.ts';
import { createLogReduction } from './log-reduction.ts';

describe('logReduced', () => {
  it('logs the same error of the same target once a minute, and after a success', async () => {
    const clock = createVirtualClock();
    const logger = recordingLogger();
    let failure: Error | undefined = new ServiceError(StatusCode.Unknown, 'shim is gone');
    const { runtime } = logReduced(
      scriptedServices({ containerStatus: () => (failure === undefined ? {} : Promise.reject(failure)) }),
      { logger, clock },
    );
    const poll = (containerId: string): Promise<unknown> => runtime.containerStatus({ containerId }).catch(() => 0);
    const logged = (): string[] =>
      (logger.lines as LogLine[])
        .splice(0)
        .map(({ fields }) => [fields['target'], fields['error'], fields['suppressed']].join(' '));

    await poll('a');
    await poll('a');
    await poll('b');
    expect(logged()).toEqual(['a shim is gone ', 'b shim is gone ']);
    await clock.advance(59_999);
    await poll('a');
    expect(logged()).toEqual([]);
    await clock.advance(1);
    await poll('a');
    expect(logged()).toEqual(['a shim is gone 2']);

    failure = new ServiceError(StatusCode.Unknown, 'no cgroup');
    await poll('a');
    expect(logged()).toEqual(['a no cgroup ']);
    failure = undefined;
    await poll('a');
    failure = new ServiceError(StatusCode.Unknown, 'no cgroup');
    await poll('a');
    expect(logged()).toEqual(['a no cgroup ']);
    failure = new ServiceError(StatusCode.Canceled, 'stopping');
    await poll('c');
    expect(logged()).toEqual([]);
  });
});

describe('createLogReduction', () => {
  it('forgets keys without further errors', async () => {
    const clock = createVirtualClock();
    const reduction = createLogReduction(clock, 60_000);
    for (let i = 0; i < 100; i++) reduction.admit(`old ${String(i)}`, 'x');
    await clock.advance(60_000);
    expect(reduction.admit('new', 'x')).toBe(0);
    expect(reduction.size).toBe(1);
  });
});

describe('callTarget', () => {
  it.each([
    [{ containerId: 'c1' }, 'c1'],
    [{ podSandboxId: 's1' }, 's1'],
    [{ podSandboxId: 's1', config: { metadata: { name: 'main' } } }, 's1/main'],
    [{ config: { metadata: { name: 'web', namespace: 'default' } } }, 'default/web'],
    [{ image: { image: 'busybox' } }, 'busybox'],
    [{ filter: { id: 'c1' } }, ''],
  ])('of %j is %j', (request, expected) => {
    expect(callTarget(request)).toBe(expected);
  });
});
