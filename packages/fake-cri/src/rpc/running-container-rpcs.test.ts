import { mkdtemp, readFile, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { noopLogger, seededRandom } from '@rxlet/component-base';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { type ExecSyncResponse, StatusCode } from '@rxlet/cri-api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFakeRuntime } from '../create-fake-runtime.ts';
import { createFileLogs } from '../logs/file-logs.ts';
import { codeOf, createBench } from '../test-support.ts';

function readable({ stdout, stderr, exitCode }: ExecSyncResponse): [number, string, string] {
  const decoder = new TextDecoder();
  return [exitCode, decoder.decode(stdout), decoder.decode(stderr)];
}

describe('ExecSync', () => {
  it('returns the output of the command and its exit code', async () => {
    const { fake, runSandbox, create } = await createBench();
    const containerId = await create(await runSandbox('web'), {
      envs: [{ key: 'COLOR', value: new TextEncoder().encode('red') }],
    });
    await fake.runtime.startContainer({ containerId });
    const exec = async (...cmd: string[]): Promise<[number, string, string]> =>
      readable(await fake.runtime.execSync({ containerId, cmd, timeout: 5n }));
    expect(await exec('echo', 'hi')).toEqual([0, 'hi\n', '']);
    expect(await exec('sh', '-c', 'echo $COLOR $HOSTNAME; echo oops >&2; exit 3')).toEqual([3, 'red web\n', 'oops\n']);
    expect(await exec('sh', '-c', 'curl localhost')).toEqual([127, '', 'sh: curl: not found\n']);
    expect(await exec('sh', '-c', 'echo "')).toEqual([2, '', 'sh: syntax error: unterminated quoted string\n']);
  });

  it('returns no result for a program that it does not have', async () => {
    const { fake, start } = await createBench();
    const containerId = await start('nginx');
    const exec = (...cmd: string[]): Promise<unknown> => fake.runtime.execSync({ containerId, cmd });
    await expect(exec('redis-cli', 'ping')).rejects.toMatchObject({
      code: StatusCode.Unknown,
      message: 'failed to exec in container: exec: "redis-cli": executable file not found in $PATH',
    });
    await expect(exec('sh', '-c', 'echo `date`')).rejects.toMatchObject({ code: StatusCode.Unknown });
    expect(await codeOf(exec())).toBe(StatusCode.InvalidArgument);
  });

  it('requires a running container', async () => {
    const { fake, clock, start } = await createBench();
    const containerId = await start('true');
    await clock.settle();
    expect(await codeOf(fake.runtime.execSync({ containerId, cmd: ['true'] }))).toBe(StatusCode.FailedPrecondition);
    expect(await codeOf(fake.runtime.execSync({ containerId: 'missing', cmd: ['true'] }))).toBe(StatusCode.NotFound);
  });

  it('kills a command that exceeds the timeout', async () => {
    const { fake, clock, start } = await createBench();
    const containerId = await start('nginx');
    const exec = codeOf(fake.runtime.execSync({ containerId, cmd: ['sleep', '10'], timeout: 2n }));
    await clock.advance(2000);
    expect(await exec).toBe(StatusCode.DeadlineExceeded);
    expect(clock.pendingTimers).toBe(0);
  });

  it('ends with its container, and when it is cancelled', async () => {
    const { fake, clock, start } = await createBench();
    const containerId = await start('nginx');
    const controller = new AbortController();
    const cancelled = codeOf(
      fake.runtime.execSync({ containerId, cmd: ['sleep', '10'] }, { signal: controller.signal }),
    );
    await clock.settle();
    controller.abort();
    expect(await cancelled).toBe(StatusCode.Canceled);
    expect(clock.pendingTimers).toBe(0);
    const exec = fake.runtime.execSync({ containerId, cmd: ['sleep', '10'] });
    await clock.settle();
    fake.exitContainer(containerId, 0);
    expect((await exec).exitCode).toBe(137);
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('UpdateContainerResources', () => {
  it('appears in the status; unset fields keep their values', async () => {
    const { fake, runSandbox, create, container } = await createBench();
    const containerId = await create(await runSandbox(), {
      linux: { resources: { cpuShares: 512n, memoryLimitInBytes: 1000n, unified: { 'memory.high': '900' } } },
    });
    await fake.runtime.updateContainerResources({
      containerId,
      linux: { memoryLimitInBytes: 2000n, unified: { 'cpu.weight': '5' } },
    });
    expect((await container(containerId)).resources?.linux).toMatchObject({
      cpuShares: 512n,
      memoryLimitInBytes: 2000n,
      unified: { 'memory.high': '900', 'cpu.weight': '5' },
    });
  });

  it('requires a container that has not exited', async () => {
    const { fake, start } = await createBench();
    const containerId = await start('nginx');
    fake.exitContainer(containerId, 0);
    expect(await codeOf(fake.runtime.updateContainerResources({ containerId }))).toBe(StatusCode.FailedPrecondition);
    expect(await codeOf(fake.runtime.updateContainerResources({ containerId: 'missing' }))).toBe(StatusCode.NotFound);
  });
});

describe('container logs as files', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fake-cri-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('stay in the log directory, and start a new file when they are reopened', async () => {
    const clock = createVirtualClock();
    await using fake = createFakeRuntime({ clock, random: seededRandom(1), logs: createFileLogs(noopLogger) });
    const { runtime, images } = fake;
    await images.pullImage({ image: { image: 'busybox' } });
    const sandboxConfig = {
      metadata: { name: 'web', namespace: 'default', uid: '1', attempt: 0 },
      logDirectory: join(folder, 'web'),
    };
    const { podSandboxId } = await runtime.runPodSandbox({ config: sandboxConfig });
    const command = ['sh', '-c', 'echo one; sleep 1.5; echo -n two >&2; sleep 1; echo; echo three; sleep 100'];
    const config = {
      metadata: { name: 'main', attempt: 0 },
      image: { image: 'busybox' },
      command,
      logPath: 'main/0.log',
    };
    const { containerId } = await runtime.createContainer({ podSandboxId, config, sandboxConfig });
    await runtime.startContainer({ containerId });
    await clock.advance(2000);
    const path = join(folder, 'web/main/0.log');
    expect((await stat(join(folder, 'web/main'))).mode & 0o777).toBe(0o755);
    await rename(path, `${path}.old`);
    await runtime.reopenContainerLog({ containerId });
    await clock.advance(1000);
    await runtime.stopContainer({ containerId, timeout: 1n });

    expect(await readFile(`${path}.old`, 'utf8')).toMatch(/^2026-01-01T00:00:00\.\d{9}Z stdout F one\n$/);
    expect(await readFile(path, 'utf8')).toMatch(
      /^2026-01-01T00:00:02\.\d{9}Z stdout F \n2026-01-01T00:00:02\.\d{9}Z stdout F three\n2026-01-01T00:00:03\.\d{9}Z stderr P two\n$/,
    );
    expect(await codeOf(runtime.reopenContainerLog({ containerId }))).toBe(StatusCode.FailedPrecondition);
  });
});
