import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import { exitOnFatalErrors } from './fatal-errors.ts';
import { recordingLogger } from './recording-logger.ts';
import { createVirtualClock } from './virtual-clock.ts';

function setUp(stop: () => PromiseLike<void>) {
  const clock = createVirtualClock();
  const logger = recordingLogger();
  const exitCodes: number[] = [];
  const process = Object.assign(new EventEmitter(), { exit: (code: number) => exitCodes.push(code) });
  const handlers = exitOnFatalErrors({ process, clock, logger, stop }, { stopTimeoutMs: 5000 });
  return { clock, logger, exitCodes, process, handlers, messages: () => logger.lines.map(({ message }) => message) };
}

it.each(['uncaughtException', 'unhandledRejection'])('logs an %s with its stack, stops and exits', async (event) => {
  const order: string[] = [];
  const { clock, process, exitCodes, logger } = setUp(async () => void order.push('stopped'));
  process.emit(event, new Error('broken module'));
  await clock.settle();
  expect([order, exitCodes, clock.pendingTimers]).toEqual([['stopped'], [70], 0]);
  expect(logger.lines).toMatchObject([{ level: 'error', fields: { error: 'broken module' } }]);
  expect(logger.lines[0]?.fields?.['stack']).toContain('fatal-errors.test.ts');
});

it('exits at the deadline when the program does not stop', async () => {
  const { clock, process, exitCodes, messages } = setUp(() => new Promise<void>(() => undefined));
  process.emit('uncaughtException', new Error('broken module'));
  await clock.advance(4999);
  expect(exitCodes).toEqual([]);
  await clock.advance(1);
  expect(exitCodes).toEqual([70]);
  expect(messages().at(-1)).toBe('cannot stop in time after a fatal error');
});

it('exits when stopping fails, and stops once for many errors', async () => {
  let stops = 0;
  const { clock, process, exitCodes, messages } = setUp(async () => {
    stops += 1;
    process.emit('unhandledRejection', 'again');
    throw new Error('no');
  });
  process.emit('uncaughtException', new Error('broken module'));
  await clock.settle();
  expect([stops, exitCodes]).toEqual([1, [70]]);
  expect(messages()).toEqual([
    'unhandled error, stopping with exit code 70',
    'unhandled error while stopping',
    'cannot stop after a fatal error',
  ]);
});

it('leaves no handlers after disposal', () => {
  const { process, handlers } = setUp(async () => undefined);
  handlers[Symbol.dispose]();
  expect(process.eventNames()).toEqual([]);
});
