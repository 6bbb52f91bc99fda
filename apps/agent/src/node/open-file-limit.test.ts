import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { recordingLogger } from '@rxlet/component-base/testing';
import { expect, it } from 'vitest';
import { applyOpenFileLimit } from './open-file-limit.ts';

it.each<[isConfigured: boolean, max: number, soft: string, hard: string, set: readonly number[]]>([
  [false, 1000, '500', '500', [1000]],
  [false, 1000, '500', '2000', [1000]],
  [false, 1000, '2000', '2000', []],
  [false, 1000, 'unlimited', 'unlimited', []],
  [true, 1000, '2000', '2000', [1000]],
  [true, 1000, '1000', '2000', [1000]],
  [true, 1000, '1000', '1000', []],
])('configured %s: %i files with limits %s and %s sets %j', async (isConfigured, maxOpenFiles, soft, hard, set) => {
  const done: number[] = [];
  const logger = recordingLogger();
  await applyOpenFileLimit(
    { maxOpenFiles, isConfigured },
    {
      logger,
      readLimits: async () =>
        `Limit                     Soft Limit           Hard Limit           Units\nMax open files            ${soft}                ${hard}                files     \n`,
      setLimit: async (files) => void done.push(files),
    },
  );
  expect([done, logger.lines]).toEqual([set, []]);
});

it('logs that the limit cannot be set', async () => {
  const logger = recordingLogger();
  const setLimit = (): Promise<void> => Promise.reject(new Error('Operation not permitted'));
  await applyOpenFileLimit({ maxOpenFiles: 7, isConfigured: true }, { logger, readLimits: async () => '', setLimit });
  expect(logger.lines).toMatchObject([
    { level: 'error', fields: { maxOpenFiles: 7, error: 'Operation not permitted' } },
  ]);
});

it('sets the limits of the process', async () => {
  const module = JSON.stringify(new URL('open-file-limit.ts', import.meta.url).href);
  const script = `
    import { readFileSync } from 'node:fs';
    const { applyOpenFileLimit } = await import(${module});
    const fail = (message, fields) => { throw new Error(message + JSON.stringify(fields)); };
    await applyOpenFileLimit({ maxOpenFiles: 321, isConfigured: true }, { logger: { error: fail } });
    console.log(/Max open files +(\\d+) +(\\d+)/.exec(readFileSync('/proc/self/limits', 'utf8')).slice(1).join());`;
  const args = ['--conditions=@rxlet/source', '--input-type=module', '--eval', script];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (data: Buffer) => (output += data.toString()));
  await once(child, 'close');
  expect(output).toBe('321,321\n');
});
