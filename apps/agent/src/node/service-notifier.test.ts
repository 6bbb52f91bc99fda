import { createVirtualClock, recordingLogger } from '@rxlet/component-base/testing';
import { describe, expect, it } from 'vitest';
import { createServiceNotifier, type SendState, type ServiceEnvironment } from './service-notifier.ts';

const PID = 4711;

function service(environment: ServiceEnvironment, fails: (attempt: number) => boolean = () => false) {
  const clock = createVirtualClock();
  const logger = recordingLogger();
  const startMs = clock.monotonicNow();
  const sent: string[] = [];
  const health: { problem: string | undefined } = { problem: undefined };
  const send: SendState = async (state) => {
    sent.push(`${String(clock.monotonicNow() - startMs)}: ${state}`);
    if (fails(sent.length)) throw new Error('no luck');
  };
  const ports = { clock, logger, send, checkHealth: () => health.problem };
  return { clock, logger, sent, health, notifier: createServiceNotifier(ports, environment, PID) };
}

const socket = { NOTIFY_SOCKET: '/run/systemd/notify' };

describe('createServiceNotifier', () => {
  it('makes nothing for a process that no service manager asked', () => {
    expect(service({}).notifier).toBeUndefined();
    expect(service({ NOTIFY_SOCKET: '', WATCHDOG_USEC: '10000000' }).notifier).toBeUndefined();
  });

  it('reports readiness once, without a watchdog', async () => {
    const { notifier, sent, clock } = service(socket);
    await clock.advance(1_000);
    expect(sent).toEqual([]);
    notifier!.ready();
    await clock.advance(60_000);
    expect(sent).toEqual(['1000: READY=1']);
    await notifier![Symbol.asyncDispose]();
    expect(clock.pendingTimers).toBe(0);
  });

  it.each([{}, { WATCHDOG_PID: String(PID) }])('feeds the watchdog twice an interval: %j', async (more) => {
    const { notifier, sent, clock } = service({ ...socket, WATCHDOG_USEC: '20000000', ...more });
    notifier!.ready();
    await clock.advance(20_000);
    expect(sent).toEqual(['0: READY=1', '10000: WATCHDOG=1', '20000: WATCHDOG=1']);
    await notifier![Symbol.asyncDispose]();
    await clock.advance(60_000);
    expect(sent).toHaveLength(3);
    expect(clock.pendingTimers).toBe(0);
  });

  it('reports that the agent is stopping, and feeds the watchdog until it has stopped', async () => {
    const { notifier, sent, clock } = service({ ...socket, WATCHDOG_USEC: '20000000' });
    notifier!.ready();
    await clock.advance(1_000);
    await notifier!.stopping();
    await clock.advance(10_000);
    expect(sent).toEqual(['0: READY=1', '1000: STOPPING=1', '10000: WATCHDOG=1']);
    await notifier![Symbol.asyncDispose]();
  });

  it('goes on with its end when the service manager is gone', async () => {
    const { notifier, logger } = service(socket, () => true);
    await notifier!.stopping();
    expect(logger.lines).toMatchObject([{ level: 'warn', fields: { state: 'STOPPING=1', error: 'no luck' } }]);
    await notifier![Symbol.asyncDispose]();
  });

  it('does not feed the watchdog of another process', async () => {
    const { notifier, sent, clock } = service({ ...socket, WATCHDOG_USEC: '20000000', WATCHDOG_PID: '1' });
    notifier!.ready();
    await clock.advance(60_000);
    expect(sent).toEqual(['0: READY=1']);
    await notifier![Symbol.asyncDispose]();
  });

  it('does not feed the watchdog while the agent is not healthy', async () => {
    const { notifier, sent, clock, health, logger } = service({ ...socket, WATCHDOG_USEC: '20000000' });
    notifier!.ready();
    health.problem = 'the sync loop is stuck';
    await clock.advance(10_000);
    health.problem = undefined;
    await clock.advance(10_000);
    expect(sent).toEqual(['0: READY=1', '20000: WATCHDOG=1']);
    expect(logger.lines).toMatchObject([{ level: 'warn', fields: { problem: 'the sync loop is stuck' } }]);
    await notifier![Symbol.asyncDispose]();
  });

  it('tries a second time to feed the watchdog, and keeps its rhythm', async () => {
    const { notifier, sent, clock, logger } = service(
      { ...socket, WATCHDOG_USEC: '20000000' },
      (attempt) => attempt === 2,
    );
    notifier!.ready();
    await clock.advance(20_000);
    expect(sent).toEqual(['0: READY=1', '10000: WATCHDOG=1', '11000: WATCHDOG=1', '20000: WATCHDOG=1']);
    expect(logger.lines).toMatchObject([{ level: 'warn', fields: { state: 'WATCHDOG=1', error: 'no luck' } }]);
    await notifier![Symbol.asyncDispose]();
  });

  it('gives up a notification that hangs', async () => {
    const clock = createVirtualClock();
    const logger = recordingLogger();
    let ended: AbortSignal | undefined;
    const send: SendState = (_state, signal) => {
      ended = signal;
      return new Promise(() => undefined);
    };
    const notifier = createServiceNotifier({ clock, logger, send, checkHealth: () => undefined }, socket, PID);
    notifier!.ready();
    await clock.advance(5_000);
    expect(ended?.aborted).toBe(true);
    expect(logger.lines).toMatchObject([{ level: 'warn', fields: { state: 'READY=1' } }]);
    await notifier![Symbol.asyncDispose]();
  });

  it.each(['1000000', '0', 'soon'])('rejects a watchdog interval of %s µs', (WATCHDOG_USEC) => {
    expect(() => service({ ...socket, WATCHDOG_USEC })).toThrow('configure watchdog timeout too small');
  });
});
