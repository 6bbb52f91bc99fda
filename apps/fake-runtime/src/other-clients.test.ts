import { execFile, execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { seededRandom, systemClock } from '@rxlet/component-base';
import { StatusCode } from '@rxlet/cri-api';
import { createCriClient } from '@rxlet/cri-client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { run } from './run.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const PYTHON = '/usr/bin/python3';
const LIFE_OF_POD = fileURLToPath(new URL('./test-support/life_of_pod.py', import.meta.url));

const execute = promisify(execFile);

/** Reports whether a program runs and succeeds. */
function succeeds(program: string, ...args: string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fake-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** Runs the command with `args` while `use` does; @returns what it wrote on standard error. */
async function whileRunning(args: string[], use: (socket: string) => Promise<void>): Promise<string> {
  const socket = join(folder, 'fake.sock');
  const stop = new AbortController();
  const listening = Promise.withResolvers<void>();
  let stderr = '';
  const exit = run(['--listen', `unix://${socket}`, ...args], {
    stdout: () => listening.resolve(),
    stderr: (text) => (stderr += text),
    signal: stop.signal,
  });
  await listening.promise;
  try {
    await use(socket);
  } finally {
    stop.abort();
    expect(await exit).toBe(0);
  }
  return stderr;
}

/** Calls a method with JSON, as a person does from a shell. */
async function curl(socket: string, method: string, json: unknown): Promise<unknown> {
  const { stdout } = await execute('curl', [
    ...['-sS', '--unix-socket', socket, '--http2-prior-knowledge', '-H', 'content-type: application/json'],
    ...['-d', JSON.stringify(json), `http://localhost/${method}`],
  ]);
  return JSON.parse(stdout);
}

const config = { metadata: { name: 'web', namespace: 'default', uid: '1', attempt: 0 } };

describe('curl', () => {
  it('sets a failpoint with one command', async () => {
    const log = await whileRunning(['--v', '2'], async (socket) => {
      const failpoint = '1*error(unavailable: x)';
      const set = 'rxlet.fake.v1.FakeControl/SetFailpoint';
      expect(await curl(socket, set, { rpc: 'RunPodSandbox', failpoint })).toEqual({});
      await using client = createCriClient(
        { clock: systemClock, random: seededRandom(1) },
        { endpoint: `unix://${socket}` },
      );
      await expect(client.runtime.runPodSandbox({ config })).rejects.toMatchObject({ code: StatusCode.Unavailable });
      await client.runtime.runPodSandbox({ config });
      expect(await curl(socket, 'rxlet.fake.v1.FakeControl/Snapshot', {})).toMatchObject({
        running: true,
        sandboxes: [{ name: 'web', ready: true }],
      });
      expect(await curl(socket, set, { rpc: 'Nope', failpoint })).toEqual({
        code: 'invalid_argument',
        message: 'the CRI has no RPC "Nope"',
      });
      expect(await curl(socket, 'grpc.health.v1.Health/Check', {})).toEqual({ status: 'SERVING' });
    });
    expect(log.split('\n').filter((line) => line.startsWith('debug runPodSandbox '))).toHaveLength(1);
  });
});

describe('--state-file', () => {
  it('restores sandboxes and images', async () => {
    const state = ['--state-file', join(folder, 'state.json')];
    await whileRunning(state, async (socket) => {
      await using client = createCriClient(
        { clock: systemClock, random: seededRandom(1) },
        { endpoint: `unix://${socket}` },
      );
      await client.runtime.runPodSandbox({ config });
    });
    await whileRunning(state, async (socket) => {
      expect(await curl(socket, 'rxlet.fake.v1.FakeControl/Snapshot', {})).toMatchObject({
        sandboxes: [{ name: 'web', ready: true }],
      });
    });
  });
});

describe('the files of the command line', () => {
  it.each([
    ['--images', 'images:\n  - tags: [a]\n    sizeBytes: big\n', /line 3: images\[0\]\.sizeBytes/],
    ['--script', 'busybox:\n  exit:\n    nonsense: 1\n', /line [23]/],
  ])('%s: names the wrong line', async (flag, text, problem) => {
    const path = join(folder, 'input.yaml');
    await writeFile(path, text);
    let stderr = '';
    const io = {
      stdout: () => undefined,
      stderr: (line: string) => void (stderr += line),
      signal: AbortSignal.abort(),
    };
    expect(await run(['--listen', `unix://${folder}/fake.sock`, flag, path], io)).toBe(2);
    expect(stderr).toMatch(problem);
    expect(stderr.startsWith(`fake-runtime: ${path}: `)).toBe(true);
  });
});

if (succeeds(PYTHON, '-c', 'import grpc, google.protobuf')) {
  describe('a gRPC client in Python', () => {
    it('goes through the life of a pod', async () => {
      const descriptors = join(folder, 'descriptors.binpb');
      const logs = join(folder, 'logs');
      await mkdir(logs);
      await execute(join(ROOT, 'node_modules/.bin/buf'), ['build', join(ROOT, 'proto'), '-o', descriptors]);
      await whileRunning([], async (socket) => {
        const { stdout } = await execute(PYTHON, [LIFE_OF_POD, socket, descriptors, logs], { timeout: 15_000 });
        expect(stdout.trim().split('\n')).toEqual([
          'version fake',
          'pull True',
          'state 1',
          'exec hello 3',
          'stats True',
          'log stdout F up',
          'exit 143 Error',
          'left 0 0',
          'gone NOT_FOUND',
          'events [0, 1, 2, 3]',
          'health 1',
        ]);
      });
    });
  });
} else {
  console.warn('no test of a gRPC client in Python: python3-grpcio is missing');
}
