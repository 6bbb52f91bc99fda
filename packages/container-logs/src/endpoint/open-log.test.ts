import { createVirtualClock } from '@rxlet/component-base/testing';
import { ContainerState, ServiceError, StatusCode } from '@rxlet/cri-api';
import { describe, expect, it } from 'vitest';
import { createMemoryLogs } from '../test-support.ts';
import { createOpenLog } from './open-log.ts';

const LOG = '/var/log/pods/p/c/0.log';
const line = (text: string): string => `2026-01-01T00:00:00.500000000Z stdout F ${text}\n`;
const pod = {
  metadata: { name: 'web', namespace: 'default', uid: 'u' },
  spec: { containers: [{ name: 'c' }] },
  status: {
    containerStatuses: [
      { name: 'c', image: '', imageID: '', ready: true, restartCount: 0, containerID: 'x://1', state: { running: {} } },
    ],
  },
};

/** Follows the log of a container that only the runtime knows. */
async function follow() {
  const clock = createVirtualClock();
  const files = createMemoryLogs({ [LOG]: line('one') });
  let answer: () => ContainerState = () => ContainerState.CONTAINER_RUNNING;
  const runtime = { containerStatus: async () => ({ status: { state: answer(), logPath: LOG } }) };
  const open = createOpenLog({
    core: { pods: { list: () => [pod] }, runtimeStatus: () => ({ containers: [] }) } as never,
    runtime: runtime as never,
    hostFiles: files,
    clock,
  });
  const controller = new AbortController();
  const query = {
    namespace: 'default',
    podName: 'web',
    containerName: 'c',
    follow: true,
    timestamps: false,
    previous: false,
  };
  const log = await open(query, controller.signal);
  const shown: string[] = [];
  let isEnded = false;
  const end = (async () => {
    for await (const bytes of log) shown.push(Buffer.from(bytes).toString());
  })()
    .catch(() => undefined)
    .finally(() => (isEnded = true));
  await clock.settle();
  return {
    ...{ clock, files, shown, end },
    isEnded: () => isEnded,
    answer: (next: () => ContainerState) => (answer = next),
    fail: (code: StatusCode) =>
      (answer = () => {
        throw new ServiceError(code, 'failed');
      }),
    stop: () => controller.abort(new Error('enough')),
  };
}

describe('a followed log', () => {
  it.each([StatusCode.Unavailable, StatusCode.DeadlineExceeded, StatusCode.Unknown])(
    'goes on while the runtime is away (%s), and has what its container writes meanwhile',
    async (code) => {
      const { clock, files, shown, isEnded, fail, answer, end } = await follow();
      fail(code);
      await clock.advance(60_000);
      files.append(LOG, line('two'));
      await clock.advance(1000);
      expect([shown, isEnded()]).toEqual([['one\n', 'two\n'], false]);
      answer(() => ContainerState.CONTAINER_EXITED);
      await clock.advance(1000);
      await end;
      expect(clock.pendingTimers).toBe(0);
    },
  );

  it('ends when the runtime does not have its container any more', async () => {
    const { clock, shown, fail, end } = await follow();
    fail(StatusCode.NotFound);
    await clock.advance(1000);
    await end;
    expect([shown, clock.pendingTimers]).toEqual([['one\n'], 0]);
  });

  it('ends when its client leaves while the runtime is away', async () => {
    const { clock, fail, stop, end } = await follow();
    fail(StatusCode.Unavailable);
    await clock.advance(10_000);
    stop();
    await end;
    expect(clock.pendingTimers).toBe(0);
  });
});
