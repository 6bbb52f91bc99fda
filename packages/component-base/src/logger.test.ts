import { describe, expect, it } from 'vitest';
import { noopLogger } from './logger.ts';
import { recordingLogger } from './recording-logger.ts';

describe('noopLogger', () => {
  it('accepts every line, as do its children', () => {
    const child = noopLogger.child({ pod: 'web' });
    for (const level of ['debug', 'info', 'warn', 'error'] as const) expect(() => child[level]('text')).not.toThrow();
  });
});

describe('recordingLogger', () => {
  it('records level, message and fields of every line', () => {
    const logger = recordingLogger();
    logger.debug('one');
    logger.info('two', { a: 1 });
    logger.warn('three');
    logger.error('four');
    expect(logger.lines).toEqual([
      { level: 'debug', message: 'one', fields: {} },
      { level: 'info', message: 'two', fields: { a: 1 } },
      { level: 'warn', message: 'three', fields: {} },
      { level: 'error', message: 'four', fields: {} },
    ]);
  });

  it('records the lines of its children with all inherited fields', () => {
    const logger = recordingLogger();
    const child = logger.child({ pod: 'web', level: 1 }).child({ level: 2 });
    child.info('text', { container: 'a' });
    child.info('text', { pod: 'other' });
    expect(logger.lines.map(({ fields }) => fields)).toEqual([
      { pod: 'web', level: 2, container: 'a' },
      { pod: 'other', level: 2 },
    ]);
  });
});
