import { expect, it } from 'vitest';
import { createConsoleLogger } from './console-logger.ts';

it('prints a line for each message of the chosen verbosity, with its fields', () => {
  const lines: string[] = [];
  const logger = createConsoleLogger((text) => lines.push(text), 1).child({ pod: 'p1' });
  logger.debug('hidden');
  logger.info('started', { port: 80 });
  logger.error('cannot listen', { error: new Error('in use') });
  expect(lines).toEqual(['info started pod="p1" port=80\n', 'error cannot listen pod="p1" error="in use"\n']);
});
