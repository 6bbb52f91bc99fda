import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom, systemClock } from '@rxlet/component-base';
import { createCriClient, type CriClient } from '@rxlet/cri-client';
import { BUSYBOX_REFERENCE } from '@rxlet/test-containerd/build-image';
import { type RunningShim, startShim } from '@rxlet/test-containerd/docker-shim';
import { dockerdUnavailable, type PrivateDockerd, startPrivateDockerd } from '@rxlet/test-containerd/private-dockerd';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { runPod, type TestPod } from './test-support/test-pod.ts';

describe.skipIf(dockerdUnavailable() !== undefined)('streams of containers in Docker', () => {
  const folder = mkdtempSync(join(tmpdir(), 'shim-'));
  let dockerd: PrivateDockerd;
  let shim: RunningShim;
  let client: CriClient;
  let pod: TestPod;

  beforeAll(async () => {
    dockerd = await startPrivateDockerd(join(folder, 'd'));
    shim = await startShim(dockerd, join(folder, 'shim'));
    client = createCriClient({ clock: systemClock, random: seededRandom(1) }, { endpoint: shim.endpoint });
    pod = await runPod(client, { name: 'streams', logDirectory: join(folder, 'logs'), image: BUSYBOX_REFERENCE });
  });
  afterAll(async () => {
    await pod?.[Symbol.asyncDispose]();
    await client?.[Symbol.asyncDispose]();
    await shim?.[Symbol.asyncDispose]();
    await dockerd?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Connects to a stream, sends `input` to the channel 0, half-closes it, and returns the text of each channel. */
  const converse = async (url: string, input: readonly (string | Buffer)[], protocol = 'v5.channel.k8s.io') => {
    const socket = new WebSocket(url, protocol);
    const channels: string[] = [];
    socket.on('message', (data: Buffer) => {
      channels[data[0]!] = (channels[data[0]!] ?? '') + data.subarray(1).toString('latin1');
    });
    await once(socket, 'open');
    for (const part of input) socket.send(typeof part === 'string' ? Buffer.from(`\0${part}`) : part);
    await once(socket, 'close');
    return channels;
  };
  const HALF_CLOSE = Buffer.from([255, 0]);

  it('runs a command with input, output and exit code', async () => {
    const containerId = await pod.start('exec', 'sleep 600');
    const cmd = ['sh', '-c', 'cat; echo done >&2; exit 4'];
    const { url } = await client.runtime.exec({ containerId, cmd, stdin: true, stdout: true, stderr: true });
    const [, stdout, stderr, status] = await converse(url, ['hello', HALF_CLOSE]);
    expect([stdout, stderr]).toEqual(['hello', 'done\n']);
    expect(JSON.parse(status!)).toMatchObject({ reason: 'NonZeroExitCode', details: { causes: [{ message: '4' }] } });
  });

  it('waits for the exit code of a command that has closed its output', async () => {
    const containerId = await pod.start('closed', 'sleep 600');
    const cmd = ['sh', '-c', 'exec > /dev/null 2>&1; sleep 11; exit 4'];
    const { url } = await client.runtime.exec({ containerId, cmd, stdout: true, stderr: true });
    const [answer, channels] = await Promise.all([
      client.runtime.execSync({ containerId, cmd, timeout: 60n }),
      converse(url, []),
    ]);
    expect(answer.exitCode).toBe(4);
    expect(JSON.parse(channels[3]!)).toMatchObject({ details: { causes: [{ message: '4' }] } });
  });

  it('runs a command in a terminal of the size of the client', async () => {
    const containerId = await pod.start('tty', 'sleep 600');
    const cmd = ['sh', '-c', 'until stty size 2>&1 | grep "30 100"; do sleep 0.1; done'];
    const { url } = await client.runtime.exec({ containerId, cmd, stdin: true, stdout: true, tty: true });
    const [, stdout, , status] = await converse(url, [Buffer.from('\u0004{"Width":100,"Height":30}')]);
    expect([stdout, JSON.parse(status!)]).toEqual(['30 100\r\n', { metadata: {}, status: 'Success' }]);
  });

  it('reports a command that cannot be started', async () => {
    const containerId = await pod.start('missing', 'sleep 600');
    const { url } = await client.runtime.exec({ containerId, cmd: ['no-such-command'], stdout: true });
    const status = JSON.parse((await converse(url, []))[3]!) as { message: string };
    expect(status.message).toMatch(/^Internal error occurred: error executing command in container: .*no-such-command/);
  });

  it('attaches to the program of a container', async () => {
    const script = 'read line; echo "got $line"; exit 0';
    const containerId = await pod.start('attach', script, { stdin: true, stdinOnce: true });
    const { url } = await client.runtime.attach({ containerId, stdin: true, stdout: true, stderr: true });
    const [, stdout, , status] = await converse(url, ['input\n']);
    expect([stdout, JSON.parse(status!)]).toEqual(['got input\n', { metadata: {}, status: 'Success' }]);
  });

  it("connects to ports of the pod's loopback interface", async () => {
    await pod.start('server', 'httpd -f -p 127.0.0.1:8080');
    const fetched = async (): Promise<string> => {
      const { url } = await client.runtime.portForward({ podSandboxId: pod.id, port: [8080] });
      const [data, error] = await converse(url, ['GET /nothing HTTP/1.0\r\n\r\n'], 'v4.channel.k8s.io');
      return data!.slice(2) || error!.slice(2);
    };
    await expect.poll(fetched, { timeout: 10_000 }).toMatch(/^HTTP\/1.\d 404 Not Found/);
    const refused = await client.runtime.portForward({ podSandboxId: pod.id, port: [9] });
    const [, error] = await converse(refused.url, [], 'v4.channel.k8s.io');
    expect(error!.slice(2)).toMatch(/^error forwarding port 9 to pod [0-9a-f]{64}, uid : .*ECONNREFUSED/);
  });
});
