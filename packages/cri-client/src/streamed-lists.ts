import { create, type DescMethod } from '@bufbuild/protobuf';
import {
  type CallOptions,
  type ImageService,
  ImageServiceDescriptor,
  isUnimplemented,
  type RuntimeService,
  RuntimeServiceDescriptor,
} from '@rxlet/cri-api';

/** A list and the stream with the same content. */
interface StreamedList {
  readonly list: DescMethod;
  /** Name of the stream's method. */
  readonly stream: string;
  /** Fields with the items, of the list's answer and of the stream's messages. */
  readonly items: string;
  readonly streamedItems: string;
}

const { method: runtimeMethods } = RuntimeServiceDescriptor;
const RUNTIME_LISTS: readonly StreamedList[] = [
  { list: runtimeMethods.listPodSandbox, stream: 'streamPodSandboxes', items: 'items', streamedItems: 'podSandboxes' },
  { list: runtimeMethods.listContainers, stream: 'streamContainers', items: 'containers', streamedItems: 'containers' },
  {
    list: runtimeMethods.listContainerStats,
    stream: 'streamContainerStats',
    items: 'stats',
    streamedItems: 'containerStats',
  },
  {
    list: runtimeMethods.listPodSandboxStats,
    stream: 'streamPodSandboxStats',
    items: 'stats',
    streamedItems: 'podSandboxStats',
  },
  {
    list: runtimeMethods.listPodSandboxMetrics,
    stream: 'streamPodSandboxMetrics',
    items: 'podMetrics',
    streamedItems: 'podSandboxMetrics',
  },
];
const IMAGE_LISTS: readonly StreamedList[] = [
  { list: ImageServiceDescriptor.method.listImages, stream: 'streamImages', items: 'images', streamedItems: 'images' },
];

type Unary = (request: object, options?: CallOptions) => Promise<object>;
type Streaming = (request: object, options?: CallOptions) => AsyncIterable<Readonly<Record<string, unknown>>>;

/** Deadline of a stream without one of its own, that of the list in its place. */
const DEFAULT_TIMEOUT_MS = 120_000;

/**
 * Returns services whose lists come from the streams of the runtime, so that a list may be larger than a message (kubelet: feature gate CRIListStreaming). For a service without one of
 * the streams, its lists are used from then on. Another failure fails the list.
 *
 * @param timeoutMs deadline of calls without one of their own. Default: two minutes
 */
export function withStreamedLists<S extends { readonly runtime: RuntimeService; readonly images: ImageService }>(
  services: S,
  timeoutMs: number = DEFAULT_TIMEOUT_MS,
): Pick<S, 'runtime' | 'images'> {
  return {
    runtime: streamed(services.runtime, RUNTIME_LISTS, timeoutMs),
    images: streamed(services.images, IMAGE_LISTS, timeoutMs),
  };
}

function streamed<S extends object>(service: S, lists: readonly StreamedList[], timeoutMs: number): S {
  const calls = service as Readonly<Record<string, unknown>>;
  let hasStreams = true;
  const replaced = lists.map(({ list, stream, items, streamedItems }): [string, Unary] => {
    const [unary, open] = [calls[list.localName] as Unary, calls[stream] as Streaming];
    return [
      list.localName,
      async (request, options) => {
        if (!hasStreams) return unary(request, options);
        const found: unknown[] = [];
        try {
          for await (const message of open(request, { timeoutMs, ...options }))
            found.push(...(message[streamedItems] as readonly unknown[]));
        } catch (error) {
          if (!isUnimplemented(error)) throw error;
          hasStreams = false;
          return unary(request, options);
        }
        return create(list.output, { [items]: found });
      },
    ];
  });
  return { ...service, ...Object.fromEntries(replaced) };
}
