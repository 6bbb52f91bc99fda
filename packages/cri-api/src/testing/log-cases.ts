import assert from 'node:assert/strict';
import { existsSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { ContainerState } from '../../gen/runtime/v1/messages.js';
import { containerIn, type ContractCase, runSandbox, waitFor } from './contract-subject.ts';

/** A line of a container log: time, stream, tag, content. */
const LINE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{1,9}(?:Z|[+-]\d\d:\d\d) (stdout|stderr) ([FP]) (.*)$/;

/** Container logs. */
export const logCases: readonly ContractCase[] = [
  {
    name: 'writes the output of a container to its log, in the format of the CRI',
    async check(subject) {
      await using sandbox = await runSandbox(subject, 'log');
      const containerId = await sandbox.start('main', 'echo out; sleep 0.2; echo err >&2; sleep 0.2; printf open');
      await containerIn(subject, containerId, ContainerState.CONTAINER_EXITED);
      const path = join(sandbox.logDirectory, 'main.log');
      await waitFor(subject, 'third line', () => linesOf(path).length >= 3 || undefined);
      assert.deepEqual(linesOf(path), ['stdout F out', 'stderr F err', 'stdout P open']);
    },
  },
  {
    name: 'writes to a new log after ReopenContainerLog, and loses no line',
    async check(subject) {
      await using sandbox = await runSandbox(subject, 'log-reopen');
      const containerId = await sandbox.start('main', 'i=0; while true; do i=$((i + 1)); echo $i; sleep 0.1; done');
      const path = join(sandbox.logDirectory, 'main.log');
      const rotated = `${path}.rotated`;
      await waitFor(subject, 'first lines', () => linesOf(path).length >= 3 || undefined);
      renameSync(path, rotated);
      await subject.pass(300);
      assert(!existsSync(path));
      await subject.runtime.reopenContainerLog({ containerId });
      await waitFor(subject, 'lines of the new log', () => linesOf(path).length >= 3 || undefined);
      await subject.runtime.stopContainer({ containerId, timeout: 0n });
      const lines = [...linesOf(rotated), ...linesOf(path)];
      assert.deepEqual(
        lines,
        Array.from(lines, (_line, index) => `stdout F ${String(index + 1)}`),
      );
    },
  },
  {
    name: 'reopens no log of a container that does not run',
    async check(subject) {
      await using sandbox = await runSandbox(subject, 'log-not-running');
      const containerId = await sandbox.create('main', 'sleep 60');
      await assert.rejects(subject.runtime.reopenContainerLog({ containerId }));
    },
  },
  {
    name: 'leaves the log of a removed container',
    async check(subject) {
      await using sandbox = await runSandbox(subject, 'log-kept');
      const containerId = await sandbox.start('main', 'echo kept');
      await containerIn(subject, containerId, ContainerState.CONTAINER_EXITED);
      await subject.runtime.removeContainer({ containerId });
      assert.deepEqual(linesOf(join(sandbox.logDirectory, 'main.log')), ['stdout F kept']);
    },
  },
];

/** Returns the whole lines of a log without their times; throws for a line in another format. */
function linesOf(path: string): string[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => {
    const [, stream, tag, content] = LINE.exec(line) ?? assert.fail(`"${line}" is no line of a container log`);
    return `${stream!} ${tag!} ${content!}`;
  });
}
