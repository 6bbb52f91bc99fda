import { expect, it } from 'vitest';
import { createProblemLog } from './problem-log.ts';
import { recordingLogger } from './recording-logger.ts';

it('logs a failure once, until it changes or ends', () => {
  const logger = recordingLogger();
  const problems = createProblemLog(logger);
  const fail = (error: string): void => problems.failed('cannot read', { path: '/a', error });
  fail('missing');
  fail('missing');
  fail('denied');
  fail('missing');
  problems.ended();
  fail('missing');
  expect(logger.lines.map(({ level, fields }) => `${level} ${String(fields['error'])}`)).toEqual([
    'warn missing',
    'debug missing',
    'warn denied',
    'warn missing',
    'warn missing',
  ]);
});
