import { create, type DescMessage, type MessageInitShape, type MessageShape } from '@bufbuild/protobuf';
import { timestampMs } from '@bufbuild/protobuf/wkt';
import { Metadata } from '@grpc/grpc-js';
import { onAbort } from '@rxlet/component-base';
import {
  Content,
  InfoRequestSchema,
  InfoResponseSchema,
  ListContentRequestSchema,
  ListContentResponseSchema,
  ListStatusesRequestSchema,
  ListStatusesResponseSchema,
  ReadContentRequestSchema,
  ReadContentResponseSchema,
} from '../../gen/containerd/content/v1/content_pb.js';
import { type ContainerdMethod, isUnimplementedCall, openContainerdChannel } from './containerd-channel.ts';

/** Content of the store. */
export interface StoredContent {
  readonly digest: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** containerd's content store. Disposing of it closes its connection. */
export interface ContentStore extends Disposable {
  /** Returns the written bytes of layers and configurations that are being written, by digest. */
  written(signal: AbortSignal): Promise<ReadonlyMap<string, number>>;
  /** Returns content that any of the filters accepts. */
  list(filters: readonly string[], signal: AbortSignal): Promise<readonly StoredContent[]>;
  /** Returns the time of the last change of the labels of content, in epoch milliseconds. */
  labelledMs(digest: string, signal: AbortSignal): Promise<number>;
  read(digest: string, signal: AbortSignal): Promise<Uint8Array>;
}

/** Error of a socket that does not serve containerd's content store. */
export class ContentStoreUnsupported extends Error {
  override readonly name = 'ContentStoreUnsupported';
  readonly reason = 'Unsupported';
}

const INFO = method('Info', InfoRequestSchema, InfoResponseSchema);
const LIST_STATUSES = method('ListStatuses', ListStatusesRequestSchema, ListStatusesResponseSchema);
const LIST = method('List', ListContentRequestSchema, ListContentResponseSchema);
const READ = method('Read', ReadContentRequestSchema, ReadContentResponseSchema);

/** Bounds what a list may return. */
const MAX_LISTED = 10_000;
/** Largest content that is read; registries limit manifests to that. */
const MAX_READ_BYTES = 4 << 20;

/** Opens the content store of a namespace. It does not connect before the first call. */
export function openContentStore(socketPath: string, namespace: string): ContentStore {
  const channel = openContainerdChannel(socketPath);
  const metadata = new Metadata();
  metadata.set('containerd-namespace', namespace);

  const collect = async <I extends DescMessage, O extends DescMessage>(
    called: ContainerdMethod<I, O>,
    request: MessageInitShape<I>,
    signal: AbortSignal,
    add: (message: MessageShape<O>) => void,
  ): Promise<void> => {
    signal.throwIfAborted();
    const call = channel.serverStream(called, create(called.request, request), metadata);
    using _listener = onAbort(signal, () => call.cancel());
    try {
      for await (const message of call as AsyncIterable<MessageShape<O>>) add(message);
    } finally {
      call.cancel();
    }
  };

  return {
    async written(signal) {
      try {
        const { statuses } = await channel.unary(LIST_STATUSES, create(ListStatusesRequestSchema), metadata, signal);
        return new Map(
          statuses.flatMap(({ ref, offset }) => {
            const digest = /^(?:layer|config)-(.*)$/.exec(ref)?.[1];
            return digest === undefined ? [] : [[digest, Number(offset)]];
          }),
        );
      } catch (error) {
        if (!isUnimplementedCall(error)) throw error;
        throw new ContentStoreUnsupported(`${socketPath} has no content store of containerd`, { cause: error });
      }
    },
    async list(filters, signal) {
      const listed: StoredContent[] = [];
      await collect(LIST, { filters: [...filters] }, signal, ({ info }) => {
        if (listed.length + info.length > MAX_LISTED) throw new Error('too much content is listed');
        for (const { digest, labels } of info) listed.push({ digest, labels });
      });
      return listed;
    },
    async labelledMs(digest, signal) {
      const { info } = await channel.unary(INFO, create(InfoRequestSchema, { digest }), metadata, signal);
      return info?.updatedAt === undefined ? 0 : timestampMs(info.updatedAt);
    },
    async read(digest, signal) {
      const chunks: Uint8Array[] = [];
      let sizeBytes = 0;
      await collect(READ, { digest }, signal, ({ data }) => {
        sizeBytes += data.length;
        if (sizeBytes > MAX_READ_BYTES) throw new Error(`content ${digest} is too large`);
        chunks.push(data);
      });
      return Buffer.concat(chunks);
    },
    [Symbol.dispose]: () => channel[Symbol.dispose](),
  };
}

function method<I extends DescMessage, O extends DescMessage>(
  name: string,
  request: I,
  response: O,
): ContainerdMethod<I, O> {
  return { path: `/${Content.typeName}/${name}`, request, response };
}
