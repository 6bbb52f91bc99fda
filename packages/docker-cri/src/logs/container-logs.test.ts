import type { ServerResponse } from 'node:http';
import { createVirtualClock, recordingLogger } from '@rxlet/component-base/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createFakeDocker } from '../test-support/fake-docker.ts';
import { createContainerLogs } from './container-logs.ts';
import type { LogFiles } from './log-files.ts';

const CONTAINER = { id: 'c', logPath: '/logs/c.log', hasTerminal: true };

/** Logs of a container whose stream and log files a test controls. */
async function createBench() {
  const state = { isRunning: true, isWritable: true };
  const streams: ServerResponse[] = [];
  const docker = await createFakeDocker((request) => {
    if (request.endsWith('/json')) return [200, { State: { Running: state.isRunning } }];
    return (response) => {
      response.writeHead(200).flushHeaders();
      streams.push(response);
    };
  });
  const opened: string[] = [];
  let text = '';
  const files: LogFiles = {
    async open(path) {
      if (!state.isWritable) throw new Error('read-only file system');
      opened.push(path);
      return {
        append: async (bytes) => void (text += Buffer.from(bytes).toString()),
        tail: async () => Buffer.from(text),
        cut: async () => undefined,
        [Symbol.asyncDispose]: async () => undefined,
      };
    },
  };
  const positions = { read: async () => undefined, write: async () => undefined, remove: async () => undefined };
  const clock = createVirtualClock();
  const logger = recordingLogger();
  const logs = createContainerLogs(docker.engine, files, positions, { clock, logger });
  onTestFinished(async () => {
    await logs[Symbol.asyncDispose]();
    await docker[Symbol.asyncDispose]();
  });
  const until = async (condition: () => boolean): Promise<void> => {
    while (!condition()) await clock.settle();
  };
  return { clock, logger, logs, opened, state, streams, until, text: () => text };
}

describe('the log of a container', () => {
  it('exists before the container starts, and stops no container when it cannot be created', async () => {
    const { logs, opened, state, logger } = await createBench();
    await logs.prepare(CONTAINER);
    expect(opened).toEqual(['/logs/c.log']);
    state.isWritable = false;
    await logs.prepare(CONTAINER);
    expect(logger.lines).toMatchObject([
      { message: 'cannot create the log of a container', fields: { error: 'read-only file system' } },
    ]);
  });

  it('is complete before its end is reported', async () => {
    const { logs, streams, state, until, text } = await createBench();
    logs.follow(CONTAINER);
    await until(() => streams.length === 1);
    state.isRunning = false;
    let isComplete = false;
    const completed = logs.complete('c').then(() => (isComplete = true));
    streams[0]!.end('2026-01-01T00:00:00.000000001Z one\r\n');
    await until(() => streams.length === 2);
    expect(isComplete).toBe(false);
    streams[1]!.end('2026-01-01T00:00:00.000000002Z two\r\n');
    await completed;
    expect(text()).toMatch(/one[^]*two/);
  });

  it('delays no end while it cannot be written, and does so again afterwards', async () => {
    const { clock, logs, streams, state, until, logger, text } = await createBench();
    state.isWritable = false;
    logs.follow(CONTAINER);
    await until(() => logger.lines.length > 0);
    await logs.complete('c');
    state.isWritable = true;
    while (streams.length === 0) await clock.advance(100);
    streams[0]!.write('2026-01-01T00:00:00.000000001Z one\r\n');
    await until(() => text().includes('one'));
    let isComplete = false;
    const completed = logs.complete('c').then(() => (isComplete = true));
    await clock.settle();
    expect(isComplete).toBe(false);
    await clock.advance(5_000);
    await completed;
  });
});
