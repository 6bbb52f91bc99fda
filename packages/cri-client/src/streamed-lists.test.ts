import { type CallOptions, type ImageService, type RuntimeService, ServiceError, StatusCode } from '@rxlet/cri-api';
import { describe, expect, it } from 'vitest';
import { withStreamedLists } from './streamed-lists.ts';

type Items = Readonly<Record<string, readonly object[]>>;

/** Services with lists that answer `unary`, and streams of these messages or with this failure. */
function servicesOf(messages: readonly Items[], failure?: Error) {
  const calls: (readonly [name: string, request: object, options: CallOptions | undefined])[] = [];
  const unary = (name: string) => async (request: object, options?: CallOptions) => {
    calls.push([name, request, options]);
    return { [name]: 'unary' };
  };
  const stream = (name: string) =>
    async function* (request: object, options?: CallOptions) {
      calls.push([name, request, options]);
      for (const message of messages) yield message;
      await Promise.resolve();
      if (failure !== undefined) throw failure;
    };
  const runtime = {
    listContainers: unary('listContainers'),
    listPodSandbox: unary('listPodSandbox'),
    streamContainers: stream('streamContainers'),
    streamPodSandboxes: stream('streamPodSandboxes'),
    version: unary('version'),
  } as unknown as RuntimeService;
  const images = {
    listImages: unary('listImages'),
    streamImages: stream('streamImages'),
  } as unknown as ImageService;
  return { calls, names: () => calls.map(([name]) => name), ...withStreamedLists({ runtime, images }, 7000) };
}

describe('withStreamedLists', () => {
  it('puts the messages of a stream together, with the filter and the deadline of the list', async () => {
    const { calls, runtime } = servicesOf([{ containers: [{ id: 'a' }, { id: 'b' }] }, { containers: [{ id: 'c' }] }]);
    const filter = { podSandboxId: 's' };
    const { containers } = await runtime.listContainers({ filter });
    expect(containers.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    await runtime.listContainers({}, { timeoutMs: 5 });
    expect(calls).toEqual([
      ['streamContainers', { filter }, { timeoutMs: 7000 }],
      ['streamContainers', {}, { timeoutMs: 5 }],
    ]);
  });

  it('has the fields of the list', async () => {
    const { runtime, images } = servicesOf([{ podSandboxes: [{ id: 's' }], images: [{ id: 'i' }] }]);
    expect((await runtime.listPodSandbox({})).items.map(({ id }) => id)).toEqual(['s']);
    expect((await images.listImages({})).images.map(({ id }) => id)).toEqual(['i']);
  });

  it('uses the lists of a service whose runtime has no streams, from then on', async () => {
    const { names, runtime, images } = servicesOf([], new ServiceError(StatusCode.Unimplemented, 'unknown method'));
    expect(await runtime.listContainers({})).toEqual({ listContainers: 'unary' });
    await runtime.listPodSandbox({});
    await images.listImages({});
    expect(names()).toEqual(['streamContainers', 'listContainers', 'listPodSandbox', 'streamImages', 'listImages']);
  });

  it('fails with a stream that breaks, and returns no part of it', async () => {
    const { names, runtime } = servicesOf(
      [{ containers: [{ id: 'a' }] }],
      new ServiceError(StatusCode.Unavailable, 'gone'),
    );
    await expect(runtime.listContainers({})).rejects.toThrow('gone');
    await expect(runtime.listContainers({})).rejects.toThrow('gone');
    expect(names()).toEqual(['streamContainers', 'streamContainers']);
  });

  it('leaves other calls as they are', async () => {
    const { names, runtime } = servicesOf([]);
    await runtime.version({});
    expect(names()).toEqual(['version']);
  });
});
