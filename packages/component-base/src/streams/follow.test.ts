import { config, Subject } from 'rxjs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { recordingLogger } from '../recording-logger.ts';
import { createEmitter } from './emitter.ts';
import { follow, logUnhandledStreamErrors } from './follow.ts';

const explode = (): never => {
  throw new Error('no such pod');
};

describe('follow', () => {
  it('logs an exception of a handler, and handles the next value', () => {
    const logger = recordingLogger();
    const emitter = createEmitter<number>();
    const seen: number[] = [];
    follow(emitter.values$, {
      task: 'counting',
      logger,
      next(value) {
        if (value === 1) explode();
        seen.push(value);
      },
    });
    emitter.emit(1);
    emitter.emit(2);
    expect(seen).toEqual([2]);
    expect(logger.lines).toEqual([{ level: 'error', message: 'counting failed', fields: { error: 'no such pod' } }]);
  });

  it('logs the failure of the stream', () => {
    const logger = recordingLogger();
    const stream = new Subject<number>();
    follow(stream, { task: 'counting', logger });
    stream.error(new Error('connection lost'));
    expect(logger.lines).toEqual([
      { level: 'error', message: 'counting ended: the stream failed', fields: { error: 'connection lost' } },
    ]);
  });

  it('passes the failure of the stream to its handler, and logs an exception of that handler', () => {
    const logger = recordingLogger();
    const stream = new Subject<number>();
    const errors: unknown[] = [];
    follow(stream, { task: 'a', logger, error: (error) => errors.push(error) });
    follow(stream, { task: 'b', logger, error: explode });
    stream.error('lost');
    expect([errors, logger.lines.map(({ message }) => message)]).toEqual([['lost'], ['b failed']]);
  });

  it('logs an exception of the completion handler', () => {
    const logger = recordingLogger();
    const stream = new Subject<number>();
    follow(stream, { task: 'a', logger, complete: explode });
    stream.complete();
    expect(logger.lines.map(({ message }) => message)).toEqual(['a failed']);
  });

  it('ends with its subscription', () => {
    const stream = new Subject<number>();
    follow(stream, { task: 'a', logger: recordingLogger() }).unsubscribe();
    expect(stream.observed).toBe(false);
  });
});

describe('logUnhandledStreamErrors', () => {
  afterEach(() => {
    config.onUnhandledError = null;
  });

  it('logs the exception of a bare subscriber, which would end the process', async () => {
    const logger = recordingLogger();
    using _ = logUnhandledStreamErrors(logger);
    const emitter = createEmitter<number>();
    const seen: number[] = [];
    emitter.values$.subscribe(explode);
    emitter.values$.subscribe((value) => seen.push(value));
    emitter.emit(1);
    await vi.waitFor(() => expect(logger.lines).toHaveLength(1));
    expect(logger.lines[0]?.fields).toEqual({ error: 'no such pod' });
    expect(seen).toEqual([1]);
  });

  it('restores the previous handler', () => {
    logUnhandledStreamErrors(recordingLogger())[Symbol.dispose]();
    expect(config.onUnhandledError).toBeNull();
  });
});
