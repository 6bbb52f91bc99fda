import { expect, it } from 'vitest';
import { createNoticeLogger } from './notice-logger.ts';

it('passes on warnings and errors as plain lines, with what the message does not say already', () => {
  const lines: string[] = [];
  const logger = createNoticeLogger((line) => lines.push(line)).child({ pod: 'web' });
  logger.info('not shown');
  logger.debug('not shown');
  logger.warn('/m/a.yaml: is no pod', { path: '/m/a.yaml', source: 'file', reason: 'InvalidManifest' });
  logger.error('gone \u001b[31m', { attempts: 3, cause: undefined });
  expect(lines).toEqual(['/m/a.yaml: is no pod pod=web source=file', 'gone ^[[31m pod=web attempts=3']);
});
