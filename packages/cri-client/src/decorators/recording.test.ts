import { sleep } from '@rxlet/component-base';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { ServiceError, StatusCode } from '@rxlet/cri-api';
import { describe, expect, it } from 'vitest';
import { rejectionOf, scriptedServices } from '../test-support/scripted-services.ts';
import type { CriServices } from './cri-services.ts';
import { recording } from './recording.ts';
import { RecordingError } from './recording-format.ts';
import { ReplayError, replaying } from './replaying.ts';

function recorder() {
  const clock = createVirtualClock();
  const lines: string[] = [];
  let states = 0;
  const services = recording(
    scriptedServices({
      version: () => sleep(clock, 40).then(() => ({ runtimeName: 'x' })),
      containerStatus: () => ({ status: { state: states++, createdAt: 1_767_225_600_000_000_001n } }),
      createContainer: () => ({ containerId: 'c1' }),
      pullImage: () => ({ imageRef: 'sha256:1' }),
      execSync: () => ({ stdout: new Uint8Array([0, 255]), exitCode: 3 }),
      removeContainer: () => Promise.reject(new ServiceError(StatusCode.NotFound, 'no such container')),
      getContainerEvents: async function* () {
        yield { containerId: 'a' };
        await sleep(clock, 10);
        yield { containerId: 'b' };
      },
      streamContainers: async function* () {
        yield { containers: [{ id: 'a' }] };
        throw new ServiceError(StatusCode.Unavailable, 'gone');
      },
    }),
    { clock, sink: (line) => lines.push(line) },
  );
  return { ...services, clock, lines, parsed: () => lines.map((line) => JSON.parse(line) as unknown) };
}

async function firstEvents({ runtime }: CriServices, count: number): Promise<string[]> {
  const ids: string[] = [];
  for await (const { containerId } of runtime.getContainerEvents({})) if (ids.push(containerId) === count) break;
  return ids;
}

describe('recording', () => {
  it('writes a header, and a line for each unary call', async () => {
    const { runtime, clock, parsed } = recorder();
    await clock.advance(5);
    const version = runtime.version({ version: '0.1.0' });
    await clock.advance(40);
    await version;
    await rejectionOf(runtime.removeContainer({ containerId: 'c' }));
    expect(parsed()).toEqual([
      { format: 'rxlet-cri-recording', version: 1, startedAt: '2026-01-01T00:00:00.000Z' },
      {
        call: 1,
        atMs: 5,
        method: 'Version',
        request: { version: '0.1.0' },
        tookMs: 40,
        response: { runtimeName: 'x' },
      },
      {
        call: 2,
        atMs: 45,
        method: 'RemoveContainer',
        request: { containerId: 'c' },
        tookMs: 0,
        error: { code: 5, message: 'no such container' },
      },
    ]);
  });

  it('writes the messages of a stream as they come', async () => {
    const services = recorder();
    const events = firstEvents(services, 2);
    await services.clock.advance(10);
    await events;
    expect(services.parsed().slice(1)).toEqual([
      { call: 1, atMs: 0, method: 'GetContainerEvents', request: {}, stream: true },
      { call: 1, atMs: 0, message: { containerId: 'a' } },
      { call: 1, atMs: 10, message: { containerId: 'b' } },
      { call: 1, atMs: 10, end: 'left' },
    ]);
  });

  it('redacts secrets', async () => {
    const { runtime, images, lines } = recorder();
    const secrets = { password: 's3cret', auth: 's3cret', identityToken: 's3cret', registryToken: 's3cret' };
    await images.pullImage({ image: { image: 'x' }, auth: { username: 'me', serverAddress: 'r.io', ...secrets } });
    await runtime.createContainer({ config: { envs: [{ key: 'TOKEN', value: Buffer.from('s3cret') }] } });
    expect(lines.join('\n')).not.toContain('s3cret');
    expect(lines.join('\n')).not.toContain(Buffer.from('s3cret').toString('base64'));
    expect(lines[1]).toContain('"username":"me","password":"[redacted]"');
    expect(lines[2]).toContain(`{"key":"TOKEN","value":"${Buffer.from('[redacted]').toString('base64')}"}`);
  });
});

describe('replaying', () => {
  it('replays the answers, those of equal requests in their order', async () => {
    const recorded = recorder();
    const calls = async ({ runtime, images }: CriServices): Promise<unknown[]> => [
      await runtime.containerStatus({ containerId: 'c' }),
      await runtime.containerStatus({ containerId: 'c' }),
      await runtime.execSync({ containerId: 'c', cmd: ['x'], timeout: 5n }),
      await images.pullImage({ image: { image: 'x', annotations: { a: '1', b: '2' } }, auth: { password: 'one' } }),
    ];
    const answers = await calls(recorded);
    const replay = replaying(recorded.lines);
    expect(await calls(replay)).toEqual(answers);
    expect(answers[1]).toMatchObject({ status: { state: 1, createdAt: 1_767_225_600_000_000_001n } });
  });

  it('compares neither secrets nor the order of keys', async () => {
    const recorded = recorder();
    const pull = ({ images }: CriServices, annotations: Record<string, string>, password: string) =>
      images.pullImage({ image: { image: 'x', annotations }, auth: { password } });
    await pull(recorded, { a: '1', b: '2' }, 'one');
    expect(await pull(replaying(recorded.lines), { b: '2', a: '1' }, 'two')).toMatchObject({ imageRef: 'sha256:1' });
  });

  it('replays errors and streams', async () => {
    const recorded = recorder();
    const events = firstEvents(recorded, 3);
    await recorded.clock.advance(10);
    expect(await events).toEqual(['a', 'b']);
    await rejectionOf(recorded.runtime.removeContainer({}));
    const drain = async ({ runtime }: CriServices): Promise<void> => {
      for await (const _page of runtime.streamContainers({}));
    };
    await rejectionOf(drain(recorded));
    const replay = replaying(recorded.lines);
    expect(await firstEvents(replay, 3)).toEqual(['a', 'b']);
    expect(await rejectionOf(replay.runtime.removeContainer({}))).toEqual(
      new ServiceError(StatusCode.NotFound, 'no such container'),
    );
    expect(await rejectionOf(drain(replay))).toMatchObject({ code: StatusCode.Unavailable, message: 'gone' });
  });

  it('keeps a stream that had not ended open until its signal aborts or it is left', async () => {
    const recorded = recorder();
    await firstEvents(recorded, 1);
    const twice = [...recorded.lines, ...recorded.lines.slice(1).map((line) => line.replace('"call":1', '"call":2'))];
    const { runtime } = replaying(twice);
    const controller = new AbortController();
    const aborted = runtime.getContainerEvents({}, { signal: controller.signal })[Symbol.asyncIterator]();
    expect((await aborted.next()).value).toMatchObject({ containerId: 'a' });
    const waiting = rejectionOf(aborted.next());
    controller.abort(new Error('enough'));
    expect(await waiting).toMatchObject({ code: StatusCode.Canceled, message: 'enough' });

    const left = runtime.getContainerEvents({})[Symbol.asyncIterator]();
    await left.next();
    const last = left.next();
    await left.return!();
    expect(await last).toEqual({ done: true, value: undefined });
  });

  it('names a call that was not recorded, or not that often', async () => {
    const recorded = recorder();
    await recorded.runtime.createContainer({ podSandboxId: 's' });
    const { runtime } = replaying(recorded.lines);
    const other = await rejectionOf(runtime.createContainer({ podSandboxId: 't' }));
    expect(other).toBeInstanceOf(ReplayError);
    expect(other).toMatchObject({
      reason: 'not-recorded',
      method: 'CreateContainer',
      message: 'the call CreateContainer({"podSandboxId":"t"}) was not recorded',
    });
    await runtime.createContainer({ podSandboxId: 's' });
    expect(await rejectionOf(runtime.createContainer({ podSandboxId: 's' }))).toMatchObject({ reason: 'used-up' });
    expect(await rejectionOf(runtime.getContainerEvents({})[Symbol.asyncIterator]().next())).toMatchObject({
      reason: 'not-recorded',
    });
  });

  const header = '{"format":"rxlet-cri-recording","version":1}';
  it.each([
    [[], 'header-missing', 1],
    [['{"call":1}'], 'header-missing', 1],
    [['no JSON'], 'header-missing', 1],
    [['{"format":"rxlet-cri-recording","version":2}'], 'version-unknown', 1],
    [[header, '', '[]x'], 'line-invalid', 3],
    [[header, 'null'], 'line-invalid', 2],
    [[header, '{"atMs":0}'], 'line-invalid', 2],
    [[header, '{"call":1,"method":"Explode","request":{}}'], 'line-invalid', 2],
    [[header, '{"call":1,"method":"Version","request":{}}'], 'line-invalid', 2],
    [[header, '{"call":1,"method":"Version","request":{},"response":{"version":1}}'], 'line-invalid', 2],
  ])('rejects %j: %s in line %d', (lines, reason, line) => {
    let thrown: unknown;
    try {
      replaying(lines);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(RecordingError);
    expect(thrown).toMatchObject({ reason, line });
  });
});
