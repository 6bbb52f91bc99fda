import { createVirtualClock } from '@rxlet/component-base/testing';
import { testContainer, testContainerStatus } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { createMemoryFiles } from '@rxlet/node-files/testing';
import { readTerminationMessage, type TerminationMessagePorts } from './termination-message.ts';

const FILE = '/pods/uid/containers/app/0a1b2c3d';
const LOG = '/logs/0.log';
const container = testContainer({
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'FallbackToLogsOnError',
});
const failed = testContainerStatus({
  state: 'exited',
  exitCode: 1,
  logPath: LOG,
  mounts: [{ containerPath: '/dev/termination-log', hostPath: FILE }],
});

function ports(file: string | undefined, log?: string): TerminationMessagePorts {
  return {
    files: createMemoryFiles({ files: file === undefined ? {} : { [FILE]: file } }).nodeFiles,
    hostFiles: createMemoryFiles({ files: log === undefined ? {} : { [LOG]: log } }).hostFiles,
    clock: createVirtualClock(),
  };
}

const logLines = (count: number, text: string): string =>
  Array.from({ length: count }, (_, index) => `2026-01-01T00:00:00Z stderr F ${text}${String(index)}\n`).join('');

describe('readTerminationMessage', () => {
  it('is what the container wrote, after the message of the runtime', async () => {
    expect(await readTerminationMessage(ports('disk full', logLines(1, 'x')), container, failed)).toBe('disk full');
    const status = { ...failed, message: 'oom' };
    expect(await readTerminationMessage(ports('disk full'), container, status)).toBe('oom: disk full');
  });

  it.each(['dev/termination-log', '/dev//./x/../termination-log/'])('is found for the path %s', async (path) => {
    const relative = { ...container, terminationMessagePath: path };
    expect(await readTerminationMessage(ports('disk full'), relative, failed)).toBe('disk full');
  });

  it('is the last 4096 bytes of the file', async () => {
    const message = await readTerminationMessage(ports(`${'a'.repeat(5000)}end`), container, failed);
    expect([message.length, message.slice(-4)]).toEqual([4096, 'aend']);
  });

  it('is the end of the log when the file is empty: 80 lines, 2048 bytes', async () => {
    for (const file of ['', undefined]) {
      const short = await readTerminationMessage(ports(file, logLines(100, '')), container, failed);
      expect(short).toBe(Array.from({ length: 80 }, (_, index) => `${String(index + 20)}\n`).join(''));
    }
    const long = await readTerminationMessage(ports('', logLines(80, 'y'.repeat(100))), container, failed);
    expect([long.length, long.slice(-4)]).toEqual([2048, 'y79\n']);
  });

  it('leaves the log alone unless it is asked for and the container failed', async () => {
    const log = logLines(1, 'x');
    const byFile = { ...container, terminationMessagePolicy: 'File' } as const;
    expect(await readTerminationMessage(ports('', log), byFile, failed)).toBe('');
    expect(await readTerminationMessage(ports('', log), container, { ...failed, exitCode: 0 })).toBe('');
    const cannotRun = { ...failed, reason: 'ContainerCannotRun', message: 'no such file' };
    expect(await readTerminationMessage(ports('', log), container, cannotRun)).toBe('no such file');
  });

  it('reports what it cannot read', async () => {
    const broken = { ...ports(''), files: { readTail: () => Promise.reject(new Error('EIO')) } };
    expect(await readTerminationMessage(broken, container, failed)).toBe(
      `Error on reading termination log ${FILE}: EIO`,
    );
    expect(await readTerminationMessage(ports(''), container, failed)).toBe(
      `Error on reading termination message from logs: there is no log file ${LOG}`,
    );
  });

  it("returns the runtime's message for a running container", async () => {
    const running = testContainerStatus({ mounts: failed.mounts, message: '' });
    expect(await readTerminationMessage(ports('early'), container, running)).toBe('');
  });
});
