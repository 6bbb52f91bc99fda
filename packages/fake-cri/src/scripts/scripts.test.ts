import { StatusCode } from '@rxlet/cri-api';
import { describe, expect, it } from 'vitest';
import { type Bench, codeOf, createBench } from '../test-support.ts';
import type { BehaviourScript } from './script.ts';

const decoder = new TextDecoder();

/** Creates a bench in which busybox has a script. */
const scripted = (script: BehaviourScript): Promise<Bench> => createBench({ scripts: { busybox: script } });

describe('a scripted container', () => {
  it('runs for its time and exits, with lines in its log', async () => {
    const { clock, start, container, logOf } = await scripted({
      runSeconds: 10,
      exitCode: 3,
      log: [
        { text: 'tick', afterSeconds: 1, everySeconds: 4 },
        { text: 'oops', stream: 'stderr', everySeconds: 2, count: 2 },
      ],
    });
    const id = await start('sleep', '1');
    await clock.advance(9999);
    expect((await container(id)).finishedAt).toBe(0n);
    await clock.advance(1);
    expect(await container(id)).toMatchObject({ exitCode: 3, reason: 'Error' });
    expect(await logOf(id)).toEqual([
      'stderr F oops',
      'stdout F tick',
      'stderr F oops',
      'stdout F tick',
      'stdout F tick',
    ]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('crashes twice, then stays', async () => {
    const { clock, fake, runSandbox, create, container } = await scripted({
      attempts: [{ exitCode: 1 }, { exitCode: 2 }, { runSeconds: 3600 }],
    });
    const sandbox = await runSandbox();
    const codes: number[] = [];
    for (const attempt of [0, 1, 2, 3]) {
      const containerId = await create(sandbox, { metadata: { name: 'main', attempt } });
      await fake.runtime.startContainer({ containerId });
      await clock.advance(1000);
      const { exitCode, finishedAt } = await container(containerId);
      codes.push(finishedAt === 0n ? -1 : exitCode);
    }
    expect(codes).toEqual([1, 2, -1, -1]);
  });

  it('ignores SIGTERM', async () => {
    const { clock, fake, start, container } = await scripted({ ignoreSigterm: true });
    const containerId = await start('x');
    const stopped = fake.runtime.stopContainer({ containerId, timeout: 5n });
    await clock.advance(4999);
    expect((await container(containerId)).finishedAt).toBe(0n);
    await clock.advance(1);
    await stopped;
    expect((await container(containerId)).exitCode).toBe(137);
  });

  it('is OOM-killed, whatever it runs', async () => {
    const { clock, start, container } = await scripted({ oomKillAfterSeconds: 5 });
    const id = await start('sleep', '60');
    await clock.advance(5000);
    expect(await container(id)).toMatchObject({ exitCode: 137, reason: 'OOMKilled' });
    expect(clock.pendingTimers).toBe(0);
  });

  it('has the scripted usage in its statistics', async () => {
    const { clock, fake, start } = await scripted({
      usage: [
        { cpuMillis: 100, memoryBytes: 1000 },
        { afterSeconds: 10, cpuMillis: 500, memoryBytes: 2000 },
      ],
    });
    const containerId = await start('x');
    const used = async (): Promise<(bigint | undefined)[]> => {
      const { stats } = await fake.runtime.containerStats({ containerId });
      return [stats?.cpu?.usageNanoCores?.value, stats?.memory?.workingSetBytes?.value];
    };
    await clock.advance(5000);
    expect(await used()).toEqual([100_000_000n, 1000n]);
    await clock.advance(6000);
    expect(await used()).toEqual([500_000_000n, 2000n]);
  });

  it('leaves nothing behind when the runtime is disposed of', async () => {
    const { clock, fake, start } = await scripted({
      oomKillAfterSeconds: 5,
      runSeconds: 9,
      log: [{ text: 'x', everySeconds: 1 }],
    });
    await start('x');
    await clock.advance(1000);
    await fake[Symbol.asyncDispose]();
    expect(clock.pendingTimers).toBe(0);
  });

  it('starts slowly', async () => {
    const { clock, fake, runSandbox, create, container } = await scripted({ startDelaySeconds: 3 });
    const containerId = await create(await runSandbox());
    const started = fake.runtime.startContainer({ containerId });
    await clock.advance(2999);
    expect((await container(containerId)).startedAt).toBe(0n);
    await clock.advance(1);
    await started;
    expect((await container(containerId)).startedAt).toBeGreaterThan(0n);
  });

  it('has results of execs, changing over time, and runs other commands as without a script', async () => {
    const { clock, fake, start } = await scripted({
      exec: [
        {
          command: ['redis-cli', 'ping'],
          results: [
            { exitCode: 1, stderr: 'loading\n' },
            { afterSeconds: 10, stdout: 'PONG\n', takesSeconds: 2 },
          ],
        },
      ],
    });
    const containerId = await start('redis');
    const exec = async (...cmd: string[]): Promise<[number, string, string]> => {
      const call = fake.runtime.execSync({ containerId, cmd, timeout: 5n });
      await clock.advance(2000);
      const { exitCode, stdout, stderr } = await call;
      return [exitCode, decoder.decode(stdout), decoder.decode(stderr)];
    };
    expect(await exec('redis-cli', 'ping')).toEqual([1, '', 'loading\n']);
    await clock.advance(10_000);
    expect(await exec('redis-cli', 'ping')).toEqual([0, 'PONG\n', '']);
    expect(await exec('echo', 'hi')).toEqual([0, 'hi\n', '']);
    const tooSlow = codeOf(fake.runtime.execSync({ containerId, cmd: ['redis-cli', 'ping'], timeout: 1n }));
    await clock.advance(1000);
    expect(await tooSlow).toBe(StatusCode.DeadlineExceeded);
  });

  it('answers on its ports while it runs, also the commands of other pods', async () => {
    const { clock, fake, runSandbox, create, sandbox } = await createBench({
      scripts: {
        'busybox:latest': {
          ports: [
            { port: 80, protocol: 'http', responses: [{ status: 503 }, { afterSeconds: 5, body: 'hello\n' }] },
            { port: 81, protocol: 'tcp', responses: [{ afterSeconds: 5 }] },
            { port: 82, protocol: 'grpc', responses: [{ afterSeconds: 5, health: 'UNKNOWN' }] },
          ],
        },
      },
    });
    const podSandboxId = await runSandbox('server');
    const server = await create(podSandboxId);
    const ip = (await sandbox(podSandboxId)).network!.ip;
    await fake.images.pullImage({ image: { image: 'alpine' } });
    const client = await create(await runSandbox('client'), { image: { image: 'alpine' } });
    await fake.runtime.startContainer({ containerId: server });
    await fake.runtime.startContainer({ containerId: client });
    const exec = async (containerId: string, ...cmd: string[]): Promise<[number, string, string]> => {
      const { exitCode, stdout, stderr } = await fake.runtime.execSync({ containerId, cmd });
      return [exitCode, decoder.decode(stdout), decoder.decode(stderr)];
    };
    expect(await exec(client, 'wget', '-qO-', `http://${ip}/x`)).toEqual([
      1,
      '',
      'wget: server returned error: HTTP/1.1 503\n',
    ]);
    expect(await fake.network.grpcHealth(ip, 82)).toBe('NOT_SERVING');
    await clock.advance(5000);
    expect(await exec(client, 'wget', '-q', '-O', '-', '-T', '1', `http://${ip}:80/x`)).toEqual([0, 'hello\n', '']);
    expect(await exec(server, 'sh', '-c', 'wget -qO /tmp/x http://localhost && cat /tmp/x')).toEqual([
      0,
      'hello\n',
      '',
    ]);
    expect((await exec(client, 'nc', '-z', '-w', '1', ip, '81'))[0]).toBe(0);
    expect(await fake.network.grpcHealth(ip, 82)).toBe('UNKNOWN');
    fake.exitContainer(server, 0);
    expect((await exec(client, 'nc', '-z', ip, '81'))[0]).toBe(1);
    expect((await exec(client, 'wget', '-qO-', `http://${ip}/`))[0]).toBe(1);
  });
});

describe('the script of a container', () => {
  const yaml = (exitCode: number): Record<string, string> => ({
    'fake.rxlet.dev/main': `exitCode: ${String(exitCode)}`,
  });

  it('is selected by its name, then its annotation, its sandbox’s annotation, its image', async () => {
    const { clock, fake, runSandbox, create, container } = await scripted({ exitCode: 1 });
    const codeFor = async (pod: string, onContainer?: number, onSandbox?: number): Promise<number> => {
      const sandbox = await runSandbox(pod, {
        metadata: { name: pod, namespace: 'default', uid: pod, attempt: 0 },
        annotations: onSandbox === undefined ? {} : yaml(onSandbox),
      });
      const containerId = await create(sandbox, { annotations: onContainer === undefined ? {} : yaml(onContainer) });
      await fake.runtime.startContainer({ containerId });
      await clock.settle();
      return (await container(containerId)).exitCode;
    };
    expect(await codeFor('a')).toBe(1);
    expect(await codeFor('b', undefined, 2)).toBe(2);
    expect(await codeFor('c', 3, 2)).toBe(3);
    fake.setScript({ container: 'main', pod: 'default/d' }, 'exitCode: 4');
    expect(await codeFor('d', 3)).toBe(4);
    expect(await codeFor('e', 3)).toBe(3);
    fake.setScript({ container: 'main' }, { exitCode: 5 });
    expect(await codeFor('f', 3)).toBe(5);
    fake.setScript({ container: 'main' }, undefined);
    fake.setScript({ image: 'docker.io/library/busybox' }, { exitCode: 6 });
    expect(await codeFor('g')).toBe(6);
  });

  it('is rejected with line and field when it is not valid', async () => {
    const { fake, runSandbox, create } = await createBench();
    const annotations = { 'fake.rxlet.dev/main': 'runSeconds: 1\nexitCode: never' };
    await expect(create(await runSandbox(), { annotations })).rejects.toMatchObject({
      code: StatusCode.InvalidArgument,
      message: 'annotation fake.rxlet.dev/main: line 2, column 11: exitCode: must be a whole number from 0 to 255',
    });
    expect(() => fake.setScript({ image: 'x' }, 'a: 1')).toThrow(
      'script of image docker.io/library/x:latest: line 1, column 1: a: unknown field',
    );
  });
});
