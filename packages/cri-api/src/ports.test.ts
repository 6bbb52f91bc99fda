import { readFileSync } from 'node:fs';
import { create, type DescService } from '@bufbuild/protobuf';
import { describe, expect, expectTypeOf, it } from 'vitest';
import {
  type CallOptions,
  file_runtime_v1_api,
  type ContainerEventResponse,
  type ImageService,
  ImageServiceDescriptor,
  type RuntimeService,
  RuntimeServiceDescriptor,
  type VersionRequest,
  type VersionResponse,
  VersionResponseSchema,
} from './index.ts';
import * as v1alpha2 from './v1alpha2.ts';

/** Returns the RPCs of a service from its descriptor, in the notation of the proto file. */
function rpcsOf(service: DescService): string[] {
  return service.methods.map(({ name, input, output, methodKind }) => {
    const returns = methodKind === 'server_streaming' ? `stream ${output.name}` : output.name;
    return `${name}(${input.name}) returns (${returns})`;
  });
}

/** Returns the RPCs of a proto file, service by service. */
function rpcsInFile(version: string): string[] {
  const text = readFileSync(new URL(`../../../proto/runtime/${version}/api.proto`, import.meta.url), 'utf8');
  return [...text.matchAll(/^\s*rpc (.*?)\s*(?:\{|;)/gm)].map(([, rpc]) => rpc!);
}

describe('the services', () => {
  it('match the proto file of v1: 35 RPCs and 6', () => {
    expect(RuntimeServiceDescriptor.methods).toHaveLength(35);
    expect(ImageServiceDescriptor.methods).toHaveLength(6);
    expect([...rpcsOf(RuntimeServiceDescriptor), ...rpcsOf(ImageServiceDescriptor)]).toEqual(rpcsInFile('v1'));
    expect(RuntimeServiceDescriptor.typeName).toBe('runtime.v1.RuntimeService');
    expect(ImageServiceDescriptor.typeName).toBe('runtime.v1.ImageService');
  });

  it('match the proto file of v1alpha2, none of which v1 lacks', () => {
    const rpcs = [v1alpha2.RuntimeService, v1alpha2.ImageService].flatMap(rpcsOf);
    expect(rpcs).toEqual(rpcsInFile('v1alpha2'));
    expect(rpcsInFile('v1')).toEqual(expect.arrayContaining(rpcs));
    expect(v1alpha2.RuntimeService.typeName).toBe('runtime.v1alpha2.RuntimeService');
  });
});

describe('the ports', () => {
  it('declare a method for each RPC and nothing else', () => {
    expectTypeOf<keyof RuntimeService>().toEqualTypeOf<keyof typeof RuntimeServiceDescriptor.method>();
    expectTypeOf<keyof ImageService>().toEqualTypeOf<keyof typeof ImageServiceDescriptor.method>();
    // A key that is no RPC would be `never`, and so could not be called.
    expectTypeOf<RuntimeService[keyof RuntimeService]>().toBeFunction();
    expectTypeOf<ImageService[keyof ImageService]>().toBeFunction();
    expect(Object.keys(RuntimeServiceDescriptor.method)).toEqual(
      RuntimeServiceDescriptor.methods.map(({ localName }) => localName),
    );
  });

  it('take the fields that are set, or a message, and promise a message', async () => {
    expectTypeOf<RuntimeService['version']>().parameter(0).toExtend<Partial<VersionRequest>>();
    expectTypeOf<VersionRequest>().toExtend<Parameters<RuntimeService['version']>[0]>();
    expectTypeOf<RuntimeService['version']>().parameter(1).toEqualTypeOf<CallOptions | undefined>();
    expectTypeOf<RuntimeService['version']>().returns.toEqualTypeOf<Promise<VersionResponse>>();

    const version: RuntimeService['version'] = ({ version }) =>
      Promise.resolve(create(VersionResponseSchema, { version: version ?? '' }));
    await expect(version({ version: '0.1.0' }, { timeoutMs: 1000 })).resolves.toMatchObject({ version: '0.1.0' });
  });

  it('accept plain functions of plain objects, without schemas, casts or $typeName', async () => {
    const images: Pick<ImageService, 'pullImage' | 'listImages'> = {
      pullImage: async ({ image }) => ({ imageRef: `id of ${image?.image ?? ''}` }),
      listImages: async () => ({
        images: [{ id: 'a', repoTags: [], repoDigests: [], size: 1n, username: '', pinned: false }],
      }),
    };
    const runtime: Pick<RuntimeService, 'getContainerEvents'> = {
      async *getContainerEvents() {
        yield { containerId: 'c', containerEventType: 0, createdAt: 1n, containersStatuses: [] };
      },
    };
    expect(await images.pullImage({ image: { image: 'busybox' } })).toEqual({ imageRef: 'id of busybox' });
    expect((await images.listImages({})).images[0]?.id).toBe('a');
    for await (const { containerId } of runtime.getContainerEvents({})) expect(containerId).toBe('c');
  });

  it('declare a plain type for each message of the proto file', () => {
    const declarations = readFileSync(new URL('../gen/runtime/v1/messages.d.ts', import.meta.url), 'utf8');
    const declared = Array.from(declarations.matchAll(/^ {2}'runtime\.v1\.(\w+)': \1;$/gm), ([, name]) => name);
    expect(declared).toEqual(file_runtime_v1_api.messages.map(({ name }) => name));
  });

  it('return a stream as an AsyncIterable', () => {
    expectTypeOf<RuntimeService['getContainerEvents']>().returns.toEqualTypeOf<AsyncIterable<ContainerEventResponse>>();
    expectTypeOf<ImageService['streamImages']>().returns.toExtend<AsyncIterable<unknown>>();
  });
});
