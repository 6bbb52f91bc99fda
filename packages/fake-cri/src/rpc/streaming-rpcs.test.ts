import { ContainerState, StatusCode } from '@rxlet/cri-api';
import { describe, expect, it } from 'vitest';
import { connectTo, V4, V5 } from '../streaming/test-support.ts';
import { codeOf, createBench } from '../test-support.ts';

const outputs = { stdout: true, stderr: true };

describe('Exec', () => {
  it('streams the output of the command, and ends with its exit code', async () => {
    const { fake, start } = await createBench();
    await using _ = fake;
    const containerId = await start('nginx');
    for (const protocol of [V5, V4]) {
      const cmd = ['sh', '-c', 'echo out; echo oops >&2; exit 3'];
      const client = await connectTo((await fake.runtime.exec({ containerId, cmd, ...outputs })).url, protocol);
      expect(await client.status()).toEqual({
        metadata: {},
        status: 'Failure',
        message: `command terminated with non-zero exit code: error executing command [${cmd.join(' ')}], exit code 3`,
        reason: 'NonZeroExitCode',
        details: { causes: [{ reason: 'ExitCode', message: '3' }] },
      });
      expect([client.text(1), client.text(2)]).toEqual(['out\n', 'oops\n']);
      expect(await client.closed).toBe(1000);
    }
    const quiet = await connectTo((await fake.runtime.exec({ containerId, cmd: ['echo', 'x'], stderr: true })).url);
    expect(await quiet.status()).toEqual({ metadata: {}, status: 'Success' });
    expect(quiet.text(1)).toBe('');
  });

  it('passes stdin to the command, until the client half-closes it', async () => {
    const { fake, start } = await createBench();
    await using _ = fake;
    const containerId = await start('nginx');
    const { url } = await fake.runtime.exec({ containerId, cmd: ['cat'], stdin: true, ...outputs });
    const client = await connectTo(url);
    const euro = Buffer.from('5 €\n');
    client.send(0, euro.subarray(0, 3));
    client.send(0, euro.subarray(3));
    await client.until(() => client.text(1) === '5 €\n');
    client.send(0, 'the end');
    client.send(255, Uint8Array.of(0));
    expect(await client.status()).toEqual({ metadata: {}, status: 'Success' });
    expect(client.text(1)).toBe('5 €\nthe end');
  });

  it('carries a lot of stdin in order', async () => {
    const { fake, start } = await createBench();
    await using _ = fake;
    const { url } = await fake.runtime.exec({
      containerId: await start('nginx'),
      cmd: ['cat'],
      stdin: true,
      stdout: true,
    });
    const client = await connectTo(url);
    const pieces = Array.from({ length: 100 }, (_, index) => String(index % 10).repeat(10_000));
    for (const piece of pieces) client.send(0, piece);
    client.send(255, Uint8Array.of(0));
    await client.closed;
    expect(client.text(1) === pieces.join('')).toBe(true);
  });

  it('with a terminal has one output, and receives its sizes', async () => {
    const { fake, start, clock } = await createBench();
    await using _ = fake;
    const cmd = ['sh', '-c', 'echo out; echo err >&2; sleep 5'];
    const containerId = await start('nginx');
    const { url } = await fake.runtime.exec({ containerId, cmd, tty: true, stdin: true, stdout: true });
    const client = await connectTo(url);
    client.send(4, '{"Width":120,"Height":40}');
    client.send(4, 'not a size');
    await client.until(() => client.text(1) === 'out\r\nerr\r\n');
    const pong = new Promise((resolve) => client.socket.once('pong', resolve));
    client.socket.ping();
    await pong;
    expect(fake.streams()).toEqual([{ kind: 'exec', id: containerId, terminalSize: { width: 120, height: 40 } }]);
    await clock.advance(5000);
    expect(await client.status()).toEqual({ metadata: {}, status: 'Success' });
    expect(client.text(2)).toBe('');
    expect(fake.streams()).toEqual([]);
  });

  it('ends with its container, and does not start after it', async () => {
    const { fake, start } = await createBench();
    await using _ = fake;
    const containerId = await start('nginx');
    const { url } = await fake.runtime.exec({ containerId, cmd: ['sleep', '100'], ...outputs });
    const { url: late } = await fake.runtime.exec({ containerId, cmd: ['true'], ...outputs });
    const client = await connectTo(url);
    await fake.runtime.stopContainer({ containerId });
    expect((await client.status()).details?.causes).toEqual([{ reason: 'ExitCode', message: '137' }]);
    expect((await (await connectTo(late)).status()).message).toContain('is in CONTAINER_EXITED state');
  });

  it('fails on the stream when the fake does not have the program', async () => {
    const { fake, start } = await createBench();
    await using _ = fake;
    const { url } = await fake.runtime.exec({ containerId: await start('nginx'), cmd: ['psql'], ...outputs });
    expect(await (await connectTo(url)).status()).toMatchObject({
      reason: 'InternalError',
      message: expect.stringContaining('exec: "psql": executable file not found in $PATH') as string,
    });
  });

  it('continues without a client, and leaves nothing open when the runtime is disposed of', async () => {
    const { fake, clock, start, logOf } = await createBench();
    const containerId = await start('sh', '-c', 'sleep 1; echo later; sleep 100');
    const { url } = await fake.runtime.exec({ containerId, cmd: ['sleep', '50'], stdin: true, ...outputs });
    const client = await connectTo(url);
    client.send(0, new Uint8Array(200_000));
    const attached = await connectTo((await fake.runtime.attach({ containerId, ...outputs })).url);
    attached.socket.terminate();
    await attached.closed;
    await clock.advance(1000);
    expect(await logOf(containerId)).toEqual(['stdout F later']);
    await fake[Symbol.asyncDispose]();
    await client.closed;
    expect(clock.pendingTimers).toBe(0);
    await expect(connectTo(url)).rejects.toThrow('ECONNREFUSED');
  });
});

describe('Attach', () => {
  it('joins the output from now on, beside the log and other clients, until the container ends', async () => {
    const { fake, clock, start, logOf } = await createBench();
    await using _ = fake;
    const containerId = await start('sh', '-c', 'echo before; sleep 1; echo out; echo err >&2; sleep 1; exit 4');
    await clock.settle();
    const url = async (): Promise<string> => (await fake.runtime.attach({ containerId, ...outputs })).url;
    const clients = [await connectTo(await url()), await connectTo(await url(), V4)];
    await clock.advance(1000);
    await clock.advance(1000);
    for (const client of clients) {
      expect(await client.status()).toEqual({ metadata: {}, status: 'Success' });
      expect([client.text(1), client.text(2)]).toEqual(['out\n', 'err\n']);
    }
    expect(await logOf(containerId)).toEqual(['stdout F before', 'stdout F out', 'stderr F err']);
  });

  it('works without a log, and merges the outputs of a terminal', async () => {
    const { fake, clock, runSandbox, create } = await createBench();
    await using _ = fake;
    const command = ['sh', '-c', 'sleep 1; echo out; echo err >&2'];
    const containerId = await create(await runSandbox(), { command, tty: true, logPath: '' });
    await fake.runtime.startContainer({ containerId });
    const client = await connectTo((await fake.runtime.attach({ containerId, tty: true, stdout: true })).url);
    await clock.advance(1000);
    await client.closed;
    expect([client.text(1), client.text(2)]).toEqual(['out\nerr\n', '']);
  });
});

describe('Exec of a shell at a terminal', () => {
  const openShell = async () => {
    const bench = await createBench();
    const cmd = ['sh'];
    const containerId = await bench.start('nginx');
    const { url } = await bench.fake.runtime.exec({ containerId, cmd, tty: true, stdin: true, stdout: true });
    const client = await connectTo(url);
    const typed = async (keys: string, shown: string | RegExp): Promise<void> => {
      const before = client.text(1).length;
      client.send(0, keys);
      const isShown = (text: string): boolean => (typeof shown === 'string' ? text === shown : shown.test(text));
      await client.until(() => isShown(client.text(1).slice(before)));
    };
    await client.until(() => /help" for its commands\.\r\n\/ # $/.test(client.text(1)));
    return { ...bench, client, typed };
  };

  it('prompts, echoes and goes on after mistakes', async () => {
    const { fake, client, typed } = await openShell();
    await using _ = fake;
    await typed('echo hi\r', 'echo hi\r\nhi\r\n/ # ');
    await typed('cd /etc && pwd\r', 'cd /etc && pwd\r\n/etc\r\n/etc # ');
    await typed('if true; then\r', 'if true; then\r\n> ');
    await typed('echo yes; fi\r', 'echo yes; fi\r\nyes\r\n/etc # ');
    await typed('case x in\r', /the built-in shell does not support "case"\r\n\/etc # $/);
    await typed('vi x\r', /vi: not found\r\nThe fake runtime has no such program\. Type "help".*\r\n\/etc # $/);
    await typed('help\r', /\bcat\b.* cd .*\bwget\b.*\r\n\/etc # $/);
    await typed('false\r', /# $/);
    client.send(0, 'exit\r');
    expect(await client.status()).toMatchObject({ reason: 'NonZeroExitCode' });
  });

  it('ends the command at Ctrl-C, and itself at Ctrl-D', async () => {
    const { fake, client, typed } = await openShell();
    await using _ = fake;
    client.send(0, 'sleep 1000; echo never\r');
    await typed('\u0003', /\^C\r\n\/ # $/);
    await typed('echo $?\r', 'echo $?\r\n130\r\n/ # ');
    await typed('half\u0003', 'half^C\r\n/ # ');
    client.send(0, 'cat\r');
    await typed('line\r', /line\r\nline\r\n$/);
    await typed('\u0004', '/ # ');
    client.send(0, '\u0004');
    expect(await client.status()).toEqual({ metadata: {}, status: 'Success' });
  });

  it('interrupts a command without a shell', async () => {
    const { fake, start } = await createBench();
    await using _ = fake;
    const containerId = await start('nginx');
    const cmd = ['sleep', '1000'];
    const { url } = await fake.runtime.exec({ containerId, cmd, tty: true, stdin: true, stdout: true });
    const client = await connectTo(url);
    client.send(0, '\u0003');
    expect(await client.status()).toMatchObject({ details: { causes: [{ message: '130' }] } });
  });
});

describe('Attach with stdin', () => {
  it('drops it when the container has none', async () => {
    const { fake, clock, runSandbox, create } = await createBench();
    await using _ = fake;
    const command = ['sh', '-c', 'sleep 1; echo done'];
    const containerId = await create(await runSandbox(), { metadata: { name: 'none', attempt: 0 }, command });
    await fake.runtime.startContainer({ containerId });
    const client = await connectTo((await fake.runtime.attach({ containerId, stdin: true, stdout: true })).url);
    client.send(0, 'dropped input');
    await clock.advance(1000);
    expect(await client.status()).toEqual({ metadata: {}, status: 'Success' });
    expect(client.text(1)).toBe('done\n');
  });

  it('reaches the program of a container with stdin; with stdinOnce, it ends with the client', async () => {
    const { fake, runSandbox, create } = await createBench();
    await using _ = fake;
    const config = { metadata: { name: 'main', attempt: 0 }, command: ['cat'], stdin: true, stdinOnce: true };
    const containerId = await create(await runSandbox(), config);
    await fake.runtime.startContainer({ containerId });
    const client = await connectTo((await fake.runtime.attach({ containerId, stdin: true, stdout: true })).url);
    client.send(0, 'hello\n');
    await client.until(() => client.text(1) === 'hello\n');
    client.send(255, Uint8Array.of(0));
    expect(await client.status()).toEqual({ metadata: {}, status: 'Success' });
    expect((await fake.runtime.containerStatus({ containerId })).status).toMatchObject({
      exitCode: 0,
      reason: 'Completed',
    });
  });

  it('stays open for the next client without stdinOnce', async () => {
    const { fake, runSandbox, create } = await createBench();
    await using _ = fake;
    const containerId = await create(await runSandbox(), {
      metadata: { name: 'main', attempt: 0 },
      command: ['cat'],
      stdin: true,
    });
    await fake.runtime.startContainer({ containerId });
    for (const text of ['first\n', 'second\n', 'third\n']) {
      const client = await connectTo((await fake.runtime.attach({ containerId, stdin: true, stdout: true })).url);
      client.send(0, text);
      await client.until(() => client.text(1) === text);
      if (text === 'second\n') {
        // A client whose input ends is detached.
        client.send(255, Uint8Array.of(0));
        expect(await client.status()).toEqual({ metadata: {}, status: 'Success' });
      }
      client.socket.terminate();
      await client.closed;
    }
    expect(fake.snapshot().containers[0]?.state).toBe(ContainerState.CONTAINER_RUNNING);
  });
});

describe('PortForward', () => {
  it('forwards several ports to the services of the pod', async () => {
    const { fake, runSandbox, sandbox } = await createBench();
    await using _ = fake;
    const podSandboxId = await runSandbox();
    const { ip } = (await sandbox(podSandboxId)).network!;
    using _echo = fake.network.serve(
      ip,
      8080,
      { protocol: 'tcp', accept: (connection) => void connection.pipe(connection) },
      'pod',
    );
    const client = await connectTo((await fake.runtime.portForward({ podSandboxId, port: [8080, 81] })).url, V4);
    await client.until(() => client.bytes(3).length > 2);
    expect([...client.bytes(0)]).toEqual([0x90, 0x1f]);
    expect([...client.bytes(1)]).toEqual([0x90, 0x1f]);
    expect([...client.bytes(2)]).toEqual([81, 0]);
    expect(client.text(3).slice(2)).toBe(
      `error forwarding port 81 to pod ${podSandboxId}, uid : connect ECONNREFUSED ${ip}:81`,
    );
    const sent = Buffer.alloc(300_000, 'abc');
    client.send(0, sent);
    await client.until(() => client.bytes(0).length === sent.length + 2);
    expect(client.bytes(0).subarray(2).equals(sent)).toBe(true);
    expect(fake.streams()).toMatchObject([{ kind: 'portforward', id: podSandboxId }]);
  });

  it('ends when the last connection has', async () => {
    const { fake, runSandbox, sandbox } = await createBench();
    await using _ = fake;
    const podSandboxId = await runSandbox();
    const { ip } = (await sandbox(podSandboxId)).network!;
    using _hello = fake.network.serve(
      ip,
      80,
      { protocol: 'tcp', accept: (connection) => void connection.end('hello') },
      'pod',
    );
    const client = await connectTo((await fake.runtime.portForward({ podSandboxId, port: [80] })).url, V4);
    expect(await client.closed).toBe(1000);
    expect(client.text(0).slice(2)).toBe('hello');
  });
});

describe('a streaming request', () => {
  it('has at least one stream, and no stderr beside a terminal', async () => {
    const { fake, start } = await createBench();
    const containerId = await start('nginx');
    const { runtime } = fake;
    const cmd = ['true'];
    expect(await codeOf(runtime.exec({ containerId, cmd }))).toBe(StatusCode.InvalidArgument);
    expect(await codeOf(runtime.exec({ containerId, cmd, tty: true, ...outputs }))).toBe(StatusCode.InvalidArgument);
    expect(await codeOf(runtime.exec({ containerId, ...outputs }))).toBe(StatusCode.InvalidArgument);
    expect(await codeOf(runtime.attach({ containerId }))).toBe(StatusCode.InvalidArgument);
    expect(await codeOf(runtime.attach({ containerId, tty: true, ...outputs }))).toBe(StatusCode.InvalidArgument);
  });

  it('requires a running container, or a ready sandbox and valid ports', async () => {
    const { fake, clock, start, runSandbox } = await createBench();
    const { runtime } = fake;
    const containerId = await start('true');
    await clock.settle();
    for (const [id, code] of [
      [containerId, StatusCode.FailedPrecondition],
      ['missing', StatusCode.NotFound],
    ] as const) {
      expect(await codeOf(runtime.exec({ containerId: id, cmd: ['true'], ...outputs }))).toBe(code);
      expect(await codeOf(runtime.attach({ containerId: id, ...outputs }))).toBe(code);
    }
    const podSandboxId = await runSandbox();
    const tooMany = Array.from({ length: 129 }, (_, index) => index + 1);
    expect(await codeOf(runtime.portForward({ podSandboxId, port: tooMany }))).toBe(StatusCode.InvalidArgument);
    expect(await codeOf(runtime.portForward({ podSandboxId, port: [70_000] }))).toBe(StatusCode.InvalidArgument);
    expect(await codeOf(runtime.portForward({ podSandboxId: 'missing', port: [80] }))).toBe(StatusCode.NotFound);
    await runtime.stopPodSandbox({ podSandboxId });
    expect(await codeOf(runtime.portForward({ podSandboxId, port: [80] }))).toBe(StatusCode.FailedPrecondition);
  });

  it('is invalid once the runtime has stopped, which also closes its streams', async () => {
    const { fake, start } = await createBench();
    await using _ = fake;
    const request = { containerId: await start('nginx'), cmd: ['sleep', '9'], ...outputs };
    const client = await connectTo((await fake.runtime.exec(request)).url);
    const { url: unused } = await fake.runtime.exec(request);
    fake.stop();
    expect(await client.closed).toBe(1006);
    fake.start();
    await expect(connectTo(unused)).rejects.toThrow('404');
    await connectTo((await fake.runtime.exec(request)).url);
    expect(fake.streams()).toHaveLength(1);
  });

  it('is rejected while a thousand wait for their clients', async () => {
    const { fake, start } = await createBench();
    await using _ = fake;
    const containerId = await start('nginx');
    const exec = (): Promise<unknown> => fake.runtime.exec({ containerId, cmd: ['true'], ...outputs });
    await Promise.all(Array.from({ length: 1000 }, exec));
    expect(await codeOf(exec())).toBe(StatusCode.ResourceExhausted);
  });
});
