import { StatusCode } from '@rxlet/cri-api';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { seededRandom } from '@rxlet/component-base';
import { describe, expect, it } from 'vitest';
import { createFakeRuntime } from './create-fake-runtime.ts';
import { createMemoryLogs } from './logs/log-sink.ts';

const ports = { clock: createVirtualClock(), random: seededRandom(1), logs: createMemoryLogs() };

/** Runs `use` as a caller without a type checker; returns the code and the message of the error that it throws. */
function errorOf(use: (call: (...args: readonly unknown[]) => unknown) => unknown): [number, string] {
  try {
    use(createFakeRuntime.bind(undefined, ports) as (...args: readonly unknown[]) => unknown);
  } catch (error) {
    const { code, message } = error as { code: number; message: string };
    return [code, message];
  }
  throw new Error('nothing was thrown');
}

describe('a caller without types', () => {
  it.each<[unknown, string]>([
    [{ latencyMS: 5 }, 'unknown option "latencyMS"; known are runtimeName,'],
    [{ latencyMs: '5' }, 'option "latencyMs" must be a number from 0'],
    [{ latencyMs: NaN }, 'option "latencyMs" must be a number from 0'],
    [{ podNetwork: 'real' }, 'option "podNetwork" must be one of in-process, loopback'],
    [{ eventQueueSize: 0 }, 'option "eventQueueSize" must be a number from 1'],
    [{ images: {} }, 'option "images" must be a list'],
    [{ images: [{ tag: 'busybox' }] }, 'image.tag: unknown field'],
    [{ images: [{ tags: 'busybox' }] }, 'image.tags: expected a list'],
    [{ images: [{ tags: ['not a reference'] }] }, 'image.tags[0]: "not a reference" is not an image reference'],
    [{ missingImages: [undefined] }, 'failed to parse image reference "undefined"'],
    [{ missingImages: ['A B'] }, 'failed to parse image reference "A B"'],
    [{ scripts: { 'A B': {} } }, 'failed to parse image reference "A B"'],
  ])('gets an error that names the wrong option: %j', (options, message) => {
    const [code, text] = errorOf((create) => create(options));
    expect(code).toBe(StatusCode.InvalidArgument);
    expect(text).toContain(message);
  });

  it.each<[string, readonly unknown[], string]>([
    ['failNext', ['runPodSandboxx', new Error('x')], 'the CRI has no RPC "runPodSandboxx"'],
    ['setFailpoint', ['runPod', 'off'], 'the CRI has no RPC "runPod"'],
    ['setFailpoint', ['version', 'off', 'during'], 'unknown place of a failpoint "during"'],
    ['setFailpoint', ['version', 'explode()'], 'explode'],
    ['clearFailpoints', ['runPod'], 'the CRI has no RPC "runPod"'],
    ['setEventFaults', [{ lose: 1 }], 'unknown event fault "lose"; known are drop,'],
    ['setEventFaults', [{ drop: '1%' }], 'drop is 1%'],
    ['setScript', [{ img: 'busybox' }, {}], 'unknown field of a script target "img"'],
    ['setScript', [{}, {}], 'a script target must have an image or a container'],
  ])('gets an error that names the wrong argument of %s: %j', (method, args, message) => {
    const fake = createFakeRuntime(ports) as unknown as Record<string, (...args: readonly unknown[]) => unknown>;
    const [code, text] = errorOf(() => fake[method]!(...args));
    expect(code).toBe(StatusCode.InvalidArgument);
    expect(text).toContain(message);
  });

  it('may use the CRI’s name of an RPC', async () => {
    const fake = createFakeRuntime(ports) as unknown as { failNext(rpc: string, error: Error): void } & ReturnType<
      typeof createFakeRuntime
    >;
    fake.failNext('Version', new Error('not now'));
    await expect(fake.runtime.version({})).rejects.toThrow('not now');
  });
});
